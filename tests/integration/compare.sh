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
compare() { "$SLEEPTUNE_LAB" compare "$@"; }
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
like "no difference shown is said" "$(cat out)" '^No difference shown\.'
like "and how much could not have been missed" "$(tr -s ' \n' '  ' <out)" 'If the true difference were .* comparisons would find it'
# misses MORE: 2000 values every 1 ms, of which so many miss, far apart
misses() { awk -v n="$1" 'BEGIN {for (i = 0; i < 2000; i++) print (i % 149 == 50 + int(i / 149) && i / 149 < n ? 1500000 : 20000 + i % 977)}'; }
misses 0 >none
for n in 6 7 8 9 10 11 12; do
    misses "$n" >some
    status $((n >= 7)) "$n of 2000 missed against none: seven show it" compare none some --every 1ms
done
awk 'NR > 700 && NR <= 730 {print 1500000; next} {print}' none >stall
compare none stall --every 1ms >out
like "a stall of 30 is one, not 30" "$(tr -s ' \n' '  ' <out)" 'come in bursts: only 3\.3[0-9] % of them count as independent'
like "and shows nothing of misses" "$(cat out)" '^missed .* 1\.0000$'
status 1 "runs that differ" compare a later
like "by how much" "$(cat out)" '^median .*\+(4[5-9][0-9]|5[0-4][0-9]) ns .*\*$'
status 1 "and the other way round" compare later a
like "by how much less" "$(cat out)" '^median .*-(4[5-9][0-9]|5[0-4][0-9]) ns .*\*$'
compare later a >again
is "the same files give the same figures" "$(cat again)" "$(cat out)"
like "in a sentence" "$(head -1 out)" '^Better than A: the median is (4[5-9][0-9]|5[0-4][0-9]) ns less \(95 %: '
status 0 "a file against itself" compare a a
status 3 "three files are a usage error" compare a same later
like "which says what to give" "$(cat err)" 'give two files'
is "text fits 80 columns" "$(COLUMNS=80 compare a later | sed 's/µ/u/g' | awk 'length > 80')" ""

like "text has the period that it is told" "$(compare a same --every 1ms)" 'one every 1.000 ms'
status 3 "--every wants a time" compare a same --every soon

sed '1i# period_ns: 4000000/3\nperiod,lateness_ns,skipped' a | awk 'NR < 3 {print; next} {print NR - 3 "," $1 ",0"}' >third.csv
compare a third.csv --every 1333us >out
like "periods that differ have the digits that do" "$(cat out)" '^differ   period: 1333\.0 µs in A, 1333\.3 µs in B\.$'
like "alike or not is said of those that are not" "$(compare a third.csv --every 1ms)" 'period: 1000 µs in A, 1333 µs in B\. The two shares of'

# --- few values
head -1 a >one
status 2 "one value cannot be compared" compare one a
like "which is said" "$(cat out)" 'median: only 1 value; at least 20 are needed'
head -500 a >few
compare few same --json >out
is "p99 of 500 values is null, p99.9 too" "$(sed -n '/"figure": "p99/,/difference/p' out | grep -c '"a": null')" 2

# --- recordings
if "$SLEEPTUNE" measure --duration 3s --frames 32 --policy other --record r.strec --json >r.json 2>err; then
    status 0 "a recording and itself do not differ" compare r.strec r.strec
    like "nor do their circumstances" "$(cat out)" '^differ   nothing that both files record'
    status 4 "the JSON of measure has no single values" compare r.strec r.json
    like "which says what to do" "$(cat err)" "cannot compare r.json \(sleeptune-measure/1\)\. Record with 'measure --record'"
    head -c $(($(stat -c %s r.strec) - 40)) r.strec >cut.strec
    compare cut.strec r.strec >out
    like "a recording without end is read up to there" "$(tr -s ' \n' '  ' <out)" 'no end mark'
    printf '\x02' | dd of=cut.strec bs=1 seek=8 conv=notrunc status=none
    status 4 "a newer recording is refused" compare r.strec cut.strec
    like "by name" "$(cat err)" 'newer sleeptune'
    head -c 20 r.strec >stump
    status 4 "one cut in its first block, too" compare r.strec stump
else
    fail "measure records" "$(cat err)"
fi

# --- the medians of two published columns, 1120 and 1184 ns, have their digits, and so has the interval
for level in 1120 1184; do
    for ((i = 0; i < 500; i++)); do echo $((level + (i * 7919) % 41 - 20)); done >"$level.ns"
done
status 1 "two columns of nanoseconds" compare 1120.ns 1184.ns
like "four digits" "$(cat out)" '^median +1\.1[12][0-9] µs +1\.1[89][0-9] µs +\+6[0-9] ns '

# --- a real run against itself: a guest whose host and neighbours are busy (tests/fixtures/recordings)
real=$SLEEPTUNE_SRC/tests/fixtures/recordings/kvm-guest-128.strec
"$SLEEPTUNE_LAB" plot --csv "$real" >real.csv
status 0 "a recording and its CSV are the same run" compare "$real" real.csv
like "value by value" "$(cat out)" '^median .* 0 ns .* 1\.0000$'
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
like "as the median's" "$(cat out)" '^median .* \+(9|10)\.[0-9]{2,3} µs .*\*$'
"$PYTHON" -c 'import random
r = random.Random(1)
for name, slope in (("steady.0", 0), ("steady.1", 0), ("drifting", 1)):
    with open(name, "w") as out:
        out.writelines("%d\n" % (10000 + r.randrange(1000) + slope * i) for i in range(20000))'
compare drifting steady.0 >out
like "how much a run changes within itself is said" "$(tr -s ' \n' '  ' <out)" \
    'drift median by 1[0-9.]+ µs, p99 by [0-9.]+ .s.* within a single run, more than by chance. A difference that is not larger is not shown'
compare steady.0 steady.1 >out
is "but not what chance alone makes" "$(grep -c '^drift' out)" 0

# --- JSON of the laboratory
cat >bench.json <<'JSON'
{"schema": "sleeptune-bench-sleep/1", "results": [
 {"method": "x", "policy": "fifo", "requested_ns": 1000, "n": 100, "overshoot_ns": {"median": 500, "p99": null}, "median_ci95_ns": [490, 510]}]}
JSON
status 4 "results without single values are refused" compare bench.json bench.json
like "by name" "$(cat err)" 'cannot compare bench.json \(sleeptune-bench-sleep/1\)'
"$SLEEPTUNE_LAB" wake --mechanisms pipe --rounds 45 --json --quiet >wake.json 2>err || fail "wake runs" "$(cat err)"
status 0 "the JSON of wake is compared, result by result" compare wake.json wake.json
is "with itself it does not differ" "$(grep -c '  0 ns .* 1\.0000$' out)" "$(grep -c '^pipe, kind' out)"
"$SLEEPTUNE_LAB" table --samples wake.json >wake.csv
status 0 "which is compared" compare wake.csv:1 wake.csv:1 --unit ns
like "by its figures" "$(cat out)" '^median .* 0 ns .* 1\.0000$'

# --- bad input
: >empty
echo '{"schema": "sleeptune-report/1"}' >report.json
echo '{"schema": "sleeptune-bench-sleep/1", "results": [{}]}' >hollow.json
head -c 100 bench.json >torn.json
head -c 4000 /dev/urandom >noise.bin
for file in empty report.json hollow.json torn.json noise.bin nonexistent .; do
    status 4 "$file is a failure" compare a "$file"
    is "and nothing is on standard output" "$(cat out)" ""
    like "with a message" "$(cat err)" '^sleeptune-lab compare: .'
done
for option in '' '--difference 1us' '--format xml' '--nonsense'; do
    # shellcheck disable=SC2086  # option and value
    status 3 "compare a $option is a usage error" compare a $option
done
[ ! -w /dev/full ] || is "a full disk is a failure" "$(compare a same >/dev/full 2>err; echo $?)" 4

# --- two machines: each call of two documents of syscall
for machine in host guest; do
    "$PYTHON" - $machine >$machine.json <<'PY'
import json, random, sys
random.seed(len(sys.argv[1]))
more = 0 if sys.argv[1] == "host" else 1000
def row(call, ns):
    return {"call": call, "mode": "in-process", "n": 498, "warm_up": 2, "samples_ns": [90000, 80000] + [ns + random.randrange(20) for _ in range(498)], "ns": {"median": ns}}
print(json.dumps({"schema": "sleeptune-bench-syscall/1", "results": [row("getpid", 120 + more), row("time", 30), row(sys.argv[1], 1)]}))
PY
done
status 1 "two machines are compared" compare host.json guest.json
like "each call with its medians" "$(cat out)" '^getpid, mode in-process +1[23][0-9] ns +1\.1[23][0-9] µs +(9[89][0-9] ns|1\.0[01][0-9] µs) .* \*$'
like "and one that is the same is not shown to differ" "$(grep '^time' out)" '[^*]$'
like "what the other one has not is said" "$(cat out)" '^1 results of A are not in B'
status 1 "and as JSON" compare host.json guest.json --json
is "a comparison each call" "$("$PYTHON" - out <<'PY'
import json, sys
d = json.load(open(sys.argv[1]))
print([(c["label"], c["n"], c["figures"][0]["shown"]) for c in d["comparisons"]], d["left_out"], d["files"][0]["source"], d["correction"]["tests"])
PY
)" "[('getpid, mode in-process', [498, 498], True), ('time, mode in-process', [498, 498], False)] 1 results 2"

tap_done
