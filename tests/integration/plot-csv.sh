#!/usr/bin/env bash
# Recordings as CSV: a file with known contents, and one of a real measurement.
. "$SLEEPTUNE_SRC/tests/tap.sh"
refusing=$SLEEPTUNE_LAB

own_tmp && cd "$tmp" || exit 1

rows() { grep -v -e '^#' -e '^period' "$1"; }
# is_prefix FILE WHOLE: FILE is not empty and the beginning of WHOLE
is_prefix() { [ -s "$1" ] && cmp -s "$1" <(head -c "$(stat -c %s "$1")" "$2"); }

"$SLEEPTUNE_BUILD/tests/integration/make_recording" made.strec >wanted || { fail "a recording is made"; tap_done; }

# --- CSV
ends 0 "a recording becomes CSV" "$SLEEPTUNE_LAB" plot --csv made.strec
rows out >got
ok "every row is there, exactly and in order" cmp wanted got
is "the columns have the names of the format" "$(grep -v '^#' out | head -1)" "period,lateness_ns,skipped"
is "the CSV has what the recording says" "$(grep -xcE '# (period_ns: 4000000/3|frames: 64|rate_hz: 48000|started: 2023-11-14T22:13:20\.123Z|t0_ns: 987654321|end: complete|kernel: 6\.1\.0-test|governor: performance)' out)" 8
cp out whole.csv
ends 0 "-o FILE.csv writes the same" "$SLEEPTUNE_LAB" plot made.strec -o file.csv
ok "file and standard output are equal" cmp whole.csv file.csv

# base R reads it: no package
if command -v Rscript >/dev/null || cannot "R reads it: every value, and the same sum" "no R"; then
    cat >check.R <<'R'
wanted <- read.csv("wanted", header = FALSE, colClasses = "numeric")
csv <- read.csv("whole.csv", comment.char = "#", colClasses = "numeric")
stopifnot(identical(names(csv), c("period", "lateness_ns", "skipped")), nrow(csv) == nrow(wanted), all(csv == wanted))
R
    ok "R reads it: every value, and the same sum" Rscript check.R
fi

# --- recordings that are not whole
size=$(stat -c %s made.strec)
for part in 3 5 9; do
    head -c $((size * part / 10)) made.strec >cut.strec
    ends 0 "a recording cut at $part/10 becomes CSV up to there" "$SLEEPTUNE_LAB" plot --csv cut.strec
    like "and said to have no end mark ($part/10)" "$(cat err)" 'no end mark'
    rows out >got
    ok "with the beginning of the rows ($part/10)" is_prefix got wanted
done
cp made.strec flipped.strec
printf '\x55\xaa' | dd of=flipped.strec bs=1 seek=$((size / 2)) conv=notrunc status=none
ends 4 "a damaged recording is a failure" "$SLEEPTUNE_LAB" plot --csv flipped.strec
like "that says where" "$(cat err)" 'damaged after [0-9]+ cycles'
rows out >got
ok "what is before the damage becomes CSV up to there" is_prefix got wanted
sed '0,/^[0-9]/s/^[0-9]*$/12345/' made.strec >digits.strec
ends 4 "wrong digits are damage, too" "$SLEEPTUNE_LAB" plot --csv digits.strec

# --- what cannot become CSV
sed '1s/3/4/' made.strec >newer.strec
refused "a newer version" 4 plot --csv newer.strec
echo "not a recording" >other
refused "another file" 4 plot --csv other
refused "a missing file" 4 plot --csv nonexistent
ends 0 "a pipe becomes CSV" "$SLEEPTUNE_LAB" plot --csv <(cat made.strec)
ok "the same as the file" cmp whole.csv out
refused "no file" 3 plot --csv
refused "two recordings" 3 plot made.strec made.strec -o two.csv
refused "a recording that its CSV would overwrite" 3 plot --csv made.strec -o ./made.strec
is "and is still whole" "$(stat -c %s made.strec)" "$size"
if [ -w /dev/full ]; then
    refused "a full disk" 4 plot --csv made.strec -o /dev/full
fi

# --- a real measurement
ends 0 "measure records" "$SLEEPTUNE" measure --duration 2s --record real.strec --json
mv out real.json
"$SLEEPTUNE_LAB" plot --csv real.strec >real.csv
is "a row for each cycle" "$(rows real.csv | grep -c ',0$')" "$(key real.json 'd["cycles"]')"
is "the others say how many periods were skipped" "$(rows real.csv | awk -F, '{n += $3} END {print n + 0}')" "$(key real.json 'd["skipped_periods"]')"
bounds=$(rows real.csv | awk -F, '$3 == 0 { if (n++ == 0 || $2 < min) min = $2; if (n == 1 || $2 > max) max = $2 }
    END { printf "%d %d %d", n, min, max }')
is "n, least and largest lateness are those of the measurement" "$bounds" \
    "$(key real.json '"%d %d %d" % (d["n"], d["lateness_ns"]["min"], d["lateness_ns"]["max"])')"
ok "the recording is complete" grep -qx '# end: complete' real.csv
ok "the recording has conditions" grep -q '^# kernel' real.csv
# --- a line that says 2^63 periods were skipped
is "a run of skipped periods is one row, however long" "$("$SLEEPTUNE_LAB" plot --csv "$SLEEPTUNE_SRC/tests/fuzz/corpus/recording/skipped-all" 2>err | head -c 10000 | grep -vc '^#')" 2

tap_done
