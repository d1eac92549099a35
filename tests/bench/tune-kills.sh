#!/usr/bin/env bash
# tune-kills.sh GUEST [KILLS [SEED]]: `tune` in a booted guest is killed with SIGKILL at random moments (200), every fifth time both of its
# processes; each time /etc and all values must be as before. GUEST: the folder that `scripts/test guests` leaves in build-test/guest; its
# image is used, too. As root. The guest's clock counts instructions: how fast the host is does not matter. Prints TAP, and at how many
# kills a setting was on.
set -euo pipefail
[ $# -ge 1 ] || { sed -n '2,5s/^# //p' "$0"; exit 2; }
here=$(cd "$(dirname "$0")/.." && pwd)
guest=$(cd "$1" && pwd) kills=${2:-200} seed=${3:-1}
export VMBOOT_DIR=${VMBOOT_DIR:-$(dirname "$guest")/vmboot}
export VMBOOT_PACKAGES=${VMBOOT_PACKAGES:-$(sed "s/^.*rt-tests,//" "$VMBOOT_DIR/root.pkgs")} # as the image has them
cp "$here/tap.sh" "$here/vm/tune.sh" "$guest/tests/"
options=$(sed -n 's/^# vm: //p' "$here/vm/48-tune.sh")
# shellcheck disable=SC2086 # words
exec "$here/vm/vm-boot.sh" $options -t $((600 + 120 * kills)) -s "$guest" -- \
    ". /share/tests/tap.sh; . /share/tests/tune.sh; SEED=$seed kill_at_random_moments $kills; tap_done"
