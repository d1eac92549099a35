#!/usr/bin/env bash
# While nothing plays the loop rests: how often the daemon and its helper programs wake up then, and that the loop runs again
# within 2 s. The helper program is a script that prints what the test sends it, and "alive" every 20 s as the real ones do.
. "$SLEEPTUNE_SRC/tests/tap.sh"
go_on_as_nobody
. "$SLEEPTUNE_SRC/tests/integration/daemon-lib.sh"
own_state
helper_is pipewire <<'PYTHON'
#!/usr/bin/env python3
import os, select, sys
lines = os.open(os.path.dirname(sys.argv[0]) + "/lines", os.O_RDWR)
os.write(1, b"ready timing reports of PipeWire 1.0\n")
while True:
    ready, _, _ = select.select([0, lines], [], [], 20)
    if not ready:
        os.write(1, b"alive\n")
    if lines in ready:
        os.write(1, os.read(lines, 4096))
    if 0 in ready and not os.read(0, 1):
        break
PYTHON
mkfifo "$tmp/programs/lines"
exec {lines}<>"$tmp/programs/lines"
plays() { echo 'load cycles_n=469 busy_median_ns=1000 busy_p99_ns=2000 busy_max_ns=3000 period_ns=21333333 frames=1024 rate_hz=48000 device=null client=Carla' >&"$lines"; }

# wakes: how often all threads of the daemon and of its helper programs gave up a CPU so far, since each began
wakes() {
    local pid sum=0 n
    for pid in "$daemon" $(pgrep -P "$daemon"); do
        n=$(cat /proc/"$pid"/task/*/status 2>/dev/null | awk '/^voluntary_ctxt_switches/ { n += $2 } END { print n + 0 }')
        sum=$((sum + n))
    done
    echo "$sum"
}
threads() { find /proc/"$daemon"/task -mindepth 1 -maxdepth 1 | wc -l; }
locked_kb() { awk '/^VmLck/ { print $2 }' "/proc/$daemon/status"; }

only_pipewire='observe: { alsa = "off"; jack = "off"; pulseaudio = "off"; };'
config "$only_pipewire"
behind "$SLEEPTUNED" -f -c "$conf" >"$tmp/out" 2>"$log"
daemon=$!
ok "a daemon that nothing plays beside has a loop that rests" wait_for value_is '(d["state"], d["loop_rests"], d["loop"], d["loop_starts"])' "('idle', True, None, 0)"
ok "and watches" wait_for value_is '[s["state"] for s in d["observe"] if s["source"] == "pipewire"]' "['watching']"
is "no thread of the loop, its watchdog or the dummy stream is there" \
    "$(cat /proc/"$daemon"/task/*/comm | grep -cE 'st-(loop|drain|canary|watchdog|audio)')" 0
is "no memory is locked" "$(locked_kb)" 0
screen_is -t nothing-plays "$SLEEPTUNE" status --socket "$sock"
like "so do the metrics" "$(ask /metrics)" '^sleeptune_loop_running 0$'
is "it is not degraded by that" "$(value '[x for x in d["degraded"] if x["what"] in ("loop", "memory", "watchdog", "books")]')" "[]"

sleep 12 # what it does once after the start
before=$(wakes) since=$(date +%s)
sleep 30
rate=$((($(wakes) - before) * 60 / ($(date +%s) - since)))
echo "# $rate wake-ups a minute, $(threads) threads, $(awk '/^VmRSS/ { print $2, $3 }' "/proc/$daemon/status")"
ok "all threads and programs together wake up at most once in two seconds" test "$rate" -le 30
ok "but they are counted" test "$rate" -gt 5

plays
started=$(date +%s%N)
ok "something plays: the loop runs" wait_for value_is '(d["loop_rests"], d["loop"] is not None and d["loop"]["cycles"] > 0)' '(False, True)'
took_ms=$((($(date +%s%N) - started) / 1000000))
echo "# after $took_ms ms, warm-up and question included"
echo 'client-dropout count_n=24 certainty=exact reason=too-slow busy_ns=25000000 error_ns=250000 wait_ns=30000 period_ns=21333333 device=null client=Carla' >&"$lines"
like "what plays is logged" "$(cat "$log")" 'Carla on pipewire plays: the timing test runs'
is "once" "$(value 'd["loop_starts"]')" 1
like "the metrics say so" "$(ask /metrics)" '^sleeptune_loop_running 1$'
sleep 10
ok "it goes on for 30 s after the last sign" value_is 'd["loop_rests"]' False
cycles=$(value 'd["loop"]["cycles"]')
ok "then it rests" wait_for value_is '(d["state"] in ("idle", "degraded"), d["loop_rests"])' '(True, True)'
# what the loop measured is this computer's
played() { other_rows "This computer" Warning | sed "s/; for this computer's timing: .*//"; }
screen_is -t dropouts-before played
ok "its last figures stay, and its books balance" value_is "(d['loop']['cycles'] >= $cycles, d['loop']['books_balance'])" '(True, True)'
no_threads() { ! cat /proc/"$daemon"/task/*/comm | grep -qE 'st-(loop|drain|canary|watchdog|audio)'; }
ok "its threads are gone" wait_for no_threads
unlocked() { [ "$(locked_kb)" = 0 ]; }
ok "and no memory is locked" wait_for unlocked
is "nothing complained" "$(grep -E 'loop-stalled|starved|hangs|not balance' "$log")" ""

reload "$only_pipewire" 'loop: { when = "always"; frames = 256; };'
ok "loop.when = \"always\": it runs, with its new settings" wait_for value_is '(d["loop_rests"], d["loop"]["conditions"]["frames"])' '(False, 256)'
reload "$only_pipewire"
ok "\"playing\" again: it rests" wait_for value_is 'd["loop_rests"]' True
reload 'observe: { alsa = "off"; pipewire = "off"; jack = "off"; pulseaudio = "off"; };'
ok "where no source can tell it runs" wait_for value_is 'd["loop_rests"]' False
like "and the log says why" "$(cat "$log")" 'cannot know when a program plays'
stops "it ends cleanly"
tap_done
