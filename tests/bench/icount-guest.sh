#!/bin/bash
# Inside the instruction-counted guest (tests/vm/vm-boot.sh -i): cyclictest and sleeptune measure one after the other.
#   icount-guest.sh SLEEPTUNE
# Prints JSON: median lateness, and CPU time of the loop's thread per cycle as the kernel's schedstat has it, taken
# between two moments of a run (start-up plays no part). 2 ns are one instruction; nothing of the host disturbs.
set -euo pipefail
sleeptune=$1
period_us=1333 frames=64 seconds=12

fifo_task() { # PID: its SCHED_FIFO thread, once there is one
  local t
  for _ in {1..100}; do
    for t in /proc/"$1"/task/*; do
      [ "$(awk '{print $41}' "$t/stat" 2>/dev/null)" != 1 ] || { echo "$t"; return; }
    done
    sleep 0.1
  done
  echo "no SCHED_FIFO thread in process $1" >&2
  return 1
}

# cpu_per_cycle PID: ns of the loop's thread between 3 s and 10 s after now
cpu_per_cycle() {
  local task a b at bt
  sleep 3
  task=$(fifo_task "$1")
  read -r a _ <"$task/schedstat"; at=$(date +%s%N)
  sleep 7
  read -r b _ <"$task/schedstat"; bt=$(date +%s%N)
  awk -v ns=$((b - a)) -v span=$((bt - at)) -v p=$period_us 'BEGIN {printf "%.1f", ns / (span / (p * 1000))}'
}

median_of_histogram() { # cyclictest's JSON
  awk -F'[":, ]+' '/"histogram"/ {on = 1; next} on && /}/ {exit} on {print $2, $3}' "$1" | sort -n |
    awk '{v[NR] = $1; c[NR] = $2; n += $2} END {for (i = 1; i <= NR; i++) {s += c[i]; if (s >= n / 2) {print v[i]; exit}}}'
}

out=$(mktemp -d)
row() { # NAME MEDIAN CPU
  printf '{"program": "%s", "median_ns": %s, "cpu_ns_per_cycle": %s}' "$1" "$2" "$3"
}

echo "["
for round in 1 2; do
  cyclictest -m -p70 -N --default-system -q -t1 -a 0 -i $period_us -D $seconds -h 400000 --json="$out/c.json" >/dev/null 2>&1 &
  cpu=$(cpu_per_cycle $!)
  wait
  row cyclictest "$(median_of_histogram "$out/c.json")" "$cpu"; echo ","
  "$sleeptune" measure --record "$out/m.st" --json --quiet --cpu 0 --frames $frames --duration ${seconds}s >"$out/m.json" &
  cpu=$(cpu_per_cycle $!)
  wait
  row sleeptune "$(awk -F'[:, ]+' '/"median"/ {print $3; exit}' "$out/m.json")" "$cpu"
  [ $round = 2 ] || echo ","
done
echo; echo "]"
