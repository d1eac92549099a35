#!/usr/bin/env bash
# A snapshot that somebody else made: what it says of units and devices is read again on this machine.
# shellcheck disable=SC2317
set -u
. "$SLEEPTUNE_SRC/tests/tap.sh"
[ "$(uname -s)" = Linux ] || skip_all "units and USB devices are Linux's"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
"$SLEEPTUNE" snapshot --no-servers >"$tmp/own.json"
# claims FILE KEY=VALUE...: this machine's snapshot with these facts added
claims() {
    "$PYTHON" - "$tmp/own.json" "$tmp/$1" "${@:2}" <<'END'
import json, sys
document = json.load(open(sys.argv[1]))
wanted = dict(pair.split("=", 1) for pair in sys.argv[3:])
document["facts"] = [f for f in document["facts"] if f["key"] not in wanted]
for key, value in wanted.items():
    document["facts"].append({"key": key, "value": value, "state": "ok", "errno": 0, "raw": value, "source": "test", "time": ""})
document["facts"].sort(key=lambda f: f["key"])
json.dump(document, open(sys.argv[2], "w"))
END
}
apply() { "$SLEEPTUNE" apply "$@" </dev/null >"$tmp/out" 2>&1; }

unit=linux.unit.sleeptune-claims
claims unit.json $unit.program=/usr/bin/jackd $unit.user=ann $unit.restrict_realtime=yes
apply --dry-run --snapshot "$tmp/unit.json" linux-service-limits
is "a unit that this machine does not have is refused" "$?" 4
like "it says which fact of which rule disagrees, and with what" "$(cat "$tmp/out")" \
    "linux-service-limits: the snapshot has $unit\.[a-z_]+ = .*, this machine has nothing\. Nothing was changed\. Take the snapshot again"
is "and no unit is planned to be changed" "$(grep -c '^[+]RestrictRealtime' "$tmp/out")" 0

device=linux.usb_audio.9-9
claims usb.json $device.control=auto $device.autosuspend_delay_ms=2000 $device.vendor_id=dead $device.product_id=beef
apply --dry-run --snapshot "$tmp/usb.json" linux-usb-autosuspend
like "a device that this machine does not have is refused" "$(cat "$tmp/out")" "the snapshot has $device\.[a-z_]+ = .*, this machine has nothing|9-9/power/control"
is "and no udev rule is planned for it" "$(grep -c 'dead' "$tmp/out")" 0

# what belongs to the user is believed: root's own limits say nothing of it
claims limits.json user.uid=65534 user.rlimit_rtprio=0 user.fifo_errno=1 user.rlimit_memlock_bytes=65536
apply --dry-run --snapshot "$tmp/limits.json" linux-memlock
is "limits of the user who plays are no claim about the machine" "$(grep -c 'the snapshot has' "$tmp/out")" 0
like "the manual says that it is to be one's own" "$("$SLEEPTUNE" apply --help | tr -s ' \n' '  ')" 'The snapshot decides what is changed: use only your own'
tap_done
