#!/usr/bin/env bash
# Bad days of the machine that sleeptuned runs on: nowhere to write, no journal, no D-Bus, no cgroups, one CPU, killed at any
# moment. Each in a mount namespace of the daemon's own. docs/bad-days.md has all of them.
# shellcheck disable=SC2034
. "$SLEEPTUNE_SRC/tests/integration/daemon-lib.sh"
need unshare mount taskset
[ "$(id -u)" -eq 0 ] || skip_all "needs root"
unshare -m mount -t tmpfs none /mnt 2>/dev/null || skip_all "no right to mount here"
export STATE_DIRECTORY=$tmp/state
mkdir "$STATE_DIRECTORY"
# still_measures NAME: the loop goes on and its books balance
still_measures() { ok "$1: it measures, and the books balance" wait_for value_is "d['loop']['cycles'] > $(value 'd["loop"]["cycles"]') and d['loop']['books_balance']" True; }
# within COMMANDS PROGRAM ARG...: the program where these mounts were done, seen by nobody else
within() { exec unshare -m bash -ec "$1"'; shift; exec "$@"' bash "$@"; }

# --- a root that is read-only ---
config 'audio: { backend = "none"; };' "history: { path = \"$STATE_DIRECTORY/history.db\"; };"
starts "a read-only root: it starts" within 'mount --bind "'"$tmp"'" "'"$tmp"'"; mount --bind "$STATE_DIRECTORY" "$STATE_DIRECTORY"
    mount -o remount,bind,ro "$STATE_DIRECTORY"; mount -o remount,bind,ro /'
still_measures "a read-only root"
ok "the history waits in memory" wait_for value_is 'd["history"]["state"]' failing
like "and why is said, by a degraded status" "$(value 'd["state"], d["history"]["why"]')" '^degraded .*history.db cannot be written'
screen_is history-warning status_rows 'Warning +history'
is "nothing was written" "$(ls -A "$STATE_DIRECTORY")" ""
stops "it ends cleanly"
config 'audio: { backend = "none"; };'

# --- no journal, no syslog, no D-Bus ---
export DBUS_SYSTEM_BUS_ADDRESS=unix:path=$tmp/no-bus
behind unshare -m bash -ec 'mount -t tmpfs none /run; [ ! -e /dev/log ] || mount --bind /dev/null /dev/log; exec "$@"' bash "$SLEEPTUNED" -a -c "$conf" >"$tmp/out" 2>"$log"
daemon=$!
ok "no journal, no syslog: it starts, and its events are in its own list" wait_for value_is 'd["loop"]["cycles"] > 0, isinstance(d["events"], list)' 'True True'
still_measures "no journal, no syslog"
stops "and ends cleanly"
is "nothing went to its output" "$(cat "$tmp/out" "$log")" ""

# --- no cgroups ---
if [ -d /sys/fs/cgroup ] || cannot "no cgroup file system" "this system has none anyway"; then
    starts "no cgroup file system: it starts" within 'mount -t tmpfs none /sys/fs/cgroup'
    still_measures "no cgroup file system"
    stops "and ends cleanly"
fi

# --- no file descriptors ---
if command -v prlimit >/dev/null || cannot "no file descriptors are left" "prlimit is not installed"; then
    starts "no file descriptors are left: it starts"
    no_room() { # it may close something of its own meanwhile
        local free=0
        while [ -e "/proc/$daemon/fd/$free" ]; do free=$((free + 1)); done
        prlimit --pid "$daemon" --nofile="$free:1024"
        curl -s --max-time 1 --unix-socket "$sock" http://localhost/v1/status >/dev/null
        logged 'cannot accept connections: Too many open files'
    }
    ok "no file descriptors are left: the log says so" wait_for no_room
    ticks() { cat /proc/"$daemon"/task/*/stat | sed 's/.*) //' | awk '{ n += $12 + $13 } END { print n }'; } # of 10 ms
    curl -s --max-time 60 --unix-socket "$sock" http://localhost/v1/status >/dev/null & # it waits to be accepted
    waiting=$!
    before=$(ticks)
    sleep 4
    used=$(($(ticks) - before))
    ok "no thread spins ($used ticks in 4 s)" test "$used" -lt 80
    is "it is said once" "$(grep -c 'cannot accept connections' "$log")" 1
    prlimit --pid "$daemon" --nofile=1024:1024
    does "the client that waited is answered" wait "$waiting"
    stops "and it ends cleanly"
fi
status=$(ulimit -n 64; refused; echo "$status")
is "64 file descriptors: it does not start" "$status" 4
like "and says what it needs" "$(cat "$log")" 'sleeptuned may open 64 files and needs 128\. Raise its limit'
soft() { ulimit -Sn 64 && exec "$@"; }
starts "of which the user may have more: it takes them" soft
stop

# --- one CPU for all of it ---
cpu=$(taskset -cp $$ | sed 's/.*: \([0-9]*\).*/\1/')
starts "one CPU for all threads: it starts" taskset -c "$cpu"
still_measures "one CPU"
is "its threads are all there" "$(for task in /proc/"$daemon"/task/*; do taskset -cp "${task##*/}" | sed 's/.*: //'; done | sort -u)" "$cpu"
# a machine that is busy may have a reason of its own to be late just then
stop_is_seen() {
    stop_for 0.5 "$daemon"
    sleep 2
    value_is 'any(r["cause"] == "stopped" for r in d["loop"]["causes"])' True
}
ok "stopped for half a second: it is a cause of its own" in_time 2 stop_is_seen # ten tries
still_measures "stopped"
stops "and ends cleanly"

# --- a loop that gets no CPU ---
held "$tmp/port" "$PYTHON" -c 'import socket, sys; s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(); print(s.getsockname()[1], flush=True); sys.stdin.read()'
port=$(cat "$tmp/port")
config 'audio: { backend = "none"; };' "http: { listen = \"127.0.0.1:$port\"; };"
starts "the loop gets no CPU: it starts"
ok "an address is taken: that is degraded" wait_for value_is '[x["what"] for x in d["degraded"] if x["what"] == "http"]' "['http']"
behind "$PYTHON" "$SLEEPTUNE_SRC/tests/integration/hold_loop.py" "$daemon" >"$tmp/held" 2>&1
if wait_for grep -q . "$tmp/held" && grep -q held "$tmp/held"; then
    ok "the loop gets no CPU: the status is degraded" wait_for value_is 'd["degraded"][0]["what"]' loop
    like "and the verdict" "$(value 'd["verdict"]')" ' The timing test has not run for [0-9]+ s'
    like "and an event" "$(cat "$log")" 'event: the timing test has not run for'
    like "and a metric" "$(ask /metrics)" '^sleeptune_loop_overdue_seconds ([2-9]|[1-9][0-9])'
    let_go
    ok "the address is free and served" wait_for value_is '[x["what"] for x in d["degraded"]]' "['loop']"
    sleep 6 # what is degraded is looked at each 5 s
    is "that is no recovery" "$(grep -c 'all parts of sleeptuned work as configured again' "$log")" 0
    reload 'audio: { backend = "none"; };' 'loop: { frames = 256; };'
    ok "SIGHUP while the loop gets no CPU: its settings were not taken" \
        wait_for value_is '[x["why"] for x in d["degraded"] if x["what"] == "config"]' \
        "['the old settings stay in force: the timing test gets no CPU, so its new settings are not in force. Reload again when it runs.']"
    is "the others were" "$(curl -s --max-time 5 -o "$tmp/body" -w '%{http_code}' "http://127.0.0.1:$port/v1/status")" 000
    is "and the loop is as it was" "$(value 'd["loop"]["conditions"]["frames"]')" 128
    SECONDS=0
    stop
    is "SIGTERM while the loop gets no CPU: it ends, which is a failure" "$status" 4
    ok "and waited for some 10 s" test "$SECONDS" -lt 40
    like "and says what is not known" "$(cat "$log")" 'the timing test did not end within another'
    like "and no more than that held" "$(cat "$log")" 'ended after [0-9]+ cycles of the timing test: .* The timing test has not run for'
else
    skip "the loop gets no CPU" "no right to hold a thread: $(cat "$tmp/held")"
    stop
fi

# --- killed at any moment, ten times ---
for i in 1 2 3 4 5 6 7 8 9 10; do
    "$SLEEPTUNED" -a -f -c "$conf" 2>>"$tmp/kills" &
    daemon=$!
    sleep "0.$((i * 7 % 10))"
    killed
done
starts "and it starts again"
ok "with its history" wait_for value_is 'd["history"]["state"]' writing
is "killed ten times: the history is the same file" "$(find "$STATE_DIRECTORY" -name '*aside*')" ""
still_measures "after kills"
stops "and ends cleanly"
tap_done
