#!/usr/bin/env bash
# sleeptuned and its helpers write into the state folder and beside the socket, and nowhere else: all calls on files over a run with
# everything on, and a run in which nothing else can be written. Libraries of sound systems keep shared memory and folders of their own.
. "$SLEEPTUNE_SRC/tests/integration/daemon-lib.sh"
need strace
mkdir "$tmp/state" "$tmp/run" "$tmp/home"
sock=$tmp/run/sock
export STATE_DIRECTORY=$tmp/state HOME=$tmp/home
at=$("$PYTHON" -c 'import socket, sys; v6 = " lo" in sys.stdin.read(); host = "::1" if v6 else "127.0.0.1"; s = socket.create_server((host, 0), family=socket.AF_INET6 if v6 else socket.AF_INET); print(f"[{host}]" if v6 else host, s.getsockname()[1], sep=":")' < <(cat /proc/net/if_inet6 2>&1))
config "http: { listen = \"$at\"; };"

# a run: everything is asked for, the configuration is read again, well and badly, and the last minute is stored
a_run() {
    starts "$1" "${@:2}" || return
    local route && served=all
    for route in / /metrics /v1/status /v1/history /v1/events /v1/causes /v1/sizes /v1/heard; do
        curl -s --max-time 20 -o /dev/null --unix-socket "$sock" "http://localhost$route" || served=$route
    done
    curl -s --max-time 20 -o /dev/null "http://$at/" || served=$at
    config 'nonsense'
    kill -HUP "$(value 'd["pid"]')"
    wait_for logged 'nonsense|syntax error'
    config "http: { listen = \"$at\"; };" 'loop: { frames = 512; };'
    kill -HUP "$(value 'd["pid"]')"
    wait_for value_is 'd["loop"] and d["loop"]["period_ns"]["num"]' 32000000
    kill -TERM "$(value 'd["pid"]')"
    wait "$daemon"
    status=$?
}

ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0 a_run "it runs with everything on" \
    strace -f -y -qq -o "$tmp/trace" -e trace=%file,bind,fchmod,fchown,ftruncate,fallocate
is "and answers all, and ends cleanly" "$served $status" "all 0"
"$PYTHON" - "$tmp/trace" "$tmp/state" "$tmp/run" >"$tmp/written" <<'PY'
import os.path, re, sys
mine = tuple(folder + "/" for folder in sys.argv[2:])
# libsoundio's ring buffers, JACK's memory, what libpulse makes for each of its clients
libraries = re.compile(r"/dev/null$|/dev/shm/(soundio-|jack)|/tmp/pulse-|%s/\.config(/pulse|$)" % re.escape(os.environ["HOME"]))
changes = re.compile(r"(creat|rename|unlink|rmdir|mkdir|link|mknod|truncate|f?ch(mod|own)|utime|setxattr|removexattr|fallocate|mount|bind)")
inside = 0
for line in open(sys.argv[1], errors="replace"):
    call = re.match(r"\d+ +(\w+)\((.*)\) += (-?\d+)", line)
    if not call or int(call[3]) < 0:
        continue
    name, args = call[1], call[2]
    if name.startswith("open"):
        if not re.search(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC", args): continue
    elif name == "bind":
        if "AF_UNIX" not in args or "sun_path=@" in args: continue
    elif not changes.match(name):
        continue
    folder = re.search(r"AT_FDCWD<([^>]*)>|^\d+<(/[^>]*)>", args)
    paths = re.findall(r'"((?:[^"\\]|\\.)*)"', args) or [folder[2] or folder[1]]
    for path in paths:
        path = os.path.normpath(os.path.join(folder[1] or folder[2] if folder else "/", path))
        if name == "chmod" and re.match(r"/proc/self/fd/\d+$", path): continue # glibc's fchmodat without following links: the socket
        if (path + "/").startswith(mine): inside += 1
        elif not libraries.match(path): print(name, path)
print("inside", inside)
PY
is "nothing is written outside of the state and run folders" "$(grep -v '^inside' "$tmp/written" | sort | uniq -c)" ""
ok "and the writes inside were seen" grep -q 'inside [1-9][0-9]' "$tmp/written"
is "the state folder has the history, the run folder the lock" "$(cd "$tmp/state" && echo *) $(cd "$tmp/run" && echo *)" "history.db sock.lock"
is "nothing came into the home folder but from libpulse" "$(cd "$tmp/home" && find . -type f ! -path './.config/pulse/*')" ""

# a root that cannot be written to, as of an image: only state and run folder can
rm -r "$tmp/state" "$tmp/run"
mkdir "$tmp/state" "$tmp/run"
cat >"$tmp/read-only" <<'SH'
for folder in state run; do mount --bind "$1/$folder" "$1/$folder" || exit; done
# every mount that holds what others may write to; what cannot be remounted is no file system for files
awk '{print $5}' /proc/self/mountinfo | grep -vE "^($1/(state|run)|/dev|/proc|/sys)(/|$)" | while read -r mount; do
    mount -o remount,bind,ro "$mount" || ! mountpoint -q "$mount" || exit # another test takes its own away
done
! touch "$1/read-only.try" 2>/dev/null || exit
shift
exec "$@"
SH
rights=-rm # who is not root becomes it; in a chroot nobody can, and root need not
! unshare -m true 2>/dev/null || rights=-m
if unshare $rights sh "$tmp/read-only" "$tmp" true 2>"$tmp/err" || cannot "it starts below a root that is read-only" "no right to mount here: $(tail -n 1 "$tmp/err")"; then
    # / is not of the root of a user's namespace, which trusts no folder that a variable names
    config "http: { listen = \"$at\"; };" "$([ $rights = -m ] || echo "history: { path = \"$tmp/state/history.db\"; };")"
    starts "it starts below a root that is read-only" unshare $rights sh "$tmp/read-only" "$tmp"
    ok "and keeps its history, and nothing is said of files" wait_for value_is 'd["history"]["state"], [x for x in d["degraded"] if x["what"] in ("history", "socket")]' 'writing []'
    stops "it ends cleanly"
    is "with the last minute stored" "$(cd "$tmp/state" && echo *)" "history.db"
fi
tap_done
