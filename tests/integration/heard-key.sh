#!/usr/bin/env bash
# sleeptune heard --bind: a key of the desktop. The portal is a false one: a desktop that has one cannot be run here.
set -u
. "$SLEEPTUNE_SRC/tests/tap.sh"
. "$SLEEPTUNE_SRC/tests/integration/daemon-lib.sh"
need dbus-daemon
if ! has=$("$SLEEPTUNE" --version) || [[ $has != *"systemd yes, http yes, history yes"* ]]; then skip_all "needs libsystemd, the HTTP server and the history"; fi
"$PYTHON" -c 'import dbus, gi' 2>/dev/null || skip_all "python3-dbus or python3-gi is not installed"

export DBUS_SESSION_BUS_ADDRESS=unix:path=$tmp/bus
bind() { "$SLEEPTUNE" heard --bind --socket "$sock" "$@"; }
other="Bind this to a key in the settings of your desktop: sleeptune heard --key --quiet"
is "no note" "$(bind a note >/dev/null 2>&1; echo $?)" 3
like "no session bus: it says how to do without" "$(bind 2>&1)" "no key .*: No such file or directory\. $other"
cat >"$tmp/bus.conf" <<XML # without the portal of the machine
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>$DBUS_SESSION_BUS_ADDRESS</listen><auth>EXTERNAL</auth>
<policy context="default"><allow user="*"/><allow own="*"/><allow send_destination="*"/><allow receive_sender="*"/></policy></busconfig>
XML
dbus-daemon --config-file="$tmp/bus.conf" --nofork --nopidfile >"$tmp/bus.log" 2>&1 &
pids+=("$!")
wait_for test -S "$tmp/bus"
is "no portal: the same, and status 2" "$(bind 2>&1; echo "status $?")" \
    "sleeptune heard: no key from the desktop's portal GlobalShortcuts: The name org.freedesktop.portal.Desktop was not provided by any .service files. $other
status 2"

mkfifo "$tmp/keys"
exec 8<>"$tmp/keys"
# desktop KEY: its portal; it ends with the shell's file 8
desktop() {
    [ -z "${portal:-}" ] || { kill "$portal"; wait "$portal"; } 2>/dev/null
    : >"$tmp/asked"
    "$PYTHON" "$SLEEPTUNE_SRC/tests/integration/fake_portal.py" "$1" <&8 >"$tmp/asked" 2>&1 &
    portal=$!
    pids+=("$portal")
    wait_for grep -q ready "$tmp/asked"
}
desktop refuse
is "the user refuses" "$(bind 2>&1; echo "status $?")" "sleeptune heard: no key from the desktop's portal GlobalShortcuts: you refused it. $other
status 2"
desktop broken
is "an error without words" "$(bind 2>&1; echo "status $?")" "sleeptune heard: no key from the desktop's portal GlobalShortcuts: org.example.Wordless. $other
status 2"

config "loop: { when = \"playing\"; };" "history: { path = \"$tmp/history.db\"; };"
"$SLEEPTUNED" -f -c "$conf" 2>"$log" &
pids+=("$!")
ok "the daemon answers" wait_for value_is 'd["schema"]' sleeptune-status/1
begin() {
    : >"$tmp/out"
    bind >"$tmp/out" 2>"$tmp/err" &
    bound=$!
    pids+=("$bound")
    wait_for test -s "$tmp/out"
}
desktop $'Ctrl+\033[1mF9'
begin
is "it says its name, and asks for one key" "$(sed 1d "$tmp/asked")" "app sleeptune
bind True heard: I heard a click"
is "the key is printed, safely" "$(cat "$tmp/out")" "Marks are kept at this key: Ctrl+?[1mF9"
marks() { "$SLEEPTUNE" history --heard --json --socket "$sock" | "$PYTHON" -c 'import json, sys; print([(m["by"], m["window_ns"]) for m in json.load(sys.stdin)["marks"]])'; }
is "no mark before a press" "$(marks)" "[]"
echo "press other" >&8
echo "press heard" >&8
marked() { [ "$(marks)" != "[]" ]; }
ok "a press is a mark" wait_for marked
is "of a key, and one" "$(marks)" "[('key', 2500000000)]"
ok "it says so" wait_for grep -q '^Kept: ' "$tmp/out"
echo close >&8
wait "$bound"
is "the desktop ends it: status 4" "$? $(cat "$tmp/err")" "4 sleeptune heard: the desktop's portal for keys ended: it closed the session"
desktop ""
begin
is "no name of the key" "$(cat "$tmp/out")" "The desktop names no key: look in its settings of shortcuts."
kill "$portal"
wait "$bound"
is "the portal is restarted: status 4, and the unit begins again" "$? $(cat "$tmp/err")" "4 sleeptune heard: the desktop's portal for keys ended: it was restarted"
tap_done
