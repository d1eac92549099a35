#!/usr/bin/env bash
# sleeptune-lab syscall on the real clock: structure and honesty, never values.
. "$SLEEPTUNE_SRC/tests/tap.sh"
own_tmp && cd "$tmp" || exit 1

refusing=$SLEEPTUNE_LAB
bench() { "$SLEEPTUNE_LAB" syscall "$@"; }
# of FILE EXPRESSION: of the JSON document d; r(call, mode) is a result
of() { key "$1" "(lambda r: ($2))(lambda call, mode='in-process': next(r for r in d['results'] if (r['call'], r['mode']) == (call, mode)))"; }

# --- the calls -------------------------------------------------------------------------------------------------------
ends 0 "--list ends with 0" bench --list
mv out list
is "with all calls" "$(grep -cE '^(empty|clock_gettime-(monotonic|realtime|thread_cputime)|gettimeofday|time|get(pid|ppid|uid)|sysconf|sched_yield|read-0|nanosleep-1ns) ' list)" 13
is "all texts of the list begin in one column, and absence is told in one way" \
    "$(COLUMNS=80 bench --list | grep -oE '^( +|[^ ]+ +)' | awk '{ print length }' | sort -u | wc -l) $(grep -c 'NOT HERE' list)" "1 0"
is "the wake-up call of this system, and not the other one's" "$(grep -cE '^(umtx|futex)-wake ' list)" 1
is "--list fits 80 columns" "$(COLUMNS=80 bench --list | awk 'length > 80')" ""

# --- a run -----------------------------------------------------------------------------------------------------------
ends 0 "a run ends with 0" bench --count 300 --fresh 25 --json
like "what it takes is said before it starts" "$(tr '\n' ' ' <err)" 'calls, 300 samples and 25 fresh processes each: about'
is "every call in both modes" "$(key out 'len(d["results"])')" $((2 * $(grep -c '^[a-z]' list)))
is "getppid: all samples, and one of each fresh process" "$(of out 'r("getppid")["n"], len(r("getppid")["samples_ns"]), r("getppid", "fresh")["n"]')" "(300, 300, 25)"
is "getppid and a clock of CPU time enter the kernel, as measured, and sysconf does not" \
    "$(of out '[r(call)["path"] for call in ("getppid", "clock_gettime-thread_cputime", "sysconf")]')" "['syscall', 'syscall', 'library']"
is "the clock has a finding if and only if it is read by a system call; what is missing says why" \
    "$(key out '(d["clock"]["finding"] is not None) == (d["clock"]["path"] == "syscall"), all((x["n"] == 0) == (x["missing"] is not None) for x in d["results"])')" "(True, True)"

COLUMNS=80 bench --quiet --count 100 --fresh 20 >text 2>text.err
is "--quiet says nothing on standard error" "$(cat text.err)" ""
is "the text fits 80 columns" "$(awk 'length > 80' text)" ""
like "it says whether the clock is read without the kernel" "$(cat text)" 'CLOCK_MONOTONIC'
is "a column of ns has no k below a million" "$(grep -E ' [0-9]{1,3}k' text)" ""

# --- rights and ends -------------------------------------------------------------------------------------------------
if can_be_nobody || cannot "it needs no rights" "needs root and setpriv"; then
    is "it needs no rights" "$(as_nobody --bounding-set=-all "$SLEEPTUNE_LAB" syscall --quiet --count 30 --fresh 2 --calls getppid --json | of - 'r("getppid")["n"] > 0')" True
fi
"$SLEEPTUNE_LAB" syscall --quiet --count 100 --fresh 100000 --json >int.json &
pid=$!
wait_for slept $pid 1000
kill -INT $pid
wait $pid
is "Ctrl-C ends early with status 0" $? 0
is "and keeps what was measured" "$(of int.json 'd["interrupted"], r("getppid")["n"] >= 50')" "(True, True)"
is "a call of another system: unknown" "$(bench --quiet --fresh 0 --calls umtx-wake,futex-wake >/dev/null 2>&1; echo $?)" 3

# --- bad input ---------------------------------------------------------------------------------------------------------
each_refused 3 syscall '--calls nonsense' '--calls ,' '--calls getpid,,time' '--count 0' '--count -1' '--count 1e3' '--count 9999999' '--fresh -1' \
    '--fresh x' '--format xml' '--one-shot nonsense' 'nonsense'
tap_done
