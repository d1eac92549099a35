#!/usr/bin/env bash
# A stream of 44100 Hz that came first makes the cycle of all others shorter: with a real PipeWire, its profiler and pw-dump.
# shellcheck disable=SC2034
. "$SLEEPTUNE_SRC/tests/tap.sh"
if [ "$(id -u)" -eq 0 ]; then # root asks no user's server
    let_nobody_in
    as_nobody test -w "${TMPDIR:-/tmp}" || unset TMPDIR
    as_nobody "$0"
    exit
fi
. "$SLEEPTUNE_SRC/tests/integration/pipewire-lib.sh" pw-dump pw-play
sound || skip_rest "a PipeWire server" "pipewire does not run here: $(tail -1 "$tmp/server.log")"
set_to() { pw-metadata -n settings 0 "$1" "$2" >/dev/null; }
set_to clock.force-quantum 0
set_to clock.allowed-rates '[ 44100 48000 ]'
for rate in 44100 48000; do
    "$PYTHON" -c "
import sys, wave
with wave.open(sys.argv[1], 'wb') as f:
    f.setnchannels(2)
    f.setsampwidth(2)
    f.setframerate($rate)
    f.writeframes(bytes(4 * $rate * 120))" "$tmp/$rate.wav"
done
# play NAME RATE FRAMES: sets $player
play() {
    behind pw-play -P "{ application.name = \"$1\" node.name = \"$1\" }" --latency "$3" "$tmp/$2.wav" >>"$tmp/client.log" 2>&1
    player=$!
    wait_for plays "$1"
}
plays() { pw-dump | "$PYTHON" -c "
import json, sys
nodes = [o['info'] for o in json.load(sys.stdin) if o['type'].endswith(':Node')]
sys.exit(not any(n['state'] == 'running' and n['props'].get('application.name') == '$1' for n in nodes))"; }
report() { "$SLEEPTUNE" report linux-pipewire-rates </dev/null 2>&1 | tr -s ' \n' ' ' | grep -o 'Here: .*' | sed 's/ Rights: .*//'; }
# cycles: what the profiler says, "512 frames at 44100 Hz"
cycles() {
    rm -f "$tmp/cycles"
    watch cycles
    wait_for grep -q ^load "$tmp/cycles"
    end_watchers
    watchers=()
    sed -n 's/^load .* frames=\([0-9]*\) rate_hz=\([0-9]*\) .*/\1 frames at \2 Hz/p' "$tmp/cycles" | sort -u | head -1
}

sink_rate() { pw-dump | "$PYTHON" -c "
import json, sys
for o in json.load(sys.stdin):
    if o['type'].endswith(':Node') and o['info']['props'].get('node.name') == 'nul':
        print(o['info']['params']['Format'][0]['rate'])"; }

does "a music player plays at 44100 Hz" play Music 44100 4410
music=$player
does "and then a game, which asks for 1024 frames at 48000 Hz" play Game 48000 1024
is "the profiler has shorter cycles" "$(cycles)" "512 frames at 44100 Hz"
out=$(report)
if [ "$(sink_rate)" = 44100 ]; then
    like "report names who asked for the rate" "$out" 'advice Music asked for 44100 Hz: PipeWire.s cycle is 512 frames \(11\.61 ms\)'
    like "what the cycle would be" "$out" 'instead of 1024 \(21\.33 ms\) at 48000 Hz'
    like "and the command that helps" "$out" 'pw-metadata -n settings 0 clock\.force-rate 48000 '
    like "the first screen names it, too" "$("$SLEEPTUNE" report </dev/null 2>&1)" '^512 frames at 44\.1 kHz, Music asked for 44100 Hz'
else # PipeWire 1.4: the sink keeps its own rate, and only the profiler knows the graph's
    like "report does not take the sink's rate for the graph's" "$out" 'unknown a program asked for another rate .*: pw-top does \(RATE\)'
fi
only
starts "the daemon starts"
status_row() { "$SLEEPTUNE" status --socket "$sock" | tr -s ' \n' ' ' | grep -q '512 frames at 44\.1 kHz (11\.6 ms).*; Game asked for 1024 frames, Music for 44\.1 kHz'; }
ok "status says who asked for what, too" wait_for status_row
set_to clock.force-quantum 2048
follows() { "$SLEEPTUNE" status --details --socket "$sock" | tr -s ' ' | grep -q '^Loop 2048 frames at '; }
ok "then the test loop has the new size" wait_for follows
set_to clock.force-quantum 0
stop
set_to clock.force-rate 48000
sleep 1
is "it does" "$(cycles)" "1024 frames at 48000 Hz"
like "and report says so" "$(report)" 'ok PipeWire runs at 48000 Hz and converts the 44100 Hz of Music'
set_to clock.force-rate 0
kill "$music" "$player"
wait "$music" "$player" 2>/dev/null
idle() { pw-dump | "$PYTHON" -c "
import json, sys
sys.exit(any(o['info']['state'] == 'running' for o in json.load(sys.stdin) if o['type'].endswith(':Node')))"; }
ok "nothing plays" wait_for idle
sleep 1
does "the game first" play Game 48000 1024
does "and then the music player" play Music 44100 4410
is "keeps its cycle" "$(cycles)" "1024 frames at 48000 Hz"
end_server
tap_done
