#!/usr/bin/env bash
# The page in a real browser: kept up to date by its script, complete without, and honest when the daemon is gone.
# shellcheck disable=SC2016,SC2119,SC2317
set -u
. "$SLEEPTUNE_SRC/tests/tap.sh"
. "$SLEEPTUNE_SRC/tests/integration/daemon-lib.sh"
need curl
port=$("$PYTHON" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
url=http://127.0.0.1:$port/
settings=('audio: { backend = "none"; };' "http: { listen = \"127.0.0.1:$port\"; };")
config "${settings[@]}"
starts "it starts"
page=$(curl -si --max-time 20 "$url")
like "GET / is a page" "$page" '^Content-Type: text/html; charset=utf-8'
like "that lets nothing foreign in" "$page" "^Content-Security-Policy: default-src 'none'; style-src 'sha256-"
like "and no frame around it" "$page" "frame-ancestors 'none'"
like "the answer is in it" "$(grep answer <<<"$page")" '<p id="answer" class="[a-z]+">[^<]*(dropout|sound server)'
like "JSON has a policy too" "$(curl -si --max-time 20 "${url}v1/status")" "^Content-Security-Policy: default-src 'none'"
is "another Host is refused" "$(curl -s -o /dev/null -w '%{http_code}' -H 'Host: evil.example' "$url")" 403
# html FOLDER ARG...: on a desktop, with the folders and the PATH of an ordinary user (nobody, if root runs this)
mkdir -m 700 "$tmp/session" "$tmp/home"
mkdir "$tmp/bin"
printf '#!/bin/sh\necho "$1" >>"%s/opened"; exit 3\n' "$tmp/session" >"$tmp/bin/xdg-open"
chmod 755 "$tmp/bin/xdg-open"
user() { "$@"; }
html() { "$1" env -u WAYLAND_DISPLAY XDG_RUNTIME_DIR="$tmp/session" HOME="$tmp/home" PATH="$tmp/bin:$PATH" DISPLAY=:0 "$SLEEPTUNE" status --html --socket "$2"; }
if can_be_nobody; then
    chown 65534 "$tmp/session" "$tmp/home"
    chmod 777 "$sock"
    user() { as_nobody "$@"; }
    out=$(html env "$sock")
    is "status --html as root: the page is where only root writes, whatever the environment" "$?,$out" "0,/run/sleeptune-status.html"
    like "it is the page" "$(cat /run/sleeptune-status.html)" '<p id="answer"'
    html env "$tmp/nobody" >/dev/null 2>&1
    is "without a daemon it fails" "$?" 4
    is "no program opens it, and nothing is made in the user's folders" "$(find "$tmp/session" "$tmp/home" -mindepth 1)" ""
    rm -f /run/sleeptune-status.html
fi
file=$tmp/session/sleeptune-status.html
is "status --html writes the page, and says where" "$(html user "$sock")" "$file"
like "it is the page" "$(cat "$file")" '<p id="answer"'
like "that runs no script but its own, and loads nothing" "$(cat "$file")" "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-[^;]*; script-src 'sha256-"
is "for the user alone" "$(stat -c %a "$file")" 600
is "the desktop opens it" "$(cat "$tmp/session/opened")" "$file"
html user "$tmp/nobody<there>" >/dev/null 2>&1
is "without a daemon it fails, whatever the browser says" "$?" 4
like "and the page says why" "$(cat "$file")" 'no sleeptuned is listening on .*nobody&#60;there&#62;'
like "it loads nothing either" "$(cat "$file")" "Content-Security-Policy content=\"default-src 'none'\""
is "a system without session folders: in the cache of the user" "$(user env -u XDG_RUNTIME_DIR -u DISPLAY -u WAYLAND_DISPLAY HOME="$tmp/home" "$SLEEPTUNE" status --html --socket "$sock")" \
    "$([ "$(id -u)" -eq 0 ] && ! can_be_nobody && echo /run || echo "$tmp/home/.cache")/sleeptune-status.html"
"$PYTHON" - "$tmp/fake.sock" <<'PY' &
import socket, sys
server = socket.socket(socket.AF_UNIX)
server.bind(sys.argv[1])
server.listen()
while True:
    peer, _ = server.accept()
    peer.recv(65536)
    body = b"<!DOCTYPE html><p id=answer><script src=http://evil.example/></script>"
    peer.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    peer.close()
PY
pids+=("$!")
ok "a false daemon is there" wait_for test -S "$tmp/fake.sock"
chmod 777 "$tmp/fake.sock"
html user "$tmp/fake.sock" >/dev/null 2>&1
is "its HTML is not taken" "$?,$(grep -c evil "$file")" "4,0"
is "HEAD /" "$(curl -sI -o /dev/null -w '%{http_code}' "$url")" 200

chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
if [ -z "$chromium" ]; then
    skip "the page in a browser" "chromium is not installed"
    stop
    tap_done
fi
browser() { "$PYTHON" "$SLEEPTUNE_SRC/tests/integration/browser.py" "$chromium" "$url" "$@" 2>"$tmp/console"; }

drawn='document.querySelectorAll("svg .bar").length > 1 && document.querySelectorAll("figure").length == 1'
live='document.getElementById("link").textContent.startsWith("Live, ")'
wide='document.documentElement.scrollWidth <= innerWidth'
out=$(browser --wait "$drawn" --wait "$live" --print "$wide" --print 'document.querySelector("tbody").textContent' \
    --print 'document.querySelector("svg[role]").getAttribute("aria-label")' --print 'getComputedStyle(document.body).backgroundColor')
is "with scripts it is within the window" "$(head -n 1 <<<"$out")" true
like "and has the rows" "$out" 'This computertiming [A-Za-z ]+: .* missed [0-9]+ of [0-9]+ periods'
like "the chart is described in words" "$out" '^Last [0-9]+ s: [0-9]+ missed deadlines?, worst wake-up '
like "light" "$out" '^rgb\(255, 255, 255\)$'
is "its figures change by themselves" "$(browser --wait "$drawn" --wait 'window.before ??= document.querySelector("main").textContent,
    document.querySelector("main").textContent != window.before' --print 1)" 1
kill -HUP "$daemon" # an event, also where nothing ever happens
like "events of today have no date, in local time" "$(browser --wait "$live && document.querySelector(\"main time\") !== null" \
    --print '/^Live, [0-9:]{8}$/.test(document.getElementById("link").textContent) + " " +
        [...document.querySelectorAll("main time")].every((at) => /^[0-9:]{8}$/.test(at.textContent))')" '^true true$'
is "nothing to complain of on the console" "$(cat "$tmp/console")" ""
uncut='[...document.querySelectorAll("th, td")].every((at) => at.scrollWidth <= at.clientWidth && at.scrollHeight <= at.clientHeight + 1)'
out=$(browser --width 360 --dark --wait "$drawn" --print "$wide" --print "$uncut" --print 'getComputedStyle(document.body).backgroundColor')
is "360 pixels are enough" "$(head -n 1 <<<"$out")" true
is "and nothing in it is cut or runs into its neighbour" "$(sed -n 2p <<<"$out")" true
like "dark" "$out" '^rgb\(20, 23, 26\)$'
out=$(browser --no-scripts --wait 'document.querySelectorAll("main tr").length > 6' \
    --print 'document.querySelectorAll("figure").length' --print 'document.getElementById("link").textContent' \
    --print '[...document.querySelectorAll("main time")].every((at) => /^20[0-9]{2}-[0-9]{2}-[0-9]{2} [0-9:]{8} UTC$/.test(at.textContent))')
is "without scripts it has figures, the chart and the time" "$(tr '\n' '|' <<<"$out" | sed 's/As of .* UTC/As of/')" \
    '1|As of, reloaded every 10 s|true|'

# the daemon dies under an open page and comes back
browser --wait 'document.getElementById("link").textContent.startsWith("Live, ")' --print '"live"' \
    --wait 'document.getElementById("link").textContent.startsWith("No connection since ")' \
    --print 'document.documentElement.classList.contains("old")' \
    --wait 'document.getElementById("link").textContent.startsWith("Live, ")' \
    --print 'document.documentElement.classList.contains("old")' >"$tmp/seen" &
pids+=("$!")
looking=$!
ok "the page is live" wait_for grep -q live "$tmp/seen"
kill -9 "$daemon"
wait "$daemon" 2>/dev/null
ok "without the daemon it is old" wait_for grep -q true "$tmp/seen"
starts "killed and started again"
wait "$looking"
is "meanwhile it says since when there is no connection, then it is live again" "$(tr '\n' ' ' <"$tmp/seen")" "live true false "
stop
tap_done
