#!/usr/bin/env bash
# One dropout as a file for ui.perfetto.dev: a real PipeWire server, and a client that stalls. As root also what the kernel did, by the real
# tracefs, mounted in a mount namespace of this test.
# shellcheck disable=SC2034
. "$SLEEPTUNE_SRC/tests/tap.sh"
if [ -z "${TRACE_TEST_INSIDE:-}" ] && [ "$(id -u)" = 0 ] && unshare -m true 2>/dev/null; then
    TRACE_TEST_INSIDE=yes exec unshare -m bash "$0"
fi
. "$SLEEPTUNE_SRC/tests/integration/pipewire-lib.sh"
own_state
export SLEEPTUNE_SOCKET=$sock
only "pipewire_server = \"$XDG_RUNTIME_DIR/pipewire-0\";" # root's own, if root runs this
starts "the daemon starts"
sound || skip_rest "a PipeWire server" "pipewire does not run here: $(tail -1 "$tmp/server.log")"
ok "the server is watched" wait_for of_like state watching
pw-metadata -n settings 0 clock.force-quantum 8192 >/dev/null
does "a client plays" client "$SLEEPTUNE_BUILD/tests/integration/stall_pipewire" 700
sleep 3
trace() { "$SLEEPTUNE" history --trace "$@" 2>"$tmp/said"; }
decoded() { "$PYTHON" "$SLEEPTUNE_SRC/tests/integration/trace_tracks.py" "$tmp/trace" "$@"; }

ok "a mark in quiet sound" "$SLEEPTUNE" heard --key quiet
ok "keeps the cycles" wait_for kept_mark
is "for the user alone" "$(stat -c %a "$tmp/state/traces" "$tmp"/state/traces/* | sort -u | xargs)" "600 700"
ok "and makes a file" trace last -o "$tmp/trace"
like "that says what it does not have" "$(cat "$tmp/said")" 'The file shows what the programs did, but not what the kernel did'
like "as does the file, and what it is about" "$(decoded stall --list | tr '\n' ' ')" 'kernel: 1 slices, Linux .*: this file has no kernel events, .*server: 1 slices, PipeWire [0-9.]+'
is "it is a trace, with the client and the mark" "$(decoded stall 'a click was marked (sleeptune heard)')" "valid, stall computes, 'a click was marked (sleeptune heard)' is there"

does "the client stalls" stall
kept_dropout() { [ "$(find "$tmp/state/traces" -name '*.cycles' ! -name '*heard*' | grep -c .)" -ge 1 ]; }
ok "that is kept, too" wait_for kept_dropout
# a program that few have: its name may say who made it
shared() { "$SLEEPTUNE" share 2>/dev/null | tr '\n' ' '; }
tells_dropouts() { shared | grep -Eq ' dropouts dropouts=[1-9][0-9]*, in a day of which [0-9]+ (s|min) were watched; a program [A-Za-z ,]+ [1-9]'; }
ok "share has the dropouts of a day, by program and reason" wait_for tells_dropouts
is "without that name" "$(shared | grep -c stall)" 0
kill -STOP "$daemon"
before=$(date +%s%N)
like "a daemon that hangs is not waited for" "$(shared) $((($(date +%s%N) - before) / 100000000))" ' dropouts not recorded .* [0-9]{1,2}$'
kill -CONT "$daemon"
id=$("$SLEEPTUNE" history --events --kind client-dropout --json | key - '[event["id"] for event in d["events"] if event["id"] > 0][-1]') # not one that is still being counted
like "the list of events has its number" "$("$SLEEPTUNE" history --events --details)" " #$id "
ok "it is a file by that number" trace "$id" -o "$tmp/trace"
is "in which the client computes or waits over its deadline" "$(decoded stall --missed)" "valid, stall computes, missed its deadline within that"
trace "$id" | cat >"$tmp/trace"
is "it can be piped" "$(decoded stall --missed)" "valid, stall computes, missed its deadline within that"
is "a number that is none" "$(trace 99999999 -o "$tmp/none"; echo $?) $(trace x -o "$tmp/none"; echo $?) $(ls "$tmp/none" 2>/dev/null)" "4 3 "
: >"$tmp/state/traces/9000000000000000000-device.cycles"
like "a file that is none is named" "$(trace last -o "$tmp/none"; echo "$? $(cat "$tmp/said")")" '^4 .*not a record of sleeptuned'
stop
is "the file of the last cycles goes with the daemon" "$(find "$tmp" -name 'sock.cycles')" ""

# the kernel's half
tracing=/sys/kernel/tracing
kernel_half() {
    [ "$(readlink /proc/self/ns/pid)" = 'pid:[4026531836]' ] && [ -n "${TRACE_TEST_INSIDE:-}" ] || return 1
    [ -e "$SLEEPTUNE_BUILD/daemon/sleeptune-trace.so" ] || return 1
    [ -d "$tracing/instances" ] || mount -t tracefs tracefs "$tracing" 2>/dev/null
}
kernel_half || skip_rest "what the kernel did" "needs root outside of a container, and libtracefs"
! others_trace || skip_rest "what the kernel did" "another sleeptuned traces on this kernel"
rm -r "$tmp/state/traces"
only "pipewire_server = \"$XDG_RUNTIME_DIR/pipewire-0\";" # root's own, if root runs this
echo 'trace: { enabled = "on"; }; loop: { when = "always"; };' >>"$conf"
before=$(cat "$tracing/tracing_on" "$tracing/events/sched/sched_switch/enable" "$tracing/buffer_size_kb" "$tracing/trace_clock")
other=$tracing/instances/sleeptune-other # another user of it
mkdir "$other"
echo 1 >"$other/events/sched/sched_switch/enable"
starts "a daemon that traces starts"
ok "it has an instance of its own" wait_for grep -q 1 "$tracing/instances/sleeptune/tracing_on"
is "the trace of others is as before" "$(cat "$tracing/tracing_on" "$tracing/events/sched/sched_switch/enable" "$tracing/buffer_size_kb" "$tracing/trace_clock")" "$before"
named() { # NAME: it runs, and another user's trace has its name
    cp "$(command -v sleep)" "$tmp/$1"
    for _ in 1 2 3 4 5; do # the kernel skips a name while another CPU notes one
        "$tmp/$1" 0.1
        ! grep -q "^ *$1-[0-9]" "$other/trace" || { echo named && return; }
    done
}
is "another one's goes on, with names" "$(cat "$other/tracing_on" "$other/events/sched/sched_switch/enable" | xargs) $(named st-while)" "1 1 named"
ok "the server is watched again" wait_for of_like state watching
sleep 3
stop_for 0.6 "$client_pid"
ok "a client that was stopped is kept" wait_for kept_dropout
ok "it makes a file" trace last -o "$tmp/trace"
like "with the client's cycles" "$(decoded stall)" '^valid, stall computes'
like "each CPU has what ran, interrupts and softirqs" "$(decoded stall --list | grep '^CPU 0' | tr '\n' ' ')" 'CPU 0: [1-9].* CPU 0: interrupts: .*CPU 0: softirqs: [1-9].*softirq/'
like "and each program its name" "$(decoded stall --list | grep '^CPU [0-9]*:')" '[a-z]/[0-9]+'
reload 'history: { traces_mb = 0; };'
ok "without room for traces those that were kept go" wait_for eval '[ -z "$(find "$tmp/state/traces" -type f)" ]'
stop # which holds the client's input
end_client
is "also after its end" "$(cat "$other/events/sched/sched_switch/enable") $(named st-after)" "1 named"
rmdir "$other"
does "the instance is removed at the end" [ ! -e "$tracing/instances/sleeptune" ]
tap_done
