#!/usr/bin/env bash
# listen --music with a real PipeWire: what a player writes is compared with what comes back, over the monitor of its sink, and over a
# pw-loopback between two sinks. A player that stops is no loss, and a loopback that stops is one.
# shellcheck disable=SC2154,SC2317
set -u
. "$SLEEPTUNE_SRC/tests/tap.sh"
command -v setpriv >/dev/null || skip_all "setpriv is not installed"
if [ "$(id -u)" -eq 0 ]; then # root is refused
    let_nobody_in
    exec "${nobody[@]}" env HOME=/nonexistent "$0"
fi
. "$SLEEPTUNE_SRC/tests/integration/daemon-lib.sh"
need pipewire wireplumber pw-cli pw-metadata pw-play pw-loopback sox dbus-daemon pgrep
[ -x "$SLEEPTUNE_BUILD/ears/helpers/sleeptune-listen-pipewire" ] || skip_all "built without libpipewire"
export SLEEPTUNE_OBSERVE_DIR=$SLEEPTUNE_BUILD/ears/helpers
export HOME=$tmp XDG_RUNTIME_DIR=$tmp/run
mkdir -m 700 "$XDG_RUNTIME_DIR"
unset PIPEWIRE_REMOTE PIPEWIRE_RUNTIME_DIR
server() { "$@" >>"$tmp/server.log" 2>&1 & server=$!; pids+=("$server"); }
does() { local name=$1; shift; if "$@"; then pass "$name"; else fail "$name" "$* (status $?)"; fi; }
. "$SLEEPTUNE_SRC/tests/integration/pipewire-lib.sh"

# notes of plucked strings, none twice within 4 s
notes=()
for note in C3,G4,0.31 E3,A4,0.42 D3,B4,0.27 G2,D5,0.55 A2,E4,0.36 F3,C5,0.44 C4,G3,0.29 B2,F4,0.51 E4,C3,0.33 A3,D4,0.47; do
    IFS=, read -r left right length <<<"$note"
    notes+=("|sox -R -n -r 48000 -p synth $length pluck $left pluck $right")
done
sox -R "${notes[@]}" -b 16 "$tmp/music.wav" gain -n -6 repeat 40 || skip_all "sox made no music"
if ! sound; then
    skip "a PipeWire server" "pipewire does not run here: $(tail -1 "$tmp/server.log")"
    tap_done
fi
play() { pw-play --target "$1" "$tmp/music.wav" >>"$tmp/server.log" 2>&1 & player=$!; pids+=("$player"); }
links() { pw-link -l 2>/dev/null | grep -q "$1"; }

# music OPTION...: runs the command; `stops PID` is stopped twice for 0.6 s, once the forced glitches are over
music() {
    "$SLEEPTUNE" listen --music "$@" -d 20s --json >"$tmp/listen.json" 2>"$tmp/listen.log" &
    local command=$!
    sleep 14
    for _ in 1 2; do
        kill -STOP "$stops"
        sleep 0.6
        kill -CONT "$stops"
        sleep 2
    done
    wait "$command"
    status=$?
}
told() {
    "$PYTHON" -c '
import json, sys
d = json.load(open(sys.argv[1]))
print(d["signal"], d["back"], d["path_class"], d["valid"], d["forced_glitches"], d["losses_n"], *[l["kind"] for l in d["losses"]])' "$tmp/listen.json"
}

play nul
wait_for links pw-play
over_monitor() {
    stops=$player
    music --back monitor
    [ "$(told)" = "music monitor bit-exact True 9 0" ] && [ "$status" = 0 ] && return 0
    tap_note <"$tmp/listen.json"
    return 1
}
does "a player that is stopped is no loss: its music is the reference" eval 'over_monitor || over_monitor'
like "nothing is said to be played" "$(cat "$tmp/listen.log")" '^Comparing what programs play to nul with what comes back from nul, .* Let your music play\.'
kill "$player"

pw-loopback -n way --capture-props='media.class=Audio/Sink node.name=way' --playback-props='node.target=nul node.name=way-out' >>"$tmp/server.log" 2>&1 &
loopback=$!
pids+=("$loopback")
wait_for links way-out
play way
wait_for links pw-play
over_loopback() {
    stops=$loopback
    music --play way --back nul
    [ "$(told)" = "music monitor bit-exact True 9 2 zeroed zeroed" ] && [ "$status" = 1 ] && return 0
    tap_note <"$tmp/listen.json"
    return 1
}
does "a loopback that is stopped on the way is a loss, each time" eval 'over_loopback || over_loopback'
tap_done
