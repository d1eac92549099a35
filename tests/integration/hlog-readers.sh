#!/usr/bin/env bash
# Histogram logs in the readers of others: the Java reference implementation and the Python one, which are fetched by
# their package managers into the build folder, and base R, which reads them by the published format.
set -u
. "$SLEEPTUNE_SRC/tests/tap.sh"

here=$SLEEPTUNE_SRC/tests/integration
readers=$SLEEPTUNE_BUILD/readers
[ -x "$SLEEPTUNE_BUILD/tests/integration/make_hlog" ] || skip_all "built without zlib"
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir -p "$readers"
"$SLEEPTUNE_BUILD/tests/integration/make_hlog" "$dir/made.hlog" >"$dir/wanted" || { fail "a log is written"; tap_done; }

if "$SLEEPTUNE" measure --duration 1s --hlog "$dir/real.hlog" --json >"$dir/real.json" 2>"$dir/error"; then
    n=$(sed -n 's/^ *"n": \([0-9]*\),*$/\1/p' "$dir/real.json" | head -1)
    pass "measure writes a log"
else
    n=
    fail "measure writes a log" "$(cat "$dir/error")"
fi

# check NAME COMMAND...: the reader finds exactly what was written
check() {
    local name=$1 output
    shift
    if output=$("$@" "$dir/made.hlog" 2>"$dir/error"); then
        ok "$name: n, every bucket, min, max, quantiles and times are equal" diff "$dir/wanted" - <<<"$output"
    else
        fail "$name: n, every bucket, min, max, quantiles and times are equal" "$(cat "$dir/error")"
    fi
    [ -n "$n" ] || return 0
    output=$("$@" "$dir/real.hlog" 2>&1)
    like "$name: the log of a measurement has its n" "$output" "^lateness n $n\$"
    like "$name: the log of a measurement has response times" "$output" "^response n [1-9]"
}

if ! command -v javac >/dev/null || ! command -v mvn >/dev/null; then
    skip "Java: counts, min, max and quantiles" "no JDK or no Maven"
elif ! mvn -q -B -ntp "-Dmaven.repo.local=$readers/maven" dependency:get -Dtransitive=false \
    -Dartifact=org.hdrhistogram:HdrHistogram:2.2.2 >"$readers/maven.log" 2>&1; then
    skip "Java: counts, min, max and quantiles" "Maven cannot fetch HdrHistogram ($(tail -1 "$readers/maven.log" | cut -c1-80))"
else
    jar=$(find "$readers/maven" -name 'HdrHistogram-2.2.2.jar')
    if javac -cp "$jar" -d "$dir" "$here/ReadHlog.java" 2>"$dir/error"; then
        check Java java -cp "$jar:$dir" ReadHlog
    else
        fail "Java: the reader compiles" "$(cat "$dir/error")"
    fi
fi

python=$readers/venv/bin/python
if ! { [ -x "$python" ] && "$python" -c 'import hdrh'; } 2>/dev/null &&
    ! { "${PYTHON:-python3}" -m venv "$readers/venv" && "$readers/venv/bin/pip" -q install hdrhistogram; } \
        >"$readers/pip.log" 2>&1; then
    skip "Python: counts, min, max and quantiles" "pip cannot install hdrhistogram ($(tail -1 "$readers/pip.log" | cut -c1-80))"
else
    check Python "$python" "$here/read_hlog.py"
fi

if command -v Rscript >/dev/null; then
    check R Rscript "$here/read_hlog.R"
else
    skip "R: counts, min, max and quantiles" "no R"
fi
tap_done
