// Messages as arrows between rows, the steps of the story and the violation.

const messageLimit = 1200;
const crowd = 250;  // from here on they are drawn fainter and without heads

function wanted(message) {
  if (choice.messages === "off") return false;
  const ofChain = chainMessages.has(message);
  if (choice.messages === "chain" || !choice.kinds.has(message[4])) return ofChain;
  if (choice.process && message[0] !== choice.process && message[1] !== choice.process) return false;
  return choice.messages === "all" || message[5] !== "" || ofChain;
}

/// Draws what was chosen; returns how many there were, and how many of them were drawn.
function drawMessages(parent, rows) {
  const places = new Map(run.processes.map((_, i) => [i + 1, anchor(rows, i + 1)]));
  const list = run.messages.filter((m) =>
      visible(m[2], m[3] === null ? m[2] : m[3]) && wanted(m) && places.get(m[0]) !== null && places.get(m[1]) !== null);
  let few = list;
  for (let apart = 1; few.length > messageLimit && apart < 1000; apart *= 1.6) few = spread(list, apart);
  for (const message of few) drawMessage(parent, message, places, few.length > crowd);
  return [list.length, few.length];
}

/// Those that begin so many pixels after the one before of their pair and fate; the chain stays.
function spread(list, apart) {
  const last = new Map();
  return list.filter((m) => {
    const pair = m[0] * 4096 + m[1] * 2 + (m[3] === null ? 1 : 0);
    const at = x(m[2]);
    if (!chainMessages.has(m) && last.has(pair) && at - last.get(pair) < apart) return false;
    last.set(pair, at);
    return true;
  });
}

function drawMessage(parent, message, places, faint) {
  const [from, to, sent, taken, kind, dropped] = message;
  const lost = taken === null;
  const strong = chainMessages.has(message);
  const x1 = x(sent);
  const y1 = places.get(from);
  let x2 = lost ? x1 + 14 : x(taken);
  let y2 = places.get(to);
  if (lost) y2 = y1 + (y2 - y1) * 0.6;
  if (from === to) return;
  const name = run.kinds[kind] || "message";
  const tip = name + " from " + processName(from) + " to " + processName(to) + "\nsent " + seconds(sent, 6) +
      (lost ? dropped ? "\ndropped: " + dropped : "\nnot taken before the end" : "\ntaken " + seconds(taken, 6) + ", after " + duration(taken - sent));
  const style = "message" + (strong ? " strong" : faint ? " faint" : "") + (lost ? " lost" : "");
  svg(parent, "path", { d: "M" + x1.toFixed(1) + " " + y1 + "L" + x2.toFixed(1) + " " + y2.toFixed(1), class: style }, null, tip);
  if (lost) {
    svg(parent, "path", { d: "M" + (x2 - 4) + " " + (y2 - 4) + "l8 8m0 -8l-8 8", class: "lost-cross" }, null, tip);
  } else if (strong || !faint) {
    const angle = Math.atan2(y2 - y1, x2 - x1);
    const wing = (turn) => (x2 - 7 * Math.cos(angle + turn)).toFixed(1) + " " + (y2 - 7 * Math.sin(angle + turn)).toFixed(1);
    svg(parent, "path", { d: "M" + wing(0.4) + "L" + x2.toFixed(1) + " " + y2 + "L" + wing(-0.4) + "z",
                          class: strong ? "arrow strong" : "arrow" });
  }
}

/// Numbers of the story's steps and marks for the rest of the chain, in a line of their own in
/// each row: a number that has to move aside keeps a thin line to its instant.
function drawSteps(parent, rows) {
  const placeOf = (id) => {
    const row = rows.find((each) => each.id === id);
    return row ? row.y + row.height - 14 : 10;
  };
  const stepAt = new Set(steps.map((step) => step[0] + "/" + step[1]));
  for (const position of chain) {
    const event = run.events[position];
    if (!event || !visible(event[0], event[0]) || stepAt.has(event[0] + "/" + event[1])) continue;
    const at = x(event[0]);
    svg(parent, "path", { d: "M" + at + " " + (placeOf(event[1]) - 4) + "l4 4l-4 4l-4 -4z", class: "chain" }, null,
        "part of the chain\n" + processName(event[1]) + " " + event[2] + "\nat " + seconds(event[0], 6));
  }
  const lines = new Map();
  steps.forEach((step, i) => {
    if (!visible(step[0], step[0])) return;
    const y = placeOf(step[1]);
    if (!lines.has(y)) lines.set(y, []);
    lines.get(y).push({ step, i, at: x(step[0]) });
  });
  for (const [y, badges] of lines) {
    let least = view.left + 9;
    for (const badge of badges) least = (badge.place = Math.max(badge.at, least)) + 18;
    let most = view.width - 10;
    for (const badge of [...badges].reverse()) most = (badge.place = Math.min(badge.place, most)) - 18;
    for (const badge of badges) drawBadge(parent, badge, y);
  }
}
function drawBadge(parent, { step, i, at, place }, y) {
  const tip = "step " + (i + 1) + (step[3] ? ", decisive" : "") + "\n" + processName(step[1]) + " " + step[2] + "\nat " + seconds(step[0], 6);
  const group = svg(parent, "g", { class: step[3] ? "badge decisive" : "badge" });
  svg(group, "path", { d: "M" + at + " " + (y - 18) + "V" + (y - 9) + "L" + place + " " + y });
  if (step[3]) svg(group, "rect", { x: place - 9, y: y - 9, width: 18, height: 18, rx: 2 }, null, tip);
  else svg(group, "circle", { cx: place, cy: y, r: 8.5 }, null, tip);
  svg(group, "text", { x: place, y: y + 4 }, String(i + 1), tip);
  group.addEventListener("click", () => goToStep(i));
}

function drawViolations(parent, height) {
  for (const each of run.violations) {
    if (!visible(each.at, each.at)) continue;
    const at = x(each.at);
    svg(parent, "path", { d: "M" + at + " 0V" + height, class: each.excused ? "violation excused" : "violation" }, null,
        each.id + " " + each.name + (each.excused ? "\nexcused: " + each.excused : "") + "\n" + each.text + "\nat " + seconds(each.at, 6));
  }
}
