#!/usr/bin/env bash
# compare: files of every kind, what differs and what does not, what cannot be compared.
. "$SLEEPTUNE_SRC/tests/tap.sh"
own_tmp && cd "$tmp" || exit 1
refusing=$SLEEPTUNE_LAB

compare() { "$SLEEPTUNE_LAB" compare "$@"; }
# column SHIFT SEED N: lateness in ns, 20 us and noise: the same numbers with each awk (Park and Miller 1988)
column() {
    awk -v shift="$1" -v x="$2" -v n="$3" 'function u() {x = x * 16807 % 2147483647; return x / 2147483647}
        BEGIN {
            for (i = 0; i < n; i++)
                printf "%d\n", 20000 + shift + 4000 * (u() + u() - 1) + (u() < 0.005 ? 100000 * u() : 0)
        }'
}

# --- equal and different
column 0 1001 12000 >a
column 0 2002 12000 >same
column 500 3003 12000 >later
screen_is equal "$SLEEPTUNE_LAB" compare a same
screen_is later "$SLEEPTUNE_LAB" compare a later
screen_is earlier "$SLEEPTUNE_LAB" compare later a
is "the same files give the same figures" "$(compare later a)" "$(sed '1d;$d' "$SLEEPTUNE_SRC/tests/screens/compare/earlier.txt")"
ends 0 "a file against itself" compare a a
screen_is period "$SLEEPTUNE_LAB" compare a same --every 1ms

sed '1i# period_ns: 4000000/3\nperiod,lateness_ns,skipped' a | awk 'NR < 3 {print; next} {print NR - 3 "," $1 ",0"}' >third.csv
screen_is other-period "$SLEEPTUNE_LAB" compare a third.csv --every 1333us
screen_is two-periods "$SLEEPTUNE_LAB" compare a third.csv --every 1ms

# --- few values
head -1 a >one
screen_is one-value "$SLEEPTUNE_LAB" compare one a
head -500 a >few
is "p99 of 500 values is unknown, p99.9 too" "$(compare few same | grep -cE '^p99(\.9)? +- ')" 2

# --- recordings
ends 0 "measure records" "$SLEEPTUNE" measure --duration 3s --frames 32 --policy other --record r.strec --json
mv out r.json
ends 0 "a recording and itself do not differ" compare r.strec r.strec
like "nor do their conditions" "$(cat out)" '^differ   nothing that both files record'
refused "the JSON of measure, which has no single values" 4 compare r.strec r.json
head -c $(($(stat -c %s r.strec) - 40)) r.strec >cut.strec
like "a recording without end is read up to there" "$(compare cut.strec r.strec | tr -s ' \n' '  ')" 'no end mark'
sed -i '1s/3/4/' cut.strec
refused "a newer recording" 4 compare r.strec cut.strec
head -c 20 r.strec >stump
refused "one cut in its first line" 4 compare r.strec stump

# --- the medians of two published columns, 1120 and 1184 ns, have their digits, and so has the interval
for level in 1120 1184; do
    for ((i = 0; i < 500; i++)); do echo $((level + (i * 7919) % 41 - 20)); done >"$level.ns"
done
screen_is published "$SLEEPTUNE_LAB" compare 1120.ns 1184.ns

# --- a real run against itself: a guest whose host and neighbours are busy (tests/fixtures/recordings)
cp "$SLEEPTUNE_SRC/tests/fixtures/recordings/kvm-guest-128.strec" real.strec
"$SLEEPTUNE_LAB" plot --csv real.strec >real.csv
screen_is same-run "$SLEEPTUNE_LAB" compare real.strec real.csv
# interleave CHUNKS: in turn, into real.0 and real.1
interleave() {
    awk -F, -v chunks="$1" '/^[0-9]/ {value[n++] = $2}
        END {for (i = 0; i < n; i++) print value[i] >("real." int(i * chunks / n) % 2)}' real.csv
}
for chunks in 16 64 256; do
    interleave "$chunks"
    ends 0 "$chunks parts of a real run, in turn: no difference shown" compare real.0 real.1
done
awk '{print $1 + 10000}' real.1 >slower
screen_is slower "$SLEEPTUNE_LAB" compare real.0 slower
"$PYTHON" -c 'import random
r = random.Random(2)
for name, slope in (("steady.0", 0), ("steady.1", 0), ("drifting", 1)):
    with open(name, "w") as out:
        out.writelines("%d\n" % (10000 + r.randrange(1000) + slope * i) for i in range(20000))'
screen_is drifting "$SLEEPTUNE_LAB" compare drifting steady.0
is "but not what chance alone makes" "$(compare steady.0 steady.1 | grep -c '^drift')" 0

# --- JSON of the laboratory
cat >bench.json <<'JSON'
{"schema": "sleeptune-bench-exec/1", "results": [
 {"command": "x", "requested_ns": 1000, "n": 100, "wall_ns": {"median": 500, "p99": null}, "median_ci95_ns": [490, 510]}]}
JSON
refused "results without single values" 4 compare bench.json bench.json
"$SLEEPTUNE_LAB" wake --mechanisms condvar --rounds 45 --json --quiet >wake.json 2>err || fail "wake runs" "$(cat err)"
ends 0 "the JSON of wake is compared, result by result" compare wake.json wake.json
is "with itself it does not differ" "$(grep -c '  0 ns .* 1\.0000$' out)" "$(grep -c '^condvar, kind' out)"
"$SLEEPTUNE_LAB" table --samples wake.json >wake.csv
ends 0 "which is compared" compare wake.csv:1 wake.csv:1 --unit ns
like "by its figures" "$(cat out)" '^median .* 0 ns .* 1\.0000$'

# --- bad input
: >empty
echo '{"schema": "sleeptune-report/1"}' >report.json
echo '{"schema": "sleeptune-bench-exec/1", "results": [{}]}' >hollow.json
head -c 100 bench.json >torn.json
head -c 4000 "$SLEEPTUNE_LAB" >program.bin
each_refused 4 'compare a' empty report.json hollow.json program.bin nonexistent .
ends 4 "torn.json is a failure" compare a torn.json # in libjansson's words
each_refused 3 'compare a' '' 'same later' 'same --every soon' '--difference 1us' '--nonsense'

# --- two machines: each call of two documents of syscall
for machine in host guest; do
    "$PYTHON" - $machine >$machine.json <<'PY'
import json, random, sys
random.seed(len(sys.argv[1]))
more = 0 if sys.argv[1] == "host" else 1000
def row(call, ns):
    return {"call": call, "mode": "in-process", "n": 498, "samples_ns": [ns + random.randrange(20) for _ in range(498)], "ns": {"median": ns}}
print(json.dumps({"schema": "sleeptune-bench-syscall/1", "results": [row("getpid", 120 + more), row("time", 30), row(sys.argv[1], 1)]}))
PY
done
screen_is machines "$SLEEPTUNE_LAB" compare host.json guest.json

tap_done
