// Map, tips, controls, and the first drawing.

let mapDrag = null;
function mapTime(event) {
  return (place(event) - view.left) / (view.width - view.left) * run.end;
}
$("minimap").addEventListener("pointerdown", (event) => {
  const at = mapTime(event);
  const length = view.to - view.from;
  const inside = at >= view.from && at <= view.to;
  mapDrag = inside ? at - view.from : length / 2;
  $("minimap").setPointerCapture(event.pointerId);
  if (!inside) setView(at - length / 2, at + length / 2);
});
$("minimap").addEventListener("pointermove", (event) => {
  if (mapDrag === null) return;
  const from = Math.min(Math.max(0, mapTime(event) - mapDrag), run.end - (view.to - view.from));
  setView(from, from + view.to - view.from);
});
for (const kind of ["pointerup", "pointercancel"]) $("minimap").addEventListener(kind, () => (mapDrag = null));
$("axis").addEventListener("click", (event) => setCursor(timeAt(Math.max(view.left, place(event))), false));

// Tips: the words of what is under the pointer.
const tip = $("tip");
function showTip(event) {
  const text = tips.get(event.target);
  tip.hidden = !text || box.classList.contains("dragging");
  if (tip.hidden) return;
  tip.textContent = text;
  const left = Math.min(event.clientX + 14, document.documentElement.clientWidth - tip.offsetWidth - 6);
  const above = event.clientY + 18 + tip.offsetHeight > innerHeight;
  tip.style.left = Math.max(4, left) + "px";
  tip.style.top = (above ? event.clientY - tip.offsetHeight - 12 : event.clientY + 18) + "px";
}
for (const id of ["tracks", "overlay", "minimap", "chances"]) {
  $(id).addEventListener("pointermove", showTip);
  $(id).addEventListener("pointerdown", showTip);
  $(id).addEventListener("pointerleave", () => (tip.hidden = true));
}
addEventListener("scroll", () => (tip.hidden = true), { passive: true });

// Controls.
$("zoom-in").addEventListener("click", () => actions["+"]());
$("zoom-out").addEventListener("click", () => actions["-"]());
$("go-all").addEventListener("click", () => actions["0"]());
$("go-violation").addEventListener("click", goToViolation);
$("go-violation").hidden = !violation;
$("go-next").parentElement.hidden = !stops.length;
$("messages").parentElement.hidden = !run.messages.length;
$("rows").parentElement.hidden = !involved.size;
$("go-next").addEventListener("click", () => goToStop(1));
$("go-previous").addEventListener("click", () => goToStop(-1));
$("theme").addEventListener("click", nextTheme);
$("help-open").addEventListener("click", () => $("help").showModal());
$("help-close").addEventListener("click", () => $("help").close());
$("search").addEventListener("input", () => search($("search").value));
$("rows").addEventListener("change", () => {
  choice.rows = $("rows").value;
  redraw();
  drawPanel();
});
$("messages").addEventListener("change", () => {
  choice.messages = $("messages").value;
  redraw();
});
$("copy").addEventListener("click", async () => {
  let done = true;
  try {
    await navigator.clipboard.writeText(run.command);
  } catch {
    getSelection().selectAllChildren($("command"));
    done = document.execCommand("copy");
  }
  $("copied").textContent = done ? "copied" : "selected; press Ctrl+C";
  setTimeout(() => ($("copied").textContent = ""), 3000);
});

function drawFilter() {
  const counts = new Map();
  for (const message of run.messages) counts.set(message[4], (counts.get(message[4]) || 0) + 1);
  const body = $("filter-body");
  const process = html("select", { id: "filter-process" });
  process.append(html("option", { value: "0" }, "any process"));
  run.processes.forEach((each, i) => process.append(html("option", { value: String(i + 1) }, each.name)));
  const changed = () => {
    choice.process = Number(process.value);
    if (choice.messages === "chain" || choice.messages === "off") $("messages").value = choice.messages = "all";
    redraw();
  };
  process.addEventListener("change", changed);
  const label = html("label", {}, "from or to ");
  label.append(process);
  body.append(label);
  const boxes = [];
  const all = html("button", { type: "button" }, "all kinds");
  const none = html("button", { type: "button" }, "no kind");
  const set = (on) => {
    for (const [kind, input] of boxes) input.checked = on, on ? choice.kinds.add(kind) : choice.kinds.delete(kind);
    changed();
  };
  all.addEventListener("click", () => set(true));
  none.addEventListener("click", () => set(false));
  body.append(all, none);
  run.kinds.forEach((name, kind) => {
    const input = html("input", { type: "checkbox" });
    input.checked = true;
    input.addEventListener("change", () => (input.checked ? choice.kinds.add(kind) : choice.kinds.delete(kind), changed()));
    boxes.push([kind, input]);
    const each = html("label", { class: "kind" });
    each.append(input, " " + name + " (" + (counts.get(kind) || 0).toLocaleString("en") + ")");
    body.append(each);
  });
  $("filter").hidden = !run.messages.length;
}

/// #theme=dark&from=12.4&to=13&t=12.412&messages=all&rows=all: a view that can be passed on.
function toAddress() {
  const at = (time) => String(time / 1e6);
  location.hash = new URLSearchParams({ from: at(view.from), to: at(view.to), t: at(cursor), messages: choice.messages, rows: choice.rows });
}
function fromAddress() {
  const wish = new URLSearchParams(location.hash.slice(1) || location.search);
  const at = (key) => (wish.has(key) && isFinite(wish.get(key)) ? Number(wish.get(key)) * 1e6 : null);
  if (themes.includes(wish.get("theme"))) setTheme(themes[theme = themes.indexOf(wish.get("theme"))]);
  for (const key of ["messages", "rows"]) {
    if ([...$(key).options].some((option) => option.value === wish.get(key))) $(key).value = choice[key] = wish.get(key);
  }
  const from = at("from");
  const to = at("to");
  if (from !== null && to !== null && to > from) setView(from, to);
  if (at("t") !== null) cursor = at("t");
}

drawTop();
drawFilter();
measure();
[view.from, view.to] = run.window && run.window[1] > run.window[0] ? run.window : [0, run.end];
if (!involved.size || !steps.length) {
  choice.rows = "all";
  $("rows").value = "all";
}
if (!run.messageChain.length) {
  const dropped = run.messages.filter((m) => m[3] === null && visible(m[2], m[2])).length;
  choice.messages = $("messages").value = dropped < 40 ? "dropped" : "off";
  $("messages").querySelector("[value=chain]").remove();
}
fromAddress();
draw();
drawPanel();
if (typeof ResizeObserver === "function") {
  new ResizeObserver(() => {
    const before = view.width;
    measure();
    if (view.width !== before) redraw();
  }).observe(box);
}
