#!/usr/bin/env bash
# sleeptune-lab wake on the real clock: structure and honesty, never values.
. "$SLEEPTUNE_SRC/tests/tap.sh"
own_tmp && cd "$tmp" || exit 1

refusing=$SLEEPTUNE_LAB
bench() { "$SLEEPTUNE_LAB" wake "$@"; }
# interrupted N OPTION...: by Ctrl-C, when its threads have slept N times: some four in a round
interrupted() {
    "$SLEEPTUNE_LAB" wake "${@:2}" &
    wait_for slept $! "$1"
    kill -INT $!
    wait $!
}
# --- the mechanisms --------------------------------------------------------------------------------------------------
ends 0 "--list ends with 0" bench --list
mv out list
is "it has what each system has, and this one" "$(grep -cE '^(condvar|channel|umtx|futex) ' list)" 3
is "--list fits 80 columns" "$(COLUMNS=80 bench --list | awk 'length > 80')" ""

# --- a run -----------------------------------------------------------------------------------------------------------
ends 0 "a run ends with 0" bench --rounds 25 --seed 7 --json
like "what it takes is said before it starts" "$(tr '\n' ' ' <err)" 'combinations, 25 rounds each, in random order \(seed 7\): about [0-9]+ s'
is "all mechanisms on the same and another CPU" "$(key out 'len(d["results"]), len({r["mechanism"] for r in d["results"]})')" "($((2 * $(grep -c '^[a-z]' list))), $(grep -c '^[a-z]' list))"
is "all rounds on the same CPU; on the other one, too, or why not" \
    "$(key out '{r["n"] for r in d["results"] if r["placement"] == "same-cpu"}, all((r["n"] == 25) == (r["missing"] is None) for r in d["results"])')" "({25}, True)"

is "woken early and timed out" "$(bench --quiet --mechanisms condvar,channel --kinds interrupted,timed-out --rounds 22 --json | key - 'len(d["results"])')" 8
is "--placements leaves one out" "$(bench --quiet --mechanisms channel,condvar --placements same-cpu --rounds 2 --json | key - '{r["placement"] for r in d["results"]}')" "{'same-cpu'}"

COLUMNS=80 bench --quiet --rounds 21 >text 2>text.err
is "--quiet says nothing on standard error" "$(cat text.err)" ""
is "the text fits 80 columns" "$("$PYTHON" -c 'import sys; print(max(map(len, open("text", encoding="utf-8").read().splitlines())) <= 80)')" True
bench --quiet --mechanisms condvar,futex,channel --kinds interrupted,timed-out --slices 300us,1ms,2ms --rounds 20 --plot slices.svg >matrix
is "several slices: one table, a row for each mechanism, kind and placement" \
    "$(grep -c 'median  mean' matrix) $(grep -cE '^(condvar|futex|channel) ' matrix)" "1 12"
like "with all slices side by side" "$(head -n 1 matrix)" '^Delay in µs +0.3 ms +1 ms +2 ms$'
like "and one picture, the slice on the x axis" "$(cat slices.svg)" "slice: length of the sleep"
like "on one CPU the other one is listed as missing" "$(taskset -c "$("$PYTHON" -c 'import os; print(min(os.sched_getaffinity(0)))')" "$SLEEPTUNE_LAB" wake --quiet --mechanisms condvar --rounds 5 2>/dev/null || echo 'a second CPU is needed')" 'a second CPU is needed'
is "--budget makes fewer rounds of each" "$(bench --budget 2s --mechanisms condvar,futex --rounds 100000 --json 2>err | key - '{0 < r["n"] == d["rounds"] < 1000 for r in d["results"] if not r["missing"]}, d["interrupted"]')" "({True}, False)"

# --- rights and ends -------------------------------------------------------------------------------------------------
if can_be_nobody || cannot "without rights" "needs root and setpriv"; then
    is "it needs no rights" "$(as_nobody --bounding-set=-all bash -c 'ulimit -r 0; exec "$@"' - "$SLEEPTUNE_LAB" wake --quiet --rounds 5 --json | key - 'sum(r["n"] for r in d["results"]) >= 10')" True
fi
interrupted 600 --quiet --rounds 100000 --json >int.json
is "Ctrl-C ends early with status 0" $? 0
is "and keeps what was measured" "$(key int.json 'd["interrupted"], sum(r["n"] for r in d["results"]) > 20')" "(True, True)"
like "what was not reached is counted, not listed" "$(interrupted 100 --rounds 10000 --slices 2ms,1s -q)" "[0-9]+ of [0-9]+ combinations were not measured: the run ended early"
gone() { for p in /proc/[0-9]*; do [ "$(readlink "$p/cwd")" != "$tmp" ] || [ "$(readlink "$p/exe")" != "$(readlink -f "$SLEEPTUNE_LAB")" ] || return 1; done; }
ok "no process is left behind" wait_for gone
is "a full disk is a failure" "$(bench --quiet --rounds 3 --mechanisms condvar --json >/dev/full 2>/dev/null; echo $?)" 4

# --- bad input -------------------------------------------------------------------------------------------------------
each_refused 3 wake '--mechanisms nonsense' '--mechanisms ,' '--slices 0' '--slices -2ms' '--slices 1h' '--slices 1ns' '--slices 2parsecs' '--slices 2ms,,5ms' '--slices 2,5ms' '--slices 1e30s' \
    '--rounds 0' '--budget 0' '--budget 1ms' '--budget x' '--rounds -1' '--rounds 1e3' '--kinds late' '--placements twins' '--peers threads' '--seed -1' '--format xml' 'nonsense'
like "too short a budget: what one round takes" "$(bench --budget 100ms --slices 1s 2>&1)" 'one round of each combination takes about [1-9]'
"$SLEEPTUNE_LAB" wake --quiet --mechanisms futex,condvar --slices 1ms,2ms --kinds interrupted --placements other-cpu --rounds 3 --format markdown >slices.md
if [ "$(nproc)" -gt 1 ]; then
    like "several slices as Markdown: a column each mechanism" "$(head -1 slices.md)" '^\| slice \| futex, interrupted, other-cpu, mean \[[nmµ]*s\] \| condvar, interrupted, other-cpu, mean \[[nmµ]*s\] \|$'
    is "and a line each slice" "$(grep -cE '^\| [12] ms (\| [0-9.]+ ){2}\|$' slices.md)" 2
fi
tap_done
