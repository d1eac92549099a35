#!/usr/bin/env bash
# listen --music with a real PipeWire: what a player writes is compared with what comes back, over the monitor of its sink, and over a
# pw-loopback between two sinks. A player that stops is no loss, and a loopback that stops is one.
# shellcheck disable=SC2154,SC2317
set -u
. "$SLEEPTUNE_SRC/tests/tap.sh"
go_on_as_nobody # root is refused
. "$SLEEPTUNE_SRC/tests/integration/daemon-lib.sh"
need pipewire wireplumber pw-cli pw-metadata pw-play pw-loopback sox dbus-daemon pgrep
[ -x "$SLEEPTUNE_BUILD/ears/helpers/sleeptune-listen-pipewire" ] || skip_all "built without libpipewire"
export SLEEPTUNE_OBSERVE_DIR=$SLEEPTUNE_BUILD/ears/helpers
export HOME=$tmp XDG_RUNTIME_DIR=$tmp/run
mkdir -m 700 "$XDG_RUNTIME_DIR"
unset PIPEWIRE_REMOTE PIPEWIRE_RUNTIME_DIR
server() { "$@" >>"$tmp/server.log" 2>&1 & server=$!; pids+=("$server"); }
. "$SLEEPTUNE_SRC/tests/integration/pipewire-lib.sh"

. "$SLEEPTUNE_SRC/tests/integration/music-lib.sh"
music_to "$tmp/music.wav"
if ! sound; then
    skip "a PipeWire server" "pipewire does not run here: $(tail -1 "$tmp/server.log")"
    tap_done
fi
sox -R -n -r 48000 -c 2 -b 16 "$tmp/other.wav" synth 60 brownnoise gain -n -12
play() { pw-play --target "$1" "$tmp/${2:-music}.wav" >>"$tmp/server.log" 2>&1 & player=$!; pids+=("$player"); }
links() { pw-link -l 2>/dev/null | grep -q "$1"; }

# music DURING OPTION...: runs the command, and DURING once the forced glitches are over
music() {
    "$SLEEPTUNE" listen --music "${@:2}" -d 20s --json >"$tmp/listen.json" 2>"$tmp/listen.log" &
    local command=$!
    sleep 14
    "$1"
    wait "$command"
    status=$?
}
stop_twice() {
    for _ in 1 2; do
        kill -STOP "$stops"
        sleep 0.6
        kill -CONT "$stops"
        sleep 2
    done
}
told() {
    "$PYTHON" -c '
import json, sys
d = json.load(open(sys.argv[1]))
print(d["signal"], d["back"], d["path_class"], d["valid"], d["forced_glitches"], d["losses_n"], *[l["kind"] for l in d["losses"]], *d["remarks"],
      *[k for k in d["events"] if k in ("mixed", "passes")])' "$tmp/listen.json"
}
# gives TOLD STATUS: is that what it told?
gives() {
    [ "$(told)" = "$1" ] && [ "$status" = "$2" ] && return 0
    tap_note <"$tmp/listen.json"
    return 1
}

play nul
wait_for links pw-play
over_monitor() {
    stops=$player
    music stop_twice --back monitor
    gives "music monitor bit-exact True 9 0" 0
}
does "a player that is stopped is no loss: its music is the reference" in_three over_monitor
like "nothing is said to be played" "$(cat "$tmp/listen.log")" '^Comparing your music, over the monitor of '
second() { play nul other; second=$player; }
two_players() {
    music second --back monitor
    kill "$second"
    gives "music monitor bit-exact True 9 0" 0
}
first=$player
does "a second player that begins is compared, too" in_three two_players
kill "$first"

pw-loopback -n way --capture-props='media.class=Audio/Sink node.name=way' --playback-props='node.target=nul node.name=way-out' >>"$tmp/server.log" 2>&1 &
loopback=$!
pids+=("$loopback")
wait_for links way-out
play way
first=$player
wait_for links pw-play
over_loopback() {
    stops=$loopback
    music stop_twice --play way --back nul
    gives "music monitor bit-exact True 9 2 zeroed zeroed passes" 1
}
does "a loopback that is stopped on the way is a loss, each time" in_three over_loopback
volume() { pw-cli set-param "$(pw-cli info way-out | sed -n 's/^[[:space:]]*id: //p')" Props "{ channelVolumes = [ $1, $1 ] }" >/dev/null; }
softer() { volume 0.5; }
another_volume() {
    volume 1
    music softer --play way --back nul
    gives "music monitor linear-gain True 6 0 volume passes" 0
}
does "a volume that changes on the way is said, and is no loss" in_three another_volume
volume 1
mixed_in() {
    music second --play way --back nul
    kill "$second"
    gives "music monitor bit-exact True 9 0 mixed mixed passes" 0
}
does "another program that plays beside the way is said, and is no loss" in_three mixed_in
kill "$first" "$loopback"

cat >"$tmp/filter.conf" <<'CONF'
context.properties = { log.level = 0 }
context.spa-libs = { audio.convert.* = audioconvert/libspa-audioconvert support.* = support/libspa-support }
context.modules = [
    { name = libpipewire-module-protocol-native }
    { name = libpipewire-module-client-node }
    { name = libpipewire-module-adapter }
    { name = libpipewire-module-filter-chain
        args = {
            filter.graph = { nodes = [ { type = builtin name = low label = bq_lowpass control = { "Freq" = 300.0 "Q" = 0.7 } } ] }
            audio.channels = 2 audio.position = [ FL FR ]
            capture.props = { node.name = effect media.class = Audio/Sink }
            playback.props = { node.name = effect-out node.target = nul }
        }
    }
]
CONF
pipewire -c "$tmp/filter.conf" >>"$tmp/server.log" 2>&1 &
pids+=("$!")
if wait_for links effect-out; then
    play effect
    wait_for links pw-play
    an_effect() {
        music true --play effect --back nul
        gives "music monitor none False 0 0 effects passes" 5
    }
    does "an effect on the way is known from the graph, and nothing is counted" in_three an_effect
else
    skip "an effect on the way is known from the graph" "no filter-chain here: $(tail -1 "$tmp/server.log")"
fi
tap_done
