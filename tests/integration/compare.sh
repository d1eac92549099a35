#!/usr/bin/env bash
# compare: files of every kind, what differs and what does not, what cannot be compared.
set -u
. "$SLEEPTUNE_SRC/tests/tap.sh"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1

status() {
    local wanted=$1 name=$2 got
    shift 2
    "$@" >out 2>err
    got=$?
    if [ "$got" = "$wanted" ]; then pass "$name"; else fail "$name" "status $got, wanted $wanted
$(cat out err)"; fi
}
compare() { "$SLEEPTUNE" compare "$@"; }
# column SHIFT SEED N: lateness in ns, 20 us and noise
column() {
    awk -v shift="$1" -v seed="$2" -v n="$3" 'BEGIN {
        srand(seed)
        for (i = 0; i < n; i++)
            printf "%d\n", 20000 + shift + 4000 * (rand() + rand() - 1) + (rand() < 0.005 ? 100000 * rand() : 0)
    }'
}

# --- equal and different
column 0 1 12000 >a
column 0 2 12000 >same
column 500 3 12000 >later
status 0 "runs that do not differ" compare a same
like "no difference shown is said" "$(cat out)" 'median: no difference shown'
like "and how much could not have been missed" "$(tr -s ' \n' '  ' <out)" 'A true difference of .* would have been found'
status 0 "a difference that would matter" compare a same --difference 1ns
like "and that no amount of data shows it in practice" "$(tr -s ' \n' '  ' <out)" 'a difference of 1 ns, both runs need more than 1000 times as much data'
status 0 "one that more data shows" compare a same --difference 30ns
like "and how much more" "$(tr -s ' \n' '  ' <out)" 'a difference of 30 ns, both runs need [0-9.]+ times as much data'
# misses MORE: 2000 values every 1 ms, of which so many miss, far apart
misses() { awk -v n="$1" 'BEGIN {for (i = 0; i < 2000; i++) print (i % 149 == 50 + int(i / 149) && i / 149 < n ? 1500000 : 20000 + i % 977)}'; }
misses 0 >none
for n in 6 7 8 9 10 11 12; do
    misses "$n" >some
    status $((n >= 7)) "$n of 2000 missed against none: seven show it" compare none some --every 1ms
done
misses 0 | awk '{print $1 + 1}' >none2
compare none none2 --every 1ms >out
like "how many misses would have been shown" "$(tr -s ' \n' '  ' <out)" 'missed: no difference shown. A true difference of 0.453 % more would have been found in 4 of 5'
awk 'NR > 700 && NR <= 730 {print 1500000; next} {print}' none >stall
compare none stall --every 1ms >out
like "a stall of 30 is one, not 30" "$(tr -s ' \n' '  ' <out)" 'come in bursts: they count as fewer independent ones, 3\.3[0-9] % of their number'
like "and shows nothing of misses" "$(cat out)" '^missed .* 1\.0000$'
status 1 "runs that differ" compare a later
like "by how much" "$(cat out)" '^median .*\+(4[5-9][0-9]|5[0-4][0-9]) ns .*\*$'
status 1 "and the other way round" compare later a
like "by how much less" "$(cat out)" '^median .*-(4[5-9][0-9]|5[0-4][0-9]) ns .*\*$'
compare later a >again
is "the same files give the same figures" "$(cat again)" "$(cat out)"
status 1 "three runs, each against the first" compare a same later --json
is "are two comparisons" "$(grep -c '"label"' out)" 2
like "of which all figures are corrected for" "$(cat out)" '"tests": 8,'
status 0 "a file against itself" compare a a
like "is said to be that" "$(tr -s ' \n' '  ' <out)" 'it is a copy, or the same file'
is "text fits 80 columns" "$(COLUMNS=80 compare a later | sed 's/µ/u/g' | awk 'length > 80')" ""

like "text has the period that it is told" "$(compare a same --every 1ms)" 'a period of 1.000 ms'
status 3 "--every wants a time" compare a same --every soon

sed '1i# period_ns: 4000000/3\nperiod,lateness_ns,skipped' a | awk 'NR < 3 {print; next} {print NR - 3 "," $1 ",0"}' >third.csv
compare a third.csv --every 1333us >out
like "periods that differ have the digits that do" "$(cat out)" '^B differs  period: 1333\.0 µs in A, 1333\.3 µs in B\.$'
like "alike or not is said of those that are not" "$(compare a third.csv --every 1ms)" 'period: 1.000 ms in A, 1.333 ms in B. The'

# --- pictures
picture() { "$PYTHON" "$SLEEPTUNE_SRC/tests/integration/picture.py" "$1" 2>&1; }
status 1 "a picture does not change the verdict" compare a same later --plot three.svg
picture three.svg >parts
like "the runs lie side by side" "$(cat parts)" '^box 3$'
is "with their medians in the boxes" "$(grep -c '^median: ' parts)" 3
like "and their letters" "$(cat parts)" '^text: C: later$'
like "what is shown is written below" "$(grep '^text:' parts | sed 's/^text: //' | tr '\n' ' ')" 'Differences shown: [1-8] of 8 figures.* C - A, median \+[45][0-9][0-9] ns \(95 %: \+'
status 1 "quantiles" compare a later --plot lines.svg --kind quantile
like "have a line for each run" "$(picture lines.svg)" '^values 2$'
status 0 "a picture of runs that do not differ" compare a same --plot same.svg
like "says so" "$(picture same.svg | tr '\n' ' ' | sed 's/text: //g')" 'Differences shown: 0 of 4 figures'
like "in the terminal it follows the result" "$(compare a same --plot - | sed -n '/^note/,$p')" '^Box plots'
status 3 "which JSON has no room for" compare a same --json --plot -
status 3 "an unknown suffix is a usage error" compare a same --plot a.gif
is "before anything is compared" "$(cat out)" ""
status 3 "and an unknown kind" compare a same --plot a.svg --kind pie
status 4 "a folder that is not there" compare a same --plot nowhere/a.svg
is "is said at once" "$(cat out err)" "sleeptune compare: cannot write nowhere/a.svg: No such file or directory"

# --- few values
head -1 a >one
status 2 "one value cannot be compared" compare one a
like "which is said" "$(cat out)" 'median: 1 value; at least 20 are needed'
head -500 a >few
compare few same --json >out
is "p99 of 500 values is null, p99.9 too" "$(sed -n '/"figure": "p99/,/difference/p' out | grep -c '"a": null')" 2

# --- recordings, their CSV and histogram logs
if "$SLEEPTUNE" measure --duration 3s --frames 32 --policy other --record r.strec --hlog r.hlog --json >r.json 2>err; then
    status 0 "a recording and its histogram log do not differ" compare r.strec r.hlog
    like "the log knows its circumstances" "$(cat out)" '^B differs  in no test condition'
    grep -v '^# [a-z]' r.hlog >old.hlog
    like "a log of before does not" "$(compare r.strec old.hlog)" 'a file does not record its'
    compare r.strec r.hlog >out
    if [ "$(grep -c '^"\?Tag=lateness' r.hlog)" -lt 8 ]; then # of so few intervals no order is known
        compare "$SLEEPTUNE_SRC/tests/fixtures/recordings/kvm-guest-128.strec" r.hlog >order
        like "of neighbours of a log without order nothing is said" "$(tr -s ' \n' '  ' <order)" 'A counts as about [0-9]+ independent values\. '
    fi
    like "the log has no misses" "$(cat out)" '^missed .* -$'
    status 0 "measure's JSON against itself" compare r.json r.json
    status 0 "a recording and the JSON of the same run do not differ" compare r.strec r.json --plot mixed.svg
    like "which is said to be by figures" "$(tr -s ' \n' '  ' <out)" 'A r.strec: recording, .* Compared by its figures'
    like "their medians are the same" "$(cat out)" '^median .* 0 ns '
    like "circumstances that both know are the same" "$(cat out)" '^B differs  in no test condition'
    is "and both are in the picture" "$(picture mixed.svg | grep -c '^text: [AB]: r.*, n = [0-9]*$')" 2
    sed 's/\("timer_slack_ns": *\|"cpus_online": *\)\([0-9]*\)/\1"\2"/' r.json >older.json # its numbers were texts
    status 0 "documents with numbers as texts are read, too" compare r.json older.json
    like "and do not differ by that" "$(cat out)" '^B differs  in no test condition'
    is "here there are such" "$(grep -c '"cpus_online": *"[0-9]' older.json)" 1
    sed 's/"fifo"/"other"/; s/"policy": "other"/"policy": "changed"/' r.json >changed.json
    like "circumstances that differ are said" "$(compare r.json changed.json)" 'policy: other -> changed'
    head -c $(($(stat -c %s r.strec) - 40)) r.strec >cut.strec
    compare cut.strec r.strec >out
    like "a recording without end is read up to there" "$(tr -s ' \n' '  ' <out)" 'no end mark'
    printf '\x02' | dd of=cut.strec bs=1 seek=8 conv=notrunc status=none
    status 4 "a newer recording is refused" compare r.strec cut.strec
    like "by name" "$(cat err)" 'newer sleeptune'
    head -c 20 r.strec >stump
    status 4 "one cut in its first block, too" compare r.strec stump
    head -c $(($(stat -c %s r.hlog) / 2)) r.hlog >torn.hlog
    status 4 "and a torn histogram log" compare r.strec torn.hlog
else
    fail "measure records" "$(cat err)"
fi

# --- waiting punctually is another circumstance than waiting plainly
punctual() { "$SLEEPTUNE" measure --duration 1s --policy other --record "$@" --json 2>err; }
if punctual plain.strec >plain.json && punctual early.strec --punctual=free,1.7 >early.json; then
    like "a punctual recording beside a plain one" "$(compare plain.strec early.strec)" '^B differs  punctual: no -> free,1.7$'
    like "ways of waiting are compared one by one" "$(compare early.json early.json)" '^free$'
    status 4 "and never with plain waiting as a mixture" compare plain.json early.json
    like "a recording of before does not say" "$(compare "$SLEEPTUNE_SRC/tests/fixtures/recordings/kvm-guest-128.strec" early.strec)" \
        'punctual: unknown -> free,1.7'
else
    fail "measure records punctual waiting" "$(cat err)"
fi

# --- a real run against itself: a guest whose host and neighbours are busy (tests/fixtures/recordings)
real=$SLEEPTUNE_SRC/tests/fixtures/recordings/kvm-guest-128.strec
"$SLEEPTUNE" plot --csv "$real" >real.csv
status 0 "a recording and its CSV are the same run" compare "$real" real.csv
like "value by value" "$(tr -s ' \n' '  ' <out)" 'it is a copy'
# interleave CHUNKS: in turn, into real.0 and real.1
interleave() {
    awk -F, -v chunks="$1" '/^[0-9]/ {value[n++] = $2}
        END {for (i = 0; i < n; i++) print value[i] >("real." int(i * chunks / n) % 2)}' real.csv
}
for chunks in 16 64 256; do
    interleave "$chunks"
    status 0 "$chunks parts of a real run, in turn: no difference shown" compare real.0 real.1
done
awk '{print $1 + 10000}' real.1 >slower
status 1 "but 10 us on one side are" compare real.0 slower
like "as the median's" "$(cat out)" '^median .* \+(9|10)\.[0-9] µs .*\*$'
head -28000 real.csv | awk -F, '/^[0-9]/ {print $2}' >first
tail -28000 real.csv | awk -F, '/^[0-9]/ {print $2}' >second
compare first second >out
like "how much a run changes within itself is said" "$(tr -s ' \n' '  ' <out)" \
    'drift Within A the median changes by up to [0-9.]+ µs, within B by [0-9.]+ µs'

# --- benches, row by row
cat >bench.json <<'JSON'
{"schema": "sleeptune-bench-sleep/1", "results": [
 {"method": "x", "policy": "fifo", "requested_ns": 1000, "n": 100, "overshoot_ns": {"median": 500, "p99": null}, "median_ci95_ns": [490, 510]},
 {"method": "y", "policy": "fifo", "requested_ns": 1000, "n": 100, "overshoot_ns": {"median": 900, "p99": null}, "median_ci95_ns": [880, 920]}]}
JSON
sed 's/500/600/; s/490, 510/590, 610/; s/"y"/"z"/' bench.json >other.json
status 1 "results of a bench are compared" compare bench.json other.json
like "by name" "$(cat out)" '^x, requested 1.0 µs, policy fifo$'
like "why there is no more is said" "$(tr -s ' \n' '  ' <out)" 'The JSON has no single values: only'
like "with the interval of both" "$(cat out)" '^median .*\+100 ns .*\+86 ns \.\. \+114 ns'
status 1 "results can be drawn" compare bench.json other.json --plot rows.svg --kind quantile
like "those that both have, by name" "$(picture rows.svg)" '^text: A: x, n = 100$'
like "those of one file alone are counted" "$(cat out)" '2 results exist in one file only'
# samples LEVEL SEED: what bench wake writes of one mechanism, 1200 values that depend on their neighbours
samples() {
    awk -v level="$1" -v seed="$2" 'BEGIN {
        srand(seed)
        printf "{\"schema\": \"sleeptune-bench-wake/1\", \"results\": [{\"mechanism\": \"pipe\", \"n\": 1200, "
        printf "\"delay_ns\": {\"median\": %d, \"p99\": null}, \"median_ci95_ns\": null, \"samples_ns\": [", level
        for (i = 0; i < 1200; i++) {
            if (i % 10 == 0)
                drift = 400 * (rand() + rand() - 1)
            printf "%s%d", i ? ", " : "", level + drift + 100 * rand()
        }
        print "]}]}"
    }'
}
samples 20000 1 >wake1.json
samples 20000 2 >wake2.json
samples 22000 3 >wake3.json
status 0 "single values of a bench are compared: none shown" compare wake1.json wake2.json
is "they are not taken as independent" "$(grep -c 'single values' out)" 0
like "their neighbours are allowed for" "$(tr -s ' \n' '  ' <out)" 'A counts as about [0-9]{2,3} independent values'
like "p99 has its row and interval" "$(cat out)" '^p99  .*\.\.'
like "the effect its size" "$(cat out)" "^effect +Of all"
is "periods it has none" "$(grep -c '^missed' out)" 0
status 1 "and what differs is shown" compare wake1.json wake3.json
like "by its figures" "$(cat out)" '^median .*\+(1\.9|2\.[01]) µs .*\*$'
sed 's/"n": 1200/"warm_up": 100, &/' wake1.json >warm.json
like "warm-up is left out" "$(compare warm.json wake2.json --json | tr -d ' \n')" '"n":\[1100,1200\]'
sed 's/"samples_ns": \[/&"x", /' wake1.json >worded.json
status 4 "values that are none are refused" compare wake1.json worded.json
status 4 "values and a bench have nothing in common" compare a bench.json
like "which is said" "$(cat err)" 'no figure in common'
sed 's/bench-sleep/bench-syscall/; s/overshoot_ns/ns/g; s/"method"/"call"/g' bench.json >calls.json
status 4 "benches of two kinds have nothing in common" compare bench.json calls.json
like "which names the kinds" "$(cat err)" 'cannot compare calls.json \(sleeptune-lab syscall\) with bench.json \(sleeptune-lab sleep\): they have no figure'
sed 's/"x"/"u"/; s/"y"/"v"/' bench.json >foreign.json
status 4 "benches without a common row" compare bench.json foreign.json

# --- real benches, twice: each result finds the one that it is to be compared with
# bench NAME OPTIONS...
bench() {
    local name=$1 run
    shift
    for run in 1 2; do
        "$SLEEPTUNE_LAB" "$name" --json --quiet "$@" >"$name$run.json" 2>err || fail "bench $name runs" "$(cat err)"
    done
    compare "${name}1.json" "${name}2.json" --json >out 2>err
    case $? in 0 | 1 | 2) pass "bench $name is compared with itself" ;; *) fail "bench $name is compared with itself" "$(cat err)" ;; esac
    is "bench $name: result by result" "$(grep -c '"label"' out)" \
        "$("$PYTHON" -c 'import json, sys; print(len(json.load(open(sys.argv[1]))["results"]))' "${name}1.json")"
    is "bench $name: none is left out" "$(grep '"left_out"' out | tr -d ' ,')" '"left_out":0'
    compare "${name}1.json" "${name}2.json" --plot "$name.svg" >out 2>err
    like "bench $name: and drawn" "$(picture "$name.svg")" '^(box|values) [1-9]'
}
bench syscall --calls getppid,getpid --count 60 --fresh 45
bench wake --mechanisms futex,pipe --peers threads,processes --rounds 45
bench sleep --methods nanosleep,ppoll --durations 1ms,2ms --budget 4s # 20 of each are needed, and are some 0.1 s of it
bench exec true 'sleep 0' --runs 45
is "programs have the interval of their median" "$(grep -c '"median_ci95_ns": \[' exec1.json) $(grep -c 'no interval known' out)" "3 0"

# --- bad input
: >empty
echo '{"schema": "sleeptune-report/1"}' >report.json
echo '{"schema": "sleeptune-bench-sleep/1", "results": [{}]}' >hollow.json
head -c 100 bench.json >torn.json
head -c 4000 /dev/urandom >noise.bin
for file in empty report.json hollow.json torn.json noise.bin nonexistent .; do
    status 4 "$file is a failure" compare a "$file"
    is "and nothing is on standard output" "$(cat out)" ""
    like "with a message" "$(cat err)" '^sleeptune compare: .'
done
for option in '' '--difference 0' '--difference -1us' '--difference 0%' '--difference x' '--format xml' '--nonsense'; do
    # shellcheck disable=SC2086  # option and value
    status 3 "compare a $option is a usage error" compare a $option
done
[ ! -w /dev/full ] || is "a full disk is a failure" "$(compare a same >/dev/full 2>err; echo $?)" 4
tap_done
