#!/usr/bin/env bash
# A report looks at each file once, and stays small: counted, not timed.
# shellcheck disable=SC2317
set -u
. "$SLEEPTUNE_SRC/tests/tap.sh"
captures=$SLEEPTUNE_SRC/tests/fixtures/captures
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
command -v strace >/dev/null || skip_all "strace is not installed"
strace -o /dev/null true 2>/dev/null || skip_all "strace may not trace here"
case $SLEEPTUNE_SANITIZE in *address* | *thread*) skip_all "sanitizers read files of their own" ;; esac

# again ARG...: what `sleeptune ARG...` opened more than once. The C library's own reading of users and groups is left out
# (a look-up each, by nsswitch.conf), as is what does not exist when a library is looked for.
again() {
    strace -qq -f -e trace=open,openat,openat2 -o "$tmp/trace" "$SLEEPTUNE" "$@" >/dev/null 2>&1 </dev/null
    grep -q . "$tmp/trace" || echo "nothing was traced"
    grep -oE '"[^"]+"' "$tmp/trace" | grep -vE '^"/etc/(passwd|group|nsswitch\.conf)"$|\.so[."]' | sort | uniq -d
}
is "this machine: no file or folder is opened twice" "$(again report --no-servers)" ""
is "nor with servers asked" "$(again report --only linux-hz)" ""
is "nor as another user" "$(again report --no-servers --user root)" ""
is "nor by check" "$(again report --no-servers --profile studio --all --json)" ""
for capture in linux-laptop linux-studio freebsd-13.2 freebsd-15.1; do
    is "$capture: no file is opened twice" "$(again report --root "$captures/$capture")" ""
done

# largest resident set of a command, in KiB
resident() { env -u MALLOC_PERTURB_ "$PYTHON" -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$@"; }
# Python itself, before it becomes the program, counts too
# (and memory that the C library is told to fill would be counted)
floor_kib=$(resident true)
small() { local kib; kib=$(resident "$SLEEPTUNE" "$@"); tap_note <<<"$* : $kib KiB (of the test itself: $floor_kib)"; [ "$kib" -le 16384 ]; }
ok "a live report stays below 16 MiB" small report --no-servers
ok "one of linux-laptop, too" small report --root "$captures/linux-laptop"
ok "and one of FreeBSD 15.1" small report --root "$captures/freebsd-15.1"
tap_done
