#!/usr/bin/env bash
# vm: -k rt -q -i -c none
# A real-time kernel in a guest whose clock counts instructions: the host cannot make a deadline late there, so what
# is missed here is our own doing.
# shellcheck source=tests/tap.sh
. /share/tests/tap.sh
cp -a /share/usr /share/etc / 2>/dev/null
ldconfig

value() { jq -r "$1" <<<"$json"; }

json=$(sleeptune measure --quiet --frames 64 --duration 5s --json)
is "measure ends with status 0" "$?" 0
is "the books balance" "$(value .books_balance)" true
is "cycles and skipped periods are the periods that went by" "$(value '.cycles + .skipped_periods == .elapsed_periods')" true
is "no period of 1333 us is missed on a real-time kernel" "$(value .misses)" 0
is "no period is skipped" "$(value .skipped_periods)" 0
is "no record is lost" "$(value .records_lost)" 0
is "no page fault after warm-up" "$(value .faults)" 0
like "the loop ran with SCHED_FIFO" "$(value .conditions.policy)" '^fifo$'
like "the conditions name the kernel's preemption" "$(value '.conditions | tostring')" 'PREEMPT_RT'

report=$(sleeptune report --json)
like "report runs" "$?" '^[012]$'
is "report finds preemption in order" "$(jq -r '.findings[] | select(.id == "linux-preemption") | .status' <<<"$report")" ok
like "and quotes PREEMPT_RT" "$(jq -c '.findings[] | select(.id == "linux-preemption")' <<<"$report")" 'PREEMPT_RT'
tap_done
