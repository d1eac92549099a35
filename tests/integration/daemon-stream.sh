#!/usr/bin/env bash
# Who watches: /v1/live, server-sent events, and that nobody who is slow, many or rude gets in the way of others.
# shellcheck disable=SC2016,SC2119,SC2317
set -u
. "$SLEEPTUNE_SRC/tests/tap.sh"
. "$SLEEPTUNE_SRC/tests/integration/daemon-lib.sh"
need curl
config 'audio: { backend = "none"; };'
starts "it starts"
code() { curl -s --max-time 20 -o "$tmp/body" -w '%{http_code}' --unix-socket "$sock" "$@"; }

# a client in Python: sends the request and reads as it is told
cat >"$tmp/client.py" <<'PY'
import select, socket, sys, time

def connect(data=b"GET /v1/stream HTTP/1.1\r\nHost: x\r\n\r\n"):
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(60)
    s.connect(sys.argv[2])
    s.sendall(data)
    return s

def read_until(s, enough):
    text = b""
    while not enough(text):
        data = s.recv(65536)
        if not data:
            break
        text += data
    return text

def stream():  # one that was given a place: who left may hold it until the next second
    while True:
        s = connect()
        head = read_until(s, lambda text: b"\r\n\r\n" in text)
        if head.startswith(b"HTTP/1.1 200 "):
            return s
        s.close()
        time.sleep(0.2)

def read_to_end(s):
    try:
        return read_until(s, lambda text: False)
    except ConnectionResetError:
        return b""

what = sys.argv[1]
if what == "hold":  # N streams: tells when all have had a status, and when all have ended
    held = [stream() for _ in range(int(sys.argv[3]))]
    for s in held:
        read_until(s, lambda text: b"event: status" in text)
    print("held", flush=True)
    for s in held:
        read_to_end(s)
    print("ended", flush=True)
elif what == "slow":  # never reads; tells when it was cut off
    s = connect()
    print("connected", flush=True)
    hung_up = select.poll()
    hung_up.register(s, 0)
    hung_up.poll()
    print("cut off", flush=True)
elif what == "drip":  # a header that never ends, a byte every other second
    s = connect(b"GET /v1/live HTTP/1.1\r\nX: ")
    print("connected", flush=True)
    try:
        while True:
            time.sleep(2)
            s.sendall(b"x")
    except OSError:
        print("cut off", flush=True)
PY
client() { "$PYTHON" "$tmp/client.py" "$1" "$sock" "${@:2}"; }

is "GET /v1/live" "$(code http://localhost/v1/live)" 200
like "is a live document" "$(head -c 300 "$tmp/body")" '^\{"schema":"sleeptune-live/1"'
head=$(timeout 20 curl -sI --unix-socket "$sock" http://localhost/v1/stream)
like "HEAD of a stream ends, with the type" "$head" '^Content-Type: text/event-stream'
is "a stream is read-only too" "$(code -X POST http://localhost/v1/stream)" 405

curl -sN --max-time 60 --unix-socket "$sock" http://localhost/v1/stream >"$tmp/stream" 2>/dev/null &
reader=$!
pids+=("$reader")
statuses() { [ "$(grep -c '^event: status' "$tmp/stream")" -ge "$1" ]; }
ok "a stream has a status, and another one" wait_for statuses 2
kill -HUP "$daemon"
ok "an event comes through it" wait_for grep -q '"event":"config-read"' "$tmp/stream"
ok "what is sent are events of one line of JSON" "$PYTHON" - "$tmp/stream" <<'PY'
import json, sys
text = open(sys.argv[1], encoding="utf-8").read()
blocks = text[:text.rindex("\n\n")].split("\n\n")
names = set()
for block in blocks:
    name, data = block.split("\n")
    names.add(name)
    document = json.loads(data.removeprefix("data: "))
    assert (name == "event: status") == (document.get("schema") == "sleeptune-live/1"), block
assert names == {"event: status", "event: event"}, names
times = [json.loads(b.split("data: ")[1])["time_ns"] for b in blocks if b.startswith("event: status")]
assert times == sorted(set(times)), times
PY
{ kill "$reader" && wait "$reader"; } 2>/dev/null

client hold 16 >"$tmp/held" &
pids+=("$!")
ok "sixteen streams at once" wait_for grep -q held "$tmp/held"
is "one more is refused" "$(code http://localhost/v1/stream)" 503
like "with a reason" "$(head -c 300 "$tmp/body")" '"error":"as many streams are open'
is "the status is still served" "$(code http://localhost/v1/status)" 200
is "and what is polled" "$(code http://localhost/v1/live)" 200
kill "$!" 2>/dev/null
one_more() { [ "$(curl -s --max-time 1 -o "$tmp/body" -w '%{http_code}' --unix-socket "$sock" http://localhost/v1/stream)" = 200 ]; }
ok "when they have gone, there is room again" wait_for one_more

client slow >"$tmp/slow" &
pids+=("$!")
client drip >"$tmp/drip" &
pids+=("$!")
ok "a header that drips for ever is cut off" wait_for grep -q 'cut off' "$tmp/drip"
ok "and so is a stream that nobody reads" wait_for grep -q 'cut off' "$tmp/slow"

client hold 3 >"$tmp/held" &
pids+=("$!")
ok "streams are open" wait_for grep -q held "$tmp/held"
before=$(date +%s)
stop
is "it ends cleanly with streams open" "$status" 0
ok "and they end with it" wait_for grep -q ended "$tmp/held"
is "at once" "$([ $(($(date +%s) - before)) -lt 20 ] && echo yes)" yes
tap_done
