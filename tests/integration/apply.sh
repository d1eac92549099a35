#!/usr/bin/env bash
# apply, verify and revert in captured trees: what is written, taken back, refused.
set -u
. "$SLEEPTUNE_SRC/tests/tap.sh"
captures=$SLEEPTUNE_SRC/tests/fixtures/captures
tmp=$(mktemp -d)
trap 'chmod -R u+rwX "$tmp"; rm -rf "$tmp"' EXIT
epp=sys/devices/system/cpu/cpufreq/policy0/energy_performance_preference
journal=var/lib/sleeptune-changes/journal.json

status() { "$@" >/dev/null 2>&1 </dev/null; echo $?; }
apply() { "$SLEEPTUNE" apply "$@" </dev/null; }
revert() { "$SLEEPTUNE" revert "$@" </dev/null; }

# fresh NAME [CAPTURE]: a copy to work on, and one to compare with
fresh() {
    tree=$tmp/$1
    cp -r "$captures/${2:-linux-laptop}" "$tree"
    rm -rf "$tree/sys/kernel/debug" # only a kernel shows "full" as "none voluntary (full)"
    mkdir -p "$tree/etc/sysctl.d" "$tree/etc/default/grub.d"
    printf '# mine\nhw.usb.no_pf=1' >"$tree/etc/sysctl.conf"
    cp -r "$tree" "$tree.before"
}
unchanged() { diff -r -x var "$tree.before" "$tree"; }

# --- dry run -----------------------------------------------------------------------------------------------------
fresh dry
out=$(apply --dry-run --root "$tree" linux-cpu-frequency)
is "a dry run shows a difference" "$?" 1
like "as a diff of the file" "$out" '^\+\+\+ /etc/tmpfiles\.d/sleeptune\.conf$'
like "with the line" "$out" '^\+w /sys/devices/system/cpu/cpufreq/policy\*/energy_performance_preference - - - - performance$'
like "and the running value" "$out" '^/'"$epp"': balance_performance -> performance$'
ok "and changes nothing" diff -r "$tree.before" "$tree"

fresh patch freebsd-13.2
apply --dry-run --root "$tree" freebsd-alloweddeviation >"$tmp/diff"
if command -v patch >/dev/null; then
    ok "the diff is one that patch(1) takes" patch -s "$tree.before/etc/sysctl.conf" "$tmp/diff"
    apply --yes --root "$tree" freebsd-alloweddeviation >/dev/null
    ok "and makes what apply makes" cmp "$tree.before/etc/sysctl.conf" "$tree/etc/sysctl.conf"
    is "the user's last line got its newline" "$(sed -n 2p "$tree/etc/sysctl.conf")" hw.usb.no_pf=1
else
    skip "the diff is one that patch(1) takes" "patch is not installed"
fi

fresh later
mkdir -p "$tree/proc/sys/kernel" "$tree/etc/sysctl.d"
echo 1 >"$tree/proc/sys/kernel/nmi_watchdog"
echo 'kernel.nmi_watchdog = 1' >"$tree/etc/sysctl.d/99-mine.conf"
out=$(apply --yes --frames 16 --root "$tree" linux-watchdogs)
like "a drop-in that wins over ours is named" "$out" '^    but: +/etc/sysctl\.d/99-mine\.conf:1 sets kernel\.nmi_watchdog to 1 later'
is "the sysctl is changed now" "$(cat "$tree/proc/sys/kernel/nmi_watchdog")" 0
is "and for ever" "$(grep -c '^kernel.nmi_watchdog = 0$' "$tree/etc/sysctl.d/90-sleeptune.conf")" 1
echo 1 >"$tree/proc/sys/kernel/nmi_watchdog"
out=$("$SLEEPTUNE" verify --root "$tree")
like "verify judges for the size of apply, not for the one in use" "$out" '^judged for 16 frames at 48 kHz, as by apply$'
like "for which the setting is wanted again" "$out" '^not yet +linux-watchdogs:'
like "at another size it may not matter" "$("$SLEEPTUNE" verify --frames 1024 --root "$tree")" '^in effect +linux-watchdogs:'

# --- there and back ----------------------------------------------------------------------------------------------
limits=etc/security/limits.d/90-sleeptune.conf
fresh laptop
mkdir -p "$tree/etc/pam.d"
printf 'root:x:0:0:::\nmusician:x:1000:1000::/nowhere:/bin/sh\nalice:x:1001:1001::/nowhere:/bin/sh\n' >"$tree/etc/passwd"
echo 'musician:x:1000:' >"$tree/etc/group"
echo 'session required pam_limits.so' >"$tree/etc/pam.d/common-session"
cp -r "$tree/etc/." "$tree.before/etc/"
out=$(apply --yes --root "$tree" linux-rt-permission)
is "a right without a user to give it to: 3" "$?" 3
like "and the option is named" "$(tr -s '\n ' ' ' <<<"$out")" 'Name the user who plays: sleeptune apply linux-rt-permission --user NAME'
ok "nothing is changed" unchanged
out=$(apply --yes --root "$tree" --user musician)
is "apply ends with 0" "$?" 0
is "the running value is changed" "$(cat "$tree/$epp")" performance
like "for whom is said before" "$out" '^    for: +musician, from the next login on$'
like "what else is to be done is said" "$(tr -s '\n ' ' ' <<<"$out")" "$limits: takes effect at that user's next login"
is "the limits are of that user, in a file of their own" "$(grep -v '^#' "$tree/$limits" | tr '\n' ' ')" \
    'musician - rtprio 90 musician - memlock 4194304 '
out=$("$SLEEPTUNE" verify --root "$tree")
is "verify says 1 while something waits for the next boot" "$?" 1
like "and names it" "$(tr -s '\n ' ' ' <<<"$out")" 'not yet linux-preemption: '
like "it judges for that user, who has the right from the next login on" "$(tr -s '\n ' ' ' <<<"$out")" 'in effect linux-rt-permission: at login musician gets the limit rtprio 90'
out=$("$SLEEPTUNE" verify --root "$tree" --user alice)
is "for another user it is 1" "$?" 1
like "and names what is missing" "$(tr -s '\n ' ' ' <<<"$out")" \
    'not yet linux-rt-permission: .*; the right was given to musician, not to alice: sudo sleeptune apply linux-rt-permission --user alice'
ok "that one gets it, too" apply --yes --root "$tree" --user alice linux-rt-permission
like "beside the first one" "$(tr '\n' ' ' <"$tree/$limits")" 'musician - rtprio 90.*alice - rtprio 90'
like "once" "$(apply --yes --root "$tree" --user alice linux-rt-permission)" '^(linux-rt-permission: already applied|nothing to apply)'
like "verify: both have it" "$("$SLEEPTUNE" verify --root "$tree" --user alice | tr -s '\n ' ' ')" 'in effect linux-rt-permission: at login alice gets'
like "and what is in effect" "$out" '^in effect .*linux-cpu-frequency'
like "a second apply finds it applied" "$(apply --yes --root "$tree" linux-cpu-frequency)" 'already applied'
out=$(revert --root "$tree" linux-cpu-frequency)
is "one rule is reverted" "$?" 0
is "its value is as before" "$(cat "$tree/$epp")" balance_performance
like "the others stay" "$("$SLEEPTUNE" verify --root "$tree")" '^in place .*linux-rt-permission'
is "revert --all ends with 0, with -y as apply has it" "$(status "$SLEEPTUNE" revert --all -y --root "$tree")" 0
ok "and leaves every byte as it was" unchanged
ok "and no journal" test ! -e "$tree/$journal"
like "a second revert has nothing to do" "$(revert --all --root "$tree")" '^nothing to revert$'
is "verify of nothing is 0" "$(status "$SLEEPTUNE" verify --root "$tree")" 0

fresh freebsd freebsd-13.2
is "FreeBSD: apply" "$(status "$SLEEPTUNE" apply --yes --root "$tree")" 0
is "FreeBSD: the line is in sysctl.conf" "$(grep -c '^kern.timecounter.alloweddeviation=0$' "$tree/etc/sysctl.conf")" 1
is "FreeBSD: revert" "$(status "$SLEEPTUNE" revert --all --root "$tree")" 0
ok "FreeBSD: every byte as it was, the missing newline too" unchanged

# what one change makes needless, and what it makes useful, is judged with that change made
fresh several freebsd-13.2
sed -i 's/^kern.eventtimer.periodic: 0$/kern.eventtimer.periodic: 1/' "$tree/sysctl-a.txt"
out=$(apply --yes --root "$tree" freebsd-alloweddeviation freebsd-eventtimer freebsd-hz)
is "FreeBSD: several settings at once" "$(sort "$tree/etc/sysctl.conf" | sed -n 's/^\(kern.*\)$/\1/p' | tr '\n' ' ')" \
    "kern.eventtimer.periodic=0 kern.timecounter.alloweddeviation=0 "
like "FreeBSD: kern.hz is no longer needed" "$out" '^freebsd-hz: *this setting needs no change$'

# loader.conf counts from the next boot on, whatever the rule says of the kernel that runs
fresh loader freebsd-13.2
sed -i 's/^kern.eventtimer.periodic: 0$/kern.eventtimer.periodic: 1/' "$tree/sysctl-a.txt"
apply --yes --root "$tree" freebsd-hz >/dev/null
sed -i 's/^kern.eventtimer.periodic: 1$/kern.eventtimer.periodic: 0/' "$tree/sysctl-a.txt"
like "FreeBSD: before the boot verify says so" "$("$SLEEPTUNE" verify --root "$tree" | tr -s '\n ' ' ')" 'not yet freebsd-hz: .*; reboot'
sed -i 's/^kern.hz: 100$/kern.hz: 1000/' "$tree/sysctl-a.txt"
like "FreeBSD: and after it" "$("$SLEEPTUNE" verify --root "$tree")" '^in effect   freebsd-hz: '

# Limits are of a login class, and each program of root has root's: the musician's are judged by name, and a class of its own is not replaced
fresh class freebsd-13.2
mkdir -p "$tree/etc"
printf 'root:*:0:0:root:/:/bin/sh\nann:*:1000:1000:Ann:/:/bin/sh\nbob:*:1001:1001:Bob:/:/bin/sh\n' >"$tree/etc/passwd"
printf 'root:*:0:0::0:0:root:/:/bin/sh\nann:*:1000:1000::0:0:Ann:/:/bin/sh\nbob:*:1001:1001:russian:0:0:Bob:/:/bin/sh\n' >"$tree/etc/master.passwd"
printf 'wheel:*:0:root\n' >"$tree/etc/group"
{
    printf 'default:\\\n\t:memorylocked=64K:\\\n\t:umask=022:\nroot:\\\n\t:ignorenologin:\\\n\t:memorylocked=unlimited:\\\n\t:tc=default:\n'
    printf 'russian|Russian Users Accounts:\\\n\t:lang=ru_RU.UTF-8:\\\n\t:tc=default:\n'
} >"$tree/etc/login.conf"
rm -r "$tree.before"
cp -r "$tree" "$tree.before"
like "FreeBSD: locked memory of root is no musician's" "$(apply --yes --root "$tree" --user root freebsd-memlock | tr -s '\n ' ' ')" 'needs no change because: root may lock .* for the user who plays add --user NAME'
like "FreeBSD: report names the musician to root" "$("$SLEEPTUNE" report --root "$tree" --user ann freebsd-memlock)" '^  Apply: +sleeptune apply freebsd-memlock --user ann$'
out=$(apply --yes --root "$tree" --user ann freebsd-memlock)
like "FreeBSD: a musician's class gets a limit" "$out" '^freebsd-memlock: *this user may lock only 64 KiB'
like "FreeBSD: and what gives the musician this class is said" "$out" "^Next: cap_mkdb /etc/login\.conf && pw usermod ann -L audio; then 'sleeptune verify'"
like "FreeBSD: the class is in login.conf" "$(cat "$tree/etc/login.conf")" '^audio:memorylocked=unlimited:tc=default:$'
like "FreeBSD: verify names it, too" "$("$SLEEPTUNE" verify --root "$tree" --user ann | tr -s '\n ' ' ')" 'not yet freebsd-memlock: .*pw usermod ann -L audio; then log out'
sed -i 's/^\(ann:.*:1000:\):/\1audio:/' "$tree/etc/master.passwd"
like "FreeBSD: until the class is the musician's" "$("$SLEEPTUNE" verify --root "$tree" --user ann | tr -s '\n ' ' ')" 'in effect freebsd-memlock: '
sed -i 's/^\(ann:.*:1000:\)audio:/\1:/' "$tree/etc/master.passwd"
revert --all --root "$tree" >/dev/null
ok "FreeBSD: revert takes the class out" unchanged
out=$(apply --yes --root "$tree" --user bob freebsd-memlock)
is "FreeBSD: a class of the musician's own is changed by hand" "$?" 1
like "FreeBSD: in its record" "$out" '# /etc/login.conf, in class russian, instead of another memorylocked'

# --- an interrupted run: what it wrote looks right, but is in no file ------------------------------------------------
fresh interrupted
apply --yes --root "$tree" >/dev/null
sed -i 's/"done"/"writing"/' "$tree/$journal"
rm "$tree/etc/tmpfiles.d/sleeptune.conf"
like "verify says that it was interrupted" "$("$SLEEPTUNE" verify --root "$tree")" '^interrupted .*policy0'
is "a dry run does not judge by it" "$(status "$SLEEPTUNE" apply --dry-run --root "$tree")" 4
out=$(apply --yes --root "$tree" linux-cpu-frequency)
is "the next apply ends with 0" "$?" 0
like "and takes it back first" "$out" '^restored .*policy0.* = balance_performance$'
ok "and writes the file" grep -q '^w /sys/devices' "$tree/etc/tmpfiles.d/sleeptune.conf"
ok "what was not asked for again is gone" test ! -e "$tree/etc/security"
sed -i 's/"done"/"undoing"/' "$tree/$journal"
is "revert completes an interrupted revert" "$(status "$SLEEPTUNE" revert --all --root "$tree")" 0
ok "and leaves every byte as it was" unchanged

# --- while another one changes settings, which has the lock and a trial in the journal ----------------------------------
if command -v flock >/dev/null; then
    fresh locked
    apply --yes --root "$tree" linux-cpu-frequency >/dev/null
    sed -i 's/"done"/"writing"/' "$tree/$journal"
    rm -rf "$tree.before"
    cp -r "$tree" "$tree.before"
    cp "$tree/$journal" "$tmp/its-journal"
    ln -s '4711 tune' "$tree/${journal%/*}/holder"
    for command in "apply --yes" "apply --dry-run" "revert --all" verify; do
        # shellcheck disable=SC2086 # words
        out=$(flock -n "$tree/${journal%/*}" "$SLEEPTUNE" $command --root "$tree" 2>&1 </dev/null)
        is "$command while tune runs: 4" "$?" 4
        is "$command says this and nothing else" "$out" \
            "sleeptune ${command%% *}: sleeptune tune is running (process 4711). Wait for it, or stop it with Ctrl-C there."
    done
    # shellcheck disable=SC2016 # another shell's
    ln -sfn '4711 $(reboot)' "$tree/${journal%/*}/holder"
    is "a name that is none is not repeated" "$(flock -n "$tree/${journal%/*}" "$SLEEPTUNE" verify --root "$tree" 2>&1)" \
        "sleeptune verify: another sleeptune is changing settings. Wait for it."
    ok "nothing is changed" unchanged
    ok "nor its journal" cmp "$tree/$journal" "$tmp/its-journal"
    is "when it has ended: 0" "$(status "$SLEEPTUNE" revert --all --root "$tree")" 0
    is "and no one is named any more" "$(ls -A "$tree/${journal%/*}")" ""
else
    skip "while another one changes settings" "flock is not installed"
fi

# --- after a reboot ----------------------------------------------------------------------------------------------
# boot ID: the system in the tree runs since the boot of this id
boot() {
    mkdir -p "$tree/proc/sys/kernel/random"
    echo "$1" >"$tree/proc/sys/kernel/random/boot_id"
}
one=11111111-1111-4111-8111-111111111111 two=22222222-2222-4222-8222-222222222222
fresh trial
boot $one
apply --yes --root "$tree" linux-cpu-frequency >/dev/null
like "the journal has the boot" "$(cat "$tree/$journal")" "^ \"boot\": \"$one\",\$"
sed -i 's/"done"/"writing"/' "$tree/$journal"
rm -r "$tree/etc/tmpfiles.d" # tune writes no files
cp "$tree/$journal" "$tmp/trial.json"
boot $two
like "a trial of another boot: verify" "$("$SLEEPTUNE" verify --root "$tree")" '^forgotten +/.*policy0.*: this system was started after that$'
is "and nothing has to be undone" "$(apply --dry-run --root "$tree" linux-cpu-frequency | grep -c interrupted)" 0
out=$(revert --all --root "$tree")
is "revert of it: 0" "$?" 0
like "it is forgotten" "$out" '^forgotten /.*policy0.* = performance \(was balance_performance\): this system was started after that$'
is "the value that was set in this boot stays" "$(cat "$tree/$epp")" performance
ok "and no journal is left" test ! -e "$tree/$journal"
cp "$tmp/trial.json" "$tree/$journal"
boot $one
revert --all --root "$tree" >/dev/null
is "in the same boot it is undone" "$(cat "$tree/$epp")" balance_performance

fresh rebooted
boot $one
apply --yes --root "$tree" linux-cpu-frequency >/dev/null
boot $two
like "a file that sets the value at each boot: verify" "$("$SLEEPTUNE" verify --root "$tree")" '^in place +/.*policy0'
cp -r "$tree" "$tmp/without"
revert --all --root "$tree" >/dev/null
is "the value that it set in this boot is undone" "$(cat "$tree/$epp")" balance_performance
tree=$tmp/without
rm "$tree/etc/tmpfiles.d/sleeptune.conf"
revert --all --root "$tree" >/dev/null
is "without that file the value is someone else's" "$(cat "$tree/$epp")" performance
ok "the rest is reverted" test ! -e "$tree/etc/tmpfiles.d"

# --- three ways --------------------------------------------------------------------------------------------------
fresh since
apply --yes --root "$tree" linux-cpu-frequency >/dev/null
echo power >"$tree/$epp"
out=$(revert --all --root "$tree")
is "what somebody changed since makes it 1" "$?" 1
like "and is named: ours, before, now" "$out" '^kept .*policy0.* = performance \(was balance_performance\): someone changed it to power after apply$'
is "and stays" "$(cat "$tree/$epp")" power
is "the rest is as before" "$(cat "$tree/${epp/policy0/policy1}")" balance_performance

# --- refused -----------------------------------------------------------------------------------------------------
# refused NAME STATUS PATTERN ARG...: that status, a message that matches, and the tree as before
refused() {
    local name=$1 wanted=$2 pattern=$3 got
    shift 3
    "$SLEEPTUNE" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    got=$?
    is "$name: status" "$got" "$wanted"
    like "$name: message" "$(cat "$tmp/err")" "$pattern"
    ok "$name: nothing is changed" unchanged
}
fresh no
refused "no terminal to ask on" 3 'add --yes' apply --root "$tree"
refused "no such rule" 3 'no such rule: linux-nonsense' apply --root "$tree" linux-nonsense
refused "revert of nothing in particular" 3 'give --all' revert --root "$tree"
refused "a rule of another system" 4 'a different operating system' apply --yes --root "$tree" freebsd-hz
refused "no such tree" 4 'No such file' apply --yes --root "$tmp/none"
out=$(apply --yes --root "$tree" linux-rt-throttling 2>&1)
is "a rule that does not fire is nothing to do" "$?" 0

fresh nixos
mkdir -p "$tree/etc" "$tree.before/etc"
touch "$tree/etc/NIXOS" "$tree.before/etc/NIXOS"
refused "NixOS" 4 'NixOS' apply --yes --root "$tree"
like "NixOS: what to put where is printed" "$(cat "$tmp/out")" 'w /sys/devices/.*performance$'

fresh newer
mkdir -p "$tree/var/lib/sleeptune-changes"
echo '{"schema": "sleeptune-changes/7", "files": [], "entries": []}' >"$tree/$journal"
refused "journal of a newer version, apply" 4 'a newer sleeptune wrote the journal \(version 7\)' apply --yes --root "$tree"
refused "journal of a newer version, revert" 4 'a newer sleeptune wrote the journal \(version 7\)' revert --all --root "$tree"
refused "journal of a newer version, verify" 4 'a newer sleeptune wrote the journal \(version 7\)' verify --root "$tree"
echo '{"schema": "sleeptune-changes/1", "boot": "", "files": [], "entries": [{"rule": "x", "type": "sysfs", "phase": "done",
    "target": "/sys/../etc/sysctl.conf", "old": "a", "new": "b"}]}' >"$tree/$journal"
refused "a journal that names other files" 4 'never changes' revert --all --root "$tree"
ok "the journal itself stays" test -s "$tree/$journal"

fresh escape
mkdir "$tmp/victim"
ln -s "$tmp/victim" "$tree/etc/tmpfiles.d"
ln -s "$tmp/victim" "$tree.before/etc/tmpfiles.d"
refused "a folder that leads out of the tree" 4 'tmpfiles' apply --yes --root "$tree" linux-cpu-frequency
is "nothing came out of the tree" "$(ls "$tmp/victim")" ""

fresh full
mkdir -p "$tree/etc/tmpfiles.d/sleeptune.conf" "$tree.before/etc/tmpfiles.d/sleeptune.conf"
refused "a folder where the file should be" 4 'tmpfiles' apply --yes --root "$tree" linux-cpu-frequency

if can_be_nobody; then
    out=$(SUDO_USER=nobody "$SLEEPTUNE" apply --dry-run linux-rt-permission 2>&1 </dev/null)
    like "under sudo the rights of the user who ran it are judged" "$out" '^The settings are judged for nobody'
    like "root itself is asked whom to give it to" "$(env -u SUDO_USER "$SLEEPTUNE" apply --yes linux-rt-permission 2>&1 </dev/null | tr -s '\n ' ' ')" 'Name the user who plays'
    like "not those of root" "$out" '^linux-rt-permission: .*(nobody|rtkit)'
    like "unless they are named" "$(SUDO_USER=nobody "$SLEEPTUNE" apply --dry-run --user root linux-rt-permission 2>&1 </dev/null)" '^nothing to apply'
    fresh nobody
    out=$(as_nobody "$SLEEPTUNE" revert --all 2>&1)
    is "without root: 4" "$?" 4
    like "without root: what to run" "$out" '^  sudo sleeptune revert --all$'
    fresh hidden
    mkdir -p "$tree/sys/kernel/debug/sched"
    echo 'none (voluntary) full' >"$tree/sys/kernel/debug/sched/preempt"
    apply --yes --root "$tree" linux-preemption >/dev/null
    echo 'none voluntary (full)' >"$tree/sys/kernel/debug/sched/preempt"
    chmod 000 "$tree/sys/kernel/debug/sched/preempt"
    out=$(as_nobody "$SLEEPTUNE" verify --root "$tree" 2>&1 | tr -s '\n ' ' ')
    like "verify says what this user cannot read" "$out" \
        'not known linux-preemption: /sys/kernel/debug/sched/preempt cannot be read \(Permission denied\); run sleeptune verify as root'
    is "and not what else points to" "$(grep -c 'not preemptible' <<<"$out")" 0
    fresh other-nobody
    out=$(as_nobody "$SLEEPTUNE" apply --yes --root "$tree" linux-cpu-frequency 2>&1)
    is "a tree of somebody else's: 4" "$?" 4
    ok "and it is as before" unchanged
else
    skip "without root" "needs root and setpriv to become nobody"
fi
tap_done
