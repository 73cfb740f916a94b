#include "harness/timeline/json_out.hpp"
#include "harness/timeline/model.hpp"
#include "harness/timeline/page_assets.hpp"
#include "harness/timeline/page_data.hpp"
#include "harness/timeline/timeline.hpp"

#include <string>
#include <string_view>

namespace lockstep::harness {
namespace {

/// Puts the parts into their places, which nothing that is put in is searched for.
std::string filled(std::string_view frame, std::string_view title, std::string_view data) {
    std::string out;
    while (!frame.empty()) {
        const auto begin = frame.find('@');
        out += frame.substr(0, begin);
        if (begin == std::string_view::npos) break;
        const auto end = frame.find('@', begin + 1);
        const std::string_view place = frame.substr(begin + 1, end - begin - 1);
        if (place == "title")
            out += title;
        else if (place == "style")
            out += timeline::page_style();
        else if (place == "script")
            out += timeline::page_script();
        else if (place == "data")
            out += data;
        frame.remove_prefix(end + 1);
    }
    return out;
}

}  // namespace

std::string timeline_html(const Outcome& outcome, const scenario::Resolved& settings,
                          const TimelineOptions& options) {
    // Under a megabyte, of which the page's own files take a part, and names and texts a little.
    constexpr std::size_t most = 990'000;
    std::size_t room = 800'000;
    const timeline::Model model = timeline::model_of(outcome, settings);
    const std::string title = timeline::html_escaped(
        options.title + ", seed " + std::to_string(outcome.seed) + ": Lockstep timeline");
    std::string page;
    do {
        page = filled(timeline::page_frame(), title,
                      timeline::page_data(outcome, settings, options, model, room));
        room /= 2;
    } while (page.size() > most && room > 1'000);
    return page;
}

}  // namespace lockstep::harness
