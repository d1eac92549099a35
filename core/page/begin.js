async function begin() {
  for (const id of PARTS) shown[id] = at(id).outerHTML;
  if (hasFigures(document)) {
    last = document.querySelector("#link time").dateTime;
    localize();
    hideOld();
    setTimeout(poll, EVERY_MS);
  } else {
    document.querySelector("footer").remove(); /* its links have no token */
    await poll();
    if (!last) return;
  }
  setInterval(hideOld, 1000);
  look();
  sizes();
  addEventListener("resize", redraw);
}
begin();
