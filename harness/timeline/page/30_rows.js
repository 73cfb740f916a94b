// Which rows there are, from top to bottom, and how high each is.

const choice = { rows: "involved", messages: "chain", kinds: new Set(), process: 0 };
run.kinds.forEach((_, kind) => choice.kinds.add(kind));

/// Faults put into lanes in which none overlaps another.
function lanesOf(list) {
  const lanes = [];
  for (const item of [...list].sort((a, b) => a.from - b.from)) {
    let lane = lanes.find((each) => each.end <= item.from);
    if (!lane) lanes.push(lane = { end: 0, items: [] });
    lane.items.push(item);
    lane.end = Math.max(item.to, item.from + run.end / 100);
  }
  return lanes;
}
const faultLanes = lanesOf(run.faults);

function queueDepth(lock) {
  return (queuesOf.get(lock) || []).reduce((most, row) => Math.max(most, row[2].length), 0);
}
function locksOfClient(client) {
  const locks = new Set();
  for (const belief of beliefsOf.get(client) || []) locks.add(belief[1]);
  for (const grant of grantsOfClient.get(client) || []) locks.add(grant[0]);
  return [...locks].sort((a, b) => a - b);
}
function hasTrouble(client, lock) {
  return gaps.some((gap) => gap[0] === client && gap[1] === lock) ||
         overlaps.some((o) => o[0] === lock && (o[1] === client || o[2] === client));
}
function idsOf(kind) {
  const ids = run.processes.map((_, i) => i + 1).filter((id) => processKind(id) === kind);
  return ids.sort((a, b) => (involved.has(b) ? 1 : 0) - (involved.has(a) ? 1 : 0) || a - b);
}
/// Rows that the story is about; all of them where it names none.
function shown(id) {
  return choice.rows === "all" || involved.size === 0 || involved.has(id) ||
         chainNeighbours.has(id);
}
const chainNeighbours = new Set();
for (const message of chainMessages) chainNeighbours.add(message[0]).add(message[1]);
const involvedLocks = new Set();
for (const [, lock] of gaps) involvedLocks.add(lock);
for (const [lock] of overlaps) involvedLocks.add(lock);
for (const id of involved) if (involvedLocks.size === 0) locksOfClient(id).forEach((l) => involvedLocks.add(l));

/// Beliefs and grants of a client in lanes: a lock that something is wrong with has one of its own,
/// the others share lanes, as a client seldom holds more than one at a time.
const lanesOfClient = new Map();
function leaseLanes(client) {
  if (lanesOfClient.has(client)) return lanesOfClient.get(client);
  const own = [];
  const rest = [];
  for (const lock of locksOfClient(client)) {
    const mine = (beliefsOf.get(client) || []).filter((row) => row[1] === lock);
    const granted = (grantsOfClient.get(client) || []).filter((row) => row[0] === lock);
    if (hasTrouble(client, lock)) own.push({ kind: "lease", lock, trouble: true, height: 42, mine, granted });
    else {
      for (const row of mine) rest.push({ row, from: row[2], to: row[3], lock, list: "mine" });
      for (const row of granted) rest.push({ row, from: row[2], to: row[3], lock, list: "granted" });
    }
  }
  const shared = [];
  for (const item of rest.sort((a, b) => a.from - b.from || b.to - a.to)) {
    let lane = shared.find((each) => each.end <= item.from || each.lock === item.lock);
    if (!lane) shared.push(lane = { kind: "lease", height: 23, end: 0, mine: [], granted: [] });
    lane.end = Math.max(lane.end, item.to);
    lane.lock = item.lock;
    lane[item.list].push(item.row);
  }
  lanesOfClient.set(client, [...own, ...shared]);
  return lanesOfClient.get(client);
}

/// Parts of a client's row, one under another.
function clientParts(client) {
  const parts = [...leaseLanes(client)];
  const seen = (part) => part.trouble || [...part.mine, ...part.granted].some((row) => visible(row[2], row[3]));
  while (parts.length > 1 && !seen(parts[parts.length - 1])) parts.pop();
  if (renewalsOf.has(client)) parts.push({ kind: "renewals", height: 12 });
  if (clockOf.has(client)) parts.push({ kind: "clock", height: 20 });
  return parts.length ? parts : [{ kind: "empty", height: 14 }];
}

/// Processes whose rows have a line for the story's numbers.
const stepProcesses = new Set(steps.map((step) => step[1]));
for (const position of run.chain) if (run.events[position]) stepProcesses.add(run.events[position][1]);

/// The rows with their places; what the drawing and the messages go by.
function layout() {
  const rows = [];
  const head = view.narrow ? 17 : 0;
  let y = 4;
  const add = (row) => {
    const words = row.id && (pausedOf.has(row.id) || downOf.has(row.id)) ? 14 : 0;
    const badges = row.id && stepProcesses.has(row.id) ? 20 : 0;
    row.y = y;
    row.top = y + head + words;
    row.height = head + words + row.inner + badges + 8;
    y += row.height;
    rows.push(row);
  };
  if (faultLanes.length) {
    let lanes = faultLanes.length;
    while (lanes > 1 && !faultLanes[lanes - 1].items.some((fault) => visible(fault.from, fault.to))) --lanes;
    add({ kind: "faults", label: "faults", sub: run.faultCount + " in the run", lanes, inner: lanes * 19 });
  }
  run.locks.forEach((name, i) => {
    const lock = i + 1;
    if (choice.rows !== "all" && run.locks.length > 2 && involvedLocks.size && !involvedLocks.has(lock)) return;
    if (!run.grants.length && !queuesOf.has(lock)) return;
    const depth = Math.min(6, queueDepth(lock));
    add({ kind: "lock", lock, label: name, sub: depth ? "holder, waiters" : "holder", depth, inner: 20 + depth * 14 });
  });
  for (const id of idsOf("client")) {
    if (!shown(id)) continue;
    const parts = clientParts(id);
    add({ kind: "client", id, label: processName(id), sub: run.grants.length ? "believes / granted" : "believes", parts,
          inner: parts.reduce((sum, part) => sum + part.height, 0) });
  }
  for (const id of idsOf("resource")) {
    if (shown(id)) add({ kind: "resource", id, label: processName(id), sub: "tokens of writes", inner: 46 });
  }
  const clock = (id) => (clockOf.has(id) ? 20 : 0);
  for (const id of idsOf("server")) {
    if (shown(id) || choice.messages === "all") {
      add({ kind: "server", id, label: processName(id), sub: run.roles.length ? "role, commit" : "", inner: 34 + clock(id) });
    }
  }
  const hidden = run.processes.length - rows.filter((row) => row.id).length;
  return { rows, height: y + 4, hidden };
}

/// Where messages of a process begin and end, up and down.
function anchor(rows, id) {
  const row = rows.find((each) => each.id === id);
  if (!row) return null;
  if (row.kind === "server") return row.top + 9;
  if (row.kind === "resource") return row.top + 23;
  return row.top + row.inner / 2;
}
