#!/usr/bin/env bash
# Notifications: a real PipeWire client stalls, and a false notification server (python3-dbusmock) on a private bus is told, by the
# daemon of an ordinary user.
# shellcheck disable=SC2034
. "$SLEEPTUNE_SRC/tests/tap.sh"
go_on_as_nobody # root's daemon shows none
. "$SLEEPTUNE_SRC/tests/integration/pipewire-lib.sh" busctl
"$PYTHON" -c 'import dbusmock' 2>/dev/null || skip_all "python3-dbusmock is not installed"
"$SLEEPTUNE" --version | grep -q 'systemd yes' || skip_all "this build is without libsystemd"

"$PYTHON" - "$tmp/calls" >"$tmp/mock.log" 2>&1 <<'PY' &
import sys
import dbus, dbus.mainloop.glib, dbusmock
from gi.repository import GLib
dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus, held = dbus.SessionBus(), []
def mock(name, path, interface, properties, methods):
    held.append(dbus.service.BusName(name, bus))
    one = dbusmock.DBusMockObject(held[-1], path, interface, dbus.Dictionary(properties, signature="sv"), logfile=sys.argv[1] + "." + name.rpartition(".")[2])
    one.AddMethods(interface, methods)
    held.append(one)
    return one
mock("org.freedesktop.Notifications", "/org/freedesktop/Notifications", "org.freedesktop.Notifications", {"Inhibited": True}, [
    ("GetCapabilities", "", "as", 'ret = ["body", "body-markup", "actions"]'),
    ("Notify", "susssasa{sv}i", "u", "ret = 7")])
mock("org.freedesktop.systemd1", "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager", {}, [
    ("StartTransientUnit", "ssa(sv)a(sa(sv))", "o", 'ret = dbus.ObjectPath("/job/1")')])
GLib.MainLoop().run()
PY
pids+=("$!")
# call INTERFACE METHOD [SIGNATURE ARG...]: of the false server
call() { busctl --user call org.freedesktop.Notifications /org/freedesktop/Notifications "$@"; }
ok "a false notification server is there" wait_for call org.freedesktop.Notifications GetCapabilities
called() { grep -Eq -- " $1" "$tmp"/calls.*; }
calls() { cat "$tmp"/calls.* | grep -Ec -- " $1"; }
notified() { [ "$(calls Notify)" = "$1" ]; }

only
starts "the daemon of a user starts"
like "its details say that it notifies" "$(status_rows Notifications)" 'one notification for each new cause, at most one an hour; 0 shown'
sound || skip_rest "a PipeWire server" "pipewire does not run here: $(tail -1 "$tmp/server.log")"
ok "the server is watched" wait_for of_like state watching
seen() { [ "$(of client_dropouts)" -ge "$1" ]; }
stalls() { # N: N dropouts more
    local n=0 before
    while [ "$n" -lt "$1" ]; do
        n=$((n + 1)) before=$(of client_dropouts)
        stall && wait_for seen $((before + 1)) || return 1
    done
}
does "a client with markup in its name plays" client "$SLEEPTUNE_BUILD/tests/integration/stall_pipewire" 700 '<b>&Amp'
does "it loses sound three times" stalls 3
inhibited() { status_rows Notifications | grep -q 'not shown: the desktop shows no notifications now (do not disturb)'; }
ok "while notifications are inhibited none is shown, and the details say so" wait_for inhibited
is "the server got none" "$(calls Notify)" 0
call org.freedesktop.DBus.Mock UpdateProperties 'sa{sv}' org.freedesktop.Notifications 1 Inhibited b false
shown() { stalls 1; notified 1; }
ok "then it is shown" wait_for shown
like "the summary is plain text, the body escaped, with two actions" "$(grep ' Notify' "$tmp/calls.Notifications")" \
    'Notify "sleeptune" 0 "sleeptune" "<b>&Amp: [0-9]+ dropouts" "&lt;b&gt;&amp;Amp (made|had|lost) .*" \["why", "Why\?", "heard", "I heard it"\]'
for hint in suppress-sound transient; do like "hint $hint" "$(grep ' Notify' "$tmp/calls.Notifications")" "\"$hint\": True"; done
like "the details count it" "$(status_rows Notifications)" '; 1 shown'
emit() { call org.freedesktop.DBus.Mock EmitSignal sssav org.freedesktop.Notifications ActionInvoked us 2 u "$1" s "$2"; }
emit 8 why
emit 7 other
emit 7 why
ok "Why? starts the page as a unit of the user's" wait_for called StartTransientUnit
is "once" "$(calls StartTransientUnit)" 1
like "by the installed program, in no service of ours" "$(grep StartTransientUnit "$tmp/calls.systemd1")" '"sleeptune-why-[0-9]+-7.service" "fail" .*/sleeptune.*status.*--html.*KillMode.*process.*CollectMode.*inactive-or-failed'
emit 7 heard
marked() { value_is 'any(e["event"] == "heard" for e in d["events"])' True; }
ok "I heard it is a mark" wait_for marked
does "the same cause again" stalls 3
is "is not shown again" "$(calls Notify)" 1
reload 'notify: { enabled = "off"; };'
off() { status_rows Notifications | grep -q 'off (notify.enabled)'; }
ok "it can be switched off" wait_for off
end_client
stops "it ends cleanly"
tap_done
