#!/usr/bin/env bash
# The history over bad days: killed, damaged, locked, full, not ours, read by somebody else meanwhile.
# shellcheck disable=SC2034
. "$SLEEPTUNE_SRC/tests/integration/daemon-lib.sh"
trap 'umount "$tmp/small" 2>/dev/null; clean_up' EXIT
own_state
db=$tmp/state/history.db
audio='audio: { backend = "none"; };'
state_is() { value_is "d['history']['state']" "$1"; }
events_are() { [ "$("$SLEEPTUNE" history --events --json --socket "$sock" --kind "$1" 2>/dev/null | key - 'len(d["events"])')" = "$2" ]; }
# what other programs did: without this computer's timing, and rows that may be those of two minutes
dropouts() { "$SLEEPTUNE" history "$@" | grep -vE '^(This computer|Next |([0-9]{4}-)?[0-9]{2}-[0-9]{2} )'; }
causes() { "$SLEEPTUNE" history --causes "$@" | awk 'BEGIN {RS = ""; ORS = "\n\n"} NR == 1 || /^Program /'; }

# --- a day like any other ---
config "$audio"
starts "it starts"
ok "and writes a history in the state folder" wait_for state_is writing
kill -HUP "$daemon"
ok "an event is in it after some seconds" wait_for events_are config-read 1
screen_is -t no-size-yet env SLEEPTUNE_SOCKET="$sock" "$SLEEPTUNE" predict --history
behind=$("$SLEEPTUNE" history --events --json --socket "$sock" --kind config-read | key - '"{}.{:09}".format(*divmod(d["events"][0]["time_ns"] + 1, 10**9))')
is "a nanosecond behind it is nothing" "$("$SLEEPTUNE" history --events --json --socket "$sock" --kind config-read --since "$behind" | key - 'd["events"]')" "[]"
stops "it ends cleanly"
like "the last minute is in the file" "$(sql "$db" 'SELECT level, count(*) FROM span GROUP BY level' | tr '\n' ' ')" '^60 [12] 3600 [12] $'
is "with its conditions, without a log beside it" "$(sql "$db" 'SELECT frames, rate_hz, cpu FROM conditions'; ls "$tmp/state")" $'128 48000 -1\nhistory.db'
is "sleeptune history reads the file" "$("$SLEEPTUNE" history --db "$db" --since 1h --json | key - 'sum(r["cycles"] or 0 for r in d["rows"]) > 0')" True

# --- what changed ---
changes() { "$SLEEPTUNE" history --changes --json --socket "$sock" | key - '[(w["name"], w["before"]) for c in d["changes"] for w in c["what"]]'; }
is "the kernel was seen at the first start, which is no change" "$(sql "$db" "SELECT value, was, change_n FROM fact WHERE name = 'kernel'")" "$(uname -r) None 0"
is "no content of a file" "$(sql "$db" "SELECT count(*) FROM fact WHERE kind = 'file' AND length(value) != 16")" 0
sql "$db" "UPDATE fact SET value = '5.0' WHERE name = 'kernel'"
starts "it starts with another kernel than before"
wait_for state_is writing
is "which is a change" "$(changes)" "[('kernel', '5.0')]"
stop
starts "and again"
wait_for state_is writing
is "and nothing more changed" "$(changes)" "[('kernel', '5.0')]"
stop

# --- other programs' dropouts ---
helper_is jack <<'SH'
#!/bin/sh
echo 'ready JACK server "default", 256 frames at 48000 Hz'
for i in 1 2 3 4; do
    echo 'client-dropout count_n=25 certainty=exact device=system client=Heavy%20Reverb reason=too-slow busy_ns=7300000 wait_ns=90000 period_ns=5333333'
done
echo 'client-dropout count_n=3 certainty=exact device=system client=Gone reason=blocked'
echo 'device-dropout count_n=2 certainty=exact device=system'
echo 'load cycles_n=1875 busy_median_ns=1000000 busy_p99_ns=2000000 busy_max_ns=7300000 wait_median_ns=20000 wait_p99_ns=90000 wait_max_ns=120000 period_ns=5333333 frames=256 rate_hz=48000 device=system client=Heavy%20Reverb'
exec cat
SH
cp "$db" "$tmp/before.db"
rm "$db"
config "$audio" 'observe: { pipewire = "off"; pulseaudio = "off"; };'
starts "other programs' dropouts: it starts"
ok "they are seen" wait_for value_is "sum(s['client_dropouts'] or 0 for s in d['observe'])" 103
is_watched() { dropouts --socket "$sock" | grep -q '^While sleeptuned watched JACK'; }
wait_for is_watched # and written
screen_is -t first-minute dropouts --socket "$sock"
stop
unset SLEEPTUNE_OBSERVE_DIR
mv "$tmp/before.db" "$tmp/state/before.db"
sql "$db" "INSERT INTO watch (source, from_ns, to_ns, playing) SELECT 'alsa', from_ns - 60000000000, to_ns, 1 FROM watch WHERE source = 'jack'"
screen_is -t other-programs dropouts --db "$db"
is "the rows count them" "$("$SLEEPTUNE" history --json --db "$db" | key - 'sum(row["dropouts"] or 0 for row in d["rows"])')" 105
screen_is -t other-programs-causes causes --db "$db"
is "and its JSON" "$("$SLEEPTUNE" history --causes --json --db "$db" |
    key - '[(c["name"] or c["device"], r["reason"], r["dropouts"], r["worst_busy_ns"]) for s in d["dropouts"]["sources"] for c in s["clients"] for r in c["rows"]]')" \
    "[('Heavy Reverb', 'too-slow', 100, 7300000), ('Gone', 'blocked', 3, None), ('system', None, 2, None)]"
screen_is -m other-programs-event answer history --events --kind client-dropout --db "$db"

# --- what each buffer size that ran has cost ---
mkdir "$tmp/sizes"
cp "$db" "$tmp/sizes/history.db"
sql "$tmp/sizes/history.db" "UPDATE watch SET from_ns = from_ns - 14 * 3600000000000, frames = 256, rate_hz = 48000 WHERE source = 'jack'" \
    "INSERT INTO watch (source, from_ns, to_ns, playing, frames, rate_hz) SELECT source, from_ns - 7200000000000, from_ns, 1, 128, 48000 FROM watch WHERE source = 'jack'"
config "$audio"
STATE_DIRECTORY=$tmp/sizes
starts "a history of two sizes: it starts"
ok "and opens the history" wait_for state_is writing
sizes() { "$SLEEPTUNE" status --details --socket "$sock" | grep -A 2 '^ *Buffer used '; }
screen_is sizes-that-ran sizes
is "/v1/sizes has the same" "$(ask /v1/sizes | key - '[(s["source"], s["frames"], s["dropouts"], s["bursts"], round(s["playing_ns"] / 3.6e12, 1), round(s["high"], 2)) for s in d["sizes"]]')" \
    "[('jack', 128, 0, 0, 2.0, 1.5), ('jack', 256, 105, 1, 14.0, 0.34)]"
is "none ran in the last seconds" "$(ask '/v1/sizes?since=1s' | key - 'd["sizes"], d["runs"]')" '([], [])'
stop
STATE_DIRECTORY=$tmp/state
mv "$tmp/state/before.db" "$db"

# --- killed ---
starts "it starts again"
kill -HUP "$daemon"
wait_for events_are config-read 2
killed
starts "it starts after a kill"
ok "and goes on with the same history" wait_for value_is 'd["history"]["state"], d["history"]["put_aside"]' "writing None"
ok "that has what was before, the clean end, too" events_are config-read 2

# --- locked by another program ---
cat >"$tmp/lock.py" <<'PY'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None, timeout=20)
db.execute("BEGIN IMMEDIATE")
print("locked", flush=True)
sys.stdin.read()
PY
held "$tmp/locked" "$PYTHON" "$tmp/lock.py" "$db"
kill -HUP "$daemon"
ok "a locked file: it says so" wait_for state_is failing
like "with the reason, measures on, and the event waits in memory" "$(value 'd["state"], d["history"]["waiting_events"] > 0, d["degraded"]')" '^degraded True .*history.*locked'
let_go
kill -HUP "$daemon"
ok "and is written when that is possible again" wait_for state_is writing
ok "none is lost" wait_for events_are config-read 4
stop

# --- damaged, and not ours ---
printf 'not a database at all, and long enough to be one\n%.0s' {1..99} >"$db"
starts "it starts with a file that is no database"
ok "and begins a new history" wait_for state_is writing
like "the file that was there is put aside and told" "$(value 'd["history"]["put_aside"]')" 'history\.db\.aside-[0-9]+T[0-9]+Z$'
is "byte for byte" "$(head -c 20 "$tmp"/state/history.db.aside-*Z)" "not a database at al"
ok "which is an event" wait_for events_are history-aside 1
like "with what became of it" "$("$SLEEPTUNE" history --events --socket "$sock" --kind history-aside | tr -s ' \n' ' ')" 'the old file is now history\.db\.aside-'

# --- nowhere to write ---
reload "$audio" 'history: { path = "/proc/history.db"; };'
ok "a path that cannot be written is said" wait_for state_is failing
reload "$audio" 'history: { enabled = "off"; };'
ok "history.enabled = off" wait_for state_is off
screen_is -t no-history-is-kept "$SLEEPTUNE" history --socket "$sock"
code() { curl -s --max-time 20 -o "$tmp/body" -w '%{http_code}' --unix-socket "$sock" "http://localhost$1"; }
is "HTTP 503" "$(code /v1/history)" 503
reload "$audio"
ok "and on again" wait_for state_is writing
is "events: 200" "$(code '/v1/events?limit=1&kind=config-read')" 200

stop

# --- readers who take their time ---
if [ -x "$SLEEPTUNE_BUILD/tests/integration/make_history" ] || cannot "readers who take their time" "this build has no make_history"; then
    rm -f "$db"
    "$SLEEPTUNE_BUILD/tests/integration/make_history" "$db" "$(date +%s)" 2 60 >/dev/null
    sql "$db" "INSERT INTO span (level, from_ns, to_ns, measured_ns, cycles, misses, skipped_periods, late_wakes, dropouts_own, miss_events)
         WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)
         SELECT level, from_ns - i * 60000000000, to_ns - i * 60000000000, measured_ns, cycles, 0, 0, 0, 0, 0 FROM n, (SELECT * FROM span WHERE level = 60 LIMIT 1)"
    sql "$db" "INSERT INTO event (wall_ns, kind, detail, lateness_ns) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
         SELECT $(date +%s)000000000 - i, 'pause', 'did not run: ' || hex(zeroblob(100)), i FROM n"
    starts "it starts with thousands of events"
    wait_for state_is writing
    is "six at once wait for their turns" "$(for _ in 1 2 3 4 5 6; do code '/v1/events?limit=500' & done; wait)" 200200200200200200
    is "too much for one answer: 400" "$(code '/v1/history?since=1w&step=60s')" 400
    cat >"$tmp/slow.py" <<'PY'
import socket, sys, time
readers = []
for _ in range(6):  # asks for a long answer and reads the first bytes of it
    reader = socket.socket(socket.AF_UNIX)
    reader.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    reader.connect(sys.argv[1])
    reader.sendall(b"GET /v1/events?limit=5000 HTTP/1.1\r\nHost: localhost\r\n\r\n")
    readers.append((reader, reader.recv(15)))
print(*(answer[9:12].decode() for _, answer in readers), flush=True)
sys.stdin.read()
PY
    held "$tmp/slow" "$PYTHON" "$tmp/slow.py" "$sock"
    like "long answers that no one reads: no more of them than memory is for" "$(cat "$tmp/slow")" '^200( 200)?( 503)+$'
    is "what is short is answered" "$(code /v1/status)" 200
    is "sleeptune history --events says when to ask again" \
        "$("$SLEEPTUNE" history --events --socket "$sock" --limit 5000 2>&1; echo $?)" \
        "sleeptune history: sleeptuned is busy with long answers: ask again in a few seconds
4"
    let_go
    if can_be_nobody; then
        chmod 666 "$sock"
        chmod 644 "$tmp/slow.py"
        held "$tmp/slow" "${nobody[@]}" "$PYTHON" "$tmp/slow.py" "$sock"
        is "another user's long answer is made nevertheless" "$(code '/v1/events?limit=5000')" 200
        let_go
    fi
    stop
    rm -f "$db"
fi
starts "it starts with a new history"

# --- a disk that is full ---
if mkdir "$tmp/small" && mount -t tmpfs -o size=300k none "$tmp/small" 2>/dev/null || cannot "a full disk" "tmpfs cannot be mounted here"; then
    reload "$audio" "history: { path = \"$tmp/small/history.db\"; };"
    ok "another file at SIGHUP" wait_for test -s "$tmp/small/history.db"
    wait_for state_is writing
    lost=$(value "d['history']['lost_events']") # what waited when it was switched off above
    dd if=/dev/zero of="$tmp/small/fill" bs=1k 2>/dev/null
    flood() { for _ in 1 2 3 4 5 6 7 8; do kill -HUP "$daemon"; sleep 0.05; done; state_is failing; }
    ok "a full disk is said" wait_for flood
    like "with the reason, and nothing is lost" "$(value 'd["history"]["lost_events"], d["history"]["why"]')" "^$lost .*(full|space)"
    rm "$tmp/small/fill"
    kill -HUP "$daemon"
    ok "what waited is written when there is room" wait_for state_is writing
    reload "$audio"
    ok "and back to the first file" wait_for value_is "d['history']['path']" "$db"
    umount "$tmp/small"
fi

# --- read by others ---
if can_be_nobody; then
    chmod 755 "$tmp/state"
    chmod 644 "$db"
    wait_for state_is writing
    ok "somebody without rights reads it while it is written" as_nobody "$SLEEPTUNE" history --events --db "$db" --kind config-read
    stop
    ok "and afterwards" as_nobody "$SLEEPTUNE" history --events --db "$db" --limit 1
    chmod 600 "$db"
    like "who is told when it may not be read" "$(as_nobody "$SLEEPTUNE" history --events --db "$db" 2>&1)" 'Permission denied|unable to open'
else
    skip "somebody without rights" "needs root and setpriv"
    stop
fi
is "it ends cleanly after all that" "$status" 0

# --- a history that may only be read ---
if can_be_nobody || cannot "a history that may only be read" "needs root and setpriv"; then
    mkdir "$tmp/nobody"
    cp "$SLEEPTUNE_SRC/tests/fixtures/history/all-kinds.db" "$tmp/nobody/history.db"
    chmod 444 "$tmp/nobody/history.db"
    chown 65534 "$tmp/nobody"
    STATE_DIRECTORY=$tmp/nobody
    # of_nobody NAME COMMAND...: what a daemon of nobody says of its history
    of_nobody() (
        sock=$tmp/nobody/$1.sock conf=$tmp/$1.conf log=$tmp/$1.log
        config "$audio" && chmod 644 "$conf"
        start "${nobody[@]}" "${@:2}" || exit # not by a function: its shell would be "$daemon"
        wait_for value_is 'd["history"]["state"] != "opening"' True
        value 'd["history"]["state"], d["history"]["why"] or d["history"]["path"]'
        kill -TERM "$daemon"
        wait "$daemon"
    )
    like "a history that may only be read is failing from the first look on" "$(of_nobody read-only env)" '^failing .*history\.db cannot be written: Permission denied$'
    is "and nothing is said of old rows" "$(grep -cE 'old rows|not an error' "$tmp/read-only.log")" 0
    own=$(unset STATE_DIRECTORY; of_nobody own env XDG_STATE_HOME="$tmp/nobody/new/state")
    if ! [ -w /var/lib/sleeptune ] || cannot "a daemon that a user starts keeps its history in the user's state folder" "this system has a state folder"; then
        is "a daemon that a user starts keeps its history in the user's state folder" "$own $(stat -c %a "$tmp/nobody/new/state/sleeptune")" "writing $tmp/nobody/new/state/sleeptune/history.db 700"
    fi
    STATE_DIRECTORY=$tmp/state
fi
tap_done
