#!/usr/bin/env bash
# The history over bad days: killed, damaged, locked, full, not ours, read by somebody else meanwhile.
# shellcheck disable=SC2016,SC2034,SC2317
set -u
. "$SLEEPTUNE_SRC/tests/tap.sh"
. "$SLEEPTUNE_SRC/tests/integration/daemon-lib.sh"
need curl
"$SLEEPTUNE" --version | grep -q 'history yes' || skip_all "this build is without SQLite"
trap 'umount "$tmp/small" 2>/dev/null; clean_up' EXIT
mkdir "$tmp/state"
export STATE_DIRECTORY=$tmp/state
db=$tmp/state/history.db
audio='audio: { backend = "none"; };'
state_is() { value_is "d['history']['state']" "$1"; }
events_are() { [ "$("$SLEEPTUNE" events --json --socket "$sock" --kind "$1" 2>/dev/null | "$PYTHON" -c 'import json, sys; print(len(json.load(sys.stdin)["events"]))')" = "$2" ]; }
sql() { "$PYTHON" -c 'import sqlite3, sys
db = sqlite3.connect(sys.argv[1], timeout=20)
for row in db.execute(sys.argv[2]): print(*row)
db.commit()' "$db" "$1"; }

# --- a day like any other ---
config "$audio"
starts "it starts"
ok "and writes a history in the state folder" wait_for state_is writing
kill -HUP "$daemon"
ok "an event is in it after some seconds" wait_for events_are config-read 1
stop
is "it ends cleanly" "$status" 0
is "the last minute is in the file" "$(sql 'SELECT level, count(*) FROM span GROUP BY level' | tr '\n' ' ')" "60 1 3600 1 86400 1 "
is "with its circumstances" "$(sql 'SELECT frames, rate_hz, cpu FROM circumstances')" "128 48000 -1"
is "without a log beside it" "$(ls "$tmp/state")" "history.db
last.json"
is "sleeptune history reads the file" "$("$SLEEPTUNE" history --db "$db" --since 1h --json | "$PYTHON" -c 'import json, sys; print(sum(r["cycles"] or 0 for r in json.load(sys.stdin)["rows"]) > 0)')" True

# --- killed ---
starts "it starts again"
kill -HUP "$daemon"
wait_for events_are config-read 2
kill -9 "$daemon"
wait "$daemon" 2>/dev/null
starts "it starts after a kill"
ok "and goes on with the same history" wait_for state_is writing
is "that has what was before" "$(value "d['history']['put_aside']")" None
ok "the clean end, too" events_are config-read 2

# --- locked by another program ---
cat >"$tmp/lock.py" <<'PY'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=20)
db.execute("BEGIN IMMEDIATE")
print("locked", flush=True)
sys.stdin.read()
PY
mkfifo "$tmp/hold"
"$PYTHON" "$tmp/lock.py" "$db" <"$tmp/hold" >"$tmp/locked" &
pids+=("$!")
exec 8>"$tmp/hold"
wait_for test -s "$tmp/locked"
kill -HUP "$daemon"
ok "a locked file: it says so" wait_for state_is failing
like "with the reason" "$(value 'd["degraded"]')" 'history.*locked'
ok "and measures on" value_is 'd["state"]' degraded
is "the event waits in memory" "$(value "d['history']['waiting_events'] > 0")" True
exec 8>&-
kill -HUP "$daemon"
ok "and is written when that is possible again" wait_for state_is writing
ok "none is lost" wait_for events_are config-read 4
stop

# --- damaged, and not ours ---
printf 'not a database at all, and long enough to be one\n%.0s' {1..99} >"$db"
starts "it starts with a file that is no database"
ok "and begins a new history" wait_for state_is writing
like "the old one is put aside and told" "$(value 'd["history"]["put_aside"]')" 'history\.db\.aside-[0-9]+T[0-9]+Z$'
is "byte for byte" "$(head -c 20 "$tmp"/state/history.db.aside-*Z)" "not a database at al"
ok "which is an event" wait_for events_are history-aside 1

# --- removed while it runs ---
rm "$db"
kill -HUP "$daemon"
ok "a file that was removed is made anew" wait_for test -s "$db"
ok "with the event" wait_for events_are config-read 1

# --- nowhere to write ---
config "$audio" 'history: { path = "/proc/history.db"; };'
kill -HUP "$daemon"
ok "a path that cannot be written is said" wait_for state_is failing
config "$audio" 'history: { enabled = "off"; };'
kill -HUP "$daemon"
ok "history.enabled = off" wait_for state_is off
like "sleeptune history says so" "$("$SLEEPTUNE" history --socket "$sock" 2>&1)" 'no history is kept: history.enabled'
is "with exit status 4" "$("$SLEEPTUNE" history --socket "$sock" >/dev/null 2>&1; echo $?)" 4
code() { curl -s --max-time 20 -o "$tmp/body" -w '%{http_code}' --unix-socket "$sock" "http://localhost$1"; }
is "HTTP 503" "$(code /v1/history)" 503
config "$audio"
kill -HUP "$daemon"
ok "and on again" wait_for state_is writing
is "a bad step: 400" "$(code '/v1/history?step=often')" 400
is "too much for one answer: 400" "$(code '/v1/history?since=1w&step=60s')" 400
is "since behind until: 400" "$(code '/v1/history?since=1h&until=2h')" 400
is "a day: 200" "$(code '/v1/history?since=1d')" 200
is "a kind that there is not: 400" "$(code '/v1/events?kind=foo')" 400
is "a name that there is not: 400" "$(code '/v1/events?foo=1')" 400
is "a name of another path: 400" "$(code '/v1/history?limit=1')" 400
is "nothing behind ? but the mark: 200" "$(code '/v1/events?')" 200
is "events: 200" "$(code '/v1/events?limit=1&kind=config-read')" 200

# --- a disk that is full ---
if mkdir "$tmp/small" && mount -t tmpfs -o size=300k none "$tmp/small" 2>/dev/null; then
    config "$audio" "history: { path = \"$tmp/small/history.db\"; };"
    kill -HUP "$daemon"
    ok "another file at SIGHUP" wait_for test -s "$tmp/small/history.db"
    wait_for state_is writing
    lost=$(value "d['history']['lost_events']") # what waited when it was switched off above
    dd if=/dev/zero of="$tmp/small/fill" bs=1k 2>/dev/null
    flood() { for _ in 1 2 3 4 5 6 7 8; do kill -HUP "$daemon"; sleep 0.05; done; state_is failing; }
    ok "a full disk is said" wait_for flood
    like "with the reason" "$(value 'd["history"]["why"]')" 'full|space'
    is "and nothing is lost" "$(value "d['history']['lost_events']")" "$lost"
    rm "$tmp/small/fill"
    kill -HUP "$daemon"
    ok "what waited is written when there is room" wait_for state_is writing
    config "$audio"
    kill -HUP "$daemon"
    ok "and back to the first file" wait_for value_is "d['history']['path']" "$db"
    umount "$tmp/small"
else
    skip "a full disk" "tmpfs cannot be mounted here"
fi

# --- read by others ---
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
    as_nobody() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
    chmod 755 "$tmp/state"
    chmod 644 "$db"
    wait_for state_is writing
    ok "somebody without rights reads it while it is written" as_nobody "$SLEEPTUNE" events --db "$db" --kind config-read
    stop
    ok "and afterwards" as_nobody "$SLEEPTUNE" events --db "$db" --limit 1
    chmod 600 "$db"
    like "who is told when it may not be read" "$(as_nobody "$SLEEPTUNE" events --db "$db" 2>&1)" 'Permission denied|unable to open'
else
    skip "somebody without rights" "needs root and setpriv"
    stop
fi
is "it ends cleanly after all that" "$status" 0
tap_done
