#!/usr/bin/env bash
# vm: -k rt -q -i -c hda -w 42-listen-hda.wav
# What came out of a card, recorded outside of the machine: QEMU writes what its card played, and both `listen --input` and read_capture judge
# that. Nothing is lost undisturbed; then 20 stops each (STOPS: fewer): of a program that plays through dmix, so that the card runs on, with a volume, too;
# of a program in JACK's graph; and of the graph.
# shellcheck source=tests/tap.sh
. /share/tests/tap.sh
cp -a /share/usr /share/etc / 2>/dev/null
ldconfig
stops=${STOPS:-20}
export PATH=/usr/local/sbin:/usr/local/bin:$PATH JACK_DEFAULT_SERVER=guest JACK_NO_AUDIO_RESERVATION=1
recording=/share/42-listen-hda.wav
mkdir -p /tmp/s
cd /tmp/s || exit
amixer -q -c 0 sset Master 0dB unmute
sleeptune listen --signal whole.wav -d 10s
sleeptune listen --signal test.wav -d $((10 + stops / 2))s
cat >/etc/asound.conf <<'CONF'
pcm.mixed { type plug slave.pcm { type dmix ipc_key 1234 slave { pcm "hw:0,0" rate 48000 format S16_LE period_size 512 buffer_size 2048 } } }
CONF

# plays VICTIM COMMAND...: what came out meanwhile is out.wav; $stops stops of VICTIM (0: the player; "": none) after the forced glitches
plays() {
    local before i victim=$1
    before=$(stat -c %s $recording)
    "${@:2}" &
    player=$!
    [ "$victim" != 0 ] || victim=$player
    if [ -n "$victim" ]; then
        sleep 8
        for i in $(seq "$stops"); do
            kill -STOP "$victim"
            sleep 0.$((10 + i / 2))
            kill -CONT "$victim"
            sleep 0.25
        done
    fi
    wait $player
    sleep 1
    { head -c 44 $recording; tail -c +$((before + 1)) $recording; } >out.wav
    sleeptune listen --input out.wav --json >heard.json
    /share/tests/read_capture out.wav >seen
    sed 's/^/# /' seen | grep damage >>all
}
heard() { jq -r "$1" heard.json; }
found() { heard '[.path_class, .valid, .losses_n] | join(" ")'; }
# losses of read_capture: those with less than 20 ms of the signal between them are one; without the nine, and without what follows the signal
seen() { awk '$1 == "damage" && $4 > -40000 {if (n == 0 || $2 > end + 960) at[++n] = $2; end = $2 + $3; len[n] = end - at[n]; jump[n] += $4 < 0 ? -$4 : $4}
    END {for (i = 10; i <= n; i++) print at[i], (len[i] > jump[i] ? len[i] : jump[i])}' seen; }
# both, loss by loss: how many, and how many of them have the same place and length
agree() {
    seen >one
    heard '.losses[] | "\(.at_frame) \(.frames)"' >two
    paste -d ' ' one two | awk '$1 == $3 && $2 == $4 {same++} END {print NR, same + 0}'
}

plays '' aplay -q -D hw:0,0 --buffer-time=500000 whole.wav
is "undisturbed: bit-exact, and nothing lost" "$(found)" "bit-exact true 0"
plays 0 aplay -q -D mixed test.wav
like "$stops stops of the program that plays are $stops losses, but where dmix makes two of one" "$(found)" "^bit-exact true ($stops|$((stops + 1))|$((stops + 2)))$"
is "each with the place and length that a comparison of all samples finds" "$(agree)" "$(heard '"\(.losses_n) \(.losses_n)"')"

closed() { grep -q closed /proc/asound/card0/pcm0p/sub0/status; }
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
amixer -q -c 0 sset Master 64 # QEMU makes that 64/74
plays 0 aplay -q -D mixed test.wav
like "with a volume of -1.3 dB, too" "$(found) $(heard '.gain_db * 10 | round')" "^linear-gain true ($stops|$((stops + 1))|$((stops + 2))) -13$"
[ "$tap_failed" -eq 0 ] || cat jackd.log all | tail -60 | tap_note
tap_done
