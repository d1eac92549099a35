#!/usr/bin/env bash
# vm: -k rt -q -i -c none
# A real-time kernel in a guest whose clock counts instructions: the host cannot make a deadline late there, so what
# is missed here is our own doing.
# shellcheck source=tests/vm/guest.sh
. /share/tests/guest.sh

value() { jq -r "$1" <<<"$json"; }

json=$(sleeptune measure --quiet --frames 64 --duration 5s --json)
is "measure ends with status 0" "$?" 0
is "with SCHED_FIFO on a real-time kernel no period of 1333 us is missed or skipped, no record lost, no page fault; the books balance" \
    "$(value '[.conditions.policy, .misses, .skipped_periods, .records_lost, .faults, .books_balance, .cycles + .skipped_periods == .elapsed_periods] | join(" ")')" \
    "fifo 0 0 0 0 true true"
like "the conditions name the kernel's preemption" "$(value '.conditions | tostring')" 'PREEMPT_RT'

report=$(sleeptune report --json)
like "report runs" "$?" '^[012]$'
is "report finds preemption in order" "$(jq -r '.findings[] | select(.id == "linux-preemption") | .status' <<<"$report")" ok
like "and quotes PREEMPT_RT" "$(jq -c '.findings[] | select(.id == "linux-preemption")' <<<"$report")" 'PREEMPT_RT'

# What the loop thread asks of the kernel: one sleep a cycle and nothing else, seen by strace
tmp=/tmp
ends 0 "measure runs below strace" strace -ff -qq -o /tmp/trace sleeptune measure --quiet --frames 256 --duration 2s --cause-above 5s --json

# the loop's own file is the one with the sleeps; between the first sleep and the last there is nothing else
loop=$(grep -c clock_nanosleep /tmp/trace.* | sort -t: -k2 -n | tail -n 1 | cut -d: -f1)
cycles=$(jq .cycles /tmp/out)
others=$(awk '/^clock_nanosleep/ {between += pending; pending = 0; seen = 1; next} seen {pending++} END {print between + 0}' "$loop")
sleeps=$(grep -c '^clock_nanosleep' "$loop")
ok "the loop made its $cycles cycles, with at most one sleep each, warm-up included: $sleeps" test "$cycles" -gt 300 -a "$sleeps" -le $((cycles + 200 + 1))
# the start of counting (counters read once, at the end of the warm-up) is not a cycle's work
ok "no other system call between two sleeps but at the end of warm-up: $others" test "$others" -le 8
[ "$tap_failed" -eq 0 ] || awk '/^clock_nanosleep/ {next} {print}' "$loop" | head -n 40 | tap_note
tap_done
