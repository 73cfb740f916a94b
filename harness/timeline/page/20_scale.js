// Elements, times in words, and the window of the run that is shown.

const SVG = "http://www.w3.org/2000/svg";
function $(id) {
  return document.getElementById(id);
}
/// An element with attributes; `text` is put in as text, whatever is in it.
function html(tag, attributes, text) {
  const node = document.createElement(tag);
  for (const key in attributes) node.setAttribute(key, attributes[key]);
  if (text !== undefined) node.textContent = text;
  return node;
}
const tips = new WeakMap();
function svg(parent, tag, attributes, text, tip) {
  const node = document.createElementNS(SVG, tag);
  for (const key in attributes) node.setAttribute(key, attributes[key]);
  if (text !== undefined && text !== null) node.textContent = text;
  if (tip) tips.set(node, tip);
  parent.appendChild(node);
  return node;
}

/// Cut, not rounded, as the program's own texts are: an instant reads the same in both.
function seconds(at, decimals = 3) {
  const unit = Math.pow(10, 6 - decimals);
  return (Math.trunc(at / unit) * unit / 1e6).toFixed(decimals) + " s";
}
function duration(length) {
  const size = Math.abs(length);
  if (size < 1000) return length + " µs";
  if (size < 1e6) return +(length / 1000).toFixed(size < 1e4 ? 2 : size < 1e5 ? 1 : 0) + " ms";
  return +(length / 1e6).toFixed(size < 1e7 ? 3 : 1) + " s";
}
function range(from, to) {
  return seconds(from) + " to " + (to >= run.end ? "the end" : seconds(to)) + " (" + duration(to - from) + ")";
}

const view = { from: 0, to: run.end, width: 800, left: 0, narrow: false };
const shortest = 200;  // microseconds across

function x(at) {
  return view.left + (at - view.from) / (view.to - view.from) * (view.width - view.left);
}
function timeAt(position) {
  const part = (position - view.left) / (view.width - view.left);
  return Math.round(view.from + part * (view.to - view.from));
}
function setView(from, to) {
  const length = Math.min(Math.max(to - from, shortest), run.end);
  from = Math.min(Math.max(0, from + (to - from - length) / 2), run.end - length);
  view.from = Math.round(from);
  view.to = Math.round(from + length);
  redraw();
}
function zoom(factor, around) {
  const at = around === undefined ? (view.from + view.to) / 2 : around;
  setView(at - (at - view.from) * factor, at + (view.to - at) * factor);
}
function pan(by) {
  const from = Math.min(Math.max(0, view.from + by), run.end - (view.to - view.from));
  setView(from, from + view.to - view.from);
}
/// Brings `at` into the window, in its middle if it was outside.
function reveal(at) {
  const margin = (view.to - view.from) * 0.04;
  if (at >= view.from + margin && at <= view.to - margin) return;
  const half = (view.to - view.from) / 2;
  setView(at - half, at + half);
}

/// A round step of the axis with about `count` steps in the window.
function tickStep(count) {
  const rough = (view.to - view.from) / Math.max(1, count);
  const power = Math.pow(10, Math.floor(Math.log10(rough)));
  for (const factor of [1, 2, 5, 10]) if (power * factor >= rough) return Math.max(1, power * factor);
  return power * 10;
}
function tickText(at, step) {
  const decimals = Math.min(6, Math.max(0, Math.ceil(-Math.log10(step / 1e6))));
  return (at / 1e6).toFixed(decimals);
}

let pending = false;
/// Draws again at the next frame, however often it is asked until then.
function redraw() {
  if (pending) return;
  pending = true;
  requestAnimationFrame(() => {
    pending = false;
    draw();
  });
}

/// Width of a text in the drawing, near enough to keep labels apart.
const ruler = document.createElement("canvas").getContext("2d");
const widths = new Map();
function textWidth(text, size = 11) {
  const key = size + text;
  let width = widths.get(key);
  if (width === undefined) {
    ruler.font = size + "px system-ui, sans-serif";
    width = ruler.measureText(text).width * 1.04;
    if (widths.size > 20000) widths.clear();
    widths.set(key, width);
  }
  return width;
}
/// `text` cut so that it fits into `room` pixels; empty if nothing sensible does.
function fit(text, room, size = 11) {
  if (textWidth(text, size) <= room) return text;
  let length = Math.floor(text.length * room / textWidth(text, size));
  while (length > 2 && textWidth(text.slice(0, length) + "…", size) > room) --length;
  return length > 2 ? text.slice(0, length) + "…" : "";
}
