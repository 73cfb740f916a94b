"use strict";
// The run as the program wrote it, and look-ups over it. Times are microseconds of true time.

const run = JSON.parse(document.getElementById("run").textContent);

for (const key of ["processes", "locks", "faults", "violations", "chances", "beliefs", "grants",
                   "queues", "paused", "down", "clock", "renewals", "writes", "roles", "commits",
                   "kinds", "messages", "events", "chain", "messageChain"]) {
  if (!Array.isArray(run[key])) run[key] = [];
}
run.end = Math.max(1, run.end || 1);
if (!Array.isArray(run.detail)) run.detail = [0, run.end];

const steps = run.explanation && Array.isArray(run.explanation.steps) ? run.explanation.steps : [];
const chain = new Set(run.chain);
const explained = run.explanation && run.violations.find((v) => v.id === run.explanation.id);
const violation = explained || run.violations.find((v) => !v.excused) || run.violations[0] || null;

function processName(id) {
  const process = run.processes[id - 1];
  return process ? process.name : id === 0 ? "world" : "process " + id;
}
function processKind(id) {
  const process = run.processes[id - 1];
  return process ? process.kind : "world";
}
/// What tells a client from the others, for where its name has no room: "worker-a" is "a".
const clientNames = run.processes.filter((p) => p.kind === "client").map((p) => p.name);
const commonLength = clientNames.length < 2 ? 0
  : clientNames[0].slice(0, [...clientNames[0]].findIndex((c, i) => clientNames.some((n) => n[i] !== c))).search(/[^-_. ]*$/);
function shortName(id) {
  const name = processName(id);
  return processKind(id) === "client" ? name.slice(Math.max(0, commonLength)) || name : name;
}
function lockName(id) {
  return run.locks[id - 1] || "lock " + id;
}

/// Rows of `list` by the value at `key`, each list in order of `time`.
function groupBy(list, key, time) {
  const groups = new Map();
  for (const row of list) {
    const of = row[key];
    if (!groups.has(of)) groups.set(of, []);
    groups.get(of).push(row);
  }
  for (const rows of groups.values()) rows.sort((a, b) => a[time] - b[time]);
  return groups;
}

/// How many rows of a list in order have their time at or before `at`.
function countUntil(list, column, at) {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle][column] <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}
function lastUntil(list, column, at) {
  return list ? list[countUntil(list, column, at) - 1] : undefined;
}

const beliefsOf = groupBy(run.beliefs, 0, 2);
const grantsOfLock = groupBy(run.grants, 0, 2);
const grantsOfClient = groupBy(run.grants, 1, 2);
const queuesOf = groupBy(run.queues, 0, 1);
const pausedOf = groupBy(run.paused, 0, 1);
const downOf = groupBy(run.down, 0, 1);
const clockOf = groupBy(run.clock, 0, 1);
const renewalsOf = groupBy(run.renewals, 0, 1);
const writesOf = groupBy(run.writes, 0, 1);
const rolesOf = groupBy(run.roles, 0, 1);
const commitsOf = groupBy(run.commits, 0, 1);
const eventsOf = groupBy(run.events, 1, 0);
const lockOfToken = new Map(run.grants.map((grant) => [grant[4], grant[0]]));

/// The parts of [from, to] that none of `covers` ([from, to], in order) covers.
function uncovered(from, to, covers) {
  const gaps = [];
  let at = from;
  for (const [begin, end] of covers) {
    if (end <= at) continue;
    if (begin >= to) break;
    if (begin > at) gaps.push([at, begin]);
    at = Math.max(at, end);
  }
  if (at < to) gaps.push([at, to]);
  return gaps;
}

/// Where a client believes without being granted: [client, lock, from, to]. A service that does not
/// tell what it grants cannot be held against its clients.
const gaps = [];
for (const [client, lock, from, to] of run.grants.length ? run.beliefs : []) {
  const covers = (grantsOfClient.get(client) || [])
      .filter((grant) => grant[0] === lock).map((grant) => [grant[2], grant[3]]);
  for (const [a, b] of uncovered(from, to, covers)) gaps.push([client, lock, a, b]);
}

/// Where two clients believe in one lock: [lock, client, client, from, to].
const overlaps = [];
for (const beliefs of groupBy(run.beliefs, 1, 2).values()) {
  let open = [];
  for (const belief of beliefs) {
    open = open.filter((other) => other[3] > belief[2]);
    for (const other of open) {
      if (other[0] === belief[0]) continue;
      overlaps.push([belief[1], other[0], belief[0], belief[2], Math.min(other[3], belief[3])]);
    }
    open.push(belief);
  }
}

/// Accepted writes whose token is below one that the resource had taken for the same lock.
const staleWrites = new Set();
for (const writes of writesOf.values()) {
  const highest = new Map();
  for (const write of writes) {
    if (write[5] !== "accepted" || !(write[3] > 0)) continue;
    const lock = lockOfToken.get(write[3]);
    const before = highest.get(lock) || 0;
    if (lock !== undefined && write[3] < before) staleWrites.add(write);
    highest.set(lock, Math.max(before, write[3]));
  }
}

/// Messages that are part of the chain: those that are said to be; else those whose taking is in
/// it, or that were sent from there and never arrived.
const chainMessages = new Set(run.messageChain.map((i) => run.messages[i]).filter(Boolean));
if (!chainMessages.size) {
  const at = new Set(run.chain.map((i) => run.events[i]).filter(Boolean).map((e) => e[0] + "/" + e[1]));
  for (const step of steps) at.add(step[0] + "/" + step[1]);
  for (const message of run.messages) {
    const taken = message[3] !== null && at.has(message[3] + "/" + message[1]);
    const lost = message[3] === null && at.has(message[2] + "/" + message[0]);
    if (taken || lost) chainMessages.add(message);
  }
}

/// Processes in the story, and what they touch.
const involved = new Set(steps.map((step) => step[1]));
for (const position of run.chain) if (run.events[position]) involved.add(run.events[position][1]);
for (const [client] of gaps) involved.add(client);
for (const [, a, b] of overlaps) involved.add(a).add(b);
involved.delete(0);
