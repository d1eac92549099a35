#!/usr/bin/env bash
# report and snapshot from the outside: captures, formats, exit statuses, bad input.
set -u
. "$SLEEPTUNE_SRC/tests/tap.sh"
captures=$SLEEPTUNE_SRC/tests/fixtures/captures
tmp=$(mktemp -d)
trap 'chmod -R u+rwX "$tmp"; rm -rf "$tmp"' EXIT

status() { "$@" >/dev/null 2>&1 </dev/null; echo $?; }
report() { "$SLEEPTUNE" report "$@"; }

# refused NAME STATUS PATTERN ARG...: that exit status, one line on stderr that matches, nothing on stdout
refused() {
    local name=$1 wanted=$2 pattern=$3 got
    shift 3
    timeout 20 "$SLEEPTUNE" "$@" >"$tmp/out" 2>"$tmp/err" </dev/null
    got=$?
    if [ "$got" -eq "$wanted" ] && [ ! -s "$tmp/out" ] && head -n 1 "$tmp/err" | grep -Eq -- "$pattern" &&
        [ "$(grep -vc '^Try ' "$tmp/err")" -eq 1 ] && ! LC_ALL=C grep -q $'[\001-\010\013-\037]' "$tmp/err"; then
        pass "$name"
    else
        fail "$name" "$* (status $got, wanted $wanted and /$pattern/)
$(cat "$tmp/err")"
    fi
}

# --- captures ---------------------------------------------------------------------------------------------------
out=$(report --frames 64 --root "$captures/freebsd-13.2")
is "advice does not reach the default threshold" "$?" 0
like "FreeBSD 13.2 at 64 frames: up to 83.3 µs" "$out" '^advice +alloweddeviation 5 makes each sleep up to 83\.3 µs too long'
like "a loop settles at 78" "$(report --all --frames 64 --root "$captures/freebsd-13.2")" '\b78\b'
like "and the command is the one that lasts" "$out" '^  sleeptune apply freebsd-alloweddeviation$'
like "0 removes it" "$(report --details --frames 64 --root "$captures/freebsd-13.2")" 'alloweddeviation=0'
like "what is fine comes on request, by name" "$(report --ok --root "$captures/freebsd-13.2")" '^ok  freebsd-hz  '
is "as many lines as are counted" "$(report --ok --frames 64 --root "$captures/freebsd-13.2" | grep -c '^ok  ')" "$(sed -n 's/^\([0-9]*\) ok, .*/\1/p' <<<"$out")"
is "--threshold advice makes it 1" "$(status "$SLEEPTUNE" report --threshold advice --root "$captures/freebsd-13.2")" 1

cp -r "$captures/freebsd-13.2" "$tmp/14.2"
sed -i 's/^kern.osreldate: .*/kern.osreldate: 1402000/' "$tmp/14.2/sysctl-a.txt"
like "FreeBSD 14.2 sleeps as 13.2 does" "$(report --frames 64 --root "$tmp/14.2")" '^advice +alloweddeviation 5 makes each sleep up to 83\.3 µs too long'

query() { "$PYTHON" -c 'import json, sys
findings = {f["id"]: f for f in json.load(sys.stdin)["findings"]}
print(eval(sys.argv[1], {"f": findings}))' "$1"; }
is "FreeBSD 15.1: no effect on this loop" \
    "$(report --frames 64 --json --root "$captures/freebsd-15.1" | query 'f["freebsd-alloweddeviation"]["effect_us"]')" 0.0
like "only on programs that poll" \
    "$(report --json --root "$captures/freebsd-15.1" | query 'f["freebsd-alloweddeviation"]["summary"]')" poll

mkdir "$tmp/crlf" "$tmp/cut"
sed 's/$/\r/' "$captures/freebsd-13.2/sysctl-a.txt" >"$tmp/crlf/sysctl-a.txt"
like "sysctl text with CRLF reads the same" "$(report --frames 64 --root "$tmp/crlf")" '83\.3 µs'
printf 'kern.osreldate: 1302001\nkern.hz: 1000\nkern.timecounter.alloweddeviation: 5' >"$tmp/cut/sysctl-a.txt"
like "sysctl text without a last newline, too" "$(report --frames 64 --root "$tmp/cut")" '83\.3 µs'

mkdir -p "$tmp/sys-only/sys" "$tmp/proc-only/proc"
summary() { report --json "$@" | query 'f["'"$only"'"]["status"] + ": " + f["'"$only"'"]["summary"]'; }
only=linux-pipewire-quantum
is "a capture without /proc does not say what ran" "$(summary --root "$tmp/sys-only")" "unknown: the saved files do not contain /proc"
like "one with it does" "$(summary --root "$tmp/proc-only")" '^not-applicable: PipeWire does not run'
only=linux-swap
is "nor what is in its files" "$(summary --root "$tmp/sys-only")" "unknown: the saved files do not contain /proc"
only=linux-clocksource
is "and without /sys nothing of that" "$(summary --root "$tmp/proc-only")" "unknown: the saved files do not contain /sys"

cp -r "$captures/linux-laptop" "$tmp/laptop"
report --root "$tmp/laptop" --json >"$tmp/before.json"
"$SLEEPTUNE" snapshot --root "$tmp/laptop" -o "$tmp/laptop.json"
is "a snapshot of a tree is written" "$?" 0
is "with the usual mode" "$(stat -c %a "$tmp/laptop.json")" "$(printf '%o' $((0644 & ~$(umask))))"
report --snapshot "$tmp/laptop.json" --json >"$tmp/after.json"
ok "and judged alike" cmp "$tmp/before.json" "$tmp/after.json"
ok "from standard input, too" cmp "$tmp/before.json" <("$SLEEPTUNE" report --snapshot - --json <"$tmp/laptop.json")
ok "and from /dev/stdin" cmp "$tmp/before.json" <("$SLEEPTUNE" snapshot --root "$tmp/laptop" | "$SLEEPTUNE" report --snapshot /dev/stdin --json)

rm -r "$tmp/laptop/sys/devices/system/cpu/cpufreq" "$tmp/laptop/sys/devices/system/cpu/cpu0/cpuidle" \
    "$tmp/laptop/proc/timer_list"
got=$(report --root "$tmp/laptop" --json)
is "without cpufreq its rule is not applicable" "$(query 'f["linux-cpu-frequency"]["status"]' <<<"$got")" not-applicable
like "without idle states theirs is not fine" "$(query 'f["linux-idle-states"]["status"]' <<<"$got")" 'not-applicable|unknown'
ln -sf /etc/passwd "$tmp/laptop/proc/cmdline"
mkfifo "$tmp/laptop/proc/timer_list"
is "links out of a tree and FIFOs in it are not read" "$(report --root "$tmp/laptop" --json | grep -c root:x)" 0

# --- posted texts ---------------------------------------------------------------------------------------------------------
corpus=$SLEEPTUNE_SRC/tests/fuzz/corpus/input
like "sysctl -a of FreeBSD is judged by itself" "$(report --frames 64 --input "$captures/freebsd-13.2/sysctl-a.txt")" '83\.3 µs'
like "what a text does not have is unknown" "$(report --input "$corpus/sysctl-linux")" '0 not applicable, [0-9]+ unknown: not in this text'
like "alsa-info's output from a pipe" "$(report --input - <"$corpus/alsa-info")" 'not about lateness: linux-hda-power-save\.'
is "several texts of one machine add up" "$(report --json --input "$captures/freebsd-13.2/sysctl-a.txt" --input "$captures/freebsd-13.2/sndstat.txt" | query 'len(f) > 20')" True
posted=$SLEEPTUNE_SRC/tests/fixtures/posted
got=$(report --frames 64 --input "$posted/golang-go-50947.txt")
like "without a version both answers" "$got" 'on FreeBSD 14 and older: up to 83\.3 µs; on FreeBSD 15: nothing'
like "what was read, and what was not" "$got" 'Read: 23 sysctls; not understood: 4 lines'
like "the lines that were not understood" "$(report --details --input "$posted/jack2-625.txt")" 'Linux Mint 19\.3'
like "a text from which little can be judged says so first" "$(report --input "$posted/hellosystem-217.txt" | head -n 2 | tr "\n" " ")" "^Too little is known: [0-9]+ of [0-9]+ settings could not be judged for "
is "both answers in JSON" "$(report --json --frames 64 --input "$posted/golang-go-50947.txt" |
    query '[(c["when"], c["status"]) for c in f["freebsd-alloweddeviation"]["conditions"]]')" \
    "[('on FreeBSD 14 and older', 'advice'), ('on FreeBSD 15', 'ok')]"
echo 'my sound crackles' >"$tmp/post.txt"
refused "another text" 4 'nothing in .*post\.txt shows a setting: it is not the output of sysctl, .* run: sleeptune snapshot' report --input "$tmp/post.txt"
refused "pw-top while nothing plays" 4 'run: pw-top -b -n 2' report --input "$posted/easyeffects-4087.txt"
got=$(report "$posted/mpv-9992.txt" --details)
like "a file without --input, and the line of each fact" "$got" '256 frames at 48 kHz, wenger asked for 256 frames'
like "dropouts that the text names" "$got" 'In this text pw-top counted 5 dropouts \(ERR\) at one node\.'
is "the line that a fact comes from" "$(report --json "$posted/mpv-9992.txt" | grep -c 'mpv-9992\.txt:6"')" 1
like "what helps more" "$(report "$posted/ps-grep.txt")" "On that computer, 'sleeptune snapshot' reads"
refused "a word that is no rule and no file" 3 'no such rule' report no-such-file.txt
refused "a snapshot as a text" 4 'use --snapshot' report --input "$tmp/before.json"
refused "texts of two systems" 4 'from another operating system' report --input "$corpus/alsa-info" --input "$corpus/sndstat.txt"
refused "a text and a snapshot" 3 'cannot be used together' report --input "$corpus/alsa-info" --snapshot "$tmp/before.json"
head -c 17000000 /dev/zero >"$tmp/zeros"
refused "17 MB" 4 'longer than 16 MiB' report --input "$tmp/zeros"

# --- this machine ------------------------------------------------------------------------------------------------
report >"$tmp/live.txt" 2>"$tmp/err"
like "this machine is judged" "$?" '^[012]$'
is "without a word on stderr" "$(cat "$tmp/err")" ""
like "the answer comes first, then that nothing was measured" "$(sed '/^$/Q' "$tmp/live.txt" | tr '\n' ' ')" \
    '^([A-Za-z0-9].*\. Not measured.*: run sleeptune check\.|Nothing plays here: .* sleeptune report --frames 128\.)'
# fits FILE: at most 23 lines (a prompt follows) of at most 80 characters
fits() { "$PYTHON" -c 'import sys; lines = open(sys.argv[1], encoding="utf-8").read().splitlines()
print("yes" if len(lines) <= 23 and max(map(len, lines)) <= 80 else (len(lines), max(lines, key=len)))' "$1"; }
is "the first screen fits 80x24" "$(fits "$tmp/live.txt")" yes
for capture in "$captures"/*/; do
    for profile in studio laptop; do
        report --root "$capture" --frames 32 --profile "$profile" >"$tmp/screen.txt"
        is "and that of $(basename "$capture") as $profile" "$(fits "$tmp/screen.txt")" yes
    done
done
# alone: the sound servers, the rtkit and the sleeptuned of this machine count, too
alone=(unshare --pid --fork --mount --mount-proc sh -c
    '! cd /usr/share/dbus-1/system-services 2>/dev/null || mount -t tmpfs none . || exit; cd /; exec "$@"' sh)
if can_be_nobody && "${alone[@]}" true 2>/dev/null; then
    "${alone[@]}" "${nobody[@]}" prlimit --rtprio=0:0 --memlock=65536:65536 \
        "$SLEEPTUNE" report --frames 128 --json >"$tmp/nobody.json" 2>"$tmp/err"
    is "no right to real-time priority is a problem" "$?" 1
    is "and named" "$(query 'f["linux-rt-permission"]["status"]' <"$tmp/nobody.json")" problem
    is "no right to lock memory is named, too" "$(query 'f["linux-memlock"]["status"] in ("problem", "advice")' <"$tmp/nobody.json")" True
else
    skip "no right to real-time priority is a problem" "needs root, setpriv and unshare to drop rights"
fi

# --- another user -----------------------------------------------------------------------------------------------------------
cp -r "$captures/linux-laptop" "$tmp/home"
mkdir -p "$tmp/home/etc/security/limits.d" "$tmp/home/etc/pam.d"
printf 'ann:x:1000:1000::/:/bin/sh\nbob:x:1001:1001::/:/bin/sh\n' >"$tmp/home/etc/passwd"
printf 'audio:x:29:ann\nann:x:1000:\nbob:x:1001:\n' >"$tmp/home/etc/group"
echo 'session required pam_limits.so' >"$tmp/home/etc/pam.d/login"
echo '@audio - rtprio 95' >"$tmp/home/etc/security/limits.d/audio.conf"
of_user() { report --root "$tmp/home" --user "$1" --json | query 'f["linux-rt-permission"]["status"]'; }
is "a member of the group has the right" "$(of_user ann)" ok
is "another user does not" "$(of_user bob)" problem
like "for whom it is judged is on the first screen" "$(report --root "$tmp/home" --user bob)" '^sleeptune read the rights that bob gets at login from limits\.d'
refused "a user who does not exist" 4 'user eve is not in /etc/passwd' report --root "$tmp/home" --user eve
refused "a user and a snapshot" 3 '--user works only on this machine' report --snapshot "$tmp/before.json" --user ann
if [ "$(id -u)" -eq 0 ]; then
    like "under sudo the user who ran it is judged, and that is said first" "$(SUDO_USER=nobody "$SLEEPTUNE" report --no-servers 2>&1 >/dev/null)" '^The settings are judged for nobody, who ran sudo'
    is "the report has the rights of that user" "$(SUDO_USER=nobody "$SLEEPTUNE" report --no-servers --json 2>/dev/null | query 'f["linux-rt-permission"]["status"]')" \
        "$("$SLEEPTUNE" report --no-servers --user nobody --json | query 'f["linux-rt-permission"]["status"]')"
    is "root without sudo is root" "$("$SLEEPTUNE" report --no-servers 2>&1 >/dev/null)" ""
    is "a captured tree is not the machine" "$(SUDO_USER=nobody "$SLEEPTUNE" report --root "$tmp/home" 2>&1 >/dev/null)" ""
else
    skip "under sudo the user who ran it is judged" "needs root"
fi
like "this machine's root is judged" "$(status "$SLEEPTUNE" report --user root)" '^[012]$'

# --- what is left out --------------------------------------------------------------------------------------------
laptop() { report --root "$captures/linux-laptop" "$@"; }
is "docs/freebsd.md shows what it prints" "$(cd "$SLEEPTUNE_SRC" && COLUMNS=80 "$SLEEPTUNE" report --root tests/fixtures/captures/freebsd-13.2 --frames 64)" \
    "$(awk '/^```/ {shown = 0} shown {print} /^\$ sleeptune report --root/ {shown = 1}' "$SLEEPTUNE_SRC/docs/freebsd.md")"
like "the profile laptop sets aside what costs power" "$(laptop --profile laptop)" '^Profile laptop leaves out [0-9]+ of the settings because of their cost\.$'
like "and --all says why" "$(laptop --profile laptop --all)" 'Left out: +not recommended by the profile laptop, because it costs'
like "the profile studio does not, and says so" "$(laptop --profile studio)" '^Profile studio leaves out no rule\.$'
is "--only leaves the rules named" "$(laptop --only linux-hz,linux-memlock --json | query 'sorted(f)')" "['linux-hz', 'linux-memlock']"
refused "--only with a rule of another system" 3 "'freebsd-hz' is a rule of another operating system" report --root "$captures/linux-laptop" --only freebsd-hz
refused "an unknown profile" 3 'use studio, desktop' report --profile disco

# --- formats -------------------------------------------------------------------------------------------------------
for format in text json markdown prometheus; do
    report --root "$captures/linux-laptop" --format "$format" -o "$tmp/report.$format" >"$tmp/out"
    is "--format $format -o writes the file only" "$([ -s "$tmp/report.$format" ] && [ ! -s "$tmp/out" ] && echo yes)" yes
done
ok "--format prometheus has the figures of the JSON" "$PYTHON" - "$tmp/report.json" "$tmp/report.prometheus" <<'PY'
import json, re, sys
document = json.load(open(sys.argv[1]))
metrics = dict(line.rsplit(" ", 1) for line in open(sys.argv[2]) if line[0] != "#")
findings = [f for f in document["findings"] if not f["set_aside"]]
for status in ("problem", "advice", "unknown", "ok", "not-applicable"):
    n = sum(f["status"] == status for f in findings)
    assert int(metrics['sleeptune_report_findings{status="%s"}' % status]) == n, status
effects = {f["id"]: f["effect_us"] for f in findings if f["status"] in ("problem", "advice") and f["effect_us"] is not None}
told = {re.search('id="(.*)"', key)[1]: float(value) for key, value in metrics.items() if "effect_seconds{" in key}
assert effects and effects.keys() == told.keys(), (effects, told)
assert all(abs(effects[i] / 1e6 - told[i]) <= 1e-8 * told[i] for i in told), (effects, told)
PY
report --json --root "$captures/linux-laptop" -o "$tmp/both.json" --textfile "$tmp/both.prom"
is "--textfile writes the metrics besides" "$(cat "$tmp/both.json" "$tmp/both.prom")" "$(cat "$tmp/report.json" "$tmp/report.prometheus")"
refused "a textfile that cannot be written" 4 'nowhere' report --json --root "$captures/linux-laptop" -o "$tmp/both.json" --textfile "$tmp/nowhere/both.prom"
refused "a report that cannot be written" 4 'nowhere' report --json --root "$captures/linux-laptop" -o "$tmp/nowhere/both.json" --textfile "$tmp/fresh.prom"
is "does not keep the textfile from being written" "$(cat "$tmp/fresh.prom")" "$(cat "$tmp/report.prometheus")"
refused "a textfile in the report's place" 3 'is also the file of --output' report --json --root "$captures/linux-laptop" -o "$tmp/one" --textfile "$tmp/one"
refused "two documents on standard output" 3 'is also the file of --output' report --json --root "$captures/linux-laptop" --textfile -
is "--json is --format json" "$(report --json --root "$captures/linux-laptop")" "$(cat "$tmp/report.json")"
is "NO_COLOR and files have no colour" "$(NO_COLOR=1 report --root "$captures/linux-laptop" | grep -c $'\033')" 0
# commands stay whole, and so does a word that is longer than the line
is "40 columns are enough for the prose" "$(COLUMNS=40 report --all --root "$captures/linux-laptop" |
    awk '/^  [A-Z][a-z ]*:/ {command = /^  (Apply|For now|For ever):/} command || /\[/ || /^  (sudo|echo|sleeptune) / {next} {gsub(/µ/, "u")} length($0) > 40 && /[^ ] [^ ]+$/')" ""

# --- one rule ----------------------------------------------------------------------------------------------------------
is "--list has every rule" "$(report --list | wc -l)" "$(find "$SLEEPTUNE_SRC/tests/fixtures/rules" -mindepth 1 -type d | wc -l)"
failed=''
for id in $(report --list | awk '{print $1}'); do
    report "$id" --root "$captures/freebsd-13.2" | grep -q '^  Sources:' || failed="$failed $id"
done
is "each rule is explained with its sources" "$failed" ""
like "a rule quotes this machine's numbers" \
    "$(report freebsd-alloweddeviation --frames 64 --root "$captures/freebsd-13.2")" '83\.3'
refused "an unknown rule is a usage error with near matches" 3 'linux-timer-slack' report linux-timerslack
refused "a part of a name finds it" 3 'linux-timer-slack' report slack
is "two rules are two sections" "$(report linux-hz linux-swap --root "$captures/linux-laptop" | grep -c '^linux-[a-z]*: ')" 2
refused "a rule is text" 3 'text only' report linux-hz --json
refused "--list takes no rule" 3 'cannot be combined with ids' report --list linux-hz
refused "nothing near: --list is named" 3 '--list' report zzzzzzzzzz

# --- bad input ------------------------------------------------------------------------------------------------------------
echo '{"schema": "sleeptune-snapshot/2", "os": "linux", "facts": []}' >"$tmp/newer.json"
head -c 3000 "$tmp/laptop.json" >"$tmp/half.json"
"$PYTHON" -c 'import random, sys; sys.stdout.buffer.write(random.Random(1).randbytes(100000))' >"$tmp/random" # chance may write a sysctl
head -c 10000000 /dev/zero | tr '\0' '[' >"$tmp/deep"
head -c 40000000 /dev/zero >"$tmp/huge"
: >"$tmp/empty"
mkfifo "$tmp/fifo"
mkdir "$tmp/binary" "$tmp/long" "$tmp/nothing"
cp "$tmp/random" "$tmp/binary/sysctl-a.txt"
head -c 20000000 /dev/zero | tr '\0' 'x' >"$tmp/long/sysctl-a.txt"
refused "a newer snapshot" 4 'newer than this sleeptune' report --snapshot "$tmp/newer.json"
refused "half a snapshot" 4 'half\.json: not JSON: line' report --snapshot "$tmp/half.json"
refused "a binary file" 4 'not JSON' report --snapshot "$tmp/random"
refused "10 MB of brackets" 4 'not JSON' report --snapshot "$tmp/deep"
refused "40 MB" 4 'longer than 32 MiB' report --snapshot "$tmp/huge"
refused "an empty file" 4 'not JSON' report --snapshot "$tmp/empty"
refused "a FIFO" 4 'FIFO' report --snapshot "$tmp/fifo"
refused "a device" 4 'not a regular file' report --snapshot /dev/zero
refused "a folder" 4 'a folder' report --snapshot "$tmp"
refused "a missing file" 4 'No such file' report --snapshot "$tmp/missing"
refused "a missing folder" 4 'No such file' report --root "$tmp/missing"
refused "a file for --root" 4 'Not a directory' report --root "$tmp/empty"
refused "a folder that is no capture" 4 'neither a captured tree' report --root "$tmp/nothing"
refused "binary sysctl text" 4 'sysctl' report --root "$tmp/binary"
refused "20 MB of sysctl text" 4 'longer than 16 MiB' report --root "$tmp/long"
refused "both inputs" 3 'cannot be used together' report --root "$tmp" --snapshot "$tmp/empty"
refused "no frames" 3 'out of range' report --frames 0
refused "frames that are no number" 3 'whole number' report --frames many
refused "a period of hours" 3 'hour' report --frames 4194304 --rate 1
refused "no such format" 3 'use text, json' report --format yaml
refused "no such status" 3 'use problem, advice' report --threshold bad
refused "a missing value" 3 'needs a value' report --frames
refused "an argument that is no rule" 3 'no such rule' report now
refused "a folder that cannot be written to" 4 'cannot write' snapshot -o "$tmp/missing/x"
refused "a folder in place of the output" 4 'cannot write' report -o "$tmp"
if [ -w /dev/full ]; then
    is "a full disk is a failure" "$("$SLEEPTUNE" snapshot >/dev/full 2>/dev/null; echo $?)" 4
    refused "also with -o" 4 'No space left' report -o /dev/full
fi
echo old >"$tmp/kept"
report --root "$captures/linux-laptop" --json -o "$tmp/kept" >/dev/null
ok "an old file is replaced" cmp "$tmp/kept" "$tmp/report.json"
ln -s kept "$tmp/link"
"$SLEEPTUNE" snapshot --root "$tmp/laptop" -o "$tmp/link"
is "a link stays a link" "$(readlink "$tmp/link") $(grep -c sleeptune-snapshot/1 "$tmp/kept")" "kept 1"
is "and nothing is left beside it" "$(find "$tmp" -name 'kept.*' -o -name 'report.*.*' | wc -l)" 0
tap_done
