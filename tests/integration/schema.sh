#!/usr/bin/env bash
# Documents that the programs write are what docs/schema and lab/schema say.
set -u
. "$SLEEPTUNE_SRC/tests/tap.sh"
"$PYTHON" -c 'import jsonschema' 2>/dev/null || skip_all "python3-jsonschema is not installed"
tmp=$(mktemp -d)
daemon=''
trap '[ -z "$daemon" ] || kill "$daemon"; rm -rf "$tmp"' EXIT

# valid NAME FILE: FILE names its schema, docs/schema or lab/schema has it, and it holds
valid() {
    ok "$1" "$PYTHON" - "$2" "$SLEEPTUNE_SRC" <<'PY'
import json, pathlib, sys
import jsonschema
document = json.load(open(sys.argv[1], encoding="utf-8"))
name = document["schema"].replace("/", "-") + ".json"
path = next(p for f in ("docs", "lab") if (p := pathlib.Path(sys.argv[2], f, "schema", name)).exists())
schema = json.loads(path.read_text(encoding="utf-8"))
errors = list(jsonschema.validators.validator_for(schema)(schema).iter_errors(document))
for error in errors[:10]:
    print("/".join(map(str, error.absolute_path)) + ": " + error.message[:300])
sys.exit(bool(errors))
PY
}

"$SLEEPTUNE" measure --duration 1s --json >"$tmp/measure.json"
valid "measure --json" "$tmp/measure.json"
"$SLEEPTUNE" measure --duration 1500ms --frames 64 --quiet --record "$tmp/run.strec" >/dev/null
"$SLEEPTUNE" predict "$tmp/run.strec" --json >"$tmp/predict.json"
valid "predict --json" "$tmp/predict.json"
"$SLEEPTUNE" measure --duration 1s --load 5 --json >"$tmp/load.json"
valid "measure --json with a load" "$tmp/load.json"
"$SLEEPTUNE" measure --duration 100ms --policy other --json >"$tmp/short.json"
valid "measure --json with too few samples for percentiles" "$tmp/short.json"
is "a percentile without enough samples is null" "$("$PYTHON" -c 'import json, sys; print(json.load(open(sys.argv[1]))["lateness_ns"]["p999"])' "$tmp/short.json")" None
"$SLEEPTUNE_LAB" exec --quiet 'sleep {}' --durations 1ms --runs 7 --json >"$tmp/bench.json"
valid "exec --json" "$tmp/bench.json"
"$SLEEPTUNE_LAB" syscall --quiet --count 100 --fresh 3 --json >"$tmp/bench.json"
valid "syscall --json" "$tmp/bench.json"
"$SLEEPTUNE_LAB" syscall --quiet --calls getppid --count 5 --fresh 0 --json >"$tmp/bench.json"
valid "syscall --json with few samples" "$tmp/bench.json"
"$SLEEPTUNE_LAB" wake --quiet --rounds 160 --slices 500us,1ms --mechanisms condvar,channel --kinds interrupted,timed-out --json >"$tmp/bench.json"
valid "wake --json" "$tmp/bench.json"
"$SLEEPTUNE_LAB" wake --quiet --rounds 2 --slices 1ms,2ms --mechanisms condvar,channel --kinds interrupted,timed-out --json >"$tmp/bench.json"
valid "wake --json with few rounds" "$tmp/bench.json"
"$SLEEPTUNE" listen --signal "$tmp/signal.wav" -d 10s
"$SLEEPTUNE" listen --input "$tmp/signal.wav" --json >"$tmp/listen.json"
valid "listen --json" "$tmp/listen.json"
head -c 100000 "$tmp/signal.wav" | "$SLEEPTUNE" listen --input - --json >"$tmp/listen.json"
valid "listen --json of next to nothing" "$tmp/listen.json"
"$SLEEPTUNE" report --json >"$tmp/report.json"
valid "report --json" "$tmp/report.json"
"$SLEEPTUNE_LAB" series --every 1ms --count 300 --json >"$tmp/series.json"
valid "series --json" "$tmp/series.json"
"$SLEEPTUNE_LAB" series --method usleep,clock_nanosleep-abs-monotonic --policy other,fifo --every 1ms --count 70 --json >"$tmp/set.json"
valid "series --json of several" "$tmp/set.json"
"$PYTHON" -c 'import json, sys; json.dump(json.load(open(sys.argv[1]))["series"][1], sys.stdout)' "$tmp/set.json" >"$tmp/second.json"
valid "each of which is what one alone is" "$tmp/second.json"
"$SLEEPTUNE_LAB" simulate --drift-ppm 10 --json >"$tmp/series.json"
valid "simulate --json" "$tmp/series.json"
"$SLEEPTUNE_LAB" analyse "$tmp/series.json" --json >"$tmp/analysis.json"
valid "analyse --json" "$tmp/analysis.json"
seq 1000 7 8000 >"$tmp/analysed.txt"
"$SLEEPTUNE_LAB" simulate --hz 100,250 --json >"$tmp/rates.json"
valid "simulate --json of several rates" "$tmp/rates.json"
"$SLEEPTUNE_LAB" analyse "$tmp/analysed.txt" "$tmp/analysed.txt" --json >"$tmp/files.json"
valid "analyse --json of several files" "$tmp/files.json"
"$SLEEPTUNE_LAB" series --quiet --sleepers 2 --every 1ms --count 60 --json >"$tmp/sleepers.json"
valid "series --json of sleepers" "$tmp/sleepers.json"
"$SLEEPTUNE" snapshot -o "$tmp/snapshot.json"
valid "snapshot" "$tmp/snapshot.json"
"$SLEEPTUNE" report --snapshot "$tmp/snapshot.json" --json >"$tmp/again.json"
valid "report --json of a snapshot" "$tmp/again.json"

if [ -x "$SLEEPTUNE_BUILD/tests/integration/make_history" ]; then
    "$SLEEPTUNE_BUILD/tests/integration/make_history" "$tmp/history.db" 1795190400 30 20 >/dev/null
    "$SLEEPTUNE" history --db "$tmp/history.db" --since 2026-11-01 --until 2026-11-21 --step 1h --json >"$tmp/history.json"
    valid "history --json, with gaps" "$tmp/history.json"
    "$SLEEPTUNE" history --events --db "$tmp/history.db" --json >"$tmp/events.json"
    valid "events --json" "$tmp/events.json"
    "$PYTHON" - "$tmp/history.db" <<'PY'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.execute("INSERT INTO watch (source, from_ns, to_ns, playing, frames, rate_hz) VALUES ('jack', 1e18, 1e18 + 36e11, 1, 128, 48000)")
db.execute("INSERT INTO event (wall_ns, kind, source, count_n) VALUES (1e18 + 1e9, 'client-dropout', 'jack', 3)")
db.commit()
PY
fi

if [ -x "$SLEEPTUNED" ]; then
    echo "socket = { path = \"$tmp/sock\"; };" >"$tmp/conf"
    STATE_DIRECTORY=$tmp "$SLEEPTUNED" -a -f -c "$tmp/conf" 2>"$tmp/log" &
    daemon=$!
    tries=100 # the first answer, which comes before there is a loop or a stream, is one of them, too
    until "$SLEEPTUNE" status --socket "$tmp/sock" --json >"$tmp/status.json" 2>/dev/null || [ $((tries -= 1)) -eq 0 ]; do sleep 0.2; done
    valid "status --json" "$tmp/status.json"
    if command -v curl >/dev/null; then
        parts=$(curl -s --max-time 20 --unix-socket "$tmp/sock" http://localhost/metrics | sed -n 's/^sleeptune_degraded{what="\(.*\)"}.*/\1/p' | sort | tr '\n' ' ')
        curl -s --max-time 20 --unix-socket "$tmp/sock" http://localhost/v1/sizes >"$tmp/sizes.json"
        curl -s --max-time 20 --unix-socket "$tmp/sock" http://localhost/v1/page >"$tmp/page.json"
        valid "/v1/page" "$tmp/page.json"
        [ ! -e "$tmp/history.db" ] || valid "/v1/sizes" "$tmp/sizes.json"
        [ ! -e "$tmp/history.db" ] || { curl -s --max-time 20 --unix-socket "$tmp/sock" -X POST "http://localhost/v1/heard?note=left" >"$tmp/heard.json"; valid "/v1/heard" "$tmp/heard.json"; }
        is "the parts that can be degraded are those of the schema" "$("$PYTHON" -c 'import json, sys; print(*sorted(json.load(open(sys.argv[1]))["properties"]["degraded"]["items"]["properties"]["what"]["enum"]), "")' "$SLEEPTUNE_SRC/docs/schema/sleeptune-status-1.json")" "$parts"
    fi
fi
tap_done
