#!/usr/bin/env bash
# Text in a locale without UTF-8, on dumb terminals and narrow ones.
. "$SLEEPTUNE_SRC/tests/tap.sh"
own_tmp

# in_c NAME REGEX COMMAND...: it is ASCII with LC_ALL=C, with its units or formula
in_c() {
    LC_ALL=C "$SLEEPTUNE" "${@:3}" >"$tmp/text" 2>&1
    is "$1 is ASCII, and not empty" "$([ -s "$tmp/text" ] && LC_ALL=C tr -d '\0-\177' <"$tmp/text" | wc -c)" 0
    like "with its units" "$(cat "$tmp/text")" "$2"
}
in_c "the report" '1333\.3 us' report --details --frames 64 --root "$captures/linux-laptop"
in_c "a rule" '166\.7 us' report freebsd-alloweddeviation --root "$captures/freebsd-13.2"
in_c "a measurement" '[0-9] us' measure --duration 1s --warmup 0 --policy other
in_c check '[0-9] ms' check --duration 10s
like "and in UTF-8 has the letter" "$("$SLEEPTUNE" report --frames 64 --root "$captures/linux-laptop")" '250 µs'
json() { "$SLEEPTUNE" report --json --root "$captures/freebsd-13.2"; }
ok "JSON is the same in any locale" cmp <(LC_ALL=C json) <(json)

for capture in "$captures"/*/; do
    for width in 60 80 120 200; do
        # counted in ASCII, as awk counts bytes; commands may be longer
        is "$(basename "$capture"): the first screen fits $width columns" \
            "$(LC_ALL=C COLUMNS=$width "$SLEEPTUNE" report --frames 64 --root "$capture" | grep -vE '^  ' | awk -v w=$width 'length > w')" ""
    done
done
# on a terminal: colour, unless it is not wanted
terminal() { on_terminal '' env -u NO_COLOR TERM=xterm COLUMNS=80 "$@" "$SLEEPTUNE" report --root "$captures/freebsd-13.2" | grep -oE $'\033|alloweddeviation' | sort -u | tr '\033' E | xargs; }
is "a terminal gets colour" "$(terminal)" "E alloweddeviation"
is "not with NO_COLOR, nor if it is dumb" "$(terminal NO_COLOR=1) $(terminal TERM=dumb)" "alloweddeviation alloweddeviation"
tap_done
