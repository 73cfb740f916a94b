function drawResource(parent, row) {
  const writes = (writesOf.get(row.id) || []).filter((write) => visible(write[1], write[1]));
  const tokens = [...new Set(writes.map((write) => write[3]))].sort((a, b) => a - b);
  const rank = new Map(tokens.map((token, i) => [token, i]));
  const level = (write) => row.top + 38 - (tokens.length > 1 ? rank.get(write[3]) / (tokens.length - 1) : 0.5) * 24;
  svg(parent, "path", { d: "M" + view.left + " " + (row.top + 46) + "H" + view.width, class: "base" });
  let lastX = -99;
  let labelled = -99;
  // Refused and stale ones come first with their labels; the ordinary ones take what room is left.
  const notable = writes.filter((write) => staleWrites.has(write) || write[5] === "refused");
  const taken = [];
  const label = (at, y, text, name) => {
    const width = textWidth(text, 11) * 1.08;
    const left = at + 7 + width > view.width ? at - 7 - width : at + 7;
    if (taken.some((box) => left < box[1] + 2 && left + width > box[0] - 2 && Math.abs(y - box[2]) < 12)) return;
    taken.push([left, left + width, y]);
    svg(parent, "text", { x: left, y: y + 4, class: name }, text);
  };
  for (const write of [...writes.filter((each) => !notable.includes(each)), ...notable]) {
    const [, at, client, token, n, what, text] = write;
    const left = x(at);
    const y = level(write);
    const stale = staleWrites.has(write);
    if (!stale && what === "accepted" && Math.abs(left - lastX) < 1.5) continue;
    lastX = left;
    const tip = (client ? processName(client) + ": " : "") + "write " + n + " with token " + token + " " + what +
        (stale ? "\nits token is below one already taken" : "") + (text ? "\n" + text : "") + "\nat " + seconds(at, 6);
    if (stale) svg(parent, "path", { d: "M" + left + " " + (y - 7) + "l7 7l-7 7l-7 -7z", class: "write-stale" }, null, tip);
    else if (what === "accepted") svg(parent, "circle", { cx: left, cy: y, r: 4, class: "write" }, null, tip);
    else if (what === "refused") {
      svg(parent, "circle", { cx: left, cy: y, r: 5, class: "write-refused" }, null, tip);
      svg(parent, "path", { d: "M" + (left - 3.5) + " " + (y - 3.5) + "l7 7m0 -7l-7 7", class: "write-cross" });
    } else svg(parent, "circle", { cx: left, cy: y, r: 3.5, class: "write-repeated" }, null, tip);
  }
  for (const write of notable.slice(0, 200)) {
    const stale = staleWrites.has(write);
    label(x(write[1]), level(write), write[3] + (stale ? " stale, accepted" : " refused"), stale ? "stale-text" : "refused-text");
  }
  for (const write of writes) taken.length < 700 && taken.push([x(write[1]) - 4, x(write[1]) + 4, level(write)]);
  for (const write of writes) {
    if (notable.includes(write) || taken.length > 900 || Math.abs(x(write[1]) - labelled) < 14) continue;
    label(x(write[1]), level(write), String(write[3]), "write-text");
    labelled = x(write[1]);
  }
}

function drawServer(parent, row) {
  bars(parent, rolesOf.get(row.id) || [], ([, from, to, role, term]) =>
      [from, to, "role " + role, role + " · term " + term,
       processName(row.id) + " is " + role + " in term " + term + "\n" + range(from, to)], row.top, 16);
  const commits = commitsOf.get(row.id);
  if (commits) {
    const line = stepLine(parent, commits, 2, row.top + 18, 16, "commit-line");
    const say = line && labelLine(parent, row.top + 30, "commit-text");
    let last = -999;
    for (const commit of line ? line.part : []) {
      const at = Math.max(view.left, x(commit[1]));
      if (at - last < 110 || at > view.width - 60) continue;
      if (say(at + 3, (last < 0 ? "commit " : "") + commit[2])) last = at;
    }
  }
  if (clockOf.has(row.id)) drawClock(parent, row.id, row.top + 34);
}

/// Label of a row: beside it, or above it where the page is narrow.
function drawLabel(parent, row) {
  if (view.narrow) {
    svg(parent, "text", { x: 4, y: row.y + 13, class: "label" }, row.label);
    svg(parent, "text", { x: textWidth(row.label, 13) + 14, y: row.y + 13, class: "sub" }, row.sub);
    return;
  }
  svg(parent, "text", { x: 8, y: row.top + 13, class: "label" }, fit(row.label, view.left - 16, 13));
  const high = row.inner >= 26;
  if (high) svg(parent, "text", { x: 8, y: row.top + 27, class: "sub" }, fit(row.sub, view.left - 16, 11));
  else tips.set(parent.lastChild, row.sub);
  if (row.kind !== "client") return;
  let y = row.top;
  let under = high ? 27 : 0;
  for (const part of row.parts) {
    const words = part.kind === "renewals" ? "renewals" : part.kind === "clock" ? "clock" : "";
    if (words && y > row.top + 18) {
      under = Math.max(under + 12, y - row.top + 10);
      svg(parent, "text", { x: view.left - 8, y: row.top + under, class: "sub end" }, words);
    }
    y += part.height;
  }
}

function drawGround(parent, row, position) {
  svg(parent, "rect", { x: 0, y: row.y - 2, width: view.width, height: row.height, class: position % 2 ? "row odd" : "row" });
  if (row.id && involved.has(row.id)) {
    svg(parent, "rect", { x: 0, y: row.y - 2, width: 3, height: row.height, class: "mark-involved" });
  }
}
function drawRow(parent, row) {
  const group = svg(parent, "g", { "clip-path": "url(#clip)" });
  if (row.id) bands(group, row);
  if (row.kind === "faults") drawFaults(group, row);
  else if (row.kind === "lock") drawLock(group, row);
  else if (row.kind === "client") drawClient(group, row);
  else if (row.kind === "resource") drawResource(group, row);
  else drawServer(group, row);
  if (row.id) bandLabels(group, row);
  drawLabel(parent, row);
}
