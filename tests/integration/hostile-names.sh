#!/usr/bin/env bash
# Clients of a real PipeWire server whose names try to act on who reads them: each exit of the daemon and the command
# shows them as safe text.
# shellcheck disable=SC2034
. "$SLEEPTUNE_SRC/tests/tap.sh"
go_on_as_nobody
. "$SLEEPTUNE_SRC/tests/integration/pipewire-lib.sh"

names=(
    $'\302\23331mC1\302\2332J<img src=x onerror=alert(1)>'
    $'ESC\033]52;c;aGFja2Vk\007\033[2J\177'
    $'RLO\342\200\256b\342\201\246c\330\234\342\200\250d'
    $'NL\nsleeptuned error: loop: faked\r\302\205'
    $'UTF\377\300\233\355\240\200\364\220\200\200'
    $'SH"} 1\\`id`$(id)\x27;|&{x="y"}'
)
# unsafe FILE: the lines that are not valid UTF-8 or have a character that acts; escapes of JSON count as what they mean
cat >"$tmp/unsafe.py" <<'PY'
import json, re, sys
def bad(text):
    return re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufffe\uffff]", text)
def strings(value):
    if isinstance(value, dict):
        value = [x for pair in value.items() for x in pair]
    if isinstance(value, list):
        return [x for one in value for x in strings(one)]
    return [value] if isinstance(value, str) else []
data = open(sys.argv[1], "rb").read()
for line in data.split(b"\n"):
    try:
        if bad(line.decode()):
            print(ascii(line))
    except UnicodeDecodeError:
        print(ascii(line))
if not data:
    print("nothing")
if len(sys.argv) > 2:  # a document, in which a daemon's names are safe also when it has been read
    print("\n".join(ascii(text) for text in strings(json.loads(data)) if bad(text)))
PY
# safe NAME FILE [json]: an exit, which shows names
safe() {
    local found
    found=$("$PYTHON" "$tmp/unsafe.py" "$2" ${3:+"$3"} 2>&1)
    is "$1: safe" "$found" ""
}
# shown NAME FILE: safe, and all names are there
shown() {
    safe "$@"
    is "$1: with each name" "$(grep -oE '31mC1|ESC.\]52|RLO.b|NL.sleeptuned|UTF\?|SH.{1,6}} 1' "$2" | cut -c 1-2 | sort -u | tr '\n' ' ')" "31 ES NL RL SH UT "
}
# list COMMAND...: what it prints in $tmp/COMMAND.out; lists_all, lists_json: which shows all names
list() { "$SLEEPTUNE" "$@" >"$tmp/$1.out" 2>&1; }
lists_all() { list "$@"; shown "sleeptune $*" "$tmp/$1.out"; }
lists_json() { list "$@" --json; shown "sleeptune $* --json" "$tmp/$1.out" json; }

only
echo "history: { path = \"$tmp/history.db\"; };" >>"$conf"
starts "the daemon starts"
sound || skip_rest "a PipeWire server" "pipewire does not run here: $(tail -1 "$tmp/server.log")"
ok "the server is watched" wait_for of_like state watching
seen() { [ "$(of client_dropouts)" -gt "$before" ]; }
for one in "${names[@]}"; do
    before=$(of client_dropouts)
    is_seen() { client "$SLEEPTUNE_BUILD/tests/integration/stall_pipewire" 700 "$one" && stall && wait_for seen; }
    does "$(printf '%q' "${one:0:5}"): a client stalls and is seen" is_seen
    end_client
done
ok "each is in the log" wait_for eval '[ "$(grep -acE "31mC1|ESC|RLO|NL.sleep|UTF|SH" "$log")" -ge "${#names[@]}" ]'
ok "and in the history" wait_for eval 'ask /v1/events | grep -q "SH.*} 1"'

shown "the log" "$log"
is "a newline does not begin a line of the log" "$(grep -c '^sleeptuned error' "$log")" 0
for target in /v1/status /v1/causes /v1/history /v1/sizes /v1/heard; do safe "$target" <(ask "$target") json; done
ask /v1/events >"$tmp/answer"
shown "/v1/events" "$tmp/answer" json
safe "/metrics" <(ask /metrics)
ask / >"$tmp/answer"
safe "the page" "$tmp/answer"
is "the page has no element of a name" "$(grep -c '<img' "$tmp/answer")" 0
for command in status "status --line waybar" "status --line i3blocks" "status --line polybar" "status --line plain" "status --json" "status --details" "history --events" "history --events --json" "history --causes" "history --causes --json" history "history --json"; do
    # shellcheck disable=SC2086
    list $command --socket "$sock"
    safe "sleeptune $command" "$tmp/${command%% *}.out"
done
lists_all history --events --socket "$sock"
lists_json history --events --socket "$sock"
# without what the screen is drawn with: CSI
on_terminal Live env TERM=xterm LC_ALL=C.UTF-8 "$SLEEPTUNE" status --watch --socket "$sock" | LC_ALL=C sed 's/\x1b\[[0-9;?]*[A-Za-z]//g; s/\r//g' >"$tmp/screen"
like "status --watch on a terminal shows its screen" "$(cat "$tmp/screen")" Live
safe "status --watch on a terminal" "$tmp/screen"
stop
lists_all history --events --db "$tmp/history.db"
lists_json history --events --db "$tmp/history.db"
for view in --causes ""; do
    # shellcheck disable=SC2086
    list history $view --db "$tmp/history.db"
    safe "sleeptune history $view --db" "$tmp/history.out"
done

# --- a history that another program wrote: names as they came
sql "$tmp/history.db" "UPDATE event SET (detail, client, device) = (n, n, n) FROM (SELECT '${names[*]:0:4}' AS n)"
list history --events --db "$tmp/history.db"
safe "events of a foreign history" "$tmp/history.out"
like "which shows them" "$(cat "$tmp/history.out")" '31mC1'
list history --events --db "$tmp/history.db" --json
safe "events --json of a foreign history: escaped" "$tmp/history.out"

# --- what is read from files
"$SLEEPTUNE" snapshot --root "$SLEEPTUNE_SRC/tests/fixtures/captures/linux-laptop" >"$tmp/plain.json"
"$PYTHON" - "$tmp/plain.json" "$tmp/hostile.json" "${names[0]}" "${names[1]}" "${names[2]}" "${names[3]}" "${names[5]}" <<'PY'
import json, sys
document, names = json.load(open(sys.argv[1])), sys.argv[3:]
for i, fact in enumerate(document["facts"]):
    for key in ("value", "source"):
        if isinstance(fact.get(key), str) and not fact["key"].endswith((".os", "ostype")):
            fact[key] = names[i % len(names)]
json.dump(document, open(sys.argv[2], "w"))
PY
for format in --details --json --textfile=/dev/stdout; do
    list report "$format" --snapshot "$tmp/hostile.json"
    safe "report $format" "$tmp/report.out"
done
for i in 0 1 2 3; do
    printf '%s\n' 1000 2000 1500 1700 3000 1200 >"$tmp/${names[$i]%%<*}$i.txt"
    "$SLEEPTUNE_LAB" plot --kind box "$tmp/${names[$i]%%<*}$i.txt" -o "$tmp/plot.svg" >"$tmp/plot.out" 2>&1
    safe "a picture of a file with such a name: $i" "$tmp/plot.svg"
    "$SLEEPTUNE_LAB" plot "$tmp/${names[$i]%%<*}missing" >"$tmp/plot.out" 2>&1
    safe "its error: $i" "$tmp/plot.out"
    is "which is one line: $i" "$(wc -l <"$tmp/plot.out")" 1
done
tap_done
