#!/usr/bin/env bash
# tune --keep of a setting that the report advises for short periods only: what helps is kept. A program that takes the CPU stands for the
# watchdog, and a file for its setting. Takes 3 to 10 minutes: pairs of blocks of 5 s.
. "$SLEEPTUNE_SRC/tests/tap.sh"
setting=/proc/sys/kernel/nmi_watchdog hog=$SLEEPTUNE_BUILD/tests/integration/hog
[ -e "$setting" ] && [ -d /etc/sysctl.d ] || skip_all "no lock-up detector here"
chrt -f 50 true 2>/dev/null || skip_all "no right to real-time priority"
alone "$@"
own_tmp
export STATE_DIRECTORY=$tmp/state
mkdir "$STATE_DIRECTORY"
echo 1 >"$tmp/watchdog"
mount --make-rprivate / && mount --bind "$tmp/watchdog" "$setting" && mount -t tmpfs none /etc/sysctl.d || skip_all "no right to mount here"
while :; do
    if [ "$(cat "$setting")" = 1 ]; then "$hog" 0 98 333 200 1 >/dev/null; else sleep 0.1; fi
done &
pids+=("$!")

taskset -c 0 "$SLEEPTUNE" tune --frames 16 --only linux-watchdogs --keep --json >"$tmp/out" 2>"$tmp/err"
status=$?
outcome=$(key "$tmp/out" 'd["candidates"][0]["outcome"]')
[ "$outcome" != undecided ] || skip_all "this machine is too busy to decide"
is "tune --keep at 16 frames" $status 0
is "the setting helps, and is kept" "$outcome $(cat "$setting")" "helps 0" || tap_note <"$tmp/err"
ok "after the next boot, too" grep -qx 'kernel.nmi_watchdog *= *0' -r /etc/sysctl.d
is "the journal has it" "$(sed 1d "$STATE_DIRECTORY/changes/journal" | cut -f 1 | sort -u)" linux-watchdogs
ok "revert" "$SLEEPTUNE" revert --all
is "takes it back" "$(cat "$setting")" 1
tap_done
