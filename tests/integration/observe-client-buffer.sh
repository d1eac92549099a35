#!/usr/bin/env bash
# Sound that is lost between a program and PipeWire, with a recording of the sink as the truth: the short form of tests/bench/client-buffer.py.
. "$SLEEPTUNE_SRC/tests/tap.sh"
need pipewire pipewire-pulse wireplumber pw-cli pw-record paplay dbus-daemon python3
[ -x "$SLEEPTUNE_BUILD/xruns/helpers/sleeptune-observe-pipewire" ] || skip_all "built without libpipewire"
prlimit --pid $$ --rtprio=95:95 2>/dev/null
own_tmp

# measure OPTION...: sets $result; of EXPRESSION: of that, as r; long(LIST): those of at least 300 ms, which no noise of the machine makes
measure() {
    result=$("${as_user[@]}" "$SLEEPTUNE_SRC/tests/bench/client-buffer.py" --build "$SLEEPTUNE_BUILD" --each-ms 800 --json "$@" 2>"$tmp/err")
    local status=$?
    [ $status -ne 77 ] || skip_all "no PipeWire server runs here: $(tail -1 "$tmp/err")"
    is "$*: the player plays" "$status $(grep -v -e underrun -e 'write error' "$tmp/err")" "0 "
    tap_note <<<"$result"
}
of() { python3 -c 'import json, sys; r = json.loads(sys.argv[1])[0]; long = lambda all: [ms for ms in all if ms >= 300]; print(eval(sys.argv[2]))' "$result" "$1"; }

as_user=()
measure --how stopped --losses 5
is "a player of PulseAudio that is stopped five times: five holes" "$(of 'len(long(r["lengths_ms"]))')" 5
is "each is seen" "$(of 'len(long(r["reported_lengths_ms"]))')" 5
is "as its own, where and why" "$(of 'r["own"].get("client-buffer stopped", 0) >= 4 or r')" True # beside others one may be without a CPU at its end
is "and as long as it was, together to 5 %" \
    "$(of 'abs(sum(long(r["reported_lengths_ms"])) / sum(long(r["lengths_ms"])) - 1) < 0.05 or r')" True

measure --how none --losses 5
is "one that plays on has no hole of that length" "$(of 'len(long(r["lengths_ms"]))')" 0
is "and none is reported" "$(of 'len(long(r["reported_lengths_ms"])) or r["own"].get("client-buffer stopped", 0)')" 0

# Its server is stopped, and has no real-time priority by which its thread is known (PipeWire before 1.0 gives it no name).
as_user=(prlimit --rtprio=0:0)
[ "$(id -u)" -ne 0 ] || as_user=("${own_player[@]}" prlimit --rtprio=0:0)
measure --how server --losses 5
is "pipewire-pulse is stopped five times: a player waited for it" "$(of 'r["own"].get("graph waited-for-other", 0) >= 4 or r')" True
as_user=()

# The same, heard: not by root.
[ "$(id -u)" -ne 0 ] || as_user=("${own_player[@]}")
if "${as_user[@]}" test -x "$SLEEPTUNE_BUILD/xruns/helpers/sleeptune-observe-silence" || cannot "a player that is heard" "no program that listens, or an ordinary user cannot start it"; then
    measure --listen on --how stopped --losses 5
    is "a player that is heard and stopped five times: each is seen" "$(of 'sum(n for what, n in r["own"].items() if what == "client-buffer stopped") >= 5 or r')" True
    is "with its length, once" "$(of 'len(long(r["lengths_ms"])) == len(long(r["reported_lengths_ms"])) or r')" True
    is "and who listens says so" "$(of '"listens=1 " in r["ready"][0] or r')" True
    measure --listen on --how slowed --losses 3
    is "one that writes too slowly" "$(of 'r["own"].get("client-buffer writes-too-slowly", 0) >= 4 or r')" True
fi
as_user=()

[ "$(nproc)" -ge 2 ] && chrt --fifo 95 true 2>/dev/null || skip_rest "a player without a CPU" "one CPU, or no right to real-time priority"
measure --how hogged --losses 5
is "a player that gets no CPU five times: each is seen" "$(of 'len(long(r["reported_lengths_ms"]))')" 5
is "as its own, where and why" "$(of 'sum(n for what, n in r["own"].items() if what == "client-buffer cpu-taken") >= 5 or r')" True
tap_done
