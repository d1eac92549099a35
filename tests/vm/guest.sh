# shellcheck shell=bash
# Sourced by each scenario: sleeptune is installed.
# shellcheck source=tests/tap.sh
. /share/tests/tap.sh
cp -a /share/usr /share/etc / 2>/dev/null
ldconfig
# until_is FILTER TEXT: the status is so, within a minute
status() { sleeptune status --json | jq -r "$1"; }
status_is() { [ "$(status "$1" 2>/dev/null)" = "$2" ]; }
until_is() { in_time 60 status_is "$@"; }
