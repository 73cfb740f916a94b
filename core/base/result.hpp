#pragma once

#include <string>
#include <utility>
#include <variant>

namespace lockstep {

/// Why outside input was refused. `line` and `column` count from 1; zero means unknown.
struct Error {
    std::string message;
    std::string file;
    int line = 0;
    int column = 0;
};

/// A value, or why there is none. For outside input only; a protocol's "no" is a reply value.
template <class T>
class [[nodiscard]] Result {
public:
    Result(T value)
        : state_(std::in_place_index<0>, std::move(value)) {
    }  // NOLINT(google-explicit-constructor)
    Result(Error error)
        : state_(std::in_place_index<1>, std::move(error)) {
    }  // NOLINT(google-explicit-constructor)

    bool ok() const { return state_.index() == 0; }
    explicit operator bool() const { return ok(); }
    T& value() & { return std::get<0>(state_); }
    const T& value() const& { return std::get<0>(state_); }
    T&& value() && { return std::get<0>(std::move(state_)); }
    const Error& error() const { return std::get<1>(state_); }

private:
    std::variant<T, Error> state_;
};

}  // namespace lockstep
