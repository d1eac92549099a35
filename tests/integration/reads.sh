#!/usr/bin/env bash
# A report stays small: counted, not timed.
# shellcheck disable=SC2317
set -u
. "$SLEEPTUNE_SRC/tests/tap.sh"
captures=$SLEEPTUNE_SRC/tests/fixtures/captures
own_tmp
case $SLEEPTUNE_SANITIZE in *address* | *thread*) skip_all "sanitizers need memory of their own" ;; esac

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
