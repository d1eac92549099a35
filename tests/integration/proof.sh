#!/usr/bin/env bash
# The proof that it helped: apply measures, verify runs again and compares, revert forgets. On the real clock and the real
# machine, but /etc/security and /var/lib are this test's own, and the rule that is applied writes a file there only.
. "$SLEEPTUNE_SRC/tests/tap.sh"
need setpriv
alone "$@"
own_tmp
trap 'umount /var/lib 2>/dev/null; clean_up' EXIT
mkdir -p /etc/security "$tmp/security" && cp -a /etc/security/. "$tmp/security"
mount --make-rprivate / && mount -t tmpfs -o mode=755 none /etc/security &&
    mount -t tmpfs -o mode=755 none /var/lib || skip_all "no right to mount here"
cp -a "$tmp/security/." /etc/security # a login needs its files
folder=/var/lib/sleeptune-changes run=/var/lib/sleeptune-changes/before.json
limits=/etc/security/limits.d/99-sleeptune-linux-rt-permission-nobody.conf
can_be_nobody || skip_all "nobody may not run programs in $tmp"
mkdir -m 1777 "$tmp/T"
export TMPDIR=$tmp/T
without_rights() { as_nobody --inh-caps=-all prlimit --rtprio=0 --memlock=65536 -- "$@"; }

# a container may keep even root from raising a limit, and then no login gets it
gives=1
prlimit --rtprio=90:90 true 2>/dev/null || gives=0
apply() { "$SLEEPTUNE" apply --yes --user nobody "$@" linux-rt-permission >"$tmp/out" 2>"$tmp/err" </dev/null; }
verify() { "$SLEEPTUNE" verify "$@" >"$tmp/out" 2>"$tmp/err" </dev/null; }
revert() { "$SLEEPTUNE" revert --all >"$tmp/out" 2>"$tmp/err" </dev/null; }
# interrupted SECONDS PATTERN COMMAND...: by Ctrl-C, so long after it has said PATTERN on standard error
interrupted() {
    local time=$1 pattern=$2
    shift 2
    "$@" >"$tmp/out" 2>"$tmp/err" </dev/null &
    wait_for grep -q "$pattern" "$tmp/err"
    wait_for catches $!
    sleep "$time"
    kill -INT $!
    wait $!
}
# rows PATTERN: those lines of the last verify; why: its row proof
rows() { grep -E -- "^($1)" "$tmp/out" | sed 's/no real-time priority before, now //'; } # so where rtkit is not to be had
why() { sed -nE 's/^proof: +//p' "$tmp/out"; }

# --- there and back ----------------------------------------------------------------------------------------------
does "apply ends with 0" apply --measure 2s
screen_is recording cat "$tmp/err"
like "what it counted is beside the journal, with its schema" "$(cat "$run")" '"schema":"sleeptune-before/1"'
verify
like "verify ends with 0 or, where it runs worse, 1" "$?" '^[01]$'
screen_is -t running-again cat "$tmp/err"
command -v rtkit-daemon /usr/libexec/rtkit-daemon >/dev/null ||
    like "the first loop ran as the user's programs do" "$(cat "$tmp/out")" '^runs: .* no real-time priority before, now fifo'
screen_is -m compared rows 'runs: '
is "no line is without its figures" "$(grep -cE 'nan|inf|null' "$tmp/out")" 0

# each line of the input "yes NAME" or "no NAME" is a test
each() { while read -r answer name; do ok "$name" [ "$answer" = yes ]; done; }
verify --json
like "JSON" "$?" '^[01]$'
cp "$tmp/out" "$tmp/verify.json"
each < <("$PYTHON" - "$tmp/out" "$gives" <<'PY'
import json, sys
d = json.load(open(sys.argv[1]))
p = d["proof"]
def say(good, name):
    print("yes" if good else "no", name)
say(d["schema"] == "sleeptune-verify/1" and d["in_effect"] is (sys.argv[2] == "1"), "JSON: the schema and whether all is in effect")
say(d["entries"][0]["state"] == "in place" and d["rules"][0]["id"] == "linux-rt-permission", "JSON: entries and rules")
before, now = p["before"], p["now"]
say(p["compared"] and all(19 <= len(r["late"]) < 29 for r in (before, now)), "JSON: slots of 100 ms of both runs") # the last wake-up may be late
t = p["late_times"]
say(t["low"] <= t["value"] <= t["high"] and 0 <= t["p_value"] <= 1, "JSON: the ratio is in its interval")
say((p["verdict"] in ("fewer", "more", "drifting")) == (t["p_value"] <= 0.005 and not t["low"] <= 1 <= t["high"]), "JSON: shown as p and the interval say")
say(all(r["misses"] <= sum(r["late"]) <= r["elapsed_periods"] for r in (before, now)), "JSON: what is missed is late, too")
say(p["verdict"] != "too-short" and p["sentence"].startswith("no difference") == (p["verdict"] == "none"), "JSON: and the sentence says so")
PY
)
valid "JSON: is what docs/schema says" "$tmp/verify.json"

apply --measure 2s
screen_is already-applied cat "$tmp/out" "$tmp/err"
ends 1 "without the right to the priority of then: as that is not in effect" without_rights "$SLEEPTUNE" verify
screen_is without-rights why
is "and no run" "$(cat "$tmp/err")" ""
verify --no-measure
screen_is not-measured grep -v '^judged for\|^in effect\|^not yet\|^also in' "$tmp/out"
like "the right is in effect if a login gives it" "$(cat "$tmp/out")" "$([ $gives = 1 ] && echo '^in effect' || echo '^not yet') +linux-rt-permission: "

# --- runs that cannot be compared with ------------------------------------------------------------------------------
cp "$run" "$tmp/good"
# because NAME: verify says why it does not compare, and the rest as ever
because() {
    verify
    is "$1: the rest is in effect" "$?" $((1 - gives))
    screen_is "$1" why
}
rm "$run"
because no-recording
echo '{"schema": "another/1"}' >"$run"
because another-file
head -c -20 "$tmp/good" >"$run"
because damaged
cp "$tmp/good" "$run"
is "nothing is left in the folder for temporary files" "$(ls -A "$TMPDIR")" ""
does "revert ends with 0" revert
screen_is reverted cat "$tmp/out"
ok "both are gone" test ! -e "$run" -a ! -e "$limits"

# --- ended early ---------------------------------------------------------------------------------------------------
interrupted 2 'measuring the timing before' "$SLEEPTUNE" apply --yes --measure 10m --user nobody linux-rt-permission
is "Ctrl-C while it records: nothing is applied" "$?$(ls "$limits" "$run" 2>/dev/null)" 4
apply --measure 2s
interrupted 2 'measuring the timing again' "$SLEEPTUNE" verify
screen_is -m verify-interrupted rows runs:
revert

"$SLEEPTUNE" apply --yes --measure 10m --user nobody linux-rt-permission >"$tmp/out" 2>"$tmp/err" </dev/null &
wait_for grep -q 'running' "$tmp/err"
kill -KILL $!
wait $! 2>/dev/null
ok "killed while it records: nothing is changed" test ! -e "$limits" -a ! -e "$folder/journal"
screen_is nothing-applied "$SLEEPTUNE" verify
does "the next apply measures anew" apply --measure 1s
verify
screen_is -m compared rows 'runs: '
revert

does "apply --no-measure" apply --no-measure
ok "measures nothing" test ! -e "$run" -a -e "$limits"
is "and does not say that it did" "$(cat "$tmp/err")" ""
revert
screen_is reverted-no-recording cat "$tmp/out"

# --- a full disk ---------------------------------------------------------------------------------------------------
mount -t tmpfs -o mode=755,size=4k none /var/lib
apply --measure 4s --frames 16
like "no space for it: said" "$(cat "$tmp/err")" 'No space left'
ok "and it is not in the way" test ! -e "$run"
if [ -e "$limits" ]; then
    pass "what is applied is whole"
    verify
    screen_is no-recording why
else
    is "nothing is half-changed" "$(ls "$folder")" ""
fi
revert
umount /var/lib

# --- refused -------------------------------------------------------------------------------------------------------
each_refused 3 'apply --yes --user nobody linux-rt-permission' '--measure 0' '--measure nonsense' '--measure 11m' '--measure -3s'
ok "nothing of it is changed" test ! -e "$limits"
tap_done
