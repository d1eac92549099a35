# shellcheck shell=bash disable=SC2034,SC2154
# Sourced by scenarios in which a user plays: sleeptune is installed as README has it, and the user musician has a session.
# shellcheck source=tests/vm/guest.sh
. /share/tests/guest.sh
systemd-sysusers
systemctl daemon-reload
useradd -m -s /bin/bash -G audio,systemd-journal musician # audio: not on a seat, so it gets no card otherwise
id=$(id -u musician) home=~musician
# as the user, inside of the session
musician() { runuser -u musician -- env HOME="$home" XDG_RUNTIME_DIR="/run/user/$id" DBUS_SESSION_BUS_ADDRESS="unix:path=/run/user/$id/bus" COLUMNS=80 LANG=C.UTF-8 "$@"; }
