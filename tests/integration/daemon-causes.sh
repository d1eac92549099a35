#!/usr/bin/env bash
# Why it was late: a stop that is known by what ended it, pages that have to be read from disk, an xrun with its cause, the
# table for people and programs.
. "$SLEEPTUNE_SRC/tests/integration/daemon-lib.sh"

causes() { "$SLEEPTUNE" history --causes --socket "$sock" "$@"; }
# of EXPRESSION: of the document d, r = the rows by cause
of() { causes --json | by_cause "$1"; }
by_cause() { key - "(lambda r: ($1))({x['cause']: x for x in d['rows']})"; }
of_is() { [ "$(of "$1" 2>/dev/null)" = "$2" ]; }

own_state
config 'audio: { backend = "dummy"; };'
starts "it starts"
ok "wake-ups are counted" wait_for of_is 'd["wakes"] > 0' True
ok "the machine's pressure was looked at twice" wait_for value_is 'd["uptime_ns"] > 3e9' True
for try in 1 2 3 4 5; do # a busy machine may tell of the stop too late, which it then is not taken for
    kill -STOP "$daemon"
    wait_for is_stopped "$daemon"
    sleep 1.5 # the more of the delay is the stop, the less matters what a busy machine adds
    kill -CONT "$daemon"
    sleep 3
    if of_is '"stopped" in r' True || [ "$try" = 5 ]; then break; fi
    stop
    rm -r "$tmp/state"
    mkdir "$tmp/state"
    starts "it starts once more"
    wait_for value_is 'd["uptime_ns"] > 3e9' True
done
ok "a stopped process is a cause of its own" wait_for of_is '"stopped" in r' True
is "it was late by the stop, all of it by that figure; every late wake-up has a row" \
    "$(of 'r["stopped"]["worst_ns"] > 1.3e9, r["stopped"]["explained"] > 0.7, sum(x["count"] for x in d["rows"]) == d["late_wakes"]')" "(True, True, True)"
is "the event of it has the cause" "$(value '[e["cause"] for e in d["events"] if e["event"] == "late-wake" and e.get("lateness_ns", 0) > 1.3e9]')" "['stopped']"
ok "an underflow of the own stream has the cause of that time" wait_for value_is \
    '"stopped" in [e.get("cause") for e in d["events"] if e["event"] == "own-dropout"] or d["audio"]["state"] == "off"' True

if [ -r /proc/pressure/cpu ] || cannot "events have what the machine was under" "no /proc/pressure here"; then
    is "events have what the machine was under" "$(value 'all(0 <= e["pressure_cpu_permille"] <= 1000 for e in d["events"] if e["event"] == "late-wake" and e.get("lateness_ns", 0) > 1.3e9)')" True
fi

ends 0 "sleeptune history --causes works" causes
like "it begins with one sentence" "$(head -1 "$tmp/out")" '^In ([0-9]+ min )?[0-9]+ s the timing test woke '
like "the table has a row" "$(cat "$tmp/out")" '^ +1 +[0-9.]+ m?s +[0-9.]+ m?s +[0-9]+ %  sleeptune itself was stopped, and'
is "nothing of last year" "$(causes --until 20000000 --json | key - 'd["wakes"]')" 0
like "and that is said" "$(causes --until 20000000 | tr '\n' ' ')" 'Nothing was measured'
valid "the document is what its schema says" <(causes --json)

# with the right and the kernel for it a tracer runs, else why not is said: both are right, silence is not
reload 'trace: { enabled = "on"; };'
ok "the tracer is there, or why not is said" wait_for of_is 'd["tracer"] is None or (d["tracer"] != "the timing test does not run" and not d["tracer"].startswith("trace.enabled is off"))' True
is "the status says the same" "$(value 'any(x["what"] == "trace" for x in d["degraded"])')" "$(of 'd["tracer"] is not None')"

screen_is -t a-time-that-is-none causes --since yesterday
stops "it ends well"
db=$tmp/state/history.db
of_db() { "$SLEEPTUNE" history --causes --db "$db" --json "${@:2}" | by_cause "$1"; }
is "the history has the sums, and a row for every late wake-up" \
    "$(of_db 'r["stopped"]["count"], d["late_threshold_ns"], sum(x["count"] for x in d["rows"]) == d["late_wakes"], d["wakes"] > 500')" "(1, 1333333, True, True)"
is "nothing of last year there" "$(of_db 'd["wakes"], d["rows"]' --until 2000-01-01)" "(0, [])"
is "its events have what the machine was under" "$("$SLEEPTUNE" history --events --db "$db" --json --kind late-wake | "$PYTHON" -c 'import json, os, sys; print(not os.path.exists("/proc/pressure/cpu") or all("pressure_cpu_permille" in e for e in json.load(sys.stdin)["events"] if e.get("lateness_ns", 0) > 1.3e9))')" True

# The loop waits for pages that are read from a disk, at four known times (fault_loop.c). Kernels that count what a thread
# waits for its disk do it only when they are told to, so this is a cause by exclusion: it has no figure.
shim=$SLEEPTUNE_BUILD/tests/integration/fault_loop.so
what="page faults: each has the cause"
faulty=$(mktemp -d "$SLEEPTUNE_BUILD/faults.XXXXXX") # a temporary folder may be in memory
trap 'rm -rf "$faulty"; clean_up' EXIT
[ -e "$shim" ] && ! ldd "$SLEEPTUNED" | grep -qE 'lib[at]san' || skip_rest "$what" "nothing can be preloaded here"
head -c 64M /dev/zero >"$faulty/pages"
sync "$faulty/pages"
export FAULT_FILE=$faulty/pages FAULT_TOLD=$faulty/told
ends 0 "measure with a loop that waits for a disk" env LD_PRELOAD="$(preloadable "$shim")" "$SLEEPTUNE" measure --quiet --duration 10s --json
cp "$tmp/out" "$faulty/json"
is "which it does four times" "$(awk 'END { print NR }' "$faulty/told")" 4
awk '$2 < 1 { exit 1 }' "$faulty/told" || skip_rest "$what" "the build folder is on no disk that pages are read from"
of_faults() { "$PYTHON" - "$faulty" "$1" <<'PY'
import json, sys
d = json.load(open(sys.argv[1] + "/json"))
told = [tuple(map(int, line.split())) for line in open(sys.argv[1] + "/told")]
r = {x["cause"]: x for x in d.get("causes", d.get("rows"))}
late = r["page-fault"]["worst_ns"] if "page-fault" in r else 0
print(eval(sys.argv[2]))
PY
}
[ "$(of_faults 'd["conditions"]["policy"]')" != other ] || skip_rest "$what" "no right to SCHED_FIFO: the loop waits for a CPU as well"
echo "# ns and faults as the loop counted them: $(of_faults told); late by at most, as measured: $(of_faults late)"
# three of the four: the machine may make one of them later still, for another cause
is "$what; late by the time that the disk took, said by exclusion; the books balance" \
    "$(of_faults '(r["page-fault"]["count"] in (3, 4), any(late // 2 < took <= late for took, n in told), r["page-fault"]["explained"], d["books_balance"])')" "(True, True, None, True)"

rm -r "$tmp/state"
mkdir "$tmp/state"
config
starts "the daemon with such a loop" env LD_PRELOAD="$(preloadable "$shim")"
ok "has a row with them" wait_for of_is 'r["page-fault"]["count"] >= 3' True
like "people read of them" "$(causes)" '^ +[34] .* memory had to be read from disk$'
causes --json >"$faulty/json"
stop
is "the worst of them is as late as the disk took, by exclusion there, too" "$(of_faults '(r["page-fault"]["worst_ns"] >= min(took for took, n in told), r["page-fault"]["explained"])')" "(True, None)"
is "their sum, too" "$(of_faults '0.6 * (sum(took for took, n in told) - max(took for took, n in told)) < r["page-fault"]["total_ns"] < 2 * sum(took for took, n in told) + 1e9')" True
tap_done
