#!/usr/bin/env bash
# A program whose buffer is empty, over the monitor of a PipeWire sink: paplay plays a file of the test signal, another program records, and both
# `listen --input` and read_capture judge the recording. 20 stops of paplay, which has 200 ms of buffer, are 20 silences.
# shellcheck disable=SC2154
. "$SLEEPTUNE_SRC/tests/tap.sh"
go_on_as_nobody # WirePlumber is the user's
. "$SLEEPTUNE_SRC/tests/integration/pipewire-lib.sh" pipewire-pulse pw-record pw-link paplay pactl
sink_of_pulse() { pactl list short sinks 2>/dev/null | grep -q nul; }
sound && server pipewire-pulse && wait_for sink_of_pulse || skip_rest "a server for paplay" "none runs here: $(tail -1 "$tmp/server.log")"
pw-metadata -n settings 0 clock.force-quantum 2048 >/dev/null
"$SLEEPTUNE" listen --signal "$tmp/signal.wav" -d 60s

links() { pw-link -l 2>/dev/null | grep -q "$1"; }
# hears STOPS: of that many stops of paplay after the forced glitches: $found, what `listen --input` says, and $same, how many of its losses
# read_capture has at the same place, with the same length
hears() {
    local recorder player
    rm -f "$tmp/out.wav"
    behind pw-record -P '{ stream.capture.sink=true }' --target nul --rate 48000 --channels 2 --format s16 "$tmp/out.wav" >>"$tmp/server.log" 2>&1
    recorder=$!
    wait_for links pw-record
    behind paplay --latency-msec=200 -d nul "$tmp/signal.wav" >>"$tmp/server.log" 2>&1
    player=$!
    sleep 9
    for _ in $(seq "$1"); do
        kill -STOP "$player"
        sleep 0.6
        kill -CONT "$player"
        sleep 0.7
    done
    kill -INT "$recorder"
    wait "$recorder"
    kill "$player"
    wait "$player"
    "$SLEEPTUNE" listen --input "$tmp/out.wav" --json >"$tmp/heard.json"
    "$SLEEPTUNE_BUILD/tests/integration/read_capture" "$tmp/out.wav" >"$tmp/seen"
    read -r found same < <("$PYTHON" - "$tmp/heard.json" "$tmp/seen" <<'PY'
import json, sys
heard, seen = json.load(open(sys.argv[1])), []
for at, damaged, jump in ([int(n) for n in line.split()[1:4]] for line in open(sys.argv[2]) if line.startswith("damage")):
    if seen and at - sum(seen[-1]) < 960: seen[-1][1] = at + damaged - seen[-1][0]
    else: seen.append([at, damaged])
losses = heard["losses"]
# a sample may be equal to the one that it took the place of
same = sum(any(abs(l["at_frame"] - at) <= 2 and abs(l["frames"] - n) <= 4 for at, n in seen) for l in losses)
print(heard["path_class"], heard["valid"], heard["forced_glitches"], heard["losses_n"], *sorted({l["kind"] for l in losses}), sep=",", end=" ")
print(same)
PY
    )
}
as_they_are() { hears 0; [ "$found" = bit-exact,True,9,0 ] || ! tap_note <<<"$found"; }
does "undisturbed: bit-exact, and nothing lost" in_three as_they_are
each_is_one() { hears 20; [ "$found $same" = "bit-exact,True,9,20,zeroed 20" ] || ! tap_note <<<"$found $same"; }
does "20 stops are 20 silences, each where a comparison of all samples has it" in_three each_is_one
tap_done
