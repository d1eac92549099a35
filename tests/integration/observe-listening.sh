#!/usr/bin/env bash
# Listening for silence (observe.listen) changes nothing: players on two sinks and on a client with a latency of 200 ms, with and without it.
. "$SLEEPTUNE_SRC/tests/tap.sh"
need pipewire pipewire-pulse wireplumber pw-cli pw-link pw-metadata paplay dbus-daemon ps python3
prlimit --pid $$ --rtprio=95:95 2>/dev/null
as_user=()
[ "$(id -u)" -ne 0 ] || as_user=("${own_player[@]}")
"${as_user[@]}" test -x "$SLEEPTUNE_BUILD/xruns/helpers/sleeptune-observe-silence" ||
    skip_all "no program that listens, or an ordinary user cannot start it"
own_tmp

"${as_user[@]}" "$SLEEPTUNE_SRC/tests/bench/listening.py" --build "$SLEEPTUNE_BUILD" --blocks 2 --seconds 2 >"$tmp/out" 2>"$tmp/err"
status=$?
[ $status -ne 77 ] || skip_all "no PipeWire server runs here: $(tail -1 "$tmp/err")"
is "two blocks were measured" "$status" 0
[ $status -eq 0 ] || tap_note <"$tmp/err" # libpulse of Debian 13 complains about its cookie
grep "^{" "$tmp/out" | tap_note
of() {
    python3 - "$tmp/out" "$1" <<'PYTHON'
import json, sys
lines = [json.loads(line) for line in open(sys.argv[1], encoding="utf-8") if line.startswith("{")]
orders, off, on, suspended = lines[0]["orders"], lines[1], lines[2], {key: value for line in lines[-2:] for key, value in line.items()}
print(eval(sys.argv[2]))
PYTHON
}
is "three programs are heard" "$(of '" listens=3 " in on["ready"][0]')" True
is "left and heard again at once, a stream is linked anew, and so it is where a link is cut, but three times at most" "$(of '", ".join(orders)')" \
    "taps 1$(printf ', taps 0, taps 1%.0s' 1 2 3 4 5), lost ID 0 0 0, taps 0"
is "at another buffer size all three are heard" "$(of 'on["links"] == [6] * 4 or on["links"]')" True
is "one that listens is killed: who watches goes on, and says that it does not listen" \
    "$(of 'on["status"] == 0 and "; sleeptuned does not listen for silence: " in on["after"][0] or (on["status"], on["after"])')" True
is "two of them have a sink each" "$(of 'len(off["drivers"]) == 3 and len({driver[0] for driver in off["drivers"].values()}) >= 2 or off["drivers"]')" True
is "listening, each has the same driver, quantum and rate" "$(of 'on["drivers"] == off["drivers"] or (off["drivers"], on["drivers"])')" True
is "each player has a latency, one of them 200 ms" \
    "$(of 'len(off["latencies"]) == 3 and "200000000" in off["latencies"]["player-3"] or off["latencies"]')" True
is "listening, the same one" "$(of 'on["latencies"] == off["latencies"] or (off["latencies"], on["latencies"])')" True
is "the sink is suspended as soon after the last player" \
    "$(of 'abs(suspended["suspended_s listening"] - suspended["suspended_s"]) < 2 and suspended["suspended_s"] < 29 or suspended')" True

# --- nothing is to be heard: PipeWire before 1.2, and whenever no such program plays ---
listens() { "${as_user[@]}" env PIPEWIRE_REMOTE=/nowhere "$SLEEPTUNE_BUILD/xruns/helpers/sleeptune-observe-silence" -lauto; }
is "before its first order it looks for no server, and ends with who gives them" "$(sleep 0.5 | listens); $?" "; 0"
like "from then on it does" "$({ echo "listen 4242"; sleep 3; } | listens)" '^absent '

# --- the server of another user that admits this one: the system's service hears no session ---
if [ "$(id -u)" -eq 0 ]; then
    chmod 755 "$tmp"
    install -d -m 755 -o 65534 "$tmp/run"
    session=(env HOME=/ XDG_RUNTIME_DIR="$tmp/run" PIPEWIRE_RUNTIME_DIR="$tmp/run")
    setpriv --reuid 65534 --regid 65534 --clear-groups "${session[@]}" pipewire >"$tmp/server" 2>&1 &
    server=$!
    wait_for test -S "$tmp/run/pipewire-0"
    chmod 777 "$tmp/run/pipewire-0"
    said=$(sleep 10 | setpriv --reuid 1 --regid 65534 --clear-groups "${session[@]}" "$SLEEPTUNE_BUILD/xruns/helpers/sleeptune-observe-pipewire" -lon | head -1)
    like "it does not listen to another user" "$said" '^ready .*; sleeptuned does not listen for silence: PipeWire belongs to another user'
    said=$({ echo "listen 4242"; sleep 10; } | setpriv --reuid 65534 --regid 65534 --clear-groups "${session[@]}" "$SLEEPTUNE_BUILD/xruns/helpers/sleeptune-observe-silence" -lon | head -n 1)
    is "a stream without ports of sound cannot be heard, which is said" "$said" "lost 4242 0 0 0"
    kill "$server"
    wait "$server" 2>/dev/null
fi
tap_done
