# shellcheck shell=bash disable=SC2154
# A PipeWire server without hardware, for the tests that watch it. Source after observe-lib.sh.
cat >"$tmp/bus.conf" <<XML
<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN" "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig><type>session</type><listen>unix:path=$tmp/session</listen><auth>EXTERNAL</auth>
<policy context="default"><allow user="*"/><allow own="*"/><allow send_destination="*"/><allow receive_sender="*"/></policy></busconfig>
XML
dbus-daemon --config-file="$tmp/bus.conf" --nofork --nopidfile >"$tmp/bus.log" 2>&1 &
pids+=("$!")
wait_for test -S "$tmp/session"
export DBUS_SESSION_BUS_ADDRESS=unix:path=$tmp/session

sink_there() { pw-cli info nul 2>/dev/null | grep -q node.name; }
# WirePlumber has ended, or does its work
settled() { ! kill -0 "$manager" 2>/dev/null || pw-metadata -n default 2>/dev/null | grep -q Found; }
# a server with one sink and cycles of 171 ms: the machine's own noise starves nobody. The test ends where WirePlumber does
sound() {
    server pipewire
    wait_for pw-cli info 0 || return 1
    wireplumber >>"$tmp/server.log" 2>&1 &
    manager=$!
    pids+=("$manager")
    pw-cli create-node adapter '{ factory.name=support.null-audio-sink node.name=nul media.class=Audio/Sink object.linger=true audio.position=[FL FR] }' >/dev/null
    pw-metadata -n settings 0 clock.force-quantum 8192 >/dev/null
    wait_for sink_there && wait_for settled || return 1
    if ! kill -0 "$manager" 2>/dev/null; then # it needs /run/systemd
        skip "what PipeWire plays" "wireplumber has ended: $(tail -n 1 "$tmp/server.log")"
        tap_done
    fi
}
