# For 48-tune.sh and tests/bench/tune-kills.sh, in a guest: a machine with two settings to try, what it is like, and kill -9 at random
# moments. Sourced after tap.sh.
# shellcheck shell=bash disable=SC2034,SC2154 # variables of the scripts that source this
cp -a /share/usr /share/etc / 2>/dev/null
ldconfig
tmp=/tmp preempt=/sys/kernel/debug/sched/preempt huge=/sys/kernel/mm/transparent_hugepage swappiness=/proc/sys/vm/swappiness
dd if=/dev/zero of=/swap bs=1M count=16 status=none
chmod 600 /swap
mkswap -q /swap
swapon /swap
echo always >$huge/enabled
echo always >$huge/defrag
# root without the right to real-time priority, whose sleeps are up to 5 ms too long: a quarter of a period of 1024 frames
slow=(setpriv --bounding-set=-sys_nice --inh-caps=-sys_nice prlimit --rtprio=0 -- bash -c 'echo 5000000 >/proc/$$/timerslack_ns; exec "$@"' sh)
tune=(sleeptune tune --frames 1024 --budget 6m)
field() { jq -r "$1" /tmp/out; }
one_line() { tr -d '\r' | tr '\n' ' ' | tr -s ' '; }
ended() { ! pgrep -x sleeptune; }
value() { cat "$swappiness"; }
value_is() { [ "$(value)" = "$1" ]; }
# All that a candidate may write, the other settings beside it, and /etc
state() {
    (cd /etc && find . -type f -exec sha256sum {} + -o -printf '%p %m %l\n' | sort)
    grep -H . "$preempt" "$huge"/{enabled,defrag,khugepaged/defrag}
    sysctl -a 2>/dev/null | grep -E '^(vm|kernel)\.' | grep -vE '^kernel\.(random|pty\.nr|ns_last_pid)'
}
state >/tmp/before

knobs() { cat "$huge"/{enabled,defrag} $swappiness; }

# N kills: every second one while a setting is on, every fifth one of both processes, after which the next command sets everything back
kill_at_random_moments() {
    local as_found bad='' on_n=0 both_n=0 i only in_ms tuner saw wrong
    as_found=$(knobs)
    RANDOM=${SEED:-$(date +%N | sed 's/^0*//')}
    for ((i = 1; i <= $1; i++)); do
        only=linux-swap,linux-huge-pages
        [ $((i % 3)) -eq 0 ] || only=$(cut -d, -f$((i % 3)) <<<"$only")
        in_ms=$((RANDOM % 90000))
        "${slow[@]}" "${tune[@]}" --budget 10m --only "$only" >/tmp/out 2>&1 &
        tuner=$!
        if [ $((i % 2)) -eq 0 ]; then
            while [ "$(knobs)" = "$as_found" ] && kill -0 $tuner; do sleep 1; done
            in_ms=$((in_ms / 25)) # a block takes 5 s: it is still on
        fi
        sleep "$(printf %d.%03d $((in_ms / 1000)) $((in_ms % 1000)))"
        saw=off wrong=''
        [ "$(knobs)" = "$as_found" ] || { on_n=$((on_n + 1)) saw=on; }
        if [ $((i % 5)) -eq 0 ]; then
            both_n=$((both_n + 1)) saw+=", both processes"
            # shellcheck disable=SC2046 # none before the first block
            kill -9 $tuner $(pgrep -P $tuner) || wrong+=" it had ended: $(cat /tmp/out)"
        else
            kill -9 $tuner || wrong+=" it had ended: $(cat /tmp/out)"
        fi
        wait $tuner 2>/dev/null
        wait_for ended
        [ $((i % 5)) -ne 0 ] || sleeptune revert --all >/tmp/out 2>&1 || wrong+=" revert: $(cat /tmp/out)"
        state | diff /tmp/before - || wrong+=" something is not as before"
        tap_note <<<"kill $i: $only, $saw${wrong:+:$wrong}"
        bad+=${wrong:+" $i:$wrong"}
    done
    is "kill -9 at $1 random moments: /etc and all values are as before each time" "$bad" ""
    tap_note <<<"a setting was on at $on_n of them; at $both_n of them both processes were killed, and revert set everything back"
    ok "a setting was on at some of them" test $on_n -gt 0
}
