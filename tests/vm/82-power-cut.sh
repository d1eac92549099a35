#!/usr/bin/env bash
# vm: -k generic -c none -n 1 -t 2700
# boots: 2
# The power is cut while `tune` has a setting on: the next boot begins with the system's own values, /etc is byte for byte as before, and the
# next `revert` takes the journal away and does not undo what was set since, even to the value that was tried.
# shellcheck source=tests/tap.sh
. /share/tests/tap.sh
# shellcheck source=tests/vm/tune.sh
. /share/tests/tune.sh
before=/srv/before-the-cut journals=/var/lib/sleeptune-changes
# all that apply may write there; the first boot also makes users
all() { knobs; (cd /etc && find sysctl.* tmpfiles.d modprobe.d udev systemd security default -type f -exec sha256sum {} + | sort); }
all >/tmp/all

if [ "${BOOT:?by the driver}" = 1 ]; then
    cp /tmp/all $before
    as_found=$(knobs)
    sync
    "${slow[@]}" "${tune[@]}" --budget 10m --only linux-swap,linux-huge-pages >/tmp/out 2>&1 &
    tuner=$!
    # a minute without a change comes first
    is_on() { until [ "$(knobs)" != "$as_found" ]; do kill -0 "$tuner" || return 1; sleep 0.5; done; }
    ok "tune has a setting on" is_on
    (tap_done)
    sleep 2                  # what is printed leaves the machine; nothing is synced
    echo b >/proc/sysrq-trigger
    sleep 600
fi

is "after the power was cut all values and files are as before" "$(diff $before /tmp/all)" ""
ok "the journal of the session survived it" grep -rqE 'swappiness|transparent_hugepage' $journals
echo 10 >"$swappiness" # set since, to what tune tried
ends 0 "revert forgets what the boot before had: status 0" sleeptune revert --all
like "which it says" "$(cat /tmp/out)" '^forgotten vm.swappiness = 10 \(was 60\): a restart of the computer has undone this change$'
is "it is as it was, and no journal is left" "$(value)$(ls $journals)" 10
tap_done
