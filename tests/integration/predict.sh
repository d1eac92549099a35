#!/usr/bin/env bash
# sleeptune predict: rows from a recording and from a history, and what it refuses.
. "$SLEEPTUNE_SRC/tests/tap.sh"
own_tmp
# a size is set with the server that runs here
predict() { "$SLEEPTUNE" predict "$@" 2>&1 | sed -E 's/^(Next  )(set|pw-metadata|jack_bufsize) .*/\1.../'; return "${PIPESTATUS[0]}"; }
rows() { "$SLEEPTUNE" predict --json "$@" | key - '"\n".join(" ".join(map(str, (r["frames"], r["episodes"], r["per_hour"], r["at_most_per_hour"] and round(r["at_most_per_hour"], 3)))) for r in d["rows"])'; }

recording() { "$SLEEPTUNE_BUILD/tests/integration/make_long_recording" "$1" -; }

# --- an hour at 48 frames and 48 kHz (1 ms); one wake-up 2.5 ms late skips one period -------------------------------
# late N EXPRESSION NS: a recording of N cycles, those NS late for which it is true of k
late() { awk -v n="$1" -v ns="$3" 'BEGIN {for (k = 0; k < n; k++) print (('"$2"') ? ns : 5000)}' | recording "$4"; }
late 3599999 'k == 1000000' 2500000 "$tmp/hour.strec"
is "rows of an hour" "$(rows "$tmp/hour.strec" --frames 24 | head -n 4)" \
    "24 None None None
48 1 1.0 4.744
96 1 1.0 4.744
192 0 0.0 2.996"
screen_is hour predict "$tmp/hour.strec"
screen_is shorter-size predict "$tmp/hour.strec" --frames 24
screen_is another-size predict "$tmp/hour.strec" --frames 480

# 75 stalls of 2.5 ms, 2 s apart, in the second half
late 300000 'k > 150000 && k % 2000 == 0' 2500000 "$tmp/mixed.strec"
screen_is many-dropouts predict "$tmp/mixed.strec"

# a stall of 60 ms each second
late 60000 'k % 1000 == 500' 60000000 "$tmp/stalls.strec"
screen_is no-size-held predict "$tmp/stalls.strec"
COLUMNS=40 screen_is narrow predict "$tmp/mixed.strec"

# --- a recording ------------------------------------------------------------------------------------------------------
"$SLEEPTUNE" measure --frames 64 --duration 3s --record "$tmp/run.strec" --quiet >/dev/null
is "the recording says what was measured" "$("$SLEEPTUNE" predict "$tmp/run.strec" --json |
    key - 'd["measured"]["frames"], d["measured"]["rate_hz"], [r["frames"] for r in d["rows"]], all(r["at_most_per_hour"] > 0 for r in d["rows"])')" \
    "(64, 48000, [64, 128, 256, 512, 1024, 2048], True)"
is "at most 80 columns and six rows" "$(predict "$tmp/run.strec" | awk 'length > 80 {long++} /^[^ ]+ +[0-9]+ +[0-9.]+ ms/ {rows++} END {print long + 0, rows == 6}')" "0 1"
is "from standard input" "$("$SLEEPTUNE" predict - --json <"$tmp/run.strec")" "$("$SLEEPTUNE" predict "$tmp/run.strec" --json)"
head -c -100 "$tmp/run.strec" >"$tmp/cut.strec"
like "a cut recording is read up to there" "$(predict "$tmp/cut.strec")" 'cut\.strec is cut: sleeptune read only its beginning'
head -c 100 "$tmp/run.strec" >"$tmp/head.strec"
like "one without data is no answer" "$(predict "$tmp/head.strec"; echo "status $?")" '^status [24]$'

# --- the history ------------------------------------------------------------------------------------------------------
made=$SLEEPTUNE_BUILD/tests/integration
if [ -x "$made/make_history" ]; then # an hour has one wake-up 3.1 to 4.1 ms late; 128 frames
    "$made/make_history" "$tmp/h.db" 1795190400 1 3600 5 >/dev/null
    is "rows of a history" "$(rows --history "$tmp/h.db" | head -n 2 | cut -d' ' -f1-2)" \
        "128 58
256 0"
    export TZ=UTC
    COLUMNS=200 screen_is history predict --history "$tmp/h.db"
    is "in 40 columns" "$(COLUMNS=40 predict --history "$tmp/h.db" | grep -E '^.{41}' | grep -v "$tmp")" ""
    sql "$tmp/h.db" "INSERT INTO conditions SELECT 9, '6.2', governor, policy, priority, cpu, frames, rate_hz, load_percent FROM conditions" \
        "UPDATE span SET conditions = 9 WHERE level = 60 AND from_ns >= (1795190400 - 3600) * 1000000000"
    COLUMNS=200 screen_is other-settings predict --history "$tmp/h.db"
    screen_is no-history predict --history "$tmp/none.db"
    echo letters >"$tmp/letters.db"
    screen_is letters-for-a-history predict --history "$tmp/letters.db"
    : >"$tmp/empty.db"
    screen_is empty-history predict --history "$tmp/empty.db"
    head -c 50000 "$tmp/h.db" >"$tmp/cut.db"
    screen_is cut-history predict --history "$tmp/cut.db"
fi

# --- what is no run ---------------------------------------------------------------------------------------------------
: >"$tmp/empty"
screen_is empty-file predict "$tmp/empty"
screen_is nothing-on-standard-input predict -
echo 5000 >"$tmp/text"
screen_is text predict "$tmp/text"
echo 5000 | recording "$tmp/short"
screen_is too-short predict "$tmp/short"
{ head -n 2 "$tmp/short" && echo "end 0 0 0 0 0"; } >"$tmp/none"
is "JSON of no cycle" "$("$SLEEPTUNE" predict --json "$tmp/none" | key - 'd["target_per_hour"]')" None
screen_is no-cycle predict "$tmp/none"
screen_is no-number predict "$tmp/short" --frames x
screen_is no-file predict
tap_done
