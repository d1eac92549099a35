#!/usr/bin/env bash
# One dropout as a file for ui.perfetto.dev: a real PipeWire server, and a client that stalls.
# shellcheck disable=SC2034,SC2119
set -u
. "$SLEEPTUNE_SRC/tests/tap.sh"
. "$SLEEPTUNE_SRC/tests/integration/daemon-lib.sh"
need curl pipewire wireplumber pw-cli pw-metadata dbus-daemon
[ -x "$SLEEPTUNE_BUILD/xruns/helpers/sleeptune-observe-pipewire" ] || skip_all "built without libpipewire"
"$SLEEPTUNE" --version | grep -q 'history yes' || skip_all "built without SQLite"
source=pipewire
. "$SLEEPTUNE_SRC/tests/integration/observe-lib.sh"
. "$SLEEPTUNE_SRC/tests/integration/pipewire-lib.sh"
mkdir "$tmp/state"
export STATE_DIRECTORY=$tmp/state SLEEPTUNE_SOCKET=$sock
only
starts "the daemon starts"
if ! sound; then
    skip "a PipeWire server" "pipewire does not run here: $(tail -1 "$tmp/server.log")"
    tap_done
fi
ok "the server is watched" wait_for of_like state watching
pw-metadata -n settings 0 clock.force-quantum 8192 >/dev/null
does "a client plays" client "$SLEEPTUNE_BUILD/tests/integration/stall_pipewire" 700
sleep 3
trace() { "$SLEEPTUNE" history --trace "$@" 2>"$tmp/said"; }
decoded() { "$PYTHON" "$SLEEPTUNE_SRC/tests/integration/perfetto_tracks.py" "$tmp/trace" "$@"; }
traces() { find "$tmp/state/traces" -name "*$1.cycles" 2>/dev/null | grep -c .; }

ok "a mark in quiet sound" "$SLEEPTUNE" heard --key quiet
kept_mark() { [ "$(traces heard)" = 1 ]; }
ok "keeps the cycles" wait_for kept_mark
is "for the user alone" "$(stat -c %a "$tmp/state/traces" "$tmp"/state/traces/* | sort -u | xargs)" "600 700"
ok "and makes a file" trace last -o "$tmp/trace"
like "that says how much it has" "$(cat "$tmp/said")" '^[1-9][0-9]* cycles of clients, [0-9]+ of them missed'
is "it is a trace, with the client and the mark" "$(decoded stall 'the listener heard a click')" "valid, stall computes, 'the listener heard a click' is there"

does "the client stalls" stall
kept_dropout() { [ "$(find "$tmp/state/traces" -name '*.cycles' ! -name '*heard*' | grep -c .)" -ge 1 ]; }
ok "that is kept, too" wait_for kept_dropout
id=$("$SLEEPTUNE" history --events --kind client-dropout --json | "$PYTHON" -c 'import json, sys; print(json.load(sys.stdin)["events"][-1]["id"])')
like "the list of events has its number" "$("$SLEEPTUNE" history --events --details)" " #$id "
ok "it is a file by that number" trace "$id" -o "$tmp/trace"
is "in which the client computes or waits over its deadline" "$(decoded stall --missed)" "valid, stall computes, missed its deadline within that"
trace "$id" >"$tmp/out"
is "it can be piped" "$(cmp "$tmp/out" "$tmp/trace" && echo same)" same
is "a number that is none" "$(trace 99999999 -o "$tmp/none"; echo $?) $(trace x -o "$tmp/none"; echo $?) $(ls "$tmp/none" 2>/dev/null)" "4 3 "
: >"$tmp/state/traces/9000000000000000000-device.cycles"
is "a file that is none" "$(trace last -o "$tmp/none"; echo $?)" 4
like "is named" "$(cat "$tmp/said")" 'it is no file of cycles'
end_client
stop
is "the file of the last cycles goes with the daemon" "$(find "$tmp" -name 'sock.cycles')" ""
tap_done
