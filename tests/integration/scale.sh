#!/usr/bin/env bash
# Long recordings: the figures of analyse are those of sorting all samples. It reads 2097152 of them at most, says what
# is left out, and its memory has a bound; that of plot --csv does not grow with their number.
. "$SLEEPTUNE_SRC/tests/tap.sh"

own_tmp && cd "$tmp" || exit 1

for n in 1000000 4000000 8000000; do
    "$SLEEPTUNE_BUILD/tests/integration/make_long_recording" $n.strec $n || { fail "a recording of $n is made"; tap_done; }
done

# flat NAME MILLIONS MIB COMMAND...: with 8 million samples as much memory as with so many, to 2 MiB; MIB at most
flat() {
    local name="$1 needs as much memory for 8 million samples as for $2 million" few=${2}000000.strec most=$3 small large
    shift 3
    small=$(resident_kib "${@//FILE/$few}") large=$(resident_kib "${@//FILE/8000000.strec}")
    ok "$name ($small KiB, $large KiB)" test -n "$small" -a -n "$large" -a $((large - small)) -le 2048 -a "$large" -le $((most * 1024))
}
if [ "$SLEEPTUNE_SANITIZE" = none ] || cannot "memory does not grow" "sanitizers keep what is freed"; then
    flat "analyse" 4 160 "$SLEEPTUNE_LAB" analyse FILE
    flat "plot --csv" 1 64 "$SLEEPTUNE_LAB" plot --csv FILE
fi

"$SLEEPTUNE_LAB" analyse 1000000.strec --json >analysis.json 2>err || fail "analyse succeeds" "$(cat err)"
ends 0 "a long recording is analysed" "$SLEEPTUNE_LAB" analyse 4000000.strec
like "which part was looked at is said" "$(tr -s ' \n' ' ' <out)" 'ticks and periodic patterns in the first 262144 samples only'
like "and what was left out" "$(tr -s ' \n' ' ' <out)" 'Only the first 2097152 samples were read; 1902848 more were left out'
if "$PYTHON" -c 'import numpy' 2>/dev/null || cannot "figures are those of sorting (NumPy)" "no numpy"; then
    "$SLEEPTUNE_LAB" plot --csv 1000000.strec | grep -v -e '^#' -e '^period' >all.csv
    cat >check.py <<'PY'
import json, math
import numpy

rows = numpy.loadtxt("all.csv", delimiter=",", dtype=numpy.int64)
late = numpy.sort(rows[rows[:, 2] == 0, 1])
got = json.load(open("analysis.json"))
n = len(late)

def near(key, wanted, within):
    value = got["lateness_ns"][key]
    assert abs(value - wanted) <= within * abs(wanted), (key, value, wanted)

assert got["n"] == n == 1000000, (got["n"], n)
assert got["left_out"] == 0
assert got["lateness_ns"]["min"] == late[0] and got["lateness_ns"]["max"] == late[-1]
for key, p in (("median", 0.5), ("p99", 0.99), ("p99_9", 0.999), ("p99_99", 0.9999)):
    near(key, late[math.ceil(round(p * n, 6)) - 1], 1e-3)
near("mean", late.mean(), 1e-12)
near("sd", late.std(ddof=1), 1e-9)
assert got["skipped_periods"] == int(rows[:, 2].sum())
PY
    ok "figures are those of sorting (NumPy)" "$PYTHON" check.py
fi

# --- cut
size=$(stat -c %s 1000000.strec)
for part in 3 7; do
    head -c $((size * part / 10)) 1000000.strec >cut.strec
    n=$("$SLEEPTUNE_LAB" analyse cut.strec --json | sed -n 's/^  "n": \([0-9]*\),$/\1/p')
    rows=$("$SLEEPTUNE_LAB" plot --csv cut.strec 2>/dev/null | grep -c ',0$')
    is "a long recording cut at $part/10 is analysed as far as its CSV goes" "$n" "$rows"
done
ok "text fits 80 columns" test "$(COLUMNS=80 "$SLEEPTUNE_LAB" analyse 8000000.strec | LC_ALL=C.UTF-8 wc -L)" -le 80
tap_done
