#!/usr/bin/env bash
# sleeptune-lab sleep on the real clock: structure and honesty, never values.
set -u
. "$SLEEPTUNE_SRC/tests/tap.sh"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1

refusing=$SLEEPTUNE_LAB
bench() { "$SLEEPTUNE_LAB" sleep "$@"; }
programs() { "$SLEEPTUNE_LAB" exec "$@"; }
# key FILE EXPRESSION: of the JSON document d
key() { "$PYTHON" -c 'import json, sys; d = json.load(open(sys.argv[1])); print(eval(sys.argv[2]))' "$1" "$2"; }

# --- the methods -------------------------------------------------------------------------------------------------
bench --list >list
is "--list ends with 0" $? 0
only='epoll_wait futex' others='umtx kevent-timer'
[ "$(uname)" = Linux ] || { only='umtx kevent-timer' others='epoll_wait futex'; }
for method in clock_nanosleep-abs-monotonic nanosleep usleep select poll ppoll timerfd-abs posix-timer pthread_cond_timedwait $only; do
    grep -q "^$method " list || fail "--list has $method"
done
for method in $others; do
    is "--list has only what this system has: $method" "$(grep -c "^$method " list)" 0
done
COLUMNS=400 bench --list | sed -n 's/^\([^ ]*\) .*; not available: .*/\1/p' >refused
while read -r method; do # what the kernel refuses is refused when it is measured, too
    is "--list says that $method is not available: nor is it measured" \
        "$(bench --quiet --budget 200ms --durations 1ms --methods "$method" >/dev/null 2>&1; echo $?)" 4
done <refused
is "--list does not say so of posix-timer" "$(grep -c '^posix-timer$' refused)" \
    "$(bench --quiet --budget 200ms --durations 1ms --methods posix-timer >/dev/null 2>&1 && echo 0 || echo 1)"
is "--list fits 80 columns" "$(COLUMNS=80 bench --list | awk 'length > 82')" "" # bytes: µ has two
is "all its texts begin in one column, and absence is told in one way" \
    "$(COLUMNS=80 bench --list | grep -oE '^( +|[^ ]+ +)' | awk '{ print length }' | sort -u | wc -l) $(grep -c 'NOT HERE' list)" "1 0"
is "--list is ASCII where the locale is not UTF-8" "$(LC_ALL=C bench --list | LC_ALL=C grep -c '[^ -~]')" 0

# --- a run -------------------------------------------------------------------------------------------------------
bench --budget 3s --durations 1ms,2ms --seed 7 --json >run.json 2>run.err
is "a run ends with 0" $? 0
like "what it takes is said before it starts" "$(tr '\n' ' ' <run.err)" 'methods, 2 durations, .*seed 7\). This takes at most 3(.00)? s and gives about [0-9]+ (to [0-9]+ )?samples'
is "the budget is kept" "$(key run.json 'd["elapsed_ns"] < 20e9')" True # the usual one is 1 min
is "the seed is told" "$(key run.json 'd["seed"]')" 7
is "six methods by default" "$(key run.json 'len(d["methods"])')" 6
is "a cell for each" "$(key run.json 'len(d["results"]) % 12')" 0
is "the median lies within its interval" \
    "$(key run.json 'all(r["median_ci95_ns"][0] <= r["overshoot_ns"]["median"] <= r["median_ci95_ns"][1] for r in d["results"] if r["median_ci95_ns"])')" True
is "the share on time is one of n" \
    "$(key run.json 'all(r["on_time_share"] is None if r["n"] == 0 else 0 <= r["on_time_share"] <= 1 and abs(r["on_time_share"] * r["n"] % 1 - 0.5) > 0.499 for r in d["results"])')" True
is "no quantile of too few samples" \
    "$(key run.json 'all((r["overshoot_ns"]["p99"] is None) == (r["n"] < 1000) and (r["overshoot_ns"]["median"] is None) == (r["n"] < 20) for r in d["results"])')" True
is "ranks begin at 1" "$(key run.json 'all(min([r["rank"] for r in d["results"] if r["rank"] and r["requested_ns"] == t] or [1]) == 1 for t in (1000000, 2000000))')" True
is "another rank than the first: somebody is shown to be earlier" \
    "$(key run.json 'all(r["beaten_by"] >= r["rank"] - 1 if r["rank"] else r["beaten_by"] is None for r in d["results"])')" True
is "no sleep ended early by more than 1 ms" "$(key run.json 'min(r["overshoot_ns"]["min"] for r in d["results"] if r["n"]) > -1000000')" True

bench --quiet --budget 1s --durations 1ms --methods nanosleep >text 2>text.err
is "--quiet says nothing on standard error" "$(cat text.err)" ""
bench --budget 1s --methods "${others%% *}" >text.out 2>text.err
is "a method of another system: unknown" "$? $(head -1 text.err)" "3 sleeptune-lab sleep: --methods: ${others%% *} is unknown (--list shows all)"
is "the text fits 80 columns" "$(COLUMNS=80 bench --quiet --budget 1s | "$PYTHON" -c 'import sys; print(max(map(len, sys.stdin.read().splitlines())) <= 80)')" True
COLUMNS=80 bench --quiet --all --budget 1s --durations 1ms --slack found >all
is "--all tries every method of the list once" "$(sed -n 's/ .*//p' list | sort -u | while read -r m; do
    grep -Eq "^ ?[0-9-]* ?$m( |\$)" all || echo "$m"; done)" ""
is "a long name does not run into the figures" "$(grep -E '^[a-z_0-9-]{30,}[0-9-] ' all; awk 'length > 84' all)" "" # bytes: µ has two
is "no blanks at the ends of lines" "$(grep -c ' $' all)" 0
like "too few blocks: what stretches is not said" "$(bench --quiet --budget 200ms --durations 50ms --methods nanosleep)" 'too short to show it'
like "what a dash means is told" "$(bench --quiet --brief --budget 200ms --durations 50ms --methods nanosleep)" '^A dash: fewer than 20 samples, too few for a median'
bench --quiet --brief --budget 1s --durations 1ms --methods ppoll >enough
is "where there is one" "$(grep -q '^A dash: fewer' enough; echo $?)" "$(grep -q '^ppoll .* -$' enough; echo $?)"
like "what stretches has its n" "$(tr '\n' ' ' <enough)" 'Each method slept at least [0-9]+ times with each|did not measure|too short to show'
like "and how many samples a figure takes" "$(tr '\n' ' ' <text)" 'p95 200, p99 1000\. Set a longer --budget'
like "too few samples are told" "$(bench --quiet --budget 200ms --durations 50ms --methods nanosleep,ppoll)" 'too few samples'

# --- rights ---------------------------------------------------------------------------------------------------------
if can_be_nobody; then
    as_nobody --bounding-set=-all bash -c 'ulimit -r 0; exec "$@"' - \
        "$SLEEPTUNE_LAB" sleep --quiet --budget 1s --durations 1ms --methods ppoll --policy fifo,other --json >nobody.json
    is "without the right to FIFO the rest is measured" "$(key nobody.json '[r["n"] > 0 for r in d["results"]][0:2]')" "[False, True]"
    like "and that is told" "$(key nobody.json 'd["results"][0]["missing"]')" 'no right'
    as_nobody --bounding-set=-all bash -c 'ulimit -r 0; exec "$@"' - \
        "$SLEEPTUNE_LAB" sleep --quiet --budget 2s --durations 1ms --methods ppoll --policy other,fifo --slack found --brief >nobody.brief
    like "also when brief" "$(tr '\n' ' ' <nobody.brief)" 'A dash: not measured, because no right to a real-time policy \(.*\) \(SCHED_FIFO 70\)\.'
    is "and too few samples are not said to be why" "$(grep -c '^A dash: fewer' nobody.brief)" "$(sed '/SCHED_FIFO/,$d' nobody.brief | grep -c '^ppoll .* -$')"
else
    skip "without the right to FIFO" "needs root and setpriv"
fi

# --- ends -----------------------------------------------------------------------------------------------------------
"$SLEEPTUNE_LAB" sleep --quiet --budget 1h --precision 0 --durations 1ms --json >int.json &
pid=$!
wait_for slept $pid 300
kill -INT $pid
wait $pid
is "Ctrl-C ends early with status 0" $? 0
is "and keeps what was measured" "$(key int.json 'd["interrupted"], sum(r["n"] for r in d["results"]) > 20')" "(True, True)"
is "a full disk is a failure" "$(bench --quiet --budget 200ms --durations 1ms --methods ppoll >/dev/full 2>/dev/null; echo $?)" 4

# --- whole programs -----------------------------------------------------------------------------------------------
programs --quiet 'sleep {}' "sh -c 'exit 0'" --durations 2ms,4ms --runs 8 --json >exec.json
is "whole programs: status 0" $? 0
is "each duration stands for {} once, in seconds" "$(key exec.json '[r["command"] for r in d["results"]]')" \
    "['sleep 0.002', 'sleep 0.004', \"sh -c 'exit 0'\"]"
is "a program that sleeps runs longer than that" "$(key exec.json 'all(r["wall_ns"]["min"] > r["requested_ns"] for r in d["results"][:2])')" True
is "the start of each is shown apart: it sleeps 0 s, or where it cannot be told, true" "$(key exec.json '[(s["command"], s["n"]) for s in d["starts"]]')" \
    "[('sleep 0', 8), ('true', 8)]"
is "and taken off its own runs" "$(key exec.json '[(r["start"], r["net_ns"] is not None) for r in d["results"]]')" \
    "[('sleep 0', True), ('sleep 0', True), ('true', True)]"
is "without {} nothing was asked for" "$(key exec.json 'd["results"][2]["overshoot_ns"]')" None
is "nobody beside it: no rank" "$(key exec.json '{r["rank"] for r in d["results"]}')" "{None}"
programs --quiet --start true "sh -c 'sleep {}; sleep 0.05'" "sh -c 'sleep {}; sleep 0.2'" --durations 2ms --runs 8 --warmup 0 --json >exec.json
is "programs that sleep as long are ranked" "$(key exec.json '[r["rank"] is not None for r in d["results"]], min(r["rank"] for r in d["results"])')" "([True, True], 1)"
programs --quiet 'sleep {}' --start "sh -c 'exit 0'" --durations 2ms --runs 6 --json >exec.json
is "a start that is named is that of all" "$(key exec.json '[s["command"] for s in d["starts"]], d["results"][0]["start"]')" "([\"sh -c 'exit 0'\"], \"sh -c 'exit 0'\")"
if [ -r /proc/self/timerslack_ns ]; then
    found=$(cat /proc/self/timerslack_ns)
    programs --quiet "sh -c 'echo {} \$(cat /proc/self/timerslack_ns) >>slacks'" --durations 2ms --runs 2 --warmup 0 >/dev/null
    is "sleeping for nothing is not stretched, sleeping is as found" "$(sort -u slacks | tr '\n' ' ')" "0 1 0.002 $found "
fi
like "a program that cannot sleep for 0 s: where its start is named" "$(programs --quiet "sh -c 'exit \$((1 - {}0 / 10))'" --durations 1s 2>&1 >/dev/null)" "'sh -c .* ended with status 1\..*--start"
like "the text names the starts" "$(programs --quiet 'sleep {}' 'sleep 0.001' --durations 1ms --runs 6 | tr '\n' ' ')" \
    'sleep 0   \(sleeps 0 s: only its start.*true   \(only the start and end of a process'
is "a program that is not there: status 4" "$(programs --quiet no-such-program >/dev/null 2>err; echo $?)" 4
like "and its name" "$(cat err)" "'no-such-program': (No such file|Permission denied)" # of a folder in PATH
is "a program that fails: status 4" "$(programs --quiet "sh -c 'exit 7'" >/dev/null 2>err; echo $?)" 4
like "and how it ended" "$(cat err)" 'ended with status 7'
cat >child <<'END'
echo x >>"$1/runs"
[ "$(wc -l <"$1/runs")" -gt 6 ] || exit 0
trap 'echo "$2" >"$1/got"; exit 0' "$2"
: >"$1/waits"
for i in $(seq 300); do sleep 0.1; done
END
for name in INT TERM; do
    mkdir "$name"
    "$SLEEPTUNE_LAB" exec --quiet --budget 1h --warmup 0 "sh child $name $name" --json >exec.json &
    pid=$!
    wait_for test -e "$name/waits"
    kill "-$name" $pid
    wait $pid
    is "SIG$name to us alone while a program runs: status 0" $? 0
    is "it is passed on to that" "$(cat "$name/got" 2>&1)" "$name"
    is "and what was measured is kept" "$(key exec.json 'd["interrupted"], [r["n"] for r in d["results"]]')" "(True, [6])"
done
refused "a quote without its end" 3 exec --quiet "sh -c 'exit"
refused "no program" 3 exec --quiet
refused "an empty command" 3 exec --quiet ' '

# --- bad input --------------------------------------------------------------------------------------------------------
for bad in '--durations 0' '--durations -5ms' '--durations 5parsecs' '--durations 1h' '--durations 0f' '--durations 5ms,,6ms' '--durations 5,10ms' '--durations 1e30s' \
    '--durations 1ns' '--methods nonsense' '--methods ,' '--budget 0' '--budget -1s' '--budget 1ms' '--budget 1s --durations 5s' \
    '--policy realtime' '--slack 0' '--slack 5' '--slack -1ns' '--priority 0' '--priority 100' '--precision -1' '--precision x' \
    '--seed -1' '--baseline umtx' '--format xml' '--runs 9' 'nonsense'; do
    # shellcheck disable=SC2086  # words
    refused "$bad" 3 sleep $bad
done
refused "more durations than there is room for" 3 sleep --durations "$(seq -s ms, 25)ms"
bench --quiet --budget 200ms --durations 1ms,1000us --methods ppoll,ppoll --slack found --json >twice.json
is "what is named twice is measured once" "$(key twice.json 'len(d["results"]), len(d["methods"])')" "(1, 1)"
screen_is no-bench "$SLEEPTUNE_LAB"
refused "an unknown bench" 3 nonsense
tap_done
