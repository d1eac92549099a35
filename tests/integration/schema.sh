#!/usr/bin/env bash
# Documents that the programs write are what docs/schema and lab/schema say.
. "$SLEEPTUNE_SRC/tests/tap.sh"
"$PYTHON" -c 'import jsonschema' 2>/dev/null || skip_all "python3-jsonschema is not installed"
own_tmp

# writes FILE PROGRAM ARG...: what it prints is a document, kept in FILE
writes() {
    "${@:2}" >"$tmp/$1" || true
    valid "${*:3}" "$tmp/$1"
}
lab() { writes "$1.json" "$SLEEPTUNE_LAB" "${@:2}" --json; }
cd "$tmp" || exit 1
"$SLEEPTUNE" measure --duration 1500ms --frames 64 --quiet --record run.strec >/dev/null
"$SLEEPTUNE" listen --signal signal.wav -d 10s
head -c 100000 signal.wav >next-to-nothing.wav
seq 1000 7 8000 >analysed.txt
writes measure.json "$SLEEPTUNE" measure --duration 1s --json
writes measure.json "$SLEEPTUNE" measure --duration 1s --load 5 --json
writes short.json "$SLEEPTUNE" measure --duration 100ms --policy other --json
is "a percentile without enough samples is null" "$(key short.json 'd["lateness_ns"]["p999"]')" None
writes predict.json "$SLEEPTUNE" predict run.strec --json
lab bench exec --quiet 'sleep {}' --durations 1ms --runs 7
lab bench syscall --quiet --count 100 --fresh 3
lab bench syscall --quiet --calls getppid --count 5 --fresh 0
lab bench wake --quiet --rounds 160 --slices 500us,1ms --mechanisms condvar,channel --kinds interrupted,timed-out
lab bench wake --quiet --rounds 2 --slices 1ms,2ms --mechanisms condvar,channel --kinds interrupted,timed-out
lab series series --every 1ms --count 300
lab set series --method usleep,clock_nanosleep-abs-monotonic --policy other,fifo --every 1ms --count 70
"$PYTHON" -c 'import json, sys; json.dump(json.load(open(sys.argv[1]))["series"][1], sys.stdout)' set.json >second.json
valid "each of which is what one alone is" second.json
lab sleepers series --quiet --sleepers 2 --every 1ms --count 60
lab series simulate --drift-ppm 10
lab rates simulate --hz 100,250
lab analysis analyse series.json
lab analysis analyse analysed.txt analysed.txt
writes listen.json "$SLEEPTUNE" listen --input signal.wav --json
writes listen.json "$SLEEPTUNE" listen --input next-to-nothing.wav --json
writes report.json "$SLEEPTUNE" report --json
writes check.json "$SLEEPTUNE" check --quiet --duration 1s --no-servers --json
writes snapshot.json "$SLEEPTUNE" snapshot
writes again.json "$SLEEPTUNE" report --snapshot snapshot.json --json

if [ -x "$SLEEPTUNE_BUILD/tests/integration/make_history" ]; then
    "$SLEEPTUNE_BUILD/tests/integration/make_history" "$tmp/history.db" 1795190400 30 20 >/dev/null
    writes history.json "$SLEEPTUNE" history --db history.db --since 2026-11-01 --until 2026-11-21 --step 1h --json # with gaps
    writes events.json "$SLEEPTUNE" history --events --db history.db --json
    sql history.db "INSERT INTO watch (source, from_ns, to_ns, playing, frames, rate_hz) VALUES ('jack', 1e18, 1e18 + 36e11, 1, 128, 48000)" \
        "INSERT INTO event (wall_ns, kind, source, count_n) VALUES (1e18 + 1e9, 'client-dropout', 'jack', 3)"
fi

if [ -x "$SLEEPTUNED" ]; then
    echo "socket = { path = \"$tmp/sock\"; };" >"$tmp/conf"
    STATE_DIRECTORY=$tmp behind "$SLEEPTUNED" -a -f -c "$tmp/conf" 2>"$tmp/log"
    # the first answer, which comes before there is a loop or a stream, is one of them, too
    answers() { "$SLEEPTUNE" status --socket "$tmp/sock" --json >"$tmp/status.json"; }
    wait_for answers
    valid "status --json" "$tmp/status.json"
    if command -v curl >/dev/null; then
        ask() { curl -s --max-time 20 --unix-socket "$tmp/sock" "http://localhost$1" "${@:2}"; }
        parts=$(ask /metrics | sed -n 's/^sleeptune_degraded{what="\(.*\)"}.*/\1/p' | sort | tr '\n' ' ')
        valid "/v1/page" <(ask /v1/page)
        [ ! -e "$tmp/history.db" ] || { valid "/v1/sizes" <(ask /v1/sizes) && valid "/v1/heard" <(ask "/v1/heard?note=left" -X POST); }
        is "the parts that can be degraded are those of the schema" "$("$PYTHON" -c 'import json, sys; print(*sorted(json.load(open(sys.argv[1]))["properties"]["degraded"]["items"]["properties"]["what"]["enum"]), "")' "$SLEEPTUNE_SRC/docs/schema/sleeptune-status-1.json")" "$parts"
    fi
fi
tap_done
