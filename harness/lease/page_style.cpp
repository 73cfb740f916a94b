#include "harness/lease/page_style.hpp"

namespace lockstep::lease {

std::string_view palette() {
    return R"(:root {
  --ground: #ffffff; --raised: #f5f7fa; --ink: #16202c; --soft: #4a5868; --line: #cdd5de; --grid: #e4e9ee;
  --main: #0b5cad; --main-soft: #8fb6dc; --now: #8a5a00; --pick: #c4002f; --want: #6b3fa0; --band: #eef2f6;
  --good: #0f6b3a; --good-ground: #e7f6ec; --bad: #c4002f; --bad-ground: #fdecef; --excused: #7a5200; --excused-ground: #fff4dc;
  --heat0: #f5f7fa; --heat1: #dbe8f5; --heat2: #b4d0ea; --heat3: #7fafdb; --heat4: #3c7fc0; --heat5: #0b4a8c; --on-low: #16202c; --on-high: #ffffff;
  color-scheme: light;
}
@media screen and (prefers-color-scheme: dark) {
:root {
  --ground: #0f151c; --raised: #18212b; --ink: #e8eef5; --soft: #a9b7c6; --line: #46566a; --grid: #232e3a;
  --main: #5aa9f5; --main-soft: #2f5f90; --now: #f0c469; --pick: #ff6b81; --want: #c3a2f0; --band: #18212b;
  --good: #6fd39a; --good-ground: #10281b; --bad: #ff6b81; --bad-ground: #33121a; --excused: #f0c469; --excused-ground: #2e2410;
  --heat0: #18212b; --heat1: #17324d; --heat2: #1a4a78; --heat3: #2568a8; --heat4: #5aa0e0; --heat5: #a8d1fa; --on-low: #e8eef5; --on-high: #06182b;
  color-scheme: dark;
}
}
)";
}

std::string_view plot_style() {
    return R"(.plot { font: 14px system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
.plot text { fill: var(--ink); font-variant-numeric: tabular-nums; }
.plot .ground { fill: var(--ground); }
.plot .band { fill: var(--band); }
.plot .grid { stroke: var(--grid); fill: none; }
.plot .axis { stroke: var(--soft); fill: none; }
.plot .tick { fill: var(--soft); }
.plot .title { fill: var(--ink); }
.plot .end { text-anchor: end; }
.plot .mid { text-anchor: middle; }
.plot .label { paint-order: stroke; stroke: var(--ground); stroke-width: 4px; stroke-linejoin: round; }
.plot .strong { font-weight: 700; }
.plot .known-text { fill: var(--soft); }
.plot .now-text { fill: var(--now); }
.plot .line-text { fill: var(--main); }
.plot .want-text { fill: var(--want); }
.plot .leader { stroke: var(--soft); stroke-width: .8; }
.plot .range { stroke: var(--soft); stroke-dasharray: 1 4; stroke-linecap: round; stroke-width: 1.6; }
.plot .series { stroke: var(--main); stroke-width: 1.4; fill: none; stroke-linejoin: round; }
.plot .second { stroke: var(--main-soft); stroke-width: 1.4; fill: none; stroke-linejoin: round; }
.plot .graceful { stroke: var(--soft); stroke-width: 1.6; stroke-dasharray: 6 4; fill: none; }
.plot .worst { stroke: var(--soft); stroke-width: 2; }
.plot .dot { fill: var(--main); stroke: var(--ground); stroke-width: 1; }
.plot .dot2 { fill: var(--main); }
.plot .sim { fill: var(--main-soft); }
.plot .whisker { stroke: var(--soft); stroke-width: 1; }
.plot .arrow { fill: var(--soft); }
.plot .known { fill: var(--ground); stroke: var(--soft); stroke-width: 2; }
.plot .now { fill: var(--ground); stroke: var(--now); stroke-width: 2.4; stroke-linejoin: round; }
.plot .pick { fill: none; stroke: var(--pick); stroke-width: 2.4; }
.plot .pick-halo { fill: none; stroke: var(--ground); stroke-width: 6; }
.plot .want { stroke: var(--want); stroke-width: 1.6; stroke-dasharray: 9 4 2 4; }
.plot .limit { stroke: var(--pick); stroke-width: 2; }
.plot .limit-soft { stroke: var(--pick); stroke-width: 1.6; stroke-dasharray: 5 4; }
.plot .bar { fill: var(--main-soft); }
.plot .bar.endless { fill: none; stroke: var(--main-soft); stroke-dasharray: 4 3; }
.plot .longest { fill: var(--ink); }
.plot .empty { fill: none; stroke: var(--grid); }
.plot .heat0 { fill: var(--heat0); } .plot .heat1 { fill: var(--heat1); } .plot .heat2 { fill: var(--heat2); }
.plot .heat3 { fill: var(--heat3); } .plot .heat4 { fill: var(--heat4); } .plot .heat5 { fill: var(--heat5); }
.plot .on0, .plot .on1, .plot .on2, .plot .on3 { fill: var(--on-low); } .plot .on4, .plot .on5 { fill: var(--on-high); }
)";
}

std::string_view page_style() {
    return R"(* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1240px; padding: 0 20px 40px; background: var(--ground); color: var(--ink); font: 15px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
h1, h2, h3, p, ul, figure, pre { margin: 0; padding: 0; }
h1 { font-size: 22px; line-height: 1.2; }
h2 { font-size: 17px; margin: 32px 0 8px; padding-top: 10px; border-top: 1px solid var(--line); }
h3 { font-size: 15px; margin: 14px 0 4px; overflow-wrap: anywhere; }
header { padding: 16px 0 10px; }
header p, .hint { color: var(--soft); font-size: 13.5px; max-width: 90ch; overflow-wrap: anywhere; }
.answer { border-left: 6px solid var(--good); background: var(--good-ground); padding: 12px 16px; border-radius: 0 6px 6px 0; overflow-wrap: anywhere; }
.answer.bad { border-color: var(--bad); background: var(--bad-ground); }
.answer.open { border-color: var(--excused); background: var(--excused-ground); }
.answer p { max-width: 90ch; }
.answer .big { font-size: 20px; line-height: 1.35; font-weight: 600; margin-bottom: 4px; }
.answer ul, .wants { padding-left: 1.2em; }
.wants { list-style: none; padding: 0; margin-top: 10px; display: grid; gap: 3px; }
.wants li { display: grid; grid-template-columns: 1.4em minmax(0, 1fr); }
.sign { font-weight: 700; }
.yes { color: var(--good); } .no { color: var(--bad); } .unknown { color: var(--excused); }
.plots { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); gap: 26px 30px; margin-top: 24px; }
figure h2 { border: 0; padding: 0; margin: 0 0 6px; font-size: 16px; }
figure svg { display: block; width: 100%; height: auto; }
figure > svg { max-width: 560px; }
figcaption { color: var(--soft); font-size: 13.5px; margin-top: 2px; max-width: 68ch; }
.broad { grid-column: 1 / -1; }
.scroll { overflow-x: auto; margin-bottom: 10px; }
:focus-visible { outline: 3px solid var(--main); outline-offset: 1px; }
table { border-collapse: separate; border-spacing: 0; font-size: 13.5px; font-variant-numeric: tabular-nums; white-space: nowrap; }
th, td { padding: 4px 9px 4px 0; text-align: right; border-bottom: 1px solid var(--grid); vertical-align: top; }
thead th { color: var(--soft); font-weight: 400; font-size: 13px; vertical-align: bottom; border-bottom-color: var(--line); }
thead th small { display: block; font-size: 12px; }
th.left, td.left { text-align: left; }
td.wrap { white-space: normal; overflow-wrap: anywhere; min-width: 18ch; max-width: 84ch; }
tbody th { font-weight: 400; text-align: left; }
th:first-child { position: sticky; left: 0; background: var(--ground); padding-left: 10px; }
.key { display: inline-block; min-width: 3.2em; text-align: right; font-weight: 650; }
.role { padding-left: 8px; }
tr.chosen th, tr.nearest th, tr.knee th, tr.now th { font-weight: 700; }
tr.chosen, tr.nearest, tr.knee, tr.chosen th, tr.nearest th, tr.knee th { background: var(--raised); }
tr.chosen th, tr.nearest th, tr.knee th { box-shadow: inset 4px 0 0 var(--pick); }
tr.now th { box-shadow: inset 4px 0 0 var(--now); }
td strong { font-weight: 650; }
.soft { color: var(--soft); }
.meter { display: inline-block; width: 44px; height: 9px; vertical-align: baseline; }
.meter rect { fill: var(--main); }
pre { background: var(--raised); border: 1px solid var(--line); border-radius: 5px; padding: 10px 12px; font: 13px/1.45 ui-monospace, Consolas, "DejaVu Sans Mono", monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
main p + p { margin-top: 6px; }
main p { max-width: 90ch; overflow-wrap: anywhere; }
@media (max-width: 800px) {
  body { padding: 0 12px 28px; }
  .plots { grid-template-columns: minmax(0, 1fr); }
  .answer .big { font-size: 18px; }
  .role { display: block; padding: 0; font-size: 12px; }
}
@media print {
  body { max-width: none; padding: 0; font-size: 11pt; }
  figure, tr, .answer { break-inside: avoid; }
  .scroll { overflow: visible; }
  table { font-size: 7pt; white-space: normal; }
  th, td, thead th { padding: 2px 4px 2px 0; font-size: 7pt; }
  th:first-child { position: static; }
  .answer, tr { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  svg { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
)";
}

}  // namespace lockstep::lease
