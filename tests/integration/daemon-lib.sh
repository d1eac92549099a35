# shellcheck shell=bash disable=SC2034
# What the tests of sleeptuned share. Source after tests/tap.sh. Everything is in $tmp, which others may enter.
tmp=$(mktemp -d)
chmod 755 "$tmp"
sock=$tmp/sock conf=$tmp/conf log=$tmp/log
unset SLEEPTUNE_SOCKET XDG_RUNTIME_DIR STATE_DIRECTORY NOTIFY_SOCKET WATCHDOG_USEC
export XDG_STATE_HOME=/dev/null # no history but where a test wants one
pids=()

clean_up() {
    local pid
    for pid in "${pids[@]}"; do kill -9 "$pid" 2>/dev/null; done
    wait 2>/dev/null
    rm -rf "$tmp"
}
trap clean_up EXIT

# config TEXT...: writes the configuration, with our socket
config() { printf '%s\n' "socket: { path = \"$sock\"; };" "$@" >"$conf"; }

ask() { curl -s --max-time 20 --unix-socket "$sock" "http://localhost$1" "${@:2}"; }
# value PYTHON_EXPRESSION: of the status document d
value() { ask /v1/status | "$PYTHON" -c "import json, sys; d = json.load(sys.stdin); print($1)"; }
value_is() { [ "$(value "$1" 2>/dev/null)" = "$2" ]; }
logged() { grep -Eq -- "$1" "$log"; }

# start [COMMAND...]: sleeptuned, through COMMAND where there is one; sets $daemon
start() {
    "$@" "$SLEEPTUNED" -a -f -c "$conf" >"$tmp/out" 2>"$log" &
    daemon=$!
    pids+=("$daemon")
    wait_for value_is 'd["loop"] is not None and d["loop"]["cycles"] > 0' True
}

# starts NAME [COMMAND...]: start as a subtest
starts() { if start "${@:2}"; then pass "$1"; else fail "$1" "$(cat "$log")"; fi; }

# stop: SIGTERM; $status is how it ended
stop() {
    kill -TERM "$daemon"
    wait "$daemon"
    status=$?
}

# refused: runs it until it ends by itself; $status and $log
refused() { status=0; timeout 60 "$SLEEPTUNED" -a -f -c "$conf" "$@" 2>"$log" || status=$?; }

# others_trace: another sleeptuned traces on this kernel, which may be shared with other machines' tests, for a minute; what a killed
# one left is removed
others_trace() { ! wait_for eval '[ ! -e /sys/kernel/tracing/instances/sleeptune ] || rmdir /sys/kernel/tracing/instances/sleeptune'; }

# status_rows LABEL...: those of `sleeptune status --details`; other_rows: all others of `sleeptune status`. A row is a line
status_rows() { COLUMNS=1000 "$SLEEPTUNE" status --details --socket "$sock" | grep -E "^ *($(IFS='|'; echo "$*"))"; }
other_rows() { COLUMNS=1000 "$SLEEPTUNE" status --socket "$sock" | grep -vE "^ *($(IFS='|'; echo "$*"))"; }

# answer COMMAND...: the first line of `sleeptune COMMAND...`
answer() { "$SLEEPTUNE" "$@" | head -n 1; }

need() { local c; for c; do command -v "$c" >/dev/null || skip_all "$c is not installed"; done; }
