// Axis, map of the whole run, and the drawing as a whole.

let drawn = { rows: [], height: 0 };
let cursor = violation ? violation.at : run.window ? run.window[0] : 0;

function clear(node, width, height) {
  node.replaceChildren();
  node.setAttribute("viewBox", "0 0 " + width + " " + height);
  node.style.height = height + "px";
}

function drawAxis() {
  const axis = $("axis");
  const height = 38;
  clear(axis, view.width, height);
  const step = tickStep((view.width - view.left) / 80);
  const flags = [];
  for (const each of run.violations) {
    if (visible(each.at, each.at)) flags.push(each);
  }
  flags.sort((a, b) => (a === violation ? -1 : b === violation ? 1 : (a.excused ? 1 : 0) - (b.excused ? 1 : 0)));
  const taken = [];
  for (const each of flags) {
    const words = (each.excused ? "! " : "✕ ") + each.id + (view.narrow ? "" : " " + each.name) + (each.excused ? " (excused)" : "");
    const width = textWidth(words, 12) * 1.1 + 14;
    const at = x(each.at);
    const left = Math.max(view.left, Math.min(at - width / 2, view.width - width));
    if (taken.some((box) => left < box[1] + 2 && left + width > box[0] - 2)) continue;
    taken.push([left, left + width]);
    svg(axis, "rect", { x: left, y: 1, width, height: 17, rx: 3, class: each.excused ? "flag excused" : "flag" });
    svg(axis, "text", { x: left + 6, y: 14, class: each.excused ? "flag-text excused" : "flag-text" }, words);
    svg(axis, "path", { d: "M" + at + " 18V" + height, class: each.excused ? "violation excused" : "violation" });
  }
  for (let at = Math.ceil(view.from / step) * step; at <= view.to; at += step) {
    const left = x(at);
    svg(axis, "path", { d: "M" + left + " 33v5", class: "tick" });
    const words = tickText(at, step) + (view.narrow ? "" : " s");
    const half = textWidth(words) / 2;
    if (left - half < view.left - (view.left ? 20 : 0) || left + half > view.width) continue;
    svg(axis, "text", { x: left - half, y: 31, class: "tick-text" }, words);
  }
  const unit = view.narrow ? "seconds · " + duration(view.to - view.from) + " wide" : duration(view.to - view.from) + " wide";
  if (!view.narrow) svg(axis, "text", { x: 8, y: 31, class: "sub" }, unit);
}

function mapX(at) {
  return view.left + at / run.end * (view.width - view.left);
}
function drawMap() {
  const map = $("minimap");
  const height = 40;
  clear(map, view.width, height);
  hatchings(map);
  const part = (from, to, y, tall, name, tip) => svg(map, "rect", {
    x: mapX(from), y, width: Math.max(1.5, mapX(to) - mapX(from)), height: tall, class: name }, null, tip);
  part(0, run.end, 2, 36, "map-ground");
  if (run.detail[0] > 0) part(0, run.detail[0], 2, 36, "map-left-out", "messages and details were left out here");
  if (run.detail[1] < run.end) part(run.detail[1], run.end, 2, 36, "map-left-out", "messages and details were left out here");
  const thin = (list, column) => {  // no more than a mark a pixel
    let last = -9;
    return list.filter((item) => {
      const at = mapX(item[column]);
      if (at - last < 1) return false;
      last = at;
      return true;
    });
  };
  for (const fault of run.faults) part(fault.from, fault.to, 4, 8, "map-fault", fault.label);
  const inOrder = [...run.beliefs].sort((a, b) => a[2] - b[2]);
  for (const belief of thin(inOrder, 2)) part(belief[2], belief[3], 15, 8, "map-belief");
  for (const gap of gaps) part(gap[2], gap[3], 13, 12, "map-gap");
  for (const leader of run.roles.filter((role) => role[3] === "leader")) part(leader[1], leader[2], 28, 6, "map-leader");
  for (const leader of run.roles.filter((role) => role[3] === "leader")) part(leader[1], leader[1], 26, 9, "map-term");
  for (const hit of hits.list.length < 2000 ? hits.list : []) part(run.events[hit][0], run.events[hit][0], 34, 4, "map-hit");
  for (const each of run.violations) {
    svg(map, "path", { d: "M" + mapX(each.at) + " 0V40", class: each.excused ? "violation excused" : "violation" });
    svg(map, "path", { d: "M" + (mapX(each.at) - 4) + " 0h8l-4 6z", class: each.excused ? "flag excused" : "flag" });
  }
  const left = mapX(view.from);
  const width = Math.max(6, mapX(view.to) - left);
  svg(map, "rect", { x: view.left, y: 2, width: Math.max(0, left - view.left), height: 36, class: "map-shade" });
  svg(map, "rect", { x: left + width, y: 2, width: Math.max(0, view.width - left - width), height: 36, class: "map-shade" });
  svg(map, "rect", { x: left, y: 1, width, height: 38, rx: 3, class: "map-window" });
  svg(map, "path", { d: "M" + mapX(cursor) + " 2V38", class: "map-cursor" });
  if (!view.narrow) {
    svg(map, "text", { x: 8, y: 13, class: "sub" }, "faults");
    svg(map, "text", { x: 8, y: 24, class: "sub" }, "believed");
    if (run.roles.length) svg(map, "text", { x: 8, y: 36, class: "sub" }, "leaders");
  }
}

function measure() {
  view.width = Math.max(280, $("tracks-box").clientWidth);
  view.narrow = view.width < 620;
  view.left = view.narrow ? 0 : Math.min(170, Math.max(128, ...run.processes.map((p) => textWidth(p.name, 13) + 22)));
}

function draw() {
  const tracks = $("tracks");
  drawn = layout();
  clear(tracks, view.width, drawn.height);
  hatchings(tracks);
  const clip = svg(tracks.querySelector("defs"), "clipPath", { id: "clip" });
  svg(clip, "rect", { x: view.left, y: 0, width: view.width - view.left, height: drawn.height });
  drawn.rows.forEach((row, i) => drawGround(tracks, row, i));
  const grid = svg(tracks, "g", {});
  const step = tickStep((view.width - view.left) / 80);
  for (let at = Math.ceil(view.from / step) * step; at <= view.to; at += step) {
    svg(grid, "path", { d: "M" + x(at) + " 0V" + drawn.height, class: "grid" });
  }
  for (const row of drawn.rows) drawRow(tracks, row);
  const top = svg(tracks, "g", { "clip-path": "url(#clip)" });
  if (run.healed && visible(run.healed, run.healed)) {
    svg(top, "path", { d: "M" + x(run.healed) + " 0V" + drawn.height, class: "healed" }, null, "faults end at " + seconds(run.healed));
  }
  drawViolations(top, drawn.height);
  const [wantedMessages, drawnMessages] = drawMessages(top, drawn.rows);
  const overlay = $("overlay");
  clear(overlay, view.width, drawn.height);
  svg(overlay, "g", { id: "cursor" });
  drawSteps(overlay, drawn.rows);
  drawAxis();
  drawMap();
  drawCursor();
  drawNote(wantedMessages, drawnMessages);
}

function drawNote(wantedMessages, drawnMessages) {
  const words = [];
  if (run.leftOut || run.detail[0] > 0 || run.detail[1] < run.end) {
    words.push((run.leftOut ? "Left out to keep the page small: " + run.leftOut + ". "
      : "Messages and small events are here from " + seconds(run.detail[0]) + " to " + seconds(run.detail[1]) +
        " only, to keep the page small. ") + "Everything, as JSON lines: " + run.command.replace(/ --html[ =]\S+/, "") + " --events FILE");
  }
  if (drawnMessages < wantedMessages) {
    words.push("Of " + wantedMessages.toLocaleString("en") + " messages in this window " +
               drawnMessages.toLocaleString("en") + " are drawn, picked evenly for each pair; zoom in to see all.");
  }
  if (drawn.hidden > 0) {
    words.push(drawn.hidden + (drawn.hidden === 1 ? " process has" : " processes have") + " no part in this; Rows: all shows every row.");
  }
  $("note").hidden = !words.length;
  $("note").replaceChildren(...words.map((text) => html("span", {}, text)));
}

function drawCursor() {
  const lines = $("cursor");
  const axis = $("axis");
  if (!lines) return;
  lines.replaceChildren();
  axis.querySelectorAll(".cursor-mark").forEach((node) => node.remove());
  if (visible(cursor, cursor)) {
    const at = x(cursor);
    svg(lines, "path", { d: "M" + at + " 0V" + drawn.height, class: "cursor-ground" });
    svg(lines, "path", { d: "M" + at + " 0V" + drawn.height, class: "cursor" });
    svg(axis, "path", { d: "M" + (at - 5) + " 31h10l-5 7z", class: "cursor-mark" });
  }
  const mark = $("minimap").querySelector(".map-cursor");
  if (mark) mark.setAttribute("d", "M" + mapX(cursor) + " 2V38");
}
function setCursor(at, bringIntoView = true) {
  cursor = Math.min(run.end, Math.max(0, Math.round(at)));
  if (bringIntoView) reveal(cursor);
  drawCursor();
  drawPanel();
}
