#!/usr/bin/env bash
# vm: -k generic -c dummy
# release: 31-service-life has the same unit, and more of it
# sleeptuned as its unit under a real systemd, from the tree that `meson install` makes.
# shellcheck source=tests/vm/guest.sh
. /share/tests/guest.sh
systemctl daemon-reload
[ ! -d /usr/lib/sysusers.d ] || systemd-sysusers

state() { systemctl show -P "$1" sleeptuned.service; }
journal() { journalctl -u sleeptuned.service -o "${1:-cat}" --no-pager; }

ok "systemctl start returns when the daemon is ready" systemctl start sleeptuned.service
is "it is active" "$(state ActiveState)" active
ok "sleeptune status reaches it" in_time 20 sleeptune status
# it is ready before its loop has published what it runs with
# shellcheck disable=SC2317 # called by wait_for
runs() { [ "$(sleeptune status --json | jq '[.. | .policy? // empty] | length')" -gt 0 ]; }
in_time 20 runs
json=$(sleeptune status --json)
is "status has its schema" "$(jq -r .schema <<<"$json")" sleeptune-status/1
like "the loop runs with SCHED_FIFO under the unit's limits" "$(jq -r '.. | .policy? // empty' <<<"$json" | head -1)" '^fifo$'
ok "metrics are served on the socket" bash -c "curl -s --unix-socket /run/sleeptune/sleeptuned.sock http://x/metrics | grep -q '^sleeptune_cycles_total'"

cycles() { sleeptune status --json | jq '[.. | .cycles? // empty] | first'; }
before=$(cycles)
sleep 3
after=$(cycles)
is "the loop goes on" "$([ "$after" -gt "$before" ] && echo yes)" yes
like "the watchdog is armed" "$(state WatchdogUSec)" '^[1-9]'
is "and has been fed" "$([ "$(state WatchdogTimestampMonotonic)" -gt 0 ] && echo yes)" yes

systemctl kill -s HUP sleeptuned.service
ok "SIGHUP is answered in the journal" in_time 20 bash -c 'journalctl -u sleeptuned.service -o cat | grep -qi reload'
is "and it is still active" "$(state ActiveState)" active
pid=$(state MainPID)
kill -STOP "$pid"
ok "a daemon that does not cycle is killed by the watchdog and started again" \
    in_time 90 bash -c "[ \"\$(systemctl show -P MainPID sleeptuned.service)\" != $pid ] && systemctl is-active sleeptuned.service"

ok "systemctl stop ends it cleanly" systemctl stop sleeptuned.service
is "its result is success" "$(state Result)" success
like "journal entries have fields of their own" "$(journal json)" 'SLEEPTUNE_'
tap_done
