#!/bin/bash
# In the instruction-counted guest (tests/vm/vm-boot.sh -i): a run of some minutes at 64 frames (or $FRAMES), and a longer one after it, while the
# machine does the same all the time. tests/bench/predict_heldout.py compares the two.
#   predict-heldout-guest.sh FOLDER SLEEPTUNE STALLS [FIRST_S [NEXT_S [MEAN_US [SHAPE [EVERY_MS [SEED]]]]]]
# FOLDER gets first.strec, next.strec and truth.csv (the dropouts that the injected stalls of the second run must make). Stalls have
# a generalised Pareto law (default: 2000 us on average, shape 0, every 2000 ms; MEAN_US 0: none). Beside them normal programs start, compute,
# write and sync, at random moments. As root.
set -euo pipefail
folder=$1 sleeptune=$2 stalls=$3 first_s=${4:-600} next_s=${5:-1800} mean_us=${6:-2000} shape=${7:-0} every_ms=${8:-2000} seed=${9:-1}
frames=${FRAMES:-64}
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
mkdir -p "$folder"
RANDOM=$seed

# what a desktop does when nobody looks, at random moments: computes now and then, sometimes starts a program or writes to the disk
ordinary() {
    local i n sum
    while :; do
        sleep "$((RANDOM % 3)).$((RANDOM % 800 + 100))"
        sum=0 n=$((RANDOM % 100))
        for ((i = 0; i < n; i++)); do sum=$((sum + i)); done
        case $((RANDOM % 20)) in
        0) head -c 60000 /dev/urandom | cksum >/dev/null ;;
        1) head -c 100000 /dev/zero >"$work/file"; sync "$work/file" ;;
        *) (:) ;;
        esac
    done
}

run() { # NAME SECONDS SEED
    local injecting=
    if [ "$mean_us" != 0 ]; then
        "$stalls" 0 90 "$mean_us" "$every_ms" "$(($2 + 1))" "$shape" "$3" >"$work/$1.csv" &
        injecting=$!
    fi
    sleep 0.5
    "$sleeptune" measure --quiet --cpu 0 --priority 70 --frames "$frames" --rate 48000 --duration "${2}s" --record "$work/$1.strec" >"$work/$1.txt" || [ $? -eq 1 ]
    [ -z "$injecting" ] || wait "$injecting"
    cp "$work/$1.strec" "$folder/"
}

ordinary &
ordinary=$!
run first "$first_s" $((2 * seed))
run next "$next_s" $((2 * seed + 1))
[ "$mean_us" = 0 ] || cp "$work/next.csv" "$folder/truth.csv"
kill $ordinary
