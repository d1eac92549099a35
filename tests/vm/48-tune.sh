#!/usr/bin/env bash
# vm: -k generic -q -i -c none -t 1500
# tune on a real kernel: a slack of 5 ms that costs, a setting that does harm, a program that writes the same setting, noise, and
# kill -9 at random moments. The guest's clock counts instructions: how fast the host is does not matter. This guest has no idle
# states, so /dev/cpu_dma_latency is not tried.
# shellcheck source=tests/tap.sh
. /share/tests/tap.sh
cp -a /share/usr /share/etc / 2>/dev/null
ldconfig
preempt=/sys/kernel/debug/sched/preempt huge=/sys/kernel/mm/transparent_hugepage swappiness=/proc/sys/vm/swappiness
dd if=/dev/zero of=/swap bs=1M count=16 status=none
chmod 600 /swap
mkswap -q /swap
swapon /swap
echo always >$huge/enabled
echo always >$huge/defrag
# root without the right to real-time priority, whose sleeps are up to 5 ms too long: a quarter of a period of 1024 frames
# shellcheck disable=SC2016  # the inner shell's
slow=(setpriv --bounding-set=-sys_nice --inh-caps=-sys_nice prlimit --rtprio=0 -- bash -c 'echo 5000000 >/proc/$$/timerslack_ns; exec "$@"' sh)
tune=(sleeptune tune --frames 1024 --budget 5m)
field() { jq -r "$1" /tmp/out; }
one_line() { tr '\n' ' ' | tr -s ' '; }
# shellcheck disable=SC2317 # called by wait_for
ended() { ! pgrep -x sleeptune; }
value() { cat "$swappiness"; }
value_is() { [ "$(value)" = "$1" ]; }
# all that a candidate may write, the other settings beside it, and /etc
state() {
    (cd /etc && find . -type f -exec sha256sum {} + -o -printf '%p %m %l\n' | sort)
    grep -H . "$preempt" "$huge"/{enabled,defrag,khugepaged/defrag}
    sysctl -a 2>/dev/null | grep -E '^(vm|kernel)\.' | grep -vE '^kernel\.(random|pty\.nr|ns_last_pid)'
}

sleeptune tune --dry-run --json --frames 1024 >/tmp/out
jq -c '.candidates[]' /tmp/out | tap_note
is "swap and huge pages can be tried" "$(field '[.candidates[] | select(.why == null) | .id] | sort | join(" ")')" "linux-huge-pages linux-swap"
state >/tmp/before

# --- a setting that costs: the slack of a normal thread ---
"${slow[@]}" "${tune[@]}" --only linux-timer-slack --json >/tmp/out 2>/tmp/err
is "a slack of 5 ms: status 0" "$?" 0
jq -c '.candidates[]' /tmp/out | tap_note
is "without it the thread is less often late" "$(field '.candidates[0] | .id, .outcome, .fold.low > 1' | tr '\n' ' ')" "linux-timer-slack helps true "
is "nothing is on standard error" "$(tr '\r' '\n' </tmp/err | grep '^sleeptune')" ""
like "the report knows it" "$("${slow[@]}" sleeptune report --frames 1024 --only linux-timer-slack | one_line)" 'Timer slack of normal threads [0-9.]+ times fewer late'

# --- nothing to improve ---
"${tune[@]}" >/tmp/out 2>/tmp/err
is "a quiet machine: status 0" "$?" 0
like "nothing to improve" "$(cat /tmp/out)" '^Nothing to improve with 1024 frames: no wake-up was late'

# --- a setting that does harm: this program takes the CPU while swappiness is what tune tries ---
(
    while :; do
        if value_is 10; then /share/tests/hog 0 80 60000 3 100 >/dev/null; else sleep 0.2; fi
    done
) &
other=$!
"${slow[@]}" "${tune[@]}" --only linux-swap >/tmp/out 2>/tmp/err
is "a setting that does harm: status 0" "$?" 0
tap_note </tmp/out
kill $other
wait $other 2>/dev/null
like "it is found" "$(one_line </tmp/out)" 'linux-swap: harmful; [0-9]+ late wake-ups with it, [0-9]+ without \([0-9]+ pairs? of blocks\): [0-9]+ missed periods in one block'
is "and undone" "$(value)" 60

# --- another program writes the setting during its trial ---
cp /bin/bash /tmp/tuned
# shellcheck disable=SC2016  # the inner shell's
/tmp/tuned -c 'until [ "$(<'$swappiness')" = 10 ]; do sleep 0.2; done; echo 33 >'$swappiness'; sleep 600; :' &
other=$!
"${slow[@]}" "${tune[@]}" --only linux-swap --json >/tmp/out 2>/tmp/err
is "a fight: status 0" "$?" 0
is "the other program is named" "$(field '.candidates[0] | .outcome, .why' | tr '\n' ' ')" "fought another program wrote vm.swappiness (running here: tuned) "
is "its value stays" "$(value)" 33
ok "also after revert" sleeptune revert --all
is "which changes nothing" "$(value)" 33
kill $other
wait $other 2>/dev/null
echo 60 >$swappiness

# --- noise: stalls of 0.3 s on average, every 5 s on average ---
/share/tests/stalls 0 80 300000 5000 600 0 7 >/dev/null &
other=$!
"${tune[@]}" >/tmp/out 2>/tmp/err
is "a noisy machine: status 2" "$?" 2
tap_note </tmp/out
like "which it says" "$(cat /tmp/out)" '^This machine is too noisy now for a budget of 5 min: [1-9][0-9]* late'
kill $other
wait $other 2>/dev/null
state >/tmp/after
ok "all is as it was" diff /tmp/before /tmp/after

# --- kill -9: KILLS times; every other time while a setting is on ---
knobs() { cat "$huge"/{enabled,defrag} $swappiness; }
as_found=$(knobs) bad='' on_n=0
RANDOM=${SEED:-$(date +%N | sed 's/^0*//')}
for ((i = 1; i <= ${KILLS:-10}; i++)); do
    only=linux-swap,linux-huge-pages
    [ $((i % 3)) -eq 0 ] || only=$(cut -d, -f$((i % 3)) <<<"$only")
    in_ms=$((RANDOM % 90000))
    "${slow[@]}" "${tune[@]}" --budget 10m --only "$only" >/tmp/out 2>&1 &
    tuner=$!
    if [ $((i % 2)) -eq 0 ]; then
        while [ "$(knobs)" = "$as_found" ] && kill -0 $tuner; do sleep 0.2; done
        in_ms=$((in_ms / 25)) # a block takes 5 s: it is still on
    fi
    sleep "$(printf %d.%03d $((in_ms / 1000)) $((in_ms % 1000)))"
    [ "$(knobs)" = "$as_found" ] || on_n=$((on_n + 1))
    kill -9 $tuner || bad+=" $i:ended: $(cat /tmp/out)"
    wait $tuner 2>/dev/null
    wait_for ended
    state | diff /tmp/before - || bad+=" $i:$only:${in_ms}ms"
done
is "kill -9 at ${KILLS:-10} random moments: all is as it was each time" "$bad" ""
tap_note <<<"a setting was on at $on_n of them"
ok "a setting was on at some of them" test $on_n -gt 0

# --- both processes at once: the next command sets everything back ---
"${slow[@]}" "${tune[@]}" --only linux-swap >/dev/null 2>&1 &
tuner=$!
until value_is 10; do sleep 0.2; done
kill -9 $tuner $(pgrep -P $tuner)
wait $tuner 2>/dev/null
wait_for ended
is "both processes are killed while it is on" "$(value)" 10
ok "revert" sleeptune revert --all
state >/tmp/after
ok "sets everything back" diff /tmp/before /tmp/after
tap_done
