#!/usr/bin/env bash
# HTTP: read-only, small limits, and TCP only for those who may.
# shellcheck disable=SC2016,SC2119,SC2317
set -u
. "$SLEEPTUNE_SRC/tests/tap.sh"
. "$SLEEPTUNE_SRC/tests/integration/daemon-lib.sh"
need curl
port=$("$PYTHON" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
config 'audio: { backend = "none"; };' "http: { listen = \"127.0.0.1:$port\"; };"
starts "it starts"

code() { curl -s --max-time 20 -o "$tmp/body" -w '%{http_code}' "$@"; }
unix() { code --unix-socket "$sock" "$@"; }
is "GET /v1/status" "$(unix http://localhost/v1/status)" 200
is "HEAD /metrics" "$(unix -I http://localhost/metrics)" 200
is "another path: 404" "$(unix http://localhost/nope)" 404
like "with a JSON body that says what there is" "$(cat "$tmp/body")" '"error":"there is /v1/status and /metrics"'
for method in POST PUT DELETE PATCH OPTIONS; do
    is "$method: 405" "$(unix -X "$method" -d data http://localhost/v1/status)" 405
done
like "405 says what is allowed" "$(curl -si --unix-socket "$sock" -X POST http://localhost/v1/status)" '^Allow: GET, HEAD'
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
held = [socket.socket(socket.AF_UNIX) for _ in range(30)]  # connections that never ask
for s in held:
    s.connect(sys.argv[1])
PY
ok "rubbish and silent connections do not stop it" wait_for value_is 'd["schema"]' sleeptune-status/1

tcp() { code "$@" "http://127.0.0.1:$port/v1/status"; }
is "TCP by address" "$(tcp)" 200
is "Host localhost" "$(tcp -H 'Host: localhost')" 200
is "another Host is refused (DNS rebinding)" "$(tcp -H 'Host: evil.example')" 403
is "no Host is refused" "$(tcp -H 'Host:')" 400
config 'audio: { backend = "none"; };'
kill -HUP "$daemon"
closed() { [ "$(tcp)" = 000 ]; }
ok "TCP goes away when the key does" wait_for closed
config 'audio: { backend = "none"; };' 'http: { listen = "192.0.2.1:9"; };'
kill -HUP "$daemon"
ok "an address that is not ours is said in the status" wait_for value_is '[x["what"] for x in d["degraded"] if x["what"] == "http"]' "['http']"
stop
is "it ends cleanly" "$status" 0
tap_done
