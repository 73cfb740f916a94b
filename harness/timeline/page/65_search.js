// Search over the events, and going from step to step.

const hits = { list: [], at: -1, words: "" };

function search(words) {
  hits.words = words.trim().toLowerCase();
  const parts = hits.words.split(/\s+/).filter(Boolean);
  hits.list = [];
  hits.at = -1;
  if (parts.length) {
    run.events.forEach((event, i) => {
      const text = (processName(event[1]) + " " + event[2] + " " + event[4]).toLowerCase();
      if (parts.every((part) => text.includes(part))) hits.list.push(i);
    });
  }
  drawHits();
  drawMap();
}

function drawHits() {
  const box = $("hits");
  box.hidden = !hits.words;
  if (!hits.words) return;
  const limit = 200;
  box.replaceChildren(html("p", { role: "status", class: "hint" },
    hits.list.length === 0 ? "No event has this."
    : hits.list.length.toLocaleString("en") + (hits.list.length === 1 ? " event" : " events") +
      (hits.list.length > limit ? ", the first " + limit + " listed" : "") + "; Enter goes to the next"));
  const list = html("ol", {});
  hits.list.slice(0, limit).forEach((position, i) => {
    const event = run.events[position];
    const item = html("li", {});
    const button = html("button", { type: "button", class: "event" });
    button.append(html("span", { class: "when" }, seconds(event[0])), html("span", {}, processName(event[1]) + " " + event[2]));
    button.addEventListener("click", () => goToHit(i));
    item.append(button);
    list.append(item);
  });
  box.append(list);
}
function goToHit(i) {
  if (!hits.list.length) return;
  hits.at = (i + hits.list.length) % hits.list.length;
  setCursor(run.events[hits.list[hits.at]][0]);
  $("hits").querySelectorAll("li").forEach((item, k) => {
    item.classList.toggle("current", k === hits.at);
    if (k === hits.at) item.scrollIntoView({ block: "nearest" });
  });
}

/// Where n and p go: the story's steps, else the chain, else the violations, else what is important.
const stops = steps.length ? steps.map((step) => step[0])
  : run.chain.length ? run.chain.map((i) => run.events[i][0])
  : run.violations.length ? run.violations.map((each) => each.at)
  : run.events.filter((event) => event[3] > 1).map((event) => event[0]);
let stop = -1;

function goToStop(by) {
  if (!stops.length) return;
  if (stop >= 0 && stops[stop] === cursor) stop += by;
  else if (by > 0) stop = stops.findIndex((at) => at > cursor);
  else stop = stops.length - 1 - [...stops].reverse().findIndex((at) => at < cursor);
  stop = stop < 0 ? (by > 0 ? 0 : stops.length - 1) : stop % stops.length;  // round and round
  setCursor(stops[stop]);
  markStep();
}
function goToStep(i) {
  stop = i;
  setCursor(steps[i][0]);
  markStep();
}
function markStep() {
  $("steps").querySelectorAll("button").forEach((button, i) => {
    if (steps.length && i === stop) button.setAttribute("aria-current", "step");
    else button.removeAttribute("aria-current");
  });
}
/// To the next event after the cursor, or the one before it.
function goToEvent(by) {
  const position = by > 0 ? countUntil(run.events, 0, cursor) : countUntil(run.events, 0, cursor - 1) - 1;
  if (run.events[position]) setCursor(run.events[position][0]);
}
