#!/usr/bin/env bash
# report --measure on the real clock: what it says follows from its figures; which figures they are, is the machine's.
set -u
. "$SLEEPTUNE_SRC/tests/tap.sh"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# refused NAME PATTERN ARG...: a usage error that matches, nothing on stdout
refused() {
    local name=$1 pattern=$2 got
    shift 2
    "$SLEEPTUNE" report "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    got=$?
    if [ "$got" -eq 3 ] && [ ! -s "$tmp/out" ] && grep -Eq -- "$pattern" "$tmp/err"; then pass "$name"; else
        fail "$name" "$* (status $got, wanted 3 and /$pattern/)
$(cat "$tmp/err")"
    fi
}

# honest FILE: each trial's outcome and sentence follow from its own figures
cat >"$tmp/honest.py" <<'PY'
import json, sys
d = json.load(open(sys.argv[1], encoding="utf-8"))
bad = []
def check(what, ok):
    if not ok:
        bad.append(what)
rows = d["trials"]["rows"]
check("there are trials", len(rows) >= 4)
n = sum(t[key] is not None for t in rows for key in ("median_us", "p99_us", "p999_us"))
check("how sure all of it is", n < 2 or f"All {n} intervals are correct at the same time with at least {100 - n} % confidence" in d["trials"]["heading"])
few = any(t["pairs"] > 0 and t["a"]["p99_us"] is None for t in rows)
check("how long a p99 takes", ("--measure=" in d["trials"]["heading"]) == (few and not d["trials"]["interrupted"]))
for t in rows:
    name, e, a, b = t["id"], t["median_us"], t["a"], t["b"]
    tried = t["outcome"] != "not-tried"
    check(f"{name}: not tried has a reason", tried == (t["not_tried"] is None))
    check(f"{name}: title in the text", t["text"].startswith(t["title"] + ": "))
    if not tried:
        check(f"{name}: reason in the text", t["text"].endswith("not tried: " + t["not_tried"]))
        check(f"{name}: no figures", a["n"] == b["n"] == t["pairs"] == 0 and e is None and a["median_us"] is None)
        continue
    for arm in (a, b):
        check(f"{name}: p99 from 1000 values on", (arm["p99_us"] is not None) == (arm["n"] >= 1000))
        check(f"{name}: median from 20 values on", (arm["median_us"] is not None) == (arm["n"] >= 20))
        if arm["median_us"] is not None:
            check(f"{name}: median in the text", f"{arm['median_us']:.1f} µs" in t["text"])
        check(f"{name}: arm in the text", arm["name"] in t["text"])
    check(f"{name}: as many of A as of B", a["n"] == b["n"])
    if e is None:
        check(f"{name}: too few", t["outcome"] == "too-few")
        continue
    low, high = e["ci99"]
    check(f"{name}: interval around the difference", low <= e["difference"] <= high)
    shown = e["p_corrected"] <= 0.05 and "the difference drifts" not in t["text"]
    check(f"{name}: effect exactly when p says so", (t["outcome"] == "effect") == shown)
    check(f"{name}: no effect is said", ("no effect shown" in t["text"] or "too noisy" in t["text"]) == (not shown))
    check(f"{name}: earlier is earlier", ("earlier" in t["text"]) == (shown and e["difference"] < 0)
        and ("B wakes later" in t["text"]) == (shown and e["difference"] > 0))
by_id = {t["id"]: t for t in rows}
attached = 0
for f in d["findings"]:
    m = f["measured"]
    wanted = [t["id"] for t in rows if f["id"] in t["rules"]]
    check(f"{f['id']}: its trials", (m is None) == (not wanted) and (m is None or [t["id"] for t in m["trials"]] == wanted))
    if m is None:
        continue
    attached += 1
    gains = [-t["median_us"]["difference"] for t in m["trials"] if t["outcome"] == "effect" and t["median_us"]["difference"] < 0]
    check(f"{f['id']}: gain", (m["gain_us"] is None) == (not gains) and (not gains or abs(m["gain_us"] - gains[0]) < 1e-6))
check("some finding has evidence", attached > 0)
print("\n".join(bad))
sys.exit(bool(bad))
PY

slack_before=$(cat /proc/self/timerslack_ns 2>/dev/null)
"$SLEEPTUNE" report --measure=2s --frames 64 --json >"$tmp/report.json" 2>"$tmp/err"
like "it ends with a status of report's" "$?" '^[012]$'
like "how long it takes is said before" "$(cat "$tmp/err")" '^sleeptune report: [0-9]+ of [0-9]+ other settings can be tried on this machine; comparing them with the present settings takes [0-9.]+ s$'
is "in one line, where stderr is no terminal" "$(wc -l <"$tmp/err")" 1
ok "what is said follows from the figures" "$PYTHON" "$tmp/honest.py" "$tmp/report.json"
is "the slack of others is as it was" "$(cat /proc/self/timerslack_ns 2>/dev/null)" "$slack_before"
if "$PYTHON" -c 'import jsonschema' 2>/dev/null; then
    ok "the JSON is what the schema says" "$PYTHON" -c 'import json, jsonschema, sys
jsonschema.validate(json.load(open(sys.argv[1])), json.load(open(sys.argv[2])))' "$tmp/report.json" "$SLEEPTUNE_SRC/docs/schema/sleeptune-report-1.json"
else
    skip "the JSON is what the schema says" "python3-jsonschema is not installed"
fi

# each format has all of it
for format in text markdown; do
    COLUMNS=80 "$SLEEPTUNE" report --measure=1s --frames 64 --all --format "$format" >"$tmp/$format" 2>/dev/null
    like "$format: the heading" "$(tr '\n' ' ' <"$tmp/$format" | tr -s ' ')" 'Tried for [0-9.]+ m?s at a period of 1333\.3 µs, A and B in turn'
    like "$format: a trial" "$(cat "$tmp/$format")" 'Timer slack of a normal thread: |A wait to which the kernel adds no'
done
like "the details of a finding have it" "$(cat "$tmp/text")" '^ +Measured: '
ok "no line of what was tried is wider than the terminal" "$PYTHON" -c 'import sys
text = open(sys.argv[1], encoding="utf-8").read()
tried = text[text.index("Tried for"):].split("\n\n")[0]
sys.exit(any(len(line) > 80 for line in tried.splitlines()))' "$tmp/text"

# without rights
if can_be_nobody; then
    as_nobody --bounding-set=-all --inh-caps=-all "$SLEEPTUNE" report --measure=1s --frames 64 --json >"$tmp/nobody.json" 2>/dev/null
    ok "without rights, too" "$PYTHON" "$tmp/honest.py" "$tmp/nobody.json"
    like "what was refused says so" "$("$PYTHON" -c 'import json, sys
print({t["id"]: t["not_tried"] for t in json.load(open(sys.argv[1]))["trials"]["rows"]}["real-time"])' "$tmp/nobody.json")" '^no right to real-time priority$'
else
    skip "without rights, too" "needs root and setpriv to become nobody"
fi

# interrupted: what was measured is kept
"$SLEEPTUNE" report --measure=30s --frames 64 --json >"$tmp/cut.json" 2>"$tmp/err" &
pid=$!
wait_for grep -q 'can be tried on this machine' "$tmp/err"
sleep 2
kill -INT "$pid"
wait "$pid"
like "Ctrl-C ends it with a status of report's" "$?" '^[012]$'
ok "and keeps what was measured" "$PYTHON" "$tmp/honest.py" "$tmp/cut.json"
is "which says that it was interrupted" "$("$PYTHON" -c 'import json, sys
t = json.load(open(sys.argv[1]))["trials"]
print(t["interrupted"], any(r["pairs"] > 0 for r in t["rows"]), "interrupted before its turn" in [r["not_tried"] for r in t["rows"]])' "$tmp/cut.json")" "True True True"

refused "a time that is none" 'is not a time' --measure=soon
refused "no time at all" 'out of range: 1s \.\. 1h' --measure=0
refused "too long" 'out of range: 1s \.\. 1h' --measure=2h
refused "another machine cannot be tried" 'leave --snapshot, --root, --input and --user out' --measure --root /
refused "nor another user" 'leave --snapshot, --root, --input and --user out' --measure --user root
refused "a period that cannot be measured" 'out of range: 50 us' --measure --frames 1 --rate 4000000
is "without it nothing is tried" "$("$SLEEPTUNE" report --json 2>/dev/null | "$PYTHON" -c 'import json, sys
d = json.load(sys.stdin)
print(d["trials"], {f["measured"] for f in d["findings"]})')" "None {None}"
tap_done
