#!/usr/bin/env bash
# vm: -k rt -q -i -c hda -w 42-listen-hda.wav
# release: takes six minutes; 43-listen-usb has the same programs, JACK and the graph on another card that QEMU records
# What came out of a card, recorded outside of the machine: QEMU writes what its card played, and both `listen --input` and read_capture judge
# that. Nothing is lost undisturbed; then 20 stops each (STOPS: fewer): of a program that plays through dmix, so that the card runs on, also with a
# volume and converted; of a program in JACK's graph; and of the graph. At last it is PipeWire's second card, which is resynchronised.
# shellcheck source=tests/vm/guest.sh
. /share/tests/guest.sh
stops=${STOPS:-20}
echo 0 >/sys/module/snd_hda_intel/parameters/power_save # after a second without sound QEMU's card would forget its volume
amixer -q -c 0 sset Master 0dB unmute
recording=/share/42-listen-hda.wav
# shellcheck source=tests/vm/recording.sh
. /share/tests/recording.sh

plays '' aplay -q -D hw:0,0 --buffer-time=500000 whole.wav
is "undisturbed: bit-exact, and nothing lost" "$(found)" "bit-exact true 0"
# long losses, and whether there are at most two of 32 frames and less: dmix adds the signal to what its ring had there one round before
long() { heard '[.path_class, .valid, ([.losses[] | select(.frames > 33)] | length), ([.losses[] | select(.frames <= 33)] | length <= 2)] | join(" ")'; }
plays 0 aplay -q -D mixed test.wav
is "$stops stops of the program that plays are $stops losses, and dmix damages 16 or 32 frames at most twice" "$(long)" "bit-exact true $stops true"
is "each with the place and length that a comparison of all samples finds" "$(agree)" "$(heard '"\(.losses_n) \(.losses_n)"')"

wait_for closed # by dmix
in_jack $((2 * stops)) ": JACK starts with 43 ms of silence, and plays one cycle twice soon after"
wait_for closed
aplay -q -D mixed -d 1 whole.wav # with another format than JACK's QEMU begins at 0 dB
amixer -q -c 0 sset Master 64    # which it makes 64/74
plays 0 aplay -q -D mixed test.wav
is "with a volume of -1.3 dB, too" "$(long) $(heard '.gain_db * 10 | round')" "linear-gain true $stops true -13"
amixer -q -c 0 sset Master 0dB
plays 0 aplay -q -D converted test.wav
is "and of 44.1 kHz, to and from which it is converted" "$(found)" "converted true $stops"

# PipeWire's second card. The first one, snd-aloop, is made 3 % too fast, then too slow; each time that the second is half a cycle off, frames are left out
# of its sound, or silence is put in. Its ring is deep: it does not run dry
wait_for closed
modprobe snd-aloop id=First
# shellcheck source=tests/vm/graph.sh
. /share/tests/graph.sh
# a second of silence, until it is linked
sleeptune listen --signal - -d $((18 + stops))s | { dd bs=44 count=1 status=none; head -c 192000 /dev/zero; cat; } >late.wav
configure 1024 "$(adapter first sink First,0 2000 S32LE 1024) $(adapter second sink 0,0 1000 S16LE 8192)"
PIPEWIRE_DEBUG=2,spa.alsa:3 begin
in_graph() {
    "${as_user[@]}" pw-play --latency=1024 late.wav &
    links first second
    wait $!
}
# each time, by how many frames, and how many before it were not logged: one in 2 s is
steps() { sed -n 's/.* follower delay:\([0-9]*\) target:\([0-9]*\) .* resync (\([0-9]*\).*/\1 \2 \3/p' server.log | awk '{print ($1 > $2 ? $1 - $2 : $2 - $1), $3}'; }
steps_n() { steps | wc -l; }
is_put() { [ "$(steps_n)" -gt "$before_last" ]; }
shift_to() { amixer -q -c First cset "iface=PCM,name='PCM Rate Shift 100000',device=1" "$1"; }
drift() {
    [ "$1" != 1 ] || of_start=$(steps_n)
    shift_to $(($1 * 2 <= stops ? 97000 : 103000))
    sleep 0.7
    [ "$1" = "$stops" ] || return 0
    shift_to 100000
    sleep 2.2
    before_last=$(steps_n)
    shift_to 103000 # once more, with which those before are logged
    wait_for is_put
    shift_to 100000
}
put_n() {
    steps | tail -n +$((of_start + 1)) >put
    awk '{n += 1 + (NR > 1) * $2} END {print n + 0}' put
}
stop=drift plays 1 in_graph
n=$(put_n)
losses=$(heard .losses_n)
ok "a second card is resynchronised $n times, each a loss in its sound ($losses)" test "$n" -ge "$stops" -a "$losses" -ge "$n"
is "those that are logged, of as many frames" "$(heard '.losses[].frames' | awk 'NR == FNR {put[NR] = $1; next} $1 == put[n + 1] {n++} END {print n + 0}' put -)" "$(wc -l <put)"
is "each loss has its place and length" "$(heard '[.path_class, .valid] | join(" ")') $(agree)" "bit-exact true $losses $losses"
"${as_user[@]}" pw-link second:monitor_FL first:playback_FL # so that the first one leads
"${as_user[@]}" sleeptune listen --back monitor --play second -d $((14 + stops))s --json >heard.json 2>listen.log &
listening=$!
sleep 10
for i in $(seq "$stops"); do drift "$i"; done
wait $listening
n=$(put_n)
ok "it is resynchronised $n times more" test "$n" -ge "$((stops / 2))"
is "which its monitor does not have, and listen says so" "$(found) $(heard '.cannot_hear | index("second-card") != null')" "bit-exact true 0 true"
[ "$tap_failed" -eq 0 ] || cat jackd.log server.log all | tail -90 | tap_note
tap_done
