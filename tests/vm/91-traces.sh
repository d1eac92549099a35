#!/usr/bin/env bash
# vm: -k generic -q -i -c dummy -p
# release: tests/integration/history-trace.sh and daemon-trace.sh have both halves of such a file; 90-causes the culprit
# One dropout as a file, with what the kernel did: three injected causes, each with the culprit's slices over the deadline that was missed, on one
# clock; a mark of quiet sound before each has none. One CPU, whose clock counts instructions: its host adds nothing.
# shellcheck source=tests/vm/guest.sh
. /share/tests/guest.sh
mountpoint -q /sys/kernel/tracing || mount -t tracefs tracefs /sys/kernel/tracing
echo never >/sys/kernel/mm/transparent_hugepage/enabled # see 90-causes.sh
export XDG_RUNTIME_DIR=/run/user/0 PIPEWIRE_REMOTE=/run/user/0/pipewire-0 DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/0/bus
export STATE_DIRECTORY=/var/tmp/state SLEEPTUNE_SOCKET=/var/tmp/sock
traces=$STATE_DIRECTORY/traces
mkdir -p "$XDG_RUNTIME_DIR" "$STATE_DIRECTORY" /run/systemd/{seats,sessions,users,machines}
mkfifo /tmp/end
exec 9<>/tmp/end
sink='{ factory.name=api.alsa.pcm.sink api.alsa.path="hw:0" node.name=card media.class=Audio/Sink object.linger=true audio.position=[FL FR] }'
dbus-daemon --session --nofork --address="$DBUS_SESSION_BUS_ADDRESS" </tmp/end >>/tmp/log 2>&1 &
wait_for test -S "$XDG_RUNTIME_DIR/bus"
pipewire </tmp/end >>/tmp/log 2>&1 &
wait_for pw-cli info 0
wireplumber </tmp/end >>/tmp/log 2>&1 &
sleep 1
pw-cli create-node adapter "$sink" >/dev/null
wait_for sh -c 'pw-cli info card | grep -q node.name'
pw-metadata -n settings 0 clock.force-quantum 1024 >/dev/null # 21 ms

# plays NAME CONF BASE PEAK: a client; its process is $player
plays() {
    PIPEWIRE_CONFIG_NAME=$2 /share/tests/stall_pipewire 0 "$1" "$3" "$4" 100 "/tmp/$1.log" -1 </tmp/end >"/tmp/$1.out" 2>&1 &
    player=$!
    wait_for grep -q playing "/tmp/$1.out"
}
# kept PATTERN: a copy is there, whole
kept() { [ "$(find "$traces" -name '*.cycles' "$@" | grep -c .)" -ge 1 ]; }
# decoded CLIENT TRACK SLICE
decoded() {
    sleeptune history --trace last -o /tmp/trace 2>/tmp/said
    cp /tmp/trace "/share/$((tap_n + 1)).json" # for whoever looks
    python3 /share/tests/trace_tracks.py /tmp/trace "$1" --culprit "$2" "$3" 2>&1
}
# row WHAT CLIENT TRACK SLICE COMMAND...: before it nothing was missed; then the culprit's slices; a SLICE of "own" is that of a thread of $player.
# $cause: only a copy of that one: the kernel's half of another one's may end before the deadline
row() {
    local slice=$4
    rm -rf "$traces"
    sleeptuned -f -c /tmp/conf >/tmp/daemon.log 2>&1 &
    daemon=$!
    wait_for grep -qs 1 /sys/kernel/tracing/instances/sleeptune/tracing_on
    echo "# $1, $(uptime)"
    sleep 3
    sleeptune heard --key quiet >/dev/null
    wait_for kept -name '*heard*'
    is "$1: before it" "$(decoded Synth "$3" "$4") $(python3 /share/tests/trace_tracks.py /tmp/trace Synth --missed)" "valid, Synth computes valid, Synth computes"
    rm -rf "$traces"
    "${@:5}"
    ok "$1: it is kept" wait_for kept -name "*-${cause:-*}.cycles"
    [ "$slice" != own ] || slice="/($(find /proc/$player/task -mindepth 1 -maxdepth 1 -printf '%f\n' | paste -sd '|'))$"
    is "$1: the culprit's slices are over the deadline" "$(decoded "$2" "$3" "$slice")" "valid, $2 computes, $slice made it miss"
    [ "$tap_failed" -eq 0 ] || { cat /tmp/said /tmp/daemon.log; python3 /share/tests/trace_tracks.py /tmp/trace "$2" --list; } | tap_note
    ended_by TERM $daemon
}

printf '%s\n' 'socket = { path = "/var/tmp/sock"; };' 'observe = { alsa = "off"; };' 'trace = { enabled = "on"; };' >/tmp/conf
plays Synth client-rt.conf 10 10
# A NET_RX takes one weight of packets: 1024, the whole queue of the card, are 10 ms here, longer than a cycle of 5.3 ms (the usual 64 are 0.6 ms)
modprobe virtio_net napi_weight=1024
python3 -c 'import fcntl, socket, struct
fcntl.ioctl(socket.socket(), 0x8914, struct.pack("16sH14x", b"eth0", 1))' # SIOCSIFFLAGS, IFF_UP
received() { cat /sys/class/net/eth0/statistics/rx_packets; }
packets() {
    local end=$((SECONDS + 2))
    touch /share/packets
    while ((SECONDS < end)); do :; done # not asleep: that takes no time of the host's, who sends none then
    rm /share/packets
}
pw-metadata -n settings 0 clock.force-quantum 256 >/dev/null
is "no packets" "$(received)" 0
row "packets from the network" card '^CPU 0: softirqs$' '^softirq/NET_RX$' packets
ok "$(received) packets came" test "$(received)" -gt 1024
pw-metadata -n settings 0 clock.force-quantum 1024 >/dev/null
row "a hog of SCHED_FIFO" card '^CPU 0$' '^hog/[0-9]+$' /share/tests/hog 0 95 47000 1 400
cause=too-slow
row "a client that computes too long" Reverb '^CPU 0$' own plays Reverb client-rt.conf 10 300
# the device's reserve
rm -rf "$traces"
sed -i 's/^observe.*//' /tmp/conf
sleeptuned -f -c /tmp/conf >/tmp/daemon.log 2>&1 &
daemon=$!
wait_for test -S /var/tmp/sock
sleep 4
sleeptune heard --key quiet >/dev/null
wait_for kept -name '*heard*'
sleeptune history --trace last -o /tmp/trace 2>/tmp/said
like "the device's reserve" "$(python3 /share/tests/trace_tracks.py /tmp/trace Synth --list)" 'alsa: hw:0,0,0 playback, pipewire: [1-9][0-9]* values, [0-9.]+ to [0-9.]+ ms'
ended_by TERM $daemon
is "the instance is removed at the end" "$(ls /sys/kernel/tracing/instances)" ""
tap_done
