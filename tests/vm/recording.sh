# shellcheck shell=bash disable=SC2154
# Sourced by 42-listen-hda.sh and 43-listen-usb.sh: plays the test signal on the card hw:0,0, of which QEMU writes a recording outside of the
# machine, $recording; both `listen --input` and read_capture judge that. $stops: how many.
export PATH=/usr/local/sbin:/usr/local/bin:$PATH JACK_DEFAULT_SERVER=guest JACK_NO_AUDIO_RESERVATION=1
mkdir -p /tmp/s
cd /tmp/s || exit
sleeptune listen --signal whole.wav -d 10s
sleeptune listen --signal test.wav -d $((10 + stops / 2))s
cat >/etc/asound.conf <<'CONF'
pcm.mixed { type plug slave.pcm { type dmix ipc_key 1234 slave { pcm "hw:0,0" rate 48000 format S16_LE period_size 512 buffer_size 2048 } } }
pcm.converted { type plug slave.pcm { type dmix ipc_key 1235 slave { pcm "hw:0,0" rate 44100 format S16_LE period_size 512 buffer_size 2048 } } }
CONF

# stop I VICTIM: for 0.1 s and a little longer each time
stop() {
    stop_for 0.$((10 + $1 / 2)) "$2"
}
# plays VICTIM COMMAND...: what came out meanwhile is out.wav; $stops stops of VICTIM (0: the player; "": none) after the forced glitches, by `stop`
plays() {
    local before i victim=$1
    before=$(stat -c %s "$recording")
    "${@:2}" &
    player=$!
    [ "$victim" != 0 ] || victim=$player
    if [ -n "$victim" ]; then
        sleep 8
        for i in $(seq "$stops"); do
            ${stop:-stop} "$i" "$victim"
            sleep 0.25
        done
    fi
    wait $player
    sleep 1
    { head -c 44 "$recording"; tail -c +$((before + 1)) "$recording"; } >out.wav
    sleeptune listen --input out.wav --json >heard.json
    /share/tests/read_capture out.wav >seen
    sed 's/^/# /' seen | grep damage >>all
}
heard() { jq -r "$1" heard.json; }
found() { heard '[.path_class, .valid, .losses_n] | join(" ")'; }
# losses of read_capture: those with less than 20 ms of the signal between them are one; without the nine, and without what follows the signal
seen() { awk '$1 == "damage" && $4 > -40000 {if (n == 0 || $2 > end + 960) at[++n] = $2; end = $2 + $3; len[n] = end - at[n]; jump[n] += $4}
    END {for (i = 10; i <= n; i++) {if (jump[i] < 0) jump[i] = -jump[i]; print at[i], (len[i] > jump[i] ? len[i] : jump[i])}}' seen; }
# both, loss by loss: how many, and how many of them have the same place and length. A sample may be equal to the one that it took the place of:
# read_capture then has it a frame later.
agree() {
    seen >one
    heard '.losses[] | "\(.at_frame) \(.frames)"' >two
    paste -d ' ' one two | awk '{off = $1 - $3} (off == 0 || off == 1) && ($2 == $4 || $2 + off == $4) {same++} END {print NR, same + 0}'
}
# in_jack LOSSES [WHY]: of a program in JACK's graph, then of the graph, whose stops are that many losses
in_jack() {
    jackd -n guest -r -d alsa -P hw:0,0 -r 48000 -p 512 -n 3 >jackd.log 2>&1 &
    server=$!
    wait_for jack_lsp
    plays 0 /share/tests/play_jack test.wav
    is "$stops stops of a program in JACK's graph are $stops losses" "$(found)" "bit-exact true $stops"
    is "each with its place and length" "$(agree)" "$stops $stops"
    plays $server /share/tests/play_jack test.wav
    is "$stops stops of the graph are $1 losses${2:-}" "$(found)" "bit-exact true $1"
    is "each with its place and length, too" "$(agree)" "$1 $1"
    ended_by TERM $server
}
closed() { grep -q closed /proc/asound/card0/pcm0p/sub0/status; }
