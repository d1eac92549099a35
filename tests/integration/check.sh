#!/usr/bin/env bash
# check, and the bare command.
set -u
. "$SLEEPTUNE_SRC/tests/tap.sh"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

field() { "$PYTHON" -c 'import json, sys; print(eval(sys.argv[2], {"d": json.load(open(sys.argv[1]))}))' "$@"; }
# refused NAME STATUS PATTERN ARG...: that exit status and a line on stderr that matches
refused() {
    local name=$1 wanted=$2 pattern=$3 got
    shift 3
    "$SLEEPTUNE" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    got=$?
    if [ "$got" -eq "$wanted" ] && [ ! -s "$tmp/out" ] && grep -Eq -- "$pattern" "$tmp/err"; then pass "$name"; else
        fail "$name" "$* (status $got, wanted $wanted and /$pattern/)
$(cat "$tmp/err")"
    fi
}

# --- check ---------------------------------------------------------------------------------------------------------------
"$SLEEPTUNE" check --duration 6s --frames 256 >"$tmp/check.txt" 2>"$tmp/err"
like "check ends with a status of report's" "$?" '^[012]$'
like "its first sentence is of what was measured" "$(head -n 2 "$tmp/check.txt" | tr '\n' ' ')" \
    '^(No sound server was watched: [^.]*\. )?(This|No real-time rights: this is why this) computer (kept up with|misses deadlines at) 256 frames at 48 kHz \(5\.3 ms\)'
like "a first verdict came after two seconds" "$(cat "$tmp/err")" '^(OK|Not OK) so far: [0-9]+ of [0-9]+ periods missed in .* \(95% confidence: at most [0-9.]+ events/h\)'
is "one, where stderr is no terminal" "$(wc -l <"$tmp/err")" 1
"$SLEEPTUNE" check --duration 1s --quiet --json >"$tmp/check.json" 2>"$tmp/err"
is "--quiet is quiet" "$(cat "$tmp/err")" ""
is "the JSON is a report with its measurement" "$(field "$tmp/check.json" 'd["schema"], d["measurement"]["source"], d["measurement"]["valid"]')" "('sleeptune-report/1', 'sleeptune check', True)"
refused "a duration that is none" 3 'not a time' check --duration soon
refused "no snapshots: it is about this machine" 3 'no such option' check --snapshot x

# --- the bare command -------------------------------------------------------------------------------------------------------
"$SLEEPTUNE" --frames 256 --duration 300ms --json >"$tmp/bare.json" 2>"$tmp/err"
like "options alone are those of check" "$?" '^[012]$'
is "which measures" "$(field "$tmp/bare.json" 'd["measurement"]["source"], d["period"]["frames"]')" "('sleeptune check', 256)"
# it starts, terminal or not: interrupted, it prints what it has
timeout --preserve-status -s INT 1.5 "$SLEEPTUNE" >"$tmp/out" 2>"$tmp/err"
like "without a terminal the bare command is check" "$? $(cat "$tmp/out")" '^[012] .*128 frames'
# on a terminal: interrupted when it has shown a verdict, it prints what was measured
"$PYTHON" - "$SLEEPTUNE" >"$tmp/pty.txt" <<'PY'
import os, pty, signal, sys
pid, fd = pty.fork()
if pid == 0:
    os.environ.update(COLUMNS="80", TERM="dumb")
    os.execv(sys.argv[1], [sys.argv[1]])
out = b""
told = False
try:
    while chunk := os.read(fd, 4096):
        out += chunk
        if not told and b"so far" in out:
            told = True
            os.kill(pid, signal.SIGINT)
except OSError:
    pass
sys.stdout.write(out.decode().replace("\r\n", "\n"))
print("status", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
PY
like "on a terminal it is check" "$(cat "$tmp/pty.txt")" 'computer (kept up with|misses deadlines at) 128 frames at 48 kHz'
like "which shows the verdict so far" "$(cat "$tmp/pty.txt")" 'so far: [0-9]+ of [0-9]+ periods missed'
like "and ends with its status" "$(cat "$tmp/pty.txt")" '^status [012]$'
tap_done
