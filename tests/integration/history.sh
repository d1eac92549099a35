#!/usr/bin/env bash
# sleeptune history and events, on histories whose contents are known; a writer that is killed.
# KILLS=1000 tests/integration/history.sh: how often (default 100)
# shellcheck disable=SC2016
set -u
. "$SLEEPTUNE_SRC/tests/tap.sh"
made=$SLEEPTUNE_BUILD/tests/integration
[ -x "$made/make_history" ] || skip_all "this build is without SQLite"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
export TZ=UTC LC_ALL=C.UTF-8
unset SLEEPTUNE_SOCKET
db=$tmp/h.db
"$made/make_history" "$db" 1795190400 30 120 5 >/dev/null # up to 2026-11-20 16:00

text=$("$SLEEPTUNE" history --db "$db" --since 2026-11-20 --until 2026-11-20T16:00)
is "history ends with 0" "$?" 0
like "it opens with what is not known" "$(head -n 1 <<<"$text")" '^No sound server was watched from 2026-11-20 00:00 to 2026-11-20 16:00'
like "and how to find out" "$text" '^Next +sleeptune status --details '
like "this computer's timing has a row" "$(tr -s ' \n' ' ' <<<"$text")" ' This computer missed 15 of 20,250,015 periods at 128 frames; worst wake-up 4\.[0-9]+ ms late, between '
like "a row an hour; no one counted dropouts" "$text" '^2026-11-20 14:00 +100% +- +1 +13500[0-9]{2} '
like "what was not measured is no zero" "$text" '^2026-11-20 03:00  no data until 2026-11-20 04:00$'
is "the rest is behind --details" "$(grep -cE '^(measured|missed|dropouts) ' <<<"$text")" 0
details=$("$SLEEPTUNE" history --details --db "$db" --since 2026-11-20 --until 2026-11-20T16:00)
like "how much was measured" "$details" '^measured +for 15 h 0 min of 16 h 0 min, [0-9]+ cycles$'
like "misses have a bound" "$details" '^missed +[0-9]+ periods in [0-9]+ events of 1[.]0 periods \(95% confidence: at most'
like "simulated xruns are no dropouts" "$(tr -s ' \n' ' ' <<<"$details")" ' dropouts other programs were not watched; .*; in addition 15 xruns calculated'
is "80 columns are enough" "$("$PYTHON" -c 'import sys; print([l for l in sys.stdin.read().split("\n") if len(l) > 80])' <<<"$text
$details")" "[]"
is "so are 40" "$(COLUMNS=40 "$SLEEPTUNE" history --db "$db" --since 2026-11-20 --until 2026-11-20T16:00 | grep -E '^.{41}')" ""
like "minutes" "$("$SLEEPTUNE" history --db "$db" --since 2026-11-20T15:50Z --until "2026-11-20 16:00" --step 1m)" '^2026-11-20 15:57 +100% +- +0 +22500 '
is "an ellipsis that becomes ASCII does not end the text" "$(LC_ALL=C "$SLEEPTUNE" history --events --db "$SLEEPTUNE_SRC/tests/fixtures/history/version-8.db" | grep -c '^[0-9]')" 12
is "ASCII where the locale is not UTF-8" "$(LC_ALL=C "$SLEEPTUNE" history --db "$db" --since 2026-11-20 --until 2026-11-20T16:00 | LC_ALL=C grep -c '[^ -~]')" 0
is "the same sum, whatever the step" "$(for step in 1m 5m 30m 1h 2h 1d; do
    "$SLEEPTUNE" history --db "$db" --since 2026-11-20T14:00 --until 2026-11-20T16:00 --step "$step" --json |
        "$PYTHON" -c 'import json, sys; print(sum(r["cycles"] for r in json.load(sys.stdin)["rows"] if r["cycles"] and r["from_ns"] >= 1795183200 * 10**9))'
done | sed '$d' | sort -u | wc -l)" 1
is "nothing in that time: exit status 2" "$("$SLEEPTUNE" history --db "$db" --since 2026-01-01 --until 2026-02-01 >"$tmp/none"; echo $?)" 2
like "which is said" "$(cat "$tmp/none")" '^No whole minute was measured from 2026-01-01 00:00 to 2026-02-01 00:00\.$'

"$made/make_history" "$tmp/aged.db" 1795190400 1000 60 5 >/dev/null # minutes of the last 30 days only
text=$("$SLEEPTUNE" history --db "$tmp/aged.db" --since 2026-10-15T18:10 --until 2026-10-15T18:20 --step 1m)
like "where only hours are left, the sentence is about the hour" "$(head -n 1 <<<"$text")" ' from 2026-10-15 18:00 to 2026-10-15 19:00'
"$made/make_history" "$tmp/young.db" 1795190400 0 2 5 >/dev/null
text=$("$SLEEPTUNE" history --db "$tmp/young.db" --since 2026-11-20T14:25 --until 2026-11-20T16:00 --step 5m)
like "a young history begins where it was asked from" "$(head -n 1 <<<"$text")" ' from 2026-11-20 14:25 to 2026-11-20 16:00'
like "in the rows, too" "$text" '^2026-11-20 14:25  no data until 2026-11-20 15:55$'
for since in 0 20000d; do
    text=$("$SLEEPTUNE" history --details --db "$tmp/young.db" --since "$since" --until 2026-11-20T16:10)
    is "--since $since: all that is in the file" "$?" 0
    like "with how long that is" "$text" '^measured +for 2 min of [0-9]+ d [0-9]+ h, 45000 cycles$'
    like "in steps for what there is" "$text" '^2026-11-20 15:58 +100% +- +0 +22500 '
    is "in a few rows" "$(grep -cE '^[12][0-9]{3}-[0-9-]+ [0-9:]+ ' <<<"$text" | awk '{ print ($1 <= 25) }')" 1
done
is "rows, head and sums agree, whatever is asked for" "$(for args in "--since 2026-10-15T18:10 --until 2026-10-15T18:20 --step 1m" "--since 2026-10-15T18:10 --until 2026-10-16 --step 7m" \
    "--since 2026-11-20T14:25 --until 2026-11-20T15:25 --step 6h" "--since 2026-11-18 --until 2026-11-20T15:25 --step 1d" "--since 2026-10-01 --until 2026-10-30T10:10 --step 1h" "--since 0 --step 30d"; do
    # shellcheck disable=SC2086
    "$SLEEPTUNE" history --db "$tmp/aged.db" $args --json | "$PYTHON" -c 'import json, sys; d = json.load(sys.stdin); print(all(d["since_ns"] <= r["from_ns"] <= r["to_ns"] <= d["until_ns"] and r["measured_ns"] <= r["to_ns"] - r["from_ns"] for r in d["rows"]), len(d["rows"]) > 0)'
done | sort | uniq -c | sed 's/^ *//')" "6 True True"

is "events ends with 0" "$("$SLEEPTUNE" history --events --db "$db" >"$tmp/events"; echo $?)" 0
like "an event a line, oldest first" "$(tail -n 1 "$tmp/events")" '^ +had the CPU$'
is "--limit, --since, --kind" "$("$SLEEPTUNE" history --events --db "$db" --kind late-wake --since 2026-11-20T10:00Z --limit 3 | grep -c "late-wake: the test loop woke [34]\.[0-9]* ms late: another thread")" 3
like "a kind that no event can have is a usage error with those that there are" "$("$SLEEPTUNE" history --events --db "$db" --kind foo 2>&1; echo "status $?")" "'foo' is not a kind of event; the kinds are late-wake, .*unclean-end"
for view in "" --events --causes; do
    # shellcheck disable=SC2086
    is "history $view: a time to come is named as what it is" "$("$SLEEPTUNE" history $view --db "$db" --since 2199-01-01 2>&1 | sed -n '1s/.*: //p'; echo "${PIPESTATUS[0]}")" "--since is in the future
3"
done
is "another kind: none" "$("$SLEEPTUNE" history --events --db "$db" --kind own-xrun)" "no such events in that time"
# --- bad input ---
for args in "history --since never" "history --step 1s" "history --since 1h --until 2h" "history --db $db --socket $tmp/s" "history x" \
    "history --events --kind BAD" "history --events --limit 0" "history --events --limit 5001" "history --events --since 2026-02-30" "history --events --causes" "history --causes --limit 3" "history --kind late-wake" "history --events --step 1h"; do
    # shellcheck disable=SC2086
    is "sleeptune $args: usage" "$("$SLEEPTUNE" $args >/dev/null 2>"$tmp/err"; echo $?)$(wc -l <"$tmp/err")" 32
done
"$made/make_history" "$tmp/many.db" 1795190400 0 2200 5 >/dev/null
is "too much: a message" "$("$SLEEPTUNE" history --db "$tmp/many.db" --since 2020-01-01 --step 1m 2>&1 >/dev/null)" "sleeptune history: the answer would be too large: ask for a shorter time, or for longer steps"
for file in "$tmp/none.db" "$tmp" /dev/null "$SLEEPTUNE_SRC/README.md"; do
    is "history of $(basename "$file"): exit status 4" "$("$SLEEPTUNE" history --db "$file" >/dev/null 2>"$tmp/err"; echo $?)" 4
    like "with a message" "$(cat "$tmp/err")" "^sleeptune history: $file: .+"
done
is "a socket that nobody listens on" "$("$SLEEPTUNE" history --socket "$tmp/sock" >/dev/null 2>&1; echo $?)" 4
old=$SLEEPTUNE_SRC/tests/fixtures/history/version-8.db
like "more dropouts than it has names for" "$("$SLEEPTUNE" history --db "$old" --since 2026-11-22T03:00 --until 2026-11-22T04:00 --step 1h)" \
    "^others +302  no name was recorded"
is "no row says 0 beside it" "$("$SLEEPTUNE" history --db "$old" --since 2026-11-22T03:00 --until 2026-11-22T04:00 --step 1h | awk '$1 == "2026-11-22" && $3 ~ /%/ { print $4 }')" 363
"$SLEEPTUNE" history --events --db "$old" >"$tmp/old-events"
is "an event is at most two lines" "$(grep -c '^[0-9]' "$tmp/old-events") $(grep -A1 '^ ' "$tmp/old-events" | awk '/^ / && before ~ /^ / { n++ } { before = $0 } END { print n + 0 }')" "12 0"
is "of 80 columns" "$(grep -E '^.{81}' "$tmp/old-events")" ""
is "--details prints all of it" "$("$SLEEPTUNE" history --events --details --db "$old" | tr -s ' \n' ' ' | grep -c 'the hypervisor or an interrupt (no counter shows which)')" 1
cut_file() { head -c "$1" "$db" >"$tmp/cut.db"; "$SLEEPTUNE" history --db "$tmp/cut.db" --since 2026-11-19 >"$tmp/out" 2>&1; echo $?; }
is "a file that is cut anywhere ends in a message or a history" "$(for bytes in 0 1 50 100 4096 5000 20000 100000; do cut_file $bytes; done | grep -vE '^(0|2|4)$')" ""


# --- files that somebody made to harm who reads them; more in tests/unit/store/test_history_hostile.c ---
"$made/make_history" "$tmp/view.db" 1795190400 0 2 5 >/dev/null
"$PYTHON" - "$tmp/view.db" <<'PY'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
for table in 'span', 'event':
    db.execute(f'ALTER TABLE {table} RENAME TO was_{table}')
    db.execute(f'CREATE VIEW {table} AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT w.* FROM n, was_{table} w')
db.commit()
PY
for view in "" --events --causes; do
    # shellcheck disable=SC2086
    is "history $view: a view over an endless query is refused" "$(timeout 20 "$SLEEPTUNE" history $view --db "$tmp/view.db" --since 2026-11-20 2>&1; echo $?)" \
        "sleeptune history: $tmp/view.db: the file has a view, a trigger or a virtual table, which sleeptune never makes
4"
done

mkdir "$tmp/kill"
kills=${KILLS:-100}
like "killed $kills times at random moments: always sound" "$("$made/kill_history" "$tmp/kill" "$SLEEPTUNE_SRC/tests/fixtures/history/version-8.db" "$kills" $RANDOM 2>&1)" "^$kills kills, [0-9]+ minutes$"
tap_done
