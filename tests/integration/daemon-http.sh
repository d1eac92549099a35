#!/usr/bin/env bash
# HTTP: read-only, small limits, and TCP only for those who may.
# shellcheck disable=SC2016,SC2119,SC2317
set -u
. "$SLEEPTUNE_SRC/tests/tap.sh"
. "$SLEEPTUNE_SRC/tests/integration/daemon-lib.sh"
need curl
port=$("$PYTHON" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
config 'audio: { backend = "none"; };' "http: { listen = \"127.0.0.1:$port\"; names = \"studio.test audio.test\"; };"
starts "it starts"

code() { curl -s --max-time 20 -o "$tmp/body" -w '%{http_code}' "$@"; }
unix() { code --unix-socket "$sock" "$@"; }
is "GET /v1/status" "$(unix http://localhost/v1/status)" 200
is "HEAD /metrics" "$(unix -I http://localhost/metrics)" 200
is "without a dropout there is no picture" "$(unix http://localhost/v1/cycle.svg)" 204
answered() { curl -si --max-time 20 --unix-socket "$sock" "$@" | tr -d '\r' | grep -vE '^(Date|Connection|Content-Length): |^$' | sort; }
screen_is another-path answered http://localhost/nope # says what there is
for method in POST PUT DELETE PATCH OPTIONS; do
    is "$method: 405" "$(unix -X "$method" -d data http://localhost/v1/status)" 405
done
screen_is what-is-allowed answered -X POST http://localhost/v1/status
is "no other origin is let in" "$(curl -si --unix-socket "$sock" -H 'Origin: http://evil.example' http://localhost/v1/status | grep -ci '^access-control')" 0
screen_is no-picture answered http://localhost/v1/cycle.svg # another site's page cannot show it, nor learn whether there is one
fetch() { unix -H "Sec-Fetch-Site: $1" -H "Sec-Fetch-Dest: $2" http://localhost/v1/cycle.svg; }
is "embedded in a page of another site it is not answered" "$(fetch cross-site image) $(fetch cross-site iframe) $(fetch same-site object)" "403 403 403"
is "a link leads there, and the page itself may ask" "$(fetch cross-site document) $(fetch same-origin empty) $(fetch none document)" "204 204 204"
is "%00 in a path: it is another one" "$(unix http://localhost/v1/status%00x)" 404
is "and in a value" "$(unix 'http://localhost/v1/causes?since=1h%00x')" 400
is "GET /v1/causes" "$(unix http://localhost/v1/causes)" 200
is "with a time" "$(unix 'http://localhost/v1/causes?since=1h&until=0s')" 200
is "a time that is none" "$(unix 'http://localhost/v1/causes?since=yesterday')" 400
like "is told what it may be" "$(cat "$tmp/body")" '1h, 30m'
is "a header of 100 kB is refused" "$(case $(unix -H "X: $(head -c 100000 /dev/zero | tr '\0' x)" http://localhost/v1/status) in 4??|000) echo refused ;; *) echo taken ;; esac)" refused
is "a body on a GET is ignored" "$(head -c 300000 /dev/zero | unix -X GET -H 'Expect:' --data-binary @- http://localhost/v1/status)" 200
"$PYTHON" - "$sock" <<'PY'
import os, socket, sys
for data in (b"", b"\n", b"\0\0\0\0", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", os.urandom(5000), b"GET " + b"/" * 60000 + b" HTTP/1.1\r\n\r\n"):
    s = socket.socket(socket.AF_UNIX); s.settimeout(20); s.connect(sys.argv[1]); s.sendall(data)
    s.shutdown(socket.SHUT_WR)
    try:
        s.recv(1000)
    except OSError:
        pass
    s.close()
PY
cat >"$tmp/silent.py" <<'PY'
import select, socket, sys
def connect():
    s = socket.socket(socket.AF_UNIX)
    s.setblocking(False)
    s.connect(sys.argv[1])
    return s
silent, answered = [], 0
for _ in range(18):
    try:
        for _ in range(100):  # never ask; some systems let no more than 128 wait
            silent.append(connect())
    except BlockingIOError:
        pass
    try:
        s = connect()
        s.settimeout(60)
        s.sendall(b"GET /v1/causes HTTP/1.1\r\nHost: localhost\r\n\r\n")
        answered += s.recv(4096)[9:12] == b"200"
    except OSError:
        pass
    ended = set(select.select(silent, [], [], 0)[0])
    silent = [s for s in silent if s not in ended]
print(answered, "answers")
PY
is "beside 100 silent clients of the same user each request is answered" "$("$PYTHON" "$tmp/silent.py" "$sock")" "18 answers"
ok "rubbish and silent connections do not stop it" wait_for value_is 'd["schema"]' sleeptune-status/1
if [ "$(id -u)" -eq 0 ]; then
    chmod 666 "$sock"
    cat >"$tmp/users.py" <<'PY'
import os, select, socket, sys
def connect():
    s = socket.socket(socket.AF_UNIX)
    s.connect(sys.argv[1])
    s.settimeout(60)
    return s
def is_answered(s):
    try:
        s.sendall(b"GET /v1/causes?x HTTP/1.1\r\nHost: localhost\r\n\r\n")  # 400, and short
        return s.recv(4096)[9:12] == b"400"
    except OSError:
        return False
ours = [connect() for _ in range(5)]
good = all([is_answered(s) for s in ours])
end, other = os.pipe()
if os.fork() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
    theirs = [connect() for _ in range(25)]
    is_answered(theirs[-1])
    os.write(other, b"%d" % (len(theirs) - len(select.select(theirs, [], [], 0)[0])))
    os._exit(0)
os.close(other)
while not select.select([end], [], [], 0.5)[0]:
    good = all([is_answered(s) for s in ours]) and good
print("theirs", os.read(end, 10).decode(), "ours", good)
PY
    like "one user has 12 connections at most, and takes none from another" "$("$PYTHON" "$tmp/users.py" "$sock")" '^theirs ([0-9]|1[0-2]) ours True$'
else
    skip "one user has 12 connections at most" "needs root"
fi

tcp() { code "$@" "http://127.0.0.1:$port/v1/status"; }
is "TCP by address" "$(tcp)" 200
is "Host localhost" "$(tcp -H 'Host: localhost')" 200
is "another Host is refused (DNS rebinding)" "$(tcp -H 'Host: evil.example')" 403
is "one of http.names is not" "$(tcp -H "Host: audio.test:$port")" 200
is "a whole URL as the target: its host counts" "$(tcp --request-target "http://localhost:$port/v1/status" -H 'Host: evil.example')" 200
is "and is refused likewise" "$(tcp --request-target http://evil.example/v1/status -H 'Host: localhost')" 403
is "no Host is refused" "$(tcp -H 'Host:')" 400
cat >"$tmp/tcp.py" <<'PY'
import select, socket, sys, time
def connect(request=b""):
    s = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 30)
    s.sendall(request)
    return s
def get(path, *hosts):
    return ("GET " + path + " HTTP/1.1\r\n" + "".join("Host: " + host + "\r\n" for host in hosts) + "\r\n").encode()
def status(*hosts):
    return connect(get("/v1/causes", *hosts)).recv(4096).split()[1].decode()
print("hosts", status("localhost"), status("localhost", "evil.example"), status("localhost", "localhost"), status("evil.example", "localhost"))
kept = connect(get("/metrics", "localhost"))
time.sleep(1)
slow, idle = connect(b"GET /v1/st"), connect()
ended = {}
end = time.monotonic() + 60
while len(ended) < 3 and time.monotonic() < end:
    for s in select.select([s for s in (kept, slow, idle) if s not in ended], [], [], 1)[0]:
        if not s.recv(65536):
            ended[s] = len(ended)
print("ended", "the one without a request first" if ended.get(kept) == 2 else "otherwise")
PY
out=$("$PYTHON" "$tmp/tcp.py" "$port")
like "more than one Host is refused" "$out" '^hosts 200 400 400 400$'
like "who does not ask is let go before who has asked" "$out" '^ended the one without a request first$'
ok "a header that drips for ever is cut off" timeout 120 "$PYTHON" - "$sock" <<'PY'
import socket, sys, time
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
s.sendall(b"GET /v1/status HTTP/1.1\r\nX: ")
try:
    while True:
        time.sleep(2)
        s.sendall(b"x")
except OSError:
    pass
PY
cat >"$tmp/crowd.py" <<'PY'
import socket, sys, time
def connect(address):
    s = socket.create_connection(("127.0.0.1", int(sys.argv[1])), 30, (address, 0))
    s.sendall(b"GET /v1/causes HTTP/1.1\r\nHost: localhost\r\n\r\n")
    return s
def answer(s):
    try:
        return s.recv(4096).split()[1].decode()
    except (IndexError, ConnectionError):
        return "closed"
kept, answers = [], 0
for i in range(30): # they are kept open for their next request; a new one ends the oldest
    kept.append(connect("127.0.0.%d" % (i % 5 + 1)))
    answers += answer(kept[-1]) == "200"
def is_open(s):
    s.setblocking(False)
    try:
        return s.recv(65536) != b"" and is_open(s)
    except BlockingIOError:
        return True
    except ConnectionError:
        return False
print(answers, "answers", sum(is_open(s) for s in kept), "open")
PY
like "127.0.0.0/8 has 12 connections at most, and the newest are answered" "$("$PYTHON" "$tmp/crowd.py" "$port")" '^30 answers ([0-9]|1[0-2]) open$'
config 'audio: { backend = "none"; };'
kill -HUP "$daemon"
closed() { [ "$(tcp)" = 000 ]; }
ok "TCP goes away when the key does" wait_for closed
config 'audio: { backend = "none"; };' 'http: { listen = "192.0.2.1:9"; };'
kill -HUP "$daemon"
ok "an address that is not ours is said in the status" wait_for value_is '[x["what"] for x in d["degraded"] if x["what"] == "http"]' "['http']"

mkfifo "$tmp/hold"
"$PYTHON" -c 'import socket, sys
s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(("127.0.0.1", int(sys.argv[1]))); s.listen(); print("taken", flush=True); sys.stdin.read()' "$port" <"$tmp/hold" >"$tmp/taken" &
other=$!
pids+=("$other")
exec 8>"$tmp/hold"
wait_for test -s "$tmp/taken"
config 'audio: { backend = "none"; };' "http: { listen = \"127.0.0.1:$port\"; };"
kill -HUP "$daemon"
like "a port that is taken is said" "$(wait_for value_is '"in use" in str(d["degraded"])' True; value 'd["degraded"]')" 'Address already in use'
exec 8>&-
wait "$other"
served() { [ "$(tcp)" = 200 ]; }
ok "and tried again by itself, as before there is a network" wait_for served
ok "then nothing is said any more" wait_for value_is '[x["what"] for x in d["degraded"] if x["what"] == "http"]' "[]"
stop
is "it ends cleanly" "$status" 0
tap_done
