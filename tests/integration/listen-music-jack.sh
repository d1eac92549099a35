#!/usr/bin/env bash
# listen --music with a real JACK server (dummy driver without ports): what a program plays is compared with what comes back over a loop that
# damages it. 20 faults are found, each with its kind and length; a program that is stopped is no loss, and one that begins is compared, too.
# shellcheck disable=SC2154,SC2317
set -u
. "$SLEEPTUNE_SRC/tests/tap.sh"
own_shm "$@"
go_on_as_nobody # root is refused
. "$SLEEPTUNE_SRC/tests/integration/daemon-lib.sh"
need jackd jack_lsp sox
[ -x "$SLEEPTUNE_BUILD/ears/helpers/sleeptune-listen-jack" ] || skip_all "built without libjack"
name=sleeptune-music-$$
export JACK_DEFAULT_SERVER=$name JACK_NO_AUDIO_RESERVATION=1 SLEEPTUNE_OBSERVE_DIR=$SLEEPTUNE_BUILD/ears/helpers
trap 'clean_up; rm -f /dev/shm/jack*"$name"*' EXIT
jackd -n "$name" -r -d dummy -r 48000 -p 8192 -C 0 -P 0 >"$tmp/server.log" 2>&1 &
pids+=("$!")
. "$SLEEPTUNE_SRC/tests/integration/music-lib.sh"
music_to "$tmp/music.wav"
has() { jack_lsp -c 2>/dev/null | grep -q "$1"; }
mkfifo "$tmp/faults"
runs() { jack_lsp >/dev/null 2>&1; }
if ! wait_for runs; then
    skip "a JACK server" "jackd does not run here: $(tail -1 "$tmp/server.log")"
    tap_done
fi
"$SLEEPTUNE_BUILD/tests/integration/loop_jack" <"$tmp/faults" >"$tmp/made" 2>>"$tmp/server.log" &
pids+=("$!")
exec {faults}>"$tmp/faults"
wait_for grep -q ready "$tmp/made"
play() { "$SLEEPTUNE_BUILD/tests/integration/play_jack" "$tmp/music.wav" >>"$tmp/server.log" 2>&1 & player=$!; pids+=("$player"); }
play
wait_for has play_jack

# music DURING SECONDS OPTION...: runs the command, and DURING once the forced glitches are over
music() {
    "$SLEEPTUNE" listen --music "${@:3}" -d "$2s" --json >"$tmp/listen.json" 2>"$tmp/listen.log" &
    local command=$!
    sleep 12
    "$1"
    wait "$command"
    status=$?
}
# JACK repeats the last cycle of a program that is stopped: the remark "repeats" is right, or not there
told() {
    "$PYTHON" - "$tmp/listen.json" "$tmp/made" <<'PY'
import json, sys
d = json.load(open(sys.argv[1]))
made = [(kind, int(frames)) for kind, frames in (line.split() for line in open(sys.argv[2]) if line != "ready\n")][-len(d["losses"]):]
# a sample may be equal to the one that it took the place of
same = sum(l["kind"] == kind and abs(l["frames"] - frames) <= 2 for l, (kind, frames) in zip(d["losses"], made))
print(d["back"], d["records"], d["path_class"], d["valid"], d["losses_n"], same, *(r for r in d["remarks"] if r != "repeats"), *d["cannot_hear"])
PY
}
gives() {
    [ "$(told)" = "$1" ] && [ "$status" = "$2" ] && return 0
    tap_note <"$tmp/listen.json"
    tap_note <"$tmp/made"
    return 1
}
damages() {
    for _ in $(seq 20); do
        echo >&"$faults"
        sleep 0.$((45 + RANDOM % 30)) # two faults are more than a cycle apart
    done
}
each_fault() {
    music damages 28 --back cable
    gives "cable loop:capture_1 bit-exact True 20 20 client-not-ready buffer-empty" 1
}
does "20 faults of what comes back are 20 losses, each with its kind and length" in_three each_fault
like "nothing is said to be played" "$(cat "$tmp/listen.log")" '^Comparing your music, over a cable, '
stops() {
    for _ in 1 2 3 4; do
        kill -STOP "$player"
        sleep 0.36
        kill -CONT "$player"
        sleep 1
    done
}
stopped() {
    music stops 20 --play loop:playback_1 --back loop:capture_1
    gives "cable loop:capture_1 bit-exact True 0 0 client-not-ready buffer-empty" 0
}
does "a program that is stopped is no loss: its music is the reference" in_three stopped
second() { local first=$player; play; player=$first; }
two() {
    music second 20 --back cable
    gives "cable loop:capture_1 bit-exact True 0 0 client-not-ready buffer-empty" 0
}
does "a second program that begins is compared, too" in_three two
like "a port that JACK has not is named" "$("$SLEEPTUNE" listen --music --back none:out -d 10s 2>&1)" 'JACK has no output port none:out to record from'
like "so is one to play to" "$("$SLEEPTUNE" listen --music --play none:in --back cable -d 10s 2>&1)" 'JACK has no input port none:in to play to'
like "JACK keeps its buffer size" "$("$SLEEPTUNE" listen --music --back loop:capture_1 -f 256 -d 10s 2>&1)" "--music does not change JACK's buffer size: set it with jack_bufsize"
like "not over the graph alone" "$("$SLEEPTUNE" listen --music --back jack -d 10s 2>&1)" '^sleeptune listen: --music does not work with --back jack\. Use monitor, cable, '
tap_done
