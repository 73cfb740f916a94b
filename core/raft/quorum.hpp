#pragma once

#include "core/base/assert.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

/// The arithmetic of majorities.
namespace lockstep::raft {

/// More would make votes overflow their set, and no group is that large.
inline constexpr std::size_t max_members = 64;

/// How many of `members` are a majority: any two majorities have a member in common.
constexpr std::size_t quorum_of(std::size_t members) {
    return members / 2 + 1;
}

/// What each member has reached, and from it what a majority has. Collected anew for each question;
/// lives on the stack.
template <class T>
class QuorumValues {
public:
    void add(T value) {
        LOCKSTEP_ASSERT(size_ < max_members, "size={}", size_);
        // Insertion into descending order: for the handful of members there are, the fastest sort.
        std::size_t i = size_++;
        for (; i > 0 && values_[i - 1] < value; --i) values_[i] = values_[i - 1];
        values_[i] = value;
    }
    std::size_t size() const { return size_; }
    /// The highest value that a majority of the members added has reached.
    T reached() const {
        LOCKSTEP_ASSERT(size_ > 0, "nobody was asked");
        return values_[quorum_of(size_) - 1];
    }

private:
    std::array<T, max_members> values_;
    std::size_t size_ = 0;
};

/// Members of a group by their place in it.
class MemberSet {
public:
    void add(std::size_t place) { bits_ |= std::uint64_t{1} << place; }
    bool contains(std::size_t place) const { return (bits_ >> place & 1) != 0; }
    std::size_t size() const { return static_cast<std::size_t>(__builtin_popcountll(bits_)); }

private:
    std::uint64_t bits_ = 0;
};

}  // namespace lockstep::raft
