// What was so at the cursor: holders, believers, queues, servers, troubles, last events.

function during(list, from, to, at) {
  return list.filter((row) => row[from] <= at && (at < row[to] || (row[to] >= run.end && at >= run.end)));
}

function stateAt(at) {
  const state = { locks: [], processes: [], summary: "" };
  run.locks.forEach((name, i) => {
    const lock = i + 1;
    const holders = during(grantsOfLock.get(lock) || [], 2, 3, at);
    const believers = during(run.beliefs, 2, 3, at).filter((belief) => belief[1] === lock);
    const line = lastUntil(queuesOf.get(lock), 1, at);
    const wrong = believers.filter((b) => run.grants.length && !holders.some((grant) => grant[1] === b[0]));
    state.locks.push({ name, lock, holders, believers, queue: line ? line[2] : [], wrong,
                       two: new Set(believers.map((b) => b[0])).size > 1 });
  });
  run.processes.forEach((process, i) => {
    const id = i + 1;
    const marks = [];
    for (const [, from, , what] of during(pausedOf.get(id) || [], 1, 2, at)) {
      marks.push((what === "all" ? "paused" : "its " + what + " paused") + " since " + seconds(from));
    }
    for (const [, from, , what] of during(downOf.get(id) || [], 1, 2, at)) marks.push("down since " + seconds(from) + ": " + what);
    const offset = lastUntil(clockOf.get(id), 1, at);
    if (offset && offset[2] !== 0) marks.push("clock " + (offset[2] > 0 ? "+" : "−") + duration(Math.abs(offset[2])));
    let role = "";
    if (process.kind === "server") {
      const [is] = during(rolesOf.get(id) || [], 1, 2, at).slice(-1);
      const commit = lastUntil(commitsOf.get(id), 1, at);
      if (is || commit || run.roles.length) role = (is ? is[3] + ", term " + is[4] : "no role") + (commit ? ", commit " + commit[2] : "");
    }
    state.processes.push({ id, name: process.name, kind: process.kind, role, marks });
  });
  return state;
}
/// In order, leaving out repeats.
function names(rows, column) {
  return [...new Set(rows.map((row) => processName(row[column])))].join(", ");
}

function drawPanel() {
  const state = stateAt(cursor);
  const panel = $("panel");
  const head = html("h2", {}, "At " + seconds(cursor, 6));
  panel.replaceChildren(head);
  const off = violation ? cursor - violation.at : 0;
  if (violation) {
    panel.append(html("p", { class: "hint" }, off === 0 ? "the instant of " + violation.id
      : duration(Math.abs(off)) + (off < 0 ? " before " : " after ") + violation.id));
  }
  panel.append(lockTable(state), processTable(state));
  if (run.events.length) panel.append(html("h3", {}, "Events around the cursor"), eventsNear());
  drawNow(state);
}

/// One name a line, or what to say when there is none.
function cellOf(words, none) {
  const cell = html("td", {});
  for (const each of words.length ? words : [none]) cell.append(html("span", { class: "name" }, each));
  return cell;
}

function lockTable(state) {
  const table = html("table", { class: "state" });
  const head = table.createTHead().insertRow();
  for (const words of ["lock", "held by", "believed by", "waiting"]) head.append(html("th", { scope: "col" }, words));
  const body = table.createTBody();
  const busy = state.locks.filter((l) => l.holders.length || l.believers.length || l.queue.length);
  const list = state.locks.length > 8 ? busy : state.locks;
  for (const lock of list) {
    const row = body.insertRow();
    if (lock.wrong.length || lock.two) row.className = "bad";
    row.append(html("th", { scope: "row" }, lock.name));
    row.append(cellOf(lock.holders.map((g) => processName(g[1]) + " (" + g[4] + ")"), run.grants.length ? "nobody" : "not told"));
    const believed = cellOf([...new Set(lock.believers.map((b) => processName(b[0])))], "nobody");
    if (lock.wrong.length) believed.append(html("strong", {}, " ✕ " + names(lock.wrong, 0) + " not granted"));
    if (lock.two) believed.append(html("strong", {}, " ✕ two believe"));
    row.append(believed);
    row.append(cellOf(lock.queue.length > 4 ? [...lock.queue.slice(0, 3).map(processName), "and " + (lock.queue.length - 3) + " more"]
                      : lock.queue.map(processName), "–"));
  }
  if (list.length < state.locks.length) {
    body.insertRow().append(html("td", { colspan: "4", class: "hint" }, state.locks.length - list.length + " more locks: free, nobody waits"));
  }
  return table;
}

function processTable(state) {
  const table = html("table", { class: "state" });
  const body = table.createTBody();
  for (const process of state.processes) {
    if (!process.role && !process.marks.length && state.processes.length > 8) continue;
    const row = body.insertRow();
    row.append(html("th", { scope: "row" }, process.name));
    const cell = html("td", {});
    const leads = process.role.startsWith("leader");
    if (process.role) cell.append(html("span", { class: leads ? "leads" : "" }, (leads ? "★ " : "") + process.role));
    for (const mark of process.marks) cell.append(html("span", { class: "trouble" }, mark));
    if (!cell.childNodes.length) cell.append("up");
    row.append(cell);
  }
  return table;
}

/// For each process what it did last before the cursor, and what comes next in the run.
function eventsNear() {
  const list = html("ol", { class: "near" });
  const near = [];
  for (const [id, events] of eventsOf) {
    if (choice.rows !== "all" && involved.size && id && !involved.has(id)) continue;
    const until = countUntil(events, 0, cursor);
    let found = 0;
    for (let i = until - 1; i >= 0 && found < 2 && until - i < 60; --i) {
      if (events[i][3] > 0) near.push(events[i]), ++found;
    }
    if (!found && until > 0) near.push(events[until - 1]);
  }
  const next = countUntil(run.events, 0, cursor);
  near.push(...run.events.slice(next, next + 3));
  near.sort((a, b) => a[0] - b[0]);
  const before = near.filter((event) => event[0] <= cursor).length;
  near.splice(0, Math.max(0, before - 12));
  let after = false;
  for (const event of near) {
    const item = html("li", { class: event[3] > 1 ? "important" : "" });
    if (!after && event[0] > cursor) {
      after = true;
      list.append(html("li", { class: "here" }, "cursor"));
    }
    const off = event[0] - cursor;
    const button = html("button", { type: "button", class: "event" });
    button.append(html("span", { class: "when" }, (off > 0 ? "+" : off < 0 ? "−" : "") + (off ? duration(Math.abs(off)) : "now")),
                  html("span", {}, processName(event[1]) + " " + event[2]));
    button.addEventListener("click", () => setCursor(event[0]));
    item.append(button);
    list.append(item);
  }
  return list;
}

/// The state in a line, above the tracks, for where the panel is out of sight.
function drawNow(state) {
  const now = $("now");
  now.replaceChildren(html("b", {}, seconds(cursor, view.to - view.from < 1e5 ? 6 : 3)));
  const busy = state.locks.filter((l) => l.holders.length || l.believers.length).sort((a, b) => b.wrong.length - a.wrong.length);
  const most = view.narrow ? 1 : 2;
  for (const lock of busy.slice(0, most)) {
    now.append(html("span", {}, lock.name + ": " + (lock.holders.length ? "held by " + names(lock.holders, 1) : run.grants.length ? "free" : "believed by " + names(lock.believers, 0))));
    if (lock.wrong.length) now.append(html("span", { class: "bad" }, "✕ " + names(lock.wrong, 0) + " believes, not granted"));
    else if (lock.two) now.append(html("span", { class: "bad" }, "✕ two believe"));
  }
  if (busy.length > most) now.append(html("span", {}, "and " + (busy.length - most) + (busy.length - most === 1 ? " more lock" : " more locks")));
  if (!busy.length) now.append(html("span", {}, run.locks.length === 1 ? run.locks[0] + ": free" : run.locks.length ? "all locks free" : ""));
}
