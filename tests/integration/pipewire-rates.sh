#!/usr/bin/env bash
# A stream of 44100 Hz that came first makes the cycle of all others shorter: with a real PipeWire, its profiler and pw-dump.
# shellcheck disable=SC2034
. "$SLEEPTUNE_SRC/tests/tap.sh"
go_on_as_nobody # root asks no user's server
. "$SLEEPTUNE_SRC/tests/integration/pipewire-lib.sh" pw-dump pw-play
sound || skip_rest "a PipeWire server" "pipewire does not run here: $(tail -1 "$tmp/server.log")"
set_to() { pw-metadata -n settings 0 "$1" "$2" >/dev/null; }
set_to clock.force-quantum 0
set_to clock.allowed-rates '[ 44100 48000 ]'
for rate in 44100 48000; do
    "$PYTHON" -c "import sys, wave
with wave.open(sys.argv[1], 'wb') as f:
    f.setparams((2, 2, $rate, 0, 'NONE', ''))
    f.writeframes(bytes(4 * $rate * 120))" "$tmp/$rate.wav"
done
# play NAME RATE FRAMES: sets $player
play() {
    behind pw-play -P "{ application.name = \"$1\" node.name = \"$1\" }" --latency "$3" "$tmp/$2.wav" >>"$tmp/client.log" 2>&1
    player=$!
    wait_for plays "$1"
}
# nodes EXPRESSION: of each node n of the graph
nodes() { pw-dump | key - "[($1) for n in [o['info'] for o in d if o['type'].endswith(':Node')]]"; }
plays() { nodes "n['state'] == 'running' and n['props'].get('application.name') == '$1'" | grep -q True; }
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

does "a music player plays at 44100 Hz" play Music 44100 4410
music=$player
does "and then a game, which asks for 1024 frames at 48000 Hz" play Game 48000 1024
is "the profiler has shorter cycles" "$(cycles)" "512 frames at 44100 Hz"
out=$(report)
if nodes "n['props'].get('node.name') == 'nul' and n['params']['Format'][0]['rate'] == 44100" | grep -q True; then
    like "report names who asked for the rate, what the cycle would be, and the command that helps" "$out" \
        'advice Music asked for 44100 Hz, so PipeWire.s cycle is 512 frames \(11\.61 ms\).* instead of 1024 \(21\.33 ms\) at 48000 Hz.*pw-metadata -n settings 0 clock\.force-rate 48000 '
    like "the first screen names it, too" "$("$SLEEPTUNE" report </dev/null 2>&1)" '^512 frames at 44\.1 kHz, Music asked for 44100 Hz'
else # PipeWire 1.4: the sink keeps its own rate, and only the profiler knows the graph's
    like "report does not take the sink's rate for the graph's" "$out" 'unknown PipeWire.s cycle is unknown: a program asked for another rate .*\(pw-top does, in column RATE\)'
fi
only
starts "the daemon starts"
status_row() { "$SLEEPTUNE" status --socket "$sock" | tr -s ' \n' ' ' | grep -q '512 frames at 44\.1 kHz (11\.6 ms).*; Game asked for 1024 frames, Music for 44\.1 kHz'; }
ok "status says who asked for what, too" wait_for status_row
set_to clock.force-quantum 2048
follows() { "$SLEEPTUNE" status --details --socket "$sock" | tr -s ' ' | grep -q '^Test 2048 frames at '; }
ok "then the test loop has the new size" wait_for follows
set_to clock.force-quantum 0
stop
set_to clock.force-rate 48000
sleep 1
is "it does" "$(cycles)" "1024 frames at 48000 Hz"
like "and report says so" "$(report)" 'ok PipeWire runs at 48000 Hz and converts the 44100 Hz of Music'
set_to clock.force-rate 0
ended_by TERM "$music" "$player"
idle() { nodes "n['state']" | grep -v running; }
ok "nothing plays" wait_for idle
sleep 1
does "the game first" play Game 48000 1024
does "and then the music player" play Music 44100 4410
is "keeps its cycle" "$(cycles)" "1024 frames at 48000 Hz"
end_server
tap_done
