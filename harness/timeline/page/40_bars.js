// Bars, bands and lines: the pieces of which the rows are made.

function visible(from, to) {
  return to >= view.from && from <= view.to;
}
/// [left, width] of an interval, cut to the window and never too thin to be seen.
function span(from, to, least = 1.5) {
  const left = Math.max(view.left, x(from));
  const right = Math.min(view.width, x(to));
  return [left, Math.max(least, right - left)];
}

/// Intervals as bars. What would be closer than a pixel is drawn as one, so that a window of the
/// whole run costs no more than its pixels. `each` gives [from, to, class, text, tip].
function bars(parent, list, each, y, height) {
  let open = null;
  const flush = () => {
    if (!open) return;
    svg(parent, "rect", { x: open.left, y, width: open.right - open.left, height, rx: height > 8 ? 2 : 1,
                          class: open.name }, null, open.count > 1 ? open.count + " of them; zoom in to tell them apart" : open.tip);
    const room = open.right - open.left - 8;
    if (open.text && height >= 11 && room > 12) {
      const texts = Array.isArray(open.text) ? open.text : [open.text];
      const text = texts.find((each) => textWidth(each) * 1.05 <= room) || (texts.length > 1 && texts[texts.length - 1].length < 6 ? "" : fit(texts[texts.length - 1], room));
      if (text) svg(parent, "text", { x: open.left + 4, y: y + height / 2 + 4, class: "in " + open.name }, text);
    }
    open = null;
  };
  for (const item of list) {
    const [from, to, name, text, tip] = each(item);
    if (!visible(from, to)) continue;
    const [left, width] = span(from, to);
    if (open && open.name === name && left < open.right + 0.7 && width < 3 && open.right - open.left < 60) {
      open.right = Math.max(open.right, left + width);
      ++open.count;
      open.text = "";
      continue;
    }
    flush();
    open = { left, right: left + width, name, text, tip, count: 1 };
  }
  flush();
}

/// Labels of one line that never run into each other: the first comes first.
function labelLine(parent, y, name, bold) {
  let free = view.left;
  return (position, text, room = Infinity) => {
    const width = textWidth(text, 11) * (bold ? 1.17 : 1);
    const left = Math.max(view.left + 2, Math.min(position, view.width - width - 2));
    if (left < free || width > room) return false;
    svg(parent, "text", { x: left, y, class: name }, text);
    free = left + width + 8;
    return true;
  };
}

/// A step line through [at, value] rows, with the value that holds on both sides of the window.
function stepLine(parent, list, column, top, height, name) {
  const first = Math.max(0, countUntil(list, 1, view.from) - 1);
  const last = Math.min(list.length, countUntil(list, 1, view.to) + 1);
  const part = list.slice(first, last);
  if (!part.length) return null;
  const values = part.map((row) => row[column]);
  let low = Math.min(...values);
  let high = Math.max(...values);
  if (low === high) low -= 1, high += 1;
  const level = (value) => top + height - 2 - (value - low) / (high - low) * (height - 4);
  let path = "";
  let lastX = -1;
  for (const row of part) {
    const at = Math.min(view.width, Math.max(view.left, x(row[1])));
    if (path && at - lastX < 0.5 && row !== part[part.length - 1]) continue;
    path += (path ? "H" + at.toFixed(1) + "V" : "M" + at.toFixed(1) + " ") + level(row[column]).toFixed(1);
    lastX = at;
  }
  path += "H" + view.width;
  svg(parent, "path", { d: path, class: name });
  return { part, level, low, high };
}

/// Hatchings; a mark that does not need colour to be told apart.
function hatchings(parent) {
  const defs = svg(parent, "defs", {});
  const hatch = (id, size, angle, width, cross) => {
    const pattern = svg(defs, "pattern", { id, width: size, height: size, patternUnits: "userSpaceOnUse",
                                           patternTransform: "rotate(" + angle + ")" });
    svg(pattern, "line", { x1: 0, y1: 0, x2: 0, y2: size, "stroke-width": width, class: "stroke-" + id });
    if (cross) svg(pattern, "line", { x1: 0, y1: 0, x2: size, y2: 0, "stroke-width": width, class: "stroke-" + id });
  };
  hatch("hatch-pause", 7, 45, 3);
  hatch("hatch-down", 7, 45, 2, true);
  hatch("hatch-gap", 6, -45, 4);
  hatch("hatch-candidate", 5, 45, 3);
  hatch("hatch-left-out", 8, 45, 2);
}

/// Bands over a row: faults that hit it, pauses hatched, down times crossed.
function bands(parent, row) {
  for (const fault of run.faults) {
    if (!fault.on || !fault.on.includes(row.id) || !visible(fault.from, fault.to)) continue;
    const [left, width] = span(fault.from, fault.to, 2);
    svg(parent, "rect", { x: left, y: row.y, width, height: row.height, class: "band" }, null,
        fault.label + "\n" + range(fault.from, fault.to));
  }
  for (const [, from, to, what] of pausedOf.get(row.id) || []) {
    if (!visible(from, to)) continue;
    const [left, width] = span(from, to, 2);
    const words = what === "all" ? "paused" : "paused: its " + what;
    svg(parent, "rect", { x: left, y: row.y, width, height: row.height, class: "pause" }, null, words + "\n" + range(from, to));
  }
  for (const [, from, to, what] of downOf.get(row.id) || []) {
    if (!visible(from, to)) continue;
    const [left, width] = span(from, to, 2);
    svg(parent, "rect", { x: left, y: row.y + 1, width, height: row.height - 2, class: "down" }, null,
        "down: " + what + "\n" + range(from, to));
  }
}
/// Says in words what the hatchings of a row are, where there is room for it.
function bandLabels(parent, row) {
  const say = labelLine(parent, row.top - 4, "band-text", true);
  const all = [...(pausedOf.get(row.id) || []).map((p) => [p[1], p[2], p[3] === "all" ? "paused" : "paused: " + p[3]]),
               ...(downOf.get(row.id) || []).map((d) => [d[1], d[2], "down: " + d[3]])];
  for (const [from, to, words] of all.sort((a, b) => a[0] - b[0])) {
    if (!visible(from, to)) continue;
    const [left, width] = span(from, to);
    if (width > textWidth(words) + 8) say(left + 4, words);
  }
}
