#!/usr/bin/env bash
# vm: -k rt -q -c dummy
# release: 45-bad-days plays on a real ALSA device, too, and loses it
# A real ALSA device without hardware (snd-dummy): a stall gives an underrun that libsoundio reports, an own dropout.
# shellcheck source=tests/vm/guest.sh
. /share/tests/guest.sh
mkdir -p /tmp/s
cat >/tmp/s/sleeptuned.conf <<'CONF'
audio = { backend = "alsa"; device = "hw:0,0"; };
socket = { path = "/tmp/s/sock"; };
CONF
export SLEEPTUNE_SOCKET=/tmp/s/sock

sleeptuned -a -f -c /tmp/s/sleeptuned.conf 2>/tmp/s/log &
pid=$!
own() { sleeptune status --json | jq .audio.own_dropouts; }
# called by wait_for
# shellcheck disable=SC2317
holds() { [ "$(sleeptune status --json | jq "$1")" = true ]; }
wait_for holds '.audio.state == "playing" and .audio.policy != null'
like "the stream is open on ALSA" "$(sleeptune status --json | jq -c .audio)" 'alsa'
is "its thread is real-time" "$(sleeptune status --json | jq -r .audio.policy)" fifo
before=$(own)
kill -STOP $pid; sleep 0.6; kill -CONT $pid
wait_for holds ".audio.own_dropouts > ${before:-0}"
after=$(own)
is "a stall is at least one own dropout more" "$([ "${after:-0}" -gt "${before:-0}" ] && echo yes)" yes
kill -TERM $pid
wait $pid
is "it ends cleanly" "$?" 0
[ "$tap_failed" -eq 0 ] || tap_note </tmp/s/log
tap_done
