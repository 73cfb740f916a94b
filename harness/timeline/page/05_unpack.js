"use strict";
// The program writes the run in few bytes; here it becomes the lists that the page works with:
// processes, faults, bars and points, messages, events. Times are microseconds of true time.

function unpacked(packed) {
  const { processes, locks, words, end } = packed;
  const known = (list, id, none) => (id > 0 && list[id - 1] ? list[id - 1] : id ? none + id : "none");
  const nameOf = (id) => (id === 0 ? "world" : known(processes.map((p) => p[0]), id, "process "));

  /// Lanes are [key..., [record, record, ...]], a record the time since the one before and `more`
  /// numbers. Calls `each(keys, time, numbers)`.
  const unroll = (lanes, more, each) => {
    for (const lane of lanes || []) {
      const flat = lane[lane.length - 1];
      const keys = lane.slice(0, -1);
      let at = 0;
      for (let i = 0; i < flat.length; i += more + 1) {
        at += flat[i];
        each(keys, at, flat.slice(i + 1, i + 1 + more));
      }
    }
  };
  /// Of several bars that were drawn as one only their number is known.
  const token = (number) => (number < 0 ? -number + " in a row" : number);

  const run = {
    title: packed.title, command: packed.command, seed: packed.seed, end, healed: packed.healed || null,
    ended: packed.ended, endDetail: packed.endDetail, window: packed.window, detail: packed.detail,
    processes: processes.map(([name, kind]) => ({ name, kind: kind || "server" })), locks,
    violations: packed.violations, explanation: packed.explanation || null, chances: packed.chances,
    faultCount: packed.faultCount,
    faults: packed.faults.map(([from, to, number, label, kind, missed, on]) =>
        ({ label: missed ? label + " (" + missed + ")" : label, kind, from, to, on, number, missed })),
    beliefs: [], grants: [], delays: [], queues: [], paused: [], down: [], clock: [], renewals: [], writes: [],
    roles: [], commits: [], kinds: [], messages: [], events: [], gaps: [], overlaps: [], leftOut: "",
  };
  const faultLabels = new Map(run.faults.map((fault) => [fault.number, fault.label]));

  unroll(packed.beliefs, 4, ([client, lock], from, [length, number, news, why]) =>
      run.beliefs.push([client, lock, from, from + length, token(number),
                        words[why] + (news > 1000 ? "; it knew " + news / 1e6 + " s later" : ""), news]));
  const ends = ["", "released", "its session expired", "its session was closed", "held for too long", "cancelled"];
  unroll(packed.grants, 4, ([lock], from, [length, number, client, how]) =>
      run.grants.push([lock, client, from, from + length, token(number), ends[how] || ""]));
  unroll(packed.dangers, 2, ([lock, client], from, [length, other]) => {
    if (other > 0) run.overlaps.push([lock, client, other, from, from + length]);
    else run.gaps.push([client, lock, from, from + length]);
  });
  unroll(packed.delays, 1, ([lock], from, [length]) => run.delays.push([lock, from, from + length]));
  const roles = ["follower", "candidate", "leader"];
  unroll(packed.roles, 3, ([server], from, [length, kind, term]) =>
      run.roles.push([server, from, from + length, roles[kind] || "candidate", term]));
  unroll(packed.commits, 1, ([server], at, [index]) => run.commits.push([server, at, index]));
  const paused = { 0: "all", 1: "all", 2: "worker", 3: "callbacks" };
  const down = { 4: "killed", 5: "power lost" };
  unroll(packed.bands, 1, ([process, kind], from, [length]) => {
    if (kind in paused) run.paused.push([process, from, from + length, paused[kind]]);
    if (kind in down) run.down.push([process, from, from + length, down[kind]]);
  });
  const fates = ["accepted", "refused", "accepted", "repeated", "", "refused"];
  unroll(packed.writes, 4, ([resource], at, [fate, number, client, n]) =>
      run.writes.push([resource, at, client, number, n, fates[fate], fate === 5 ? "a read" : "", fate === 2]));
  unroll(packed.renewals, 1, ([client], at, [heard]) =>
      run.renewals.push([client, at, heard > 0 ? at + heard - 1 : null]));
  unroll(packed.clocks, 1, ([process], at, [offset]) => run.clock.push([process, at, offset]));
  run.queues = queuesFrom(packed.waits, unroll);

  unpackMessages(packed, run);
  unpackEvents(packed, run, { nameOf, lockOf: (id) => known(locks, id, "lock "), words, faultLabels });
  unpackChain(packed, run);
  const left = [];
  if (packed.detail[0] > 0 || packed.detail[1] < end) {
    left.push("messages and everyday events outside " + packed.detail[0] / 1e6 + " s to " + packed.detail[1] / 1e6 + " s");
    if (packed.coarseness[0]) left.push("who waited there, and some commits, writes and renewals");
    if (packed.coarseness[1]) left.push("holds closer together than " + packed.coarseness[1] / 1000 + " ms are one bar there");
  }
  if (packed.faults.length < packed.faultCount) left.push(packed.faultCount - packed.faults.length + " faults further away");
  run.leftOut = left.join("; ");
  return run;
}

/// The line at each lock after each change: [lock, at, clients in order]. Of a long line the first
/// names are enough; its length stays true.
function queuesFrom(lanes, unroll) {
  const queues = [];
  const byLock = new Map();
  unroll(lanes, 2, ([lock], from, [length, client]) => {
    if (!byLock.has(lock)) byLock.set(lock, []);
    byLock.get(lock).push({ from, to: from + length, client: Math.max(0, client) });
  });
  for (const [lock, waits] of byLock) {
    const changes = waits.flatMap((wait, i) => [[wait.from, 1, i], [wait.to, 0, i]])
        .sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
    const line = [];
    changes.forEach(([at, comes, i], k) => {
      if (comes) line.push(i);
      else if (line.includes(i)) line.splice(line.indexOf(i), 1);
      if (k + 1 < changes.length && changes[k + 1][0] === at) return;
      const clients = line.slice(0, 16).map((each) => waits[each].client);
      clients.length = line.length;
      queues.push([lock, at, clients]);
    });
  }
  return queues;
}

function unpackMessages(packed, run) {
  const kinds = new Map();
  const fates = ["", "nobody was ever handed it", "still under way when the run ended"];
  const [base, flat] = packed.messages;
  let at = base;
  for (let i = 0; i < flat.length; i += 6) {
    at += flat[i];
    const [from, to, word, took, fate] = flat.slice(i + 1, i + 6);
    if (!kinds.has(word)) {
      kinds.set(word, kinds.size);
      run.kinds.push(packed.words[word]);
    }
    run.messages.push([from, to, at, fate === 0 ? at + took : null, kinds.get(word),
                       fate < 3 ? fates[fate] : packed.words[fate - 3]]);
  }
}

/// [at, process, text, weight, kind]
function unpackEvents(packed, run, names) {
  const clients = new Map();
  const read = ([base, flat]) => {
    let at = base;
    for (let i = 0; i < flat.length;) {
      at += flat[i];
      const process = flat[i + 1];
      const [name, weight, fields] = packed.eventKinds[flat[i + 2]];
      i += 3;
      const values = new Map();
      for (let k = 0; k < fields.length; k += 2) values.set(fields[k], [fields[k + 1], flat[i++]]);
      const session = values.get("session");
      if (name === "session-opened") clients.set(session[1], values.get("client")[1]);
      else if (name === "grant-told" || name === "session-told") clients.set(session[1], process);
      run.events.push([at, process, values, weight, name]);
    }
  };
  for (const part of [packed.before, packed.events, packed.after]) read(part);
  for (const event of run.events) event[2] = wordsOf(event[4], event[2], names, clients);
}

/// What happened, for a person: by a phrase, if there is one, else field by field.
function wordsOf(kind, values, names, clients) {
  const say = (type, value) => {
    if (type === "p") return names.nameOf(value);
    if (type === "k") return names.lockOf(value);
    if (type === "w") return names.words[value];
    if (type === "b") return value ? "yes" : "no";
    if (type === "f") return names.faultLabels.get(value) || "fault " + value;
    if (type === "d" || type === "l") return value < 0 ? "never" : value / 1e6 + " s";
    return String(value);
  };
  const field = (name) => {
    if (!values.has(name)) return "";
    const [type, value] = values.get(name);
    if (name === "session" && clients.has(value)) return value + " (" + names.nameOf(clients.get(value)) + ")";
    if (kind === "deadline-passed" && typeof value === "string") return "of a grant";
    return say(type, value);
  };
  const phrase = phrases[kind];
  if (phrase) return phrase.replace(/\{(\w+)\}/g, (_, name) => field(name));
  return [kind, ...[...values.keys()].map((name) => name + " " + field(name))].join(", ");
}

const phrases = {
  "became-leader": "becomes leader of term {term}",
  "stepped-down": "steps down in term {term}: {reason}",
  "vote-cast": "votes for {candidate} in term {term}",
  "recovered": "starts from its disk: term {term}, log to {last_index}",
  "appended": "appends entry {index} of term {term}",
  "applied": "applies entry {index}",
  "log-durable": "has its log on disk up to {index}",
  "commit-advanced": "knows that {index} is committed",
  "truncated": "cuts its log from {from} on",
  "session-opened": "opens session {session}",
  "session-ended": "session {session} is over: {reason}",
  "expiry-proposed": "finds session {session} run out and proposes its end",
  "granted": "grants {lock} to session {session}, token {token}",
  "queued": "session {session} waits for {lock}, {position} before it",
  "refused": "refuses {lock} to session {session}: {reason}",
  "released": "{lock} is released by session {session}, token {token}",
  "hold-ended": "ends the hold of {lock}, token {token}, which lasted too long",
  "delay-started": "nobody gets {lock} for a while: the session of its holder expired",
  "delay-ended": "{lock} can be had again",
  "answered": "answers {client}: {operation} comes to {status}",
  "cancelled": "ends the wait of session {session} for {lock}: {effect}",
  "cancel-sent": "no longer waits for {lock}",
  "compacted": "drops its log up to {index} for a snapshot",
  "snapshot-installed": "takes a snapshot up to {index} from its leader",
  "torn-tail-cut": "cuts off a torn write at the end of its log",
  "storage-refused": "does not start: its disk holds damage that no crash explains",
  "storage-failed": "ends itself: its disk failed",
  "lease-inherited": "takes over the lease of session {session}, {remaining} of it left",
  "leases-checkpointed": "writes what remains of {sessions} leases into its log",
  "checkpoint-cleared": "the renewal of session {session} outlives its leader",
  "limit-met": "turns {client} away at {operation}: {limit}",
  "renewal-received": "receives renewal {sending} of session {session}",
  "renewal-answered": "answers renewal {sending} of session {session}",
  "open-sent": "asks for a session",
  "session-told": "has session {session}",
  "renewal-sent": "sends renewal {sending} of session {session}",
  "deadline-moved": "session {session} is renewed until {deadline} of its clock",
  "acquire-called": "asks for {lock}",
  "acquire-returned": "its request for {lock} comes to: {outcome}",
  "grant-told": "is told that it holds {lock}, token {token}",
  "may-act": "asks whether it may act on {lock}, token {token}: {yes}",
  "loss-told": "is told that it lost {lock}, token {token}: {reason}",
  "release-called": "releases {lock}, token {token}",
  "release-returned": "its release of {lock} comes to: {status}",
  "close-called": "closes session {session}",
  "session-over-told": "is told that session {session} is over",
  "point": "reaches {point}",
  "write-sent": "sends a write to {resource}, token {token}",
  "write-accepted": "accepts a write with token {token}",
  "write-rejected": "refuses a write with token {token}: it has seen {held_token}",
  "write-recovered": "finds a write with token {token} on its disk",
  "read-accepted": "answers a read with token {token}: version {version}",
  "read-rejected": "refuses a read with token {token}: it has seen {held_token}",
  "call-sent": "calls {resource}, key {key}, token {token}",
  "call-accepted": "takes call {key}, token {token}, the first of this key: {first}",
  "call-recovered": "finds call {key} on its disk",
  "call-told": "hears of its call to {resource}: {outcome}",
  "write-repeated": "gets a write with token {token} again",
  "write-told": "hears of its write to {resource}: {outcome}",
  "process-started": "starts, life {life}",
  "process-stopped": "stops: {how}",
  "paused": "is paused, its clock {clock}",
  "resumed": "goes on",
  "deadline-passed": "the deadline of session {key} passes",
  "fault-started": "begins: {fault}",
  "fault-ended": "ends: {fault}",
  "fault-missed": "comes to nothing: {fault}",
  "assumption-broken": "{assumption} holds no longer for each {kind}",
  "healed": "all faults are over",
  "stopping": "the workload is told to stop",
  "link-troubled": "its messages to {peer} are in trouble: {on}",
  "disk-troubled": "its disk is in trouble: {on}",
  "probing": "a fresh client asks for every lock",
  "link-reset": "its connection with {peer} is reset",
  "note": "notes: {text}",
};

/// The chain came with its own words: its events and messages are found among the others, or, where
/// those were left out, put there.
function unpackChain(packed, run) {
  run.chain = [];
  run.messageChain = [];
  const links = packed.explanation ? packed.explanation.chain : [];
  const ofChain = new Set();
  for (const link of links) {
    const [at, process, text, to, taken] = link;
    if (link.length > 3) {
      let found = run.messages.find((m) => m[2] === at && m[0] === process && m[1] === to && run.kinds[m[4]] === text &&
                                           (m[3] === null ? -1 : m[3]) === taken);
      if (!found) {
        if (!run.kinds.includes(text)) run.kinds.push(text);
        found = [process, to, at, taken < 0 ? null : taken, run.kinds.indexOf(text), taken < 0 ? "lost" : ""];
        run.messages.push(found);
      }
      ofChain.add(found);
      continue;
    }
    const kind = text.split(" ")[0];
    let found = run.events.find((e) => e[0] === at && e[1] === process && e[4] === kind && !ofChain.has(e));
    if (!found) run.events.push((found = [at, process, text, 2, kind]));
    ofChain.add(found);
  }
  run.messages.sort((a, b) => a[2] - b[2]);
  run.events.sort((a, b) => a[0] - b[0]);
  run.messages.forEach((each, i) => ofChain.has(each) && run.messageChain.push(i));
  run.events.forEach((each, i) => ofChain.has(each) && run.chain.push(i));
}
