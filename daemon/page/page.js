"use strict";
(() => {
const SVG = "http://www.w3.org/2000/svg", SILENT_MS = 3500, OVERDUE_NS = 2e9;
const at = (id) => document.getElementById(id);
const loaded = at("link").querySelector("time").textContent;
let lastMs = 0, lastTime = null, source = null, latest = null;
document.documentElement.classList.add("scripted");

/* text of others goes in as text only */
function make(name, text, attributes = {}) {
  const node = document.createElement(name);
  if (text !== null) node.textContent = text;
  for (const key in attributes) node.setAttribute(key, attributes[key]);
  return node;
}
function rows(id, list) {
  at(id).tBodies[0].replaceChildren(...list.map((cells) => {
    const row = document.createElement("tr");
    row.append(...cells.map((cell) => cell instanceof Node ? cell : make("td", String(cell))));
    return row;
  }));
}
/* local time, written as without scripts: a service runs for months */
const clock = (ns) => {
  const at = new Date(ns / 1e6), two = (n) => String(n).padStart(2, "0");
  return at.getFullYear() + "-" + two(at.getMonth() + 1) + "-" + two(at.getDate()) + " " +
    two(at.getHours()) + ":" + two(at.getMinutes()) + ":" + two(at.getSeconds());
};
function time(ns) {
  if (ns === null || ns === undefined) return "not yet";
  const size = Math.abs(ns);
  if (size < 1e3) return ns + " ns";
  const [unit, name, digits] = size < 1e6 ? [1e3, "\u00b5s", 1] : size < 1e9 ? [1e6, "ms", 3] : [1e9, "s", 2];
  return (ns / unit).toFixed(digits) + " " + name;
}
const plural = (n, word) => n.toLocaleString("en") + " " + word + (n === 1 ? "" : "s");

function xruns(x) {
  if (x.count === null) return "not watched";
  return x.count.toLocaleString("en") + (x.starved ? ", " + plural(x.starved, "starved client") : "") +
    (x.watched ? "" : " (not watched now)");
}

/* --- charts: x in units of a column, y logarithmic in ns or counts --- */
function chart(id, label, draw) {
  const figure = at(id), svg = figure.querySelector("svg");
  figure.hidden = false;
  const box = { left: 52, top: 10, bottom: 22, width: svg.clientWidth, height: svg.clientHeight };
  svg.replaceChildren();
  if (box.width <= box.left || box.height <= box.top + box.bottom) return; /* not laid out */
  svg.setAttribute("viewBox", "0 0 " + box.width + " " + box.height);
  svg.setAttribute("aria-label", label);
  const put = (name, attributes, text) => {
    const node = document.createElementNS(SVG, name);
    for (const key in attributes) node.setAttribute(key, attributes[key]);
    if (text !== undefined) node.textContent = text;
    svg.append(node);
  };
  const foot = box.height - box.bottom;
  draw(box, put, foot);
}
function logScale(low, high, top, foot) {
  const a = Math.log10(low), b = Math.log10(high);
  return (value) => foot - (foot - top) * Math.min(1, Math.max(0, (Math.log10(Math.max(value, low)) - a) / (b - a)));
}
const decade = (value, round) => 10 ** round(Math.log10(value) + (round === Math.ceil ? -1e-9 : 1e-9));

function drawSeconds(doc) {
  const s = doc.seconds, n = s.max_ns.length, max = s.max_ns.filter((v) => v !== null && v > 0);
  const missed = s.misses.reduce((sum, v) => sum + (v || 0), 0), unknown = s.cycles.filter((v) => v === null).length;
  const period = doc.loop ? doc.loop.period_ns : null;
  const note = n === 0 ? "No second is complete yet." :
    "Last " + plural(n, "second") + ": latest wake-up " + time(max.length ? Math.max(...max) : null) + " late, " +
    plural(missed, "missed period") + (unknown ? "; of " + plural(unknown, "second") + " nothing is known (grey)" : "") + ".";
  at("seconds").querySelector(".note").textContent = note;
  chart("seconds", note, (box, put, foot) => {
    const medians = s.median_ns.filter((v) => v !== null && v > 0);
    const low = decade(Math.max(100, Math.min(...medians, ...max, 1e5)), Math.floor);
    const high = decade(Math.max(...max, period || 0, low * 10), Math.ceil);
    const y = logScale(low, high, box.top, foot), step = (box.width - box.left) / 120;
    for (let v = low; v <= high * 1.01; v *= 10) {
      put("line", { class: "grid", x1: box.left, x2: box.width, y1: y(v), y2: y(v) });
      put("text", { x: box.left - 6, y: y(v) + 4, "text-anchor": "end" }, time(v).replace(/\.0+ /, " "));
    }
    for (let i = 0; i < n; i++) {
      const x = box.left + (120 - n + i) * step;
      if (s.cycles[i] === null) {
        put("rect", { class: "gap", x, width: step, y: box.top, height: foot - box.top });
        continue;
      }
      const top = s.max_ns[i] === null ? box.top : y(s.max_ns[i]), bad = s.misses[i] > 0;
      put("rect", { class: bad ? "bar miss" : "bar", x, width: Math.max(step - 1, 1), y: top, height: Math.max(foot - top, 0) });
      if (bad) put("path", { class: "mark", d: "M" + (x - 2) + " 0h" + (step + 3) + "l" + -(step + 3) / 2 + " 8z" });
      if (s.median_ns[i] !== null) put("circle", { class: "dot", cx: x + step / 2 - .5, cy: y(s.median_ns[i]), r: 1.3 });
    }
    if (period) {
      put("line", { class: "period", x1: box.left, x2: box.width, y1: y(period), y2: y(period) });
      put("text", { x: box.left + 4, y: y(period) - 4 }, "period " + time(period));
    }
    put("text", { x: box.left, y: box.height - 6 }, "120 s ago");
    put("text", { x: box.width, y: box.height - 6, "text-anchor": "end" }, s.end_ns === null ? "" : clock(s.end_ns));
  });
}

function drawHistogram(doc) {
  const h = doc.histogram;
  if (!h) return;
  const total = h.counts.reduce((a, b) => a + b, 0), last = h.counts.length - 1;
  const most = h.counts.indexOf(Math.max(...h.counts));
  const bound = (i) => i < last ? "at most " + time(h.bounds_ns[i]) : "more than " + time(h.bounds_ns[last - 1]);
  const note = total === 0 ? "No cycle yet." : total.toLocaleString("en") + " wake-ups; most often " + bound(most) +
    " late (" + (100 * h.counts[most] / total).toFixed(1) + " %). Heights are logarithmic.";
  at("histogram").querySelector(".note").textContent = note;
  chart("histogram", note, (box, put, foot) => {
    const high = decade(Math.max(...h.counts, 10), Math.ceil), y = logScale(.5, high, box.top, foot);
    const step = (box.width - box.left) / h.counts.length;
    for (let v = 1; v <= high * 1.01; v *= high > 1e5 ? 100 : 10) {
      put("line", { class: "grid", x1: box.left, x2: box.width, y1: y(v), y2: y(v) });
      put("text", { x: box.left - 6, y: y(v) + 4, "text-anchor": "end" }, v < 1e6 ? v.toLocaleString("en") : "1e" + Math.round(Math.log10(v)));
    }
    h.counts.forEach((count, i) => {
      const x = box.left + i * step, over = doc.loop && i > 0 && h.bounds_ns[i - 1] >= doc.loop.period_ns;
      if (count > 0) put("rect", { class: over ? "bar miss" : "bar", x: x + 1, width: Math.max(step - 2, 1), y: y(count), height: foot - y(count) });
      if (i < last && [1e3, 1e5, 1e7, 1e9].includes(h.bounds_ns[i]))
        put("text", { x: x + step, y: box.height - 6, "text-anchor": "middle" }, time(h.bounds_ns[i]).replace(/\.0+ /, " "));
    });
  });
}

/* --- the document --- */
function show(doc) {
  latest = doc;
  document.title = "sleeptuned: " + doc.state;
  at("state").textContent = doc.state;
  at("verdict").textContent = doc.verdict;
  at("degraded").replaceChildren(...doc.degraded.map((d) => make("li", "Degraded, " + d.what + ": " + d.why)));
  const l = doc.loop, lat = doc.lateness_ns, m = doc.misses;
  at("loop").textContent = !l ? "The loop has not begun." : l.frames + " frames at " + l.rate_hz + " Hz (" + time(l.period_ns) +
    "), " + l.policy + " " + l.priority + ", " + (l.cpu === null ? "any CPU" : "CPU " + l.cpu) + ", load " + l.load_percent + " %";
  rows("lateness", !lat ? [] : [["cycles", lat.n.toLocaleString("en")], ["earliest", time(lat.min)], ["median", time(lat.median)],
    ["99 %", time(lat.p99)], ["99.9 %", time(lat.p999)], ["latest", time(lat.max)]]);
  rows("counts", (!m ? [] : [["missed periods", m.count.toLocaleString("en") + " of " + m.periods.toLocaleString("en")],
    ["of these, skipped", m.skipped_periods.toLocaleString("en")]].concat(m.records_lost ? [["records lost", m.records_lost]] : []))
    .concat(doc.xruns.map((x) => ["xruns, " + x.source, xruns(x)])));
  at("late").textContent = doc.late_wakes === null ? "" :
    plural(doc.late_wakes, "wake-up") + " later than " + time(doc.late_threshold_ns) + ".";
  rows("causes", doc.causes.map((c) => [c.text, c.count.toLocaleString("en"), time(c.total_ns), time(c.worst_ns)]));
  rows("events", doc.events.map((e) => {
    const cell = document.createElement("td");
    cell.append(make("time", clock(e.time_ns)));
    return [cell, make("td", e.event + ": " + e.text)];
  }));
  drawSeconds(doc);
  drawHistogram(doc);
}

/* Whether what is shown is true now. */
function judge() {
  const link = at("link"), silent = performance.now() - lastMs > SILENT_MS;
  const overdue = latest && latest.overdue_ns !== null && latest.overdue_ns > Math.max(OVERDUE_NS, latest.loop ? 2 * latest.loop.period_ns : 0);
  const lost = silent || overdue;
  link.className = lost ? "lost" : "";
  document.documentElement.classList.toggle("old", lost);
  if (silent && lastTime !== null) link.textContent = "No connection since " + clock(lastTime) + ": what is below is from then.";
  else if (silent) link.textContent = "No connection: what is below is as of " + loaded + ".";
  else if (overdue) link.textContent = "The loop has not been heard of for " + time(latest.overdue_ns) + ".";
  else if (lastTime !== null) link.textContent = "Live, " + clock(lastTime);
}
function connect() {
  source = new EventSource("/v1/stream");
  source.addEventListener("status", (event) => {
    const doc = JSON.parse(event.data);
    lastMs = performance.now();
    lastTime = doc.time_ns;
    show(doc);
    judge();
  });
  /* the browser tries again by itself, but not after an answer such as 503 */
  source.onerror = () => {
    if (source.readyState !== EventSource.CLOSED) return;
    source.close();
    setTimeout(connect, 5000);
  };
}
addEventListener("resize", () => latest && (drawSeconds(latest), drawHistogram(latest)));
setInterval(judge, 1000);
connect();
})();
