# shellcheck shell=bash disable=SC2034,SC2154
# What the tests of sleeptuned share. Everything is in $tmp, which others may enter.
[ -n "${tap_n:-}" ] || . "$SLEEPTUNE_SRC/tests/tap.sh"
need curl
own_tmp
sock=$tmp/sock conf=$tmp/conf log=$tmp/log
unset SLEEPTUNE_SOCKET XDG_RUNTIME_DIR STATE_DIRECTORY NOTIFY_SOCKET WATCHDOG_USEC
export XDG_STATE_HOME=/dev/null # no history but where a test wants one

# config TEXT...: writes the configuration, with our socket; reload TEXT...: and has it read
config() { printf '%s\n' "socket: { path = \"$sock\"; };" "$@" >"$conf"; }
reload() { config "$@"; kill -HUP "$daemon"; }

ask() { curl -s --max-time 20 --unix-socket "$sock" "http://localhost$1" "${@:2}"; }
# value PYTHON_EXPRESSION: of the status document d
value() { ask /v1/status | "$PYTHON" -c "import json, sys; d = json.load(sys.stdin); print($1)"; }
value_is() { [ "$(value "$1" 2>/dev/null)" = "$2" ]; }
logged() { grep -Eq -- "$1" "$log"; }

# start [COMMAND...]: sleeptuned, through COMMAND where there is one; sets $daemon
start() {
    behind "$@" "$SLEEPTUNED" -a -f -c "$conf" >"$tmp/out" 2>"$log"
    daemon=$!
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

# stops NAME: stop as a subtest; killed: it is
stops() { stop; is "$1" "$status" 0; }
killed() { kill -9 "$daemon"; wait "$daemon" 2>/dev/null; }

# own_state: a state folder, which has the history
own_state() { export STATE_DIRECTORY=$tmp/state; mkdir "$STATE_DIRECTORY"; }

# held FILE COMMAND...: runs it, with a standard input that never ends, until let_go; returns when it has printed something, which is in FILE
held() {
    rm -f "$tmp/hold" "$1"
    mkfifo "$tmp/hold"
    behind "${@:2}" <>"$tmp/hold" >"$1"
    holder=$!
    wait_for test -s "$1"
}
let_go() { kill "$holder"; wait "$holder" 2>/dev/null; }

# helper_is SOURCE: standard input becomes the helper program of that source
helper_is() {
    export SLEEPTUNE_OBSERVE_DIR=$tmp/programs
    mkdir -p "$SLEEPTUNE_OBSERVE_DIR"
    cat >"$tmp/new" && chmod 755 "$tmp/new" && mv "$tmp/new" "$SLEEPTUNE_OBSERVE_DIR/sleeptune-observe-$1"
}

# own_session: folders of a user, without any server but those of the test; $tmp/no-end as standard input never ends
own_session() {
    export HOME=$tmp XDG_RUNTIME_DIR=$tmp/run
    mkdir -m 700 "$XDG_RUNTIME_DIR"
    mkfifo "$tmp/no-end"
    unset PIPEWIRE_REMOTE PIPEWIRE_RUNTIME_DIR PULSE_SERVER PULSE_RUNTIME_PATH SLEEPTUNE_OBSERVE_DIR DISPLAY
}
# server COMMAND...: a sound server; sets $server
server() { behind "$@" >>"$tmp/server.log" 2>&1; server=$!; }
end_server() { kill -CONT "$server" 2>/dev/null; kill "$server" 2>/dev/null; wait "$server" 2>/dev/null; }

# bus SOCKET: a D-Bus for all users
bus() {
    cat >"$tmp/bus.conf" <<XML
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:path=$1</listen><auth>EXTERNAL</auth>
<policy context="default"><allow user="*"/><allow own="*"/><allow send_destination="*"/><allow receive_sender="*"/></policy></busconfig>
XML
    behind dbus-daemon --config-file="$tmp/bus.conf" --nofork --nopidfile >"$tmp/bus.log" 2>&1
    wait_for test -S "$1"
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
