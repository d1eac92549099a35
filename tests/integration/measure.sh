#!/usr/bin/env bash
# sleeptune measure as a person runs it: stops, kills, full disks, missing rights, bad input.
. "$SLEEPTUNE_SRC/tests/tap.sh"
own_tmp && cd "$tmp" || exit 1

sanitized() { [ "${SLEEPTUNE_SANITIZE:-none}" != none ]; }

has_loop() { cat /proc/"$1"/task/*/comm 2>/dev/null | grep -q st-loop; }
# measuring OPTION...: sleeptune measure as process $pid, when it cycles; ended SIGNAL: by that
measuring() {
    "$SLEEPTUNE" measure "$@" &
    pid=$!
    wait_for has_loop $pid
    sleep 1
}
ended() { kill "-$1" $pid; wait $pid; }

# --- ends ------------------------------------------------------------------------------------------------------
measuring --frames 64 --duration 1h --json >int.json 2>err
wait_for slept $pid 500 # warm-up is some 100 of them
if [ "$(uname)" = Linux ]; then # field 41 of stat: 3 is SCHED_BATCH
    is "only its test loop takes the CPU from others when it wakes up" \
        "$(for t in /proc/"$pid"/task/*; do [ "$(sed 's/.*) //' "$t/stat" | cut -d' ' -f39)" = 3 ] || cat "$t/comm"; done)" st-loop
fi
ended INT
is "Ctrl-C ends early with status 0" $? 0
is "and the document says so" "$(key int.json 'd["interrupted"], d["books_balance"], d["n"] > 100')" "(True, True, True)"

measuring --policy fifo --duration 1h --json >wild.json
kill -XCPU $pid
ordinary() { ! for t in /proc/"$pid"/task/*; do chrt -p "${t##*/}"; done | grep -Eq 'SCHED_(FIFO|RR)'; }
wait_for ordinary
is "SIGXCPU takes the loop's real-time policy away" \
    "$(for t in /proc/"$pid"/task/*; do chrt -p "${t##*/}"; done | grep -Ec 'SCHED_(FIFO|RR)')" 0
ended INT
like "and the result says so" "$(key wild.json 'd["conditions"]["degraded"]')" 'RLIMIT_RTTIME.*lost its real-time priority'

wild=$SLEEPTUNE_BUILD/tests/integration/wild_loop.so
if [ -e "$wild" ] && ! ldd "$SLEEPTUNE" | grep -qE 'lib[at]san' && chrt -f 70 true 2>/dev/null || cannot "a loop that never sleeps" "needs SCHED_FIFO, 64 bits, and no sanitizer"; then
    ends 5 "a loop that never sleeps is demoted before the kernel kills it, and its books are not believed" \
        timeout --preserve-status -s INT 3 env LD_PRELOAD="$(preloadable "$wild")" "$SLEEPTUNE" measure --duration 0 --json
    like "and that is said" "$(key out 'd["conditions"]["degraded"]')" 'RLIMIT_RTTIME'
fi

measuring --frames 32 --duration 1h --json --fail-on-miss >stop.json
wait_for slept $pid 2000 # p99 needs a thousand
kill -STOP $pid
wait_for is_stopped $pid
sleep 0.2
kill -CONT $pid
sleep 0.3
ended TERM
is "misses with --fail-on-miss: status 1" $? 1
is "a stop of 200 ms is at least 299 misses; response p99 shows it, lateness p99 does not (no coordinated omission)" \
    "$(key stop.json 'd["misses"] >= 299, d["skipped_periods"] >= 298, d["books_balance"], d["response_ns"]["p99"] > 100e6, d["lateness_ns"]["p99"] < 100e6')" \
    "(True, True, True, True, True)"

measuring --frames 16 --duration 1h --record killed.st >/dev/null
wait_for slept $pid 3000 # 1000 of them and the last second or so may be missing
sleep 2
{ kill -9 $pid; wait $pid; } 2>/dev/null
ends 0 "a recording of a killed run can be exported" "$SLEEPTUNE_LAB" plot --csv killed.st
like "and says that its end is missing" "$(grep '^#' out)" '^# end: cut'
ok "and has samples" test "$(grep -vc '^#' out)" -gt 1000

# early: SIGINT as soon as it can be caught, and twice
measuring --rate 1000 --frames 200 --warmup 1000 --duration 1h >early 2>&1
ended INT
is "Ctrl-C in warm-up: nothing was measured, so the status is not 0" $? 4
like "and that is said" "$(cat early)" '^Nothing was measured: the measurement ended before'
measuring --duration 1h --warmup 0 >twice.txt 2>&1
kill -INT $pid $pid # nothing between them, as two of them 0.2 s apart are two
wait $pid
is "two signals at once, as timeout(1) sends them, are one" $? 0
like "and it prints what it has" "$(cat twice.txt)" '^median'
measuring --rate 1000 --frames 8000 --duration 1h >/dev/null 2>&1
kill -INT $pid; sleep 0.4; ended INT
is "another Ctrl-C ends it at once" $? 130
trap "" HUP
measuring --duration 1500ms --json >nohup.json
trap - HUP
ended HUP
is "a hang-up that is ignored (nohup) does not end it" "$(key nohup.json 'd["interrupted"]')" False

# --- files -----------------------------------------------------------------------------------------------------
echo precious >text
refused "a file that is no recording is not overwritten" 4 measure --duration 100ms --record text
is "and keeps what it had" "$(cat text)" precious
refused "a recording in a missing folder" 4 measure --duration 100ms --record missing/folder/file
here=$("$PYTHON" -c 'import os; print(min(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else 0)')
like "the figures of the loop itself are behind --details" "$("$SLEEPTUNE" measure --duration 100ms --details | sed -n 's/ .*//p' | tr '\n' ' ')" 'missed .*where '
is "and not on the first screen" "$("$SLEEPTUNE" measure --duration 100ms | grep -cE '^(books|self|where|lost)')" 0
is "the loop runs on the CPU that is asked for" \
    "$("$SLEEPTUNE" measure --duration 100ms --cpu "$here" --json >one.json; key one.json 'd["n"] > 0, d["conditions"]["cpu"]')" "(True, $here)"
if [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null || cannot "disk full while recording" "needs root and mount namespaces"; then
    unshare -m bash -c 'mkdir full && mount -t tmpfs -o size=32k none full &&
        "$SLEEPTUNE" measure --frames 8 --duration 4s --record full/x.st --json >full.json 2>full.err
        echo $? >full.status; "$SLEEPTUNE_LAB" plot --csv full/x.st >full.csv; echo $? >full.export'
    is "disk full while recording: status 4, and what was written can be exported" "$(cat full.status full.export | xargs)" "4 0"
    like "said with the file's name at once, while it goes on" "$(cat full.err)" 'full/x.st: No space left on device; the measurement goes on without this file'
    is "the measurement itself is whole" "$(key full.json 'd["books_balance"], d["interrupted"]')" "(True, False)"
    ok "and has samples" test "$(grep -vc '^#' full.csv)" -gt 1000
fi

# --- rights ----------------------------------------------------------------------------------------------------
if can_be_nobody || cannot "without rights" "needs root and setpriv to give them up"; then
    ends 0 "without rights it measures all the same" as_nobody prlimit --rtprio=0 --memlock=0 "$SLEEPTUNE" measure --duration 200ms --json
    like "and says so, with the policy that the kernel granted, in the verdict, too" \
        "$(key out 'd["conditions"]["degraded"], d["conditions"]["policy"], d["verdict"]')" "no right to real-time priority SCHED_FIFO.*, 'other', .*without real-time priority"
    if ! sanitized || cannot "memory is not locked" "the sanitizer ignores mlockall"; then
        is "memory is not locked" "$(key out 'd["conditions"]["memory_locked"]')" no
    fi
    if prlimit --memlock=8388608:8388608 true 2>/dev/null; then
        as_nobody prlimit --memlock=8388608:8388608 \
            "$SLEEPTUNE" measure --duration 200ms --load 1 --frames 16 --json >limit.json 2>err
        is "a limit on locked memory never ends it (8 MiB, as distributions set it)" "$?:$(cat err)" 0:
    fi
    like "and in the text" "$(as_nobody prlimit --rtprio=0 \
        "$SLEEPTUNE" measure --duration 200ms)" 'no right to real-time priority SCHED_FIFO'
fi

# --- the loop's system calls -----------------------------------------------------------------------------------
if command -v strace >/dev/null && strace -o /dev/null true 2>/dev/null || cannot "at most one system call a cycle" "strace is not installed or may not trace here"; then
    strace -f -o trace "$SLEEPTUNE" measure --duration 1s --frames 512 --warmup 0 --cause-above 1h --json >traced.json
    # of the loop's thread, between its first and its last sleep
    tid=$(awk '/clock_nanosleep/ {n[$1]++} END {for (t in n) if (n[t] > n[best]) best = t; print best}' trace)
    calls=$(awk -v tid="$tid" '$1 == tid && !/resumed/' trace | sed -n '/clock_nanosleep/,$p' | tac | sed -n '/clock_nanosleep/,$p' | wc -l)
    ok "at most one system call a cycle" test "$calls" -le "$(key traced.json 'd["cycles"]')"
    is "no record lost" "$(key traced.json 'd["records_lost"]')" 0
    if ! sanitized || cannot "no page fault after warm-up" "the sanitizer has some of its own"; then
        is "no page fault after warm-up" "$(key traced.json 'd["faults"]')" 0
    fi
fi

# --- bad input -------------------------------------------------------------------------------------------------
each_refused 3 measure '--frames 0' '--frames 12x' '--frames 1 --rate 768000' '--frames 1 --rate 768000 --record x' '--rate 999999999999' '--duration -5s' \
    '--duration 0.0000000001s' '--policy idle' '--priority 100' '--load 95' '--stress sauna' '--load nan' '--cpu 0,1' '--cpu 4000' now --fast
"$SLEEPTUNE" measure --frames 256 --duration 1s --stress cpu --json >stress.json
is "load of other programs is a test condition, and the books balance" "$(key stress.json 'd["books_balance"], d["conditions"]["stress"]')" "(True, 'cpu')"

tap_done
