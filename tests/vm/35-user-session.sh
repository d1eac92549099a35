#!/usr/bin/env bash
# vm: -k generic -c dummy
# The first day of a musician: sleeptune is installed as README has it, a user session with PipeWire plays on a sound card, one
# program computes too long, and `sleeptune status` as that user names it. Ten questions, each answered on a first screen.
# shellcheck source=tests/tap.sh
. /share/tests/tap.sh
cp -a /share/usr /share/etc / 2>/dev/null
ldconfig
systemd-sysusers
systemctl daemon-reload
useradd -m -s /bin/bash -G audio musician
id=$(id -u musician)
# as the user, inside of the session
musician() { runuser -u musician -- env HOME=/home/musician XDG_RUNTIME_DIR="/run/user/$id" DBUS_SESSION_BUS_ADDRESS="unix:path=/run/user/$id/bus" COLUMNS=80 LANG=C.UTF-8 "$@"; }
# wait_for SECONDS COMMAND...: polls, so that a slow host only makes it later
wait_for() {
    local tries=$(($1 * 2))
    shift
    until "$@" >/dev/null 2>&1; do
        tries=$((tries - 1))
        [ "$tries" -gt 0 ] || return 1
        sleep 0.5
    done
}
# show NAME COMMAND...: a screen, kept for whoever looks; its text in $screen
show() {
    screen=$(musician "${@:2}" 2>&1)
    printf '%s\n' "\$ ${*:2}" "$screen" "" >>/share/screens
    sed "s/^/# $1: /" <<<"$screen"
}
rm -f /share/screens

loginctl enable-linger musician
ok "the user has a session" wait_for 60 test -S "/run/user/$id/bus"
ok "with PipeWire" musician systemctl --user start pipewire.service wireplumber.service
ok "which finds the card" wait_for 60 musician sh -c 'pw-cli ls Node | grep -q alsa_output'
ok "the service starts as README has it" musician systemctl --user start sleeptuned
ok "and answers" wait_for 60 musician sleeptune status --json
screen=$(musician sleeptune status 2>&1)
printf '%s\n' '$ sleeptune status   # nothing plays' "$screen" "" >>/share/screens
sed 's/^/# nothing plays: /' <<<"$screen"

tap_done
