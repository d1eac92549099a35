#!/usr/bin/env bash
# What the setup guides tell people to paste: it parses, and what checks a setting on Linux runs here.
. "$SLEEPTUNE_SRC/tests/tap.sh"
own_tmp

# blocks OS: the shell blocks of a guide, NUL-terminated; checks OS: those below "Check:"
blocks() { awk '/^```$/ {if (code) printf "%c", 0; code = 0} code {print} /^```sh$/ {code = 1}' "$SLEEPTUNE_SRC/docs/setup-$1.md"; }
checks() { awk '/^\*\*Check:\*\*$/ {check = 1} /^```$/ {check = code = 0} code {print} /^```sh$/ {code = check}' "$SLEEPTUNE_SRC/docs/setup-$1.md"; }

for os in linux freebsd; do
    n=0
    while IFS= read -r -d '' block; do
        n=$((n + 1))
        message=$(bash -n <<<"$block" 2>&1) || fail "$os: block $n parses" "$block
$message"
    done < <(blocks $os)
    is "$os: there are blocks to paste" "$([ $n -ge 40 ] && echo yes)" yes
    is "$os: all of them are the shell's" "$(blocks $os | tr '\0' '\n' | grep -cE '^\[|^[a-z_.]+ = ')" 0
done

if command -v python3 >/dev/null; then
    message=$("$SLEEPTUNE_SRC/tests/freebsd_guide.py" "$SLEEPTUNE_SRC/docs/setup-freebsd.md" "$SLEEPTUNE_SRC"/tests/fixtures/captures/freebsd-1*/sysctl-a.txt)
    is "freebsd: commands have their form, and set what their checks expect" "$?" 0
    like "freebsd: those of all settings" "$message" '^[23][0-9] settings$'
fi

# each line is a command of its own; what it looks at may be missing here, what it is told may not be wrong
sudo() { "$@"; }
export -f sudo
n=0
while IFS= read -r line; do
    n=$((n + 1))
    [[ $line != pw-top* ]] || continue # wants a terminal
    LC_ALL=C timeout 5 bash -c "$line" >/dev/null 2>"$tmp/err" </dev/null
    status=$?
    if grep -qiE 'invalid option|unrecogni[sz]ed option|unknown option|usage:|syntax error|invalid argument' "$tmp/err"; then
        fail "linux: check $n is understood" "$line (status $status)
$(cat "$tmp/err")"
    fi
done < <(checks linux)
is "linux: there are checks" "$([ $n -ge 40 ] && echo yes)" yes

tap_done
