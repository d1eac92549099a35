# shellcheck shell=bash disable=SC2034,SC2154
# A PipeWire server without hardware, for the tests that watch it or play there. Source after tap.sh, with the programs that are needed besides.
. "$SLEEPTUNE_SRC/tests/integration/daemon-lib.sh"
need curl pipewire wireplumber pw-cli pw-metadata dbus-daemon pgrep "$@"
[ -x "$SLEEPTUNE_BUILD/xruns/helpers/sleeptune-observe-pipewire" ] || skip_all "built without libpipewire"
source=pipewire
. "$SLEEPTUNE_SRC/tests/integration/observe-lib.sh"
bus "$tmp/session"
export DBUS_SESSION_BUS_ADDRESS=unix:path=$tmp/session

sink_there() { pw-cli info nul 2>/dev/null | grep -q node.name; }
# WirePlumber has ended, or does its work
settled() { ! kill -0 "$manager" 2>/dev/null || pw-metadata -n default 2>/dev/null | grep -q Found; }
# a server with one sink and cycles of 171 ms: the machine's own noise starves nobody. The test ends where WirePlumber does
sound() {
    server pipewire
    wait_for pw-cli info 0 || return 1
    behind wireplumber >>"$tmp/server.log" 2>&1
    manager=$!
    pw-cli create-node adapter '{ factory.name=support.null-audio-sink node.name=nul media.class=Audio/Sink object.linger=true audio.position=[FL FR] }' >/dev/null
    pw-metadata -n settings 0 clock.force-quantum 8192 >/dev/null
    wait_for sink_there && wait_for settled || return 1
    kill -0 "$manager" 2>/dev/null || skip_rest "what PipeWire plays" "wireplumber has ended: $(tail -n 1 "$tmp/server.log")" # it needs /run/systemd
}
