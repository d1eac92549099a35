"use strict";
(() => {
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
function localize() {
  for (const time of document.querySelectorAll("main time")) time.textContent = clock(time.dateTime);
}

/* The daemon has escaped all text in the page. */
function show(page) {
  document.title = page.title;
  at("state").replaceWith(page.getElementById("state"));
  document.querySelector("main").replaceWith(page.querySelector("main"));
  last = page.querySelector("#link time").dateTime;
  localize();
}
function judge() {
  const silent = performance.now() - lastMs > SILENT_MS;
  at("link").className = silent ? "lost" : "";
  document.documentElement.classList.toggle("old", silent);
  if (silent) at("link").textContent = "No connection since " + clock(last) + ": the figures are from then.";
  else at("link").textContent = "Live, " + clock(last);
}
async function poll() {
  try {
    const answer = await fetch("/", { signal: AbortSignal.timeout(SILENT_MS) });
    if (answer.ok) {
      show(new DOMParser().parseFromString(await answer.text(), "text/html"));
      lastMs = performance.now();
    }
  } catch { /* asked again in two seconds */ }
  judge();
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
last = document.querySelector("#link time").dateTime;
localize();
if (location.protocol === "file:") { /* written by sleeptune status --html */
  at("link").textContent = "As of " + clock(last) + ". Open the page again for newer figures.";
  document.querySelector("footer").remove();
  return;
}
setTimeout(poll, EVERY_MS);
setInterval(judge, 1000);
judge();
})();
