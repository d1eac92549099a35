#!/usr/bin/env bash
# The rhythm of the long cycles of a client of a real PipeWire, as a plug-in has it that computes in blocks.
. "$SLEEPTUNE_SRC/tests/tap.sh"
prlimit --pid $$ --rtprio=20:20 2>/dev/null
go_on_as_nobody
. "$SLEEPTUNE_SRC/tests/integration/pipewire-lib.sh"

rt=client.conf
[ ! -e /usr/share/pipewire/client-rt.conf ] || rt=client-rt.conf
only
sound || skip_rest "a PipeWire server" "pipewire does not run here: $(tail -1 "$tmp/server.log")"
pw-metadata -n settings 0 clock.force-quantum 1024 >/dev/null
starts "the daemon starts"
ok "it watches the server" wait_for of_like state watching
does "a client computes 40 % of the period more in each cycle that completes 32768 samples" \
    client env PIPEWIRE_CONFIG_NAME="$rt" "$SLEEPTUNE_BUILD/tests/integration/stall_pipewire" 0 HeavyReverb 5 45 -32768 "$tmp/log.host" -1
ok "the block is found" wait_for value_is "[c['block_frames'] for s in d['observe'] for c in s['clients'] if c['name'] == 'HeavyReverb'][0]" 32768
like "status --details has its time" "$(status_rows "Long cycles")" 'HeavyReverb: every 683 ms \(32768 samples\)$'
stop
end_client
end_server
tap_done
