#!/usr/bin/env bash
# vm: -k rt -q -c dummy
# A real ALSA device without hardware (snd-dummy): a stall gives an underrun and an overrun that libsoundio reports, own xruns.
# shellcheck source=tests/tap.sh
. /share/tests/tap.sh
cp -a /share/usr /share/etc / 2>/dev/null
ldconfig
mkdir -p /tmp/s
cat >/tmp/s/sleeptuned.conf <<'CONF'
audio = { backend = "alsa"; device = "hw:0,0"; capture = "on"; capture_device = "hw:0,0"; };
socket = { path = "/tmp/s/sock"; };
CONF
export SLEEPTUNE_SOCKET=/tmp/s/sock

sleeptuned -a -f -c /tmp/s/sleeptuned.conf 2>/tmp/s/log &
pid=$!
own() { sleeptune status --json | jq .audio.own_xruns; }
capture() { sleeptune status --json | jq -r ".audio.capture$1"; }
# called by wait_for
# shellcheck disable=SC2317
both() { [ "$(sleeptune status --json | jq "$1")" = true ]; }
wait_for both '.audio.state == "playing" and .audio.capture.state == "recording" and .audio.capture.callbacks.n > 10'
like "the stream is open on ALSA" "$(sleeptune status --json | jq -c .audio)" 'alsa'
is "the other stream records from it" "$(capture .state) $(capture .device) $(capture .raw)" "recording hw:0,0 true"
is "its callbacks come" "$(capture '.callbacks.n > 10')" true
is "its thread is real-time" "$(capture .policy)" fifo
before=$(own) overflows=$(capture .own_xruns)
kill -STOP $pid; sleep 0.6; kill -CONT $pid
wait_for both ".audio.own_xruns > ${before:-0} and .audio.capture.own_xruns > ${overflows:-0}"
after=$(own)
is "a stall is at least one own xrun more" "$([ "${after:-0}" -gt "${before:-0}" ] && echo yes)" yes
is "and at least one overflow" "$([ "$(capture .own_xruns)" -gt "${overflows:-0}" ] && echo yes)" yes
kill -TERM $pid
wait $pid
is "it ends cleanly" "$?" 0
[ "$tap_failed" -eq 0 ] || tap_note </tmp/s/log
tap_done
