/* --- "I heard it": the only thing that writes, on a private address alone --- */

at("mark").hidden = !OWN;
at("heard").addEventListener("click", async () => {
  at("marked").textContent = "";
  try {
    const answer = await fetch("/v1/heard", { method: "POST", headers, signal: AbortSignal.timeout(SILENT_MS) });
    const said = await answer.json(), one = (said.marks || []).at(-1);
    const delay = (one?.time_ns - one?.cause_time_ns) / 1e9;
    const found = !one ? "Dropouts before the mark are unknown: " + said.text
      : !one.text ? "In the " + one.window_ns / 1e9 + " s before the click: nothing so far (some dropouts are noticed a few seconds later)"
      : (delay < 0 ? "Before the click and after it" : delay.toFixed(1) + " s before the click") + ", so far: " + one.text;
    const unheard = one?.unheard ? "; sleeptune does not notice sound that " + one.unheard + " sends too late" : "";
    at("marked").textContent = said.error || "Saved. " + found + unheard;
    look();
  } catch { at("marked").textContent = "Not saved: sleeptuned does not answer."; }
});

