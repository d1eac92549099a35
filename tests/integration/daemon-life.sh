#!/usr/bin/env bash
# A day of sleeptuned: start, status, metrics, reload with good and bad files, end.
. "$SLEEPTUNE_SRC/tests/integration/daemon-lib.sh"

own_state
config 'loop: { frames = 256; };' 'audio: { backend = "dummy"; };'
starts "it starts and counts"
ok "the own stream plays on the dummy backend" wait_for value_is 'd["audio"]["state"]' playing
is "status has its schema, the configured period and the process" "$(value 'd["schema"], d["loop"]["period_ns"], d["pid"]')" "sleeptune-status/1 {'num': 16000000, 'den': 3} $daemon"
first=$(value 'd["loop"]["cycles"]')
ok "the loop goes on" wait_for value_is "d['loop']['cycles'] > $first" True

ends 0 "sleeptune status works" "$SLEEPTUNE" status --socket "$sock"
like "with the loop's period" "$(tr -s ' \n' '  ' <"$tmp/out")" ' 256 frames'
is "--json is the document of the daemon" "$("$SLEEPTUNE" status --json --socket "$sock" | key - 'd["schema"]')" sleeptune-status/1
like "SLEEPTUNE_SOCKET is used" "$(SLEEPTUNE_SOCKET=$sock "$SLEEPTUNE" status | tr -s ' \n' '  ')" ' 256 frames'

like "sleeptune alone is status, as a daemon answers" "$(SLEEPTUNE_SOCKET=$sock "$SLEEPTUNE" | tr -s ' \n' '  ')" ' 256 frames'
is "--line: what a bar reads, in one line" "$("$SLEEPTUNE" status --line waybar --socket "$sock" | tee "$tmp/out" | key - 'sorted(d)') $(wc -l <"$tmp/out")" "['class', 'text', 'tooltip'] 1"
like "plain: the class, and the first line of the screen" "$("$SLEEPTUNE" status --line plain --socket "$sock")" '^(ok|warning|problem): [A-Za-z]'
is "--line without a daemon" "$("$SLEEPTUNE" status --line polybar --socket "$tmp/nobody"; echo $?)" $'no sleeptuned\n4'
behind "$SLEEPTUNE" status --line i3blocks --follow --socket "$tmp/nobody" > >(head -n 1 >"$tmp/out")
bar=$!
ok "--follow prints its first line at once" wait_for grep -q 'no sleeptuned' "$tmp/out"
ended() { ! kill -0 "$bar" 2>/dev/null; }
ok "and ends when the bar has gone" wait_for ended

like "metrics are served, which fleet.sh and test_view look at" "$(ask /metrics)" '^sleeptune_cycles_total [0-9]'

reload 'loop: { frames = 512; };'
ok "SIGHUP: the loop starts again with the changed period, and that is recorded" wait_for value_is \
    'd["loop"]["period_ns"]["num"], [e["event"] for e in d["events"]].count("loop-restart")' "32000000 1"
ok "SIGHUP: the stream is closed" wait_for value_is 'd["audio"]["state"]' off

reload 'loop: { frames = 64;' ' rate_hz = 1; };'
ok "a bad file is said in the status" wait_for value_is 'd["state"]' degraded
screen_is bad-file value 'd["config"]["error"]'
is "and the old settings are kept" "$(value 'd["loop"]["period_ns"]["num"]')" 32000000
screen_is bad-file-in-the-log grep '^.*reload:' "$log"
screen_is bad-file-warning status_rows 'Warning +config'
reload 'loop: { frames = 512; };'
ok "a good file again: nothing is degraded by the configuration" wait_for value_is 'd["config"]["error"]' None

stops "SIGTERM: a clean end"
is "the socket is gone" "$(test -e "$sock" && echo there)" ""
like "the last minute is logged" "$(cat "$log")" 'last [0-9]+ s: [0-9]+ cycles of the timing test, [0-9]+ missed'
is "what it counted is in the history" "$("$SLEEPTUNE" history --db "$tmp/state/history.db" --since 1h --json | key - 'sum(r["cycles"] or 0 for r in d["rows"]) > 0')" True
like "and the log has the end" "$(cat "$log")" 'ended after [0-9]+ cycles of the timing test: '
is "with balanced books" "$(grep -ci 'not valid\|do not agree\|books' "$log")" 0

start
kill -STOP "$daemon"
kill -HUP "$daemon"
kill -TERM "$daemon"
kill -CONT "$daemon"
does "SIGTERM behind SIGHUP: a clean end" wait "$daemon"
is "which does not wait for the reload" "$(grep -c 'reload: the settings' "$log")" 0

# who starts a program may have closed its standard files: neither the lock nor a socket takes their place
standard_files() { readlink "/proc/$1/fd/0" "/proc/$1/fd/1" "/proc/$1/fd/2" | xargs; }
standard_files_are() { [ "$(standard_files "$1")" = "$2" ]; }
if [ -e /proc/self/fd/0 ]; then
    starts "without standard files: it starts" sh -c 'exec "$@" <&- >&- 2>&-' sh
    is "which are /dev/null" "$(standard_files "$daemon")" "/dev/null /dev/null /dev/null"
    stops "it ends cleanly, too"
    "$SLEEPTUNE" measure --duration 1h <&- >&- 2>&- &
    pids+=("$!")
    ok "so are those of a command" wait_for standard_files_are "$!" "/dev/null /dev/null /dev/null"
    kill -KILL "$!"
    "$SLEEPTUNE" measure --duration 0.1s --warmup 0 >&- 2>"$tmp/err"
    is "what it prints to one that is closed is an error as before" "$?" 4
    like "which says so" "$(cat "$tmp/err")" 'standard output'
fi

# while it reads its options
early=$SLEEPTUNE_BUILD/tests/integration/early_signal.so
[ -e "$early" ] && ! ldd "$SLEEPTUNED" | grep -qE 'lib[at]san' || skip_rest "a signal at the very beginning" "nothing can be preloaded here"
timeout 60 env EARLY_SIGNAL=15 LD_PRELOAD="$(preloadable "$early")" "$SLEEPTUNED" -a -f -c "$conf" 2>"$log"
is "SIGTERM at the very beginning: a clean end" "$?" 0
like "which the log tells" "$(cat "$log")" 'SIGTERM: ending'
starts "SIGHUP at the very beginning: it starts" env EARLY_SIGNAL=1 LD_PRELOAD="$(preloadable "$early")"
ok "and reads the configuration again" wait_for logged 'reload: the settings'
stops "it ends cleanly"
tap_done
