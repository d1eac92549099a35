#!/usr/bin/env bash
# A real-time loop that never sleeps is demoted, and the daemon says so.
. "$SLEEPTUNE_SRC/tests/integration/daemon-lib.sh"
wild=$SLEEPTUNE_BUILD/tests/integration/wild_loop.so
[ -e "$wild" ] || skip_all "the library that makes the loop wild is for Linux on 64 bits"
! ldd "$SLEEPTUNED" | grep -qE 'lib[at]san' || skip_all "nothing can be preloaded before a sanitizer"
config 'audio: { backend = "none"; };'

starts "it starts" env LD_PRELOAD="$(preloadable "$wild")"
[ "$(value 'd["loop"]["conditions"]["policy"]')" != other ] || { stop; skip_rest "the loop is demoted" "no right to SCHED_FIFO"; }
loop_tid() { for t in /proc/"$daemon"/task/*; do grep -qE '^st-(loop|cycle)' "$t/comm" && echo "${t##*/}"; done; }
tid=$(loop_tid | head -1)
policy() { sed 's/.*) //' "/proc/$daemon/task/$tid/stat" | cut -d' ' -f39; }
# it may have lost it by now: half a second is enough
was=$(policy)
ok "the loop's thread has SCHED_FIFO until it is found out" wait_for value_is "$was == 1 or d['watchdog']['demoted']" True
ok "real-time priority is taken from it" wait_for value_is 'd["watchdog"]["demoted"]' True
is "the kernel says so, and the status" "$(policy) $(value '"watchdog" in [x["what"] for x in d["degraded"]]')" "0 True" # and why: whoever notices first
ok "and sleeptune status" status_rows 'Warning +watchdog: '
like "and the log" "$(cat "$log")" 'error: event: the watchdog took real-time priority from the timing test'
stops "it ends cleanly"

starts "it starts with a loop that behaves"
tid=$(loop_tid | head -1)
is "whose thread has SCHED_FIFO" "$(policy)" 1
kill -XCPU "$daemon"
ok "SIGXCPU, by which the kernel warns, takes it away" wait_for value_is 'd["watchdog"]["demoted"]' True
is "as the kernel says" "$(policy)" 0
screen_is -t warning status_rows 'Warning +watchdog: '
stops "it ends cleanly"
tap_done
