/* --- the time line: events and sizes as the history has them --- */

/* shown time and time between two looks, in s */
const SPANS = { "10m": [600, 4], "1h": [3600, 15], "24h": [86400, 60] };
const KINDS = { "client-dropout": 1000, "device-dropout": 500, "late-wake": 500, "heard": 100 }; /* the newest ones */
const LATE = "Late wake-ups", SIZE = "Buffer size", HEARD = "You heard";
const LINES = { "late-wake": LATE, "heard": HEARD }; /* drawn as thin lines */
/* each reason has a colour of page.css and a shape, so that colour is not all that tells them apart */
const SIGNS = {
  "too-slow": ["own", "M-4-4h8v8h-8z"], "woken-late": ["woken", "M0-5L5 4H-5z"], "cpu-taken": ["taken", "M0-5L5 0 0 5-5 0z"],
  "cpu-taken-by-itself": ["own", "M0-5L5 0 0 5-5 0zM0-2L-2 0 0 2 2 0z"], "stopped": ["still", "M-4-4h3v8h-3zM1-4h3v8h-3z"],
  "blocked": ["still", "M-4-2L-2-4 0-2 2-4 4-2 2 0 4 2 2 4 0 2-2 4-4 2-2 0z"],
  "waited-for-other": ["other", "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0"], "swapped-out": ["own", "M0 5L5-4H-5z"],
  "writes-too-slowly": ["own", "M-4-5h8l-8 10h8z"], "device": ["", "M-1-5h2v4h4v2h-4v4h-2v-4h-4v-2h4z"],
};
const OTHER_SIGN = ["", "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0M-2 0a2 2 0 1 1 4 0a2 2 0 1 1-4 0"];
let since = "10m", events = [], runs = [], note = "", picked = null, looking = 0;
/* What is drawn, in ms: as long as was chosen, or since the first thing that is known, if that is later. */
function drawn() {
  const to = new Date(last).getTime(), known = [...events.map((one) => one.from), ...runs.map((run) => run.from_ns / 1e6)];
  return [Math.max(to - SPANS[since][0] * 1000, Math.min(to - 60000, ...known)), to];
}

/* What is drawn of an event; times in ms. */
function mark(event) {
  const end = event.time_ns / 1e6, from = end - (event.span_ns || 0) / 1e6;
  return {
    id: event.id, text: event.text, why: event.why, from, end, line: LINES[event.event],
    sign: SIGNS[event.reason || "device"] || OTHER_SIGN, lost: (event.lost_ns || 0) / 1e6,
    row: LINES[event.event] || event.client || event.device || event.source || "",
  };
}
async function read(path) {
  const answer = await ask(path), document = await answer.json();
  if (!answer.ok) throw new Error(document.error);
  return document;
}
/* One after the other: the daemon makes one long answer at a time. */
async function look() {
  const turn = ++looking, span = since;
  try {
    const found = [], more = [];
    for (const kind in KINDS) {
      const list = await read("/v1/events?since=" + span + "&kind=" + kind + "&limit=" + KINDS[kind]);
      found.push(...list.events.filter((one) => one.count_n !== 0 || one.cycles_n).map(mark)); /* else it adds a cause to one */
      if (list.more) more.push("only the newest " + KINDS[kind] + " of " + kind);
    }
    const sizes = await read("/v1/sizes?since=" + span);
    if (turn !== looking) return;
    [events, runs, note] = [found, sizes.runs || [], more.join("; ")];
    redraw();
  } catch (error) {
    if (turn !== looking) return;
    note = error.message;
    at("note").textContent = note;
  }
  setTimeout(() => turn === looking && look(), SPANS[span][1] * 1000);
}

function shape(parent, mark, x, y) {
  const [colour, d] = mark.sign;
  draw(parent, "path", { d, transform: "translate(" + x + " " + y + ")", class: "why " + colour });
}
/* A row of the time line. @return its picture, as wide as there is room. */
function row(name, text) {
  const line = at("rows").appendChild(make("div", undefined, "row"));
  line.append(make("span", name, "name"));
  const svg = draw(line, "svg", { role: "img", "aria-label": text ? name + ": " + text : name });
  return svg;
}
function redraw() {
  const [from, now] = drawn();
  const dropouts = events.filter((one) => !one.line);
  const playing = [...document.querySelectorAll("#first .columns tbody th")].map((cell) => cell.textContent);
  const names = [...new Set([...dropouts.map((one) => one.row), ...playing])];
  at("rows").replaceChildren();
  at("line").hidden = false;
  const sizes = row(SIZE), width = Math.max(50, sizes.clientWidth);
  const x = (ms) => (width * Math.min(1, Math.max(0, (ms - from) / (now - from)))).toFixed(1);
  /* a change of size goes through all rows */
  const changes = runs.filter((run, i) => i > 0 && runs[i - 1].source === run.source && runs[i - 1].frames !== run.frames);
  const put = (svg) => {
    for (const run of runs) draw(svg, "rect", { class: "played", x: x(run.from_ns / 1e6), width: Math.max(0, x(run.to_ns / 1e6) - x(run.from_ns / 1e6)), height: "100%" });
    for (const run of changes) draw(svg, "rect", { class: "change", x: x(run.from_ns / 1e6), width: 1, height: "100%" });
  };
  put(sizes);
  let free = 0;
  for (const run of runs.filter((run, i) => i === 0 || changes.includes(run))) {
    const left = Math.max(free, Number(x(run.from_ns / 1e6)) + 3), text = run.frames + " frames";
    if (left + 60 > width) continue;
    draw(sizes, "text", { x: left, y: 18 }).textContent = text;
    free = left + 8 * text.length;
  }
  sizes.setAttribute("aria-label", SIZE + ": " + runs.map((run) => run.frames).join(", "));
  for (const name of names) {
    const own = dropouts.filter((one) => one.row === name), svg = row(name, own.length + (own.length === 1 ? " mark" : " marks"));
    put(svg);
    for (const one of own) {
      const left = Number(x(one.from)), length = Math.max(3, width * one.lost / (now - from));
      if (isPicked(one)) draw(svg, "rect", { class: "chosen", x: left - 6, width: Math.max(12, length + 12), height: "100%" });
      draw(svg, "rect", { class: "span", x: left, y: 20, width: Math.max(0, x(one.end) - left), height: 2 });
      draw(svg, "rect", { class: "loss " + one.sign[0], x: left, y: 14, width: length, height: 10 });
      shape(svg, one, left, 7);
    }
  }
  for (const name of [LATE, HEARD]) {
    const lines = events.filter((one) => one.line === name);
    if (name === HEARD && lines.length === 0) continue;
    const svg = row(name, lines.length + (lines.length === 1 ? " line" : " lines"));
    put(svg);
    for (const one of lines)
      draw(svg, "rect", { class: isPicked(one) ? "late chosen" : "late", x: x(one.end), width: isPicked(one) ? 3 : 1, height: "100%" });
  }
  axis(now, from, x, width);
  legend(dropouts);
  at("note").textContent = note;
  at("steps").hidden = dropouts.length === 0;
}
/* What is still being counted has another number in each answer, and goes on. */
function isPicked(one) {
  return picked !== null && (one.id > 0 && one.id === picked.id ||
    one.row === picked.row && one.line === picked.line && one.why === picked.why && Math.abs(one.from - picked.from) < 500);
}
function axis(now, from, x, width) {
  const svg = row(""), n = width < 400 ? 2 : 4;
  svg.parentNode.classList.add("axis");
  svg.setAttribute("aria-hidden", "true");
  for (let i = 0; i <= n; i++) {
    const ms = from + (now - from) * i / n;
    draw(svg, "text", { x: x(ms), y: 14, "text-anchor": i === 0 ? "start" : i === n ? "end" : "middle" }).textContent = clock(ms).slice(0, now - from < 600000 ? undefined : -3);
  }
}
function legend(dropouts) {
  const seen = new Map(dropouts.map((one) => [one.why, one]));
  at("legend").replaceChildren(...[...seen.values()].map((one) => {
    const item = make("li"), svg = draw(item, "svg", { width: 14, height: 14, "aria-hidden": "true" });
    shape(svg, one, 7, 7);
    item.append(one.why);
    return item;
  }));
  if (seen.size > 0) at("legend").append(make("li", "Bar: sound lost. Line: from the first to the last."));
}
/* Its sentence, and its cycle where that is the one that the daemon keeps. */
function pick(one) {
  picked = one;
  const what = make("p", clock(one.end) + " " + one.text), cycle = document.querySelector("#now figure, #rest figure");
  const ms = cycle ? Number(cycle.dataset.ms) : NaN;
  at("picked").replaceChildren(what);
  if (!one.line && ms >= one.from - 1000 && ms <= one.end + 1000) at("picked").append(cycle.cloneNode(true));
  if (OWN) at("picked").append(traceButton(one));
  redraw();
}
/* What each client did in the ten seconds before, in a viewer: another site gets the file from this page, and keeps it in the browser. */
const VIEWER = "https://ui.perfetto.dev";
function traceButton(one) {
  const part = make("p"), button = make("button", "Open as a timeline"), said = make("span", " " + VIEWER + " gets the file: names of programs, their times, what is known of the CPUs; it uploads nothing");
  button.type = "button";
  button.addEventListener("click", async () => {
    const viewer = open(VIEWER);
    try {
      if (!viewer) throw new Error("the browser opens no window");
      const answer = await ask("/v1/trace?until=" + Math.ceil(one.end / 1000));
      if (!answer.ok) throw new Error((await answer.json()).error);
      const buffer = await answer.arrayBuffer();
      const ping = setInterval(() => viewer.postMessage("PING", VIEWER), 200);
      addEventListener("message", function ready(event) {
        if (event.origin !== VIEWER || event.data !== "PONG") return;
        clearInterval(ping);
        removeEventListener("message", ready);
        viewer.postMessage({ perfetto: { buffer, title: one.text, fileName: "sleeptune.json" } }, VIEWER);
      });
    } catch (error) {
      said.textContent = " Not opened: " + error.message;
      viewer?.close();
    }
  });
  part.append(button, said);
  return part;
}
/* Marks are small: the nearest one in the row counts. */
at("rows").addEventListener("click", (event) => {
  const svg = event.target.closest(".row")?.querySelector("svg");
  if (!svg) return;
  const [from, now] = drawn(), box = svg.getBoundingClientRect();
  const name = svg.parentNode.querySelector(".name").textContent;
  const away = (one) => Math.abs(box.width * ((one.line ? one.end : one.from) - from) / (now - from) - (event.clientX - box.left));
  const nearest = events.filter((one) => one.row === name).sort((a, b) => away(a) - away(b))[0];
  if (nearest && away(nearest) < 16) pick(nearest);
});
/* By keyboard, and for who hears the page: one dropout after the other. */
function step(by) {
  const all = events.filter((one) => !one.line).sort((a, b) => a.from - b.from);
  const i = all.findIndex((one) => isPicked(one)), to = i < 0 ? all.length - 1 : i + by;
  if (all[to]) pick(all[to]);
}
at("earlier").addEventListener("click", () => step(-1));
at("later").addEventListener("click", () => step(1));
for (const button of document.querySelectorAll("[data-since]")) {
  button.addEventListener("click", () => {
    since = button.dataset.since;
    for (const one of document.querySelectorAll("[data-since]")) one.setAttribute("aria-pressed", String(one === button));
    look();
  });
}

