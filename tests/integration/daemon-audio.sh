#!/usr/bin/env bash
# The own stream on real backends, and backends that cannot be opened: the daemon says so and goes on.
. "$SLEEPTUNE_SRC/tests/tap.sh"
own_shm "$@"
go_on_as_nobody
. "$SLEEPTUNE_SRC/tests/integration/daemon-lib.sh"
like "built with libsoundio" "$("$SLEEPTUNE" --version)" 'libsoundio (yes|no)'
"$SLEEPTUNE" --version | grep -q 'libsoundio yes' || skip_rest "backends" "built without libsoundio"
# under AddressSanitizer: libsoundio's JACK backend loses its list of clients when the server dies
echo 'leak:libsoundio' >"$tmp/lsan"
export LSAN_OPTIONS=suppressions=$tmp/lsan:print_suppressions=0
export PULSE_SERVER=unix:$tmp/no-pulse JACK_NO_START_SERVER=1 JACK_DEFAULT_SERVER=sleeptune-no-such-server

for backend in jack pulseaudio; do
    config "audio: { backend = \"$backend\"; };"
    starts "$backend without a server: the daemon starts"
    wait_for value_is 'd["audio"]["state"]' waiting
    like "$backend: it waits, and the status says why" "$(value 'd["audio"]["error"]')" "(sound system|backend) $backend|was built without"
    like "$backend: the log says what happens instead" "$(cat "$log")" "sleeptuned's own test stream does not run: .*sleeptuned continues without it"
    stops "$backend: a clean end"
done

config 'audio: { backend = "dummy"; device = "hw:77,7"; };'
start
ok "an unknown device: it waits, and names it" wait_for value_is 'd["audio"]["state"], d["audio"]["error"]' 'waiting the sound system dummy has no output device "hw:77,7"; it has: dummy-out'
reload 'audio: { backend = "dummy"; };'
ok "the right device after SIGHUP: it plays" wait_for value_is 'd["audio"]["state"]' playing
threads() { cat "/proc/$daemon/task/"*/comm 2>/dev/null | sort -u | tr '\n' ' '; }
[ "$(uname)" != Linux ] || # libsoundio's have the name of who began them
    like "it has six threads of its own at most, each with a name" "$(threads)" '^(sleeptuned|st-(audio|drain|history|loop|watchdog)| )+$'
ok "and nothing is degraded by audio" value_is '[x for x in d["degraded"] if x["what"] == "audio"]' '[]'
own=$(value 'd["audio"]["own_dropouts"]')
kill -STOP "$daemon"
sleep 1
kill -CONT "$daemon"
ok "a daemon that was stopped has own dropouts" wait_for value_is "d['audio']['own_dropouts'] > $own" True
stop

# 32 kB, a whole number of pages: dummy would be empty after each half of it
config 'audio: { backend = "dummy"; };' 'loop: { frames = 2048; };'
start
wait_for value_is 'd["loop"]["cycles"] > 100' True
is "a buffer of whole pages is not empty at each period" "$(value '4 * d["audio"]["own_dropouts"] < d["loop"]["cycles"]')" True
stop

if command -v jackd >/dev/null || cannot "a JACK server that comes and goes" "jackd is not installed"; then
    export JACK_DEFAULT_SERVER=sleeptune-test-$$ # one name: jackd takes the place of a dead server of that name
    behind jackd -n "$JACK_DEFAULT_SERVER" -r -d dummy -r 48000 -p 1024 >"$tmp/jackd.log" 2>&1
    server=$!
    config 'audio: { backend = "jack"; };'
    start
    plays_or_died() { ! kill -0 "$server" || value_is 'd["audio"]["state"]' playing; }
    if wait_for plays_or_died && kill -0 "$server" 2>/dev/null || cannot "jack: it plays on the server" "jackd does not run here: $(tail -1 "$tmp/jackd.log")"; then
        pass "jack: it plays on the server"
        kill -STOP "$server"
        ok "jack: a server that hangs is not called playing, and the status says why" \
            wait_for value_is 'd["audio"]["state"], "no longer asks sleeptuned for sound" in d["audio"]["error"]' 'waiting True'
        kill -CONT "$server"
        ok "jack: when it goes on, the stream is opened again" wait_for value_is '(d["audio"]["state"], d["audio"]["opened"] >= 2)' "('playing', True)"
        kill -TERM "$server"
        wait "$server" 2>/dev/null
        ok "jack: the server dies, the daemon lives on and waits" wait_for value_is 'd["audio"]["state"]' waiting
        like "jack: the log says so" "$(cat "$log")" 'lost its sound system \(backend jack\)'
        behind jackd -n "$JACK_DEFAULT_SERVER" -r -d dummy -r 44100 -p 512 >>"$tmp/jackd.log" 2>&1
        server=$!
        ok "jack: it is started again with other settings: the stream is opened again, with those" \
            wait_for value_is 'd["audio"]["state"], d["audio"]["rate_hz"], d["audio"]["latency_ns"] // 10**5' 'playing 44100 116'
    fi
    stops "jack: a clean end"
    rm -f /dev/shm/jack*"$JACK_DEFAULT_SERVER"* # what libjack leaves behind
fi

if command -v pulseaudio >/dev/null || cannot "a PulseAudio server that comes and goes" "pulseaudio is not installed"; then
    pulse() {
        HOME=$tmp XDG_RUNTIME_DIR=$tmp behind pulseaudio -n --daemonize=no --exit-idle-time=-1 --use-pid-file=no \
            -L "module-null-sink sink_name=silence rate=$1" \
            -L "module-native-protocol-unix socket=$tmp/pulse.sock auth-anonymous=1" >>"$tmp/pulse.log" 2>&1
        server=$!
        wait_for test -S "$tmp/pulse.sock"
    }
    export PULSE_SERVER=unix:$tmp/pulse.sock
    config 'audio: { backend = "pulseaudio"; };'
    # a null sink that was idle has rendered 2 s ahead, and plays the first stream that long after it was filled
    if pulse 48000 && sleep 3 && start && wait_for value_is 'd["audio"]["state"]' playing || cannot "pulseaudio: it plays on the server" "pulseaudio does not run here: $(tail -1 "$tmp/pulse.log")"; then
        pass "pulseaudio: it plays on the server"
        is "pulseaudio: on its sink, with the buffer that its clients take" "$(value 'd["audio"]["device"], d["audio"]["latency_ns"]')" "silence 50000000"
        reload 'audio: { backend = "pulseaudio"; latency_ms = 80; };'
        ok "pulseaudio: another buffer is asked for at SIGHUP" wait_for value_is \
            '(d["audio"]["state"], d["audio"]["latency_ns"])' "('playing', 80000000)"
        reload 'audio: { backend = "pulseaudio"; };'
        ok "pulseaudio: and back" wait_for value_is '(d["audio"]["latency_ns"], d["audio"]["state"])' "(50000000, 'playing')"
        kill -KILL "$server"
        wait "$server" 2>/dev/null
        ok "pulseaudio: the server is killed, the daemon lives on and waits" wait_for value_is 'd["audio"]["state"]' waiting
        rm -f "$tmp/pulse.sock"
        pulse 44100
        ok "pulseaudio: it is started again: the stream is opened again" wait_for value_is 'd["audio"]["state"]' playing
        stops "pulseaudio: a clean end"
    fi
fi
tap_done
