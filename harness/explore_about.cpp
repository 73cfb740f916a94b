#include "harness/explore_about.hpp"

#include "core/base/codec.hpp"

#include <string>

namespace lockstep::harness {
namespace {

void put(Writer& out, const std::string& text) {
    out.varint(text.size());
    out.raw(std::as_bytes(std::span(text)));
}

std::string get_text(Reader& in) {
    const auto bytes = in.raw(in.varint());
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void put(Writer& out, const std::vector<std::string>& words) {
    out.varint(words.size());
    for (const auto& word : words) put(out, word);
}

std::vector<std::string> get_words(Reader& in) {
    std::vector<std::string> words;
    for (auto n = in.count(); n > 0 && !in.failed(); --n) words.push_back(get_text(in));
    return words;
}

properties::PropertyId get_property(Reader& in) {
    return in.enumerator<properties::PropertyId>(properties::property_count);
}

}  // namespace

std::vector<std::byte> encode(const ExplorationAbout& about) {
    Writer out;
    out.boolean(about.whole_catalogue);
    out.varint(about.repeats.size());
    for (const Repeat& repeat : about.repeats) {
        put(out, repeat.scenario);
        put(out, repeat.sets);
        out.boolean(repeat.without_config);
    }
    out.varint(about.demands.size());
    for (const Demands& demands : about.demands) {
        out.varint(demands.violated.size());
        for (const auto id : demands.violated) out.u8(static_cast<std::uint8_t>(id));
        put(out, demands.required_marks);
        out.varint(demands.minimum_share.size());
        for (const auto& [id, share] : demands.minimum_share) {
            out.u8(static_cast<std::uint8_t>(id));
            out.i64(share.value);
        }
    }
    const auto bytes = out.bytes();
    return {bytes.begin(), bytes.end()};
}

std::optional<ExplorationAbout> decode_about(std::span<const std::byte> bytes) {
    Reader in(bytes);
    ExplorationAbout about;
    about.whole_catalogue = in.boolean();
    for (auto n = in.count(); n > 0 && !in.failed(); --n) {
        Repeat repeat;
        repeat.scenario = get_text(in);
        repeat.sets = get_words(in);
        repeat.without_config = in.boolean();
        about.repeats.push_back(std::move(repeat));
    }
    for (auto n = in.count(); n > 0 && !in.failed(); --n) {
        Demands demands;
        for (auto k = in.count(); k > 0 && !in.failed(); --k)
            demands.violated.push_back(get_property(in));
        demands.required_marks = get_words(in);
        for (auto k = in.count(); k > 0 && !in.failed(); --k) {
            const auto id = get_property(in);
            Ppm share{};
            share.value = in.i64();
            demands.minimum_share.emplace_back(id, share);
        }
        about.demands.push_back(std::move(demands));
    }
    if (!in.done() || about.demands.size() != about.repeats.size()) return std::nullopt;
    return about;
}

}  // namespace lockstep::harness
