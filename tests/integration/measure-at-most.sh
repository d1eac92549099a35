#!/usr/bin/env bash
# sleeptune measure --at-most: what is kept, broken, undecided, refused.
. "$SLEEPTUNE_SRC/tests/tap.sh"
own_tmp && cd "$tmp" || exit 1

each_refused 3 measure '--at-most 20' '--at-most 0/h' '--at-most 20/h -d 1m' '--at-most 20/h -d 0' '--at-most 20/h --cause-above 1ms'

chrt -f 70 true 2>/dev/null || skip_rest "runs" "needs SCHED_FIFO"

# A deadline of a second: a busy host keeps it, too.
ends 0 "kept: status 0" "$SLEEPTUNE" measure --frames 48000 --at-most 1000/h -d 11s --quiet
like "which is the first word" "$(cat out)" '^Kept: periods were missed 0 times in 11\.00 s at 48000 frames; allowed: 1000'

ends 4 "a recording that cannot be opened: status 4" "$SLEEPTUNE" measure --frames 48000 --at-most 1000/h -d 11s --quiet --record "$tmp/no/where"

# stop it for longer than a period, again and again, until it ends by itself
stop_until_end() { # PID
    while kill -STOP "$1" 2>/dev/null; do
        wait_for is_stopped "$1"
        sleep 0.3
        kill -CONT "$1"
        sleep 1.2
    done
}
"$SLEEPTUNE" measure --frames 4096 --at-most 1/h -d 3h >out 2>err &
pid=$!
wait_for slept $pid 60
stop_until_end $pid
wait $pid
is "broken, and ends by itself: status 1" $? 1
like "which is the first word, with the next step" "$(tr '\n' '|' <out)" '^Broken: periods were missed [0-9]+ times in .*\|To find the settings to change: sleeptune report --frames 4096 --rate 48000\|'
like "how long it takes was said first" "$(cat err)" '^Measuring for 3.0 h. The shortest time that can prove at most 1 events of missed periods an hour is 3.0 h.$'

"$SLEEPTUNE" measure --frames 4096 --at-most 1/h -d 5h >out 2>/dev/null &
pid=$!
wait_for slept $pid 100 # a second of warm-up is over
ended_by INT $pid
is "undecided: status 2" $? 2
like "which is the first word" "$(cat out)" '^Undecided: measure longer \(-d\): '

if [ "$(id -u)" = 0 ] || cannot "without the right to real-time priority" "needs root"; then
    can_be_nobody
    screen_is no-right as_nobody prlimit --rtprio=0:0 "$SLEEPTUNE" measure --at-most 1000/h -d 11s --quiet
fi
tap_done
