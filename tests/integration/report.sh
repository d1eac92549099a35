#!/usr/bin/env bash
# report and snapshot from the outside: captures, formats, exit statuses, bad input.
. "$SLEEPTUNE_SRC/tests/tap.sh"
own_tmp

report() { "$SLEEPTUNE" report "$@"; }

# --- captures ---------------------------------------------------------------------------------------------------
screen_is freebsd-13.2 report --frames 64 --root "$captures/freebsd-13.2"
screen_is freebsd-13.2-all report --details --frames 64 --root "$captures/freebsd-13.2"
screen_is freebsd-13.2-ok report --ok --frames 64 --root "$captures/freebsd-13.2"
is "as many lines as are counted" "$(grep -c '^ok  ' "$tmp/screen")" "$(report --frames 64 --root "$captures/freebsd-13.2" | sed -n 's/^Settings: \([0-9]*\) ok, .*/\1/p')"
screen_is freebsd-13.2-threshold report --threshold advice --root "$captures/freebsd-13.2"

cp -r "$captures/freebsd-13.2" "$tmp/14.2"
sed -i 's/^kern.osreldate: .*/kern.osreldate: 1402000/' "$tmp/14.2/sysctl-a.txt"
is "FreeBSD 14.2 sleeps as 13.2 does" "$(report --frames 64 --root "$tmp/14.2" | head -n 1)" "$(report --frames 64 --root "$captures/freebsd-13.2" | head -n 1)"

# freebsd-run-4.md D10; at 8b8d5cff o12/c1-jail.txt has "advice   the module mac_priority is not loaded", nothing of
# memory, which measure could not lock there, and each sysctl's advice said: sleeptune apply ...; as root
cp -r "$captures/freebsd-13.2" "$tmp/jail"
sed -i 's/^security.jail.jailed: .*/security.jail.mlock_allowed: 0\nsecurity.jail.jailed: 1/' "$tmp/jail/sysctl-a.txt"
screen_is freebsd-jail report --details --root "$tmp/jail"

is "FreeBSD 15.1: no effect on this loop" \
    "$(report --frames 64 --json --root "$captures/freebsd-15.1" | query 'f["freebsd-alloweddeviation"]["effect_us"]')" 0.0
screen_is freebsd-15.1-rule report freebsd-alloweddeviation --root "$captures/freebsd-15.1"

mkdir "$tmp/crlf" "$tmp/cut"
sed 's/$/\r/' "$captures/freebsd-13.2/sysctl-a.txt" >"$tmp/crlf/sysctl-a.txt"
printf 'kern.osreldate: 1302001\nkern.hz: 1000\nkern.timecounter.alloweddeviation: 5' >"$tmp/cut/sysctl-a.txt"
for kind in crlf cut; do
    is "sysctl text: $kind: it is read" "$(report --frames 64 --json --root "$tmp/$kind" | query 'f["freebsd-alloweddeviation"]["status"]')" advice
done

mkdir -p "$tmp/sys-only/sys" "$tmp/proc-only"
cp -r "$captures/linux-studio/proc" "$tmp/proc-only"
only='f["linux-pipewire-quantum"]["status"], f["linux-swap"]["status"], f["linux-clocksource"]["status"]'
is "a capture without /proc does not know what ran" "$(report --json --root "$tmp/sys-only" | query "$only")" "('unknown', 'unknown', 'unknown')"
is "one without /sys does, and does not know what is in there" "$(report --json --root "$tmp/proc-only" | query "$only")" "('ok', 'ok', 'unknown')"
screen_is without-proc report --details --root "$tmp/sys-only"
screen_is without-sys report --details --root "$tmp/proc-only"

cp -r "$captures/linux-laptop" "$tmp/laptop"
report --root "$tmp/laptop" --json >"$tmp/before.json"
ends 0 "a snapshot of a tree is written" "$SLEEPTUNE" snapshot --root "$tmp/laptop" -o "$tmp/laptop.json"
is "with the usual mode" "$(stat -c %a "$tmp/laptop.json")" "$(printf '%o' $((0644 & ~$(umask))))"
ok "and judged alike" cmp "$tmp/before.json" <(report --snapshot "$tmp/laptop.json" --json)
ok "from standard input, too" cmp "$tmp/before.json" <("$SLEEPTUNE" report --snapshot - --json <"$tmp/laptop.json")
ok "as a file without an option, too" cmp "$tmp/before.json" <(report --json "$tmp/laptop.json")
ok "and from /dev/stdin" cmp "$tmp/before.json" <("$SLEEPTUNE" snapshot --root "$tmp/laptop" | "$SLEEPTUNE" report --snapshot /dev/stdin --json)

rm -r "$tmp/laptop/sys/devices/system/cpu/cpufreq" "$tmp/laptop/sys/devices/system/cpu/cpu0/cpuidle" \
    "$tmp/laptop/proc/timer_list"
is "without cpufreq and idle states their rules are unknown" \
    "$(report --root "$tmp/laptop" --json | query '[f[x]["status"] for x in ("linux-cpu-frequency", "linux-idle-states")]')" "['unknown', 'unknown']"
ln -sf /etc/passwd "$tmp/laptop/proc/cmdline"
mkfifo "$tmp/laptop/proc/timer_list"
is "links out of a tree and FIFOs in it are not read" "$(report --root "$tmp/laptop" --json | grep -c root:x)" 0

# --- posted texts ---------------------------------------------------------------------------------------------------------
corpus=$SLEEPTUNE_SRC/tests/fuzz/corpus/input
is "sysctl -a of FreeBSD is judged by itself" "$(report --frames 64 --input "$captures/freebsd-13.2/sysctl-a.txt" --json | query 'f["freebsd-alloweddeviation"]["status"]')" advice
posted=$SLEEPTUNE_SRC/tests/fixtures/posted
screen_is posted-sysctl report --input "$corpus/sysctl-linux"
from_pipe() { report --input - <"$1"; }
screen_is posted-alsa-info from_pipe "$corpus/alsa-info"
screen_is posted-golang-go-50947 report --frames 64 --input "$posted/golang-go-50947.txt"
screen_is posted-jack2-625 report --details --input "$posted/jack2-625.txt"
screen_is posted-hellosystem-217 report --input "$posted/hellosystem-217.txt"
like "a text of NixOS: the settings lie in configuration.nix" "$(printf '%s\n' 'Linux nixos 6.6.54 #1-NixOS SMP PREEMPT_DYNAMIC x86_64 GNU/Linux' 'Cannot use real-time scheduling (RR/5)(1: Operation not permitted)' | "$SLEEPTUNE" report --input -)" 'put the setting into configuration.nix'
screen_is posted-mpv-9992 report "$posted/mpv-9992.txt" --details
screen_is posted-ps-grep report "$posted/ps-grep.txt"
sed 's/"valid": true/"valid": false/; s/-6000.4/null/; s/1e300/12.7/' "$corpus/listen" >"$tmp/invalid.json"
screen_is posted-listen-invalid report --input "$tmp/invalid.json"
is "several texts of one machine add up" "$(report --json --input "$captures/freebsd-13.2/sysctl-a.txt" --input "$captures/freebsd-13.2/sndstat.txt" | query 'len(f) > 20')" True
is "without the version it is unknown, with the command that decides" "$(report --json --frames 64 --input "$posted/golang-go-50947.txt" |
    query '[f["freebsd-alloweddeviation"][k] for k in ("status", "ask")]')" "['unknown', 'sysctl kern.timecounter.alloweddeviation   # 0']"
echo 'my sound crackles' >"$tmp/post.txt"
refused "another text" 4 report --input "$tmp/post.txt"
for begin in '\x89PNG' '\x1f\x8b' '<!DOCTYPE html>' '' 'int main(void) { return 0; }' '127.0.0.1 - - "GET / HTTP/1.1" 200' 'RIFF\0\0governor'; do
    printf '%b' "$begin" >"$tmp/post.txt"
    refused "a text that begins with '$begin'" 4 report --input "$tmp/post.txt"
done
tar czf "$tmp/some.tgz" -C "$SLEEPTUNE_SRC/docs" adr
for file in README.md LICENSE NEWS.md HACKING.md docs/architecture.md docs/pictures/lateness.svg measure/loop.c docs/site/style.css; do
    is "$file is refused, with the reason" "$("$SLEEPTUNE" report --input "$SLEEPTUNE_SRC/$file" 2>&1 | grep -cE 'nothing in|shows no setting'
        echo "${PIPESTATUS[0]}")" $'1\n4'
done
like "its reason" "$("$SLEEPTUNE" report --input "$tmp/some.tgz" 2>&1)" 'is an archive: unpack it first'
refused "pw-top while nothing plays" 4 report --input "$posted/easyeffects-4087.txt"
is "the line that two facts come from" "$(report --json "$posted/mpv-9992.txt" | grep -c 'mpv-9992\.txt:6"')" 2
refused "a snapshot as a text" 4 report --input "$tmp/before.json"
refused "texts of two systems" 4 report --input "$corpus/alsa-info" --input "$corpus/sndstat.txt"
refused "a text and a snapshot" 3 report --input "$corpus/alsa-info" --snapshot "$tmp/before.json"
head -c 17000000 /dev/zero >"$tmp/zeros"
refused "17 MB" 4 report --input "$tmp/zeros"

# --- this machine ------------------------------------------------------------------------------------------------
report >"$tmp/live.txt" 2>"$tmp/err"
like "this machine is judged, without a word on stderr" "$?$(cat "$tmp/err")" '^[012]$'
# fits FILE: at most 23 lines (a prompt follows) of at most 80 characters
fits() { "$PYTHON" -c 'import sys; lines = open(sys.argv[1], encoding="utf-8").read().splitlines()
print("yes" if len(lines) <= 23 and max(map(len, lines)) <= 80 else (len(lines), max(lines, key=len)))' "$1"; }
is "the first screen fits 80x24" "$(fits "$tmp/live.txt")" yes
for capture in "$captures"/*/; do
    for profile in studio laptop; do
        screen_is "$(basename "$capture")-$profile" report --root "$capture" --frames 32 --profile "$profile"
        is "it fits 80x24, too" "$(sed '1d;$d' "$tmp/screen" >"$tmp/lines"; fits "$tmp/lines")" yes
    done
done
# alone: the sound servers, the rtkit and the sleeptuned of this machine count, too
alone=(unshare --pid --fork --mount --mount-proc sh -c
    '! cd /usr/share/dbus-1/system-services 2>/dev/null || mount -t tmpfs none . || exit; cd /; exec "$@"' sh)
if can_be_nobody && "${alone[@]}" true 2>/dev/null || cannot "no right to real-time priority is a problem" "needs root, setpriv and unshare to drop rights"; then
    ends 1 "no right to real-time priority is a problem" \
        "${alone[@]}" "${nobody[@]}" prlimit --rtprio=0:0 --memlock=65536:65536 "$SLEEPTUNE" report --frames 128 --json
    like "and named, as is no right to lock memory" "$(query 'f["linux-rt-permission"]["status"], f["linux-memlock"]["status"]' <"$tmp/out")" "^\('problem', '(problem|advice)'\)$"
fi

# --- another user -----------------------------------------------------------------------------------------------------------
cp -r "$captures/linux-laptop" "$tmp/home"
mkdir -p "$tmp/home/etc/security/limits.d" "$tmp/home/etc/pam.d"
printf 'ann:x:1000:1000::/:/bin/sh\nbob:x:1001:1001::/:/bin/sh\n' >"$tmp/home/etc/passwd"
printf 'audio:x:29:ann\nann:x:1000:\nbob:x:1001:\n' >"$tmp/home/etc/group"
echo 'session required pam_limits.so' >"$tmp/home/etc/pam.d/login"
echo '@audio - rtprio 95' >"$tmp/home/etc/security/limits.d/audio.conf"
of_user() { report --root "$tmp/home" --user "$1" --json | query 'f["linux-rt-permission"]["status"]'; }
is "a member of the group has the right, another user does not" "$(of_user ann) $(of_user bob)" "ok problem"
screen_is another-user report --root "$tmp/home" --user bob
refused "a user who does not exist" 4 report --root "$tmp/home" --user eve
refused "a user and a snapshot" 3 report --snapshot "$tmp/before.json" --user ann
if [ "$(id -u)" -eq 0 ] || cannot "under sudo the user who ran it is judged" "needs root"; then
    warned() { SUDO_USER=nobody report --no-servers >"$tmp/live.txt"; true; }
    screen_is under-sudo warned
    is "the report has the rights of that user" "$(SUDO_USER=nobody "$SLEEPTUNE" report --no-servers --json 2>/dev/null | query 'f["linux-rt-permission"]["status"]')" \
        "$("$SLEEPTUNE" report --no-servers --user nobody --json | query 'f["linux-rt-permission"]["status"]')"
    is "root without sudo is root, and a captured tree is not the machine" \
        "$("$SLEEPTUNE" report --no-servers 2>&1 >/dev/null; SUDO_USER=nobody "$SLEEPTUNE" report --root "$tmp/home" 2>&1 >/dev/null)" ""
fi
like "this machine's root is judged" "$(report --user root >/dev/null 2>&1; echo $?)" '^[012]$'

# --- memory ----------------------------------------------------------------------------------------------------------
if case $SLEEPTUNE_SANITIZE in *address* | *thread*) false ;; esac || cannot "a report stays small" "sanitizers need memory of their own"; then
    for where in --no-servers "--root=$captures/linux-laptop" "--root=$captures/freebsd-15.1"; do
        kib=$(resident_kib "$SLEEPTUNE" report "$where")
        ok "report ${where##*/} needs $kib KiB, at most 16 MiB" [ "$kib" -le 16384 ]
    done
fi

# --- what is left out --------------------------------------------------------------------------------------------
laptop() { report --root "$captures/linux-laptop" "$@"; }
is "docs/published/b5.md shows what it prints" "$(cd "$captures" && COLUMNS=100 "$SLEEPTUNE" report --root freebsd-13.2 --frames 64)" \
    "$(awk '/^```/ {shown = 0} shown {print} /^\$ sleeptune report --root/ {shown = 1}' "$SLEEPTUNE_SRC/docs/published/b5.md")"
screen_is profile-laptop-all laptop --profile laptop --details
is "--only leaves the rules named" "$(laptop --only linux-hz,linux-memlock --json | query 'sorted(f)')" "['linux-hz', 'linux-memlock']"
refused "--only with a rule of another system" 3 report --root "$captures/linux-laptop" --only freebsd-hz

# --- formats -------------------------------------------------------------------------------------------------------
for format in '' --json; do
    is "${format:-text} -o writes the file only" "$(laptop $format -o "$tmp/report$format")$(head -c 1 "$tmp/report$format" | wc -c)" 1
done
laptop -o /dev/null --textfile "$tmp/report.prom"
ok "the metrics have the figures of the JSON" "$PYTHON" - "$tmp/report--json" "$tmp/report.prom" <<'PY'
import json, re, sys
document = json.load(open(sys.argv[1]))
metrics = dict(line.rsplit(" ", 1) for line in open(sys.argv[2]) if line[0] != "#")
findings = [f for f in document["findings"] if not f["set_aside"] and not f["needless"]]
for status in ("problem", "advice", "unknown", "ok", "not-applicable"):
    n = sum(f["status"] == status for f in findings)
    assert int(metrics['sleeptune_report_findings{status="%s"}' % status]) == n, status
effects = {f["id"]: f["effect_us"] for f in findings if f["status"] in ("problem", "advice") and f["effect_us"] is not None}
told = {re.search('id="(.*)"', key)[1]: float(value) for key, value in metrics.items() if "effect_seconds{" in key}
assert effects and effects.keys() == told.keys(), (effects, told)
assert all(abs(effects[i] / 1e6 - told[i]) <= 1e-8 * told[i] for i in told), (effects, told)
PY
report --json --root "$captures/linux-laptop" -o "$tmp/both.json" --textfile "$tmp/both.prom"
is "--textfile writes the metrics besides" "$(cat "$tmp/both.json" "$tmp/both.prom")" "$(cat "$tmp/report--json" "$tmp/report.prom")"
refused "a textfile that cannot be written" 4 report --json --root "$captures/linux-laptop" -o "$tmp/both.json" --textfile "$tmp/nowhere/both.prom"
refused "a report that cannot be written" 4 report --json --root "$captures/linux-laptop" -o "$tmp/nowhere/both.json" --textfile "$tmp/fresh.prom"
is "does not keep the textfile from being written" "$(cat "$tmp/fresh.prom")" "$(cat "$tmp/report.prom")"
refused "a textfile in the report's place" 3 report --json --root "$captures/linux-laptop" -o "$tmp/one" --textfile "$tmp/one"
refused "two documents on standard output" 3 report --json --root "$captures/linux-laptop" --textfile -
is "NO_COLOR and files have no colour" "$(NO_COLOR=1 report --root "$captures/linux-laptop" | grep -c $'\033')" 0
# commands stay whole, and so does a word that is longer than the line
is "40 columns are enough for the prose" "$(COLUMNS=40 report --details --root "$captures/linux-laptop" |
    awk '/^  [A-Z][a-z ]*:/ {command = /^  (Apply|For now|For ever|To know it):/} command || /\[/ || /^  (sudo|echo|sleeptune) / {next} {gsub(/µ/, "u")} length($0) > 40 && /[^ ] [^ ]+$/')" ""

# --- one rule ----------------------------------------------------------------------------------------------------------
is "--list has every rule" "$(report --list | wc -l)" "$(find "$SLEEPTUNE_SRC/tests/fixtures/rules" -name '*.facts' | wc -l)"
is "each rule is explained with its sources" "$(for id in $(report --list | awk '{print $1}'); do
    report "$id" --root "$captures/freebsd-13.2" | grep -q '^  Sources:' || echo "$id"
done)" ""
# near matches, also of a part of a name; nothing near: --list is named
each_refused 3 report linux-timerslack slack zzzzzzzzzz 'linux-hz --json' '--list linux-hz' '--profile disco'
each_refused 4 report no-such-file.txt ./no-such-file
is "two rules are two sections" "$(report linux-hz linux-swap --root "$captures/linux-laptop" | grep -c '^linux-[a-z]*: ')" 2

# --- bad input ------------------------------------------------------------------------------------------------------------
echo '{"schema": "sleeptune-snapshot/2", "os": "linux", "facts": []}' >"$tmp/newer.json"
head -c 3000 "$tmp/laptop.json" >"$tmp/half.json"
"$PYTHON" -c 'import random, sys; sys.stdout.buffer.write(random.Random(1).randbytes(100000))' >"$tmp/random" # chance may write a sysctl
: >"$tmp/empty"
mkdir "$tmp/nothing"
# what is deep, long, binary, a FIFO or a device: hostile.sh
for file in newer.json half.json random empty missing .; do refused "snapshot $file" 4 report --snapshot "$tmp/$file"; done
for folder in missing empty nothing; do refused "folder $folder" 4 report --root "$tmp/$folder"; done
refused "both inputs" 3 report --root "$tmp" --snapshot "$tmp/empty"
each_refused 3 report '--frames 0' '--frames many' '--frames 4194304 --rate 1' '--threshold bad' --frames now
refused "a folder that cannot be written to" 4 snapshot -o "$tmp/missing/x"
refused "a folder in place of the output" 4 report -o "$tmp"
if [ -w /dev/full ]; then
    is "a full disk is a failure" "$("$SLEEPTUNE" snapshot >/dev/full 2>/dev/null; echo $?)" 4
    refused "also with -o" 4 report -o /dev/full
fi
# what is replaced, and through which links: output.sh
tap_done
