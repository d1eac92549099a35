#!/usr/bin/env bash
# Which file's code makes the long cycles of a client of a real PipeWire; tests/bench/objects.py asks the same of many, and of long cycles
# that cost no sound.
# shellcheck disable=SC2016,SC2034,SC2119,SC2317
set -u
. "$SLEEPTUNE_SRC/tests/tap.sh"
. "$SLEEPTUNE_SRC/tests/integration/daemon-lib.sh"
need curl pipewire wireplumber pw-cli pw-metadata dbus-daemon
[ -x "$SLEEPTUNE_BUILD/xruns/helpers/sleeptune-observe-pipewire" ] || skip_all "built without libpipewire"
source=pipewire
. "$SLEEPTUNE_SRC/tests/integration/observe-lib.sh"
prlimit --pid $$ --rtprio=20:20 2>/dev/null
. "$SLEEPTUNE_SRC/tests/integration/pipewire-lib.sh"

rt=client.conf
[ ! -e /usr/share/pipewire/client-rt.conf ] || rt=client-rt.conf
# host HOW: plays three objects; in each 16th cycle of 21 ms the first one, or HOW says what, computes too long
host() { client env PIPEWIRE_CONFIG_NAME="$rt" "$SLEEPTUNE_BUILD/tests/integration/stall_pipewire" 0 HeavyReverb 12 130 16 "$tmp/log.host" -1 "$1:$tmp/lib reverb.so,$tmp/libcomp.so,$tmp/libtuner.so"; }
of_host() { value "[c for s in d['observe'] for c in s['clients'] if c['name'] == 'HeavyReverb'][0]$1"; }
of_host_is() { [ "$(of_host "$1" 2>/dev/null)" = "$2" ]; }
details() { status_rows "Their code" | sed 's/ *Their code *//'; }
for name in 'lib reverb' libcomp libtuner; do cp "$SLEEPTUNE_BUILD/tests/integration/burst_object.so" "$tmp/$name.so"; done

only
if ! sound; then
    skip "a PipeWire server" "pipewire does not run here: $(tail -1 "$tmp/server.log")"
    tap_done
fi
pw-metadata -n settings 0 clock.force-quantum 1024 >/dev/null
starts "the daemon starts"
ok "it watches the server" wait_for of_like state watching
does "a host plays three objects" host objects
watched() { of_host_is "['code'] is not None" True || [[ $(details) == *'not watched'* ]]; }
ok "dropouts by computing too long: their code is looked at" wait_for watched
if of_host_is "['code'] is None" True; then
    skip "the file is named" "perf_event_open is refused here"
    tap_done
fi
named() { of_host_is "['code']['file']" "lib reverb.so"; }
TAP_WAIT_S=60
ok "the object that computes too long is named" wait_for named
tap_note <<<"$(details)"
share=$(details)
like "status --details has its share, and that of other cycles" "$share" \
    '^HeavyReverb: lib reverb\.so had [0-9]+ % of [0-9]+ CPU samples in [0-9]+ of [0-9]+ long cycles, and [0-9]+ % in usual cycles$'
like "and the next step" "$(value 'd["screen"]["next_why"]')" '; lib reverb\.so had [0-9]+ % of [0-9]+ CPU samples in [0-9]+ of [0-9]+ long cycles'
in_file() { value "any(e.get('culprit') == 'lib reverb.so' and 'computed too long, mostly in lib reverb.so' in e['text'] for e in d['events'])" | grep -q True; }
ok "its later dropouts have it, too" wait_for in_file
end_client

does "a host of which all objects compute too long together" host evenly
enough() { value "any(c['name'] == 'HeavyReverb' and c['code'] is not None and c['code']['long_cycles'] >= 20 and c['code']['file'] is None for s in d['observe'] for c in s['clients'])" | grep -q True; }
ok "many long cycles, and no file is named" wait_for enough
like "which is said" "$(details)" '^HeavyReverb: no file stands out so far \([0-9]+ CPU samples in [0-9]+ of [0-9]+ long cycles\)$'
stop

# any filter, here one that lets all pass: it might end who calls what it does not know
filtered() {
    exec "$PYTHON" -c '
import ctypes, os, struct, sys
libc = ctypes.CDLL(None)
code = ctypes.create_string_buffer(struct.pack("HBBI", 0x06, 0, 0, 0x7fff0000))
program = ctypes.create_string_buffer(struct.pack("HP", 1, ctypes.addressof(code)))
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, program, 0, 0) == 0
os.execvp(sys.argv[1], sys.argv[1:])' "$@"
}
starts "a daemon below a filter of system calls" filtered
refused_here() { [[ $(details) == *'HeavyReverb: not watched: '* ]]; }
ok "does not look, and says so" wait_for refused_here
is "which is no number" "$(of_host "['code']")" None
stop # it holds the client's input, too
end_client
end_server
tap_done
