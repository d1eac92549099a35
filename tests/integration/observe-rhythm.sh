#!/usr/bin/env bash
# The rhythm of the long cycles of a client of a real PipeWire, as a plug-in has it that computes in blocks.
# shellcheck disable=SC2016,SC2034,SC2119,SC2317
set -u
. "$SLEEPTUNE_SRC/tests/tap.sh"
prlimit --pid $$ --rtprio=20:20 2>/dev/null
go_on_as_nobody
. "$SLEEPTUNE_SRC/tests/integration/daemon-lib.sh"
need curl pipewire wireplumber pw-cli pw-metadata dbus-daemon
[ -x "$SLEEPTUNE_BUILD/xruns/helpers/sleeptune-observe-pipewire" ] || skip_all "built without libpipewire"
source=pipewire
. "$SLEEPTUNE_SRC/tests/integration/observe-lib.sh"
. "$SLEEPTUNE_SRC/tests/integration/pipewire-lib.sh"

rt=client.conf
[ ! -e /usr/share/pipewire/client-rt.conf ] || rt=client-rt.conf
only
if ! sound; then
    skip "a PipeWire server" "pipewire does not run here: $(tail -1 "$tmp/server.log")"
    tap_done
fi
pw-metadata -n settings 0 clock.force-quantum 1024 >/dev/null
starts "the daemon starts"
ok "it watches the server" wait_for of_like state watching
does "a client computes 40 % of the period more in each cycle that completes 32768 samples" \
    client env PIPEWIRE_CONFIG_NAME="$rt" "$SLEEPTUNE_BUILD/tests/integration/stall_pipewire" 0 HeavyReverb 5 45 -32768 "$tmp/log.host" -1
block() { value "[c['block_frames'] for s in d['observe'] for c in s['clients'] if c['name'] == 'HeavyReverb'][0]" 2>/dev/null; }
found() { [ "$(block)" = 32768 ]; }
TAP_WAIT_S=60
ok "the block is found" wait_for found
like "status --details has its time" "$(status_rows "Long cycles")" 'HeavyReverb: every 683 ms \(32768 samples\)$'
stop
end_client
end_server
tap_done
