#!/usr/bin/env bash
# A fleet: a real Prometheus scrapes two daemons; alert rules and every expression of the dashboard are evaluated by it.
. "$SLEEPTUNE_SRC/tests/integration/daemon-lib.sh"
need promtool prometheus
"$SLEEPTUNE" --version | grep -q 'http yes' || skip_all "built without HTTP"
rules=$SLEEPTUNE_SRC/conf/prometheus/sleeptune.rules.yml
dashboard=$SLEEPTUNE_SRC/conf/grafana/sleeptune.json

ok "promtool accepts the alert rules" promtool check rules "$rules"
ok "alerts fire when they should and not before" promtool test rules "$SLEEPTUNE_SRC/tests/integration/fleet-rules.yml"
is "each alert has a test" "$(sed -n "s/.*- alert: //p" "$rules" | while read -r alert; do
    grep -q "$alert" "$SLEEPTUNE_SRC/tests/integration/fleet-rules.yml" || echo "$alert"
done)" ""

# two daemons and Prometheus, each on a port of its own
read -r first second web < <("$PYTHON" -c 'import socket
s = [socket.socket() for _ in range(3)]
for each in s: each.bind(("127.0.0.1", 0))
print(*(each.getsockname()[1] for each in s))')
for port in "$first" "$second"; do
    mkdir "$tmp/$port"
    printf '%s\n' "http: { listen = \"127.0.0.1:$port\"; };" "socket: { path = \"$tmp/$port/sock\"; };" \
        'audio: { backend = "none"; };' 'observe: { jack = "off"; pipewire = "off"; pulseaudio = "off"; };' >"$tmp/$port/conf"
    STATE_DIRECTORY=$tmp/$port behind "$SLEEPTUNED" -a -f -c "$tmp/$port/conf" 2>"$tmp/$port/log"
    last=$!
done
metrics() { curl -s --max-time 20 "http://127.0.0.1:$1/metrics"; }
for port in "$first" "$second"; do
    cycles() { metrics "$port" | grep -q '^sleeptune_cycles_total [1-9]'; }
    ok "a daemon serves metrics on port $([ "$port" = "$first" ] && echo one || echo two)" wait_for cycles
done
is "promtool check metrics has nothing to say" "$(metrics "$first" | promtool check metrics 2>&1)" ""

# the example of the scrape configuration, with our targets, every second
mkdir "$tmp/prometheus"
sed -e "s/- 127.0.0.1:9733/- 127.0.0.1:$first\n          - 127.0.0.1:$second/" -e 's/15s/1s/' "$SLEEPTUNE_SRC/conf/prometheus/scrape.yml" \
    >"$tmp/prometheus/prometheus.yml"
sed -i '1i global: {evaluation_interval: 1s}' "$tmp/prometheus/prometheus.yml"
cp "$rules" "$tmp/prometheus/"
ok "promtool accepts the scrape configuration" promtool check config "$tmp/prometheus/prometheus.yml"
prometheus --config.file="$tmp/prometheus/prometheus.yml" --storage.tsdb.path="$tmp/prometheus/data" \
    --web.listen-address="127.0.0.1:$web" --log.level=warn 2>"$tmp/prometheus/log" &
pids+=("$!")

# query EXPRESSION [JQ-LIKE PYTHON EXPRESSION of r, the list of results]
query() {
    curl -s --max-time 20 "http://127.0.0.1:$web/api/v1/query" --data-urlencode "query=$1" |
        key - "(lambda r: ${2:-len(r)})(d['data']['result'] if d['status'] == 'success' else sys.exit(d['error']))"
}
two_are() { [ "$(query "$1")" = 2 ]; }
ok "Prometheus scrapes both" wait_for two_are 'up{job="sleeptune"} == 1'
ok "their cycles grow" wait_for two_are 'rate(sleeptune_cycles_total[1m]) > 0'
is "the histogram gives a quantile" \
    "$(query 'histogram_quantile(0.5, rate(sleeptune_lateness_seconds_bucket[1m])) > 0 < 10')" 2
loaded() { curl -s "http://127.0.0.1:$web/api/v1/rules" | key - '{r["health"] for g in d["data"]["groups"] for r in g["rules"]}' | grep -qx "{'ok'}"; }
ok "all rules are evaluated without an error" wait_for loaded

# the dashboard: what Grafana needs of it, and its expressions with what Grafana would put in place of its variables
is "the dashboard has what an import needs" "$("$PYTHON" - "$dashboard" <<'PY'
import json, sys
d = json.load(open(sys.argv[1]))
for key in ("title", "uid", "schemaVersion", "panels", "templating", "time"):
    if key not in d: print("no", key)
ids = [p["id"] for p in d["panels"]]
if len(ids) != len(set(ids)): print("panels share an id")
taken = set()
for p in d["panels"]:
    if not p.get("title") or not p["targets"]: print("empty panel", p["id"])
    g = p["gridPos"]
    if g["x"] + g["w"] > 24: print("too wide:", p["title"])
    cells = {(x, y) for x in range(g["x"], g["x"] + g["w"]) for y in range(g["y"], g["y"] + g["h"])}
    if cells & taken: print("lies on another:", p["title"])
    taken |= cells
    for t in p["targets"]:
        if t["datasource"]["uid"] != "${datasource}": print("fixed data source:", p["title"])
PY
)" ""
"$PYTHON" - "$dashboard" >"$tmp/expressions" <<'PY'
import json, sys
d = json.load(open(sys.argv[1]))
for p in d["panels"]:
    for t in p["targets"]:
        e = t["expr"].replace("$__rate_interval", "1m").replace("$instance", ".+").replace("$job", "sleeptune")
        print(p["title"], t["refId"], e, sep="\t")
for a in d["annotations"]["list"]:
    print("annotation", a["name"], a["expr"].replace("$__rate_interval", "1m").replace("$instance", ".+"), sep="\t")
PY
# what is shown only when something is wrong, or only of sources that there are, may be empty here
may_be_empty='Why wake-ups|Dropouts of other programs|Dropouts by|Load of each|What is degraded|Dropouts and xruns by source	[BC]|annotation'
while IFS=$'\t' read -r title ref expression; do
    if result=$(query "$expression" 2>&1) && { [[ $title$'\t'$ref =~ $may_be_empty ]] || [ "$result" -gt 0 ]; }; then
        pass "dashboard: $title $ref"
    else
        fail "dashboard: $title $ref" "$expression: $result"
    fi
done <"$tmp/expressions"
report=$("$SLEEPTUNE" report --no-servers -o /dev/null --textfile /dev/stdout)
is "no metric that a rule or the dashboard asks for is unknown to the daemon" "$(
    cat "$rules" "$dashboard" | grep -oE '\bsleeptune_[a-z_0-9]+\b' | sort -u | while read -r name; do
        { metrics "$first"; cat <<<"$report"; } | grep -qE "^(# TYPE )?${name}[ {]" || echo "$name"
    done)" ""
is "promtool check metrics has nothing to say of a report" "$(promtool check metrics <<<"$report" 2>&1)" ""
is "the manual has each metric" "$(metrics "$first" | sed -n 's/^# TYPE \([^ ]*\) .*/\1/p' | while read -r name; do
    grep -qw "$name" "$SLEEPTUNE_SRC/man/sleeptuned.8" || echo "$name"
done)" ""

{ kill "$last" && wait "$last"; } 2>/dev/null
one_away() { [ "$(query 'up{job="sleeptune"} == 0')" = 1 ] && [ "$(query 'ALERTS{alertname="SleeptuneDown"}')" = 1 ]; }
ok "a daemon that is away is noticed, and its alert is pending" wait_for one_away
tap_done
