#!/usr/bin/env bash
# sleeptune-lab punctual: each way of waiting has its turns and its row; what is no budget is refused.
set -u
. "$SLEEPTUNE_SRC/tests/tap.sh"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1
bench() { "$SLEEPTUNE_LAB" punctual "$@"; }
key() { "$PYTHON" -c "import json, sys; d = json.load(open(sys.argv[1])); r = d['results']; print($2)" "$1"; }

bench free,p97,125us --duration 3s --quiet --json >punctual.json
is "each way has its turns, and every period is a cycle or skipped" \
    "$(key punctual.json '[x["name"] for x in r], sum(x["lateness_ns"]["n"] for x in r) == d["cycles"], d["cycles"] + d["skipped_periods"] == d["elapsed_periods"]')" \
    "['plain', 'free', 'p97', '125us'] True True"
is "no way wakes early, and the margins are in their order" \
    "$(key punctual.json 'min(x["lateness_ns"]["min"] for x in r) >= 0, 0 < r[1]["margin_ns"] < r[2]["margin_ns"], r[3]["margin_ns"]')" "True True 125000"
like "as a table" "$("$SLEEPTUNE_LAB" table punctual.json)" '^p97,'
COLUMNS=80 bench curve --duration 50ms --quiet >out
ways=$(grep -c ' -$' out)
like "a dash is explained, with a remedy: two turns of 128 periods of each way, and one" "$(tr -s '\n ' ' ' <out)" \
    "A dash: the run was too short. All figures need about $((((2 * (ways + 1) + 1) * 128 * 64 + 47999) / 48000)) s: use --duration [0-9]+s\."
for bad in x 0.5 60% p100 200ms '1.7,' ''; do
    bench "$bad" --duration 100ms >out 2>err
    is "'$bad' is a usage error" "$? $(wc -l <out) $(grep -c '^sleeptune-lab punctual: ' err)" "3 0 1"
done
bench free 1.7 >out 2>err
is "two lists are a usage error" "$? $(head -n 1 err)" "3 sleeptune-lab punctual: unexpected argument: 1.7"
bench --frames 1 --rate 768k >out 2>err
is "so is a period that is too short" "$? $(head -n 1 err)" "3 sleeptune-lab punctual: the period (--frames / --rate) must be 50 us to 1 s"
NO_COLOR=1 COLUMNS=80 bench free,p97,125us --duration 3s --quiet >out
is "it keeps to 80 columns" "$(sed 's/µ/u/g' out | awk 'length > 80')" ""
like "each way has its row, with its ratio" "$(grep '^125us ' out)" '\[[0-9.]+ \.\. [0-9.]+\] +[0-9.]+ \[[0-9.]+ \.\. [0-9.]+\]$'
tap_done
