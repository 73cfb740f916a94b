// The run, and look-ups over it. Times are microseconds of true time.

const run = unpacked(JSON.parse(document.getElementById("run").textContent));

run.end = Math.max(1, run.end);

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
const delaysOf = groupBy(run.delays, 0, 1);
const queuesOf = groupBy(run.queues, 0, 1);
const pausedOf = groupBy(run.paused, 0, 1);
const downOf = groupBy(run.down, 0, 1);
const clockOf = groupBy(run.clock, 0, 1);
const renewalsOf = groupBy(run.renewals, 0, 1);
const writesOf = groupBy(run.writes, 0, 1);
const rolesOf = groupBy(run.roles, 0, 1);
const commitsOf = groupBy(run.commits, 0, 1);
const eventsOf = groupBy(run.events, 1, 0);

/// Where a client believes without being granted: [client, lock, from, to]; where two believe in one
/// lock: [lock, client, client, from, to].
const { gaps, overlaps } = run;

/// Accepted writes whose token was behind the times.
const staleWrites = new Set(run.writes.filter((write) => write[7]));

const chainMessages = new Set(run.messageChain.map((i) => run.messages[i]));

/// Processes in the story, and what they touch.
const involved = new Set(steps.map((step) => step[1]));
for (const position of run.chain) if (run.events[position]) involved.add(run.events[position][1]);
for (const [client] of gaps) involved.add(client);
for (const [, a, b] of overlaps) involved.add(a).add(b);
involved.delete(0);
