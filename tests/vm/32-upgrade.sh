#!/usr/bin/env bash
# vm: -k generic -c dummy
# release: minutes of emulation, and what it tests (packaging/debian, the units) changes seldom
# Debian's packages while the service runs: an upgrade restarts the system's, and leaves alone one that was stopped, has failed or is masked;
# a user's own goes on with the old program and says so; a removal stops what runs. /share/debs/before has the older version.
# shellcheck source=tests/tap.sh
. /share/tests/tap.sh
export DEBIAN_FRONTEND=noninteractive
useradd -m -s /bin/bash musician
id=$(id -u musician)
musician() { runuser -u musician -- env HOME=~musician XDG_RUNTIME_DIR="/run/user/$id" DBUS_SESSION_BUS_ADDRESS="unix:path=/run/user/$id/bus" COLUMNS=200 LANG=C.UTF-8 "$@"; }
state() { systemctl show -P "$1" "${2:-sleeptuned.service}"; }
# install NAME FOLDER: all packages of a folder, as a subtest
install_all() { if dpkg -i "$2"/*.deb >/tmp/dpkg 2>&1; then pass "$1"; else fail "$1" "$(cat /tmp/dpkg)"; fi; }
version() { "$@" sleeptune status --json | jq -r .version; }
runs_version() { [ "$(version)" = "$1" ]; }
dpkg-deb -x /share/debs/sleeptune_*.deb /tmp/new
new=$(/tmp/new/usr/bin/sleeptune --version | sed -n "1s/.* //p") old=0${new#?}

install_all "the older version installs" /share/debs/before
is "installing starts nothing, and enables nothing" "$(for unit in sleeptuned.service sleeptune-report.timer; do state ActiveState $unit; state UnitFileState $unit; done | xargs)" "inactive disabled inactive disabled"
systemctl start sleeptuned.service sleeptune-report.timer
loginctl enable-linger musician
ok "a user has a session" in_time 60 test -S "/run/user/$id/bus"
musician systemctl --user start sleeptuned.service
ok "the system's service runs, of the older version" in_time 60 runs_version "$old"
ok "so does the user's" in_time 60 musician sleeptune status
is "of the older version, too" "$(version musician)" "$old"
pid=$(state MainPID) own=$(musician systemctl --user show -P MainPID sleeptuned.service)

install_all "upgraded" /share/debs
is "the system's service is active" "$(state ActiveState)" active
ok "it was started again" test "$(state MainPID)" != "$pid"
ok "with the new version" in_time 60 runs_version "$new"
is "the timer is still active" "$(state ActiveState sleeptune-report.timer)" active
is "the user's goes on with the old program" "$(version musician) $(musician systemctl --user show -P MainPID sleeptuned.service)" "$old $own"
is "status says so, and how it is restarted" "$(musician sleeptune status | sed -n 's/^Running *//p')" \
    "the running sleeptuned has version $old, this command has $new. Restart sleeptuned: systemctl --user restart sleeptuned"
musician systemctl --user kill -s HUP sleeptuned.service
helpers() { musician sleeptune status --json | jq -r '.observe[] | select(.source == "pulseaudio") | .why'; }
refused() { helpers | grep -q "^sleeptune-observe-pulseaudio has version $new, but the program that started it has $old\. Restart sleeptuned\.$"; }
ok "a new helper program does not work for it, and says why" in_time 90 refused
ok "restarted as it says" musician systemctl --user restart sleeptuned.service
is "it has the new version" "$(in_time 60 musician sleeptune status; version musician)" "$new"

systemctl stop sleeptuned.service
install_all "the same version once more, while it is stopped" /share/debs
is "it stays stopped" "$(state ActiveState)" inactive
mkdir -p /run/systemd/system/sleeptuned.service.d
printf '[Service]\nExecStart=\nExecStart=/bin/false\nRestart=no\n' >/run/systemd/system/sleeptuned.service.d/fails.conf
systemctl daemon-reload
systemctl start sleeptuned.service 2>/dev/null
rm -r /run/systemd/system/sleeptuned.service.d
systemctl daemon-reload
is "a service that failed" "$(state ActiveState)" failed
install_all "is no reason for an upgrade to fail" /share/debs
is "and stays as it is" "$(state ActiveState)" failed
systemctl mask --quiet sleeptuned.service
install_all "nor is a masked one" /share/debs
is "which is neither started nor unmasked" "$(state ActiveState | sed s/failed/inactive/) $(state LoadState)" "inactive masked"
systemctl unmask --quiet sleeptuned.service
systemctl start sleeptuned.service

ok "removed while it runs" dpkg --remove sleeptune sleeptuned sleeptune-observers sleeptune-lab
is "the service has ended, and the timer" "$(state ActiveState) $(pgrep -cu sleeptune sleeptuned) $(state ActiveState sleeptune-report.timer)" "inactive 0 inactive"
ok "its history is still there" test -s /var/lib/sleeptune/history.db
ok "purged" dpkg --purge sleeptune sleeptuned
is "then nothing of it is" "$(find /var/lib /etc /run -xdev -path '*sleeptune*' ! -path '/run/user/*' ! -path '/var/lib/dpkg/*')" ""
tap_done
