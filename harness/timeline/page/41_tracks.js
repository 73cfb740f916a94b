// The rows: faults, locks, clients, resources, servers.

function drawFaults(parent, row) {
  for (let i = 0; i < row.lanes; ++i) {
    const items = faultLanes[i].items;
    const y = row.top + i * 19;
    items.forEach((fault, position) => {
      if (!visible(fault.from, fault.to)) return;
      const tip = fault.label + "\n" + range(fault.from, fault.to);
      const [left, width] = span(fault.from, fault.to, 4);
      const next = items[position + 1];
      const limit = next ? Math.min(view.width, x(next.from)) : view.width;
      svg(parent, "rect", { x: left, y, width, height: 16, rx: 2,
                            class: fault.kind.startsWith("pause") ? "fault fault-pause" : "fault" }, null, tip);
      const text = fit(fault.label, limit - left - 10);
      if (!text || text.length < 6) return;
      const inside = textWidth(text) + 10 < width;
      svg(parent, "text", { x: inside ? left + 5 : left + Math.max(5, width + 4 - (width > 12 ? width : 0)), y: y + 12, class: inside ? "fault-text inside" : "fault-text" }, text, tip);
    });
  }
}

function drawLock(parent, row) {
  const grants = grantsOfLock.get(row.lock) || [];
  bars(parent, grants, ([, client, from, to, token, why]) =>
      [from, to, client % 2 ? "holder odd" : "holder",
       client ? [processName(client) + " · " + token, processName(client), shortName(client)] : [String(token)],
       lockName(row.lock) + " granted to " + (client ? processName(client) : "somebody") + ", token " + token + "\n" + range(from, to) +
       (why ? "\nended: " + why : "")], row.top, 18);
  bars(parent, delaysOf.get(row.lock) || [], ([, from, to]) =>
      [from, to, "delay", ["delay"], "nobody gets " + lockName(row.lock) + ": its delay after an expiry\n" + range(from, to)], row.top + 2, 14);
  const line = queuesOf.get(row.lock) || [];
  for (let slot = 0; slot < row.depth; ++slot) {
    const pieces = [];
    line.forEach(([, at, clients], i) => {
      const client = clients[slot];
      const to = i + 1 < line.length ? line[i + 1][1] : run.end;
      const previous = pieces[pieces.length - 1];
      if (client === undefined) return;
      const more = slot === row.depth - 1 ? clients.length - row.depth : 0;
      if (previous && previous[2] === client && previous[1] === at && previous[3] === more) previous[1] = to;
      else pieces.push([at, to, client, more]);
    });
    bars(parent, pieces, ([from, to, client, more]) =>
        [from, to, "waiter", 
         more > 0 ? [slot + 1 + ". " + processName(client) + " and " + more + " more", "+" + (more + 1)]
           : [slot + 1 + ". " + processName(client), slot + 1 + ". " + shortName(client), shortName(client)],
         processName(client) + " waits for " + lockName(row.lock) + ", number " + (slot + 1) + " in line\n" + range(from, to)],
         row.top + 21 + slot * 14, 12);
  }
}

function drawLease(parent, client, part, y) {
  const top = part.trouble ? y + 19 : y;
  const many = run.locks.length > 1;
  bars(parent, part.mine, ([, lock, from, to, token, why]) =>
      [from, to, "belief", many ? [lockName(lock) + " · believes · " + token, lockName(lock) + " · " + token, lockName(lock)]
         : ["believes · " + token, "believes", String(token)],
       processName(client) + " believes it holds " + lockName(lock) + ", token " + token + "\n" + range(from, to) +
       (why ? "\nended: " + why : "")], top, 12);
  for (const [, lock, , to, token, , news] of part.mine) {
    if (!(news > 1000) || !visible(to, to + news)) continue;
    const [left, width] = span(to, to + news, 3);
    svg(parent, "rect", { x: left, y: top + 1, width, height: 10, class: "unaware" }, null,
        processName(client) + " may no longer rely on " + lockName(lock) + ", token " + token + ", and does not know it yet\n" + range(to, to + news));
  }
  bars(parent, part.granted, ([lock, , from, to, token, why]) =>
      [from, to, "grant", "",
       lockName(lock) + " granted to " + processName(client) + ", token " + token + "\n" + range(from, to) +
       (why ? "\nended: " + why : "")], top + 13, 7);
  if (!part.trouble) return;
  const say = labelLine(parent, y + 10, "gap-text", true);
  for (const [who, lock, from, to] of gaps) {
    if (who !== client || lock !== part.lock || !visible(from, to)) continue;
    const [left, width] = span(from, to, 3);
    const tip = processName(client) + " believes in " + lockName(lock) + " without being granted it\n" + range(from, to);
    svg(parent, "rect", { x: left, y: top - 1, width, height: 22, class: "gap" }, null, tip);
    svg(parent, "rect", { x: left, y: top - 1, width, height: 22, class: "gap-edge" }, null, tip);
    const words = "believes, not granted: " + duration(to - from);
    if (to - from > 2000 || width > 8) say(left, words) || say(left, duration(to - from));
    if (width > 120) boxed(parent, left + 8, top + 13, "NOT GRANTED");
  }
  for (const [lock, a, b, from, to] of overlaps) {
    if (lock !== part.lock || (a !== client && b !== client) || !visible(from, to)) continue;
    const [left, width] = span(from, to, 3);
    const other = processName(a === client ? b : a);
    svg(parent, "rect", { x: left, y: y + 13, width, height: 4, class: "overlap" }, null,
        processName(client) + " and " + other + " both believe in " + lockName(lock) + "\n" + range(from, to));
    say(left, other + " believes too: " + duration(to - from));
  }
}
/// A word on its own ground, readable over any hatching.
function boxed(parent, left, baseline, text) {
  svg(parent, "rect", { x: left - 4, y: baseline - 10, width: textWidth(text, 11) + 10, height: 13, rx: 2, class: "gap-ground" });
  svg(parent, "text", { x: left, y: baseline, class: "gap-word" }, text);
}

function drawRenewals(parent, client, y) {
  let last = -9;
  for (const [, sent, answered] of renewalsOf.get(client)) {
    if (!visible(sent, sent)) continue;
    const at = x(sent);
    const lost = answered === null;
    if (at - last < 2 && !lost) continue;
    last = at;
    const tip = "renewal sent at " + seconds(sent, 6) + "\n" + (lost ? "never answered" : "answered after " + duration(answered - sent));
    if (lost) svg(parent, "circle", { cx: at, cy: y + 5, r: 3.5, class: "renewal-lost" }, null, tip);
    else svg(parent, "path", { d: "M" + at + " " + (y + 1) + "v8", class: "renewal" }, null, tip);
  }
}

function drawClock(parent, id, y) {
  const list = clockOf.get(id);
  const line = stepLine(parent, list, 2, y, 18, "clock-line");
  if (!line) return;
  let free = view.left;
  let before = null;
  for (const row of line.part) {
    if (row[2] === before) continue;
    before = row[2];
    const words = "clock " + (row[2] > 0 ? "+" : row[2] < 0 ? "−" : "±") + duration(Math.abs(row[2]));
    const left = Math.max(view.left + 4, x(row[1]) + 3);
    if (left < free || left + textWidth(words) > view.width) continue;
    const level = line.level(row[2]);
    svg(parent, "text", { x: left, y: level > y + 9 ? level - 3 : level + 11, class: "clock-text" }, words);
    free = left + textWidth(words) + 8;
  }
}
function drawClient(parent, row) {
  let y = row.top;
  for (const part of row.parts) {
    if (part.kind === "lease") drawLease(parent, row.id, part, y);
    else if (part.kind === "renewals") drawRenewals(parent, row.id, y);
    else if (part.kind === "clock") drawClock(parent, row.id, y);
    y += part.height;
  }
}
