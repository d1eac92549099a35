#!/usr/bin/env bash
# vm: -k rt -q -i -c none
# What the loop thread asks of the kernel: one sleep a cycle and nothing else, seen by strace where the host cannot
# make a cycle late.
# shellcheck source=tests/tap.sh
. /share/tests/tap.sh
cp -a /share/usr /share/etc / 2>/dev/null
ldconfig
cd /tmp || exit
strace -ff -qq -o /tmp/trace sleeptune measure --quiet --frames 256 --duration 2s --cause-above 5s --json >/tmp/result.json
is "measure runs below strace" "$?" 0

# the loop's own file is the one with the sleeps; between the first sleep and the last there is nothing else
loop=$(grep -c clock_nanosleep /tmp/trace.* | sort -t: -k2 -n | tail -n 1 | cut -d: -f1)
cycles=$(jq .cycles /tmp/result.json)
others=$(awk '/^clock_nanosleep/ {between += pending; pending = 0; seen = 1; next} seen {pending++} END {print between + 0}' "$loop")
sleeps=$(grep -c '^clock_nanosleep' "$loop")
is "the loop made its cycles" "$([ "$cycles" -gt 300 ] && echo yes)" yes
is "at most one sleep a cycle, warm-up included" "$([ "$sleeps" -le $((cycles + 200 + 1)) ] && echo yes)" yes
# the start of counting (counters read once, at the end of the warm-up) is not a cycle's work
is "no other system call between two sleeps but at the end of warm-up" "$([ "$others" -le 8 ] && echo yes)" yes
[ "$tap_failed" -eq 0 ] || awk '/^clock_nanosleep/ {next} {print}' "$loop" | head -n 40 | tap_note
tap_done
