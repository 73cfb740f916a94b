#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace lockstep::sim {

/// Objects that are reused and addressed by a small number. An object stays where it is, so that
/// references outlive the taking of others. What a slot held last is the user's to clear.
template <class T>
class Slab {
public:
    std::uint32_t take() {
        if (free_count_ == 0) grow();
        return free_[--free_count_];
    }
    void give_back(std::uint32_t slot) { free_[free_count_++] = slot; }

    T& operator[](std::uint32_t slot) { return (*chunks_[slot / chunk])[slot % chunk]; }
    const T& operator[](std::uint32_t slot) const { return (*chunks_[slot / chunk])[slot % chunk]; }
    std::size_t in_use() const { return chunks_.size() * chunk - free_count_; }

private:
    static constexpr std::uint32_t chunk = 64;

    void grow() {
        const auto first = static_cast<std::uint32_t>(chunks_.size()) * chunk;
        chunks_.push_back(std::make_unique<std::array<T, chunk>>());
        free_.resize(chunks_.size() * chunk);  // room for all of them
        for (std::uint32_t i = chunk; i > 0; --i) give_back(first + i - 1);
    }

    std::vector<std::unique_ptr<std::array<T, chunk>>> chunks_;
    std::vector<std::uint32_t> free_;  ///< a stack of free_count_ slots
    std::size_t free_count_ = 0;
};

}  // namespace lockstep::sim
