#!/usr/bin/env bash
# The way within the graph of a JACK server (dummy driver): what it hears.
# shellcheck disable=SC2154
. "$SLEEPTUNE_SRC/tests/tap.sh"
own_shm "$@"
go_on_as_nobody # root is refused
. "$SLEEPTUNE_SRC/tests/integration/daemon-lib.sh"
need jackd pgrep
listener=$SLEEPTUNE_BUILD/ears/helpers/sleeptune-listen-jack
[ -x "$listener" ] || skip_all "built without libjack"
name=sleeptune-listen-$$
export JACK_DEFAULT_SERVER=$name JACK_NO_AUDIO_RESERVATION=1
trap 'clean_up; rm -f /dev/shm/jack*"$name"*' EXIT
. "$SLEEPTUNE_SRC/tests/integration/listen-lib.sh"
mkfifo "$tmp/no-end" # as standard input: never ends

is "without a server it says so" "$(said -w jack)" "event absent 0 0 JACK server \"$name\" is not running for this user"
behind jackd -n "$name" -r -d dummy -r 48000 -p 8192 >"$tmp/server.log" 2>&1
server=$!
# size OPTION...: the server's buffer size while the program runs
size() {
    rm -f "$tmp/go" && mkfifo "$tmp/go"
    "$listener" -w jack "$@" <"$tmp/go" >"$tmp/stream" 2>"$tmp/listen.log" &
    exec {go}>"$tmp/go"
    wait_for test -s "$tmp/stream"
    exec {go}>&-
    wait "$!"
    "$read_capture" <"$tmp/stream" | sed -n 's/^head.* //p'
}
runs() { [ "$(size)" = 8192 ]; }
wait_for grep -q 'non-realtime mode' "$tmp/server.log" && wait_for runs || skip_rest "a JACK server" "jackd does not run here: $(tail -1 "$tmp/server.log")"
way_hears jack

# over a cable: the first ports, or a pair that is named. Nothing is connected to them
export SLEEPTUNE_OBSERVE_DIR=$SLEEPTUNE_BUILD/ears/helpers
over() { "$SLEEPTUNE_BUILD/tests/integration/listen_live" 1 "$@" | head -1; }
is "a cable is tried on JACK" "$(over cable)" "way cable 48000 Hz, plays to system:playback_1, records system:capture_1, by sleeptune-listen-jack"
is "from any of its ports" "$(over system:capture_2 system:playback_2)" "way cable 48000 Hz, plays to system:playback_2, records system:capture_2, by sleeptune-listen-jack"
like "without a cable the recorder's first port hears the player" "$(over jack)" 'records sleeptune[^:]*:left,'
mkfifo "$tmp/stall"
"$SLEEPTUNE_BUILD/tests/integration/stall_jack" 0 Synth <"$tmp/stall" >"$tmp/synth" 2>&1 &
pids+=("$!")
exec {synth}>"$tmp/stall"
wait_for grep -q playing "$tmp/synth"
is "from the port of another program, which has one channel" "$(over Synth:out)" "way jack 48000 Hz, plays to system:playback_1, records Synth:out, by sleeptune-listen-jack"
exec {synth}>&-
like "but for one that it has not" "$(over system:capture_ 2>&1)" '^sleeptune listen: --back system:capture_: JACK has no port system:capture_ to record from'
like "or that it cannot play to" "$("$SLEEPTUNE" listen --back cable --play none:in -d 10s 2>&1)" 'JACK has no port none:in to play to'

# another buffer size, as long as it lasts
is "the server gets the size that is asked for" "$(size -f 4096)" 4096
does "and has its own afterwards" wait_for runs
"$listener" -w jack -f 4096 <>"$tmp/no-end" >"$tmp/stream" 2>/dev/null &
listening=$!
wait_for test -s "$tmp/stream"
kill -9 "$listening"
wait "$listening" 2>/dev/null
does "also if the program is killed" wait_for runs
tap_done
