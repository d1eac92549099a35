#!/usr/bin/env bash
# apply, verify and revert where things are not as they should be: boot loaders of all kinds, others that set the same, a full
# disk, read-only folders, a damaged journal, two at once; and each of FreeBSD's files to the byte.
. "$SLEEPTUNE_SRC/tests/integration/apply-lib.sh"
mounted=()
trap '[ ${#mounted[@]} -eq 0 ] || umount "${mounted[@]}"; clean_up' EXIT

# --- boot loaders ------------------------------------------------------------------------------------------------
fresh debian
mkdir -p "$tree/etc/default" "$tree/usr/sbin"
echo 'GRUB_CMDLINE_LINUX_DEFAULT="quiet"' >"$tree/etc/default/grub"
echo 'for x in /etc/default/grub.d/*.cfg; do . "$x"; done' >"$tree/usr/sbin/grub-mkconfig"
echo 'grub-mkconfig -o /boot/grub/grub.cfg' >"$tree/usr/sbin/update-grub"
keep
screen_is grub-of-debian apply --yes --root "$tree" linux-preemption
is "the command line that Debian's GRUB makes of it" \
    "$(sh -c '. "$1/etc/default/grub"; . "$1/etc/default/grub.d/zz-sleeptune-linux-preemption.cfg"; echo "$GRUB_CMDLINE_LINUX_DEFAULT"' sh "$tree")" 'quiet preempt=full'
echo 'GRUB_CMDLINE_LINUX_DEFAULT="preempt=none"' >"$tree/etc/default/grub.d/zzz.cfg"
screen_is a-drop-in-of-others verify --root "$tree"
rm "$tree/etc/default/grub.d/zzz.cfg"
screen_is revert-needs-update-grub revert --all --root "$tree"
ok "and leaves every byte as it was" unchanged

# by_hand NAME FILE: it has the command line, and is not ours to write. GRUB without drop-ins, grubby, NixOS: below, system-*
by_hand() {
    fresh "$1"
    mkdir -p "$tree/${2%/*}"
    echo 'root=UUID=5 rw quiet' >"$tree/$2"
    keep
    screen_is "$1" apply --yes --root "$tree" linux-preemption
    ok "and nothing is changed" unchanged
}
by_hand kernel-install etc/kernel/cmdline
by_hand not-ours-to-write boot/firmware/cmdline.txt

# --- what took effect, and what nobody can tell ------------------------------------------------------------------
fresh switched
debugfs=$tree/sys/kernel/debug/sched/preempt
mkdir -p "${debugfs%/*}" "$tree/etc/default/grub.d"
echo 'none (voluntary) full' >"$debugfs"
apply --yes --root "$tree" linux-preemption >/dev/null
echo 'none (voluntary) full' >"$debugfs" # as after a boot without the option
screen_is the-kernel-does-not-obey verify --root "$tree"
echo 'none voluntary (full)' >"$debugfs" # as the kernel shows it
screen_is the-kernel-obeys verify --root "$tree"
if can_be_nobody || cannot "a value that this user may not read" "needs root and setpriv to become nobody"; then
    chmod 700 "$tree/sys/kernel/debug"
    screen_is a-value-that-cannot-be-read as_nobody "$SLEEPTUNE" verify --root "$tree"
    like "JSON: null" "$(as_nobody "$SLEEPTUNE" verify --json --root "$tree")" '"in_effect": null'
    chmod 755 "$tree/sys/kernel/debug"
fi

fresh usb
device=$tree/sys/bus/usb/devices
mkdir -p "$device/1-2/power" "$device/1-2:1.0" "$device/1-3/power" "$device/1-3:1.0"
for n in 2 3; do
    echo 01 >"$device/1-$n:1.0/bInterfaceClass"
    echo 1235 >"$device/1-$n/idVendor"
    echo "821$n" >"$device/1-$n/idProduct"
    echo auto >"$device/1-$n/power/control"
    echo 2000 >"$device/1-$n/power/autosuspend_delay_ms"
done
keep
screen_is usb apply --yes --root "$tree" linux-usb-autosuspend
is "USB interfaces stay awake at once, both, and when they are plugged in again" "$(cat "$device"/1-[23]/power/control | xargs) $(grep -c 'ATTR{idProduct}=="821[23]", ATTR{power/control}="on"' "$tree/etc/udev/rules.d/90-sleeptune-linux-usb-autosuspend.rules")" 'on on 2'
screen_is usb-verify verify --root "$tree"
rm -r "$device/1-3" "$device/1-3:1.0" "$tree.before${device#"$tree"}"/1-3*
back "one that was pulled out is nothing to take back, and the rest is as before"

fresh immutable
keep
apply --yes --root "$tree" linux-cpu-frequency >/dev/null
if chattr +i "$tree/etc/tmpfiles.d/00-sleeptune-linux-cpu-frequency.conf" 2>/dev/null || cannot "a drop-in made immutable" "no right to, or a file system without"; then
    screen_is immutable revert --all --root "$tree"
    chattr -i "$tree/etc/tmpfiles.d/00-sleeptune-linux-cpu-frequency.conf"
fi
back "and then it is reverted"

# --- any mask of the shell ---------------------------------------------------------------------------------------
for mask in 000 077 777; do
    fresh "mask-$mask"
    keep
    (umask "$mask"; apply --yes --root "$tree" >/dev/null)
    is "umask $mask: folders and files that others can read, but not lock the journal's" \
        "$(find "$tree/etc/tmpfiles.d" "$tree/$changes" -printf '%y%m ')" 'd755 f644 d711 f644 '
    (umask "$mask"; revert --all --root "$tree" >/dev/null)
    ok "umask $mask: and back" unchanged
done

# --- for another user --------------------------------------------------------------------------------------------
fresh user linux-studio
mkdir -p "$tree/etc/security/limits.d"
users ann bob
keep
refused "--user of nobody known" apply --yes --root "$tree" --user zoe
screen_is has-the-right apply --yes --root "$tree" --user ann linux-rt-permission
screen_is gets-the-right apply --yes --root "$tree" --user bob linux-rt-permission
is "one who has not gets it" "$(grep -c '^bob - rtprio 90$' "$tree/etc/security/limits.d/99-sleeptune-linux-rt-permission-bob.conf")" 1
ok "verify for that user ends as the rule does" verify --root "$tree" --user ann
back "and back"

# --- as the report ---------------------------------------------------------------------------------------------------
fresh left-out
users ann
mkdir -p "$tree/etc/security"
echo '* - memlock 65536' >"$tree/etc/security/limits.conf"
is "what comes with another change, and the report leaves out, is not made twice" \
    "$(apply --dry-run --root "$tree" --user ann | grep -oE '^linux-(rt-permission|memlock)')" linux-rt-permission

# --- systems: files and folders of each are in tests/fixtures/systems, with their sources -----------------------------
# of_system NAME CAPTURE, files on standard input: what apply writes or shows there, and back
of_system() {
    local path text rules=(linux-preemption linux-cpu-frequency linux-rt-permission --user ann)
    fresh "system-$1" "$2"
    users ann
    case $1 in freebsd*)
        rules=(--frames 128 freebsd-hz freebsd-snd-latency)
        sed -i 's/^kern.eventtimer.periodic: 0$/kern.eventtimer.periodic: 1/' "$tree/sysctl-a.txt" ;;
    esac
    while read -r path text && [ -n "$path" ]; do
        mkdir -p "$tree/${path%/*}"
        printf '%s\n' "$text" >"$tree/$path"
    done
    keep
    screen_is "system-$1" apply --yes --root "$tree" "${rules[@]}"
    back "$1: and every byte is as it was"
}
while read -r name capture; do of_system "$name" "$capture"; done <"$SLEEPTUNE_SRC/tests/fixtures/systems/files"

# --- what is shown is the change -------------------------------------------------------------------------------------
# shown NAME N: the dry run shows each line that apply writes into files, and those of N files
shown() {
    user=()
    [ ! -e "$tree/etc/passwd" ] || user=(--user ann)
    keep
    apply --dry-run --root "$tree" "${user[@]}" >"$tmp/dry"
    apply --yes --root "$tree" "${user[@]}" >/dev/null
    is "$1: what is shown is written" "$(sed -n '/^write /,$ s/^    \([^ ].*\)/\1/p' "$tmp/dry" | sort)" \
        "$(diff -rN -x sys -x proc -x var -x sysctl-a.txt "$tree.before" "$tree" | sed -n 's/^> //p' | grep -v '^$\|see_other_uids' | sort)"
    is "$1: of so many files" "$(sed -n 's,^write  *\(/[eb][^:]*\).*,\1,p' "$tmp/dry" | sort -u | wc -l)" "$2"
}
fresh diff-linux
users ann
mkdir -p "$tree/etc/default" "$tree/etc/security/limits.d" "$tree/sys/module/snd_hda_intel/parameters" "$tree/sys/bus"
printf 'GRUB_DEFAULT=0\nGRUB_CMDLINE_LINUX_DEFAULT="quiet"' >"$tree/etc/default/grub"
echo 1 >"$tree/sys/module/snd_hda_intel/parameters/power_save"
cp -r "$tmp/usb/sys/bus/usb" "$tree/sys/bus/"
echo auto >"$tree/sys/bus/usb/devices/1-2/power/control"
shown "Linux, each file" 5

# --- others that set the same, too ----------------------------------------------------------------------------------------------
fresh winners
users ann
mkdir -p "$tree/etc/default/grub.d" "$tree/etc/security/limits.d" "$tree/etc/tmpfiles.d"
echo 'ann - memlock 65536' >"$tree/etc/security/limits.d/95-mine.conf"
echo 'w /sys/devices/system/cpu/cpufreq/policy*/energy_performance_preference - - - - power' >"$tree/etc/tmpfiles.d/50-mine.conf"
screen_is others-set-it apply --yes --root "$tree" --user ann linux-memlock linux-cpu-frequency
screen_is others-set-it-verify verify --root "$tree"

# --- FreeBSD, to the byte ----------------------------------------------------------------------------------------
fresh freebsd freebsd-13.2
sed -i -e 's/^\(dev\.cpu\.[01]\.cx_lowest\|hw\.acpi\.cpu\.cx_lowest\): .*/\1: C3/' -e 's|^\(dev\.cpu\.[01]\.cx_supported\): .*|\1: C1/1/1 C2/2/80 C3/3/300|' \
    -e 's/^machdep\.idle: .*/machdep.idle: acpi/' -e 's/^kern\.timecounter\.choice: .*/kern.timecounter.choice: TSC-low(1000) HPET(950) dummy(-1000000)/' \
    -e 's/^kern\.eventtimer\.periodic: .*/kern.eventtimer.periodic: 1/' -e 's/^hw\.intr_storm_threshold: .*/hw.intr_storm_threshold: 1000/' \
    -e 's/^kern\.timecounter\.fast_gettime: .*/kern.timecounter.fast_gettime: 0/' \
    -e 's/^dev\.hdac\.0\.polling: .*/dev.hdac.0.polling: 1/' "$tree/sysctl-a.txt"
printf 'hw.acpi.acline: 1\ndev.hwpstate_intel.0.epp: 50\ndev.hwpstate_intel.1.epp: 50\n' >>"$tree/sysctl-a.txt"
printf '# $FreeBSD$\nsecurity.bsd.see_other_uids=0' >"$tree/etc/sysctl.conf"
printf 'hostname="studio"\n' >"$tree/etc/rc.conf"
keep
mkdir "$tree/etc/rc.conf.d" && echo 'performance_cx_lowest="C3"' >"$tree/etc/rc.conf.d/power_profile"
screen_is freebsd-rc.conf.d-is-a-file apply --yes --root "$tree" freebsd-cpu-idle
rm -r "$tree/etc/rc.conf.d"
screen_is freebsd-needs-the-password-file apply --yes --root "$tree" --user ann
screen_is freebsd apply --yes --root "$tree"
sorted() { grep -v '^#\|^$' "$tree/etc/sysctl.conf" | sort; }
screen_is freebsd-sysctl.conf sorted
is "FreeBSD: rc.conf.d" "$(cat "$tree/etc/rc.conf.d/power_profile/zz-sleeptune-freebsd-cpu-idle")" \
    "# freebsd-cpu-idle: written by 'sleeptune apply', removed by 'sleeptune revert'"$'\nperformance_cx_lowest="C1"'
echo 'hw.snd.latency=7' >"$tree/etc/sysctl.conf.local"
screen_is sysctl-conf-local-too verify --root "$tree"
rm "$tree/etc/sysctl.conf.local"
back "FreeBSD: every byte as it was"
rm -rf "$tree.before"
shown "FreeBSD, each file" 2

# --- no rights, no space -----------------------------------------------------------------------------------------
fresh journal
keep
mkdir -p "$tree/$changes"
apply --yes --root "$tree" linux-cpu-frequency >/dev/null
cp "$tree/$changes/journal" "$tmp/whole"
keep
for bytes in 1 100 $(($(stat -c %s "$tmp/whole") - 3)); do
    head -c "$bytes" "$tmp/whole" >"$tree/$changes/journal"
    refused "a journal that was cut off" revert --all --root "$tree"
done
head -c 2000 /dev/urandom >"$tree/$changes/journal"
refused "a journal of noise, apply" apply --yes --root "$tree"
sed 's/\tdone\t/\tperhaps\t/' "$tmp/whole" >"$tree/$changes/journal"
refused "a journal with a word that is none" verify --root "$tree"
cp "$tmp/whole" "$tree/$changes/journal"
ok "the whole one again is reverted" revert --all --root "$tree"

fresh busy
keep
mkdir -p "$tree/$changes"
exec 8<"$tree/$changes"
flock 8
refused "two at once: apply" apply --yes --root "$tree" linux-cpu-frequency
exec 8<&-

fresh blocked
mkdir -p "$tree/var/lib"
touch "$tree/$changes"
keep
refused "a file where the journal's folder should be" apply --yes --root "$tree" linux-cpu-frequency

fresh ostree
mkdir -p "$tree/run" "$tree/etc/default/grub.d"
touch "$tree/run/ostree-booted"
keep
refused "ostree" apply --yes --root "$tree" linux-preemption

if [ "$(id -u)" -eq 0 ] && mkdir "$tmp/try" && mount -t tmpfs -o size=64k none "$tmp/try" 2>/dev/null || cannot "no space, read-only folders" "needs root and mount"; then
    umount "$tmp/try"
    fill() { dd if=/dev/zero of="$1/filler" bs=4k >/dev/null 2>&1; }
    read_only() { mount --bind "$1" "$1" && mounted+=("$1") && mount -o remount,bind,ro "$1"; }
    into=refused-to-root
    fresh full
    mount -t tmpfs -o size=32k none "$tree/etc" && mounted+=("$tree/etc")
    fill "$tree/etc"
    keep
    refused "no space for a drop-in" apply --yes --root "$tree" linux-cpu-frequency
    ok "no space: no journal is left" test ! -e "$tree/$changes/journal"

    fresh full-journal
    keep
    mkdir -p "$tree/$changes"
    mount -t tmpfs -o size=16k,mode=755 none "$tree/$changes" && mounted+=("$tree/$changes")
    fill "$tree/$changes"
    refused "no space for the journal" apply --yes --root "$tree" linux-cpu-frequency

    fresh full-since
    mkdir -p "$tree/etc/default/grub.d"
    keep
    mkdir -p "$tree/$changes"
    mount -t tmpfs -o size=32k,mode=755 none "$tree/$changes" && mounted+=("$tree/$changes")
    apply --yes --root "$tree" linux-cpu-frequency linux-preemption >/dev/null
    cp "$tree/$changes/journal" "$tmp/whole"
    fill "$tree/$changes"
    screen_is no-space-since revert --root "$tree" linux-cpu-frequency
    is "its value is restored, and its file" "$(cat "$tree/$epp"; ls "$tree/etc")" $'balance_performance\ndefault'
    screen_is no-space-since-all revert --all --root "$tree"
    ok "everything is as before" unchanged
    ok "and no journal is left" test ! -e "$tree/$changes/journal"
    # a run that was interrupted
    rm "$tree/$changes/filler"
    echo performance >"$tree/$epp"
    sed 's/\tdone\t/\topen\t/' "$tmp/whole" >"$tree/$changes/journal"
    fill "$tree/$changes"
    back "no space, and a run that was interrupted: what it had written is undone"

    fresh etc-ro
    mkdir -p "$tree/etc/default/grub.d"
    keep
    read_only "$tree/etc"
    refused "/etc read-only" apply --yes --root "$tree" linux-preemption linux-cpu-frequency

    fresh boot-ro freebsd-13.2
    sed -i 's/^kern\.hz: .*/kern.hz: 100/; s/^kern\.eventtimer\.periodic: .*/kern.eventtimer.periodic: 1/' "$tree/sysctl-a.txt"
    keep
    read_only "$tree/boot"
    refused "/boot read-only" apply --yes --root "$tree" freebsd-hz
    compare_screen "$into" "$(cat "$tmp/$into")" ""
    into=refused
fi

if can_be_nobody && command -v flock >/dev/null || cannot "another user cannot lock the journal" "needs root, setpriv and flock"; then
    fresh lock
    keep
    mkdir -p "$tree/${changes%/*}"
    mkdir -m 755 "$tree/$changes" # as somebody else may have made it
    apply --yes --root "$tree" linux-cpu-frequency >/dev/null
    ln -sfn 1 "$tree/$changes/holder"
    screen_is holds-no-lock as_nobody "$SLEEPTUNE" verify --root "$tree"
    rm "$tree/$changes/holder"
    as_nobody flock -n "$tree/$changes" true 2>"$tmp/err"
    like "another user cannot lock the journal" "$(cat "$tmp/err")" 'Permission denied'
    is "but verify" "$(as_nobody "$SLEEPTUNE" verify --root "$tree" >/dev/null; echo $?)" 0
    revert --all --root "$tree" >/dev/null
fi

if can_be_nobody || cannot "a journal's folder that cannot be made" "needs root and setpriv to become nobody"; then
    fresh journal-ro
    mkdir -p "$tree/var/lib"
    chown -R 65534 "$tree"
    chown 0 "$tree/var/lib"
    keep
    screen_is no-folder-of-the-journal as_nobody "$SLEEPTUNE" apply --yes --root "$tree" linux-cpu-frequency
    ok "and nothing is changed" unchanged
fi

# --- the commands, in a mount namespace of its own: this machine's /etc and /usr/sbin are not touched -------------------
if [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null && [ -d /sys/kernel/debug ] && [ ! -e /sys/kernel/realtime ] && can_be_nobody || cannot "--run-generators" "needs root, setpriv, a mount namespace, and a kernel that is not a real-time one"; then
    mkdir -p "$tmp/etc" "$tmp/sbin" "$tmp/state"
    cp /etc/passwd /etc/group "$tmp/etc/"
    mkdir -p "$tmp/etc/default/grub.d" "$tmp/etc/systemd/system"
    : >"$tmp/etc/default/grub"
    # a machine whose preemption is switchable
    mkdir -p "$tmp/debug/sched"
    preemption_is_off() { echo 'none (voluntary) full' >"$tmp/debug/sched/preempt"; }
    echo '#1 SMP PREEMPT_DYNAMIC' >"$tmp/version"
    printf '#!/bin/sh\ncat /etc/default/grub.d/*.cfg >/etc/generated 2>/dev/null || : >/etc/generated\n' >"$tmp/sbin/update-grub"
    printf '#!/bin/sh\nexit 7\n' >"$tmp/sbin/failing"
    printf 'default/grub.d\n' >"$tmp/sbin/grub-mkconfig"
    chmod +x "$tmp"/sbin/*
    as_user=()
    inside() {
        unshare -m bash -c 'mount --bind "$0/etc" /etc && mount --bind "$0/sbin" /usr/sbin &&
            mount --bind "$0/debug" /sys/kernel/debug && mount --bind "$0/version" /proc/sys/kernel/version && exec "$@"' "$tmp" \
            env STATE_DIRECTORY="$tmp/state" "${as_user[@]}" "$SLEEPTUNE" "$@" </dev/null 2>&1
    }
    mkdir "$tmp/evil"
    printf '#!/bin/sh\necho evil ran\n' | tee "$tmp/evil/update-grub" >"$tmp/evil/sh"
    chmod +x "$tmp"/evil/*
    preemption_is_off
    with_evil() { PATH=$tmp/evil:$PATH inside "$@"; }
    screen_is run-generators with_evil apply --yes --frames 128 --no-measure --run-generators linux-preemption
    ok "and it saw the file" grep -q preempt=full "$tmp/etc/generated"
    screen_is run-generators-revert inside revert --all --run-generators
    ok "and the generated file is without it" test ! -s "$tmp/etc/generated"
    cp "$tmp/sbin/failing" "$tmp/sbin/update-grub"
    preemption_is_off
    screen_is run-generators-fails inside apply --yes --frames 128 --no-measure --run-generators linux-preemption
    ok "the files are there" test -e "$tmp/etc/default/grub.d/zz-sleeptune-linux-preemption.cfg"
    inside revert --all >/dev/null
    ok "and can be reverted" test ! -e "$tmp/etc/default/grub.d/zz-sleeptune-linux-preemption.cfg"

    # a name that would not be shown as it is
    as_user=("${nobody[@]}")
    preemption_is_off
    bidi=$(printf 'x\302\2332J\342\200\256') # a terminal's control sequence, and text from right to left
    printf '%s:x:60000:60000::/:/bin/sh\n' "$bidi" >>"$tmp/etc/passwd"
    out=$(inside apply --user "$bidi" linux-preemption)
    like "without root, for such a user no line can be pasted" "$out" '^sleeptune apply: this needs root: run the same command as root$'
    is "nor is it shown raw" "$(grep -c -e $'\302\233' -e $'\342\200\256' <<<"$out")" 0
fi
fresh usage
keep
refused "--run-generators in a captured tree" apply --run-generators --root "$tree"
refused "the same for revert" revert --all --run-generators --root "$tree"
tap_done
