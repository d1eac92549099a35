#!/usr/bin/env bash
# The own streams on real backends, and backends that cannot be opened: the daemon says so and goes on.
# shellcheck disable=SC2016,SC2119,SC2317
set -u
. "$SLEEPTUNE_SRC/tests/tap.sh"
. "$SLEEPTUNE_SRC/tests/integration/daemon-lib.sh"
need curl
like "built with libsoundio" "$("$SLEEPTUNE" --version)" 'libsoundio (yes|no)'
"$SLEEPTUNE" --version | grep -q 'libsoundio yes' || { skip "backends" "built without libsoundio"; tap_done; }
# under AddressSanitizer: libsoundio's JACK backend loses its list of clients when the server dies
echo 'leak:libsoundio' >"$tmp/lsan"
export LSAN_OPTIONS=suppressions=$tmp/lsan:print_suppressions=0
export PULSE_SERVER=unix:$tmp/no-pulse JACK_NO_START_SERVER=1 JACK_DEFAULT_SERVER=sleeptune-no-such-server

for backend in jack pulseaudio; do
    config "audio: { backend = \"$backend\"; };"
    starts "$backend without a server: the daemon starts"
    ok "$backend: it waits" wait_for value_is 'd["audio"]["state"]' waiting
    like "$backend: the status says why" "$(value 'd["audio"]["error"]')" "^(backend $backend|libsoundio was built without)"
    like "$backend: sleeptune status says so" "$("$SLEEPTUNE" status --socket "$sock")" 'Degraded|audio: '
    like "$backend: the log says what happens instead" "$(cat "$log")" "the daemon's own stream does not run: .*sleeptuned continues without it"
    stop
    is "$backend: a clean end" "$status" 0
done

config 'audio: { backend = "dummy"; device = "hw:77,7"; };'
start
ok "an unknown device: it waits" wait_for value_is 'd["audio"]["state"]' waiting
is "and names it" "$(value 'd["audio"]["error"]')" 'backend dummy has no output device "hw:77,7"'
config 'audio: { backend = "dummy"; };'
kill -HUP "$daemon"
ok "the right device after SIGHUP: it plays" wait_for value_is 'd["audio"]["state"]' playing
ok "and nothing is degraded by audio" value_is '[x for x in d["degraded"] if x["what"] == "audio"]' '[]'
own=$(value 'd["audio"]["own_xruns"]')
kill -STOP "$daemon"
sleep 1
kill -CONT "$daemon"
more_xruns() { [ "$(value 'd["audio"]["own_xruns"]')" -gt "$own" ]; }
ok "a daemon that was stopped has own xruns" wait_for more_xruns
ok "and simulated ones" wait_for value_is 'd["xruns"]["simulated"] > 0' True
is "nothing is recorded unless it is wished for" "$(value '(d["audio"]["capture"]["state"], d["audio"]["capture"]["own_xruns"])')" "('off', None)"

config 'audio: { backend = "dummy"; capture = "on"; capture_device = "hw:77,7"; };'
kill -HUP "$daemon"
ok "capture from an unknown device: it waits, and the other stream plays" wait_for value_is \
    '(d["audio"]["state"], d["audio"]["capture"]["state"])' "('playing', 'waiting')"
is "and names it" "$(value '[x["why"] for x in d["degraded"] if x["what"] == "audio"]')" \
    "['capture: backend dummy has no input device \"hw:77,7\"']"
config 'audio: { backend = "dummy"; capture = "on"; };'
kill -HUP "$daemon"
ok "the right device after SIGHUP: it records" wait_for value_is 'd["audio"]["capture"]["state"]' recording
ok "what was got is shown" wait_for value_is \
    '[d["audio"]["capture"][k] for k in ("device", "rate_hz", "channels")] + [d["audio"]["capture"]["callbacks"]["lateness_ns"]["n"] > 20]' \
    "['dummy-in', 48000, 2, True]"
is "its thread has the policy of the other one" \
    "$(value 'd["audio"]["capture"]["policy"] is not None and d["audio"]["capture"]["policy"] == d["audio"]["policy"]')" True
before=$(value 'd["audio"]["capture"]["own_xruns"]')
kill -STOP "$daemon"
sleep 2
kill -CONT "$daemon"
more_overflows() { [ "$(value 'd["audio"]["capture"]["own_xruns"]')" -gt "$before" ]; }
ok "a daemon that was stopped has overflows" wait_for more_overflows
is "both directions are own xruns" "$(value 'd["xruns"]["own"] == d["audio"]["own_xruns"] + d["audio"]["capture"]["own_xruns"]')" True
ok "an overflow is an event" wait_for value_is \
    'any(e["event"] == "own-xrun" and e["text"].startswith("overflows of the daemon\u0027s own recording stream: ") and e["device"] == "Dummy Input Device" for e in d["events"])' True
like "metrics have it" "$(ask /metrics)" $'\nsleeptune_own_overflows_total [1-9]'
like "sleeptune status shows it" "$("$SLEEPTUNE" status --details --socket "$sock")" 'Recording +dummy, recording, dummy-in'
config 'audio: { backend = "none"; capture = "on"; };'
kill -HUP "$daemon"
ok "capture without a backend is degraded" wait_for value_is '[x["why"] for x in d["degraded"] if x["what"] == "audio"]' \
    "['capture: audio.capture is on, but audio.backend is none']"
stop

devices=$("$SLEEPTUNE" status --devices)
is "sleeptune status --devices works" "$?" 0
is "no line is longer than 80 columns" "$(grep -A3 '^  [a-z]* *dummy' <<<"$devices" | awk 'length($0) > 80')" ""
like "the dummy device is listed with its id" "$devices" '^  output dummy-out'
like "a backend that is not there is said" "$devices" '^jack: .'
is "an unknown format is a usage error" "$("$SLEEPTUNE" status --devices --format xml 2>&1 >/dev/null; echo $?)" "sleeptune status: --format: 'xml' is neither json nor text
Try 'sleeptune status --help'.
3"
ok "--json is JSON" bash -c '"$1" status --devices --json | "$2" -c "import json, sys; json.load(sys.stdin)"' _ "$SLEEPTUNE" "$PYTHON"

if ! command -v jackd >/dev/null; then
    skip "a JACK server that comes and goes" "jackd is not installed"
else
    export JACK_DEFAULT_SERVER=sleeptune-test-$$ # one name: jackd takes the place of a dead server of that name
    jackd -n "$JACK_DEFAULT_SERVER" -r -d dummy -r 48000 -p 1024 >"$tmp/jackd.log" 2>&1 &
    server=$!
    pids+=("$server")
    config 'audio: { backend = "jack"; capture = "on"; };'
    start
    plays_or_died() { ! kill -0 "$server" || value_is 'd["audio"]["state"]' playing; }
    if wait_for plays_or_died && kill -0 "$server" 2>/dev/null; then
        pass "jack: it plays on the server"
        ok "jack: it records from the server" wait_for value_is \
            '(d["audio"]["capture"]["state"], d["audio"]["capture"]["device"], d["audio"]["capture"]["callbacks"]["frames_max"])' \
            "('recording', 'system', 1024)"
        is "jack: its xruns are counted once" "$(value 'd["audio"]["capture"]["own_xruns"]')" None
        if command -v jack_lsp >/dev/null; then
            is "jack: it is connected to both inputs" \
                "$(jack_lsp -s "$JACK_DEFAULT_SERVER" -c 2>/dev/null | grep -c '^   sleeptuned (keeps nothing)')" 2
        fi
        kill -STOP "$server"
        ok "jack: a server that hangs is not called playing" wait_for value_is 'd["audio"]["state"]' waiting
        like "jack: and the status says why" "$(value 'd["audio"]["error"]')" 'no longer asks for samples'
        kill -CONT "$server"
        ok "jack: when it goes on, the stream is opened again" wait_for value_is '(d["audio"]["state"], d["audio"]["opened"] >= 2)' "('playing', True)"
        ok "jack: so is the one that records" wait_for value_is 'd["audio"]["capture"]["state"]' recording
        kill -TERM "$server"
        wait "$server" 2>/dev/null
        ok "jack: the server dies, the daemon lives on and waits" wait_for value_is '(d["audio"]["state"], d["audio"]["capture"]["state"])' "('waiting', 'waiting')"
        like "jack: the log says so" "$(cat "$log")" 'backend jack was lost'
        jackd -n "$JACK_DEFAULT_SERVER" -r -d dummy -r 44100 -p 512 >>"$tmp/jackd.log" 2>&1 &
        server=$!
        pids+=("$server")
        ok "jack: it is started again with other settings: the stream is opened again" wait_for value_is 'd["audio"]["state"]' playing
        ok "jack: what was got is the new server's" value_is '(d["audio"]["rate_hz"], d["audio"]["latency_ns"] // 10**5)' '(44100, 116)'
        ok "jack: callbacks have the server's period" wait_for value_is \
            '(d["audio"]["callbacks"]["frames_min"], d["audio"]["callbacks"]["frames_max"], d["audio"]["callbacks"]["lateness_ns"]["n"] > 20)' \
            '(512, 512, True)'
        ok "jack: those of the stream that records, too" wait_for value_is \
            '(lambda c: (c["rate_hz"], c["callbacks"]["frames_min"], c["callbacks"]["frames_max"], c["callbacks"]["lateness_ns"]["n"] > 20))(d["audio"]["capture"])' \
            '(44100, 512, 512, True)'
        kill -TERM "$server"
        wait "$server" 2>/dev/null
        jackd -n "$JACK_DEFAULT_SERVER" -r -d dummy -r 44100 -p 512 -C 0 >>"$tmp/jackd.log" 2>&1 &
        server=$!
        pids+=("$server")
        ok "jack: a server without inputs: the one stream plays, the other one says why not" wait_for value_is \
            '(d["audio"]["state"], d["audio"]["capture"]["error"])' "('playing', 'backend jack has no input device')"
    else
        skip "jack: it plays on the server" "jackd does not run here: $(tail -1 "$tmp/jackd.log")"
    fi
    stop
    is "jack: a clean end" "$status" 0
    rm -f /dev/shm/jack*"$JACK_DEFAULT_SERVER"* # what libjack leaves behind
fi

if ! command -v pulseaudio >/dev/null; then
    skip "a PulseAudio server that comes and goes" "pulseaudio is not installed"
else
    pulse() {
        HOME=$tmp XDG_RUNTIME_DIR=$tmp pulseaudio -n --daemonize=no --exit-idle-time=-1 --use-pid-file=no \
            -L "module-null-sink sink_name=silence rate=$1" \
            -L "module-native-protocol-unix socket=$tmp/pulse.sock auth-anonymous=1" >>"$tmp/pulse.log" 2>&1 &
        server=$!
        pids+=("$server")
        wait_for test -S "$tmp/pulse.sock"
    }
    export PULSE_SERVER=unix:$tmp/pulse.sock
    config 'audio: { backend = "pulseaudio"; capture = "on"; };'
    # a null sink that was idle has rendered 2 s ahead, and plays the first stream that long after it was filled
    if pulse 48000 && sleep 3 && start && wait_for value_is 'd["audio"]["state"]' playing; then
        pass "pulseaudio: it plays on the server"
        is "pulseaudio: on its sink" "$(value 'd["audio"]["device"]')" silence
        is "pulseaudio: with the buffer that its clients take" "$(value 'd["audio"]["latency_ns"]')" 50000000
        # 200 callbacks and more are 5 s: the lateness of the beginning would be the model's for 2 to 4 s of them
        ok "pulseaudio: callbacks come" wait_for value_is 'd["audio"]["callbacks"]["lateness_ns"]["n"] > 200' True
        # one look: it may run dry between two
        late=$(value '(lambda a: ("dry" if a["own_xruns"] > 0 else a["callbacks"]["lateness_ns"]["max"] < 4 * a["latency_ns"]))(d["audio"])')
        if [ "$late" = dry ]; then
            skip "pulseaudio: none is later than four buffers" "it ran dry"
        else
            is "pulseaudio: none is later than four buffers" "$late" True
        fi
        ok "pulseaudio: callbacks are counted" wait_for value_is 'd["audio"]["callbacks"]["lateness_ns"]["n"] > 5' True
        ok "pulseaudio: it records what the sink plays" wait_for value_is \
            '(d["audio"]["capture"]["state"], d["audio"]["capture"]["device"], d["audio"]["capture"]["callbacks"]["lateness_ns"]["n"] > 5)' \
            "('recording', 'silence.monitor', True)"
        is "pulseaudio: it does not tell overflows, and that is no zero" "$(value 'd["audio"]["capture"]["own_xruns"]')" None
        config 'audio: { backend = "pulseaudio"; latency_ms = 80; };'
        kill -HUP "$daemon"
        ok "pulseaudio: another buffer is asked for at SIGHUP" wait_for value_is \
            '(d["audio"]["state"], d["audio"]["latency_ns"])' "('playing', 80000000)"
        config 'audio: { backend = "pulseaudio"; capture = "on"; };'
        kill -HUP "$daemon"
        ok "pulseaudio: and back" wait_for value_is '(d["audio"]["latency_ns"], d["audio"]["capture"]["state"])' "(50000000, 'recording')"
        like "pulseaudio: sleeptune status says so" "$("$SLEEPTUNE" status --details --socket "$sock")" 'does not report'
        kill -KILL "$server"
        wait "$server" 2>/dev/null
        ok "pulseaudio: the server is killed, the daemon lives on and waits" wait_for value_is '(d["audio"]["state"], d["audio"]["capture"]["state"])' "('waiting', 'waiting')"
        rm -f "$tmp/pulse.sock"
        pulse 44100
        ok "pulseaudio: it is started again: the stream is opened again" wait_for value_is 'd["audio"]["state"]' playing
        ok "pulseaudio: so is the one that records" wait_for value_is '(d["audio"]["capture"]["state"], d["audio"]["capture"]["opened"] >= 2)' "('recording', True)"
        stop
        is "pulseaudio: a clean end" "$status" 0
    else
        skip "pulseaudio: it plays on the server" "pulseaudio does not run here: $(tail -1 "$tmp/pulse.log")"
    fi
fi
tap_done
