#!/bin/bash
# Does `sleeptune predict` tell the truth? Stalls of known lengths at known moments take the CPU from a run at 16 frames; what
# it predicts for each size stands beside what these stalls must make, and beside what runs at 64, 256 and 1024 frames count.
#   predict-injected.sh SLEEPTUNE STALLS [SECONDS [CPU [MEAN_US]]]     default: 600 s, CPU 0, stalls of 10 ms on average
# As root, with jq; STALLS is build/tests/integration/stalls. SEED: of the stalls, for the same ones each time. In the instruction-counted guest (tests/vm/vm-boot.sh -i) nothing
# of the host disturbs. Prints Markdown. Status: 0 every true rate is at or below the upper bound, 1 one is not, 4 cannot run.
set -euo pipefail
sleeptune=$1 stalls=$2 seconds=${3:-600} cpu=${4:-0} mean_us=${5:-10000}
out=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$out"' EXIT

"$stalls" "$cpu" 90 "$mean_us" 2000 "$((seconds + 1))" 0 "${SEED:-$$}" >"$out/truth.csv" &
sleep 0.5
priority=70
for frames in 16 64 256 1024; do
  record=()
  [ $frames -ne 16 ] || record=(--record "$out/run.strec")
  "$sleeptune" measure --quiet --json --cpu "$cpu" --priority $priority --frames $frames --rate 48000 --duration "${seconds}s" "${record[@]}" \
    >"$out/$frames.json" &
  priority=$((priority - 5))
done
wait
"$sleeptune" predict "$out/run.strec" --json >"$out/rows.json" || [ $? -le 1 ]

counted() { # FRAMES: dropouts per hour of the run at that size
  [ -s "$out/$1.json" ] || { echo -; return; }
  jq -r '.miss_events / (.duration_ns / 3.6e12) | floor' "$out/$1.json"
}

status=0
echo "| frames | true per hour | seen | at most | counted by a run of this size |"
echo "|---|---|---|---|---|"
while IFS=, read -r frames truth n _; do
  [ "$frames" != frames ] || continue
  read -r seen high <<<"$(jq -r --argjson f "$frames" '.rows[] | select(.frames == $f) | "\(.per_hour) \(.at_most_per_hour)"' "$out/rows.json")"
  printf '| %s | %.1f | %.1f | %.1f | %s |\n' "$frames" "$truth" "$seen" "$high" "$(counted "$frames")"
  awk -v t="$truth" -v h="$high" 'BEGIN {exit !(t <= h)}' || status=1
  stalls_n=$n
done <"$out/truth.csv"
echo
echo "$stalls_n stalls of $mean_us µs on average in $seconds s; $(uname -sr)."
exit $status
