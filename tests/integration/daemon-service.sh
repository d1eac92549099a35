#!/usr/bin/env bash
# The systemd unit and the rc.d script, without a service manager; readiness and watchdog through a socket of our own.
. "$SLEEPTUNE_SRC/tests/integration/daemon-lib.sh"

unit=$SLEEPTUNE_BUILD/conf/sleeptuned.service
if command -v systemd-analyze >/dev/null || cannot "systemd-analyze verify has nothing to say" "systemd-analyze is not installed"; then
    sed "s|^ExecStart=.*|ExecStart=$(command -v true)|" "$unit" >"$tmp/sleeptuned.service"
    is "systemd-analyze verify has nothing to say" "$(systemd-analyze verify --man=no "$tmp/sleeptuned.service" 2>&1 | grep sleeptuned)" ""
    mkdir "$tmp/sleeptuned.service.d"
    cp "$SLEEPTUNE_SRC/conf/trace.conf" "$tmp/sleeptuned.service.d/"
    is "nor of the drop-in that switches the tracer on" "$(systemd-analyze verify --man=no "$tmp/sleeptuned.service" 2>&1 | grep -e sleeptuned -e trace)" ""
    rm -r "$tmp/sleeptuned.service.d"
    sed "s|^ExecStart=[^ ]*|ExecStart=$(command -v true)|" "$SLEEPTUNE_BUILD/conf/sleeptune-report.service" >"$tmp/sleeptune-report.service"
    cp "$SLEEPTUNE_SRC/conf/sleeptune-report.timer" "$tmp/"
    is "nor of the report's unit and timer" \
        "$(systemd-analyze verify --man=no "$tmp/sleeptune-report.service" "$tmp/sleeptune-report.timer" 2>&1 | grep sleeptune)" ""
    mkdir "$tmp/user"
    sed "s|^ExecStart=.*|ExecStart=$(command -v true)|" "$SLEEPTUNE_BUILD/conf/sleeptuned-user.service" >"$tmp/user/sleeptuned.service"
    is "nor of the units for one user" \
        "$(XDG_RUNTIME_DIR=$tmp systemd-analyze --user verify --man=no "$tmp/user/sleeptuned.service" 2>&1 | grep sleeptune)" ""
    if systemd-analyze security --offline=true "$unit" >"$tmp/security" 2>&1 || cannot "its exposure is 1.5 of 10 or less" "this systemd-analyze cannot judge a file"; then
        ok "its exposure is 1.5 of 10 or less" systemd-analyze security --offline=true --threshold=15 "$unit"
        # "✗ ProcSubset=  ..." is explained where a comment has that word
        is "what is left open is explained in the unit" "$(sed -n 's/^✗ \([A-Za-z]*\)=.*/\1/p' "$tmp/security" | sort -u | while read -r setting; do
            grep -q "^#.*$setting=" "$unit" || echo "$setting"
        done)" ""
    fi
fi
is "the unit does not forbid real-time scheduling, gives the right to it, and has a watchdog" \
    "$(grep -oE '^(RestrictRealtime|LimitRTPRIO=95$|WatchdogSec=[1-9])' "$unit" | sed 's/[0-9]*$//' | sort | xargs)" "LimitRTPRIO= WatchdogSec="
is "no placeholder is left" "$(grep -c '@[a-z]*@' "$unit" "$SLEEPTUNE_BUILD/conf/sleeptuned" | grep -v ':0$')" ""
events=$(sed -nE 's/.*(FIRST|NEXT)\([A-Z_]+, "([a-z-]+)"\).*/\2/p' "$SLEEPTUNE_SRC/core/event.h")
is "the manual has each event that the code makes" "$(sort -u <<<"$events" | while read -r event; do
    grep -qE "(Sy|,) $event( |\$)" "$SLEEPTUNE_SRC/man/sleeptuned.8" || echo "$event"
done)" ""
is "and the code each event that the manual has" "$(sed -n '/^.Sh DIAGNOSTICS/,$s/^.It Sy \(.*\) Ta .*/\1/p' "$SLEEPTUNE_SRC/man/sleeptuned.8" | sed 's/ , Sy /\n/g' | while read -r event; do
    cat "$SLEEPTUNE_SRC"/core/event.h "$SLEEPTUNE_SRC"/daemon/{*,*/*}.c | grep -qF "\"$event\"" || echo "$event"
done)" ""
is "and each field" "$(cat "$SLEEPTUNE_SRC"/daemon/{*,*/*}.c | tr '\n' ' ' | grep -oE 'st_log_field [a-z]+\[\] = \{[^;]*;' | grep -oE '\{"[A-Z_]+"' | tr -d '{"' | sort -u | while read -r field; do
    grep -q "Va.* $field" "$SLEEPTUNE_SRC/man/sleeptuned.8" || echo "$field"
done)" ""
ok "the rc.d script is sh" sh -n "$SLEEPTUNE_BUILD/conf/sleeptuned"

"$SLEEPTUNE" --version | grep -q 'systemd yes' || skip_rest "notifications" "built without systemd"
# the service manager's end of the socket writes down what it hears
cat >"$tmp/manager.py" <<'PY'
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
print("listening", flush=True)
while True:
    print(s.recv(65536).decode().replace("\n", " "), flush=True)
PY
behind "$PYTHON" "$tmp/manager.py" "$tmp/notify" >"$tmp/heard"
heard() { grep -Eq -- "$1" "$tmp/heard"; }
beats() { grep -c '^WATCHDOG=1' "$tmp/heard"; }
wait_for heard listening
export NOTIFY_SOCKET=$tmp/notify WATCHDOG_USEC=10000000
config 'audio: { backend = "none"; };'
starts "it starts"
ok "READY is told" wait_for heard '^READY=1'
before=$(beats)
more_beats() { [ "$(beats)" -gt "$before" ]; }
ok "the watchdog is fed while the loop cycles" wait_for more_beats
kill -HUP "$daemon"
ok "RELOADING is told with its time" wait_for heard '^RELOADING=1 MONOTONIC_USEC=[0-9]+'
ok "and READY after it" wait_for eval '[ "$(grep -c ^READY=1 "$tmp/heard")" -ge 2 ]'
stop
ok "STOPPING is told" wait_for heard '^STOPPING=1'
ok "STATUS has the last figures" wait_for heard '^STATUS=last [0-9]+ s'
tap_done
