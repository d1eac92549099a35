#!/usr/bin/env bash
# Text in a locale without UTF-8, on dumb terminals and narrow ones.
. "$SLEEPTUNE_SRC/tests/tap.sh"
own_tmp

# ascii NAME FILE: not a byte beyond ASCII in it, and something in it
ascii() { is "$1" "$([ -s "$2" ] && LC_ALL=C tr -d '\0-\177' <"$2" | wc -c)" 0; }

LC_ALL=C "$SLEEPTUNE" report --all --frames 64 --root "$captures/linux-laptop" >"$tmp/report"
ascii "the report is ASCII" "$tmp/report"
like "with its units" "$(cat "$tmp/report")" '1333\.3 us'
like "and in UTF-8 has the letter" "$("$SLEEPTUNE" report --frames 64 --root "$captures/linux-laptop")" '250 µs'
LC_ALL=C "$SLEEPTUNE" report freebsd-alloweddeviation --root "$captures/freebsd-13.2" >"$tmp/explain"
ascii "so is a rule" "$tmp/explain"
like "with its formula" "$(cat "$tmp/explain")" '166\.7 us'
LC_ALL=C "$SLEEPTUNE" measure --duration 1s --warmup 0 --policy other >"$tmp/measure" 2>&1
ascii "so is a measurement" "$tmp/measure"
like "with its units" "$(cat "$tmp/measure")" '[0-9] us'
LC_ALL=C "$SLEEPTUNE" check --duration 10s >"$tmp/check" 2>"$tmp/progress"
ascii "so is check" "$tmp/check"
ascii "and what it says meanwhile" "$tmp/progress"
LC_ALL=C "$SLEEPTUNE" report --json --root "$captures/freebsd-13.2" >"$tmp/c.json"
"$SLEEPTUNE" report --json --root "$captures/freebsd-13.2" >"$tmp/utf8.json"
ok "JSON is the same in any locale" cmp "$tmp/c.json" "$tmp/utf8.json"

for capture in "$captures"/*/; do
    for width in 60 80 120 200; do
        # counted in ASCII, as awk counts bytes; commands may be longer
        is "$(basename "$capture"): the first screen fits $width columns" \
            "$(LC_ALL=C COLUMNS=$width "$SLEEPTUNE" report --frames 64 --root "$capture" | grep -vE '^  ' | awk -v w=$width 'length > w')" ""
    done
    is "$(basename "$capture"): and 24 lines of 80" \
        "$(LC_ALL=C COLUMNS=80 "$SLEEPTUNE" report --frames 64 --root "$capture" | awk 'length > 80 {wide = 1} END {print (NR <= 23 && !wide)}')" 1
done
# on a terminal: colour, unless it is not wanted
terminal() { on_terminal '' env -u NO_COLOR TERM=xterm COLUMNS=80 "$@" "$SLEEPTUNE" report --root "$captures/freebsd-13.2" | grep -oE $'\033|alloweddeviation' | sort -u | tr '\033' E | xargs; }
is "a terminal gets colour" "$(terminal)" "E alloweddeviation"
is "not with NO_COLOR" "$(terminal NO_COLOR=1)" alloweddeviation
is "nor on a dumb terminal" "$(terminal TERM=dumb)" alloweddeviation
tap_done
