// Readers of logs take any bytes. What they find is ordered and in bounds, and the same when the
// bytes come again.
#include "harness/data/format.hpp"
#include "tests/fuzz/fuzz.hpp"

#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace lockstep;
    if (size == 0) return 0;
    // The first byte says which format it is taken for; beyond them, it is recognised.
    const auto formats = data::all_formats();
    data::ReadOptions options;
    const std::size_t which = data[0] % (formats.size() + 1);
    if (which < formats.size()) options.format = std::string(formats[which]->note.name);
    options.unit = (data[0] & 0x80) != 0 ? "ms" : "";
    options.column = which + 1 >= formats.size() ? "" : "1";
    const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
    const auto all = data::read_text("log", text, options);
    const auto again = data::read_text("log", text, options);
    fuzz::demand(all.ok() == again.ok(), "the second reading ends otherwise");
    if (!all) {
        fuzz::demand(!all.error().message.empty(), "no reason is given");
        return 0;
    }
    for (const auto& series : all.value()) {
        fuzz::demand(series.points.empty() || series.buckets.empty(), "two forms in one");
        for (std::size_t i = 0; i < series.points.size(); ++i) {
            const auto& point = series.points[i];
            fuzz::demand(point.length.ns >= 0, "a length is negative");
            fuzz::demand(point.length <= data::Sink::longest_length, "a length is absurd");
            if (series.timed && i > 0)
                fuzz::demand(series.points[i - 1].at <= point.at, "points are not in order");
            if (series.timed) fuzz::demand(point.at.ns >= 0, "a point lies before the beginning");
        }
        for (std::size_t i = 0; i < series.buckets.size(); ++i) {
            const auto& bucket = series.buckets[i];
            fuzz::demand(bucket.above < bucket.up_to, "a bucket is empty by its bounds");
            if (i > 0)
                fuzz::demand(series.buckets[i - 1].up_to == bucket.above, "buckets have gaps");
        }
    }
    return 0;
}
