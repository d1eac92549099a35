#!/usr/bin/env bash
# vm: -k generic -c dummy -q
# release: 80-reboot applies, verifies and reverts on a real system; tests/integration/apply-hard.sh has the hard cases
# apply, verify and revert on a real system with a sound card (without one apply leaves all out): its /etc, its running values, an interrupted run, a
# read-only /etc.
# shellcheck source=tests/vm/guest.sh
. /share/tests/guest.sh
as_nobody() { setpriv --reuid nobody --regid nogroup --clear-groups --inh-caps=-all prlimit --rtprio=0 --memlock=0 -- "$@"; }
etc() { (cd /etc && find . -type f -exec sha256sum {} + -o -printf '%p %m %l\n' | sort); }
limits=/etc/security/limits.d/99-sleeptune-linux-rt-permission-nobody.conf

# the limits that systemd gives the first process, whose limits Debian's pam_limits begins with
prlimit --pid 1 --rtprio=0 --memlock=8388608
: >>/etc/default/grub # without it the options of the kernel are shown instead of written
etc >/tmp/before
is "a dry run of a user without rights shows a difference" "$(as_nobody sleeptune apply --dry-run >/tmp/dry; echo $?)" 1
like "in the limits" "$(cat /tmp/dry)" '^    nobody - rtprio 90$'
as_nobody sleeptune apply --yes >/dev/null 2>/tmp/err
is "which needs root" "$?" 4
like "and says what to run" "$(cat /tmp/err)" '^sudo sleeptune apply --yes$'
sleeptune apply --yes --no-measure --user nobody >/tmp/out
is "root applies it" "$?" 0
ok "the limits are there" grep -q '^nobody - rtprio 90$' "$limits"
like "verify says what waits for the next login" "$(as_nobody sleeptune verify)" '^not yet .*linux-rt-permission'
is "revert" "$(sleeptune revert --all >/dev/null; echo $?)" 0
etc >/tmp/after
ok "leaves /etc as it was" cmp /tmp/before /tmp/after

# a journal of a run that was killed after its writes: the running values of this kernel are restored
choice=/sys/kernel/mm/transparent_hugepage/enabled
if [ -w "$choice" ]; then
    now=$(sed 's/.*\[\(.*\)\].*/\1/' "$choice")
    other=$([ "$now" = madvise ] && echo always || echo madvise)
else
    now='' other=''
fi
swappiness=$(cat /proc/sys/vm/swappiness)
mkdir -p /var/lib/sleeptune-changes
{
    echo sleeptune-changes/3
    [ -z "$now" ] || printf 'linux-huge-pages\twriting\t0\t0\t0\tvalue\t%s\t%s\t%s\t\n' "$choice" "$other" "$now"
    printf 'linux-swap\twriting\t0\t0\t0\tvalue\tvm.swappiness\t17\t%s\t\n' "$swappiness"
} >/var/lib/sleeptune-changes/journal
is "revert of an interrupted run" "$(sleeptune revert --all >/dev/null; echo $?)" 0
is "writes a sysctl" "$(cat /proc/sys/vm/swappiness)" 17
if [ -n "$now" ]; then
    like "and a choice in sysfs" "$(cat "$choice")" "\[$other\]"
else
    skip "and a choice in sysfs" "no $choice"
fi

mount --bind /etc /etc && mount -o remount,bind,ro /etc
sleeptune apply --yes --no-measure --user nobody >/tmp/out 2>/tmp/err
is "a read-only /etc is refused" "$?" 4
like "by name" "$(cat /tmp/err)" 'read-only'
like "with what to put where" "$(cat /tmp/out)" '^    nobody - rtprio 90$'
umount /etc
etc >/tmp/after
ok "and left as it was" cmp /tmp/before /tmp/after

# a login through PAM, of a user who is in no group but the own one
useradd -m -s /bin/bash musician
limits_of_login() { su - musician -c 'ulimit -r; ulimit -l' | tr '\n' ' '; }
limits_of_login >/tmp/login
ok "the user who ran sudo asks for it" env SUDO_USER=musician sleeptune apply --yes --measure 2s linux-rt-permission
is "the next login has it" "$(limits_of_login)" '90 4194304 '
ok "and the kernel grants it" su - musician -c 'chrt -f 80 true'
su - musician -c 'sleeptune verify' >/tmp/out 2>&1
like "verify, as that user" "$(cat /tmp/out)" '^in effect +linux-rt-permission: SCHED_FIFO 70 was granted to this user'
like "compares with what that user had before" "$(cat /tmp/out)" '^differs: .*policy'
like "who needs a new login for it" "$(setpriv --reuid musician --regid musician --clear-groups --inh-caps=-all prlimit --rtprio=0 sleeptune verify)" '^proof: this session may not use real-time priority'
like "verify, as root" "$(sleeptune verify --no-measure)" '^in effect +linux-rt-permission: SCHED_FIFO 70 was granted to this user'
ok "revert" sleeptune revert --all
is "takes it from the next login" "$(limits_of_login)" "$(cat /tmp/login)"
tap_done
