#!/usr/bin/env bash
# What the tracer leaves in the kernel: nothing, also after kill -9. On the real tracefs, mounted in a mount namespace of this test.
. "$SLEEPTUNE_SRC/tests/tap.sh"
[ "$(uname)" = Linux ] || skip_all "needs Linux"
[ -e "$SLEEPTUNE_BUILD/daemon/sleeptune-trace.so" ] || skip_all "built without libtracefs"
alone "$@"
. "$SLEEPTUNE_SRC/tests/integration/daemon-lib.sh"
tracing=/sys/kernel/tracing
mounted() { awk -v dir="$tracing" '$2 == dir && $3 == "tracefs"' /proc/self/mounts | wc -l; }
left() { (cd "$tracing/instances" 2>/dev/null && for i in sleeptune*; do [ ! -d "$i" ] || printf '%s ' "$i"; done); }
traces() { value_is '[x for x in d["degraded"] if x["what"] == "trace"]' '[]' && [ "$(cat "$tracing/instances/sleeptune/tracing_on")" = 1 ]; }
on='trace: { enabled = "on"; };' off='trace: { enabled = "off"; };'
while [ "$(mounted)" -gt 0 ]; do umount -l "$tracing" || skip_all "tracefs cannot be unmounted here"; done
# libtracefs would take it from here
umount -l /sys/kernel/debug 2>/dev/null

# in a PID namespace, which this test may be in itself: the trace has the kernel's numbers of threads
cat >"$tmp/inside" <<'INSIDE'
#!/bin/sh
mount -t proc proc /proc && exec "$@"
INSIDE
chmod +x "$tmp/inside"
config "$on"
if unshare -m -p --fork "$tmp/inside" true 2>/dev/null || cannot "a PID namespace" "no PID namespace can be made here"; then
    starts "it starts in a PID namespace" unshare -m -p --fork --kill-child "$tmp/inside"
    ok "and says that it cannot trace there" wait_for value_is '"runs in a container (PID namespace), where threads have other numbers" in str(d["degraded"])' True
    like "as do the details of status" "$(status_rows Warning)" 'trace: .*Run sleeptuned outside, or without trace.enabled'
    is "and makes no trace" "$(left)" ""
    killed
    ok "its end is that of the namespace" wait_for eval '! ask /v1/status'
fi
[ "$(readlink /proc/self/ns/pid)" = 'pid:[4026531836]' ] || skip_rest "what is traced" "this test runs in a PID namespace" # not the first one

starts "tracefs is not mounted: it starts"
ok "trace is degraded" wait_for value_is 'any(x["what"] == "trace" for x in d["degraded"])' True
like "the log says how to mount it" "$(cat "$log")" 'trace is not available: tracefs is not mounted on /sys/kernel/tracing. Run as root: mount -t tracefs tracefs /sys/kernel/tracing'
is "it mounts nothing" "$(mounted)" 0
killed
is "killed: nothing is mounted" "$(mounted)" 0

[ "$(mounted)" -gt 0 ] || mount -t tracefs tracefs "$tracing" 2>/dev/null || skip_rest "leftovers" "tracefs cannot be mounted here"
! others_trace || skip_rest "leftovers" "another sleeptuned traces on this kernel"
starts "with tracefs it starts"
if [ "$(od -An -tu1 -j4 -N1 "$SLEEPTUNED" | tr -d ' ')" = 1 ] && grep -q 'local_t commit.*size:8' "$tracing/events/header_page"; then
    ok "with 32 bits it cannot trace a kernel of 64, and says so" wait_for value_is '"a program with 32 bits reads no event" in str(d["degraded"])' True
    skip_rest "what is traced" "this program has 32 bits, the kernel 64"
fi
ok "and traces" wait_for traces
is "in its main thread: each thread has a name" "$(cat "/proc/$daemon/task/"*/comm | grep -vxE 'st-(drain|history|loop|watchdog)' | tr '\n' ' ')" "sleeptuned "
is "the kernel notes no names for it, where no one else traces" "$(grep -x '.*record-cmd' "$tracing/instances/sleeptune/trace_options")" norecord-cmd
stop
is "its end removes the instance" "$(left)" ""

start
ok "it traces again" wait_for traces
killed
is "killed, it leaves the instance, which still traces" "$(left) $(cat "$tracing/instances/sleeptune/tracing_on" "$tracing/instances/sleeptune/events/sched/sched_switch/enable" | xargs)" "sleeptune  1 1"
config "$off"
"$SLEEPTUNED" -n -c "$conf" >/dev/null
is "looking at the configuration (-n) changes nothing" "$(left)" "sleeptune "
start
is "a start with trace.enabled = off removes what was left" "$(left)" ""
like "and logs it" "$(cat "$log")" 'removed the kernel trace /sys/kernel/tracing/instances/sleeptune, which a killed sleeptuned had left on'
stop

mkdir "$tracing/instances/sleeptune"
config 'loop: { frames = 3; };'
refused
is "a start with a wrong configuration removes it, too" "$status $(left)" "3 "

config "$on"
start
ok "a living daemon traces" wait_for traces
echo 'socket: { path = "'"$tmp"'/second"; }; trace: { enabled = "on"; };' >"$tmp/conf2"
behind "$SLEEPTUNED" -a -f -c "$tmp/conf2" 2>"$tmp/log2"
ok "a second daemon says that its instance is used" wait_for grep -q 'instances/sleeptune: another program uses it' "$tmp/log2"
ended_by TERM "${pids[-1]}"
ok "it leaves that of the living one" traces
stop
is "whose end removes it" "$(left)" ""

# the system's daemon traces, that of a user asks it; its loop is on CPU 0, which a hog takes
can_be_nobody && mount -t tmpfs -o mode=755 tmpfs /run && [ -x "$SLEEPTUNE_BUILD/tests/integration/hog" ] ||
    skip_rest "a user's daemon asks the system's" "nobody may not run the programs, or /run cannot be mounted"
system=/run/sleeptune/sleeptuned.sock own=$sock
echo 'audio: { backend = "none"; }; loop: { when = "always"; }; socket: { mode = "0666"; }; trace: { enabled = "on"; };' >"$conf"
sock=$system
starts "the system's daemon starts"
ok "it traces" wait_for traces
first=$daemon
culprits() { curl -s --unix-socket "$system" "http://localhost/v1/culprits?$1"; }
like "a question without a time is refused, and one about a day" "$(culprits tid=1) $(culprits 'tid=1&since=1d&until=0s')" "'since', 'until' and 'tid' are needed.*at most 10 s"
no_one() { [ "$(culprits 'tid=2147483647&since=2s&until=1s')" = '{"schema":"sleeptune-culprit/1","traces":true,"name":null}' ]; }
ok "of a thread that did not run no one is known" wait_for no_one
mkdir "$tmp/own"
chown 65534 "$tmp/own"
sock=$tmp/own/sock
config 'audio: { backend = "none"; }; loop: { when = "always"; cpu = 0; };'
starts "a user's daemon starts" "${nobody[@]}"
ok "it asks the system's" wait_for logged "the system's sleeptuned is asked which program had the CPU"
behind "$SLEEPTUNE_BUILD/tests/integration/hog" 0 80 60000 400 100 >"$tmp/hog" 2>&1
hog=$!
named() { ask /v1/causes | grep -q '"culprit": "hog"'; }
if kill -0 "$hog" 2>/dev/null && [ "$(ps -L -o cls= -p "$hog" | grep -c FF)" -gt 0 ] || cannot "its late wake-ups have the hog's name" "no right to SCHED_FIFO here: $(cat "$tmp/hog")"; then
    ok "its late wake-ups have the hog's name" wait_for named
    late='max(x["time_ns"] for x in d["events"] if x["event"] == "late-wake")'
    kill -STOP "$first" # it answers no one
    ok "it goes on when the system's does not answer" wait_for value_is "$late > $(value "$late")" True
    kill -CONT "$first"
fi
kill "$hog"
stop
daemon=$first
stop
sock=$own
tap_done
