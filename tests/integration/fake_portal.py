"""A stand-in for xdg-desktop-portal on a bus of the test's own, as its org.freedesktop.portal.GlobalShortcuts.xml (1.20) has it.

fake_portal.py KEY: what it calls the key; "": it names none; "refuse": the user refuses; "broken": an error. Each line on standard input is done: "press ID", "close".
Prints what it is asked.
"""
import os
import sys

import dbus
import dbus.lowlevel
import dbus.mainloop.glib
import dbus.service
from gi.repository import GLib

PORTAL = "/org/freedesktop/portal/desktop"
SHORTCUTS = "org.freedesktop.portal.GlobalShortcuts"
dbus.mainloop.glib.DBusGMainLoop(set_as_default=True)
bus = dbus.SessionBus()
sessions = []


def say(*words):
    print(*words, flush=True)


def signal(path, interface, member, signature, *values):
    message = dbus.lowlevel.SignalMessage(path, interface, member)
    message.append(signature=signature, *values)
    bus.send_message(message)


class Wordless(dbus.DBusException):
    _dbus_error_name = "org.example.Wordless"

    def get_dbus_message(self):
        return None


class Portal(dbus.service.Object):
    def answer(self, sender, options, code, results):
        request = f"{PORTAL}/request/{sender[1:].replace('.', '_')}/{options['handle_token']}"
        if results.get("shortcuts"): # the first request's path is taken until that one is freed
            request += "/7"
        GLib.idle_add(signal, request, "org.freedesktop.portal.Request", "Response", "ua{sv}", code, dbus.Dictionary(results, signature="sv"))
        return dbus.ObjectPath(request)

    @dbus.service.method("org.freedesktop.host.portal.Registry", "sa{sv}", "")
    def Register(self, app, options):
        say("app", app)

    @dbus.service.method(SHORTCUTS, "a{sv}", "o", sender_keyword="sender")
    def CreateSession(self, options, sender):
        sessions.append(f"{PORTAL}/session/{sender[1:].replace('.', '_')}/{options['session_handle_token']}")
        return self.answer(sender, options, 0, {"session_handle": sessions[-1]})

    @dbus.service.method(SHORTCUTS, "oa(sa{sv})sa{sv}", "o", sender_keyword="sender")
    def BindShortcuts(self, session, shortcuts, window, options, sender):
        if sys.argv[1] == "broken": # an error without words
            raise Wordless()
        say("bind", session == sessions[-1], *(f"{name}: {values['description']}" for name, values in shortcuts))
        bound = [(name, {"description": values["description"], "trigger_description": sys.argv[1]}) for name, values in shortcuts]
        return self.answer(sender, options, int(sys.argv[1] == "refuse"), {"shortcuts": dbus.Array(bound, signature="(sa{sv})")})


def typed(source, _condition):
    for words in map(str.split, os.read(source, 4096).decode().splitlines()):
        if words[0] == "press":
            signal(PORTAL, SHORTCUTS, "Activated", "osta{sv}", dbus.ObjectPath(sessions[-1]), words[1], 1, dbus.Dictionary({}, signature="sv"))
        else:
            signal(sessions[-1], "org.freedesktop.portal.Session", "Closed", "a{sv}", dbus.Dictionary({}, signature="sv"))
    return True


portal = Portal(dbus.service.BusName("org.freedesktop.portal.Desktop", bus), PORTAL)
GLib.io_add_watch(sys.stdin.fileno(), GLib.PRIORITY_DEFAULT, GLib.IO_IN, typed)
say("ready")
GLib.MainLoop().run()
