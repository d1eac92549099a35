#!/usr/bin/env bash
# docs/published/measure in its short form: each page's commands work. docs/examples/late.c: any C compiler takes it, and its output is read.
. "$SLEEPTUNE_SRC/tests/tap.sh"
own_tmp && cd "$tmp" || exit 1

# --- where sleeptune cannot be built
${CC:-cc} -std=c99 -pedantic -Wall -Wextra -Werror -o late "$SLEEPTUNE_SRC/docs/examples/late.c" 2>err
is "late.c is C99" "$? $(cat err)" "0 "
./late 70 0.005 >late.txt
is "it prints a figure a line, in seconds" "$? $(grep -cE '^[0-9]+\.[0-9]{9}$' late.txt)" "0 70"
"$SLEEPTUNE_LAB" analyse late.txt --every 5ms >text
is "analyse reads it" $? 0
like "with its period" "$(tr '\n' ' ' <text)" '70 samples, one every 5\.000 ms'
"$SLEEPTUNE_LAB" plot late.txt --every 5ms -o late.svg
is "plot draws it" $? 0
./late 0 2>/dev/null
is "a count of 0 is refused" $? 2

# --- what a call costs, and the same in other languages
${CC:-cc} -std=c99 -pedantic -Wall -Wextra -Werror -o cost "$SLEEPTUNE_SRC/docs/examples/cost.c" 2>err
is "cost.c is C99" "$? $(cat err)" "0 "
./cost 60 >cost.txt
is "it prints two columns" "$? $(grep -cE '^[0-9]+,[0-9]+$' cost.txt)" "0 60"
"$SLEEPTUNE_LAB" analyse cost.txt:1 cost.txt:2 --unit ns >text
like "of which analyse makes a line each" "$(cat text)" '^cost.txt:2 +60( +[0-9.]+ [nmµ]?s){6}$'
like "in Markdown, too" "$("$SLEEPTUNE_LAB" analyse cost.txt:1 cost.txt:2 --unit ns --format markdown | head -1)" '^\| name \| n \| mean \[[nµ]s\] .*\| median \[[nµ]s\] \|'
is "as JSON with what is found in each" "$("$SLEEPTUNE_LAB" analyse cost.txt:1 cost.txt:2 --unit ns --json | grep -cE '"(name": "cost.txt:[12]|sentences)"')" 4
status=$("$SLEEPTUNE_LAB" analyse cost.txt:1 nothing 2>&1 >text)
is "a file that is not there is an error, and no half table" "$status" "sleeptune-lab analyse: cannot read nothing: No such file or directory"
if command -v go >/dev/null || cannot "late.go and cost.go" "no go"; then
    cache=$SLEEPTUNE_BUILD/go # Go's own library is compiled once
    [ -w "$SLEEPTUNE_BUILD" ] || cache=$tmp/go
    for name in late cost; do
        ok "$name.go is built" env GOCACHE="$cache" CGO_ENABLED=0 go build -o "go-$name" "$SLEEPTUNE_SRC/docs/examples/$name.go"
    done
    is "and prints as many lines" "$(./go-late 3 0.005 | grep -cE '^[0-9]+\.[0-9]{9}$') $(./go-cost 3 | grep -cE '^[0-9]+,[0-9]+$')" "3 3"
fi
if command -v rustc >/dev/null || cannot "late.rs, cost.rs and wake.rs" "no rustc"; then
    for name in late cost wake; do
        ok "$name.rs is built" env HOME="$(getent passwd "$(id -u)" | cut -d : -f 6)" rustc -o "rust-$name" "$SLEEPTUNE_SRC/docs/examples/$name.rs"
    done
    ./rust-wake 2 3 >wake.txt
    like "analyse names wake.rs's columns" "$("$SLEEPTUNE_LAB" analyse wake.txt:1 wake.txt:2 --unit ns)" '^wake.txt:2 channel woken early +3 '
    is "and prints as many lines" "$(./rust-late 3 0.005 | grep -cE '^[0-9]+\.[0-9]{9}$') $(./rust-cost 3 | grep -cE '^[0-9]+,[0-9]+$') $(./rust-wake 2 3 | grep -cE '^[0-9]+,[0-9]+,[0-9]+,[0-9]+$')" "3 3 3"
fi

# --- the pages
pages=$SLEEPTUNE_SRC/docs/published
"$PYTHON" "$pages/measure" --short --build "$SLEEPTUNE_BUILD" --to "$tmp/to" --json "$tmp/to" >out 2>&1
is "all commands of all pages work" "$?" 0 || cat out
for page in "$pages"/b*.md; do
    name=${page##*/}
    is "$name: as many commands and outputs as in the tree" "$(grep -c '^[$] ' "to/$name")" "$(grep -c '^[$] ' "$page")"
    is "$name: none without output" "$(grep -A 1 '^[$] ' "$page" | grep -c '^```$')" 0
    [ "$name" = b5.md ] || # a captured machine
        is "$name: it says when and under what conditions it was measured" "$(grep -cE '^Measured on [0-9-]{10}, .*load (average )?before it' "$page")" 1
    for picture in $(grep -oE '\([a-z0-9-]+\.svg\)' "$page" | tr -d '()'); do
        ok "$name: $picture is in the tree" test -s "$pages/$picture"
        if [ "$picture" = b1.svg ] && ! command -v go >/dev/null; then
            skip "$name: $picture is drawn anew" "its programs need Go"
        else
            ok "and is drawn anew" grep -q '<svg' "to/$picture"
        fi
    done
done
"$PYTHON" "$SLEEPTUNE_SRC/tests/integration/published_figures.py" "$SLEEPTUNE_LAB" to >out 2>&1
b1=$(command -v go >/dev/null && echo "[0-9]{2} of b1 ") # its programs need Go
like "what the pages say is what the samples and the documents show" "$(tr '\n' ' ' <out)" "^[0-9]{2} of computed series ${b1}84 of b2 24 of b3 $"
# what a measured series says today, in the page of the tree, too
for page in "$pages/b4.md" to/b4.md; do
    is "$page: quartiles, and the kernel's correction of its clock" \
        "$(sed -n '/^[$] sleeptune-lab series/,/^```$/p' "$page" | grep -oE '\<(q1|q3|clock_correction_ppm)\>' | sort -u | tr '\n' ' ')" \
        "clock_correction_ppm q1 q3 "
done
tap_done
