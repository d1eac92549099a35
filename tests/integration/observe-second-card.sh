#!/usr/bin/env bash
# Two cards, each with a clock of its own (clocked_card.c), in the graph of a real PipeWire: each time that it puts the second one in step is
# reported, as its own log has it, and what is less is not.
# shellcheck disable=SC2317
set -u
. "$SLEEPTUNE_SRC/tests/tap.sh"
for program in pipewire pw-cli pw-link pgrep; do command -v "$program" >/dev/null || skip_all "no $program"; done
card=$SLEEPTUNE_BUILD/tests/integration/clocked_card.so
observer=$SLEEPTUNE_BUILD/xruns/helpers/sleeptune-observe-pipewire
[ -e "$card" ] || skip_all "built without ALSA or libpipewire"
# the log of older versions is the user's: not root's
if [ "$(id -u)" -eq 0 ] && setpriv --reuid 65534 --regid 65534 --clear-groups test -x "$observer" -a -r "$SLEEPTUNE_SRC/tests/tap.sh"; then
    prlimit --pid $$ --rtprio=20:20 2>/dev/null
    exec "${own_player[@]}" bash "$0"
fi
tmp=$(mktemp -d)
pids=()
trap 'kill -9 "${pids[@]}" 2>/dev/null; wait 2>/dev/null; rm -rf "$tmp"' EXIT
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
# the journal of a user unit, as far as it is read
mkdir "$tmp/bin"
printf '#!/bin/sh\nexec tail -n 0 -F "%s"\n' "$tmp/server.log" >"$tmp/bin/journalctl"
chmod +x "$tmp/bin/journalctl"
PIPEWIRE_LOG_SYSTEMD=false PIPEWIRE_DEBUG=2,spa.alsa:4 pipewire -c "$tmp/pipewire.conf" >"$tmp/server.log" 2>&1 &
server=$!
pids+=("$server")
wait_for pw-cli info 0
mkfifo "$tmp/to-client"
"$SLEEPTUNE_BUILD/tests/integration/stall_pipewire" 0 Synth 1 1 20 "$tmp/synth.log" -1 filter <>"$tmp/to-client" >"$tmp/client" 2>&1 &
pids+=("$!")
links() { pw-link Synth:out "$(pw-link -i | grep "^$1:" | head -n 1)"; }
if ! wait_for links alsa_output.first || ! wait_for links alsa_output.second || ! wait_for grep -q playing "$tmp/client"; then
    skip "two cards" "they do not play here: $(tail -n 1 "$tmp/server.log")"
    tap_done
fi
PATH=$tmp/bin:$PATH "$observer" <>"$tmp/to-client" >"$tmp/seen" 2>&1 &
pids+=("$!")
wait_for grep -q '^ready' "$tmp/seen"

# The server's lines since it began, or as many as it says that it left out. One in the cycle after another is one with it, as nothing was
# heard between, but in the log of older versions.
has_clocks() { ! grep -q 'PipeWire 0\.' "$tmp/seen"; }
if [ "$(id -u)" -eq 0 ] && ! has_clocks; then
    skip "the server's log" "an ordinary user cannot start the programs here"
    tap_done
fi
lines() { grep -a ': follower .*resync (' "$tmp/server.log"; }
logged() {
    if has_clocks; then
        lines | sed 's/^[^0-9]*\([0-9]*\):\([0-9]*\):\([0-9.]*\)\].*/\1 \2 \3/' |
            awk '{at = 3600 * $1 + 60 * $2 + $3; if (at - last > 0.032) n++; last = at} END {print n + 0}'
    else
        lines | grep '^\[W' | sed 's/.*resync (\([0-9]*\).*/\1/' | awk '{n += 1 + $1} END {print n + 0}'
    fi
}
seen() { sed -n 's/^device-dropout count_n=\([0-9]*\) .*place=resync.*/\1/p' "$tmp/seen" | awk '{n += $1} END {print n + 0}'; }
sleep 4
begun=$(($(logged) - $(seen))) # what was logged before it watched, or in the first second of a card
echo 100 >"$tmp/b"
# by how much its clock is too fast, in 10^-9: the server's loop takes its time
drifts() { awk '/client=alsa_output.second/ && match($0, /drift_ppb=-?[0-9]+/) {ppb = substr($0, RSTART + 10, RLENGTH - 10) + 0} END {exit !(ppb > 40000 && ppb < 160000)}' "$tmp/seen"; }
! has_clocks || ok "a card that is 0.01 % too fast drifts by some 100 ppm" wait_for drifts
near() { [ $(($1 > $2 ? $1 - $2 : $2 - $1)) -le $((1 + $2 / 10)) ]; }
same() { n=$(($(logged) - begun)) reported=$(seen) && near "$reported" "$n"; } # what was just logged is reported later
wait_for same
ok "and is put in step as often as the log has it ($n; $reported), which is the machine's doing" near "$reported" "$n"
for _ in 1 2 3 4 5 6; do
    echo 60000 >"$tmp/b"
    sleep 0.7
    echo 100 >"$tmp/b"
    sleep 1.8
done
sleep 2
echo 20000 >"$tmp/b" # older versions say how many they left out when there is another one
sleep 0.8
echo 100 >"$tmp/b"
sleep 1
wait_for same
ok "a card that is 6 % too fast now and then is put in step ($n times)" [ "$n" -ge 6 ]
# its clock makes 25 of them at most: 6 times 60 ppt of 0.7 s, and 20 ppt of 0.8 s, of which PipeWire lets 512 frames pass
if has_clocks && [ "$n" -gt 30 ]; then # an older log has a line for each cycle of it
    skip "each time is reported" "this machine put it out of step, too: $n times"
else
    ok "each time is reported ($reported), to a tenth" near "$reported" "$n"
fi
like "as that of the second card, which follows the first" "$(grep place=resync "$tmp/seen" | tail -n 1)" 'device=alsa_output.first client=(alsa_output.second|clocked_b)$'
[ "$tap_failed" -eq 0 ] || { lines | tail -n 40; grep -a resync "$tmp/seen"; } | tap_note
tap_done
