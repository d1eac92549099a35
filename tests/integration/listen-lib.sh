# shellcheck shell=bash disable=SC2154,SC2034
# What the tests of the ways over a sound server share: one plays and records the test signal on a real server (cycles of 171 ms, so that the
# machine's own noise is none), the process that plays is stopped 20 times, and read_capture, which knows nothing of where, says what came back.
# Source after daemon-lib.sh.
read_capture=$SLEEPTUNE_BUILD/tests/integration/read_capture

# listen WAY STOPS: what came back in $tmp/heard
listen() {
    local player i
    rm -f "$tmp/go" "$tmp/stream"
    mkfifo "$tmp/go"
    "$listener" -w "$1" <"$tmp/go" >"$tmp/stream" 2>"$tmp/listen.log" &
    listening=$!
    exec {go}>"$tmp/go"
    wait_for test -s "$tmp/stream" || return 1
    silent=$(wc -c <"$tmp/stream") # the head: nothing is played or recorded yet
    sleep 0.5
    [ "$(wc -c <"$tmp/stream")" = "$silent" ] || silent=no
    echo g >&"$go"
    player=$(pgrep -P "$listening")
    sleep 8 # the forced glitches are in the first 7 s
    for ((i = 0; i < $2; i++)); do
        kill -STOP "$player"
        sleep 0.36
        kill -CONT "$player"
        sleep 0.36
    done
    sleep 1
    exec {go}>&-
    wait "$listening"
    left=$(pgrep -P "$listening")
    "$read_capture" <"$tmp/stream" >"$tmp/heard"
}

# judge STOPS: "", or what is wrong. Each forced glitch at its place and with its length, each stop as one stretch of as many frames as the
# server's time went on without the player, and nothing else.
judge() {
    "$PYTHON" - "$tmp/heard" "$1" <<'PY'
import difflib, sys
lines = [line.split() for line in open(sys.argv[1])]
stops, kinds = int(sys.argv[2]), {"lost": lambda n: (0, n), "repeated": lambda n: (0, -n), "zeroed": lambda n: (n, 0)}
forced = [(int(l[2]), *kinds[l[4]](int(l[3]))) for l in lines if l[:2] == ["event", "forced"]]
found = [(int(l[1]), int(l[2]), int(l[3])) for l in lines if l[0] == "damage"]
late = [int(l[3]) for l in lines if l[:2] == ["event", "player-late"] and int(l[2]) > 48000]
if len(forced) != 9: sys.exit("%d glitches were forced" % len(forced))
if len(found) < 9: sys.exit("%d were found" % len(found))
away = {f[0] - g[0] for f, g in zip(found, forced)}
# a sample may be equal to the one that it took the place of
if max(away) - min(away) > 2 or any(f[1:] != g[1:] for f, g in zip(found, forced)): sys.exit("not as forced: %s, %s" % (forced, found[:9]))
stretches = []
for at, damaged, jump in found[9:]:
    frames = damaged or -jump
    if stretches and at == stretches[-1][0] + stretches[-1][1]: stretches[-1][1] += frames
    else: stretches.append([at, frames])
if len(stretches) != stops: sys.exit("%d stops, %d stretches: %s" % (stops, len(stretches), stretches))
right = sum(block.size for block in difflib.SequenceMatcher(None, [frames for _, frames in stretches], late, False).get_matching_blocks())
if right < stops: sys.exit("stretches %s, missed cycles %s" % (stretches, late))
PY
}

# hears WAY STOPS
hears() {
    local wrong
    listen "$1" "$2" && wrong=$(judge "$2" 2>&1) && return 0
    tap_note <<<"$wrong"
    sleep 1 # until the server has forgotten it
    return 1
}

# way_hears WAY
way_hears() {
    does "nine forced glitches and 20 stops of the player are heard, each with its place and length, and nothing else" in_three hears "$1" 20
    is "nothing is played before the command says so" "$silent" "$(wc -c < <(head -c "$silent" "$tmp/stream"))"
    is "no process is left" "$left" ""
    like "the first line is the way" "$(head -1 "$tmp/heard")" "^head $1 48000 2 8192\$"
    like "the latency is known to the frame" "$(tail -1 "$tmp/heard")" '^end [0-9]+ 8192$'
}
said() { "$listener" "$@" <>"$tmp/no-end" 2>"$tmp/listen.log" | "$read_capture"; }
