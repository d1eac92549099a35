#!/usr/bin/env bash
# vm: -k generic -q -z -n 1 -c none
# release: unit tests script both clocks that a sleep parts
# The machine sleeps (suspend to RAM) and its clock wakes it: one event that says how long, one cause, and the loop goes on.
# Its host may make other wake-ups late, so periods are long, and what is compared is what the sleep did.
# shellcheck source=tests/vm/guest.sh disable=SC2016,SC2317
. /share/tests/guest.sh
export STATE_DIRECTORY=/tmp/s
# how long the kernel says that the machine slept so far, in ms: its clock that goes on less the one that does not
# (the most of some looks: what goes by between the two clocks is missing in it)
slept_ms() {
    for _ in {1..10}; do
        awk 'NR == FNR { boot = $1; next } / now at / || /^now at/ { print int(boot * 1000 - $3 / 1e6); exit }' /proc/uptime /proc/timer_list
    done | sort -n | tail -n 1
}

like "this machine can sleep" "$(cat /sys/power/state)" 'mem'
daemon_with 'audio = { backend = "none"; };' 'loop = { frames = 1024; };'
ok "the loop runs" until_is '.loop.cycles > 100' true
sleeptune measure --quiet --frames 1024 --duration 20s --json >/tmp/s/json &
measure=$!
ok "a measurement has warmed up (46 periods)" wait_for slept $measure 300
before=$(status .loop.cycles) asleep=$(slept_ms)
tmp=/tmp/s ends 0 "it slept, and was woken" rtcwake -m mem -s 6
asleep=$(($(slept_ms) - asleep))
ok "longer than 3 s: $asleep ms" test "$asleep" -gt 3000
ok "one event" until_is '[.events[] | select(.event == "suspend")] | length' 1
text=$(status '.events[] | select(.event == "suspend") | .text')
like "in words" "$text" '^the computer was suspended for [0-9.]+ s$'
is "that says how long" "$(awk -v ms=$asleep '{ d = $6 * 1000 - ms; print (d > -100 && d < 100) }' <<<"$text")" 1
ok "one cause" until_is '[.loop.causes[] | select(.cause == "suspend") | .count] | add' 1
is "the measurement counts one, and no jump of the clock" "$(status '.loop.suspends, ([.events[] | select(.event == "clock-jump")] | length)' | xargs)" "1 0"
is "sleeptune history --causes has it" "$(sleeptune history --causes --json | jq '[.rows[] | select(.cause == "suspend") | .count] | add')" 1
is "what it slept is not what the loop was late by" "$(status "[.loop.causes[] | select(.cause == \"suspend\") | .worst_ns / 1e6 < $asleep / 2] | all")" true
is "the loop goes on, and the books balance" "$(status ".loop | .cycles > $before + 10 and .books_balance and .cycles + .skipped_periods == .elapsed_periods")" true
daemon_ends
is "the history has one event" "$(sleeptune history --events --db /tmp/s/history.db --json --kind suspend | jq -c '[.events[].event]')" '["suspend"]'
is "and one late wake-up by it" "$(sleeptune history --causes --db /tmp/s/history.db --json | jq '[.rows[] | select(.cause == "suspend") | .count] | add')" 1

does "measure goes on after it" wait $measure
is "it counts one sleep, and its books balance" "$(jq '.suspends, .books_balance' /tmp/s/json | xargs)" "1 true"
# of 21.3 ms each; where the last wake-up is late, some more
is "and are those of 20 s without the sleep" "$(jq --argjson ms "$asleep" '.elapsed_periods >= 938 and .elapsed_periods < 938 + $ms / 2 / 21.4' /tmp/s/json)" true
tap_done
