// Messages as arrows between rows, the steps of the story and the violation.

const messageLimit = 1500;

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
  const few = list.length > messageLimit ? list.filter((m, i) =>
      chainMessages.has(m) || i % Math.ceil(list.length / messageLimit) === 0) : list;
  for (const message of few) drawMessage(parent, message, places);
  return [list.length, few.length];
}

function drawMessage(parent, message, places) {
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
  const style = "message" + (strong ? " strong" : "") + (lost ? " lost" : "");
  svg(parent, "path", { d: "M" + x1.toFixed(1) + " " + y1 + "L" + x2.toFixed(1) + " " + y2.toFixed(1), class: style }, null, tip);
  if (lost) {
    svg(parent, "path", { d: "M" + (x2 - 4) + " " + (y2 - 4) + "l8 8m0 -8l-8 8", class: "lost-cross" }, null, tip);
  } else {
    const angle = Math.atan2(y2 - y1, x2 - x1);
    const wing = (turn) => (x2 - 7 * Math.cos(angle + turn)).toFixed(1) + " " + (y2 - 7 * Math.sin(angle + turn)).toFixed(1);
    svg(parent, "path", { d: "M" + wing(0.4) + "L" + x2.toFixed(1) + " " + y2 + "L" + wing(-0.4) + "z",
                          class: strong ? "arrow strong" : "arrow" });
  }
}

/// Numbers of the story's steps at their place and time, and marks for the rest of the chain.
function drawSteps(parent, rows) {
  const placeOf = (id) => {
    const row = rows.find((each) => each.id === id);
    return row ? row.y + row.height - 11 : null;
  };
  for (const position of chain) {
    const event = run.events[position];
    if (!event || !visible(event[0], event[0])) continue;
    const y = placeOf(event[1]);
    if (y === null) continue;
    const at = x(event[0]);
    svg(parent, "path", { d: "M" + at + " " + (y - 4) + "l4 4l-4 4l-4 -4z", class: "chain" }, null,
        "part of the chain\n" + processName(event[1]) + " " + event[2] + "\nat " + seconds(event[0], 6));
  }
  const badges = [];
  steps.forEach((step, i) => {
    if (!visible(step[0], step[0])) return;
    let y = placeOf(step[1]);
    if (y === null) y = 10;
    let at = Math.min(view.width - 9, Math.max(view.left + 9, x(step[0])));
    while (badges.some((b) => Math.abs(b[0] - at) < 17 && Math.abs(b[1] - y) < 17)) at -= 17;
    badges.push([at, y]);
    const tip = "step " + (i + 1) + (step[3] ? ", decisive" : "") + "\n" + processName(step[1]) + " " + step[2] + "\nat " + seconds(step[0], 6);
    const group = svg(parent, "g", { class: step[3] ? "badge decisive" : "badge" });
    if (step[3]) svg(group, "rect", { x: at - 8, y: y - 8, width: 16, height: 16, transform: "rotate(45 " + at + " " + y + ")" }, null, tip);
    else svg(group, "circle", { cx: at, cy: y, r: 8 }, null, tip);
    svg(group, "text", { x: at, y: y + 4 }, String(i + 1), tip);
    group.addEventListener("click", () => goToStep(i));
  });
}

function drawViolations(parent, height) {
  for (const each of run.violations) {
    if (!visible(each.at, each.at)) continue;
    const at = x(each.at);
    svg(parent, "path", { d: "M" + at + " 0V" + height, class: each.excused ? "violation excused" : "violation" }, null,
        each.id + " " + each.name + (each.excused ? "\nexcused: " + each.excused : "") + "\n" + each.text + "\nat " + seconds(each.at, 6));
  }
}
