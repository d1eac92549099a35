#!/usr/bin/env bash
# Starved clients of a real PipeWire server: null sink, and a stream that stalls.
# shellcheck disable=SC2034
. "$SLEEPTUNE_SRC/tests/tap.sh"
prlimit --pid $$ --rtprio=20:20 2>/dev/null # as the service has it; needs CAP_SYS_RESOURCE
go_on_as_nobody
. "$SLEEPTUNE_SRC/tests/integration/pipewire-lib.sh" pw-profiler

is "without a server it says so" "$(says)" "absent facts=1 PipeWire is not running for this user
status 2"
is "without its plugins it is not installed" "$(SPA_PLUGIN_DIR=$tmp/none "$observer" <>"$tmp/no-end" 2>&1)" "absent PipeWire is not installed"

only
export XDG_STATE_HOME=$tmp/state # check reads what is recorded
starts "the daemon starts"
ok "without a server the source is absent" wait_for of_like state absent
sound || skip_rest "a PipeWire server" "pipewire does not run here: $(tail -1 "$tmp/server.log")"
ok "a server that comes is watched, and the status says what" wait_for of_like why '^timing reports of PipeWire [0-9]+\.'
export STALL_CLAIMS=$daemon
does "a client plays, and claims to be the daemon" client "$SLEEPTUNE_BUILD/tests/integration/stall_pipewire" 700
sleep 3
# it looks every 20 ms, however short the cycles are
wakes() { awk '/^voluntary_ctxt/ {print $2}' "/proc/$(pgrep -P "$daemon" sleeptune-obser)/status"; }
pw-metadata -n settings 0 clock.force-quantum 64 >/dev/null
sleep 2
wakes_before=$(wakes) wakes_from=${EPOCHREALTIME/./}
sleep 4
rate=$((($(wakes) - wakes_before) * 1000000 / (${EPOCHREALTIME/./} - wakes_from)))
ok "its helper wakes up $rate times in a second of 750 cycles, at most 55" [ "$rate" -le 55 ]
pw-metadata -n settings 0 clock.force-quantum 8192 >/dev/null
sleep 2
before=$(of client_dropouts)
does "a quiet run starves nobody" quiet
before=$(of client_dropouts)
does "somebody else watches it, too" watch others -p 1
is "the program that watches keeps no right to real-time priority, and little memory to lock" \
    "$(awk '/^Max (realtime priority|locked memory)/ {print $4, $5}' "/proc/$(pgrep -P "$daemon" sleeptune-obs)/limits" | xargs)" "65536 65536 0 0"
is "and takes the CPU from no program without real-time rights" "$(awk '{print $19}' "/proc/${watchers[0]}/stat")" 10
does "and one that leaves that process out" watch own -p "$client_pid"
does "and one that leaves out the process that it claims to be" watch claimed -p "$daemon"
unset STALL_CLAIMS
(cd "$tmp" && exec pw-profiler -o profile >/dev/null 2>&1) & # it leaves files there
profiler=$!
pids+=("$profiler")
sleep 2
lost_cycles() { value "sum(c['lost_cycles'] or 0 for s in d['observe'] if s['source'] == 'pipewire' for c in s['clients'] if c['name'] == 'stall')"; }
# what pw-top counts; that of 0.3 prints to a terminal only
errors() { case $(of why) in *'PipeWire 0.'*) echo 0 ;; *) pw-top -b -n 2 | awk '$NF == "stall" {n = $9} END {print n + 0}' ;; esac; }
errors_before=$(errors) before=$(of client_dropouts) cycles_before=$(lost_cycles) device_before=$(of device_dropouts)
does "the client stalls" stall
more() { [ "$(of client_dropouts)" -gt "$before" ]; }
ok "which is seen" wait_for more
sleep 3
kill -INT "$profiler"
wait "$profiler" 2>/dev/null
missed=$(($(lost_cycles) - cycles_before))
tap_note <<<"700 ms in a cycle of 171 ms: $missed cycles missed"
ok "it missed at least three cycles" test "$missed" -ge 3
is "which is one dropout" "$(($(of client_dropouts) - before))" 1
ok "others see it" grep -q '^client-dropout .*client=stall' "$tmp/others"
ok "whatever it claims" grep -q '^client-dropout .*client=stall' "$tmp/claimed"
is "whose process it is does not" "$(grep -v -e ^ready -e ^alive -e "^load .* device=nul$" -e "^client-dropout .*client=PipeWire" "$tmp/own")" ""
is "no device had an xrun" "$(($(of device_dropouts) - device_before))" 0
case $(of why) in
*'PipeWire 0.'*)
    # its lines have ten columns of the driver, then of each follower id, ..., status; such a cycle is there twice
    told=$(awk -F '\t' '$11 == 1 || $11 == 2' "$tmp/profile" | wc -l)
    # a single line is half a cycle at its begin or end
    ok "pw-profiler saw the same cycles" test $((told / 2 - missed)) -ge -1 -a $((told / 2 - missed)) -le 1
    ;;
*) # a client that wakes up after several cycles adds those that it missed to what the server has counted: ERR has them twice
    told=$(($(errors) - errors_before))
    ok "pw-top has as many, or up to twice as many" test "$told" -ge "$missed" -a "$told" -le $((2 * missed))
    ;;
esac
# a busy server may have its own
ok "it is an event with sink and client, after a moment in which a late wake-up of that time may come" wait_for value_is \
    '[(e["source"], e["device"], e["certainty"]) for e in d["events"] if (e["event"], e.get("client")) == ("client-dropout", "stall")][:1]' "[('pipewire', 'nul', 'exact')]"
like "and it is a metric" "$(ask /metrics)" "^sleeptune_dropouts_total\{source=\"pipewire\"\} $(of client_dropouts)\$"
of_cycle() { value "[s for s in d['observe'] if s['source'] == 'pipewire'][0]['cycle']$1"; }
like "its cycle has a sentence" "$(of_cycle "['text']")" '^stall waited .*, computed .*; the next cycle began after [0-9.]+ m?s$'
is "and the client's times, which reach the deadline" "$(of_cycle "['clients'][0]['name']") $(value "any(c['wait_ns'] + c['busy_ns'] >= s['cycle']['deadline_ns'] for s in d['observe'] if s['source'] == 'pipewire' for c in s['cycle']['clients'])")" \
    "stall True"
ask /v1/cycle.svg >"$tmp/cycle.svg"
ok "it is a picture" "$PYTHON" -c 'import sys, xml.etree.ElementTree as tree; assert tree.parse(sys.argv[1]).getroot().tag == "{http://www.w3.org/2000/svg}svg"' "$tmp/cycle.svg"
SLEEPTUNE_SOCKET=$sock "$SLEEPTUNE" check --duration 8s --quiet --json >"$tmp/check.json" 2>&1 &
checks=$!
sleep 1.5
does "it stalls while check measures" stall
wait "$checks"
like "check says what sleeptuned recorded meanwhile" "$(key "$tmp/check.json" 'd["music"]["answer"]')" '^In the last [12][0-9] s at most, recorded by sleeptuned: stall lost sound '
device_before=$(of device_dropouts) from=${EPOCHREALTIME/./}
kill -STOP "$server"
sleep 3
kill -CONT "$server"
most_ns=$(((${EPOCHREALTIME/./} - from + 1000000) * 1000)) # a cycle is 171 ms, and what it did is looked at each 20 ms
sleep 3 # 0.3.65 reports cycles up to a second later
stood="[([r['dropouts'] for r in c['rows'] if r['reason'] == 'stopped'], 2.5e9 < c['longest_ns'] < $most_ns) for s in d['observe'] for c in s['clients'] if c['name'] == 'PipeWire']"
ok "a server that is stopped has one dropout of that length" wait_for value_is "$stood" "[([1], True)]"
is "and its device none" "$(($(of device_dropouts) - device_before))" 0
tap_note <<<"$(value "[(c['rows'], c['longest_ns'] / 1e9, c['lost_cycles']) for s in d['observe'] for c in s['clients'] if c['name'] == 'PipeWire']") in $((most_ns / 1000000 - 1000)) ms"
end_watchers # they hold the client's input, too
end_client
ended_at=${EPOCHREALTIME/./}
ok "a client that ends has ended" wait_for value_is "[c['playing'] for s in d['observe'] for c in s['clients'] if c['name'] == 'stall']" "[False]"
ok "at once, not when its next load is missing" test $((${EPOCHREALTIME/./} - ended_at)) -lt 20000000

after=$(counts)
kill "$manager"
end_server
ok "a server that ends is absent, and the status says why" wait_for of_like why 'PipeWire [0-9.]+ has ended|PipeWire is not running for this user'
like "the first line is that, not who clicked before" "$(value 'd["verdict"]')" '^PipeWire has not been watched by sleeptuned since .*: .*\. Earlier: [0-9]+ dropout'
does "another one comes" sound
ok "and is watched" wait_for of_is state watching
is "counts go on" "$(counts)" "$after"

the_end "the PipeWire server does not answer"
