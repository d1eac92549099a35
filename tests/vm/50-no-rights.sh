#!/usr/bin/env bash
# vm: -k generic -c none
# release: tests/integration/daemon-rights.sh has a loop without rights
# Without the right to SCHED_FIFO or to lock memory: works, and says so everywhere.
# shellcheck source=tests/vm/guest.sh
. /share/tests/guest.sh
rm -f /usr/share/dbus-1/system-services/org.freedesktop.RealtimeKit1.service # rtkit hands out that right
as_nobody() { setpriv --reuid nobody --regid nogroup --clear-groups --inh-caps=-all prlimit --rtprio=0 --memlock=0 -- "$@"; }

json=$(as_nobody sleeptune measure --quiet --frames 256 --duration 3s --json)
is "measure works" "$?" 0
is "the books balance" "$(jq .books_balance <<<"$json")" true
like "the result says that it ran as a normal thread" "$(jq -r .conditions.policy <<<"$json")" '^other$'
like "and why" "$(jq -c .conditions <<<"$json")" 'SCHED_FIFO|not permitted|right'
like "the text says degraded" "$(as_nobody sleeptune measure --quiet --frames 256 --duration 1s)" 'Warning: '

report=$(as_nobody sleeptune report --json --frames 128)
is "report ends with 1: a problem was found" "$?" 1
is "and that is the missing right" "$(jq -r '.findings[] | select(.id == "linux-rt-permission") | .status' <<<"$report")" problem

mkdir -m 777 /tmp/s
echo 'socket = { path = "/tmp/s/sock"; };' >/tmp/s/conf
as_nobody sleeptuned -a -f -c /tmp/s/conf 2>/tmp/s/log &
# it answers before its loop has asked for the right
# shellcheck disable=SC2317 # called by wait_for
warns() { sleeptune status --details --socket /tmp/s/sock >/tmp/s/status 2>&1 && grep -q '^Rights *loop' /tmp/s/status; }
wait_for warns
like "the details of a daemon without rights say so" "$(cat /tmp/s/status)" '^Rights +loop: no right to SCHED_FIFO'
like "and so does its log" "$(cat /tmp/s/log)" 'SCHED_FIFO|real-time'
pkill -TERM -x sleeptuned
wait
tap_done
