#include "harness/timeline/json_out.hpp"
#include "harness/timeline/model.hpp"
#include "harness/timeline/page_assets.hpp"
#include "harness/timeline/page_data.hpp"
#include "harness/timeline/timeline.hpp"

#include <string>
#include <string_view>

namespace lockstep::harness {
namespace {

/// Puts the parts into their places, which are not searched for in what is put in.
std::string filled(std::string_view frame, std::string_view data) {
    std::string out;
    const auto up_to = [&](std::string_view place) {
        const auto at = frame.find(place);
        out += frame.substr(0, at);
        frame.remove_prefix(at + place.size());
    };
    up_to("<!--STYLE-->");
    out += "<style>\n";
    out += timeline::page_style();
    out += "</style>";
    up_to("<!--DATA-->");
    out += "<script type=\"application/json\" id=\"run\">";
    out += data;
    out += "</script>";
    up_to("<!--SCRIPT-->");
    out += "<script>\n";
    out += timeline::page_script();
    out += "</script>";
    out += frame;
    return out;
}

}  // namespace

std::string timeline_html(const Outcome& outcome, const scenario::Resolved& settings,
                          const TimelineOptions& options) {
    // Under a megabyte, of which the page's own files take a part, and names and texts a little.
    constexpr std::size_t most = 990'000;
    std::size_t room = 860'000;
    const timeline::Model model = timeline::model_of(outcome, settings);
    std::string page;
    do {
        page = filled(timeline::page_frame(),
                      timeline::page_data(outcome, settings, options, model, room));
        room /= 2;
    } while (page.size() > most && room > 1'000);
    return page;
}

}  // namespace lockstep::harness
