#!/usr/bin/env bash
# Without the right to SCHED_FIFO: degraded, and said everywhere; rtkit asked over a real D-Bus.
. "$SLEEPTUNE_SRC/tests/integration/daemon-lib.sh"
need prlimit
if [ "$(id -u)" -eq 0 ]; then
    can_be_nobody || skip_all "needs setpriv to become nobody"
    mkdir -m 777 "$tmp/open"
    sock=$tmp/open/few config
    like "a limit of two threads is too low for its loop, and it says so" "$(timeout 60 "${nobody[@]/65534/64123}" prlimit --nproc=2 "$SLEEPTUNED" -a -f -c "$conf" 2>&1)" 'cannot start the timing test: Resource temporarily unavailable'
    sock=$tmp/open/sock
    plain() { exec "${nobody[@]}" --inh-caps=-all prlimit --rtprio=0 --memlock=0 -- "$@"; }
else
    plain() { exec prlimit --rtprio=0 --memlock=0 -- "$@"; }
fi
export DBUS_SYSTEM_BUS_ADDRESS=unix:path=$tmp/no-bus
config 'audio: { backend = "none"; };'

starts "it starts without rights" plain
is "it runs as an ordinary thread" "$(value 'd["loop"]["conditions"]["policy"]')" other
if [ "$(uname)" = Linux ]; then # field 41 of /proc/PID/task/TID/stat is the policy, 3 SCHED_BATCH
    of_threads() { for thread in /proc/"$daemon"/task/*; do echo "$(cat "$thread/comm") $(sed 's/.*) //' "$thread/stat" | cut -d' ' -f39)"; done; }
    is "as the programs that play do" "$(of_threads | grep st-loop)" "st-loop 0"
    is "its other threads take the CPU from no one when they wake up" "$(of_threads | grep -v -e st-loop -e ' 3$')" ""
fi
like "that is a detail, as on most desktops, and why" "$(value 'd["degraded"]')" "no right to.*SCHED_FIFO"
if ! ldd "$SLEEPTUNED" | grep -qE 'lib[at]san' || cannot "memory too" "sanitizers answer mlockall themselves"; then
    like "memory too" "$(value 'd["degraded"]')" 'memory'
fi
like "sleeptune status --details says so" "$("$SLEEPTUNE" status --details --socket "$sock")" '^ *Rights .*SCHED_FIFO'
like "metrics say so" "$(ask /metrics)" '^sleeptune_degraded\{what="loop"\} 1$'
ok "the log says so" wait_for logged 'event: loop: .*SCHED_FIFO'
like "a system without D-Bus is reported" "$(value 'd["rtkit"]')" 'no D-Bus system bus|built without'
stop

# what is locked counts against a user's limit: glibc reserves 64 MB a thread unless told not to
open_sock=$sock sock=$tmp/sock # root's daemon refuses a folder that others can change
config
starts "it starts with what rights there are"
locked_kb=$(awk '/^VmLck/ {print $2}' "/proc/$daemon/status" 2>/dev/null)
if [ "${locked_kb:-0}" -eq 0 ] || ldd "$SLEEPTUNED" | grep -qE 'lib[at]san'; then
    skip "little is locked" "no right to lock memory, no glibc, or a sanitizer"
else
    ok "little is locked: $locked_kb kB" [ "$locked_kb" -lt 262144 ]
fi
stops "it ends cleanly"
like "and the last figures are logged" "$(cat "$log")" 'last [0-9]+ s: [0-9]+ cycles'
sock=$open_sock
config

bus=$tmp/bus
if ! "$SLEEPTUNE" --version | grep -q 'systemd yes'; then
    skip "rtkit" "built without systemd"
elif ! command -v dbus-daemon >/dev/null; then
    skip "rtkit" "dbus-daemon is not installed"
else
    export DBUS_SYSTEM_BUS_ADDRESS=unix:path=$bus
    bus "$bus"
    chmod 777 "$bus" 2>/dev/null
    starts "a bus without rtkit: it starts" plain
    like "and what the bus said is told" "$(value 'd["rtkit"]')" 'rtkit gave no real-time priority: .*(RealtimeKit1|not provided)'
    is "as an ordinary thread" "$(value 'd["loop"]["conditions"]["policy"]')" other
    stop

    if [ "$(id -u)" -eq 0 ] || cannot "rtkit grants SCHED_RR" "the stand-in for rtkit needs root"; then
        behind "$SLEEPTUNE_BUILD/tests/integration/fake_rtkit" >"$tmp/rtkit.log" 2>&1
        wait_for grep -q ready "$tmp/rtkit.log"
        start plain
        if ! grep -q 'refused by the kernel' "$tmp/rtkit.log" || cannot "rtkit grants SCHED_RR" "SCHED_RR is not to be had here: $(tail -1 "$tmp/rtkit.log")"; then
            is "rtkit grants SCHED_RR: the kernel says so" "$(value '(d["loop"]["conditions"]["policy"], d["loop"]["conditions"]["priority"])')" "('rr', 20)"
            is "it is shown as such" "$(value 'd["rtkit"]')" 'rtkit gave real-time priority 20 (SCHED_RR), with at most 200 ms of computing without a sleep'
            is "and is enough" "$(value '[x["why"] for x in d["degraded"] if x["what"] in ("loop", "watchdog") and "memory" not in x["why"]]')" '[]'
            like "RLIMIT_RTTIME was set before it asked" "$(cat "$tmp/rtkit.log")" '^granted .* rttime 200000$'
        fi
        stops "it ends cleanly"
        (plain "$SLEEPTUNE" check --duration 1s --no-servers --quiet >"$tmp/check.txt")
        if ! grep -q 'refused by the kernel' "$tmp/rtkit.log" || cannot "check asks rtkit, too" "SCHED_RR is not to be had here"; then
            is "check asks rtkit, too" "$(grep -c '^granted priority 20 rttime 200000$' "$tmp/rtkit.log")" 2
            is "and measures with that priority" "$(grep -c 'Measured without real-time priority' "$tmp/check.txt")" 0
        fi
    fi
fi
tap_done
