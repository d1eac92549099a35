#!/usr/bin/env bash
# vm: -k rt -q -c dummy -t 150
# A real ALSA device without hardware (snd-dummy): a stall gives an underrun that libsoundio reports, an own xrun.
# shellcheck source=tests/tap.sh
. /share/tests/tap.sh
cp -a /share/usr /share/etc / 2>/dev/null
ldconfig
mkdir -p /tmp/s
cat >/tmp/s/sleeptuned.conf <<'CONF'
audio = { backend = "alsa"; device = "hw:0,0"; };
socket = { path = "/tmp/s/sock"; };
CONF
export SLEEPTUNE_SOCKET=/tmp/s/sock

sleeptuned -f -c /tmp/s/sleeptuned.conf 2>/tmp/s/log &
pid=$!
own() { sleeptune status --json | jq '[.. | .own_xruns? // empty] | first'; }
tries=100
until sleeptune status >/dev/null 2>&1 || [ $((tries -= 1)) -eq 0 ]; do sleep 0.2; done
sleep 2
like "the stream is open on ALSA" "$(sleeptune status --json | jq -c .audio)" 'alsa'
before=$(own)
kill -STOP $pid; sleep 0.6; kill -CONT $pid
sleep 2
after=$(own)
is "a stall is at least one own xrun more" "$([ "${after:-0}" -gt "${before:-0}" ] && echo yes)" yes
kill -TERM $pid
wait $pid
is "it ends cleanly" "$?" 0
[ "$tap_failed" -eq 0 ] || tap_note </tmp/s/log
tap_done
