#!/usr/bin/env bash
# report asks running servers: the real ones, without sound hardware; hung, flooding and missing ones.
. "$SLEEPTUNE_SRC/tests/tap.sh"
own_shm "$@"
if [ "$(id -u)" -eq 0 ]; then # root takes neither HOME nor XDG_RUNTIME_DIR nor PATH from its environment: root-asks.sh
    nobody+=(--inh-caps=-all)
    go_on_as_nobody
fi
[ "$(uname -s)" = Linux ] || skip_all "servers are asked on Linux only"
need dbus-daemon pgrep
. "$SLEEPTUNE_SRC/tests/integration/daemon-lib.sh"
trap 'exit 1' INT TERM
chmod 700 "$tmp"
export XDG_RUNTIME_DIR=$tmp HOME=$tmp JACK_DEFAULT_SERVER=sleeptune-test-$$ JACK_NO_AUDIO_RESERVATION=1
unset PIPEWIRE_REMOTE PIPEWIRE_RUNTIME_DIR PULSE_SERVER PULSE_RUNTIME_PATH

start() { behind "$@" >>"$tmp/servers.log" 2>&1; server=$!; }
stop() { kill -CONT "$1" 2>/dev/null; kill "$1" 2>/dev/null; wait "$1" 2>/dev/null; }
snapshot() { "$SLEEPTUNE" snapshot "$@" >"$tmp/facts.json"; }
# of KEY: "value from source", or "state errno"
of() { "$PYTHON" -c 'import json, sys
f = {f["key"]: f for f in json.load(open(sys.argv[1]))["facts"]}.get(sys.argv[2])
print("nothing" if f is None else "%s from %s" % (f["value"], f["source"]) if f["state"] == "ok" else "%s %s" % (f["state"], f["errno"]))
' "$tmp/facts.json" "$1"; }
# Servers have 1 s to answer, which on a busy machine may not be enough: asked again until KEY is TEXT; it is shown what it is then
tells() { snapshot && [ "$(of "$1")" = "$2" ]; }
told() { local name=$1; shift; wait_for tells "$@"; is "$name" "$(of "$1")" "$2"; }
# says NAME PATTERN ARG...: a report by judge, likewise
judge_says() { judge "${@:2}" | grep -Eq -- "$1"; }
says() { local name=$1; shift; wait_for judge_says "$@"; like "$name" "$(judge "${@:2}")" "$1"; }
judge() { COLUMNS=400 "$SLEEPTUNE" report --threshold advice --only "$@" 2>&1; }
read -r timed_out too_big refused < <("$PYTHON" -c 'import errno; print(errno.ETIMEDOUT, errno.EFBIG, errno.ECONNREFUSED)')
timed_out="unreadable $timed_out" too_big="unreadable $too_big" refused="unreadable $refused"

# --- PipeWire ---------------------------------------------------------------------------------------------------
if command -v pipewire >/dev/null && command -v pw-metadata >/dev/null || cannot "PipeWire" "pipewire or pw-metadata is not installed"; then
    export DBUS_SESSION_BUS_ADDRESS=unix:path=$tmp/session
    bus "$tmp/session"
    mkdir -p "$tmp/.config/pipewire/pipewire.conf.d"
    echo 'context.properties = { default.clock.quantum = 512 }' >"$tmp/.config/pipewire/pipewire.conf.d/own.conf"
    start pipewire
    pipewire=$server
    settled() { [ "$(pw-metadata -n settings 2>/dev/null | grep -c clock.quantum)" -eq 1 ]; }
    managed() { ! kill -0 "$manager" || pw-metadata -n default | grep -q Found; }
    ok "PipeWire runs" wait_for settled
    command -v wireplumber >/dev/null && start wireplumber # before that it would end
    manager=$server
    told "a running PipeWire is asked" linux.ask.pipewire "answered from pw-metadata -n settings"
    is "what it tells is a fact" "$(of linux.pipewire.quantum)" "512 from pw-metadata -n settings"
    says "and judged" 'PipeWire is set to cycles of 10\.67 ms' linux-pipewire-quantum --details
    pw-metadata -n settings 0 clock.force-quantum 2048 >/dev/null
    says "what was forced at run time counts" 'forced to 2048 frames' linux-pipewire-quantum --details
    says "it is the period of every command" '^2048 frames at 48 kHz, forced by PipeWire.s setting clock\.force-quantum\.$' linux-pipewire-quantum
    is "and nothing advises against it" "$(judge linux-pipewire-quantum >/dev/null; echo $?)" 0
    buffer() { "$SLEEPTUNE" "$@" --duration 100ms --quiet 2>&1; }
    measured_as() { buffer measure | grep -Eq "^buffer +$1"; }
    ok "measure takes it" wait_for measured_as "2048 frames at 48 kHz, forced by PipeWire's"
    like "check, too" "$(buffer check)" '^2048 frames at 48 kHz'
    like "unless frames are given" "$(buffer measure --frames 64 --rate 44.1k)" '^Timing (OK|not OK) with 64 frames at 44100 Hz'
    is "which then is not called the server's" "$(buffer measure --frames 64 --rate 44.1k | grep -c '^buffer')" 0
    like "and advice leads there" "$(judge linux-pipewire-quantum --frames 64)" 'clock\.force-quantum 64'
    music=$SLEEPTUNE_BUILD/tests/integration/stall_pipewire
    if [ ! -x "$music" ] || [ ! -x "$SLEEPTUNE_BUILD/xruns/helpers/sleeptune-observe-pipewire" ] || ! command -v wireplumber >/dev/null; then
        skip "check watches the music" "built without libpipewire, or no wireplumber"
    elif wait_for managed && ! kill -0 "$manager" 2>/dev/null; then # as in pipewire-lib.sh
        skip "check watches the music" "wireplumber has ended: $(tail -n 1 "$tmp/servers.log")"
    else
        pw-cli create-node adapter '{ factory.name=support.null-audio-sink node.name=studio media.class=Audio/Sink object.linger=true
            audio.position=[FL FR] }' >/dev/null
        # a program that plays before WirePlumber has taken the sink may stay without a link
        has_sink() { pw-metadata 0 default.audio.sink | grep -q studio; }
        ok "WirePlumber takes the sink" wait_for has_sink
        # each 300 ms it sleeps 700 ms in a cycle of 43 ms
        mkfifo "$tmp/stalls"
        start bash -c 'exec "$1" 700 HeavyReverb <"$2"' bash "$music" "$tmp/stalls"
        heavy=$server
        start bash -c 'while sleep 0.3 && echo; do :; done >"$1" 2>/dev/null' bash "$tmp/stalls"
        plays() { grep -q playing "$tmp/servers.log"; }
        ok "a program plays" wait_for plays
        sleep 1 # it is in the graph
        ends 1 "dropouts of others are findings" "$SLEEPTUNE" check --quiet --duration 8s --json
        of_music() { key "$tmp/out" "(lambda m: ($1))(d['music'])"; }
        like "check names the program" "$(of_music 'm["answer"]')" '^In [0-9.]+ s: HeavyReverb lost sound .*: ([0-9]+ times? )?it waited for a lock, disk or program'
        is "also for programs, which counted most of them" "$(of_music 'm["client"], m["server"], m["client_dropouts"] * 2 > m["dropouts"]')" "('HeavyReverb', 'PipeWire', True)"
        like "it is the first line" "$("$SLEEPTUNE" check --quiet --duration 2s | head -n 1)" '^(In [0-9.]+ s: HeavyReverb|No dropout)'
        is "--no-servers watches nothing" "$("$SLEEPTUNE" check --quiet --duration 100ms --no-servers --json | key - 'd["music"]')" None
        stop "$heavy"
        stop "$server"
        # unless it is forced, programs choose it
        pw-metadata -n settings 0 clock.force-quantum 0 >/dev/null
        exec 9<>"$tmp/stalls" # no one writes into it
        start bash -c 'PIPEWIRE_LATENCY=256/48000 exec "$1" 700 GoodSynth <"$2"' bash "$music" "$tmp/stalls"
        music=$server
        : >"$tmp/sleeptuned.conf"
        start "$SLEEPTUNED" -a -f -c "$tmp/sleeptuned.conf"
        says "a daemon that watches PipeWire knows what it runs at now" '^256 frames at 48 kHz, (PipeWire.s buffer size now|.+ asked for 256 frames)\.$' linux-pipewire-quantum
        stop "$server"
        stop "$music"
        exec 9>&-
        pw-metadata -n settings 0 clock.force-quantum 2048 >/dev/null
    fi
    wait_for tells linux.ask.pipewire "answered from pw-metadata -n settings"
    like "a snapshot is judged for its own machine's" "$("$SLEEPTUNE" report --snapshot "$tmp/facts.json" --only linux-pipewire-quantum)" \
        '^2048 frames at 48 kHz, forced by'
    snapshot --no-servers
    like "without asking, files count" "$(of linux.pipewire.quantum)" 'from /.*\.conf$|nothing'
    is "and that is a fact" "$(of linux.ask.pipewire)" "not asked from pw-metadata -n settings"
    like "said on the first screen" "$(judge linux-pipewire-quantum --no-servers)" '^sleeptune did not ask the running sound servers; it read'
    like "and not called running" "$(judge linux-pipewire-quantum --details --no-servers)" 'PipeWire (is set to|never goes below)'

    (unset XDG_RUNTIME_DIR; HOME=/nonexistent; wait_for tells linux.ask.pipewire "$refused")
    is "without its socket it cannot be asked" "$(of linux.ask.pipewire)" "$refused"
    like "it gets no advice then" "$(unset XDG_RUNTIME_DIR; HOME=/nonexistent; judge linux-pipewire-quantum --details --frames 16)" "not applicable|another user's"
    like "then files count" "$(of linux.pipewire.quantum)" 'from .*pipewire\.conf$|nothing'

    kill -STOP "$pipewire"
    snapshot
    is "a hung PipeWire has not answered, and its settings are not known" "$(of linux.ask.pipewire) $(of linux.pipewire.quantum)" "$timed_out $timed_out"
    ends 2 "the rule is unknown, status 2" judge linux-pipewire-quantum
    like "a hung PipeWire: the default, with the reason" "$(cat "$tmp/out")" '^128 frames at 48 kHz: no sound server answers here'
    like "and the first screen says why" "$(cat "$tmp/out")" '^Not read: .*timed out'
    is "no client is left" "$(pgrep -c -P $$ -x pw-metadata)" 0
    kill -CONT "$pipewire"

    mkdir "$tmp/flood"
    printf '#!/bin/sh\nwhile :; do echo "update: id:0 key:x value:y"; done\n' >"$tmp/flood/pw-metadata"
    printf '#!/bin/sh\nprintf "\\033]0;title\\007\\033[2J%%s\\n" "update: id:0 key:'"'clock.quantum'"' value:'"'\\033[31m9'"'"\n' >"$tmp/flood/escape"
    chmod +x "$tmp/flood/"*
    (PATH=$tmp/flood:$PATH; wait_for tells linux.pipewire.quantum "$too_big")
    is "a client that floods is stopped" "$(of linux.pipewire.quantum)" "$too_big"
    mv "$tmp/flood/escape" "$tmp/flood/pw-metadata"
    (PATH=$tmp/flood:$PATH; judge linux-pipewire-quantum --details) >"$tmp/screen"
    is "nor do escape codes reach the terminal" "$(LC_ALL=C grep -c $'\033' "$tmp/screen")" 0
    (PATH=$tmp; snapshot)
    is "a client that is not installed is absent" "$(of linux.ask.pipewire)" "absent None"
    stop "$pipewire"
fi

# --- JACK -------------------------------------------------------------------------------------------------------
if command -v jackd >/dev/null && command -v jack_bufsize >/dev/null || cannot "JACK" "jackd or jack_bufsize is not installed"; then
    start jackd -r -d dummy -r 48000 -p 256
    jack=$server
    if wait_for jack_bufsize || cannot "JACK" "jackd does not start here"; then
        told "a running JACK is asked" linux.jack.buffer_frames "256 from jack_bufsize"
        told "also for its rate" linux.jack.rate_hz "48000 from jack_samplerate"
        jack_bufsize 128 >/dev/null 2>&1
        told "what was changed at run time counts" linux.jack.buffer_frames "128 from jack_bufsize"
        says "by all commands" '^128 frames at 48 kHz, JACK.s buffer size now\.$' linux-jack-period
        jack_bufsize 256 >/dev/null 2>&1
        says "or as it was started" "^256 frames at 48 kHz, set by JACK's option -p 256\\.\$" linux-jack-period
        kill -STOP "$jack"
        snapshot
        is "a hung JACK has not answered" "$(of linux.jack.buffer_frames)" "$timed_out"
    fi
    stop "$jack"
fi

# --- PulseAudio -------------------------------------------------------------------------------------------------
if command -v pulseaudio >/dev/null && command -v pactl >/dev/null || cannot "PulseAudio" "pulseaudio or pactl is not installed"; then
    start pulseaudio -n --daemonize=no --exit-idle-time=-1 --use-pid-file=no -L 'module-null-sink sink_name=n' \
        -L 'module-native-protocol-unix auth-anonymous=1'
    pulse=$server
    if wait_for pactl --server "unix:$tmp/pulse/native" info || cannot "PulseAudio" "pulseaudio does not start here"; then
        told "a running PulseAudio is asked" linux.ask.pulseaudio "answered from pactl list short modules"
        is "one without a card has no timers to schedule by" "$(of linux.pulse.tsched)" "absent None"
        kill -STOP "$pulse"
        snapshot
        is "a hung PulseAudio has not answered" "$(of linux.pulse.tsched)" "$timed_out"
    fi
    stop "$pulse"
    snapshot
    is "asking does not start one" "$(pgrep -c -x -u "$(id -u)" -f "^pulseaudio .*$tmp")" 0
fi

tap_done
