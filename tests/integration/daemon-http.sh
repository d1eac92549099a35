#!/usr/bin/env bash
# HTTP: read-only, small limits, and TCP only for those who may.
. "$SLEEPTUNE_SRC/tests/integration/daemon-lib.sh"
port=$("$PYTHON" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
config 'audio: { backend = "none"; };' "http: { listen = \"127.0.0.1:$port\"; names = \"studio.test audio.test\"; };"
starts "it starts"

code() { curl -s --max-time 20 -o "$tmp/body" -w '%{http_code}' "$@"; }
unix() { code --unix-socket "$sock" "$@"; }
is "GET /v1/status, HEAD /metrics; without a dropout there is no picture" "$(unix http://localhost/v1/status) $(unix -I http://localhost/metrics) $(unix http://localhost/v1/cycle.svg)" "200 200 204"
answered() { curl -si --max-time 20 --unix-socket "$sock" "$@" | tr -d '\r' | grep -vE '^(Date|Connection|Content-Length): |^$' | sort; }
screen_is another-path answered http://localhost/nope # says what there is
screen_is what-is-allowed answered -X POST http://localhost/v1/status
is "no other origin is let in" "$(curl -si --unix-socket "$sock" -H 'Origin: http://evil.example' http://localhost/v1/status | grep -ci '^access-control')" 0
screen_is no-picture answered http://localhost/v1/cycle.svg # another site's page cannot show it, nor learn whether there is one
fetch() { unix -H "Sec-Fetch-Site: $1" -H "Sec-Fetch-Dest: $2" http://localhost/v1/cycle.svg; }
is "embedded in a page of another site it is not answered" "$(fetch cross-site image) $(fetch cross-site iframe) $(fetch same-site object)" "403 403 403"
is "a link leads there, and the page itself may ask" "$(fetch cross-site document) $(fetch same-origin empty) $(fetch none document)" "204 204 204"
is "%00 in a path: it is another one, and in a value" "$(unix http://localhost/v1/status%00x) $(unix 'http://localhost/v1/causes?since=1h%00x')" "404 400"
is "GET /v1/causes with a time, and with one that is none" "$(unix 'http://localhost/v1/causes?since=1h&until=0s') $(unix 'http://localhost/v1/causes?since=yesterday')" "200 400"
like "is told what it may be" "$(cat "$tmp/body")" '1h, 30m'
is "a header of 100 kB is refused" "$(case $(unix -H "X: $(head -c 100000 /dev/zero | tr '\0' x)" http://localhost/v1/status) in 4??|000) echo refused ;; *) echo taken ;; esac)" refused
is "a body on a GET is ignored" "$(head -c 300000 /dev/zero | unix -X GET -H 'Expect:' --data-binary @- http://localhost/v1/status)" 200
# clients WHAT SOCKET|PORT: programs that ask for something, or do not
cat >"$tmp/clients.py" <<'PY'
import os, select, socket, sys, time
what, where = sys.argv[1:]
def connect(request=b"", address="127.0.0.1"):
    if where.isdigit():
        s = socket.create_connection(("127.0.0.1", int(where)), 30, (address, 0))
    else:
        s = socket.socket(socket.AF_UNIX)
        s.settimeout(60)
        s.connect(where)
    s.sendall(request)
    return s
def get(path, *hosts):
    return ("GET " + path + " HTTP/1.1\r\n" + "".join("Host: " + host + "\r\n" for host in hosts) + "\r\n").encode()
def status(s):
    try:
        return s.recv(4096).split()[1].decode()
    except (IndexError, OSError):
        return "closed"
def living(all):
    ended = set(select.select(all, [], [], 0)[0])
    return [s for s in all if s not in ended]
if what == "rubbish":
    for data in (b"", b"\n", b"\0\0\0\0", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", os.urandom(5000), b"GET " + b"/" * 60000 + b" HTTP/1.1\r\n\r\n"):
        with connect(data) as s:
            s.shutdown(socket.SHUT_WR)
            status(s)
elif what == "silent":
    silent, answered = [], 0
    for _ in range(18):
        for _ in range(100):  # never ask; some systems let no more than 128 wait
            silent.append(socket.socket(socket.AF_UNIX))
            silent[-1].setblocking(False)
            if silent[-1].connect_ex(where) != 0:
                silent.pop().close()
                break
        answered += status(connect(get("/v1/causes", "localhost"))) == "200"
        silent = living(silent)
    print(answered, "answers")
elif what == "users":
    def is_answered(s):
        s.sendall(get("/v1/causes?x", "localhost"))  # 400, and short
        return status(s) == "400"
    ours = [connect() for _ in range(5)]
    good = all([is_answered(s) for s in ours])
    end, other = os.pipe()
    if os.fork() == 0:
        os.setgroups([])
        os.setgid(65534)
        os.setuid(65534)
        theirs = [connect() for _ in range(25)]
        is_answered(theirs[-1])
        os.write(other, b"%d" % len(living(theirs)))
        os._exit(0)
    os.close(other)
    while not select.select([end], [], [], 0.5)[0]:
        good = all([is_answered(s) for s in ours]) and good
    print("theirs", os.read(end, 10).decode(), "ours", good)
elif what == "hosts":
    print("hosts", *(status(connect(get("/v1/causes", *hosts))) for hosts in (["localhost"], ["localhost", "evil.example"], ["localhost"] * 2, ["evil.example", "localhost"])))
    kept = connect(get("/metrics", "localhost"))
    time.sleep(1)
    left, ended, end = [kept, connect(b"GET /v1/st"), connect()], [], time.monotonic() + 60
    while left and time.monotonic() < end:
        for s in select.select(left, [], [], 1)[0]:
            if not s.recv(65536):
                left.remove(s)
                ended.append(s)
    print("ended", "the one without a request first" if len(ended) == 3 and ended[2] == kept else "otherwise")
elif what == "drips":
    s = connect(b"GET /v1/status HTTP/1.1\r\nX: ")
    try:
        while True:
            time.sleep(2)
            s.sendall(b"x")
    except OSError:
        pass
elif what == "crowd":
    kept, answers = [], 0
    for i in range(30): # they are kept open for their next request; a new one ends the oldest
        kept.append(connect(get("/v1/causes", "localhost"), "127.0.0.%d" % (i % 5 + 1)))
        answers += status(kept[-1]) == "200"
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
clients() { timeout 120 "$PYTHON" "$tmp/clients.py" "$@"; }
clients rubbish "$sock"
is "beside 100 silent clients of the same user each request is answered" "$(clients silent "$sock")" "18 answers"
ok "rubbish and silent connections do not stop it" wait_for value_is 'd["schema"]' sleeptune-status/1
if [ "$(id -u)" -eq 0 ] || cannot "one user has 12 connections at most" "needs root"; then
    chmod 666 "$sock"
    like "one user has 12 connections at most, and takes none from another" "$(clients users "$sock")" '^theirs ([0-9]|1[0-2]) ours True$'
fi

tcp() { code "$@" "http://127.0.0.1:$port/v1/status"; }
# which hosts: test_route
is "TCP by address, and by one of http.names" "$(tcp) $(tcp -H "Host: audio.test:$port")" "200 200"
is "another Host is refused (DNS rebinding), likewise in the request, and so is none" \
    "$(tcp -H 'Host: evil.example') $(tcp --request-target http://evil.example/v1/status -H 'Host: localhost') $(tcp -H 'Host:')" "403 403 400"
is "more than one Host is refused, and who does not ask is let go before who has asked" "$(clients hosts "$port")" $'hosts 200 400 400 400\nended the one without a request first'
ok "a header that drips for ever is cut off" clients drips "$sock"
like "127.0.0.0/8 has 12 connections at most, and the newest are answered" "$(clients crowd "$port")" '^30 answers ([0-9]|1[0-2]) open$'
reload 'audio: { backend = "none"; };'
closed() { [ "$(tcp)" = 000 ]; }
ok "TCP goes away when the key does" wait_for closed
reload 'audio: { backend = "none"; };' 'http: { listen = "192.0.2.1:9"; };'
ok "an address that is not ours is said in the status" wait_for value_is '[x["what"] for x in d["degraded"] if x["what"] == "http"]' "['http']"

held "$tmp/taken" "$PYTHON" -c 'import socket, sys
s = socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(("127.0.0.1", int(sys.argv[1]))); s.listen(); print("taken", flush=True); sys.stdin.read()' "$port"
reload 'audio: { backend = "none"; };' "http: { listen = \"127.0.0.1:$port\"; };"
ok "a port that is taken is said" wait_for value_is '"Address already in use" in str(d["degraded"])' True
let_go
served() { [ "$(tcp)" = 200 ]; }
ok "and tried again by itself, as before there is a network" wait_for served
ok "then nothing is said any more" wait_for value_is '[x["what"] for x in d["degraded"] if x["what"] == "http"]' "[]"
stops "it ends cleanly"
tap_done
