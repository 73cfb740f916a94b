// Keyboard, pointer, touch, controls, theme; and the start.

const keys = [
  ["← →", "move the cursor; with Shift ten times as far"], [", .", "to the event before, after"],
  ["+ −", "zoom in, out, about the cursor"], ["[ ]", "move the window"], ["Home End", "start, end of the run"],
  ["n p", "next, previous step of the story"], ["v", "to the violation"], ["0", "the whole run"],
  ["/", "search; Enter and Shift+Enter go through the hits"], ["m", "messages: of the chain, all, dropped, none"],
  ["r", "rows: involved, all"], ["t", "light, dark, as the system"], ["l", "put this view into the address, to pass on"], ["?", "these keys"], ["Esc", "leave the search"],
];
for (const [key, words] of keys) {
  const row = $("keys").insertRow();
  row.append(html("th", { scope: "row" }, key), html("td", {}, words));
}
$("help").insertBefore(html("p", { class: "hint" }, "With a pointer: click sets the cursor, dragging moves the window, the wheel zooms " +
  "over the axis and the map, with Ctrl anywhere; two fingers zoom."), $("help-close"));

function cycle(select) {
  select.selectedIndex = (select.selectedIndex + 1) % select.options.length;
  select.dispatchEvent(new Event("change"));
}
function goToViolation() {
  const [from, to] = run.window || [0, run.end];
  setView(from, to);
  if (violation) setCursor(violation.at);
}
const actions = {
  "+": () => zoom(0.5, visible(cursor, cursor) ? cursor : undefined), "=": () => actions["+"](),
  "-": () => zoom(2, visible(cursor, cursor) ? cursor : undefined), "_": () => actions["-"](),
  "Home": () => setCursor(0), "End": () => setCursor(run.end), "0": () => setView(0, run.end), "v": goToViolation,
  "n": () => goToStop(1), "p": () => goToStop(-1), ",": () => goToEvent(-1), ".": () => goToEvent(1),
  "[": () => pan((view.from - view.to) / 4), "]": () => pan((view.to - view.from) / 4),
  "m": () => cycle($("messages")), "r": () => cycle($("rows")), "t": () => nextTheme(),
  "l": toAddress, "/": () => $("search").focus(), "?": () => $("help").showModal(),
};
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || $("help").open) return;
  const target = event.target;
  if (target.matches("input, select, textarea")) {
    if (event.key === "Escape") target.blur(), $("tracks").focus({ preventScroll: true });
    if (event.key === "Enter" && target === $("search")) goToHit(hits.at + (event.shiftKey ? -1 : 1));
    return;
  }
  if (event.key === "Escape") {
    $("search").value = "";
    return search("");
  }
  let action = actions[event.key];
  if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
    const by = (view.to - view.from) / (event.shiftKey ? 20 : 200) * (event.key === "ArrowLeft" ? -1 : 1);
    action = () => setCursor(cursor + (Math.abs(by) < 1 ? Math.sign(by) : by));
  }
  if (!action) return;
  event.preventDefault();
  action();
});

const themes = ["auto", "light", "dark"];
function setTheme(theme) {
  if (theme === "auto") document.documentElement.removeAttribute("data-theme");
  else document.documentElement.setAttribute("data-theme", theme);
  $("theme").textContent = "Theme: " + theme;
}
let theme = 0;
function nextTheme() {
  theme = (theme + 1) % themes.length;
  setTheme(themes[theme]);
}

// Pointers: one drags or sets the cursor, two zoom.
const pointers = new Map();
let moved = false;
let pinch = null;
const box = $("tracks-box");
function place(event) {
  return event.clientX - box.getBoundingClientRect().left;
}
box.addEventListener("pointerdown", (event) => {
  if (event.button > 0) return;
  pointers.set(event.pointerId, place(event));
  moved = pointers.size > 1;
  pinch = null;
});
addEventListener("pointermove", (event) => {
  if (!pointers.has(event.pointerId)) return;
  const before = pointers.get(event.pointerId);
  const now = place(event);
  if (pointers.size === 1) {
    if (!moved && Math.abs(now - before) < 4) return;
    if (!moved) box.setPointerCapture(event.pointerId);
    moved = true;
    box.classList.add("dragging");
    pointers.set(event.pointerId, now);
    return pan((before - now) * (view.to - view.from) / (view.width - view.left));
  }
  pointers.set(event.pointerId, now);
  const [a, b] = [...pointers.values()];
  if (pinch) {
    const length = pinch.apart * (pinch.to - pinch.from) / Math.max(20, Math.abs(a - b));
    const part = ((a + b) / 2 - view.left) / (view.width - view.left);
    setView(pinch.middle - length * part, pinch.middle + length * (1 - part));
  } else pinch = { from: view.from, to: view.to, apart: Math.max(20, Math.abs(a - b)), middle: timeAt((a + b) / 2) };
});
function release(event) {
  if (!pointers.delete(event.pointerId)) return;
  pinch = null;
  if (event.type === "pointerup" && !moved) {
    if (place(event) > view.left) setCursor(timeAt(place(event)), false);
    $("tracks").focus({ preventScroll: true });
  }
  if (!pointers.size) box.classList.remove("dragging");
}
addEventListener("pointerup", release);
addEventListener("pointercancel", release);

function wheel(event, always) {
  if (!always && !event.ctrlKey && Math.abs(event.deltaX) <= Math.abs(event.deltaY) && !event.shiftKey) return;
  event.preventDefault();
  const across = event.shiftKey && !event.deltaX ? event.deltaY : event.deltaX;
  if (!event.ctrlKey && (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))) {
    return pan(across * (view.to - view.from) / view.width);
  }
  zoom(Math.exp(Math.max(-120, Math.min(120, event.deltaY)) * 0.004), timeAt(Math.max(view.left, place(event))));
}
box.addEventListener("wheel", (event) => wheel(event, false), { passive: false });
$("axis").addEventListener("wheel", (event) => wheel(event, true), { passive: false });
$("minimap").addEventListener("wheel", (event) => wheel(event, true), { passive: false });
