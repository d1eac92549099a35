#!/usr/bin/env bash
# The way over the monitor of a PipeWire sink, with a real server: what it hears, and what it does on a bad day.
# shellcheck disable=SC2154
. "$SLEEPTUNE_SRC/tests/tap.sh"
live=$SLEEPTUNE_BUILD/tests/integration/listen_live
if [ "$(id -u)" -eq 0 ]; then
    TAP_AS_ROOT=$("$live" 1 monitor 2>&1 | grep -o 'run it as .*root')
    export TAP_AS_ROOT
fi
go_on_as_nobody
. "$SLEEPTUNE_SRC/tests/integration/pipewire-lib.sh"
listener=$SLEEPTUNE_BUILD/ears/helpers/sleeptune-listen-pipewire
export SLEEPTUNE_OBSERVE_DIR=$SLEEPTUNE_BUILD/ears/helpers
. "$SLEEPTUNE_SRC/tests/integration/listen-lib.sh"

is "without a server it says so" "$(said -w monitor)" "event absent 0 0 PipeWire is not running for this user"
is "an unknown option is a usage error, and so is no way" "$("$listener" -y </dev/null >/dev/null 2>&1; echo $?) $("$listener" </dev/null >/dev/null 2>&1; echo $?)" "3 3"
if [ -n "${TAP_AS_ROOT+x}" ]; then is "root is refused in a user's session" "$TAP_AS_ROOT" "run it as the user who plays, not as root"; fi
out=$(JACK_DEFAULT_SERVER=none-$$ "$live" 1 2>&1)
is "without a way back: status 4" "$?" 4
like "each is named, and why it is not there" "$out" '^  monitor: PipeWire is not running for this user$'
like "and how to make one: aloop" "$out" '^  aloop: run .modprobe snd-aloop. as root'
like "and a cable" "$out" '^  cable: connect an output'
out=$(JACK_DEFAULT_SERVER=none-$$ "$live" 1 cable 2>&1)
like "a cable is tried on both servers" "$out" '^sleeptune listen: --back cable: JACK server "none-[0-9]+" is not running for this user; PipeWire is not running for this user\.$'
like "and without a server needs the card" "$out" '^  cable without JACK and PipeWire: add --back (hw:N|/dev/dspN), '
like "a way of another system is none" "$("$live" 1 virtual_oss 2>&1; echo "$?")" '^sleeptune listen: --back virtual_oss: this system has no such way to record'
like "another version is told" "$(said -V 0.0.1 -w monitor)" '^event absent 0 0 .* has version .*, but sleeptune has 0\.0\.1: install one version of both$'
sound || skip_rest "a PipeWire server" "pipewire does not run here: $(tail -1 "$tmp/server.log")"
is "a sink that is not there is named" "$(said -w monitor -p nothing)" "event absent 0 0 PipeWire has no output (sink) nothing: see 'wpctl status'"
is "so is a source" "$(said -w cable -r nothing)" "event absent 0 0 PipeWire has no input (source) nothing"
way_hears monitor

is "the best way that is there is taken" "$(JACK_DEFAULT_SERVER=none-$$ "$live" 2 | head -1)" "way monitor 48000 Hz, plays to nul, records nul, by sleeptune-listen-pipewire"
like "for the time that was asked for" "$("$live" 2 monitor | tail -1)" '^frames (9[6-9]|10[0-9])[0-9]{3} forced [0-3] ended 0 xruns [0-9]+ gone 0$'
like "a way that is not there says so" "$("$live" 1 nothing 2>&1)" '^sleeptune listen: --back nothing: PipeWire has no input \(source\) nothing\.$'
like "and which there are" "$("$live" 1 nothing 2>&1)" "^  --back: jack, monitor, aloop, cable, or a device to record from "
like "so does a device" "$("$live" 1 hw:none 2>&1)" '^sleeptune listen: --back hw:none: PipeWire has no input \(source\) hw:none; (ALSA device hw:none|sleeptune-listen-alsa is not installed)'
stopped() { timeout -s INT 2 "$live" 60 monitor | tail -1; }
like "Ctrl-C ends it with what was heard" "$(stopped)" '^frames [1-9][0-9]* forced [0-3] ended 0 '

# the command: what it says of a player that was stopped for two cycles and more
false_daemon "$tmp/daemon.sock" 200 '{"schema": "sleeptune-events/1", "events": []}' 2>"$tmp/asked"
SLEEPTUNE_SOCKET=$tmp/daemon.sock "$SLEEPTUNE" listen --back monitor -d 12s --json >"$tmp/listen.json" 2>"$tmp/listen.log" &
command=$!
helper_runs() { helper=$(pgrep -P "$command" -f "^([^ ]*/)?sleeptune-listen-pipewire") && player=$(pgrep -P "$helper"); }
wait_for helper_runs
sleep 9
kill -STOP "$player"
sleep 0.6
kill -CONT "$player"
wait "$command"
is "losses are status 1" "$?" 1
ok "a daemon is asked what it recorded since before it began" test "$(sed -n 's,^GET /v1/events?since=\([0-9]*\)&limit=.*,\1,p' "$tmp/asked")" -lt $((EPOCHSECONDS - 12))
is "a stop is a loss, with its reason, on a path that is bit-exact" "$("$PYTHON" -c '
import json, sys
d = json.load(open(sys.argv[1]))
late = [l for l in d["losses"] if 8 * 48000 < l["at_frame"] < 12 * 48000 and l["frames"] > 8192]
print(d["path_class"], d["valid"], d["forced_glitches_found"], len(late), {l["reason"] for l in late}, d["latency_frames"], d["server"][:8], d["plays"])' "$tmp/listen.json")" \
    "bit-exact True True 1 {'player-late'} 8192 PipeWire nul"
left() { ! pgrep -f "^(.*/)?${listener##*/}( |\$)" >/dev/null; }
does "and leaves no program" wait_for left

# the command
of_command() {
    "$SLEEPTUNE" listen --back monitor -d 12s --json >"$tmp/json" 2>"$tmp/err" || return 1
    [ "$("$PYTHON" -c 'import json, sys; d = json.load(open(sys.argv[1]))
print(d["path_class"], d["forced_glitches"], d["forced_glitches_found"], d["losses_n"], d["latency_frames"], d["cannot_hear"][0])' "$tmp/json")" = \
        "bit-exact 9 True 0 8192 graph-late" ]
}
does "the command hears the nine glitches and no other loss, and says what this way cannot hear" in_three of_command
is "and says before what it plays" "$(cat "$tmp/err")" \
    "Playing a quiet test signal, over the monitor of PipeWire's output, for 12.00 s.
  played to:      nul
  recorded from:  nul
Ctrl-C ends it."

# another buffer size, as long as it lasts
pw-metadata -n settings 0 clock.force-quantum 0 >/dev/null
size() { "$SLEEPTUNE" listen --back monitor "$@" -d 10s --json 2>/dev/null | key - 'd["period_frames"]'; }
is "the server gets the size that is asked for" "$(size --frames 4096)" 4096
is "and has its own afterwards" "$(size)" 1024
pw-metadata -n settings 0 clock.force-quantum 8192 >/dev/null

# another program, 22 dB louder than the signal, and a volume that changes: each is said, and no loss. "monitored": its monitor has its volume
noise() { "$PYTHON" -c 'import random, struct, sys, wave
w = wave.open(sys.argv[1], "wb")
w.setparams((2, 2, 48000, 0, "NONE", ""))
w.writeframes(b"".join(struct.pack("<h", random.randint(-4000, 4000)) for i in range(2 * 48000 * 2)))' "$tmp/noise.wav"; }
mixes() { timeout 10 pw-play --target nul "$tmp/noise.wav"; } # it may wait for its own end forever
turns() {
    local id
    id=$(pw-cli info monitored | sed -n 's/^.*id: //p' | head -1)
    pw-cli s "$id" Props "{ channelVolumes = [ $1 $1 ] monitorVolumes = [ $1 $1 ] }" >/dev/null
    pw-cli s "$id" Props "{ volume = $1 }" >/dev/null
}
# meanwhile SINK COMMAND...: what listen says of COMMAND in the last of its 13 s
meanwhile() {
    "$SLEEPTUNE" listen --back monitor --play "$1" -d 13s --json >"$tmp/json" 2>"$tmp/err" &
    command=$!
    sleep 10
    "${@:2}"
    wait "$command"
    "$PYTHON" -c 'import json, sys; d = json.load(open(sys.argv[1]))
print(d["path_class"], d["valid"], *d["remarks"], d["events"].get("mixed", 0), [l for l in d["losses"] if l["reason"] is None])' "$tmp/json"
}
says() { [ "$(meanwhile "${@:2}")" = "$1" ]; }
if command -v pw-play >/dev/null && noise || cannot "another program is mixed in" "pw-play is not installed"; then
    does "another program is mixed in: it is said, and not counted" in_three says "bit-exact True mixed 1 []" nul mixes
    is "and if the sink had a cycle more by that, its rate is not known" "$("$PYTHON" -c 'import json, sys; r = json.load(open(sys.argv[1]))["rate_ppm"]; print(r is None or abs(r) < 100)' "$tmp/json")" True
    like "and before the end, with what helps" "$(tr '\n' ' ' <"$tmp/err")" 'pw-play plays to the same device, which hides losses. Stop it\. '
fi
pw-cli create-node adapter '{ factory.name=support.null-audio-sink node.name=monitored media.class=Audio/Sink object.linger=true audio.position=[FL FR] monitor.channel-volumes=true }' >/dev/null
softer() { turns 1; says "linear-gain True volume 0 []" monitored turns 0.5; }
does "so is a volume that changes" in_three softer

# a sink with further channels
pw-cli create-node adapter '{ factory.name=support.null-audio-sink node.name=four media.class=Audio/Sink object.linger=true audio.position=[FL FR RL RR] }' >/dev/null
deaf() { "$SLEEPTUNE" listen --back monitor --play "$1" -d 10s --json 2>/dev/null | key - 'd["cannot_hear"][-1]'; }
is "channels after the second are not heard: it says so" "$(deaf four)" more-channels
is "of a sink with two it does not" "$(deaf nul)" conversion
pw-cli destroy four >/dev/null

# the device vanishes: the command, and what plays
"$SLEEPTUNE" listen --back monitor --play monitored -d 30s >"$tmp/out" 2>"$tmp/err" &
command=$!
wait_for grep -q ^Playing "$tmp/err"
sleep 8
pw-cli destroy monitored >/dev/null
wait "$command"
is "no device is no success" "$?" 5
like "its time and its losses until then are said" "$(head -1 "$tmp/out")" '^! Ended after [0-9]+ s, because the sound device or the sound server went away: [0-9]+'
mkfifo "$tmp/go2"
"$listener" -w monitor -p nul <"$tmp/go2" >"$tmp/stream" 2>"$tmp/listen.log" &
listening=$!
exec {go}>"$tmp/go2"
does "it begins again" wait_for test -s "$tmp/stream"
echo g >&"$go"
sleep 1
pw-cli destroy nul >/dev/null
ended() { ! kill -0 "$listening" 2>/dev/null; }
does "it ends with the device" wait_for ended
exec {go}>&-
like "and says why" "$("$read_capture" <"$tmp/stream")" '^event gone [0-9]+ 0 nul$'

# last: WirePlumber 0.4.13 crashed once when such a node was destroyed
pw-cli create-node adapter '{ factory.name=support.null-audio-sink node.name="head:set" media.class=Audio/Duplex object.linger=true audio.position=[FL FR] }' >/dev/null
colon_there() { pw-cli info head:set 2>/dev/null | grep -q node.name; }
wait_for colon_there
cable="way cable 48000 Hz, plays to head:set, records head:set, by sleeptune-listen-pipewire"
is "a source with a colon in its name is no device" "$("$live" 2 head:set head:set 2>&1 | head -1)" "$cable"
tap_done
