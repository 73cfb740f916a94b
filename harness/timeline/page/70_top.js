// What stands above and below the tracks: verdict, cause, story, command, legend, chances.

function howMany(kind) {
  const count = run.processes.filter((p) => p.kind === kind).length;
  return count + " " + kind + (count === 1 ? "" : "s");
}

function drawTop() {
  document.title = (violation ? violation.id + " · " : "") + run.title + " · Lockstep timeline";
  $("title").textContent = run.title;
  $("facts").textContent = "seed " + run.seed + " · " + seconds(run.end, run.end % 1e6 ? 3 : 0) + " of true time" +
      (run.healed ? " · faults end at " + seconds(run.healed, run.healed % 1e6 ? 3 : 0) : "") +
      " · " + howMany("server") + ", " + howMany("client");
  drawVerdict();
  drawWhy();
  $("command").textContent = run.command;
  drawLegend();
  drawChances();
}

function drawVerdict() {
  const box = $("verdict");
  const bad = violation && !violation.excused;
  box.classList.add(bad ? "bad" : violation ? "excused" : "good");
  const head = html("p", { class: "verdict-head" });
  head.append(html("span", { class: "sign", "aria-hidden": "true" }, bad ? "✕" : violation ? "!" : "✓"));
  if (!violation) {
    const whole = !run.ended || run.ended === "cut short";
    if (!whole) {
      box.classList.replace("good", "bad");
      head.firstChild.textContent = "✕";
    }
    head.append(html("strong", {}, whole ? "No promise was broken" + (run.ended ? " until the run was cut short" : " in this run")
      : "The run ended badly: " + run.ended));
    box.append(head);
    if (!whole) box.append(html("p", { class: "harm" }, run.endDetail));
    return;
  }
  head.append(html("strong", {}, violation.id + " " + violation.name),
              html("span", {}, (bad ? "violated" : "excused: " + violation.excused) + " at " + seconds(violation.at) +
                                (violation.times > 1 ? ", the first of " + violation.times.toLocaleString("en") + " times" : "") +
                                (violation.expected ? "; the scenario expects it" : "")));
  box.append(head);
  box.append(html("p", { class: "harm" }, (run.explanation && run.explanation.harm) || violation.text));
  if (run.explanation && run.explanation.harm && violation.text) box.append(html("p", { class: "evidence" }, violation.text));
  const others = run.violations.filter((each) => each !== violation)
      .sort((a, b) => (a.excused ? 1 : 0) - (b.excused ? 1 : 0) || a.at - b.at);
  if (!others.length) return;
  const list = html("ul", { class: "others" });
  for (const each of others.slice(0, 12)) {
    const item = html("li", {});
    const button = html("button", { type: "button", class: "link" }, each.id + " " + each.name + " at " + seconds(each.at));
    button.addEventListener("click", () => goTo(each.at));
    item.append(button, each.excused ? " excused: " + each.excused : " violated");
    list.append(item);
  }
  box.append(html("p", { class: "hint" }, "Also in this run:"), list);
}
function goTo(at) {
  setCursor(at);
  $("tracks").focus({ preventScroll: true });
  $("tracks-box").scrollIntoView({ block: "nearest" });
}

function drawWhy() {
  const why = run.explanation;
  if (!why) return;
  $("why").hidden = false;
  const say = (head, text) => {
    if (text) $("prose").append(html("h2", {}, head), html("p", {}, text));
  };
  say("Cause", why.cause);
  say("Looks like", why.looksLike);
  say("Fencing", why.fencing);
  steps.forEach((step, i) => {
    const item = html("li", { class: step[3] ? "decisive" : "" });
    const button = html("button", { type: "button" });
    const words = html("span", { class: "what" });
    if (step[1]) words.append(html("b", {}, processName(step[1])), " ");
    words.append(step[2]);
    if (step[3]) words.append(html("em", {}, "decisive"));
    button.append(html("span", { class: "number", "aria-hidden": "true" }, String(i + 1)),
                  html("time", {}, seconds(step[0])), words);
    button.addEventListener("click", () => {
      goToStep(i);
      if ($("tracks-box").getBoundingClientRect().top > innerHeight - 120) $("tracks-box").scrollIntoView({ block: "center" });
    });
    item.append(button);
    $("steps").append(item);
  });
}

/// Each sign of the tracks with its meaning; only what this run has.
function drawLegend() {
  const entry = (has, paint, words) => {
    if (!has) return;
    const item = html("li", {});
    const picture = document.createElementNS(SVG, "svg");
    picture.setAttribute("viewBox", "0 0 34 20");
    picture.setAttribute("aria-hidden", "true");
    paint(picture);
    item.append(picture, html("span", {}, words));
    $("legend").append(item);
  };
  const box = (name, y = 3, height = 14) => (p) => svg(p, "rect", { x: 1, y, width: 32, height, rx: 2, class: name });
  entry(run.beliefs.length, box("belief", 1, 11), "the client believes that it holds the lock");
  entry(run.grants.length, box("grant", 12, 7), "the service has granted it the lock");
  entry(run.beliefs.some((b) => b[6] > 1000), box("unaware", 2, 10), "its deadline has passed, and it does not know yet");
  entry(gaps.length, (p) => (box("gap", 1, 18)(p), box("gap-edge", 1, 18)(p)), "believes without being granted");
  entry(run.delays.length, box("delay"), "nobody gets the lock: its delay after an expiry");
  entry(overlaps.length, box("overlap", 8, 4), "two clients believe in one lock");
  entry(run.faults.length, box("fault"), "a fault, while it lasts");
  entry(run.faults.length, (p) => (box("row", 0, 20)(p), box("band", 0, 20)(p)), "the rows that a fault hits");
  entry(run.paused.length, box("pause", 0, 20), "paused");
  entry(run.down.length, box("down", 0, 20), "down");
  entry(run.queues.length, box("waiter"), "waits in line");
  entry(run.renewals.length, (p) => svg(p, "path", { d: "M12 4v11M20 4v11", class: "renewal" }), "renewal, answered");
  entry(run.renewals.some((r) => r[2] === null), (p) => svg(p, "circle", { cx: 17, cy: 10, r: 4, class: "renewal-lost" }), "renewal, never answered");
  entry(run.clock.length, (p) => svg(p, "path", { d: "M1 15H14V6H33", class: "clock-line" }), "its clock minus true time");
  entry(run.writes.length, (p) => svg(p, "circle", { cx: 17, cy: 10, r: 4.5, class: "write" }), "write accepted; higher up, higher token");
  entry(staleWrites.size, (p) => svg(p, "path", { d: "M10 10l7 -7l7 7l-7 7z", class: "write-stale" }), "write with a stale token, accepted");
  entry(run.writes.some((w) => w[5] === "refused"), (p) => (svg(p, "circle", { cx: 17, cy: 10, r: 6, class: "write-refused" }),
    svg(p, "path", { d: "M13 6l8 8m0 -8l-8 8", class: "write-cross" })), "write refused");
  entry(run.writes.some((w) => w[5] === "repeated"), (p) => svg(p, "circle", { cx: 17, cy: 10, r: 4, class: "write-repeated" }), "write that came again, taken once");
  entry(run.roles.length, box("role leader"), "leader");
  entry(run.roles.some((r) => r[3] === "candidate"), box("role candidate"), "candidate");
  entry(run.commits.length, (p) => svg(p, "path", { d: "M1 16H10V11H20V5H33", class: "commit-line" }), "commit index");
  entry(run.messageChain.length, (p) => (svg(p, "path", { d: "M2 16L26 6", class: "message strong" }), svg(p, "path", { d: "M33 3l-9 0l3 6z", class: "arrow strong" })), "message of the chain");
  entry(run.messages.some((m) => m[3] === null), (p) => (svg(p, "path", { d: "M2 16L20 8", class: "message lost" }), svg(p, "path", { d: "M18 4l8 8m0 -8l-8 8", class: "lost-cross" })), "message dropped");
  entry(steps.length, (p) => { const g = svg(p, "g", { class: "badge" }); svg(g, "circle", { cx: 17, cy: 10, r: 8 }); svg(g, "text", { x: 17, y: 14 }, "1"); }, "step of the story; a square: the decisive one");
  entry(run.chain.length, (p) => svg(p, "path", { d: "M17 5l5 5l-5 5l-5 -5z", class: "chain" }), "event that led to the violation");
  entry(run.violations.length, (p) => svg(p, "path", { d: "M17 0V20", class: "violation" }), "violation");
  entry(run.healed, (p) => svg(p, "path", { d: "M17 0V20", class: "healed" }), "faults end");
}

/// How often the run fails when its luck is drawn anew from an instant on.
function drawChances() {
  const list = run.chances.filter((row) => row[1] > 0);
  if (!list.length) return;
  const box = $("chances");
  box.hidden = false;
  box.append(html("p", { class: "hint" }, "Of runs that are the same until an instant and have other luck from there, how many fail"));
  const picture = document.createElementNS(SVG, "svg");
  box.append(picture);
  const wide = 420;
  const tall = 150;
  picture.setAttribute("viewBox", "0 0 " + wide + " " + tall);
  picture.setAttribute("role", "img");
  const latest = Math.max(...list.map((row) => row[0]), 1);
  const earliest = Math.min(...list.map((row) => row[0]));
  const px = (at) => 44 + (at - earliest) / Math.max(1, latest - earliest) * (wide - 64);
  const py = (row) => 120 - row[2] / row[1] * 104;
  for (const percent of [0, 50, 100]) {
    const y = 120 - percent * 1.04;
    svg(picture, "path", { d: "M44 " + y + "H" + (wide - 14), class: "grid" });
    svg(picture, "text", { x: 38, y: y + 4, class: "tick-text end" }, percent + "%");
  }
  let path = "";
  for (const row of list) path += (path ? "L" : "M") + px(row[0]).toFixed(1) + " " + py(row).toFixed(1);
  svg(picture, "path", { d: path, class: "chance-line" });
  let jump = 0;
  list.forEach((row, i) => {
    if (i && row[2] / row[1] - list[i - 1][2] / list[i - 1][1] > (jump ? list[jump][2] / list[jump][1] - list[jump - 1][2] / list[jump - 1][1] : 0)) jump = i;
    svg(picture, "circle", { cx: px(row[0]), cy: py(row), r: 3, class: "chance-dot" }, null, seconds(row[0]) + ": " + row[2] + " of " + row[1] + " fail");
  });
  svg(picture, "text", { x: 44, y: 140, class: "tick-text" }, seconds(earliest, 1));
  svg(picture, "text", { x: wide - 14, y: 140, class: "tick-text end" }, seconds(latest, 1));
  if (!jump) return;
  const [at, runs, failed] = list[jump];
  const words = "Between " + seconds(list[jump - 1][0]) + " and " + seconds(at) + " the failures rise from " +
      list[jump - 1][2] + " of " + list[jump - 1][1] + " to " + failed + " of " + runs + ".";
  picture.setAttribute("aria-label", words);
  box.append(html("p", {}, words));
}
