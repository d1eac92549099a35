#!/usr/bin/env bash
# vm: -k rt -q -i -c none
# release: tests/integration/observe-objects.sh has the rest; only Debian's kernel knows perf_event_paranoid = 3
# Which file's code makes a client's long cycles: Debian's kernel refuses that to an ordinary user, which is said, until 2 allows it.
# shellcheck source=tests/tap.sh
. /share/tests/tap.sh
cp -a /share/usr /share/etc / 2>/dev/null
ldconfig
observer=$(find /usr -path '*/libexec/*' -name sleeptune-observe-pipewire)
mkdir -p /tmp/s
chown nobody /tmp/s
export XDG_RUNTIME_DIR=/tmp/s HOME=/tmp/s
module() { printf '{ name = libpipewire-module-%s } ' "$@"; }
cat >/tmp/s/pipewire.conf <<CONF
context.properties = { core.daemon = true core.name = pipewire-0 default.clock.quantum = 1024 }
context.spa-libs = { audio.convert.* = audioconvert/libspa-audioconvert support.* = support/libspa-support }
context.modules = [ $(module protocol-native profiler metadata spa-node-factory client-node access adapter link-factory) ]
context.objects = [ { factory = metadata args = { metadata.name = default } }
    { factory = adapter args = { factory.name = support.null-audio-sink node.name = nul media.class = Audio/Sink priority.driver = 2000
        audio.position = [ FL FR ] adapter.auto-port-config = { mode = dsp } } } ]
CONF
# as_user COMMAND...: as the musician who starts it has no right beyond his own
as_user() { setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all "$@"; }
mkfifo -m 666 /tmp/s/end
exec 9<>/tmp/s/end
as_user pipewire -c /tmp/s/pipewire.conf >/tmp/s/server.log 2>&1 &
wait_for as_user pw-cli info 0
as_user /share/tests/stall_pipewire 0 Synth 2 115 30 /tmp/s/synth.log -1 filter </tmp/s/end >/tmp/s/synth 2>&1 &
wait_for as_user pw-link Synth:out nul:playback_FL
as_user "$observer" </tmp/s/end >/tmp/s/seen 2>&1 &
# says STATE: of the latest load of that client, enum st_xrun_code_state
# shellcheck disable=SC2317
says() { grep '^load .*client=Synth' /tmp/s/seen | tail -n 1 | grep -q " code=$1 "; }
is "perf_event_paranoid is as Debian's kernel has it" "$(cat /proc/sys/kernel/perf_event_paranoid)" 3
ok "its code is not watched, as the kernel refuses" wait_for says 2
echo 2 >/proc/sys/kernel/perf_event_paranoid
ok "with 2 it is watched" wait_for says 1
[ "$tap_failed" -eq 0 ] || tail -n 30 /tmp/s/seen | tap_note
tap_done
