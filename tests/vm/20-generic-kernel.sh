#!/usr/bin/env bash
# vm: -k generic -q -c none
# release: 90-causes and 70-apply boot the same kernel; the books are balanced in 10-rt-kernel and part long
# The stock kernel in a guest that the host may disturb: late is fine, wrong books are not.
# shellcheck source=tests/tap.sh
. /share/tests/tap.sh
cp -a /share/usr /share/etc / 2>/dev/null
ldconfig

json=$(sleeptune measure --quiet --frames 64 --duration 5s --cpu 1 --load 10 --json)
is "measure ends with status 0" "$?" 0
is "the books balance" "$(jq .books_balance <<<"$json")" true
is "no record is lost" "$(jq .records_lost <<<"$json")" 0

report=$(sleeptune report --json --frames 64)
like "report runs" "$?" '^[012]$'
like "it does not take the stock kernel for a real-time one" \
    "$(jq -r '.findings[] | select(.id == "linux-preemption") | .status' <<<"$report")" '^(problem|advice|ok)$'
is "no fact of it says PREEMPT_RT" "$(jq -c '.findings[] | select(.id == "linux-preemption")' <<<"$report" | grep -c 'PREEMPT_RT active')" 0

# a stop of the whole process is many missed periods, not one late sample
sleeptune measure --quiet --frames 64 --duration 20s --json >/tmp/stopped.json &
pid=$!
wait_for slept $pid 300 # it is past its warm-up
kill -STOP $pid
wait_for is_stopped $pid
sleep 0.5
kill -CONT $pid
wait $pid
is "after a stop of half a second the books balance" "$(jq .books_balance /tmp/stopped.json)" true
is "and at least 370 periods of 1333 us were missed" "$(jq '.misses >= 370' /tmp/stopped.json)" true
is "and the longest response time is at least half a second" "$(jq '.response_ns.max >= 498000000' /tmp/stopped.json)" true
tap_done
