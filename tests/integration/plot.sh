#!/usr/bin/env bash
# plot: pictures have the parts, names, units and figures that they are made of; what cannot be drawn is refused.
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
    is "$name" "$got" "$wanted"
}
plot() { "$SLEEPTUNE_LAB" plot "$@"; }
refusing=$SLEEPTUNE_LAB
# the parts of a picture in the file "parts"
draw() {
    local name=$1
    shift
    status 0 "$name" plot -o "$name.svg" "$@"
    "$PYTHON" "$SLEEPTUNE_SRC/tests/integration/picture.py" "$name.svg" >parts 2>&1
    is "$name: no text is cut, none lies on another" "$(grep -E '^(cut|overlap)' parts)" ""
    like "$name: it is described for those who do not see it" "$(cat parts)" '^desc: .*[0-9]'
}
part() { like "$1" "$(cat parts)" "$2"; }

# --- what is drawn
"$SLEEPTUNE_LAB" simulate --hz 100 --every 1s --drift-ppm 100 --noise 30us --count 900 --json >saw.json
"$SLEEPTUNE_BUILD/tests/integration/make_recording" run.strec 20 >rows
cat >sleep.json <<'JSON'
{"schema": "sleeptune-bench-wake/1", "conditions": {"kernel_release": "6.1.0 <a&b>"}, "results": [
 {"mechanism": "nanosleep", "kind": "other", "slice_ns": 5000000, "placement": "same-cpu", "n": 500,
  "delay_ns": {"min": 50100, "q1": 53000, "median": 54321, "q3": 56000, "p95": 58000, "p99": null, "max": 990000}},
 {"mechanism": "timerfd-abs", "kind": "other", "slice_ns": 5000000, "placement": "same-cpu", "n": 500,
  "delay_ns": {"min": 2000, "q1": 3000, "median": 4000, "q3": 5000, "p95": 5500, "p99": null, "max": 6000}},
 {"mechanism": "nanosleep", "kind": "fifo", "slice_ns": 5000000, "placement": "other-cpu", "n": 12,
  "delay_ns": {"min": 2000, "q1": null, "median": null, "q3": null, "p95": null, "p99": null, "max": 6000}}]}
JSON

draw box sleep.json
part "a panel for each setting" '^panel 2$'
part "a box for each result" '^box 3$'
is "medians are written in the boxes, where there are enough values" "$(grep '^median' parts)" "median: 54.32 µs
median: 4.000 µs"
sed 's/"n": 12,/"n": 26,/; s/"median": null/"median": 3000/' sleep.json >sleep26.json
draw few sleep26.json
is "the median that a result has is written where its quartiles are not known" "$(grep -c '^median: 3.000 µs$' parts)" 1
draw box sleep.json
part "a panel says what it is of" '^group: kind fifo, placement other-cpu, slice 5.000 ms$'
part "n is below its box" '^text: n = 500 \*$'
part "the axis has its unit" '^axis-name: delay \(returned - signalled\) \(µs\)$'
part "what few values show is said" 'A box needs 40 values'
part "markup in a file is text" '<a&b>'
# boxes of a few ns beside one of 80 us; one of them reaches 0: of 12 in two panels
"$PYTHON" - >wide-calls.json <<'PYTHON'
import json
def result(call, low, q1, median, q3, high):
    return {"call": call, "mode": "in-process", "n": 400, "outliers": 0,
            "ns": {"min": low, "q1": q1, "median": median, "q3": q3, "max": high}}
print(json.dumps({"schema": "sleeptune-bench-syscall/1", "results": [
    result("time", -3, 0, 2, 4, 9), *(result(f"a{i}", 20, 25, 28, 30, 33) for i in range(5)),
    *(result(f"b{i}", 100, 110, 120, 130, 140) for i in range(4)),
    result("nanosleep-1ns", 70000, 75000, 80000, 85000, 99000), result("sysconf", 5, 7, 8, 9, 12)]}))
PYTHON
draw wide-calls wide-calls.json
is "boxes of a few ns are not flat on the axis of one of 80 µs" \
    "$(grep -c '^axis-name: time of a call (logarithmic)$' parts)" 1
is "nor is a panel of like ones on an axis for all" "$(grep -c '^axis-name: time of a call (ns)$' parts)" 1
is "what is 0 has its place, on the edge of the logarithmic one, too" "$(grep -c '^text: 0$' parts)" 2
part "which is said" 'no 0: values of 0 or less are drawn on its lower edge'
mkdir before after
cp run.strec before
cp run.strec after
draw same-names before/run.strec after/run.strec
part "files of one name are told apart" '^desc: .* run.strec .*, after/run.strec '
cp sleep.json sleep2.json
draw two sleep.json sleep2.json
is "results of two files lie side by side" "$(grep -E '^text: (nanosleep|timerfd-abs)' parts | head -4 | tr '\n' ' ')" \
    'text: nanosleep text: nanosleep text: timerfd-abs text: timerfd-abs '
is "with their files' names" "$(grep -c '^text: sleep2.json: $' parts)" 3

draw series saw.json
part "time has its unit" '^axis-name: time since the first value \(s\)$'
part "values have theirs" '^axis-name: lateness \(woke - due\) \(ms\)$'
part "a stroke for each of few values" '^strokes 900$'
part "n, least and greatest are written" '^text: .*n = 900, one every 1.00 s, least 10\.'
awk 'BEGIN {for (i = 0; i < 1440; i++) print 50000 + i % 7}' >day
draw day day --every 1m --kind series
part "a day is in hours" '^axis-name: time since the first value \(h\)$'
part "of which there are 24" '^text: 20$'
head -n 60 day >hour
draw hour hour --every 1m --kind series
part "an hour in minutes" '^axis-name: time since the first value \(min\)$'
draw series-of-a-recording --kind series run.strec
part "no more strokes than pixels" '^strokes [1-6][0-9][0-9]$'
is "test conditions have four lines at most" "$(grep -cE '^text: Test conditions' parts) $(grep -A9 '^text: Test conditions' parts | grep -cE '^text: .* …$' | awk '{ print ($1 <= 1) }')" "1 1"
part "periods without a value are counted" "^desc: .*; [1-9][0-9]* periods without a value"

is "a dark page gets a dark picture" "$(grep -c 'prefers-color-scheme: dark' series-of-a-recording.svg)" 1

printf '42\n' >one
draw one-box one --kind box
part "one value is no quartile" 'A box needs 40 values'
part "but has its value" '^values: 42 ns$'
printf '%s\n' 5000 5000 5000 >equal
printf '%s\n' 1000 9000 5000 >unequal
draw equal-box equal unequal --kind box
is "equal ones have their value, others do not" "$(grep '^values: ' parts)" "values: 5.000 µs"
printf '%s\n' 5000 5020 5010 >close
draw close-box close one close close unequal --kind box
is "ones that are too close for a line have the least and the greatest" "$(grep '^values: ' parts | sort -u | tr '\n' ' ')" "values: 42 ns values: 5.000 µs values: 5.020 µs "
printf '%s\n' 50000 50300 50200 >close2
printf '%s\n' 10000 90000 >apart
draw closer-box close2 apart close2 --kind box
is "each where it has room" "$(grep -c '^values: 50\.[03]0 µs$' parts)" 4
widths() { "$PYTHON" -c 'import re, sys; print(re.search(r"class=\"values\">\s*<path[^>]* stroke-width=\"([0-9.]+)\"", open(sys.argv[1]).read()).group(1))' "$1"; }
draw three-dots unequal --kind series
is "few values have large dots" "$(widths three-dots.svg)" 7
is "many have small ones" "$(widths series-of-a-recording.svg)" 1.6

# --- one call in a process, and as the first of fresh ones
cat >calls.json <<'JSON'
{"schema": "sleeptune-bench-syscall/1", "results": [
 {"call": "getpid", "mode": "in-process", "n": 3, "ns": {"min": 1, "median": 2, "max": 3}, "samples_ns": [1, 2, 3]},
 {"call": "getpid", "mode": "fresh", "n": 3, "ns": {"min": 7, "median": 8, "max": 9}, "samples_ns": [7, 8, 9]}]}
JSON
"$SLEEPTUNE_LAB" plot -k series calls.json -o calls.svg
is "two series of one call have two names, and calls have no periods" \
    "$(grep -c '>getpid, mode \(in-process\|fresh\)<' calls.svg) $(grep -c 'without a value' calls.svg)" "2 0"

# --- the README's pictures are what is drawn today
mkdir pictures
"$SLEEPTUNE_SRC/docs/pictures/draw" "$SLEEPTUNE_LAB" pictures
for folder in pictures "$SLEEPTUNE_SRC/docs/pictures"; do
    "$PYTHON" "$SLEEPTUNE_SRC/tests/integration/picture.py" "$folder/lateness.svg"
done | sort | uniq -u >differs
is "docs/pictures/lateness.svg is current (docs/pictures/draw)" "$(cat differs)" ""

# --- headings with many words, panels in parts
"$PYTHON" - >wake.json <<'PYTHON'
import json
def result(i, slice_ns):
    low = 1000 * (1 + 50 * (i // 6)) + 10 * i
    return {"mechanism": f"way{i}", "kind": "interrupted", "placement": "other-cpu", "slice_ns": slice_ns, "n": 60,
            "delay_ns": {"min": low, "q1": low + 5, "median": low + 10, "q3": low + 20, "p95": low + 30, "p99": None, "max": low + 40}}
print(json.dumps({"schema": "sleeptune-bench-wake/1", "results": [result(i, s) for s in (2000000, 100000000) for i in range(12)]}))
PYTHON
draw wake wake.json --kind box
is "a heading is whole, with which part of the setting it is, and that its axis is its own" "$(grep -c '^group: kind interrupted, .*, slice [0-9.]* ms; [12] of 2' parts) \
$(grep -c '^group: .*slice 2.000 ms; 1 of 2, own axis$' parts)" "4 1"

# --- what has no axis in common
draw wake-lines wake.json
part "several slices of wake are lines over the slice" '^title: Over the slice: delay '
"$PYTHON" - >exec.json <<'PYTHON'
import json
def run(command, ms):
    ns = {"n": 10, "min": 1000, "q1": None, "median": None, "mean": 1500, "q3": None, "max": 2000}
    return {"command": f"{command} {ms}", "requested_ns": ms * 1000000, "n": 10, "wall_ns": ns, "overshoot_of_runs_ns": ns}
print(json.dumps({"schema": "sleeptune-bench-exec/1", "results": [run(c, ms) for c in ("first", "second") for ms in (5, 10)]}))
PYTHON
draw exec exec.json
is "programs that sleep equally long stand side by side" "$(grep -oE '(first|second) [0-9]+' parts | awk '!seen[$0]++' | tr '\n' ' ')" "first 5 second 5 first 10 second 10 "
for pair in 'run.strec wide-calls.json' 'wide-calls.json saw.json'; do
    # shellcheck disable=SC2086  # two files
    refused "one picture cannot show ${pair/ / and }" 4 plot $pair -o mix.svg
done
status 0 "lateness of a recording and of JSON is one" plot run.strec saw.json -o both.svg

# --- calls one by one, the first ones dearer
cat >calls.json <<'JSON'
{"schema": "sleeptune-bench-syscall/1", "results": [{"call": "getppid", "mode": "in-process", "n": 5, "outliers": 0,
 "ns": {"min": 61, "q1": null, "median": null, "q3": null, "max": 64}, "samples_ns": [15940, 164, 61, 64, 63]}]}
JSON
draw calls --kind series calls.json
part "a dot for each call" '^strokes 5$'
part "figures are of all" 'n = 5, least 61 ns'

# --- --plot of the commands that measure
status 0 "simulate --plot" "$SLEEPTUNE_LAB" simulate --count 100 --plot s.svg
status 0 "analyse --plot" "$SLEEPTUNE_LAB" analyse saw.json --json --plot a.svg
status 0 "series --plot" "$SLEEPTUNE_LAB" series --every 2ms --count 50 --plot b.svg
status 0 "series --plot of several methods" "$SLEEPTUNE_LAB" series --every 2ms --count 50 --method nanosleep,usleep --plot c.svg
status 0 "syscall --plot" "$SLEEPTUNE_LAB" syscall --calls getppid --count 100 --fresh 0 --plot d.svg
status 0 "wake --plot" "$SLEEPTUNE_LAB" wake --mechanisms condvar,channel --rounds 50 --plot f.svg
for file in s a b c d f; do
    like "$file.svg is a picture" "$("$PYTHON" "$SLEEPTUNE_SRC/tests/integration/picture.py" $file.svg 2>&1)" '^panel [1-9]'
done
refused "--plot -: the result is on standard output" 3 simulate --plot -
for command in wake syscall series simulate; do
    refused "$command --plot refuses a suffix before it measures" 3 "$command" --plot a.gif
    refused "$command --plot refuses a folder that is not there, too" 4 "$command" --plot nowhere/a.svg
done
mkdir folder.svg
refused "--plot refuses a folder" 4 simulate --plot folder.svg

# --- standard output
plot saw.json >piped.svg
is "into a pipe or a file goes the picture" "$(plot saw.json -o - | cmp - piped.svg; plot saw.json -o saw.svg; cmp saw.svg piped.svg; tail -c 7 piped.svg)" "</svg>"
# a path is one long word, as names of files and of kernels are
cp sleep.json a-name-of-a-file-that-is-longer-than-all-of-the-line-is.json
draw long-name a-name-of-a-file-that-is-longer-than-all-of-the-line-is.json
if command -v script >/dev/null; then
    like "a terminal gets no picture, but is told what to do" "$(script -qec "'$SLEEPTUNE_LAB' plot saw.json" /dev/null </dev/null)" 'name the picture: -o FILE.svg'
else
    skip "a terminal gets no picture" "no script(1)"
fi
# --- scale: a million samples
awk 'BEGIN {srand(1); for (i = 0; i < 1000000; i++) print int(50000 + 20000 * rand()) + (i == 777777) * 9000000}' >million
draw million million --every 1ms --kind series
part "the one late value among a million is there" 'greatest 9\.0[0-9]* ms'
is "and the picture stays small" "$([ "$(wc -c <million.svg)" -lt 100000 ] && echo yes)" yes

# --- bad input
: >empty
echo '{"schema": "sleeptune-report/1"}' >other.json
echo '{"schema": "sleeptune-bench-wake/2", "results": []}' >newer.json
echo '{"schema": "sleeptune-bench-wake/1", "results": []}' >hollow.json
echo '{"schema": "sleeptune-bench-wake/1", "results": [7, {"mechanism": 3, "delay_ns": {"min": "x", "max": []}}]}' >silly.json
echo '{}' >none.json
head -c 3000 /dev/urandom >noise
status 4 "noise is a failure" plot noise -o bad.svg # its first byte is chance
for file in empty other.json newer.json hollow.json silly.json none.json nonexistent .; do refused "$file" 4 plot "$file" -o bad.svg; done
refused "a kind without figures" 4 plot sleep.json --kind series -o bad.svg
is "none leaves a file" "$(ls bad.svg* 2>/dev/null)" ""
refused "a folder that is not there" 4 plot saw.json -o nowhere/a.svg
refused "an unknown suffix" 3 plot saw.json -o a.gif
for option in '--kind pie' '--width 800' '--every -1s' --nonsense; do
    # shellcheck disable=SC2086  # option and value
    refused "plot $option" 3 plot saw.json -o a.svg $option
done
refused "plot without a file" 3 plot -o a.svg
if [ -w /dev/full ]; then
    ln -s /dev/full full.svg
    is "a full disk is a failure" "$(plot saw.json -o full.svg 2>&1; echo $?)" "sleeptune-lab plot: cannot write full.svg: No space left on device
4"
    status 4 "of --plot, too" "$SLEEPTUNE_LAB" simulate --plot full.svg
    like "after the result" "$(cat out)" '^series '
    like "with the reason" "$(cat err)" '^sleeptune-lab simulate: cannot write full.svg: No space left on device$'
    is "standard output onto a full disk is a failure" "$(plot saw.json 2>&1 >/dev/full; echo $?)" "sleeptune-lab plot: cannot write standard output: No space left on device
sleeptune-lab: writing to standard output failed
4"
fi
if unshare -m mount -t tmpfs none /mnt 2>/dev/null; then
    # within SIZE OPTIONS COMMAND: in a file system that has an older picture
    within() {
        # what the command says, its status, and what is there afterwards
        # shellcheck disable=SC2016  # expanded by the inner shell
        unshare -m bash -c 'mount -t tmpfs -o "size=$0" none /mnt && echo older >/mnt/a.svg && mount -o "remount,size=$0,$1" /mnt || exit
            shift; "$@" 2>&1 >/dev/null; echo $?; ls /mnt; cat /mnt/a.svg' "$@"
    }
    for command in "$SLEEPTUNE_LAB plot $tmp/saw.json -o" "$SLEEPTUNE_LAB simulate --plot"; do
        name=${command%% -*} name=${name##*/}
        [ "$name" != saw.json ] || name='sleeptune-lab plot'
        # shellcheck disable=SC2086  # words
        is "$name: no room for all of a picture leaves the older one, and no part of it" \
            "$(within 8k rw $command /mnt/a.svg)" \
            "$name: cannot write /mnt/a.svg: No space left on device"$'\n4\na.svg\nolder'
        # shellcheck disable=SC2086  # words
        is "$name: nor does a file system that is read-only" "$(within 64k ro $command /mnt/a.svg)" \
            "$name: cannot write /mnt/a.svg: Read-only file system"$'\n4\na.svg\nolder'
    done
else
    skip "no room for all of a picture" "no right to mount here"
fi
# --- words of one's own, several machines, panels side by side
for machine in one two three; do
    "$SLEEPTUNE_LAB" simulate --hz 100 --drift-ppm ${#machine} --seed ${#machine} --json >"$machine.json"
done
draw grid -k series one.json two.json three.json
part "three series have a panel each" '^panel 3$'
is "two panels stand side by side" "$(head -n 1 parts)" "size 800 825"
draw over --overlay one.json two.json three.json --label 'DragonFly,Linux 2.4' --title 'Sleep to the full second' --axis 'delay'
part "an overlay is one panel" '^panel 1$'
part "with a legend" '^legend 1$'
part "files have the names that they were given, and else their own" '^text: three.json, n = 900$'
part "given" '^text: DragonFly, n = 900$'
part "a title of one's own" '^title: Sleep to the full second$'
part "and a name of the axis" '^axis-name: delay \(ms\)$'
refused "boxes have no overlay" 3 plot --overlay -k box one.json two.json

# --- columns of a table in text
printf '15940\t149\n164\t63\n61\t64\n' >two.tsv
draw table -k series two.tsv:1 two.tsv:2 --label 'VMware,VMware SH'
part "each column has its name" '^desc: .*VMware: 3 values .*VMware SH: 3 values'
part "the axis counts the values, as no one gave a period" '^axis-name: number of the value \(the first is 0\)$'
part "figures have four digits" 'from 61 ns to 15\.94 µs, median 164 ns'
draw every -k series two.tsv:1 --every 1ms
part "unless one did" '^axis-name: time since the first value'
draw unit two.tsv:2 -k series --unit ms
part "--unit says what the figures are" '^axis-name: value .*\(ms\)$'
cp two.tsv 'odd:2'
printf '1\n' >odd
refused "a file whose name ends so is that file" 4 plot 'odd:2' -o odd.svg
refused "a column that is not there" 4 plot two.tsv:3 -o three.svg
refused "only text has columns" 4 plot one.json:2 -o json.svg
refused "a unit that is none" 3 plot two.tsv:2 --unit furlong -o x.svg
"$SLEEPTUNE_LAB" series -q --every 1ms --count 70 --method usleep,nanosleep --json >set.json
draw set -k series set.json
part "several series of one file have a panel each" '^panel 2$'

sed 's/"n": 12,/"n": 12,/; s/"min": 2000, "q1": null/"mean": 3500, "min": 2000, "q1": null/; s/, "timer_slack_ns": [0-9]*//' sleep.json >mean.json
draw mean mean.json
part "short headings: boxes of two groups side by side" '^panel 2$'
part "the mean of few runs has a mark and its figure" '^mean: 3.500 µs$'

# --- lines
awk 'BEGIN {srand(1); for (i = 0; i < 200; i++) print int(1000 + rand() * 100)}' >near
awk 'BEGIN {srand(1); for (i = 0; i < 200; i++) print int(1500 + rand() * 100)}' >far
draw line near --kind line
part "a line says that it is one" '^text: A line from each value to the next\.'
# --- labels break at words, and each place in a panel has its colour
cat >words.json <<'JSON'
{"schema": "sleeptune-bench-exec/1", "results": [
 {"command": "./sleeps -syscall 5", "slice_ns": 5000000, "n": 50, "wall_ns": {"min": 5100000, "q1": 5200000, "median": 5300000, "q3": 5400000, "max": 5500000},
  "overshoot_of_runs_ns": {"min": 100000, "q1": 200000, "median": 300000, "q3": 400000, "max": 500000, "outliers": 0}},
 {"command": "./sleeps 5", "slice_ns": 5000000, "n": 50, "wall_ns": {"min": 5100000, "q1": 5200000, "median": 5300000, "q3": 5400000, "max": 5500000},
  "overshoot_of_runs_ns": {"min": 100000, "q1": 200000, "median": 350000, "q3": 400000, "max": 900000, "outliers": 1}}]}
JSON
draw words words.json
part "an option stays whole" '^text: -syscall 5$'
part "of programs the overshoot is drawn" '^axis-name: overshoot'
part "whose outliers are counted" '1 outliers of 100 values are outside'
box() { echo "{\"call\": \"$1\", \"mode\": \"in-process\", \"n\": 50, \"ns\": {\"min\": 1, \"q1\": 2, \"median\": 3, \"q3\": 4, \"max\": 5}}"; }
echo "{\"schema\": \"sleeptune-bench-syscall/1\", \"results\": [$(box getpid), $(box getuid)]}" >host.json
echo "{\"schema\": \"sleeptune-bench-syscall/1\", \"results\": [$(box getuid)]}" >guest.json
for files in "host.json guest.json" "guest.json host.json"; do
    # shellcheck disable=SC2086
    "$SLEEPTUNE_LAB" plot $files -k box -o files.svg
    is "a file has one colour: $files" "$(grep -oE 'fill="#(b8d9ee|f9d9a8|bfe5d2)"' files.svg | sort | uniq -c | sort -n | awk '{ print $1 }' | tr '\n' ' ')" "2 4 "
done
is "two boxes have two colours" "$(grep -o 'fill="#[bf][0-9a-f]*"' words.svg | sort -u | grep -c -e b8d9ee -e f9d9a8)" 2
# --- in a browser no text leaves its picture: those of this test and of the documents
chromium=$(command -v chromium || command -v chromium-browser || true)
if [ -n "$chromium" ]; then
    { echo '<!DOCTYPE html><meta charset=utf-8>'; cat "$SLEEPTUNE_SRC"/docs/p*/*.svg; find . -maxdepth 1 -type f -name '*.svg' -exec cat {} +; } >all.html
    outside='[...document.querySelectorAll("svg")].flatMap(svg => [...svg.querySelectorAll("text")].filter(text => {
        const all = svg.getBoundingClientRect(), own = text.getBoundingClientRect();
        return own.left < all.left - 0.5 || own.right > all.right + 0.5 || own.top < all.top - 0.5 || own.bottom > all.bottom + 0.5;
    }).map(text => text.textContent)).join("; ")'
    look() { "$PYTHON" "$SLEEPTUNE_SRC/tests/integration/browser.py" "$chromium" "file://$PWD/all.html" --wait 'document.readyState === "complete"' --print "$1" 2>err; }
    like "pictures with text are shown" "$(look 'document.querySelectorAll("svg text").length')" '^[0-9]{3,}$'
    is "no text leaves its picture" "$(look "$outside")" ""
else
    skip "no text leaves its picture" "chromium is not installed"
fi
tap_done
