#!/usr/bin/env bash
# vm: -k generic -c usb -n 1
# boots: 3
# apply, reboot, verify and revert, reboot: what was written counts after a real boot, by systemd-sysctl, tmpfiles, modprobe, udev,
# PAM, units and the boot loader's own generator; then /etc is byte for byte as before. Where the kernel's command line is not written, the command is shown.
# shellcheck source=tests/tap.sh
. /share/tests/tap.sh
state=/srv/reboot tmp=/tmp
rules=(linux-rt-throttling linux-swap linux-huge-pages linux-usb-audio-options linux-usb-autosuspend linux-rt-permission
    linux-service-limits linux-preemption) # the first of these writes the limit of locked memory, too

as_player() { su - player -c "$*"; }
# every file below /etc with its hash, mode and owner. .updated is systemd-update-done's time stamp of the boot
etc() { (cd /etc && find . ! -name .updated -printf '%p %y %m %u %g %l\n' && find . -type f ! -name .updated -exec sha256sum {} +) | sort; }
# the running values that apply changes
values() {
    sysctl kernel.sched_rt_runtime_us vm.swappiness
    grep -H . /sys/kernel/mm/transparent_hugepage/{enabled,defrag} /sys/module/snd_hda_intel/parameters/power_save* \
        /sys/module/snd_usb_audio/parameters/lowlatency "$usb/power/control"
    echo "limits $(as_player 'ulimit -r; ulimit -l' | paste -sd ' ')"
    grep -E 'realtime priority|locked memory' "/proc/$(systemctl show -P MainPID jack.service)/limits" | tr -s ' '
    grep -H . /sys/kernel/debug/sched/preempt
}
# The command line that GRUB would give to the kernel; on /share it is the next boot's.
next_command_line() { sed -n 's/^[[:space:]]*linux[[:space:]]*[^ ]* *//p' /boot/grub/grub.cfg | head -n 1; }
# a machine as found, with settings of a distribution and of its user that the advisor has something against
set_up() {
    useradd -m -G audio player
    # An emulated machine was seen to hang when apply or revert switches the kernel's preemption while the other processor is
    # busy, there with the user manager and the sound server of player's session. This machine's sound server is JACK.
    systemctl -q mask user@.service
    sed 's/@[A-Z_]*@//' /usr/share/grub/default/grub >/etc/default/grub
    dd if=/dev/zero of=/swap bs=1M count=16 status=none && chmod 600 /swap && mkswap -q /swap
    echo '/swap none swap sw 0 0' >>/etc/fstab
    echo 'kernel.sched_rt_runtime_us = 500000' >/etc/sysctl.d/10-distribution.conf
    echo 'options snd_usb_audio lowlatency=N' >/etc/modprobe.d/10-distribution.conf
    echo 'ACTION=="add", SUBSYSTEM=="usb", TEST=="power/control", ATTR{power/control}="auto"' >/etc/udev/rules.d/50-distribution.rules
    cat >/etc/systemd/system/compaction.service <<'UNIT'
[Unit]
DefaultDependencies=no
Before=systemd-tmpfiles-setup.service
[Service]
Type=oneshot
ExecStart=/bin/sh -c 'cd /sys/kernel/mm/transparent_hugepage && echo always >enabled && echo always >defrag'
[Install]
WantedBy=sysinit.target
UNIT
    cat >/etc/systemd/system/jack.service <<'UNIT'
[Service]
User=player
ExecStart=/usr/bin/jackd -r -d dummy
[Install]
WantedBy=multi-user.target
UNIT
    # what the next boot would do
    systemctl daemon-reload
    systemctl -q enable --now compaction.service jack.service
    systemctl restart systemd-sysctl.service
    swapon -a
    modprobe -r snd_usb_audio && modprobe snd_usb_audio
    udevadm control --reload && udevadm trigger --action add --subsystem-match usb --settle
}

boot_1() {
    local applied rule
    cp -a /share/usr /share/etc / 2>/dev/null
    ldconfig
    systemd-sysusers
    mkdir -p "$state" /boot/grub
    set_up
    etc >"$state/etc"
    values >"$state/values"
    mkfifo /tmp/applied
    as_player 'touch /tmp/logged-in; read -r _ </tmp/applied; sleeptune verify --no-measure' >/tmp/verify &
    until [ -e /tmp/logged-in ]; do sleep 0.2; done
    ends 0 "apply ends with 0" sleeptune apply --yes --run-generators --measure 3s --frames 128 --user player
    applied=$(sed 1d /var/lib/sleeptune-changes/journal | cut -f 1 | sort -u)
    for rule in "${rules[@]}"; do like "it does something for $rule" "$applied" "^$rule\$"; done
    echo >/tmp/applied
    wait $!
    is "verify says 1 while something waits" "$?" 1
    is "it says what is in effect at once, what waits for the next login, and what for the reboot" \
        "$(grep -cE '^in effect .*linux-swap|^not yet +linux-rt-permission:.* log out|^not yet +linux-usb-audio-options:.* reboot' /tmp/verify)" 3
    [ "$tap_failed" -eq 0 ] || cat /tmp/out /tmp/err /tmp/verify | tap_note
    next_command_line >/share/append-80-reboot
}

boot_2() {
    local rule value
    ends 0 "verify: all of it took effect" sleeptune verify --user player --no-measure
    cp /tmp/out /tmp/verify
    for rule in "${rules[@]}"; do like "$rule is in effect" "$(cat /tmp/verify)" "^in effect +$rule:"; done
    sleeptune verify >/tmp/proof 2>/tmp/err # what it says of the difference is the host's doing here
    like "it ran the loop again and compared" "$(cat /tmp/proof)" '^runs: +128 frames at 48000 Hz, '
    like "and says that the kernel was started otherwise" "$(cat /tmp/proof)" '^differs: .*kernel_command_line'
    values >/tmp/values
    # systemd-sysctl read both drop-ins, systemd-tmpfiles wrote the choice in sysfs, modprobe passed the option after that of the distribution, udev keeps
    # the USB card awake, PAM gives a login the limits, the unit's process has the right, the kernel obeys the command line
    for value in '^kernel.sched_rt_runtime_us = 950000$' '^vm.swappiness = 10$' 'transparent_hugepage/enabled:always \[madvise\] never$' \
        '/lowlatency:Y$' '/power/control:on$' '^limits 90 4194304$' '^Max realtime priority 90 90' 'sched/preempt:.*\(full\)'; do
        like "after the boot: $value" "$(cat /tmp/values)" "$value"
    done
    like "the command line has what GRUB made of the drop-in" "$(cat /proc/cmdline)" ' preempt=full( |$)'
    [ "$tap_failed" -eq 0 ] || cat /tmp/verify /tmp/proof /tmp/values | tap_note
    ends 0 "revert ends with 0" sleeptune revert --all --run-generators
    ok "/etc is byte for byte as before" eval 'etc | diff "$state/etc" -'
    ok "and no file of sleeptune's is left" test -z "$(ls -A /var/lib/sleeptune-changes)"
    next_command_line >/share/append-80-reboot
}

boot_3() {
    ok "/etc is byte for byte as before" eval 'etc | diff "$state/etc" -'
    ok "and so are the running values" eval 'values | diff "$state/values" -'
    is "verify has nothing" "$(sleeptune verify | head -n 1)" "sleeptune has changed no setting"
    # the same machine without GRUB, as systemd-boot has it
    mv /etc/default "$state/default"
    mkdir -p /etc/kernel
    printf 'quiet splash=none' >/etc/kernel/cmdline
    etc >"$state/etc"
    ends 1 "without GRUB: only the running value is set" sleeptune apply --yes --no-measure --frames 128 linux-preemption
    like "and the file for the next boot is shown" "$(cat /tmp/out /tmp/err)" '/etc/kernel/cmdline'
    ok "/etc is as it was" eval 'etc | diff "$state/etc" -'
    ends 0 "revert ends with 0" sleeptune revert --all
    mv "$state/default" /etc/
}

modprobe snd-hda-intel # its parameters are compared, too; without a card of it there is nothing to advise
# the hub may not have told of it yet
usb_card() { grep -qs 'USB Audio' /sys/bus/usb/devices/*/product && [ -e /proc/asound/card0 ]; }
wait_for usb_card
udevadm settle
usb=$(dirname "$(grep -l 'USB Audio' /sys/bus/usb/devices/*/product)")
"boot_${BOOT:?by the driver}"
tap_done
