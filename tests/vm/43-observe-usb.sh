#!/usr/bin/env bash
# vm: -k rt -q -i -c usb
# release: 80-reboot has that card; what usbmon says is read in unit tests, from captures
# Losses on the bus of an emulated USB sound card: none while it plays undisturbed, and one each time that a thread above the
# controller's interrupt thread has the only processor for longer than what is on its way lasts (about 18 ms). The helper program has no
# right left.
# shellcheck source=tests/vm/guest.sh
. /share/tests/guest.sh

usb() { sleeptune status --json | jq -r ".observe[] | select(.source == \"usb\") | $1"; }
says() { test "$(usb "$1")" "$2" "$3"; }
lost() { usb '[.clients[] | select(.name == "QEMU USB Audio") | .lost_ns] | add // 0'; }

daemon_with 'audio = { backend = "none"; };' 'observe = { usb = "on"; alsa = "auto"; };'
ok "without the module it says what to do" wait_for says .why = "there is no /dev/usbmon1: run modprobe usbmon as root"
like "USB packets are listed as not watched" "$(sleeptune status --details)" 'Cannot see +USB packets'
ended_by TERM "$daemon"
modprobe usbmon
daemon_again
ok "USB packets of this card are watched" wait_for says '.state + ": " + .why' = "watching: USB packets of QEMU USB Audio"
ok "and are no longer listed as not watched" test "$(sleeptune status --details | grep -c 'Cannot see *USB packets')" -eq 0
helper=$(pidof sleeptune-observe-usb)
is "the helper program is not root" "$(awk '/^Uid|^Gid/ {print $2, $3, $4, $5}' "/proc/$helper/status" | sort -u)" "65534 65534 65534 65534"
is "it has no capability and no group, and a filter of system calls" \
    "$(awk '/^CapEff|^CapPrm|^Groups|^Seccomp:/ {print $2}' "/proc/$helper/status" | tr -s '\n' ' ')" " 0000000000000000 0000000000000000 2 "

aplay -q -D hw:0,0 -t raw -f S16_LE -c 2 -r 48000 --buffer-time=500000 /dev/zero 2>/tmp/s/aplay &
player=$!
sleep 8
is "nothing disturbs the bus: no dropout" "$(usb .device_dropouts)" 0
for i in 1 2 3 4 5; do
    /share/tests/hog 0 90 100000 1 10 >/dev/null
    ok "loss $i of the bus is seen" wait_for says .device_dropouts -ge "$i"
    is "it is one" "$(usb .device_dropouts)" "$i"
done
ms=$(($(lost) / 1000000))
ok "each lasted for as long as nothing was sent ($ms ms in all)" test "$ms" -ge 375 -a "$ms" -le 475
is "its event names the place" "$(sleeptune status --json | jq -r '[.events[] | select(.source == "usb" and .event == "device-dropout") | .place] | unique | join(" ")')" bus
is "a person is told, and that the bus lost it, and what to do" \
    "$(sleeptune status | grep -cE '^QEMU USB Audio lost sound 5 times |^QEMU USB Audio +5  lost USB packets|another USB port without a hub, or another cable')" 3
echo "# CPU time of the helper program: $(awk '{print ($14 + $15) * 10}' "/proc/$helper/stat") ms, $(cut -d' ' -f1 /proc/uptime) s since the start"

# a card that is pulled out while it plays has lost nothing on the bus
device=$(readlink -f /sys/class/sound/card0/device/../authorized)
echo 0 >"$device"
ok "it is no longer watched when it is gone" wait_for says .state != watching
is "its end is no dropout" "$(usb .device_dropouts)" 5
wait $player
echo 1 >"$device"
ok "it is watched again when it is back" wait_for says .state = watching
daemon_ends
tap_done
