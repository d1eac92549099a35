/* --- "I heard it": the only thing that writes, on a private address alone --- */

at("mark").hidden = !OWN;
at("heard").addEventListener("click", async () => {
  at("marked").textContent = "";
  try {
    const answer = await fetch("/v1/heard", { method: "POST", headers, signal: AbortSignal.timeout(SILENT_MS) });
    const said = await answer.json(), one = (said.marks || []).at(-1);
    const found = one?.text || "nothing (some dropouts are noticed a few seconds later)";
    const unheard = one?.unheard ? "; what " + one.unheard + " writes too late is not watched" : "";
    at("marked").textContent = said.error || "Kept. In the " + one.window_ns / 1e9 + " s before it, so far: " + found + unheard;
    look();
  } catch { at("marked").textContent = "Not kept: sleeptuned does not answer."; }
});

