#!/usr/bin/env bash
# sleeptune-lab syscall on the real clock: structure and honesty, never values.
. "$SLEEPTUNE_SRC/tests/tap.sh"
own_tmp && cd "$tmp" || exit 1

refusing=$SLEEPTUNE_LAB
bench() { "$SLEEPTUNE_LAB" syscall "$@"; }
# key FILE EXPRESSION: of the JSON document d; r(call, mode) is a result
key() { "$PYTHON" -c 'import json, sys
d = json.load(open(sys.argv[1]))
r = lambda call, mode="in-process": next(r for r in d["results"] if (r["call"], r["mode"]) == (call, mode))
print(eval(sys.argv[2]))' "$1" "$2"; }

# --- the calls -------------------------------------------------------------------------------------------------------
bench --list >list
is "--list ends with 0" $? 0
is "with all calls" "$(grep -cE '^(empty|clock_gettime-(monotonic|realtime|thread_cputime)|gettimeofday|time|get(pid|ppid|uid)|sysconf|sched_yield|read-0|nanosleep-1ns) ' list)" 13
is "all texts of the list begin in one column, and absence is told in one way" \
    "$(COLUMNS=80 bench --list | grep -oE '^( +|[^ ]+ +)' | awk '{ print length }' | sort -u | wc -l) $(grep -c 'NOT HERE' list)" "1 0"
is "the wake-up call of this system, and not the other one's" "$(grep -cE '^(umtx|futex)-wake ' list)" 1
is "--list fits 80 columns" "$(COLUMNS=80 bench --list | awk 'length > 80')" ""

# --- a run -----------------------------------------------------------------------------------------------------------
bench --count 300 --fresh 25 --json >run.json 2>run.err
is "a run ends with 0" $? 0
like "what it takes is said before it starts" "$(tr '\n' ' ' <run.err)" 'calls, 300 samples and 25 fresh processes each: about'
is "every call in both modes" "$(key run.json 'len(d["results"])')" $((2 * $(grep -c '^[a-z]' list)))
is "getppid: all samples" "$(key run.json 'r("getppid")["n"], len(r("getppid")["samples_ns"])')" "(300, 300)"
is "a sample a fresh process" "$(key run.json 'r("getppid", "fresh")["n"]')" 25
is "getppid enters the kernel, as measured" "$(key run.json 'r("getppid")["path"]')" syscall
is "sysconf does not" "$(key run.json 'r("sysconf")["path"]')" library
is "a clock of CPU time enters the kernel" "$(key run.json 'r("clock_gettime-thread_cputime")["path"]')" syscall
is "the clock: a finding if and only if it is read by a system call" \
    "$(key run.json '(d["clock"]["finding"] is not None) == (d["clock"]["path"] == "syscall")')" True
is "what is missing says why" "$(key run.json 'all((x["n"] == 0) == (x["missing"] is not None) for x in d["results"])')" True

COLUMNS=80 bench --quiet --count 100 --fresh 20 >text 2>text.err
is "--quiet says nothing on standard error" "$(cat text.err)" ""
is "the text fits 80 columns" "$(awk 'length > 80' text)" ""
like "it says whether the clock is read without the kernel" "$(cat text)" 'CLOCK_MONOTONIC'
is "a column of ns has no k below a million" "$(grep -E ' [0-9]{1,3}k' text)" ""

# --- rights and ends -------------------------------------------------------------------------------------------------
if can_be_nobody || cannot "it needs no rights" "needs root and setpriv"; then
    as_nobody --bounding-set=-all "$SLEEPTUNE_LAB" syscall --quiet --count 30 --fresh 2 --calls getppid --json >nobody.json
    is "it needs no rights" "$(key nobody.json 'r("getppid")["n"] > 0')" True
fi
"$SLEEPTUNE_LAB" syscall --quiet --count 100 --fresh 100000 --json >int.json &
pid=$!
wait_for slept $pid 1000
kill -INT $pid
wait $pid
is "Ctrl-C ends early with status 0" $? 0
is "and keeps what was measured" "$(key int.json 'd["interrupted"], r("getppid")["n"] >= 50')" "(True, True)"
is "a call of another system: unknown" "$(bench --quiet --fresh 0 --calls umtx-wake,futex-wake >/dev/null 2>&1; echo $?)" 3

# --- bad input ---------------------------------------------------------------------------------------------------------
each_refused 3 syscall '--calls nonsense' '--calls ,' '--calls getpid,,time' '--count 0' '--count -1' '--count 1e3' '--count 9999999' '--fresh -1' \
    '--fresh x' '--format xml' '--one-shot nonsense' 'nonsense'
tap_done
