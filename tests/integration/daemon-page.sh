#!/usr/bin/env bash
# The page in a real browser: kept up to date by its script, complete without, and honest when the daemon is gone.
. "$SLEEPTUNE_SRC/tests/integration/daemon-lib.sh"
port=$("$PYTHON" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
url=http://127.0.0.1:$port/
"$PYTHON" -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$tmp/pipewire-0" # root's helper becomes its owner
settings=('audio: { backend = "none"; };' "http: { listen = \"127.0.0.1:$port\"; };" 'observe: { jack = "off"; pulseaudio = "off"; alsa = "off";'" pipewire_server = \"$tmp/pipewire-0\"; };")
config "${settings[@]}"
# a sound server on which two programs made dropouts, one with a name that would be markup
mkdir "$tmp/state"
helper_is pipewire <<'SH'
#!/bin/sh
echo 'ready timing reports of PipeWire 0.3.65'
load='load cycles_n=469 busy_median_ns=2560000 busy_p99_ns=3000000 busy_max_ns=7300000 wait_median_ns=20000 wait_p99_ns=90000 wait_max_ns=120000 period_ns=5333333 frames=256 rate_hz=48000 device=card'
echo 'client-dropout count_n=1 certainty=exact device=card client=HeavyReverb reason=too-slow busy_ns=7300000 wait_ns=90000 period_ns=5333333 lost_ns=5333333 longest_ns=5333333'
echo 'client-dropout count_n=1 certainty=exact device=card client=%3Cimg%20src=x%20onerror=alert(1)%3E reason=stopped period_ns=5333333'
echo 'cycle device=card client=HeavyReverb wait_ns=90000 busy_ns=7300000 deadline_ns=5333333 left_n=1'
echo 'cycle device=card client=GoodSynth wait_ns=7400000 busy_ns=600000 deadline_ns=5333333 left_n=0'
while echo "$load" && echo "$load client=HeavyReverb" && echo "$load client=GoodSynth"; do sleep 5; done
SH
export STATE_DIRECTORY=$tmp/state
"$SLEEPTUNE_BUILD/tests/integration/make_history" "$tmp/state/history.db" "$(($(date +%s) - 9000))" 1 1 >/dev/null
"$PYTHON" - "$tmp/state/history.db" >"$tmp/earlier" <<'PY'
import sqlite3, sys, time
db, now = sqlite3.connect(sys.argv[1]), time.time_ns()
for from_s, to_s, frames in (7200, 300, 128), (300, 60, 256):
    db.execute("INSERT INTO watch (source, from_ns, to_ns, playing, frames, rate_hz) VALUES ('pipewire', ?, ?, 1, ?, 48000)",
               (now - from_s * 10**9, now - to_s * 10**9, frames))
db.execute("INSERT INTO event (wall_ns, kind, source, client, reason, count_n, lost_ns, period_ns) VALUES (?, 'client-dropout', 'pipewire', 'Earlier', 'blocked', 1, 1000000000, 2666667)",
           (now - 400 * 10**9,))
db.execute("INSERT INTO event (wall_ns, kind, source, client, reason, count_n, slowed) VALUES (?, 'client-dropout', 'pipewire', 'Earlier', 'too-slow', 0, 'heat')",
           (now - 399 * 10**9,)) # adds a cause to one: no dropout
db.commit()
print(now - 400 * 10**9)
PY
starts "it starts"
page=$(curl -si --max-time 20 "$url")
like "GET / is a page" "$page" '^Content-Type: text/html; charset=utf-8'
like "that lets nothing foreign in, and no frame around it" "$page" "^Content-Security-Policy: default-src 'none'; style-src 'sha256-.*frame-ancestors 'none'"
like "the answer is in it" "$(grep answer <<<"$page")" '<p id="answer" class="[a-z]+">[^<]*(lost sound|sound server)'
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
    like "it leads to the live page" "$(cat /run/sleeptune-status.html)" 'url=http://127.0.0.1:[0-9]+/#[0-9a-f]{32}"'
    ends 4 "without a daemon it fails" html env "$tmp/nobody"
    is "no program opens it, and nothing is made in the user's folders" "$(find "$tmp/session" "$tmp/home" -mindepth 1)" ""
    rm -f /run/sleeptune-status.html
fi
file=$tmp/session/sleeptune-status.html
is "status --html writes a page that leads to the live one, and says where" "$(html user "$sock")" "$file"
is "for the user alone" "$(stat -c %a "$file")" 600
private=$(sed -n 's/.*url=\(http:[^"]*\)".*/\1/p' "$file")
like "its address is private to this machine, with a token" "$private" '^http://127\.0\.0\.1:[0-9]+/#[0-9a-f]{32}$'
is "the next one is the same" "$(html user "$sock" >/dev/null; grep -cF "$private" "$file")" 1
bare=${private%#*} token=${private#*#}
private() { curl -s -o "$tmp/body" -w '%{http_code}' --max-time 20 "$bare$1" "${@:2}"; }
is "who does not know the token sees no figures" "$(private v1/status) $(private metrics) $(private v1/status -H "Authorization: Bearer ${token/[0-9a-f]/x}")" "401 401 401"
is "and a page without any" "$(private '') $(grep -c '<p id="answer"></p>' "$tmp/body") $(grep -cE '<td>|<time|="manifest' "$tmp/body")" "200 1 0"
is "with the token all is there" "$(private '' -H "Authorization: Bearer $token") $(grep -c '<p id="answer" class' "$tmp/body") $(private v1/status -H "Authorization: Bearer $token")" "200 1 200"
is "not under another name, not to change anything" "$(private '' -H 'Host: evil.example' -H "Authorization: Bearer $token") $(private v1/status -X POST -H "Authorization: Bearer $token")" "403 405"
marking() { private v1/heard -X POST -H "Authorization: Bearer $token" "$@"; }
is "but for a mark, by the page of this address alone" "$(marking) $(marking -H 'Origin: http://evil.example') $(marking -H "Origin: ${bare%/}")" "405 405 200"
is "without a text" "$(private 'v1/heard?note=x' -X POST -H "Authorization: Bearer $token" -H "Origin: ${bare%/}")" 400
is "not without the token, and not over http.listen" "$(private v1/heard -X POST -H "Origin: ${bare%/}") $(curl -s -o /dev/null -w '%{http_code}' -X POST -H "Origin: ${url%/}" "${url}v1/heard")" "405 405"
mkdir -p "$tmp/state/traces"
"$PYTHON" - "$tmp/state/traces" "$(cat "$tmp/earlier")" <<'PY'
# as xruns/cycle_ring.h has it: a client whose second cycle takes 7.3 ms of 5.3
import struct, sys
wall, monotonic = int(sys.argv[2]), 10**12
rows = b"".join(struct.pack("<qqIIIHH", monotonic + i * 5333333, monotonic + i * 5333333, 90000, busy, 5333333, 0, 0) for i, busy in ((0, 10**6), (1, 7300000)))
ring = b"sleeptune-cycle\0" + struct.pack("<qQ", wall - monotonic, 2) + bytes(128) + b"Earlier".ljust(64, b"\0") + bytes(255 * 64) + rows
with open(f"{sys.argv[1]}/{wall}-blocked.cycles", "wb") as file:
    file.write(ring.ljust(32 + 128 + 4 * 256 + 256 * 64 + 131072 * 32 + 8 + 256 + 1024 * 80, b"\0"))
PY
at=$(($(cat "$tmp/earlier") / 1000000000 + 1))
is "a trace is for the page of this address alone" "$(private "v1/trace?until=$at") $(curl -s -o /dev/null -w '%{http_code}' "${url}v1/trace?until=$at") $(private "v1/trace?until=$at" -H "Authorization: Bearer $token")" "404 404 200"
cp "$tmp/body" "$tmp/trace"
is "it has the cycles of that moment" "$("$PYTHON" "$SLEEPTUNE_SRC/tests/integration/trace_tracks.py" "$tmp/trace" Earlier --missed)" "valid, Earlier computes, missed its deadline within that"
is "of another one none were kept" "$(private "v1/trace?until=$((at - 600))" -H "Authorization: Bearer $token") $(cat "$tmp/body")" '404 {"schema":"sleeptune-error/1","error":"sleeptuned has no record of that moment"}'
is "and no one learns the address over TCP" "$(curl -s -o /dev/null -w '%{http_code}' "${url}v1/page") $(private v1/page -H "Authorization: Bearer $token")" "404 404"
is "the desktop opens it" "$(sort -u "$tmp/session/opened")" "$file"
ends 4 "without a daemon it fails, whatever the browser says" html user "$tmp/nobody<there>"
like "and the page says why" "$(cat "$file")" 'no sleeptuned is listening on .*nobody&#60;there&#62;'
like "it loads nothing either" "$(cat "$file")" "Content-Security-Policy content=\"default-src 'none'\""
is "a system without session folders: in the cache of the user" "$(user env -u XDG_RUNTIME_DIR -u DISPLAY -u WAYLAND_DISPLAY HOME="$tmp/home" "$SLEEPTUNE" status --html --socket "$sock")" \
    "$([ "$(id -u)" -eq 0 ] && ! can_be_nobody && echo /run || echo "$tmp/home/.cache")/sleeptune-status.html"
false_daemon "$tmp/fake.sock" 200 '{"schema": "sleeptune-page/1", "url": "http://127.0.0.1:1/#0\"><script src=http://evil.example/></script>"}'
chmod 777 "$tmp/fake.sock"
ends 4 "another daemon's answer is refused" html user "$tmp/fake.sock"
is "its address is not taken" "$(grep -c evil "$file")" 0

# other machines
ok "the dropouts are seen" wait_for value_is "sum(s['client_dropouts'] or 0 for s in d['observe'])" 2
reload "${settings[0]}" "http: { listen = \"0.0.0.0:$port\"; };" "${settings[2]}"
other() { curl -s -o "$tmp/body" -w '%{http_code}' --max-time 20 "$url$1"; }
only_metrics() { [ "$(other v1/status) $(other metrics)" = "403 200" ]; }
ok "other machines get the figures" wait_for only_metrics
is "without names of programs" "$(grep -c 'client=' "$tmp/body")" 0
is "and nothing else" "$(other '') $(other v1/events)" "403 403"
like "which is said" "$(cat "$tmp/body")" 'from other machines only /metrics can be read'
reload "${settings[@]}"
page_is_open() { [ "$(other v1/status)" = 200 ]; }
ok "on this machine no token is needed" wait_for page_is_open

chromium=$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)
[ -n "$chromium" ] || { stop; skip_rest "the page in a browser" "chromium is not installed"; }
browser() { "$PYTHON" "$SLEEPTUNE_SRC/tests/integration/browser.py" "$chromium" "$url" "$@" 2>"$tmp/console"; }

live='document.getElementById("link").textContent.startsWith("Live, ")'
wide='document.documentElement.scrollWidth <= innerWidth'
out=$(browser --wait "$live" --print "$wide" --print 'document.querySelector("#first tbody").textContent' --print 'getComputedStyle(document.body).backgroundColor')
like "with scripts it is within the window, has the rows, and is light" "$(tr '\n' '|' <<<"$out")" '^true\|.*PipeWire256 frames at 48 kHz.*\|rgb\(255, 255, 255\)\|$'
is "its figures change by themselves, and the keyboard stays where it is" "$(browser --wait "$live" --wait '(document.querySelector("#next button").focus(), true)' \
    --wait 'window.before ??= document.querySelector("main").textContent, document.querySelector("main").textContent != window.before' \
    --print 'document.activeElement.textContent + " " + document.activeElement.dataset.command.startsWith("pw-metadata")')" "Copy true"
kill -HUP "$daemon" # an event, also where nothing ever happens
like "events of today have no date, in local time" "$(browser --wait "$live && document.querySelector(\"main time\") !== null" \
    --print '/^Live, [0-9:]{8}$/.test(document.getElementById("link").textContent) + " " +
        [...document.querySelectorAll("main time")].every((at) => /^[0-9:]{8}$/.test(at.textContent))')" '^true true$'
is "nothing to complain of on the console" "$(cat "$tmp/console")" ""
# what is on the page is what the records say
rows='[...document.querySelectorAll("#rows .row:not(.axis)")].map((at) => at.querySelector(".name").textContent + " " + at.querySelectorAll(".loss").length)'
drawn='document.querySelectorAll("#rows .loss").length >= 3 && document.querySelector("#sizes table") !== null'
step='document.getElementById("earlier").click()'
out=$(browser --wait "$live" --wait "$drawn" --print "$rows.sort().filter((at) => !at.startsWith(\"Late\") && !at.startsWith(\"You\")).join(\"|\")" --print "$step, document.getElementById(\"picked\").textContent.slice(9)" \
    --print "for (const i of [1, 2, 3, 4]) $step; document.querySelector(\"#picked p\").textContent.replace(/^[0-9: -]*/, \"\")" \
    --print 'document.querySelectorAll("#rows .change").length > 0' --print '[...document.querySelectorAll("#legend li")].map((at) => at.textContent).sort().join("|")' \
    --print 'document.querySelectorAll("img").length' --print 'document.querySelector("#sizes table").innerText.replace(/\s+/g, " ")' --tree)
like "the newest one has its sentence and its cycle" "$(sed -n 2p <<<"$out")" "$(ask '/v1/events?kind=client-dropout' | "$PYTHON" -c 'import json, re, sys
print("^" + re.escape(json.load(sys.stdin)["events"][-1]["text"]) + "A cycle with a dropout, at .*GoodSynth waited 7.40 ms, computed")')"
like "and the earliest one its own" "$(sed -n 3p <<<"$out")" 'Earlier lost sound once.* 1.00 s'
is "a row for each program with a mark for each dropout; a change of size is a line; each reason and symbol has its words; no name is markup" \
    "$(sed -n '1p; 4,6p' <<<"$out")" '<img src=x onerror=alert(1)> 1|Buffer size 0|Earlier 1|GoodSynth 0|HeavyReverb 1
true
Bar: sound lost. Line: from the first to the last.|computed too long|waited for a lock, disk or program|was stopped or frozen
0'
is "the sizes are those of status --details" "$(sed -n 7p <<<"$out" | sed -E 's/(256 frames)[^(]*\([^)]*\) [0-9]+ min/\1/')" \
    "$("$SLEEPTUNE" status --details --socket "$sock" | grep -A 2 '^ *Buffer used' | tr '\n' ' ' | sed -E 's/ +/ /g; s/^ | $//g; s/(256 frames)[^(]*\([^)]*\) [0-9]+ min/\1/')"
is "each thing has a name for who hears the page, and browsers can install it" "$(sed 1,7d <<<"$out")" ""
is "nothing to complain of on the console" "$(cat "$tmp/console")" ""
out=$(url=file://$file && html user "$sock" >/dev/null && browser --wait "location.hash.length == 33 && $live" --print 'document.querySelector("#answer").textContent.length > 9')
is "the menu's page becomes the live one" "$out" true
is "its button marks what was heard" "$(url=$private && browser --wait "$live" --wait '(document.getElementById("heard").click(), true)' \
    --wait 'document.getElementById("marked").textContent.match(/^Saved[.] (In the 8 s before the click: nothing so far|[0-9.]+ s before the click, so far: .|Before the click and after it, so far: .)/) !== null' --print 'document.getElementById("mark").hidden')" false
like "as the history has it" "$(ask /v1/heard)" '"by": "page"'
if [ -d "$tmp/state/traces" ]; then
    opens='window.open = (to) => ({ postMessage: (what, whom) => { window.sent ??= []; window.sent.push([to, what, whom]); if (what === "PING") dispatchEvent(new MessageEvent("message", { data: "PONG", origin: to })); }, close: () => { window.closed_again = true; } }), true'
    to='[...document.querySelectorAll("#picked button")].filter((at) => at.textContent === "Open as a timeline").length === 1'
    out=$(url=$private && browser --wait "$live" --wait "document.querySelectorAll('#rows .loss').length >= 1" --wait "($opens)" --wait "(document.getElementById('earlier').click(), document.querySelector('#picked p').textContent.includes('Earlier'))" --wait "$to" \
        --print 'document.querySelector("#picked span").textContent.includes("https://ui.perfetto.dev gets the file")' --wait '(document.querySelector("#picked button").click(), true)' \
        --wait 'window.sent?.at(-1)[1].perfetto !== undefined' --print 'window.sent.at(-1)[0] + " " + window.sent.at(-1)[2] + " " + (new Uint8Array(window.sent.at(-1)[1].perfetto.buffer)[0])')
    is "a dropout opens as a timeline: it says where, and the viewer gets the file from the page" "$(xargs <<<"$out")" "true https://ui.perfetto.dev https://ui.perfetto.dev 123"
fi
is "with another token it says what to do" "$(url=${bare}#$(printf '0%.0s' {1..32}) && browser --wait 'document.getElementById("link").textContent.startsWith("This address is not valid any more. Run: ")' \
    --print 'document.querySelector("main").hidden')" true
uncut='[...document.querySelectorAll("th, td, button")].every((at) => (at.scrollWidth <= at.clientWidth + 1 || getComputedStyle(at).textOverflow === "ellipsis") && at.scrollHeight <= at.clientHeight + 1)'
out=$(browser --width 360 --dark --wait "$live" --wait '(document.querySelector("details").open = true)' --print "$wide" --print "$uncut" --print 'getComputedStyle(document.body).backgroundColor')
is "360 pixels are enough, nothing is cut or runs into its neighbour, and it is dark" "$(tr '\n' '|' <<<"$out")" 'true|true|rgb(20, 23, 26)|'
out=$(browser --no-scripts --wait 'document.querySelectorAll("main tr").length > 6' \
    --print 'document.querySelectorAll("figure").length' --print 'document.getElementById("link").textContent' \
    --print '[...document.querySelectorAll("main time")].every((at) => /^20[0-9]{2}-[0-9]{2}-[0-9]{2} [0-9:]{8} UTC$/.test(at.textContent))')
is "without scripts it has figures, the cycle and the time" "$(tr '\n' '|' <<<"$out" | sed 's/As of .* UTC/As of/')" \
    '1|As of, reloaded every 10 s|true|'

# the daemon dies under an open page and comes back
browser --wait 'document.getElementById("link").textContent.startsWith("Live, ")' --print '"live"' \
    --wait 'document.getElementById("link").textContent.startsWith("sleeptuned has not answered since ")' \
    --print 'document.querySelector("main").hidden && document.getElementById("state").hidden' \
    --wait 'document.getElementById("link").textContent.startsWith("Live, ")' \
    --print 'document.querySelector("main").hidden' >"$tmp/seen" &
pids+=("$!")
looking=$!
ok "the page is live" wait_for grep -q live "$tmp/seen"
killed
ok "without the daemon it shows no figures" wait_for grep -q true "$tmp/seen"
starts "killed and started again"
wait "$looking"
is "meanwhile it says since when there is no answer, then it is live again" "$(tr '\n' ' ' <"$tmp/seen")" "live true false "
stop
tap_done
