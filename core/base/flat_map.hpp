#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace lockstep {

/// An ordered map in one array: for the few dozen keys that most tables here hold, faster than a
/// tree, and iterated in the order of its keys, the same everywhere.
template <class Key, class Value>
class FlatMap {
public:
    using Item = std::pair<Key, Value>;
    using iterator = typename std::vector<Item>::iterator;
    using const_iterator = typename std::vector<Item>::const_iterator;

    iterator begin() { return items_.begin(); }
    iterator end() { return items_.end(); }
    const_iterator begin() const { return items_.begin(); }
    const_iterator end() const { return items_.end(); }
    std::size_t size() const { return items_.size(); }
    bool empty() const { return items_.empty(); }
    void clear() { items_.clear(); }

    Value* find(const Key& key) {
        const auto it = lower(key);
        return it != items_.end() && it->first == key ? &it->second : nullptr;
    }
    const Value* find(const Key& key) const { return const_cast<FlatMap*>(this)->find(key); }
    bool contains(const Key& key) const { return find(key) != nullptr; }

    /// The value of the key, made by default if there was none.
    Value& operator[](const Key& key) {
        if (!items_.empty() && items_.back().first < key)
            return items_.emplace_back(key, Value()).second;
        auto it = lower(key);
        if (it == items_.end() || it->first != key) it = items_.emplace(it, key, Value());
        return it->second;
    }
    bool erase(const Key& key) {
        const auto it = lower(key);
        if (it == items_.end() || it->first != key) return false;
        items_.erase(it);
        return true;
    }
    iterator erase(iterator it) { return items_.erase(it); }
    template <class Predicate>
    void erase_if(Predicate&& gone) {
        std::erase_if(items_, gone);
    }
    iterator lower_bound(const Key& key) { return lower(key); }

private:
    iterator lower(const Key& key) {
        return std::lower_bound(items_.begin(), items_.end(), key,
                                [](const Item& item, const Key& k) { return item.first < k; });
    }
    std::vector<Item> items_;
};

}  // namespace lockstep
