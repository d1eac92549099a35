#!/usr/bin/env bash
# vm: -k rt -q -i -c none
# release: tests/integration/observe-second-card.sh has cards that ALSA's plug-in makes; here they are the kernel's
# A second card in the graph of a real PipeWire: two of snd-aloop, of which one is made too fast or too slow. What sleeptuned reports is
# what PipeWire's own log has.
# shellcheck source=tests/vm/guest.sh
. /share/tests/guest.sh
! pipewire --version | grep -qE ' (0|1\.[0-3])\.' || skip_all "this PipeWire does not report a second card's clock"
steps=${STEPS:-20}
modprobe snd-aloop enable=1,1 id=First,Second
chmod a+rw /dev/snd/*
mkdir -p /tmp/s
chown nobody /tmp/s
export PATH=/usr/local/bin:$PATH XDG_RUNTIME_DIR=/tmp/s HOME=/tmp/s COLUMNS=80 SLEEPTUNE_SOCKET=/tmp/s/sock
as_user() { setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all "$@"; }
module() { printf '{ name = libpipewire-module-%s } ' "$@"; }
adapter() { # NODE CARD PRIORITY
    echo "{ factory = adapter args = { factory.name = api.alsa.pcm.sink node.name = $1 media.class = Audio/Sink api.alsa.path = \"hw:$2,0\" clock.name = clock.$2
        device.id = 90 priority.driver = $3 audio.format = S32LE audio.rate = 48000 audio.channels = 2 adapter.auto-port-config = { mode = dsp } } }"
}
cat >/tmp/s/pipewire.conf <<CONF
context.properties = { core.daemon = true core.name = pipewire-0 default.clock.quantum = 1024 }
context.spa-libs = { audio.convert.* = audioconvert/libspa-audioconvert api.alsa.* = alsa/libspa-alsa support.* = support/libspa-support }
context.modules = [ { name = libpipewire-module-rt args = { rt.prio = 20 rtportal.enabled = false rtkit.enabled = false } flags = [ ifexists nofail ] }
    $(module protocol-native profiler metadata spa-node-factory client-node access adapter link-factory) ]
context.objects = [ { factory = metadata args = { metadata.name = default } } $(adapter alsa_output.first First 2000) $(adapter alsa_output.second Second 1000) ]
CONF
cat >/tmp/s/sleeptuned.conf <<'CONF'
audio = { backend = "none"; };
observe = { alsa = "off"; jack = "off"; pulseaudio = "off"; };
history = { path = "/tmp/s/history.db"; };
socket = { path = "/tmp/s/sock"; };
CONF
PIPEWIRE_LOG_SYSTEMD=false PIPEWIRE_DEBUG=2,spa.alsa:4 as_user pipewire -c /tmp/s/pipewire.conf >/tmp/s/server.log 2>&1 &
wait_for as_user pw-cli info 0
mkfifo -m 666 /tmp/s/end
exec 9<>/tmp/s/end
as_user /share/tests/stall_pipewire 0 Synth 1 1 20 /tmp/s/synth.log -1 filter </tmp/s/end >/tmp/s/synth 2>&1 &
for card in first second; do wait_for as_user pw-link Synth:out "$(as_user pw-link -i | grep "^alsa_output.$card:" | head -n 1)"; done
as_user sleeptuned -a -f -c /tmp/s/sleeptuned.conf 2>/tmp/s/log &
second() { as_user sleeptune status --json | jq -r "[.observe[] | select(.source == \"pipewire\") | .clients[] | select(.name | test(\"second|Second\")) | $1 // 0] | add // 0"; }
lines() { grep -a "^\[.\].*: follower .*resync (" /tmp/s/server.log; }
fields() { sed -E 's/^\[.\]\[([0-9:.]+)\].* delay:(-?[0-9]+) target:([0-9]+) .*resync \((-?[0-9]+).*/\1 \2 \3 \4/'; }
# the card Second of snd-aloop
shift_to() { amixer -q -c Second cset "iface=PCM,name='PCM Rate Shift 100000',device=1" "$1"; }
# 6 % too slow or too fast for 0.7 s
take_steps() {
    local step
    for step in $(seq "$steps"); do
        shift_to $((step % 2 ? 94000 : 106000))
        sleep 0.7
        shift_to 99990
        sleep 1.8
        tap_note <<<"step $step: $(second .places.resync) of $(logged n), $(second .lost_ns) ns of $(logged ms) ms"
    done
}
# logged n|ms: how often, and for how long, the log says so since `begun` lines. One in the cycle after another is one with it, as nothing was
# heard between.
logged() {
    lines | tail -n +$((begun + 1)) | fields |
        awk -v what="$1" '{off = $2 - $3; frames += off < 0 ? -off : off; k = split($1, t, ":"); at = k == 3 ? 3600 * t[1] + 60 * t[2] + t[3] : t[1]
            if (at - last > 0.032) n++; last = at} END {print what == "n" ? n + 0 : frames / 48}'
}
near() { awk "BEGIN {off = ($1) - ($2); exit !(off <= $3 && -off <= $3)}"; }
show() { # COMMAND...
    echo "\$ $*" | tap_note
    as_user "$@" 2>&1 | tap_note
}
watching() { [ "$(as_user sleeptune status --json | jq -r '.observe[] | select(.source == "pipewire") | .state')" = watching ]; }
ok "PipeWire is watched" wait_for watching
as_user sleeptune status --json | jq -r '.observe[] | select(.source == "pipewire") | .why' | tap_note
sleep 5
shift_to 99990
begun=$(lines | wc -l)
for _ in 1 2 3 4 5 6; do
    sleep 10
    tap_note <<<"drift: $(second .drift_ppb) ppb"
done
is "a card that is 100 ppm too fast is never put in step, as the log has it" "$(logged n)" 0
is "nor as sleeptuned has it" "$(second .places.resync)" 0
ok "its drift is measured ($(second .drift_ppb) ppb)" near "$(second .drift_ppb)" 100000 20000
show sleeptune status
show sleeptune status --details
begun=$(lines | wc -l)
take_steps
sleep 10
n=$(logged n) ms=$(logged ms) seen=$(second .places.resync) lost_ns=$(second .lost_ns)
ok "a card that is 6 % too fast or too slow is put in step ($n times, $steps such times)" [ "$n" -ge "$steps" ]
ok "sleeptuned reports each, within 5 % ($seen)" near "$seen" "$n" "$((n / 20))"
ok "and how long they were, within 5 % ($((lost_ns / 1000000)) ms, logged $ms)" near "$lost_ns" "${ms}e6" "${ms}e6 / 20"
show sleeptune status
show sleeptune status --details
sleep 45
show sleeptune history
[ "$tap_failed" -eq 0 ] || lines | tap_note
tap_done
