#!/usr/bin/env bash
# What the tracer leaves in the kernel: nothing, also after kill -9. On the real tracefs, mounted in a mount namespace of this test.
# shellcheck disable=SC2119,SC2317
set -u
. "$SLEEPTUNE_SRC/tests/tap.sh"
if [ -z "${TRACE_TEST_INSIDE:-}" ]; then
    [ "$(uname)" = Linux ] && [ "$(id -u)" = 0 ] || skip_all "needs root on Linux"
    "$SLEEPTUNED" -V >/dev/null || exit 1
    unshare -m true 2>/dev/null || skip_all "no mount namespace can be made here"
    [ -e "$SLEEPTUNE_BUILD/daemon/sleeptune-trace.so" ] || skip_all "built without libtracefs"
    TRACE_TEST_INSIDE=yes exec unshare -m "$0"
fi
. "$SLEEPTUNE_SRC/tests/integration/daemon-lib.sh"
need curl
tracing=/sys/kernel/tracing
mounted() { awk -v dir="$tracing" '$2 == dir && $3 == "tracefs"' /proc/self/mounts | wc -l; }
left() { (cd "$tracing/instances" 2>/dev/null && for i in sleeptune*; do [ ! -d "$i" ] || printf '%s ' "$i"; done); }
traces() { value_is '[x for x in d["degraded"] if x["what"] == "trace"]' '[]' && [ "$(cat "$tracing/instances/sleeptune/tracing_on")" = 1 ]; }
killed() {
    kill -9 "$daemon"
    wait "$daemon" 2>/dev/null
}
on='trace: { enabled = "on"; };' off='trace: { enabled = "off"; };'
while [ "$(mounted)" -gt 0 ]; do umount -l "$tracing" || skip_all "tracefs cannot be unmounted here"; done
# libtracefs would take it from here
umount -l /sys/kernel/debug 2>/dev/null

config "$on"
starts "tracefs is not mounted: it starts"
ok "trace is degraded" wait_for value_is 'any(x["what"] == "trace" for x in d["degraded"])' True
like "the log says how to mount it" "$(cat "$log")" 'tracefs is not mounted on /sys/kernel/tracing. Run as root: mount -t tracefs tracefs /sys/kernel/tracing'
is "it mounts nothing" "$(mounted)" 0
killed
is "killed: nothing is mounted" "$(mounted)" 0

[ "$(mounted)" -gt 0 ] || mount -t tracefs tracefs "$tracing" 2>/dev/null || { skip "leftovers" "tracefs cannot be mounted here"; tap_done; }
[ -z "$(left)" ] || { skip "leftovers" "another sleeptuned traces on this kernel: $(left)"; tap_done; }
starts "with tracefs it starts"
ok "and traces" wait_for traces
stop
is "its end removes the instance" "$(left)" ""

start
ok "it traces again" wait_for traces
killed
is "killed, it leaves the instance" "$(left)" "sleeptune "
is "which still traces" "$(cat "$tracing/instances/sleeptune/tracing_on" "$tracing/instances/sleeptune/events/sched/sched_switch/enable" | tr '\n' ' ')" "1 1 "
config "$off"
"$SLEEPTUNED" -n -c "$conf" >/dev/null
is "looking at the configuration (-n) changes nothing" "$(left)" "sleeptune "
start
is "a start with trace.enabled = off removes what was left" "$(left)" ""
like "and logs it" "$(cat "$log")" 'removed the trace /sys/kernel/tracing/instances/sleeptune of a sleeptuned that was killed'
stop

mkdir "$tracing/instances/sleeptune"
config 'loop: { frames = 3; };'
refused
is "a start with a wrong configuration removes it, too" "$status $(left)" "3 "

config "$on"
start
ok "a living daemon traces" wait_for traces
echo 'socket: { path = "'"$tmp"'/second"; }; trace: { enabled = "on"; };' >"$tmp/conf2"
"$SLEEPTUNED" -a -f -c "$tmp/conf2" 2>"$tmp/log2" &
pids+=($!)
ok "a second daemon says that its instance is used" wait_for grep -q 'instances/sleeptune: another process uses it' "$tmp/log2"
kill "${pids[-1]}"
wait "${pids[-1]}"
ok "it leaves that of the living one" traces
stop
is "whose end removes it" "$(left)" ""
tap_done
