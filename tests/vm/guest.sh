# shellcheck shell=bash disable=SC2034,SC2154
# Sourced by each scenario: sleeptune is installed.
# shellcheck source=tests/tap.sh
. /share/tests/tap.sh
cp -a /share/usr /share/etc / 2>/dev/null
ldconfig
# until_is FILTER TEXT: the status is so, within a minute
status() { sleeptune status --json | jq -r "$1"; }
status_is() { [ "$(status "$1" 2>/dev/null)" = "$2" ]; }
until_is() { in_time 60 status_is "$@"; }
# daemon_with SETTING...: sleeptuned by hand; sets $daemon, its log is /tmp/s/log; daemon_ends: it ends cleanly, and its log is shown if anything failed
daemon_with() {
    mkdir -p /tmp/s
    printf '%s\n' 'socket = { path = "/tmp/s/sock"; };' "$@" >/tmp/s/conf
    export SLEEPTUNE_SOCKET=/tmp/s/sock
    daemon_again
}
daemon_again() { sleeptuned -a -f -c /tmp/s/conf 2>>/tmp/s/log & daemon=$!; }
daemon_ends() {
    ended_by TERM "$daemon"
    is "it ends cleanly" "$?" 0
    [ "$tap_failed" -eq 0 ] || tap_note </tmp/s/log
}
