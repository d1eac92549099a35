# shellcheck shell=bash disable=SC2154
# Sourced by 51-second-card.sh and 52-second-card-journal.sh: the card Second of snd-aloop, made too fast or too slow, in the log of PipeWire and
# in what sleeptuned has. Theirs are `lines`, what the log has of a card that is put in step, `fields`, each of these lines as "TIME DELAY TARGET
# LEFT-OUT", `second`, a figure of sleeptuned, $steps, and $clocks: not empty if PipeWire's profiler has clocks.
shift_to() { amixer -q -c Second cset "iface=PCM,name='PCM Rate Shift 100000',device=1" "$1"; }
# 6 % too slow or too fast for 0.7 s
take_steps() {
    local step
    for step in $(seq "$steps"); do
        shift_to $((step % 2 ? 94000 : 106000))
        sleep 0.7
        shift_to 99990
        sleep 1.8
        tap_note <<<"step $step: $(second .places.resync) of $(logged n), $(second .lost_ns) ns of $(logged ms) ms"
    done
}
# logged n|ms: how often, and for how long, the log says so since `begun` lines. One in the cycle after another is one with it, as nothing was
# heard between. Versions without clocks log some only, and how many they left out.
logged() {
    lines | tail -n +$((begun + 1)) | fields |
        awk -v what="$1" -v clocks="$clocks" '{off = $2 - $3; frames += off < 0 ? -off : off; k = split($1, t, ":"); at = k == 3 ? 3600 * t[1] + 60 * t[2] + t[3] : t[1]
            if (!clocks) n += 1 + $4; else if (at - last > 0.032) n++; last = at} END {print what == "n" ? n + 0 : frames / 48}'
}
near() { awk "BEGIN {off = ($1) - ($2); exit !(off <= $3 && -off <= $3)}"; }
