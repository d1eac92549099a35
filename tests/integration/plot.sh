#!/usr/bin/env bash
# plot: pictures have the parts, names, units and figures that they are made of; what cannot be drawn is refused.
. "$SLEEPTUNE_SRC/tests/tap.sh"
own_tmp && cd "$tmp" || exit 1

plot() { "$SLEEPTUNE_LAB" plot "$@"; }
refusing=$SLEEPTUNE_LAB
# a picture, and its parts in the file "parts"; drawn: they are a screen, too
draw() {
    local name=$1
    shift
    ends 0 "$name" plot -o "$name.svg" "$@"
    "$PYTHON" "$SLEEPTUNE_SRC/tests/integration/picture.py" "$name.svg" >parts 2>&1
    is "$name: no text is cut, none lies on another" "$(grep -E '^(cut|overlap)' parts)" ""
}
drawn() {
    draw "$@"
    screen_is "$1" cat parts
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

drawn box sleep.json
sed 's/"n": 12,/"n": 26,/; s/"median": null/"median": 3000/' sleep.json >sleep26.json
drawn few sleep26.json
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
drawn wide-calls wide-calls.json
mkdir before after
cp run.strec before
cp run.strec after
drawn same-names before/run.strec after/run.strec
cp sleep.json sleep2.json
drawn two sleep.json sleep2.json

drawn series saw.json
awk 'BEGIN {for (i = 0; i < 1440; i++) print 50000 + i % 7}' >day
drawn day day --every 1m --kind series
head -n 60 day >hour
drawn hour hour --every 1m --kind series
drawn series-of-a-recording --kind series run.strec

is "a dark page gets a dark picture" "$(grep -c 'prefers-color-scheme: dark' series-of-a-recording.svg)" 1

printf '42\n' >one
drawn one-box one --kind box
printf '%s\n' 5000 5000 5000 >equal
printf '%s\n' 1000 9000 5000 >unequal
drawn equal-box equal unequal --kind box
printf '%s\n' 5000 5020 5010 >close
drawn close-box close one close close unequal --kind box
printf '%s\n' 50000 50300 50200 >close2
printf '%s\n' 10000 90000 >apart
drawn closer-box close2 apart close2 --kind box
drawn three-dots unequal --kind series
is "few values have large dots, many have small ones" "$("$PYTHON" -c 'import re, sys
for name in sys.argv[1:]: print(re.search(r"class=\"values\">\s*<path[^>]* stroke-width=\"([0-9.]+)\"", open(name).read()).group(1))' three-dots.svg series-of-a-recording.svg)" $'7\n1.6'

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
drawn wake wake.json --kind box

# --- what has no axis in common
drawn wake-lines wake.json
"$PYTHON" - >exec.json <<'PYTHON'
import json
def run(command, ms):
    ns = {"n": 10, "min": 1000, "q1": None, "median": None, "mean": 1500, "q3": None, "max": 2000}
    return {"command": f"{command} {ms}", "requested_ns": ms * 1000000, "n": 10, "wall_ns": ns, "overshoot_of_runs_ns": ns}
print(json.dumps({"schema": "sleeptune-bench-exec/1", "results": [run(c, ms) for c in ("first", "second") for ms in (5, 10)]}))
PYTHON
drawn exec exec.json
for pair in 'run.strec wide-calls.json' 'wide-calls.json saw.json'; do
    # shellcheck disable=SC2086  # two files
    refused "one picture cannot show ${pair/ / and }" 4 plot $pair -o mix.svg
done
ends 0 "lateness of a recording and of JSON is one" plot run.strec saw.json -o both.svg

# --- calls one by one, the first ones dearer
cat >calls.json <<'JSON'
{"schema": "sleeptune-bench-syscall/1", "results": [{"call": "getppid", "mode": "in-process", "n": 5, "outliers": 0,
 "ns": {"min": 61, "q1": null, "median": null, "q3": null, "max": 64}, "samples_ns": [15940, 164, 61, 64, 63]}]}
JSON
drawn calls --kind series calls.json

# --- --plot of the commands that measure
for command in 'simulate --count 100' 'analyse saw.json --json' 'series --every 2ms --count 50' 'series --every 2ms --count 50 --method nanosleep,usleep' \
    'syscall --calls getppid --count 100 --fresh 0' 'wake --mechanisms condvar,channel --rounds 50'; do
    # shellcheck disable=SC2086  # words
    ends 0 "$command --plot" "$SLEEPTUNE_LAB" $command --plot of-command.svg
    like "makes a picture" "$("$PYTHON" "$SLEEPTUNE_SRC/tests/integration/picture.py" of-command.svg 2>&1)" '^panel [1-9]'
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
drawn long-name a-name-of-a-file-that-is-longer-than-all-of-the-line-is.json
if command -v script >/dev/null || cannot "a terminal gets no picture" "no script(1)"; then
    like "a terminal gets no picture, but is told what to do" "$(script -qec "'$SLEEPTUNE_LAB' plot saw.json" /dev/null </dev/null)" 'name the picture: -o FILE.svg'
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
ends 4 "noise is a failure" plot noise -o bad.svg # its first byte is chance
for file in empty other.json newer.json hollow.json silly.json none.json nonexistent .; do refused "$file" 4 plot "$file" -o bad.svg; done
refused "a kind without figures" 4 plot sleep.json --kind series -o bad.svg
is "none leaves a file" "$(ls bad.svg* 2>/dev/null)" ""
refused "a folder that is not there" 4 plot saw.json -o nowhere/a.svg
refused "an unknown suffix" 3 plot saw.json -o a.gif
each_refused 3 'plot saw.json -o a.svg' '--kind pie' '--width 800' '--every -1s' --nonsense
refused "plot without a file" 3 plot -o a.svg
if [ -w /dev/full ]; then
    ln -s /dev/full full.svg
    is "a full disk is a failure" "$(plot saw.json -o full.svg 2>&1; echo $?)" "sleeptune-lab plot: cannot write full.svg: No space left on device
4"
    ends 4 "of --plot, too" "$SLEEPTUNE_LAB" simulate --plot full.svg
    like "after the result, with the reason" "$(cat out err | tr '\n' '|')" '^series .*\|sleeptune-lab simulate: cannot write full.svg: No space left on device\|$'
    is "standard output onto a full disk is a failure" "$(plot saw.json 2>&1 >/dev/full; echo $?)" "sleeptune-lab plot: cannot write standard output: No space left on device
sleeptune-lab: writing to standard output failed
4"
fi
if unshare -m mount -t tmpfs none /mnt 2>/dev/null || cannot "no room for all of a picture" "no right to mount here"; then
    # within SIZE OPTIONS COMMAND: in a file system that has an older picture
    within() {
        # what the command says, its status, and what is there afterwards
        unshare -m bash -c 'mount -t tmpfs -o "size=$0" none /mnt && echo older >/mnt/a.svg && mount -o "remount,size=$0,$1" /mnt || exit
            shift; "$@" 2>&1 >/dev/null; echo $?; ls /mnt; cat /mnt/a.svg' "$@"
    }
    for command in "$SLEEPTUNE_LAB plot $tmp/saw.json -o" "$SLEEPTUNE_LAB simulate --plot"; do
        name=${command%% -*} name=${name##*/}
        [ "$name" != saw.json ] || name='sleeptune-lab plot'
        # shellcheck disable=SC2086  # words
        is "$name: no room for all of a picture, or a file system that is read-only, leaves the older one, and no part of it" \
            "$(within 8k rw $command /mnt/a.svg; within 64k ro $command /mnt/a.svg)" \
            "$name: cannot write /mnt/a.svg: No space left on device"$'\n4\na.svg\nolder\n'"$name: cannot write /mnt/a.svg: Read-only file system"$'\n4\na.svg\nolder'
    done
fi
# --- words of one's own, several machines, panels side by side
for machine in one two three; do
    "$SLEEPTUNE_LAB" simulate --hz 100 --drift-ppm ${#machine} --seed ${#machine} --json >"$machine.json"
done
drawn grid -k series one.json two.json three.json
drawn over --overlay one.json two.json three.json --label 'DragonFly,Linux 2.4' --title 'Sleep to the full second' --axis 'delay'
refused "boxes have no overlay" 3 plot --overlay -k box one.json two.json

# --- columns of a table in text
printf '15940\t149\n164\t63\n61\t64\n' >two.tsv
drawn table -k series two.tsv:1 two.tsv:2 --label 'VMware,VMware SH'
drawn every -k series two.tsv:1 --every 1ms
cp two.tsv 'odd:2'
sed -i '1i size\tlate' two.tsv && drawn unit two.tsv:2 -k series --unit ms
printf '1\n' >odd
refused "a file whose name ends so is that file" 4 plot 'odd:2' -o odd.svg
"$SLEEPTUNE_LAB" series -q --every 1ms --count 70 --method usleep,nanosleep --json >set.json
draw set -k series set.json
part "several series of one file have a panel each" '^panel 2$'

sed 's/"n": 12,/"n": 12,/; s/"min": 2000, "q1": null/"mean": 3500, "min": 2000, "q1": null/; s/, "timer_slack_ns": [0-9]*//' sleep.json >mean.json
drawn mean mean.json

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
drawn words words.json
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
if [ -n "$chromium" ] || cannot "no text leaves its picture" "chromium is not installed"; then
    { echo '<!DOCTYPE html><meta charset=utf-8>'; cat "$SLEEPTUNE_SRC"/docs/p*/*.svg; find . -maxdepth 1 -type f -name '*.svg' -exec cat {} +; } >all.html
    outside='[...document.querySelectorAll("svg")].flatMap(svg => [...svg.querySelectorAll("text")].filter(text => {
        const all = svg.getBoundingClientRect(), own = text.getBoundingClientRect();
        return own.left < all.left - 0.5 || own.right > all.right + 0.5 || own.top < all.top - 0.5 || own.bottom > all.bottom + 0.5;
    }).map(text => text.textContent)).join("; ")'
    look() { "$PYTHON" "$SLEEPTUNE_SRC/tests/integration/browser.py" "$chromium" "file://$PWD/all.html" --wait 'document.readyState === "complete"' --print "$1" 2>err; }
    like "pictures with text are shown" "$(look 'document.querySelectorAll("svg text").length')" '^[0-9]{3,}$'
    is "no text leaves its picture" "$(look "$outside")" ""
fi
tap_done
