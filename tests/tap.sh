# shellcheck shell=bash disable=SC2034,SC2154
# TAP for tests written in bash. Source it, call the functions, end with `tap_done`.
#
#   . "$(dirname "$0")/../tap.sh"
#   ok NAME COMMAND [ARG...]        passes when the command succeeds; its output is shown when it does not
#   does NAME COMMAND [ARG...]      the same in this shell, where what the command sets stays
#   is NAME GOT WANTED              passes when the two texts are equal
#   like NAME TEXT PATTERN          passes when TEXT has a line that matches the extended regular expression
#   pass NAME; fail NAME [WHY]      decided elsewhere
#   screen_is [-t|-m] NAME COMMAND [ARG...]    passes when what the command prints, and its status, are the file tests/screens/<test>/NAME.txt;
#                                   -t, -m: masked, see below. A changed screen is a changed file: scripts/test --screens writes them anew
#   refused NAME STATUS ARG...      passes when `sleeptune ARG...`, or the program $refusing, ends with it, prints nothing on standard output
#                                   and says why in one line, or two where it says how to get help; what it says is in the screen
#                                   "refused", one for the whole test
#   each_refused STATUS COMMAND WORDS...    the same of `COMMAND WORDS`, for each of these
#   skip NAME REASON                not run, and why; COMMAND || cannot NAME REASON: the same, as a condition
#   skip_rest NAME REASON           the same of all that follows; exits
#   skip_all REASON                 the whole file is not run; exits; need PROGRAM...: unless these are installed
#   ends STATUS NAME COMMAND [ARG...]    passes when the command ends with it; what it prints is in the files out and err of $tmp
#   own_tmp                         $tmp is a folder that others may enter; it goes at the end, and before it what runs still
#   behind COMMAND [ARG...]         runs it meanwhile, until the end; not with a FIFO as its standard input, which this shell would wait for
#   false_daemon SOCKET STATUS TEXT answers each request on SOCKET with this; prints the request on standard error
#   on_terminal TEXT COMMAND [ARG...] what it prints on a terminal, which gets Ctrl-C when it has printed TEXT; then "status" and its status
#   key FILE EXPRESSION             Python's, of the JSON document d in FILE (-: standard input)
#   query EXPRESSION                the same of a report on standard input, whose findings are f by their id
#   resident_kib COMMAND [ARG...]   the memory that it needs at most
#   sql FILE STATEMENT...           of SQLite; a row is a line
#   valid NAME FILE                 passes when this JSON is what the schema that it names says
#   wait_for COMMAND [ARG...]       until it succeeds, up to a minute: how long it takes says nothing
#   in_time SECONDS COMMAND [ARG...] the same, up to so long
#   in_three COMMAND [ARG...]       until it succeeds, three times at most: for what a busy machine can spoil
#   stop_for SECONDS PID; ended_by SIGNAL PID...    the second returns how the last one ended
#   catches PID                     it would notice Ctrl-C; slept PID N: its threads have gone to sleep N times, in all
#   preloadable LIBRARY             its path for LD_PRELOAD, where a space ends a name: that of a copy in $tmp if it has one
#   can_be_nobody                   needs root and $tmp; from then on as_nobody COMMAND [ARG...] runs it as the user nobody, who may enter
#                                   $tmp and run $SLEEPTUNE, $SLEEPTUNED and $SLEEPTUNE_LAB
#   let_nobody_in                   first of all, as root: from then on nobody may run the programs; may begin the test again
#   alone "$@"                      first of all: root begins the test again in a mount namespace of its own, with the argument "inside"
#   own_shm "$@"                    first of all: what a killed JACK client leaves in /dev/shm stops every later server, so root runs the test with its own
#   tap_done                        prints the plan; exits 1 when something failed

[ -z "${SLEEPTUNE_SRC:-}" ] || set -u # not in guests
export LC_ALL=C.UTF-8 # without UTF-8 units are ASCII: locale.sh

tap_n=0 tap_failed=0 tap_skipped=0

tap_note() { sed 's/^/# /'; }

pass() { tap_n=$((tap_n + 1)); echo "ok $tap_n - $1"; }

fail() {
    tap_n=$((tap_n + 1)) tap_failed=$((tap_failed + 1))
    echo "not ok $tap_n - $1"
    [ -z "${2:-}" ] || printf '%s\n' "$2" | tap_note
}

skip() { tap_n=$((tap_n + 1)) tap_skipped=1; echo "ok $tap_n - $1 # SKIP $2"; }

skip_all() { echo "1..0 # SKIP $1"; exit 0; }
cannot() { skip "$@"; return 1; }
skip_rest() { skip "$@"; tap_done; }
need() { local c; for c; do command -v "$c" >/dev/null || skip_all "$c is not installed"; done; }

ok() {
    local name=$1 output
    shift
    if output=$("$@" 2>&1); then pass "$name"; else fail "$name" "$* (status $?)
$output"; fi
}

does() { local name=$1; shift; if "$@"; then pass "$name"; else fail "$name" "$* (status $?)"; fi; }

is() { if [ "$2" = "$3" ]; then pass "$1"; else fail "$1" "got:    $2
wanted: $3"; fi; }

like() { if grep -Eq -- "$3" <<<"$2"; then pass "$1"; else fail "$1" "no line matches: $3
in: $2"; fi; }

ends() {
    local wanted=$1 name=$2 got=0
    shift 2
    "$@" >"${tmp:-.}/out" 2>"${tmp:-.}/err" || got=$?
    if [ "$got" = "$wanted" ]; then pass "$name"; else fail "$name" "status $got, wanted $wanted
$(cat "${tmp:-.}/out" "${tmp:-.}/err")"; fi
}

pids=()
behind() { "$@" <&0 & pids+=("$!"); }
clean_up() {
    local pid
    for pid in "${pids[@]}"; do kill -9 "$pid" 2>/dev/null; done
    [ ${#pids[@]} -eq 0 ] || wait "${pids[@]}" 2>/dev/null
    chmod -R u+rwX "$tmp" 2>/dev/null
    rm -rf "$tmp"
}
own_tmp() { tmp=$(mktemp -d); chmod 755 "$tmp"; trap clean_up EXIT; }
captures=${SLEEPTUNE_SRC:-}/tests/fixtures/captures
false_daemon() {
    behind "$PYTHON" - "$@" <<'PY'
import socket, sys
server = socket.socket(socket.AF_UNIX)
server.bind(sys.argv[1])
server.listen()
body = sys.argv[3].encode(errors="surrogateescape")
while True:
    peer, _ = server.accept()
    print(peer.recv(65536).decode(errors="replace"), file=sys.stderr, flush=True)
    peer.sendall(b"HTTP/1.1 %s Answer\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % (sys.argv[2].encode(), len(body)) + body)
    peer.close()
PY
    wait_for test -S "$1"
}
on_terminal() {
    "$PYTHON" - "$@" <<'PY'
import os, pty, sys
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
out, waits = b"", sys.argv[1] != ""
try:
    while piece := os.read(terminal, 65536):
        out += piece
        if waits and sys.argv[1].encode() in out:
            waits = False
            os.write(terminal, b"\x03")
except OSError:
    pass # it has ended
sys.stdout.buffer.write(out.replace(b"\r\n", b"\n") + b"status %d\n" % os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
PY
}

# of Python itself, too, before it becomes the program; what the C library is told to fill would be counted
resident_kib() { env -u MALLOC_PERTURB_ "$PYTHON" -c 'import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$@"; }
key() { "$PYTHON" -c 'import json, sys; d = json.load(sys.stdin if sys.argv[1] == "-" else open(sys.argv[1])); print(eval(sys.argv[2]))' "$@"; }
query() { key - "(lambda f: ($1))({f['id']: f for f in d['findings']})"; }
sql() {
    "$PYTHON" -c 'import sqlite3, sys
db = sqlite3.connect(sys.argv[1], timeout=20)
for statement in sys.argv[2:]:
    for row in db.execute(statement): print(*row)
db.commit()' "$@"
}
valid() {
    if "$PYTHON" -c 'import jsonschema' 2>/dev/null || cannot "$1" "python3-jsonschema is not installed"; then
        ok "$1" "$PYTHON" - "$2" "$SLEEPTUNE_SRC" <<'PY'
import json, pathlib, sys
import jsonschema
document = json.load(open(sys.argv[1], encoding="utf-8"))
name = document["schema"].replace("/", "-") + ".json"
path = next(p for f in ("docs", "lab") if (p := pathlib.Path(sys.argv[2], f, "schema", name)).exists())
schema = json.loads(path.read_text(encoding="utf-8"))
errors = list(jsonschema.validators.validator_for(schema)(schema).iter_errors(document))
for error in errors[:10]:
    print("/".join(map(str, error.absolute_path)) + ": " + error.message[:300])
sys.exit(bool(errors))
PY
    fi
}

# Screens need $tmp. The folders of the test are masked on each. -t masks when and for how long something was, -m all that was measured:
#   -t  dates (DATE), times of day (CLOCK), lengths of time of a second and more (TIME); spaces become one space
#   -m  and all other lengths of time (TIME) and numbers (#)
# Such screens are printed so wide that no line is wrapped.
tap_mask_times='
s/[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2}(:[0-9]{2})?Z?)?/DATE/g
s/\b[0-9]{2}:[0-9]{2}(:[0-9]{2})?\b/CLOCK/g
s/\b[0-9][0-9.,]* (s|min|h|d)\b( [0-9]+ (h|min|s)\b)*/TIME/g
s/[[:space:]]+/ /g
s/ $//'
tap_mask_all="$tap_mask_times"'
s/[0-9][0-9.,]*(e[-+]?[0-9]+)? (ns|µs|us|ms)\b/TIME/g
s/[0-9]+([.,][0-9]+)*(e[-+]?[0-9]+)?/#/g'
tap_screens=${SLEEPTUNE_SRC:-.}/tests/screens/$(basename "$0" .sh) tap_compared=' '
screen_is() {
    local mask='' columns=${COLUMNS:-80} name
    case $1 in -t) mask=$tap_mask_times ;; -m) mask=$tap_mask_all ;; esac
    [ -z "$mask" ] || { columns=1000; shift; }
    name=$1
    shift
    compare_screen "$name" "\$ $*
$(COLUMNS=$columns "$@" 2>&1 </dev/null; echo "status $?")" "$mask"
}
compare_screen() { # NAME TEXT MASK
    local file=$tap_screens/$1.txt text=${2//"${SLEEPTUNE_LAB:-}"/sleeptune-lab} # which may be in $tmp: can_be_nobody
    tap_compared="$tap_compared$1 " text=${text//"${SLEEPTUNED:-}"/sleeptuned} text=${text//"$SLEEPTUNE"/sleeptune}
    text=${text//"$tmp"/TMP}
    sed -E "1!{\$!{$3
}}" <<<"${text//"$SLEEPTUNE_SRC"/SRC}" >"$tmp/screen"
    if cmp -s "$tmp/screen" "$file"; then
        pass "screen $1"
    elif [ "${TAP_SCREENS:-}" = write ] && mkdir -p "$tap_screens" && cat "$tmp/screen" >"$file"; then
        pass "screen $1: written"
    else
        fail "screen $1" "not as in ${file#"$SLEEPTUNE_SRC/"} (scripts/test --screens writes it):
$(diff "$file" "$tmp/screen" 2>&1)"
    fi
}
refused() {
    local name=$1 wanted=$2 got=0 program=${refusing:-$SLEEPTUNE}
    shift 2
    timeout 20 "$program" "$@" >"$tmp/refused.out" 2>"$tmp/refused.err" </dev/null || got=$?
    { echo "# $name"; echo "\$ $(basename "$program") $*"; sed 's/\(not JSON: \).*/\1.../' "$tmp/refused.err"; echo; } >>"$tmp/refused" # libjansson's words
    if [ "$got" -eq "$wanted" ] && [ ! -s "$tmp/refused.out" ] && [ "$(grep -vc '^Try ' "$tmp/refused.err")" -eq 1 ] &&
        ! LC_ALL=C grep -q $'[\001-\010\013-\037]' "$tmp/refused.err"; then
        pass "$name"
    else
        fail "$name" "$* (status $got, wanted $wanted)
$(cat "$tmp/refused.err")"
    fi
}
each_refused() {
    local words
    for words in "${@:3}"; do
        # shellcheck disable=SC2086  # they are words
        refused "$2 $words" "$1" $2 $words
    done
}
# a file that no test compares is none; what was skipped may have been its test
screens_done() {
    local file
    [ ! -s "${tmp:-}/refused" ] || compare_screen refused "$(cat "$tmp/refused")" ""
    [ -d "$tap_screens" ] && [ $tap_skipped -eq 0 ] || return
    for file in "$tap_screens"/*.txt; do
        case $tap_compared in *" $(basename "$file" .txt) "*) continue ;; esac
        if [ "${TAP_SCREENS:-}" = write ]; then rm "$file"; else fail "${file#"$SLEEPTUNE_SRC/"} is compared" "no test did"; fi
    done
}

in_time() {
    local tries=$(($1 * 5))
    shift
    until "$@" >/dev/null 2>&1; do
        tries=$((tries - 1))
        [ $tries -gt 0 ] || return 1
        sleep 0.2
    done
}
wait_for() { in_time 60 "$@"; }

stop_for() { kill -STOP "$2"; sleep "$1"; kill -CONT "$2"; }
ended_by() { kill "-$1" "${@:2}" 2>/dev/null; wait "${@:2}" 2>/dev/null; }

in_three() { "$@" || "$@" || "$@"; }

# Linux only, as all of /proc; elsewhere they say no
catches() {
    local caught
    caught=$(sed -n 's/^SigCgt:[^0-9a-f]*//p' "/proc/$1/status" 2>/dev/null)
    [ $((0x${caught:-0} & 2)) -ne 0 ]
}
is_stopped() { # all of its threads: on a busy machine the signal takes effect when they next run
    [ -d "/proc/$1/task" ] && ! grep -h '^State:' "/proc/$1/task"/*/status 2>/dev/null | grep -qv '[[:space:]]T'
}
slept() { cat "/proc/$1/task"/*/status 2>/dev/null | awk -v n="$2" '/^voluntary_ctxt_switches/ {all += $2} END {exit all < n}'; }

preloadable() {
    case $1 in *[\ :]*) cp "$1" "$tmp/" && echo "$tmp/${1##*/}" ;; *) echo "$1" ;; esac
}
alone() {
    [ "${1:-}" != inside ] || return 0
    [ "$(id -u)" -eq 0 ] && unshare --mount true 2>/dev/null || skip_all "needs root, and the right to a mount namespace"
    exec unshare --mount "$0" inside
}
own_shm() {
    [ -z "${TAP_OWN_SHM:-}" ] && [ "$(id -u)" -eq 0 ] && unshare -m true 2>/dev/null || return 0
    export TAP_OWN_SHM=1
    exec unshare -m sh -c 'mount -t tmpfs tmpfs /dev/shm; exec "$@"' sh "$0" "$@"
}
nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups) # for what has to be a process, not a function
as_nobody() { "${nobody[@]}" "$@"; }
# The folders of the test run are root's: nobody's sound servers have none.
homeless=(env -u XDG_STATE_HOME -u XDG_CONFIG_HOME -u XDG_CACHE_HOME -u XDG_DATA_HOME HOME=/nonexistent)
own_player=("${nobody[@]}" "${homeless[@]}" HOME=/ TMPDIR=/tmp)

# In a clone below root's home the programs are out of nobody's reach: copies in $tmp take their place, in folders as the build has
# them, since a program looks for its modules beside itself.
can_be_nobody() {
    local program copy
    [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null && chmod 755 "$tmp" || return
    for program in SLEEPTUNE SLEEPTUNED SLEEPTUNE_LAB; do
        as_nobody test -x "${!program}" && continue
        copy=$tmp/programs/$(basename "$(dirname "${!program}")")
        mkdir -p "$copy"
        find "$(dirname "${!program}")" -maxdepth 1 -type f -perm -u+x -exec cp {} "$copy" \;
        printf -v "$program" %s "$copy/$(basename "${!program}")"
        as_nobody test -x "${!program}" || return
    done
}

# First of all in a test that root runs as nobody (it tells the cases apart by `id -u`): source and build of a clone below root's home are
# mounted where nobody may enter, for this test only, and the test begins again there.
let_nobody_in() {
    local at status=0
    command -v setpriv >/dev/null || skip_all "needs setpriv to become nobody"
    ! as_nobody test -x "$SLEEPTUNE" || return 0
    [ -z "${TAP_LET_IN:-}" ] && unshare -m true 2>/dev/null || skip_all "this program cannot be run by nobody"
    at=$(mktemp -d)
    mkdir "$at/src" "$at/build"
    chmod 755 "$at"
    TAP_LET_IN=$at unshare -m sh -c 'set -e
        mount --bind "$SLEEPTUNE_SRC" "$TAP_LET_IN/src"
        mount --bind "$SLEEPTUNE_BUILD" "$TAP_LET_IN/build"
        SLEEPTUNE_SRC=$TAP_LET_IN/src SLEEPTUNE_BUILD=$TAP_LET_IN/build SLEEPTUNE=$TAP_LET_IN/build/cli/sleeptune
        SLEEPTUNED=$TAP_LET_IN/build/daemon/sleeptuned SLEEPTUNE_LAB=$TAP_LET_IN/build/lab/sleeptune-lab
        exec "$SLEEPTUNE_SRC/tests/integration/$1"' sh "$(basename "$0")" || status=$?
    rmdir "$at/src" "$at/build" "$at"
    exit $status
}

# first of all in a test whose programs refuse root; real_time=1: with the right to real-time priority, also where a limit cannot be raised
go_on_as_nobody() {
    [ "$(id -u)" -eq 0 ] || return 0
    let_nobody_in
    as_nobody test -w "${TMPDIR:-/tmp}" || unset TMPDIR
    [ -z "${real_time:-}" ] || nobody+=(--inh-caps +sys_nice --ambient-caps +sys_nice)
    exec "${nobody[@]}" "${homeless[@]}" "$0"
}

tap_done() { screens_done; echo "1..$tap_n"; [ "$tap_failed" -eq 0 ]; exit; }
