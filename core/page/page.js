const EVERY_MS = 2000, SILENT_MS = 7000;
const at = (id) => document.getElementById(id);
let lastMs = performance.now(), last = null;
document.documentElement.classList.add("scripted");

/* local time, with the date unless it is today: a service runs for months */
const clock = (text) => {
  const when = new Date(text), two = (n) => String(n).padStart(2, "0");
  const day = when.getFullYear() + "-" + two(when.getMonth() + 1) + "-" + two(when.getDate()) + " ";
  return (when.toDateString() === new Date().toDateString() ? "" : day) + two(when.getHours()) + ":" + two(when.getMinutes()) + ":" + two(when.getSeconds());
};
/* texts of others become text, never markup */
function make(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}
const SVG = "http://www.w3.org/2000/svg";
function draw(parent, name, attributes) {
  const made = parent.appendChild(document.createElementNS(SVG, name));
  for (const key in attributes) made.setAttribute(key, attributes[key]);
  return made;
}

/* --- what the daemon has written: it has escaped all text in its page --- */

const PARTS = ["state", "now", "first", "rest"], shown = {};
function localize() {
  for (const time of document.querySelectorAll("main time")) time.textContent = clock(time.dateTime);
}
/* Only what is new, and without taking the keyboard's place away. */
function show(page) {
  document.title = page.title;
  for (const id of PARTS) {
    const part = page.getElementById(id), old = at(id), text = part.outerHTML;
    if (shown[id] === text) continue;
    shown[id] = text;
    const focused = [...old.querySelectorAll("button")].indexOf(document.activeElement);
    old.replaceWith(part);
    if (focused >= 0) part.querySelectorAll("button")[focused]?.focus();
  }
  last = page.querySelector("#link time").dateTime;
  localize();
}
/* Figures that are too old are not shown. */
function hideOld() {
  if (!last) return;
  const silent = performance.now() - lastMs > SILENT_MS;
  const text = silent ? "sleeptuned has not answered since " + clock(last) + ". Run: sleeptune status" : "Live, " + clock(last);
  document.querySelector("main").hidden = at("state").hidden = silent;
  if (silent) document.title = "sleeptune: no answer";
  at("link").className = silent ? "lost" : "";
  if (at("link").textContent !== text) at("link").textContent = text;
}
/* on a private address the daemon answers who knows the token behind "#", which browsers send to no one */
const token = location.hash.slice(1), headers = token ? { Authorization: "Bearer " + token } : {};
const OWN = token !== "" && location.hostname === "127.0.0.1";
const ask = (path) => fetch(path, { headers, signal: AbortSignal.timeout(SILENT_MS) });
const hasFigures = (page) => page.querySelector("#link time") !== null;
function refuse() {
  document.querySelector("main").hidden = true;
  at("link").className = "lost";
  at("link").textContent = "This address is not valid any more. Run: sleeptune status --html";
}
async function poll() {
  try {
    const answer = await ask("/");
    const page = answer.ok && new DOMParser().parseFromString(await answer.text(), "text/html");
    if (page && !hasFigures(page)) return refuse();
    if (page) {
      show(page);
      lastMs = performance.now();
    }
  } catch { /* asked again in two seconds */ }
  hideOld();
  setTimeout(poll, EVERY_MS);
}
/* browsers allow the clipboard on localhost and https only: elsewhere the command itself is shown */
document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-command]");
  if (!button) return;
  try {
    await navigator.clipboard.writeText(button.dataset.command);
    button.textContent = "Copied";
  } catch { button.textContent = button.dataset.command; }
});

