#!/usr/bin/env bash
# vm: -k rt -q -i -c none -t 2700
# release: test_predict has the bounds on known laws; here they are tried for hours
# Does predict tell the truth? Stalls of known lengths, a second run after the one that predicts, jackd and PipeWire on a card of
# snd-dummy. The guest's clock counts instructions: its host adds nothing. LONG=1: for hours, as docs/results.md has it.
# shellcheck source=tests/vm/guest.sh
. /share/tests/guest.sh
PATH=/share/tests:$PATH
if [ -n "${LONG:-}" ]; then
    injected_s=300 first_s=600 next_s=1800 servers_s=150
else
    injected_s=30 first_s=10 next_s=20 servers_s=10
fi
# shown NAME COMMAND...: a table, kept in the log
shown() {
    local table status=0
    table=$("${@:2}" 2>&1) || status=$?
    tap_note <<<"$table"
    ok "$1" test $status -eq 0
}
export SEED=7
shown "injected stalls: the upper bound of each size holds" predict-injected.sh sleeptune stalls $injected_s
for mean_shape in "2000 0" ${LONG:+"2000 0.2" "1000 0.4"}; do
    # shellcheck disable=SC2086  # words
    ok "held out, stalls $mean_shape: two runs" predict-heldout-guest.sh "/tmp/heldout-${mean_shape/ /-}" sleeptune stalls $first_s $next_s $mean_shape 2000 $SEED
done
shown "held out: what one run predicts holds for the next one" predict_heldout.py --sleeptune sleeptune /tmp/heldout-*/{first,next}.strec
shown "JACK and PipeWire have no more dropouts than predicted" predict-servers-guest.sh /share $servers_s --seed $SEED
tap_done
