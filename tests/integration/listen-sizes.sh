#!/usr/bin/env bash
# listen --sizes over a loop of JACK's physical ports: what jack_iodelay measures on the same loop, at each size whose latency it says.
# shellcheck disable=SC2154
set -u
. "$SLEEPTUNE_SRC/tests/tap.sh"
own_shm "$@"
go_on_as_nobody # root is refused
. "$SLEEPTUNE_SRC/tests/integration/daemon-lib.sh"
need jackd jack_iodelay jack_connect jack_bufsize stdbuf
[ -x "$SLEEPTUNE_BUILD/ears/helpers/sleeptune-listen-jack" ] || skip_all "built without libjack"
export SLEEPTUNE_OBSERVE_DIR=$SLEEPTUNE_BUILD/ears/helpers
name=sleeptune-sizes-$$
export JACK_DEFAULT_SERVER=$name JACK_NO_AUDIO_RESERVATION=1
trap 'clean_up; rm -f /dev/shm/jack*"$name"*' EXIT
jackd -n "$name" -r -L 2 -d dummy -C 0 -P 0 -r 48000 -p 8192 >"$tmp/server.log" 2>&1 &
pids+=("$!")
looped() { jack_lsp 2>/dev/null | grep -q loopback:capture_1; }
if ! wait_for looped; then
    skip "a loop of JACK" "jackd does not run here: $(tail -1 "$tmp/server.log")"
    tap_done
fi
"$SLEEPTUNE" listen --back cable --sizes -d 10s --json >"$tmp/sizes.json" 2>"$tmp/err"
like "it plays and records over the loop" "$(tr -s ' \n' ' ' <"$tmp/err")" 'played to: loopback:playback_1 recorded from: loopback:capture_1 '
# one that a busy machine kept from being heard has none; below 128 frames such a machine skips cycles of the dummy driver, and if it skips many
# (invalid) the latency may have changed
"$PYTHON" -c '
import json, sys
for r in json.load(open(sys.argv[1]))["sizes"]:
    if r["latency_frames"] is not None and r["period_frames"] >= 128: print(r["period_frames"], r["latency_frames"], r["valid"])' "$tmp/sizes.json" >"$tmp/rows"
tap_note <"$tmp/rows"
like "the size in use is one of them" "$(cat "$tmp/rows")" '^8192 '
ok "and there are others" test "$(wc -l <"$tmp/rows")" -ge 3

stdbuf -oL jack_iodelay >"$tmp/iodelay" 2>&1 &
pids+=("$!")
wait_for jack_connect jack_delay:out loopback:playback_1
jack_connect loopback:capture_1 jack_delay:in
# measures FRAMES: jack_iodelay measures that, within one
measures() { : >"$tmp/iodelay"; sleep 1; awk -v n="$1" '/total roundtrip/ {d = $1 - n; found += d <= 1 && d >= -1} END {exit !found}' "$tmp/iodelay"; }
while read -r size latency valid <&3; do
    [ "$valid" = True ] || continue
    jack_bufsize "$size" >"$tmp/bufsize" 2>&1
    if wait_for measures "$latency"; then
        pass "at $size frames jack_iodelay measures $latency, too"
    else
        fail "at $size frames jack_iodelay measures $latency, too" "$(tail -5 "$tmp/iodelay")"
    fi
done 3<"$tmp/rows"
tap_done
