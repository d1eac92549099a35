#!/usr/bin/env bash
# series, simulate and analyse: what goes in comes out, whichever way it takes; what is no series is refused.
. "$SLEEPTUNE_SRC/tests/tap.sh"
own_tmp && cd "$tmp" || exit 1
refusing=$SLEEPTUNE_LAB

sentences() { sed -n '/"sentences"/,/\]/p' "$1"; }

# --- what the simulator was told comes back, by JSON, text and nanoseconds
"$SLEEPTUNE_LAB" simulate --hz 250 --every 997ms --drift-ppm -20 --noise 3us --count 400 --json >made.json
screen_is simulated "$SLEEPTUNE_LAB" analyse made.json
"$SLEEPTUNE_LAB" analyse made.json --json >again.json
is "analyse says of its JSON what simulate said" "$(sentences again.json)" "$(sentences made.json)"
is "samples are not repeated" "$(grep -c samples_ns again.json)" 0
sed -n '/"samples_ns"/,/]/s/^ *\([-0-9]*\),*$/\1/p' made.json >made.ns
is "simulate writes as many samples as it was asked for" "$(wc -l <made.ns)" 400
awk '{printf "%.9f\n", $1 / 1e9}' made.ns >made.s
for unit in ns s; do
    "$SLEEPTUNE_LAB" analyse "made.$unit" --every 997ms --json >column.json
    is "a column of $unit shows the same" "$(sentences column.json)" "$(sentences made.json)"
done
screen_is column "$SLEEPTUNE_LAB" analyse made.s
is "standard input is a file, too" "$("$SLEEPTUNE_LAB" analyse - --json <made.json)" "$(cat again.json)"
like "a loop may take almost two thirds of a series to settle" "$("$SLEEPTUNE_LAB" simulate --drift-ppm 10 --pll-gain 0.5 --count 30 | tr '\n' ' ')" 'The loop settles: after 19\.00 s '

# --- a column does not have the periods that were skipped: its rows are no times then
"$SLEEPTUNE_LAB" simulate --hz 100 --rounding tvtohz-fixed --every 1333us --count 7500 --seed 7 --json >skips.json
sed -n '/"samples_ns"/,/]/s/^ *\([-0-9]*\),*$/\1/p' skips.json >skips.ns
screen_is skips "$SLEEPTUNE_LAB" analyse skips.ns --every 1333us

# --- the fundamental of pulses and rectangles, a group of outliers, rounded sleeps
# the same numbers with each awk: Park and Miller (1988)
uniform='function u() {x = x * 16807 % 2147483647; return x / 2147483647} BEGIN {x = 1; '
awk "$uniform"'for (i = 0; i < 900; i++) printf "%.9f\n", 1e-4 + u() * 3e-5 + (i % 30 == 11 ? 2e-3 : 0)}' >pulses.s
screen_is pulses "$SLEEPTUNE_LAB" analyse pulses.s --every 1s
awk "$uniform"'for (i = 0; i < 3000; i++) printf "%.9f\n", 1e-4 + u() * 3e-5 + (i % 14 > 6 ? 5e-5 : 0)}' >rectangle.s
screen_is rectangle "$SLEEPTUNE_LAB" analyse rectangle.s --every 10ms
awk "$uniform"'for (i = 0; i < 900; i++) printf "%.9f\n", 1e-4 + u() * 3e-5 + (u() < 0.05 ? 2.4e-3 + u() * 3e-4 : 0)}' >group.s
screen_is group "$SLEEPTUNE_LAB" analyse group.s --every 1s
awk "$uniform"'for (i = 0; i < 900; i++) {y += u() * 1e-4; if (y > 1e-3) y -= 1e-3; printf "%.9f\n", y}}' >rounded.s
screen_is rounded "$SLEEPTUNE_LAB" analyse rounded.s --every 5ms

# --- what was kept of real machines under load (tests/fixtures/recordings): what is found, all of it. What repeats
# every few periods is named as seen, and no tick where a hundred rates look the same. (The kernels have 250 Hz.)
kept=$SLEEPTUNE_SRC/tests/fixtures/recordings
screen_is kept-guest "$SLEEPTUNE_LAB" analyse "$kept/kvm-guest-128.strec"
screen_is kept-busy "$SLEEPTUNE_LAB" analyse "$kept/busy-10ms.ns" --every 10ms
screen_is kept-5333us "$SLEEPTUNE_LAB" analyse "$kept/busy-5333us.ns" --every 5333us
screen_is kept-5333us-again "$SLEEPTUNE_LAB" analyse "$kept/busy-5333us-again.ns" --every 5333us

# --- several sleepers at the same time
"$SLEEPTUNE_LAB" series --quiet --sleepers 3 --every 1ms --count 60 --plot sleepers.svg >out
is "a line each sleeper" "$? $(grep -cE '^sleeper [123] +60( +-?[0-9.]+ [nmµ]?s){6}$' out)" "0 3"
like "and whether they differ" "$(sed 1,4d out | tr '\n' ' ')" '^(No difference between the sleepers is shown|Not all are alike: sleeper [123] \(median .* wakes later than sleeper [123] \()'
is "with a box each" "$(grep -c 'class="box"' sleepers.svg)" 3
real_time=$(chrt -r 5 echo rr 2>/dev/null)
ends 0 "as JSON" ${real_time:+chrt -r 5} "$SLEEPTUNE_LAB" series --quiet --sleepers 2 --every 1ms --count 60 --json
is "with all samples, the policy that they were started with, an interval of each median, and the answer" \
    "$(key out 'd["order"], {s["conditions"]["policy"] for s in d["series"]}, [(s["name"], len(s["samples_ns"])) for s in d["series"]], d["alike"] == (max(s["median_interval_ns"][0] for s in d["series"]) <= min(s["median_interval_ns"][1] for s in d["series"]))')" \
    "('at the same time', {'${real_time:-other}'}, [('sleeper 1', 60), ('sleeper 2', 60)], True)"

# --- several tick rates: a table and their boxes
screen_is rates "$SLEEPTUNE_LAB" simulate --hz 100,250,1000 --drift-ppm 9.75 --plot rates.svg
is "and a box each" "$(grep -c 'class="box"' rates.svg)" 3
ends 0 "as JSON" "$SLEEPTUNE_LAB" simulate --hz 100,250 --drift-ppm 9.75 --json
cp out rates.json
is "with the name and the rate of each" "$(grep -E '"(name|hz)"' rates.json | tr -s ' ,\n' ' ')" ' "hz": 100 "name": "100 Hz" "hz": 250 "name": "250 Hz" '
"$SLEEPTUNE_LAB" plot rates.json -o again.svg
is "which plot draws again" "$? $(grep -c 'class="box"' again.svg)" "0 2"
screen_is rates-markdown "$SLEEPTUNE_LAB" simulate --hz 100,250 --drift-ppm 9.75 --format markdown

# --- one median everywhere; a column of numbers has no times
awk "$uniform"'for (i = 0; i < 101; i++) printf "%.9f\n", 14.3e-3 + u() * 2e-4}' >odd.s
wanted=$("$SLEEPTUNE_LAB" analyse odd.s --every 100ms | tr -s ' \n' '  ' | sed -n 's/.*median \([0-9.]* ms\),.*/\1/p')
like "plot has the same" "$("$SLEEPTUNE_LAB" plot odd.s --every 100ms -o -)" "median $wanted"
is "compare has the same" "$("$SLEEPTUNE_LAB" compare odd.s odd.s --every 100ms | grep -c "^median *$wanted *$wanted  *0 ns")" 1
seq 1 500 >numbers
screen_is numbers "$SLEEPTUNE_LAB" analyse numbers
screen_is numbers-compared "$SLEEPTUNE_LAB" compare numbers numbers
is "plot invents no period" "$("$SLEEPTUNE_LAB" plot numbers -o - | grep -cE 'every 1\.00 s|tick of')" 0

# --- recordings and their export
ends 0 "measure records" "$SLEEPTUNE" measure --duration 1s --policy other --record run.strec
"$SLEEPTUNE_LAB" plot --csv run.strec >run.csv
"$SLEEPTUNE_LAB" analyse run.strec --json >strec.json
"$SLEEPTUNE_LAB" analyse run.csv --json >csv.json
for what in '/"period_ns"/,/"conditions"/p' '/"lateness_ns"/,/}/p' '/"ticks_first_n"/,$p'; do
    is "a recording and its CSV show the same: $what" "$(sed -n "$what" csv.json)" "$(sed -n "$what" strec.json)"
done
head -c $(($(stat -c %s run.strec) - 40)) run.strec >cut.strec
like "a recording that was cut is analysed up to there, and a table says so" "$("$SLEEPTUNE_LAB" analyse cut.strec run.strec)" "^cut.strec: The recording has no end mark"
head -c 20 run.strec >stump.strec
refused "one cut in its first line" 4 analyse stump.strec
head -n 2 run.strec >early.strec
refused "one cut before its first sample" 4 analyse early.strec

# --- a measurement: structure, not speed
ends 0 "series measures" "$SLEEPTUNE_LAB" series --every 2ms --count 200 --json
is "as many samples as it was asked for" "$(sed -n '/"samples_ns"/,/]/p' out | grep -c '^ *-*[0-9]')" 200
mv out measured.json
"$SLEEPTUNE_LAB" analyse measured.json --json >again.json
is "periods without a sample are counted by both" "$(grep skipped_periods again.json)" "$(grep skipped_periods measured.json)"
like "the method is told" "$(cat measured.json)" '"method": "clock_nanosleep-abs-monotonic"'
# what the kernel says itself: adjtimex(2), ntp_adjtime(2) with modes 0; struct timex begins with modes, offset, freq
correction() { "$PYTHON" - <<'END'
import ctypes, os
timex = (ctypes.c_long * 64)()
libc = ctypes.CDLL(None, use_errno=True)
call = getattr(libc, "adjtimex", None) or libc.ntp_adjtime
linux = os.uname().sysname == "Linux"
print("" if call(timex) < 0 else f"{timex[2] / 65536 + (100 * (timex[11] - 10000) if linux else 0):+.2f}")
END
}
for _ in 1 2 3 4 5; do # what steers the clock may change it meanwhile
    before=$(correction)
    "$SLEEPTUNE_LAB" series --every 1ms --count 70 --quiet --json >clock.json
    [ "$before" != "$(correction)" ] || break
done
is "the kernel's correction of the clock is a condition" "$(sed -n 's/.*"clock_correction_ppm": "\(.*\)",*/\1/p' clock.json)" "$before"
ends 0 "series --full-second" "$SLEEPTUNE_LAB" series --every 1s --count 1 --full-second --json
ends 0 "series --method punctual" "$SLEEPTUNE_LAB" series --every 2ms --count 20 --method punctual
like "what it takes is said before it starts, not on a terminal either" "$(cat err)" '^[a-z_-]+: takes [0-9.]+ ms\.$'
ends 0 "series --quiet" "$SLEEPTUNE_LAB" series --every 2ms --count 20 --clocks --quiet
is "says nothing on standard error" "$(cat err)" ""
"$SLEEPTUNE_LAB" series >out 2>err &
pid=$!
wait_for grep -q takes err # said when it catches signals
sleep 1
kill -INT "$pid"
wait "$pid"
like "the usual quarter of an hour is said" "$(cat err)" '^clock_nanosleep-abs-monotonic: takes (15|900)'
ends 0 "several methods are measured in one run" "$SLEEPTUNE_LAB" series --every 1ms --count 70 --method usleep,nanosleep,usleep
is "each once, a line each in the order of the list" "$(awk '{print $1}' out | tr '\n' ' ')" "lateness usleep nanosleep "
ends 0 "with two policies" "$SLEEPTUNE_LAB" series --every 1ms --count 70 --method usleep,nanosleep --policy other,fifo --json
is "each has a line with each, or the reason why not" "$("$PYTHON" -c 'import json, sys; d = json.load(open(sys.argv[1])); print(sorted(x["name"] for x in d["series"] + d["not_measured"]), all(x["missing"] for x in d["not_measured"]))' out)" \
    "['nanosleep, fifo', 'nanosleep, other', 'usleep, fifo', 'usleep, other'] True"
if can_be_nobody || cannot "what the system refuses" "needs root and setpriv"; then
    without_rights() { as_nobody --bounding-set=-all bash -c 'ulimit -r 0; exec "$@"' - "$SLEEPTUNE_LAB" series -q --every 1ms --count 70 --method nanosleep --policy "$@"; }
    ends 0 "what the system refuses keeps none of the others from being measured" without_rights fifo,other
    is "the others are measured" "$(grep -c '^nanosleep, other ' out)" 1
    like "and it is listed with the reason" "$(tail -2 out | tr '\n' ' ')" 'nanosleep, fifo: not measured: no permission for the policy fifo: '
    ends 4 "nothing but what the system refuses is a failure" without_rights fifo
    like "and says why" "$(cat err)" 'nanosleep: not measured: no permission for the policy fifo: '
fi
ends 0 "--list ends with 0" "$SLEEPTUNE_LAB" series --list
only=futex others=umtx
[ "$(uname)" = Linux ] || { only=umtx others=futex; }
is "--list has what this system has" "$(grep -cE "^(clock_nanosleep-abs-monotonic|nanosleep|usleep|timerfd-abs|punctual|$only) " out) $(grep -c "^$others " out)" "6 0"
is "--list fits 80 columns" "$(COLUMNS=80 "$SLEEPTUNE_LAB" series --list | awk 'length > 80')" ""
ends 0 "series --clocks" "$SLEEPTUNE_LAB" series --every 1ms --count 20 --clocks --json
for clock in monotonic realtime $([ "$(uname)" != Linux ] || echo boottime tai); do
    is "--clocks has $clock" "$(grep -c "\"method\": \"clock_nanosleep-abs-$clock\"" out)" 1
done
# its own group: Ctrl-C
"$SLEEPTUNE_LAB" series --every 20ms --count 100000 --json >stopped.json 2>err &
pid=$!
wait_for catches "$pid"
sleep 0.5
kill -TERM "$pid"
wait "$pid"
is "a measurement that is ended early ends with 0, and says so" "$? $(grep -c '"interrupted": true' stopped.json)" "0 1"
each_refused 3 series '--every 0' '--every -5ms' '--count 0' '--method nonsense' '--policy best' '--priority 0' \
    '--method usleep --clocks' '--sleepers 2 --clocks' '--method usleep,' '--count 1000000001' '--policy other --sleepers 2 --method usleep,nanosleep' extra

# --- a timer whose counts make ticks longer, and a table of ticks
screen_is i8254 "$SLEEPTUNE_LAB" simulate --timer-hz 1193182
"$SLEEPTUNE_LAB" simulate --timer-hz 1193182 --drift-ppm -10 --json | head -30 >out
like "the drift of the option is added" "$(tr -s ' \n' '  ' <out)" '"timer_hz": 1193182, "rounding": "tvtohz", "drift_ppm": 5\.0857'
screen_is table "$SLEEPTUNE_LAB" simulate --table 0.9s,0.99s,0.999s,1s,1.000001s,1.000002s,1.001s
each_refused 3 simulate '--hz 100,250 --table 1s' '--timer-hz 10 --hz 300' '--table 1' '--table 0s' '--table 25h' '--table 1s,' '--table 1s --json'

# --- a column of figures that may be anything, and its quartiles
seq 1001 1100 >hundred.ns
screen_is values "$SLEEPTUNE_LAB" analyse hundred.ns
is "in JSON, too" "$("$SLEEPTUNE_LAB" analyse hundred.ns --json | key - '[d["lateness_ns"][k] for k in ("q1", "median", "q3")]')" "[1025, 1050, 1075]"
head -39 hundred.ns >39.ns
is "39 figures have no quartiles: 10 are to lie beyond" "$("$SLEEPTUNE_LAB" analyse 39.ns --json | grep -cE '"q[13]": null')" 2
like "a picture of text says value" "$("$SLEEPTUNE_LAB" plot hundred.ns -o - 2>err)" '<title id="title">[^<]*: value</title>'
ends 0 "text goes with lateness" "$SLEEPTUNE_LAB" plot hundred.ns made.json -o both.svg
"$SLEEPTUNE_LAB" plot made.json hundred.ns -o turned.svg 2>err
is "in either order, and takes its name" "$? $(grep -c '<title id="title">[^<]*: lateness (woke - due)</title>' both.svg turned.svg | tr '\n' ' ')" "0 both.svg:1 turned.svg:1 "

# --- a column of a table, of whatever is compared
paste -d ';' hundred.ns hundred.ns | sed '1i first;second' >table.csv
screen_is second-column "$SLEEPTUNE_LAB" analyse table.csv:2
screen_is second-column-us "$SLEEPTUNE_LAB" analyse table.csv:2 --unit us
refused "a column that is not there" 4 analyse table.csv:3
screen_is columns-compared "$SLEEPTUNE_LAB" compare table.csv:1 hundred.ns
"$SLEEPTUNE_LAB" analyse hundred.ns --plot plain.svg >out
like "a picture of analyse says value" "$(cat plain.svg)" '<title id="title">[^<]*: value</title>'

# --- a table of the figures
"$SLEEPTUNE_LAB" series -q --every 1ms --count 70 --method usleep,nanosleep --format csv >set.csv
is "series as CSV: a row for each" "$("$PYTHON" -c 'import csv
for row in csv.DictReader(open("set.csv", newline="")): print(row["conditions.method"], float(row["lateness_ns.min"]) <= float(row["lateness_ns.median"]), row["n"])' | xargs)" \
    "usleep True 70 nanosleep True 70"
like "one series, too" "$("$SLEEPTUNE_LAB" series -q --every 1ms --count 70 --format csv | head -n 1)" ',lateness_ns.q1,lateness_ns.median,'
screen_is markdown "$SLEEPTUNE_LAB" analyse hundred.ns --format markdown

# --- few samples
printf '0.019496\n0.019506\n0.019516\n0.019525\n0.019535\n' >herman
screen_is five "$SLEEPTUNE_LAB" analyse herman
screen_is one "$SLEEPTUNE_LAB" simulate --count 1

# --- bad input
: >empty
printf '1\n2\nlate\n' >words
echo '{"schema": "sleeptune-report/1"}' >other.json
sed 's|sleeptune-series/1|sleeptune-series/2|' made.json >newer.json
sed '/"samples_ns"/,/]/d' made.json >hollow.json
head -c 400 made.json >torn.json
head -c 4000 "$SLEEPTUNE_LAB" >program.bin
printf '1\n2\0003\n4\n' >nul # what is behind a NUL would be lost
each_refused 4 analyse empty words other.json newer.json hollow.json program.bin nonexistent . nul /dev/zero
ends 4 "torn.json is a failure" "$SLEEPTUNE_LAB" analyse torn.json # in libjansson's words
is "and nothing is on standard output" "$(cat out)" ""
printf '1\n2' >unended
ends 0 "a last line without a newline is read" "$SLEEPTUNE_LAB" analyse unended
like "it counts" "$(cat out)" '2 samples'
each_refused 3 analyse '' 'table.csv:2 --unit parsec' 'made.json --count 9' 'made.json --every' # --count: all samples are analysed
each_refused 3 simulate '--every 0' '--every -1s' '--every 2h' '--every soon' '--count 0' '--count -5' '--hz 0' '--hz 1e3' '--drift-ppm nan' \
    '--drift-ppm fast' '--pll-gain 2' '--rounding up' '--noise -1us' '--seed x' '--every 1s --frames 64' '--format xml'
tap_done
