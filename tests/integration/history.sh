#!/usr/bin/env bash
# sleeptune history and events, on histories whose contents are known; a writer that is killed.
# KILLS=1000 tests/integration/history.sh: how often (default 30)
. "$SLEEPTUNE_SRC/tests/tap.sh"
made=$SLEEPTUNE_BUILD/tests/integration
own_tmp
export TZ=UTC LC_ALL=C.UTF-8
unset SLEEPTUNE_SOCKET
db=$tmp/h.db
"$made/make_history" "$db" 1795190400 30 120 5 >/dev/null # up to 2026-11-20 16:00

history() { "$SLEEPTUNE" history "$@"; }
screen_is hours history --db "$db" --since 2026-11-20 --until 2026-11-20T16:00
screen_is details history --details --db "$db" --since 2026-11-20 --until 2026-11-20T16:00
is "so are 40" "$(COLUMNS=40 "$SLEEPTUNE" history --db "$db" --since 2026-11-20 --until 2026-11-20T16:00 | grep -E '^.{41}')" ""
screen_is minutes history --db "$db" --since 2026-11-20T15:50Z --until "2026-11-20 16:00" --step 1m
is "an ellipsis that becomes ASCII does not end the text" "$(LC_ALL=C "$SLEEPTUNE" history --events --db "$SLEEPTUNE_SRC/tests/fixtures/history/all-kinds.db" | grep -c '^[0-9]')" 8
is "ASCII where the locale is not UTF-8" "$(LC_ALL=C "$SLEEPTUNE" history --db "$db" --since 2026-11-20 --until 2026-11-20T16:00 | LC_ALL=C grep -c '[^ -~]')" 0
is "the same sum, whatever the step" "$(for step in 1m 5m 30m 1h 2h 1d; do
    "$SLEEPTUNE" history --db "$db" --since 2026-11-20T14:00 --until 2026-11-20T16:00 --step "$step" --json |
        key - 'sum(r["cycles"] for r in d["rows"] if r["cycles"] and r["from_ns"] >= 1795183200 * 10**9)'
done | sed '$d' | sort -u | wc -l)" 1

# --- since when ---
"$made/make_history" "$tmp/since.db" 1795190400 0 2 5 >/dev/null
is "no change" "$(history --changes --db "$tmp/since.db" | paste -sd ' ')" "Since this history began, no version, file or setting of the system has changed. For buffer sizes see: sleeptune status --details"
"$PYTHON" - "$tmp/since.db" <<'PY'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
day, end = 86400 * 10**9, 1795190400 * 10**9
def evening(ago, client, dropouts):
    at = end - ago * day
    db.execute("INSERT INTO watch (source, from_ns, to_ns, playing, frames, rate_hz, client) VALUES ('pipewire', ?, ?, 1, 128, 48000, ?)", (at, at + day // 16, client))
    if dropouts:
        db.execute("INSERT INTO event (wall_ns, kind, source, client, count_n) VALUES (?, 'client-dropout', 'pipewire', ?, ?)", (at + 10**12, client, dropouts))
def fact(ago, n, kind, name, value, was):
    db.execute("INSERT INTO fact (from_ns, at_ns, change_n, kind, name, value, was) VALUES (?, ?, ?, ?, ?, ?, ?)", (end - ago * day, end - ago * day, n, kind, name, value, was))
for ago in range(40, 10, -1):
    evening(ago, "Ardour", ago % 3 == 0)
for ago in range(10, 1, -1):
    evening(ago, "Ardour", 20)
fact(60, 0, "kernel", "kernel", "6.12.41", None)
fact(60, 0, "package", "pipewire", "1.4.2-1", None)
fact(25, 1, "package", "pipewire", "1.4.7-1", "1.4.2-1")
fact(10.5, 2, "kernel", "kernel", "6.12.48", "6.12.41")
fact(10.5, 2, "kernel", "kernel version", "#2", "#1")
fact(10.5, 2, "file", "~/.config/pipewire/pipewire.conf.d/\033[31m.conf", "aa", None)
fact(0.5, 3, "package", "jackd2", None, "1.9.21")
db.commit()
PY
since_when() { (cd "$tmp" && history --changes --db since.db); } # the next command has the name, too
screen_is since-when since_when
screen_is since-when-details history --changes --details --db "$tmp/since.db"
is "as JSON" "$(history --changes --json --db "$tmp/since.db" | key - '[c["verdict"] for c in d["changes"]]')" "['none', 'worse', 'too-short']"
"$PYTHON" - "$tmp/since.db" "$SLEEPTUNE_SRC/man/sleeptune-history.1" >"$tmp/selected" <<'PY'
import re, sqlite3, sys
query = re.search("(SELECT client.*?;)\n", open(sys.argv[2]).read(), re.S)[1]
print(sorted((str(client), source, n) for client, source, _, _, n, _ in sqlite3.connect(sys.argv[1]).execute(query)))
PY
is "the manual's query has the numbers of the table of programs" "$(history --json --since 0 --db "$tmp/since.db" | key - 'sorted((str(c["name"]), s["source"], r["dropouts"]) for s in d["dropouts"]["sources"] for c in s["clients"] for r in c["rows"])')" "$(cat "$tmp/selected")"
like "and has some" "$(cat "$tmp/selected")" "^\\[\('Ardour', 'pipewire', [1-9][0-9]+\)\\]$"
like "the table over time has it, and the next step" "$(history --db "$tmp/since.db" --until 2026-11-20T16:00 | tr '\n' ' ' | tr -s ' ')" \
    'Changed More dropouts since 2026-11-10, when the kernel became 6.12.48 .*Next sleeptune history --changes --db [^ ]*/since\.db '
refused "--changes compares all of it" 3 history --changes --since 1d --db "$tmp/since.db"
screen_is nothing history --db "$db" --since 2026-01-01 --until 2026-02-01

"$made/make_history" "$tmp/aged.db" 1795190400 1000 60 5 >/dev/null # minutes of the last 30 days only
screen_is only-hours-are-left history --db "$tmp/aged.db" --since 2026-10-15T18:10 --until 2026-10-15T18:20 --step 1m
"$made/make_history" "$tmp/young.db" 1795190400 0 2 5 >/dev/null
screen_is young history --db "$tmp/young.db" --since 2026-11-20T14:25 --until 2026-11-20T16:00 --step 5m
for since in 0 20000d; do
    ends 0 "--since $since: all that is in the file" history --details --db "$tmp/young.db" --since "$since" --until 2026-11-20T16:10
    ok "in a few rows" test "$(grep -cE '^[12][0-9]{3}-[0-9-]+ [0-9:]+ ' "$tmp/out")" -le 25
done
screen_is since-0 history --details --db "$tmp/young.db" --since 0 --until 2026-11-20T16:10
is "rows, head and sums agree, whatever is asked for" "$(for args in "--since 2026-10-15T18:10 --until 2026-10-15T18:20 --step 1m" "--since 2026-10-15T18:10 --until 2026-10-16 --step 7m" \
    "--since 2026-11-20T14:25 --until 2026-11-20T15:25 --step 6h" "--since 2026-11-18 --until 2026-11-20T15:25 --step 1d" "--since 2026-10-01 --until 2026-10-30T10:10 --step 1h" "--since 0 --step 30d"; do
    # shellcheck disable=SC2086
    "$SLEEPTUNE" history --db "$tmp/aged.db" $args --json | "$PYTHON" -c 'import json, sys; d = json.load(sys.stdin); print(all(d["since_ns"] <= r["from_ns"] <= r["to_ns"] <= d["until_ns"] and r["measured_ns"] <= r["to_ns"] - r["from_ns"] for r in d["rows"]), len(d["rows"]) > 0)'
done | sort | uniq -c | sed 's/^ *//')" "6 True True"

ends 0 "events ends with 0" history --events --db "$db"
is "oldest first" "$(grep '^[0-9]' "$tmp/out" | sort -c 2>&1)" ""
screen_is events history --events --db "$db" --kind late-wake --since 2026-11-20T10:00Z --limit 3
screen_is causes history --causes --db "$SLEEPTUNE_SRC/tests/fixtures/history/all-kinds.db" --since 0 --until 2026-11-23
screen_is no-such-events history --events --db "$db" --kind own-dropout
refused "a kind that no event can have" 3 history --events --db "$db" --kind foo
of_foo=(env -u COLUMNS "$SLEEPTUNE" history --events --kind foo)
on_terminal '' "${of_foo[@]}" | sed '$d' >"$tmp/wrapped"
is "on a terminal that message is wrapped, as screens are" "$(tr -s ' \n' ' ' <"$tmp/wrapped") $(wc -L <"$tmp/wrapped" | grep -c '^7[1-9]$\|^80$')" "$("${of_foo[@]}" 2>&1 | tr -s ' \n' ' ') 1"
for view in "" --events --causes; do
    # shellcheck disable=SC2086
    refused "history $view: a time to come" 3 history $view --db "$db" --since 2037-12-31
done
# --- bad input ---
each_refused 3 history '--since never' '--step 1s' '--since 1h --until 2h' '--db x --socket y' x '--events --kind BAD' '--events --limit 0' \
    '--events --limit 5001' '--events --since 2026-02-30' '--events --causes' '--causes --limit 3' '--kind late-wake' '--events --step 1h'
"$made/make_history" "$tmp/many.db" 1795190400 0 2200 5 >/dev/null
refused "an answer that is too large" 4 history --db "$tmp/many.db" --since 2020-01-01 --step 1m
for file in "$tmp/none.db" "$tmp" /dev/null "$SLEEPTUNE_SRC/README.md"; do
    refused "history of $(basename "$file" | sed 's/^tmp\..*/a folder/')" 4 history --db "$file"
done
is "a socket that no one listens on: exit status 4" "$(history --socket "$tmp/sock" >/dev/null 2>&1; echo $?)" 4 # what to do: a user's daemon or root's
old=$SLEEPTUNE_SRC/tests/fixtures/history/all-kinds.db
screen_is more-dropouts-than-names history --db "$old" --since 2026-11-22T03:00 --until 2026-11-22T04:00 --step 1h
screen_is all-kinds-of-events history --events --db "$old"
screen_is all-kinds-of-events-details history --events --details --db "$old"
history --events --db "$old" >"$tmp/old-events"
is "an event is at most three lines" "$(grep -c '^[0-9]' "$tmp/old-events") $(awk '{ n = /^ / ? n + 1 : 0 } n > 2 { more++ } END { print more + 0 }' "$tmp/old-events")" "8 0"
is "the last three are three, late wake-ups among them" "$(history --events -n 3 --db "$old" | grep -c "^2026")" 3
cut_file() { head -c "$1" "$db" >"$tmp/cut.db"; "$SLEEPTUNE" history --db "$tmp/cut.db" --since 2026-11-19 >"$tmp/out" 2>&1; echo $?; }
is "a file that is cut anywhere ends in a message or a history" "$(for bytes in 0 1 50 100 4096 5000 20000 100000; do cut_file $bytes; done | grep -vE '^(0|2|4)$')" ""

# --- files that somebody made to harm who reads them; more in tests/unit/store/history/test_history_hostile.c ---
"$made/make_history" "$tmp/view.db" 1795190400 0 2 5 >/dev/null
for table in span event; do
    sql "$tmp/view.db" "ALTER TABLE $table RENAME TO was_$table" \
        "CREATE VIEW $table AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT w.* FROM n, was_$table w"
done
for view in "" --events --causes; do
    # shellcheck disable=SC2086
    refused "history $view: a view over an endless query" 4 history $view --db "$tmp/view.db" --since 2026-11-20
done

mkdir "$tmp/kill"
kills=${KILLS:-30} # part long: 1000
like "killed $kills times at random moments: always sound" "$("$made/kill_history" "$tmp/kill" "$SLEEPTUNE_SRC/tests/fixtures/history/all-kinds.db" "$kills" $RANDOM 2>&1)" "^$kills kills, [0-9]+ minutes$"
tap_done
