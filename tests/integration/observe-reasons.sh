#!/usr/bin/env bash
# Why a client of PipeWire was not ready, with a real server: the short form of tests/bench/dropouts.py, mostly with cycles of 85 ms,
# in which the machine's own noise makes no dropout.
. "$SLEEPTUNE_SRC/tests/tap.sh"
real_time=1 go_on_as_nobody
need pipewire wireplumber pw-cli pw-metadata dbus-daemon python3
[ -x "$SLEEPTUNE_BUILD/xruns/helpers/sleeptune-observe-pipewire" ] || skip_all "built without libpipewire"
[ "$(nproc)" -ge 2 ] || skip_all "one CPU: what takes it from the client takes it from the server, too"
own_tmp
noise='' fifo=$(chrt -f 95 true 2>/dev/null && echo yes)
bench=$SLEEPTUNE_SRC/tests/bench/dropouts.py

# measure SCENARIOS SECONDS [FRAMES], at least for each: sets $result. $noise: not empty if PipeWire itself, or a client that does nothing wrong,
# was late each time, or the other one got no CPU, as one without real-time rights may: then the machine stood still, and what is said of that
# client is not all its own. Without those rights another program may have taken its CPU, too.
measure() {
    local try status
    for try in 1 2 3; do
        result=$("$bench" --build "$SLEEPTUNE_BUILD" --frames "${3:-4096}" --every 6 --dropouts 4 --seconds "$2" --scenarios "$1" --json 2>"$tmp/err")
        status=$?
        [ $status -ne 77 ] || skip_all "no PipeWire server runs here: $(tail -1 "$tmp/err")"
        is "$1: the clients play" "$status $(cat "$tmp/err")" "0 "
        [ $status -eq 0 ] || break
        noise=$(python3 -c 'import json, sys; print(*[r for r in json.loads(sys.argv[1]) if r["server"] + r["slowed"] + r["other_missed"] * (r["scenario"] not in ("crowded", "waited-again"))
            or sys.argv[2] == "" and r["reasons"].get("cpu-taken", 0) > 1])' "$result" "$fifo")
        [ -n "$noise" ] || break
        tap_note <<<"try $try: the machine stood still: $noise"
    done
}
# of SCENARIO EXPRESSION; true_of SUBTEST SCENARIO EXPRESSION
of() { python3 -c 'import json, sys; r = {r["scenario"]: r for r in json.loads(sys.argv[1])}[sys.argv[2]]; print(eval(sys.argv[3]))' "$result" "$@"; }
true_of() {
    if [ -n "$noise" ]; then skip "$1" "this machine stood still three times"; else is "$1" "$(of "$2" "($3) or r")" True; fi
}

# judges SCENARIO REASON
judges() {
    tap_note <<<"$1: $(of "$1" "{k: v for k, v in r.items() if k not in ('scenario', 'frames')}")"
    true_of "$1: it was not ready, by its own times" "$1" 'r["missed"] >= 2'
    true_of "$1: that is reported" "$1" 'abs(r["reported"] - r["missed"]) <= 2'
    true_of "$1: with its reason, but for one" "$1" "r['reported'] - r['reasons'].get('$2', 0) <= 1"
    true_of "$1: no client is accused that was ready" "$1" 'r["accused"] == 0'
}

measure heavy-150 11
judges heavy-150 too-slow
true_of "the load lines have its busy time, to 5 %" heavy-150 'r["busy_percent"] is not None and abs(r["busy_percent"]) <= 5'
if [ "$(stat -f -c %T "${TMPDIR:-/tmp}")" != tmpfs ] || cannot "pages" "the temporary folder is in memory"; then
    measure pages 0
    judges pages swapped-out
fi
later=exits again=waited-again, # it was seen before 1.2 only
pipewire --version | grep -q ' 0\.\| 1\.[01]\.' || later=exits,async again=''
measure $later 0 1024
tap_note <<<"exits: $(of exits r)"
true_of "the end of a client is no dropout" exits 'r["accused"] == 0'
if [ $later != exits ] || cannot "asynchronous nodes" "this PipeWire has none"; then
    true_of "an asynchronous node is not accused" async '(r["reported"], r["accused"], r["busy_percent"] is not None) == (0, 0, True)'
    measure async-150,async-frozen 0
    judges async-150 too-slow
    judges async-frozen stopped
fi
if [ -n "$fifo" ]; then
    measure waited,${again}frozen,sleeps,helped,hogged,by-itself,crowded 0
    judges frozen stopped
    judges hogged cpu-taken
    true_of "and by whom, from the second time on" hogged '"hog" in r["culprits"]'
    judges by-itself cpu-taken-by-itself
    judges crowded cpu-taken
    true_of "a client that took it has its own name, not that of its program" crowded '"bad" in r["culprits"] and set(r["culprits"]) <= {"bad", ""}'
else
    measure waited,${again}frozen,sleeps,helped 0
    judges frozen stopped
    skip "hogged, by-itself, crowded" "no right to real-time priority"
fi
judges sleeps blocked
true_of "who waits for a thread of its own that computes, computes" helped 'r["reasons"].get("too-slow", 0) > 0'
judges waited waited-for-other
true_of "and for no wrong one" waited 'set(r["culprits"]) <= {"bad", ""}'
[ -z "$again" ] || true_of "nor is it accused when that one was late in an earlier cycle" waited-again '"waited-for-other" in r["reasons"] and "too-slow" not in r["reasons"]'
if [ -n "$fifo" ] || cannot "on one CPU who computes too long is to blame" "no right to real-time priority"; then
    result=$("$bench" --build "$SLEEPTUNE_BUILD" --frames 4096 --every 6 --dropouts 3 --seconds 0 --scenarios heavy-300 --one-cpu --json 2>"$tmp/err")
    tap_note <<<"one CPU: $(of heavy-300 r)"
    is "on one CPU who computes too long is to blame, not the server that waits for it" \
        "$(of heavy-300 'r["reasons"].get("too-slow", 0) > r["server"] or r')" True
fi
tap_done
