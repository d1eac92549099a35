#!/usr/bin/env bash
# vm: -k rt -q -i -c hda -w 42-listen-hda.wav
# What came out of a card, recorded outside of the machine: QEMU writes what its card played, and both `listen --input` and read_capture judge
# that. Nothing is lost undisturbed; then 20 stops each (STOPS: fewer): of a program that plays through dmix, so that the card runs on, also with a
# volume and converted; of a program in JACK's graph; and of the graph.
# shellcheck source=tests/tap.sh
. /share/tests/tap.sh
cp -a /share/usr /share/etc / 2>/dev/null
ldconfig
stops=${STOPS:-20}
# where dmix adds the signal to what its ring had there one round before: 16 or 32 frames, 8192 after a stop
or_more="($stops|$((stops + 1))|$((stops + 2)))"
amixer -q -c 0 sset Master 0dB unmute
recording=/share/42-listen-hda.wav
# shellcheck source=tests/vm/recording.sh
. /share/tests/recording.sh

plays '' aplay -q -D hw:0,0 --buffer-time=500000 whole.wav
is "undisturbed: bit-exact, and nothing lost" "$(found)" "bit-exact true 0"
plays 0 aplay -q -D mixed test.wav
like "$stops stops of the program that plays are $stops losses, or two more" "$(found)" "^bit-exact true $or_more$"
is "each with the place and length that a comparison of all samples finds" "$(agree)" "$(heard '"\(.losses_n) \(.losses_n)"')"

wait_for closed # by dmix
jackd -n guest -r -d alsa -P hw:0,0 -r 48000 -p 512 -n 3 >jackd.log 2>&1 &
server=$!
wait_for jack_lsp
plays 0 /share/tests/play_jack test.wav
is "$stops stops of a program in JACK's graph are $stops losses" "$(found)" "bit-exact true $stops"
is "each with its place and length" "$(agree)" "$stops $stops"
plays $server /share/tests/play_jack test.wav
is "$stops stops of the graph are $((2 * stops)) losses: JACK starts with 43 ms of silence, and plays one cycle twice soon after" "$(found)" "bit-exact true $((2 * stops))"
is "each with its place and length, too" "$(agree)" "$((2 * stops)) $((2 * stops))"
kill $server
wait $server
wait_for closed
aplay -q -D mixed -d 1 whole.wav # with another format than JACK's QEMU begins at 0 dB
amixer -q -c 0 sset Master 64    # which it makes 64/74
plays 0 aplay -q -D mixed test.wav
like "with a volume of -1.3 dB, too" "$(found) $(heard '.gain_db * 10 | round')" "^linear-gain true $or_more -13$"
amixer -q -c 0 sset Master 0dB
plays 0 aplay -q -D converted test.wav
is "and of 44.1 kHz, to and from which it is converted" "$(found)" "converted true $stops"
[ "$tap_failed" -eq 0 ] || cat jackd.log all | tail -60 | tap_note
tap_done
