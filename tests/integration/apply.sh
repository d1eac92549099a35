#!/usr/bin/env bash
# apply, verify and revert in captured trees: what is written, taken back, refused.
. "$SLEEPTUNE_SRC/tests/integration/apply-lib.sh"
journal=$changes/journal tab=$(printf '\t')
# machine NAME [CAPTURE]: fresh, with files of its owner, and one to compare with
machine() {
    fresh "$@"
    mkdir -p "$tree/etc/sysctl.d" "$tree/etc/default/grub.d"
    printf '# mine\nhw.usb.no_pf=1' >"$tree/etc/sysctl.conf"
    keep
}

# --- dry run -----------------------------------------------------------------------------------------------------
machine dry
screen_is dry-run apply --dry-run --root "$tree" linux-cpu-frequency
ok "and changes nothing" diff -r "$tree.before" "$tree"

# stat_of PID NAME: a line of /proc/PID/stat
stat_of() { mkdir -p "$tree/proc/$1" && echo "$1 ($2) S 1 $1 $1 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 1 0 1 0 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0" >"$tree/proc/$1/stat"; }
stat_of 812 power-profiles-
screen_is a-daemon-overwrites-it apply --dry-run --frames 128 --root "$tree" linux-cpu-frequency
tree=$tmp/cloud
mkdir -p "$tree/sys/bus/usb" "$tree/proc/sys/vm" "$tree/proc/asound"
echo '--- no soundcards ---' >"$tree/proc/asound/cards"
stat_of 2101 postgres
echo 60 >"$tree/proc/sys/vm/swappiness"
printf 'Filename Type Size Used Priority\n/swapfile file 1048572 0 -2\n' >"$tree/proc/swaps"
screen_is nothing-plays apply --dry-run --root "$tree"
screen_is for-a-period-of-ones-own apply --dry-run --frames 128 --root "$tree"

machine later
mkdir -p "$tree/proc/sys/kernel" "$tree/etc/sysctl.d"
echo 1 >"$tree/proc/sys/kernel/nmi_watchdog"
echo 'kernel.nmi_watchdog = 1' >"$tree/etc/sysctl.d/99-mine.conf"
screen_is another-drop-in-is-shown apply --yes --frames 16 --root "$tree" linux-watchdogs
is "the sysctl is changed now, and for ever" "$(cat "$tree/proc/sys/kernel/nmi_watchdog"; grep -v '^#' "$tree/etc/sysctl.d/99-zz-sleeptune-linux-watchdogs.conf")" $'0\nkernel.nmi_watchdog = 0'
echo 1 >"$tree/proc/sys/kernel/nmi_watchdog"
screen_is judged-for-the-size-of-apply verify --root "$tree"

# --- there and back ----------------------------------------------------------------------------------------------
limits=etc/security/limits.d/99-sleeptune-linux-rt-permission
machine laptop
users musician alice
keep
screen_is for-whom apply --yes --root "$tree" linux-rt-permission
ok "nothing is changed" unchanged
screen_is applied apply --yes --root "$tree" --user musician
is "the running value is changed" "$(cat "$tree/$epp")" performance
screen_is until-the-next-boot verify --root "$tree"
screen_is for-another-user verify --root "$tree" --user alice
ok "that one gets it, too" apply --yes --root "$tree" --user alice linux-rt-permission
machine rtkit
mkdir -p "$tree/usr/share/dbus-1/system-services"
printf 'root:x:0:0:::\nmusician:x:1000:1000::/nowhere:/bin/sh\n' >"$tree/etc/passwd"
echo 'musician:x:1000:' >"$tree/etc/group"
echo '[D-BUS Service]' >"$tree/usr/share/dbus-1/system-services/org.freedesktop.RealtimeKit1.service"
screen_is named-though-not-needed apply --yes --frames 2048 --root "$tree" --user musician linux-rt-permission
is "what the user names is applied" "$(grep -c '^musician - rtprio 90$' "$tree/$limits-musician.conf")" 1
tree=$tmp/laptop
is "both have a file" "$(grep -hv '^#' "$tree/$limits"-*.conf | paste -sd ' ')" \
    'alice - rtprio 90 alice - nice -19 alice - memlock 4194304 musician - rtprio 90 musician - nice -19 musician - memlock 4194304'
screen_is given-once apply --yes --root "$tree" --user alice linux-rt-permission
screen_is both-have-it verify --root "$tree" --user alice
screen_is already-applied apply --yes --root "$tree" linux-cpu-frequency
screen_is one-reverted revert --root "$tree" linux-cpu-frequency
is "its value is as before" "$(cat "$tree/$epp")" balance_performance
screen_is the-others-stay verify --root "$tree"
back "revert --all leaves every byte as it was"
ok "and no journal" test ! -e "$tree/$journal"
screen_is nothing-to-revert revert --all --root "$tree"
screen_is nothing-to-verify verify --root "$tree"

# what one change makes needless, and what it makes useful, is judged with that change made
machine several freebsd-13.2
sed -i 's/^kern.eventtimer.periodic: 0$/kern.eventtimer.periodic: 1/' "$tree/sysctl-a.txt"
screen_is no-longer-needed apply --yes --root "$tree" freebsd-alloweddeviation freebsd-eventtimer freebsd-hz
is "FreeBSD: several settings at once" "$(sort "$tree/etc/sysctl.conf" | sed -n 's/^\(kern.*\)$/\1/p' | tr '\n' ' ')" \
    "kern.eventtimer.periodic=0 kern.timecounter.alloweddeviation=0 "

# loader.conf counts from the next boot on
machine loader freebsd-13.2
sed -i 's/^kern.eventtimer.periodic: 0$/kern.eventtimer.periodic: 1/' "$tree/sysctl-a.txt"
apply --yes --root "$tree" freebsd-hz >/dev/null
screen_is before-the-boot verify --root "$tree"
sed -i 's/^kern.hz: 100$/kern.hz: 1000/' "$tree/sysctl-a.txt"
screen_is after-the-boot verify --root "$tree"

# --- an interrupted run: what it wrote looks right, but is in no file ------------------------------------------------
machine interrupted
apply --yes --root "$tree" >/dev/null
sed -i "s/${tab}done$tab/${tab}open$tab/" "$tree/$journal"
rm "$tree/etc/tmpfiles.d/00-sleeptune-linux-cpu-frequency.conf"
screen_is interrupted verify --root "$tree"
ends 4 "a dry run does not judge by it" apply --dry-run --root "$tree"
screen_is taken-back-first apply --yes --root "$tree" linux-cpu-frequency
ok "and writes the file" grep -q '^w /sys/devices' "$tree/etc/tmpfiles.d/00-sleeptune-linux-cpu-frequency.conf"
ok "what was not asked for again is gone" test ! -e "$tree/etc/security"
sed -i "s/${tab}done$tab/${tab}open$tab/" "$tree/$journal"
back "revert completes an interrupted revert, and leaves every byte as it was"

# --- while another one changes settings, which has the lock and a trial in the journal ----------------------------------
if command -v flock >/dev/null || cannot "while another one changes settings" "flock is not installed"; then
    machine locked
    apply --yes --root "$tree" linux-cpu-frequency >/dev/null
    sed -i "s/${tab}done$tab/${tab}open$tab/" "$tree/$journal"
    keep
    cp "$tree/$journal" "$tmp/its-journal"
    ln -s 4711 "$tree/${journal%/*}/holder"
    # each says this and nothing else
    while_tune_runs() {
        local command
        for command in "apply --yes" "apply --dry-run" "revert --all" verify; do
            # shellcheck disable=SC2086 # words
            flock -n "$tree/${journal%/*}" "$SLEEPTUNE" $command --root "$tree"
            echo "status $?"
        done
    }
    screen_is while-tune-runs while_tune_runs
    ln -sfn '$(reboot)' "$tree/${journal%/*}/holder"
    screen_is a-name-that-is-none flock -n "$tree/${journal%/*}" "$SLEEPTUNE" verify --root "$tree"
    ok "nothing is changed" unchanged
    ok "nor its journal" cmp "$tree/$journal" "$tmp/its-journal"
    ok "when it has ended it is reverted" revert --all --root "$tree"
    is "and no one is named any more" "$(ls -A "$tree/${journal%/*}")" ""
fi

# --- after a reboot ----------------------------------------------------------------------------------------------
# boot ID: the system in the tree runs since the boot of this id
boot() {
    mkdir -p "$tree/proc/sys/kernel/random"
    echo "$1" >"$tree/proc/sys/kernel/random/boot_id"
}
one=11111111-1111-4111-8111-111111111111 two=22222222-2222-4222-8222-222222222222
machine trial
boot $one
apply --yes --root "$tree" linux-cpu-frequency >/dev/null
like "the journal has the boot" "$(cat "$tree/$journal")" "$tab$one\$"
sed -i "s/${tab}done$tab/${tab}open$tab/" "$tree/$journal"
rm -r "$tree/etc/tmpfiles.d" # tune writes no files
cp "$tree/$journal" "$tmp/trial-journal"
boot $two
screen_is trial-of-another-boot verify --root "$tree"
is "and nothing has to be undone" "$(apply --dry-run --root "$tree" linux-cpu-frequency | grep -c interrupted)" 0
screen_is trial-is-forgotten revert --all --root "$tree"
is "the value that was set in this boot stays" "$(cat "$tree/$epp")" performance
ok "and no journal is left" test ! -e "$tree/$journal"
cp "$tmp/trial-journal" "$tree/$journal"
boot $one
revert --all --root "$tree" >/dev/null
is "in the same boot it is undone" "$(cat "$tree/$epp")" balance_performance

machine rebooted
boot $one
apply --yes --root "$tree" linux-cpu-frequency >/dev/null
boot $two
screen_is a-file-sets-it-at-each-boot verify --root "$tree"
cp -r "$tree" "$tmp/without"
revert --all --root "$tree" >/dev/null
is "the value that it set in this boot is undone" "$(cat "$tree/$epp")" balance_performance
tree=$tmp/without
rm "$tree/etc/tmpfiles.d/00-sleeptune-linux-cpu-frequency.conf"
revert --all --root "$tree" >/dev/null
is "without that file the value is someone else's" "$(cat "$tree/$epp")" performance
ok "the rest is reverted" test ! -e "$tree/etc/tmpfiles.d"

# --- three ways --------------------------------------------------------------------------------------------------
machine since
apply --yes --root "$tree" linux-cpu-frequency >/dev/null
echo power >"$tree/$epp"
screen_is changed-since revert --all --root "$tree"
is "and stays" "$(cat "$tree/$epp")" power
is "the rest is as before" "$(cat "$tree/${epp/policy0/policy1}")" balance_performance

machine gone
apply --yes --root "$tree" linux-cpu-frequency >/dev/null
rm "$tree/$epp" "$tree.before/$epp"
screen_is value-is-gone revert --all --root "$tree"
ok "and the rest is as before" unchanged

# --- refused -----------------------------------------------------------------------------------------------------
machine no
refused "no terminal to ask on" apply --root "$tree"
refused "no such rule" apply --root "$tree" linux-nonsense
refused "revert of nothing in particular" revert --root "$tree"
refused "a rule of another system" apply --yes --root "$tree" freebsd-hz
refused "no such tree" apply --yes --root "$tmp/none"
screen_is does-not-fire apply --yes --root "$tree" linux-rt-throttling
screen_is not-known apply --yes --root "$tree" linux-server-priority # not "needs no change"

machine nixos
mkdir -p "$tree/etc" "$tree.before/etc"
touch "$tree/etc/NIXOS" "$tree.before/etc/NIXOS"
refused "NixOS" apply --yes --root "$tree"

machine newer
mkdir -p "$tree/var/lib/sleeptune-changes"
echo sleeptune-changes/7 >"$tree/$journal"
refused "journal of another version, apply" apply --yes --root "$tree"
refused "journal of another version, revert" revert --all --root "$tree"
refused "journal of another version, verify" verify --root "$tree"
printf 'sleeptune-changes/3\nlinux-huge-pages\tdone\t0\t0\t0\tvalue\t/sys/../etc/sysctl.conf\ta\tb\t\n' >"$tree/$journal"
refused "a journal that names other files" revert --all --root "$tree"
ok "the journal itself stays" test -s "$tree/$journal"

machine escape
mkdir "$tmp/victim"
ln -s "$tmp/victim" "$tree/etc/tmpfiles.d"
ln -s "$tmp/victim" "$tree.before/etc/tmpfiles.d"
refused "a folder that leads out of the tree" apply --yes --root "$tree" linux-cpu-frequency
is "nothing came out of the tree" "$(ls "$tmp/victim")" ""

machine full
mkdir -p "$tree/etc/tmpfiles.d/00-sleeptune-linux-cpu-frequency.conf" "$tree.before/etc/tmpfiles.d/00-sleeptune-linux-cpu-frequency.conf"
refused "a folder where the file should be" apply --yes --root "$tree" linux-cpu-frequency

if can_be_nobody || cannot "without root" "needs root and setpriv to become nobody"; then
    out=$(SUDO_USER=nobody "$SLEEPTUNE" apply --dry-run --frames 128 linux-rt-permission 2>&1 </dev/null)
    like "under sudo the rights of the user who ran it are judged" "$out" '^The rights shown are those of user nobody'
    like "root itself is asked whom to give it to" "$(env -u SUDO_USER "$SLEEPTUNE" apply --yes linux-rt-permission 2>&1 </dev/null | tr -s '\n ' ' ')" 'Name the user who plays'
    like "not those of root" "$out" '^    nobody - rtprio 90$|rtkit'
    like "unless they are named" "$(SUDO_USER=nobody "$SLEEPTUNE" apply --dry-run --user root linux-rt-permission 2>&1 </dev/null)" '^nothing to apply'
    machine nobody
    "$SLEEPTUNE" apply --yes --root "$tree" linux-cpu-frequency >/dev/null 2>&1
    mkdir "$tmp/state"
    cp -R "$(dirname "$tree/$journal")" "$tmp/state/changes"
    screen_is -t without-root as_nobody env STATE_DIRECTORY="$tmp/state" "$SLEEPTUNE" revert --all
    machine hidden
    mkdir -p "$tree/sys/kernel/debug/sched"
    echo 'none (voluntary) full' >"$tree/sys/kernel/debug/sched/preempt"
    apply --yes --root "$tree" linux-preemption >/dev/null
    echo 'none voluntary (full)' >"$tree/sys/kernel/debug/sched/preempt"
    chmod 000 "$tree/sys/kernel/debug/sched/preempt"
    screen_is -t what-this-user-cannot-read as_nobody "$SLEEPTUNE" verify --root "$tree"
    empty=$(for command in verify "revert --all"; do # shellcheck disable=SC2086
        as_nobody env STATE_DIRECTORY="$tmp/none" "$SLEEPTUNE" $command 2>&1; done | tr '\n' ' ')
    is "nothing is applied: verify and revert say so without root" "$empty" "sleeptune has changed no setting For a buffer size that you set yourself, 'sleeptune status --details' shows the dropouts with each size. nothing to undo: sleeptune has changed no setting "
    machine other-nobody
    screen_is -t a-tree-of-somebody-elses as_nobody "$SLEEPTUNE" apply --yes --root "$tree" linux-cpu-frequency
    ok "it is as before" unchanged
fi
tap_done
