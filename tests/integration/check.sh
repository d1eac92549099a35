#!/usr/bin/env bash
# check, the bare command, and reports that rest on a measurement.
set -u
. "$SLEEPTUNE_SRC/tests/tap.sh"
captures=$SLEEPTUNE_SRC/tests/fixtures/captures
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

# --- a measurement given ----------------------------------------------------------------------------------------------
"$SLEEPTUNE" measure --duration 300ms --frames 64 --json >"$tmp/measured.json"
"$PYTHON" - "$tmp" <<'PY'
import copy, json, sys
d = json.load(open(sys.argv[1] + "/measured.json"))
d["circumstances"]["kernel_release"] = "13.2-RELEASE"  # that of the capture
def write(name, change):
    c = copy.deepcopy(d)
    change(c)
    json.dump(c, open(f"{sys.argv[1]}/{name}.json", "w"))
write("held", lambda c: c.update(misses=0, miss_events=0, elapsed_periods=7500, books_balance=True, misses_per_hour_max95=1078.4, duration_ns=10**10, error=None))
write("missed", lambda c: c.update(misses=12, miss_events=5, elapsed_periods=7500, books_balance=True, misses_per_hour_max95=7543.2, error=None))
write("books", lambda c: c.update(misses=0, elapsed_periods=7500, books_balance=False))
write("newer", lambda c: c.update(schema="sleeptune-measure/2"))
write("other", lambda c: c.update(schema="sleeptune-report/1"))
write("text", lambda c: c.update(misses="none"))
write("elsewhere", lambda c: c["circumstances"].update(kernel_release="15.1-RELEASE"))
write("old", lambda c: c.update(started_ns=c["started_ns"] - 3 * 86400 * 10**9))
write("loops", lambda c: (c.update(loops=[copy.deepcopy(c) | {"misses": 5, "books_balance": True, "elapsed_periods": 7500}, copy.deepcopy(c)])))
open(sys.argv[1] + "/half.json", "w").write(json.dumps(d)[:200])
PY
report() { "$SLEEPTUNE" report --root "$captures/freebsd-13.2" "$@"; }
verdict() { report --json --measurement "$tmp/$1.json" >"$tmp/report.json"; field "$tmp/report.json" 'd["verdict"]'; }
like "a period that was held is said, with the bound" "$(verdict held)" \
    '^This computer kept up with 64 frames at 48 kHz \(1\.3 ms\) for 10\.00 s\..* \(held\.json, .*\): 0 of 7500 periods missed \(95% confidence: at most 1080 events per hour; misses less than 100 ms apart are one event\)'
is "the period judged for is the one measured" "$(field "$tmp/report.json" 'd["period"]["frames"]')" 64
like "misses are said" "$(verdict missed)" '^This computer misses deadlines at .* 12 of 7500 periods missed'
like "a result whose books do not balance is no verdict" "$(verdict books)" '[Tt]he measurement \(books\.json\) is invalid'
is "and says so in the JSON" "$(field "$tmp/report.json" 'd["measurement"]["valid"]')" False
like "a measurement of another kernel says nothing about this one" "$(verdict elsewhere)" \
    'Not measured on this kernel: the measurement \(elsewhere\.json\) is from kernel 15\.1-RELEASE, and this is 13\.2-RELEASE; there'
is "the JSON says so" "$(field "$tmp/report.json" 'd["measurement"]["elsewhere"]')" True
like "an old one says how old it is" "$(verdict old)" '3 days ago'
like "of several loops the first, the worst, counts" "$(verdict loops)" ': 5 of 7500 periods missed'
like "from standard input, too" "$(report --measurement - <"$tmp/held.json")" '^This computer kept up with'
refused "a measurement of another period" 3 'was measured at 64 frames and 48000 Hz' report --measurement "$tmp/held.json" --frames 128
ok "the same period may be named" "$SLEEPTUNE" report --only freebsd-hz --root "$captures/freebsd-13.2" --measurement "$tmp/held.json" --frames 64
refused "a newer measurement" 4 'its schema is not sleeptune-measure/1' report --measurement "$tmp/newer.json"
refused "another document" 4 'not a result of' report --measurement "$tmp/other.json"
refused "half a measurement" 4 'not JSON' report --measurement "$tmp/half.json"
refused "text for a number" 4 "'misses' is not a whole number" report --measurement "$tmp/text.json"
refused "a missing measurement" 4 'No such file' report --measurement "$tmp/missing.json"

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
