#!/usr/bin/env bash
# sleeptune-lab exec on the real clock, and results as CSV and Markdown: structure and honesty, never values.
. "$SLEEPTUNE_SRC/tests/tap.sh"
own_tmp && cd "$tmp" || exit 1

refusing=$SLEEPTUNE_LAB
bench() { "$SLEEPTUNE_LAB" exec --quiet "$@"; }
# one line, blanks squeezed
flat() { tr '\n' ' ' | tr -s ' '; }

cat >say <<'EOF'
#!/bin/sh
echo "$*" >>"$0.said"
EOF
chmod +x say
bench --start true "./say {} {s} {ms} {us}" --durations 5ms,10ms --runs 2 --warmup 0 >/dev/null
is "a time is replaced in seconds, milliseconds and microseconds" "$(sort -u say.said)" "0.005 0.005 5 5000
0.01 0.01 10 10000"
like "without a place the program runs as it is" "$(bench 'sleep 0' --runs 2 --warmup 0)" '^sleep 0$'

# --- digits, few runs ------------------------------------------------------------------------------------------------
bench 'sleep {}' --durations 1s --runs 2 --warmup 0 | flat >long
# milliseconds; seconds on a busy machine, where the spread is more than 10 ms, and microseconds where two runs happen to be as long
like "a second has digits down to its spread" "$(cat long)" 'sleep 1 (1[0-9]{3}(\.[0-9]+)? ± [0-9.]+ ms, 1[0-9]{3}(\.[0-9]+)? \.\. 1[0-9]{3}(\.[0-9]+)? ms|1[0-9]{6}(\.[0-9]+)? ± [0-9.]+ µs, 1[0-9]{6}|[0-9]+\.[0-9]+ ± [0-9]+\.[0-9]+ s, )'

like "--time-unit is of all times" "$(bench 'sleep {}' --durations 1ms --runs 2 --warmup 0 --time-unit us | flat)" 'sleep 0.001 [0-9.]+ ± [0-9.]+ µs, .* without its start -?[0-9.]+ µs, overshoot -?[0-9.]+ µs'
like "in Markdown, too" "$(bench 'sleep {}' --durations 1ms --runs 2 --warmup 0 --time-unit us --format markdown | head -n 1)" '\| mean \[µs\] \| sd \[µs\]'
like "the first line says who is faster, and by how much" "$(bench 'sleep {}' 'sh -c "sleep {}; sleep 0.01"' --durations 1ms --runs 6 | flat)" '^sleep 0\.001: [0-9.]+ times faster than sh -c "sleep 0\.001; sleep 0\.01" \[[0-9.]+ \.\. [0-9.]+\]\.'
rm say.said
bench './say run' --setup './say setup' --prepare './say prepare' --cleanup './say cleanup' --start true --runs 2 --warmup 0 >/dev/null
is "what is run before all, before each run and after all" "$(head -n 1 say.said) $(grep -c prepare say.said) $(grep -c run say.said) $(tail -n 1 say.said)" "setup 4 2 cleanup"
is "a program that fails counts if it is told to" "$(bench "sh -c 'exit 7'" --ignore-failure --runs 2 --warmup 0 >/dev/null 2>&1; echo $?)" 0
is "what runs before and fails does not go unnoticed" "$(for before in setup prepare; do bench true --$before false --runs 2 2>&1 >/dev/null; done | grep -c "'false' ended with status 1")" 2
refused "another unit" 3 exec true --time-unit h
cat >seconds.json <<'JSON'
{"schema": "sleeptune-bench-exec/1", "results": [{"command": "sleep 1", "n": 3, "wall_ns": {"mean": 1002371000, "sd": 737300, "min": 1001500000, "max": 1003100000}}]}
JSON
is "Markdown has the digits of the spread" "$("$SLEEPTUNE_LAB" table seconds.json --format markdown | tail -n 1)" "| sleep 1 | 3 | 1.00237 | 0.0007373 | 1.00150 | 1.00310 |"

# --- whole programs -----------------------------------------------------------------------------------------------
ends 0 "whole programs" bench 'sleep {}' "sh -c 'exit 0'" --durations 4ms,2ms --runs 8 --json
is "each duration stands for {} once, in seconds, and they come in their order" "$(key out '[r["command"] for r in d["results"]]')" \
    "[\"sh -c 'exit 0'\", 'sleep 0.002', 'sleep 0.004']"
is "a program that sleeps runs longer than that; the start of each is shown apart: it sleeps 0 s, or where it cannot be told, true" \
    "$(key out 'all(r["wall_ns"]["min"] > r["requested_ns"] for r in d["results"][1:]), [(s["command"], s["n"]) for s in d["starts"]]')" "(True, [('sleep 0', 8), ('true', 8)])"
is "a start that is named is that of all" "$(bench 'sleep {}' --start "sh -c 'exit 0'" --durations 2ms --runs 6 --json | key - '[s["command"] for s in d["starts"]], d["results"][0]["start"]')" "([\"sh -c 'exit 0'\"], \"sh -c 'exit 0'\")"
if [ -r /proc/self/timerslack_ns ]; then
    found=$(cat /proc/self/timerslack_ns)
    bench "sh -c 'echo {} \$(cat /proc/self/timerslack_ns) >>slacks'" --durations 2ms --runs 2 --warmup 0 >/dev/null
    is "sleeping for nothing is not stretched, sleeping is as found" "$(sort -u slacks | tr '\n' ' ')" "0 1 0.002 $found "
fi
like "a program that cannot sleep for 0 s: where its start is named" "$(bench "sh -c 'exit \$((1 - {}0 / 10))'" --durations 1s 2>&1 >/dev/null)" "'sh -c .* ended with status 1\..*--start"
like "the text names the starts" "$(bench 'sleep {}' 'sleep 0.001' --durations 1ms --runs 6 | tr '\n' ' ')" \
    'sleep 0   \(sleeps 0 s: only its start.*true   \(only the start and end of a process'
ends 4 "a program that is not there: status 4" bench no-such-program
like "and its name" "$(cat err)" "'no-such-program': (No such file|Permission denied)" # of a folder in PATH
ends 4 "a program that fails: status 4" bench "sh -c 'exit 7'"
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
    is "SIG$name to us alone while a program runs: status 0, and it is passed on to that" "$? $(cat "$name/got" 2>&1)" "0 $name"
    is "and what was measured is kept" "$(key exec.json 'd["interrupted"], [r["n"] for r in d["results"]]')" "(True, [6])"
done
refused "a quote without its end" 3 exec --quiet "sh -c 'exit"
refused "no program" 3 exec --quiet
refused "an empty command" 3 exec --quiet ' '
refused "a file that cannot be written, before anything is run" 4 exec true --export-json none/exec.json

# --- tables ----------------------------------------------------------------------------------------------------------
bench 'sleep {}' 'env sleep {}' --durations 1ms --runs 6 --format markdown >table.md
like "Markdown has a head with units" "$(head -n 1 table.md)" '^\| command \| requested \[ms\] \| n \| mean \[ms\] \| sd \[ms\] \| min \[ms\] \| max \[ms\] \| overshoot percent \| difference \[ms\] \| difference ci95 low \[ms\] \| difference ci95 high \[ms\] \|$'
is "a line each program" "$(grep -c '^| .*sleep 0.001 | 1.000 | 6 |' table.md)" 2
bench 'sh -c "sleep {} #, |"' --durations 1ms --runs 2 --format csv >table.csv
is "CSV is read as it was written" "$("$PYTHON" -c 'import csv
for row in csv.DictReader(open("table.csv", newline="")): print(row["command"], row["n"], None in row, None in row.values())')" 'sh -c "sleep 0.001 #, |" 2 False False'
like "a bar in a name does not end a cell" "$(bench 'sh -c "sleep {} #, |"' --durations 1ms --runs 2 --format markdown)" '#, \\\|" \| 1\.000'
"$SLEEPTUNE_LAB" syscall --quiet --count 60 --fresh 0 --calls getpid,time --format markdown >calls.md
like "calls have their quartiles, and the interval of the median" "$(head -n 1 calls.md)" \
    '\| call \| mode \| n \| mean \[ns\] \| sd \[ns\] \| min \[ns\] \| q1 \[ns\] \| median \[ns\] \| median ci95 low \[ns\] \| median ci95 high \[ns\] \| q3'
"$SLEEPTUNE_LAB" syscall --quiet --count 60 --fresh 2 --calls getpid,time --json >saved.json
"$SLEEPTUNE_LAB" table saved.json >saved.csv
like "table: a saved JSON as CSV" "$(head -n 1 saved.csv)" '^call,mode,.*,ns\.median,.*median_ci95_ns\.low'
is "with a line for each result" "$(wc -l <saved.csv)" 5
"$SLEEPTUNE_LAB" table saved.json --samples >samples.csv
is "its single values, a column for each result" "$("$PYTHON" - <<'EOF'
import csv, json
rows = list(csv.reader(open("samples.csv", newline="")))
results = json.load(open("saved.json"))["results"]
print(rows[0], all([int(row[i]) for row in rows[1:] if row[i]] == result["samples_ns"] for i, result in enumerate(results)))
EOF
)" "['getpid, mode in-process', 'time, mode in-process', 'getpid, mode fresh', 'time, mode fresh'] True"
like "of which analyse reads one" "$("$SLEEPTUNE_LAB" analyse samples.csv:3)" '^series +2 values'
echo '{"a": 1}' >foreign.json
refused "what is no document of sleeptune" 4 table foreign.json
"$SLEEPTUNE_LAB" table saved.csv >out 2>err # in libjansson's words
is "what is no JSON is a failure" "$? $(grep -c '^sleeptune-lab table: cannot read saved.csv: ' err)" "4 1"
refused "two files" 3 table saved.json saved.json
refused "another format" 3 exec true --format html
tap_done
