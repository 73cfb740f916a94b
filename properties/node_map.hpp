#pragma once

#include "core/base/flat_map.hpp"
#include "core/base/strong.hpp"

#include <vector>

namespace lockstep::properties {

/// A value for each process or lock. Their numbers count from 1, so that an array does; a number
/// out of all proportion (a history from elsewhere may hold any) costs a search, not memory.
template <class Id, class Value>
class NodeMap {
public:
    /// The value of the id, made by default if there was none.
    Value& operator[](Id id) {
        if (id.value < dense_.size()) [[likely]]
            return dense_[id.value];
        if (id.value >= dense_limit) return sparse_[id];
        dense_.resize(id.value + 1);
        return dense_[id.value];
    }

    /// Calls f(value) for each value, in the order of ids; those never asked for may be among them.
    template <class F>
    void for_each(F&& f) {
        for (Value& value : dense_) f(value);
        for (auto& item : sparse_) f(item.second);
    }

    /// Calls f(id, value), likewise.
    template <class F>
    void for_each_item(F&& f) {
        for (std::size_t i = 0; i < dense_.size(); ++i)
            f(Id(static_cast<typename Id::rep>(i)), dense_[i]);
        for (auto& [id, value] : sparse_) f(id, value);
    }

private:
    static constexpr typename Id::rep dense_limit = 4096;
    std::vector<Value> dense_;
    FlatMap<Id, Value> sparse_;
};

}  // namespace lockstep::properties
