#!/usr/bin/env bash
# Two cards, each with a clock of its own (clocked_card.c), in the graph of a real PipeWire: each time that it puts the second one in step is
# reported, as its own log has it, and what is less is not.
. "$SLEEPTUNE_SRC/tests/tap.sh"
need pipewire pw-cli pw-link pgrep
card=$SLEEPTUNE_BUILD/tests/integration/clocked_card.so
observer=$SLEEPTUNE_BUILD/xruns/helpers/sleeptune-observe-pipewire
[ -e "$card" ] || skip_all "built without ALSA or libpipewire"
if [ "$(id -u)" -eq 0 ] && setpriv --reuid 65534 --regid 65534 --clear-groups test -x "$observer" -a -r "$SLEEPTUNE_SRC/tests/tap.sh"; then
    prlimit --pid $$ --rtprio=20:20 2>/dev/null
    exec "${own_player[@]}" "$0"
fi
own_tmp
export HOME=$tmp XDG_RUNTIME_DIR=$tmp PIPEWIRE_REMOTE=$tmp/pipewire-0 ALSA_CONFIG_PATH=$tmp/asound.conf

adapter() { # NODE CARD PRIORITY ID
    echo "{ factory = adapter args = { factory.name = api.alsa.pcm.sink node.name = $1 media.class = Audio/Sink api.alsa.path = clocked_$2 clock.name = clock.$2
        device.id = $4 priority.driver = $3 audio.format = S32LE audio.rate = 48000 audio.channels = 2 adapter.auto-port-config = { mode = dsp } } }"
}
module() { printf '{ name = libpipewire-module-%s } ' "$@"; }
cat >"$tmp/pipewire.conf" <<CONF
context.properties = { core.daemon = true core.name = pipewire-0 default.clock.quantum = 1024 }
context.spa-libs = { audio.convert.* = audioconvert/libspa-audioconvert api.alsa.* = alsa/libspa-alsa support.* = support/libspa-support }
context.modules = [ { name = libpipewire-module-rt args = { rt.prio = 20 rtportal.enabled = false rtkit.enabled = false } flags = [ ifexists nofail ] }
    $(module protocol-native profiler metadata spa-node-factory client-node access adapter link-factory) ]
context.objects = [ { factory = metadata args = { metadata.name = default } }
    $(adapter alsa_output.first a 2000 90) $(adapter alsa_output.second b 1000 91) ]
CONF
{
    echo '</usr/share/alsa/alsa.conf>'
    echo "pcm_type.clocked { lib \"$card\" }"
    for one in a b; do
        echo 0 >"$tmp/$one"
        echo "pcm.clocked_$one { type clocked file \"$tmp/$one\" }"
    done
} >"$tmp/asound.conf"
PIPEWIRE_LOG_SYSTEMD=false PIPEWIRE_DEBUG=2,spa.alsa:4 behind pipewire -c "$tmp/pipewire.conf" >"$tmp/server.log" 2>&1
wait_for pw-cli info 0
mkfifo "$tmp/to-client"
behind "$SLEEPTUNE_BUILD/tests/integration/stall_pipewire" 0 Synth 1 1 20 "$tmp/synth.log" -1 filter <>"$tmp/to-client" >"$tmp/client" 2>&1
links() { pw-link Synth:out "$(pw-link -i | grep "^$1:" | head -n 1)"; }
wait_for links alsa_output.first && wait_for links alsa_output.second && wait_for grep -q playing "$tmp/client" ||
    skip_rest "two cards" "they do not play here: $(tail -n 1 "$tmp/server.log")"
behind "$observer" <>"$tmp/to-client" >"$tmp/seen" 2>&1
wait_for grep -q '^ready' "$tmp/seen"

if grep -qE 'PipeWire (0|1\.[0-3])\.' "$tmp/seen"; then # the server does not report the card's clock
    ok "what is not seen is said" wait_for grep -q '^ready facts=2 .*sleeptuned sees resynchronised second cards only from version 1.4 on' "$tmp/seen"
    tap_done
fi
# The server's lines since it began. One in the cycle after another is one with it, as nothing was heard between.
lines() { grep -a ': follower .*resync (' "$tmp/server.log"; }
logged() {
    lines | sed 's/^[^0-9]*\([0-9]*\):\([0-9]*\):\([0-9.]*\)\].*/\1 \2 \3/' |
        awk '{at = 3600 * $1 + 60 * $2 + $3; if (at - last > 0.032) n++; last = at} END {print n + 0}'
}
seen() { sed -n 's/^device-dropout count_n=\([0-9]*\) .*place=resync.*/\1/p' "$tmp/seen" | awk '{n += $1} END {print n + 0}'; }
sleep 4
begun=$(($(logged) - $(seen))) # what was logged before it watched, or in the first second of a card
echo 100 >"$tmp/b"
# by how much its clock is too fast, in 10^-9: the server's loop takes its time
drifts() { awk '/client=alsa_output.second/ && match($0, /drift_ppb=-?[0-9]+/) {ppb = substr($0, RSTART + 10, RLENGTH - 10) + 0} END {exit !(ppb > 40000 && ppb < 160000)}' "$tmp/seen"; }
ok "a card that is 0.01 % too fast drifts by some 100 ppm" wait_for drifts
near() { [ $(($1 > $2 ? $1 - $2 : $2 - $1)) -le $((1 + $2 / 10)) ]; }
same() { n=$(($(logged) - begun)) reported=$(seen) && near "$reported" "$n"; } # what was just logged is reported later
wait_for same
ok "and is resynchronised as often as the log has it ($n; $reported), which is the machine's doing" near "$reported" "$n"
for _ in 1 2 3 4 5 6; do
    echo 60000 >"$tmp/b"
    sleep 0.7
    echo 100 >"$tmp/b"
    sleep 1.8
done
sleep 2
echo 20000 >"$tmp/b"
sleep 0.8
echo 100 >"$tmp/b"
sleep 1
wait_for same
ok "a card that is 6 % too fast now and then is resynchronised ($n times)" [ "$n" -ge 6 ]
# its clock makes 25 of them at most: 6 times 60 ppt of 0.7 s, and 20 ppt of 0.8 s, of which PipeWire lets 512 frames pass
if [ "$n" -le 30 ] || cannot "each time is reported" "this machine put it out of step, too: $n times"; then
    ok "each time is reported ($reported), to a tenth" near "$reported" "$n"
fi
like "as that of the second card, which follows the first" "$(grep place=resync "$tmp/seen" | tail -n 1)" 'device=alsa_output.first client=alsa_output.second$'
[ "$tap_failed" -eq 0 ] || { lines | tail -n 40; grep -a resync "$tmp/seen"; } | tap_note
tap_done
