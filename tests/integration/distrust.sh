#!/usr/bin/env bash
# Who is not trusted: another user's journal folder, the current folder, the environment of a program with more rights than
# its caller, a daemon and sound servers that send anything.
. "$SLEEPTUNE_SRC/tests/tap.sh"
own_tmp
cli=$(dirname "$SLEEPTUNE")
clean() { ! LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' "$1"; }

# unlike NAME TEXT PATTERN: no line of the text matches
unlike() { if grep -Eq -- "$3" <<<"$2"; then fail "$1" "$2"; else pass "$1"; fi; }

# --- the journal of changes ------------------------------------------------------------------------------------------
if can_be_nobody || cannot "the journal's folder" "needs root and setpriv to become nobody"; then
    cp -r "$SLEEPTUNE_SRC/tests/fixtures/captures/linux-laptop" "$tmp/tree"
    chmod -R u+w "$tmp/tree"
    mkdir -p "$tmp/tree/var/lib/sleeptune-changes"
    printf 'sleeptune-changes/3\nlinux-swap\tdone\t0\t0\t0\tvalue\tvm.swappiness\t1\t2\t\n' >"$tmp/tree/var/lib/sleeptune-changes/journal"
    chown -R 65534 "$tmp/tree/var/lib/sleeptune-changes"
    ends 4 "a journal in another user's folder: revert refuses it" "$SLEEPTUNE" revert --all --root "$tmp/tree"
    ends 4 "and so does apply" "$SLEEPTUNE" apply --yes --root "$tmp/tree" linux-cpu-frequency
    chown -R 0 "$tmp/tree/var/lib/sleeptune-changes"
    chmod 777 "$tmp/tree/var/lib/sleeptune-changes"
    ends 4 "a folder that everybody may write to: refused" "$SLEEPTUNE" revert --all --root "$tmp/tree"
    mkdir -p "$tmp/state/changes"
    cp "$tmp/tree/var/lib/sleeptune-changes/journal" "$tmp/state/changes/"
    chown 65534 "$tmp/state" # who can change its name
    # At 8b8d5cff root read this one, and wrote the next one there.
    unlike "root takes no journal folder from the environment of another user" "$(STATE_DIRECTORY=$tmp/state "$SLEEPTUNE" verify 2>&1)" 'linux-swap'
fi

# --- modules -----------------------------------------------------------------------------------------------------------
if [ -e "$cli/sleeptune-history.so" ]; then
    mkdir "$tmp/here"
    for module in "$cli"/*.so; do echo "not a library" >"$tmp/here/${module##*/}"; done
    bad='ELF|too short|cannot load'
    unlike "a module is never taken from the current folder" "$(cd "$tmp/here" && "$SLEEPTUNE" history --db "$tmp/none.db" 2>&1)" "$bad"
    with_folder() { SLEEPTUNE_MODULE_DIR=$tmp/here "$@" history --db "$tmp/none.db" 2>&1; }
    like "SLEEPTUNE_MODULE_DIR names another folder" "$(with_folder "$SLEEPTUNE")" "$bad"
    if [ "$(id -u)" -eq 0 ]; then
        chown 65534 "$tmp/here"
        unlike "root loads no module from a folder that another user can change" "$(with_folder "$SLEEPTUNE")" "$bad"
        chown 0 "$tmp/here"
        mkdir "$tmp/copy" # as one that was put into /tmp
        cp "$SLEEPTUNE" "$tmp/here"/sleeptune-history.so "$tmp/copy/"
        chown 65534 "$tmp/copy"
        like "nor from beside a copy of the program in such a folder, which is said" "$("$tmp/copy/$(basename "$SLEEPTUNE")" history --db "$tmp/none.db" 2>&1)" \
            "root does not load sleeptune-history\\.so: others can change $tmp/copy\\. As root, run meson install -C build, or make that path root's alone "
    fi
    if can_be_nobody && [ "$SLEEPTUNE_SANITIZE" = none ] || cannot "a program with more rights than its caller ignores it" "needs root, setpriv, and no sanitizer"; then
        chmod 755 "$tmp" "$tmp/here"
        mkdir "$tmp/bin"
        cp "$cli"/sleeptune "$cli"/*.so "$tmp/bin/"
        chmod -R a+rX "$tmp/bin"
        chgrp 0 "$tmp/bin/sleeptune"
        chmod 2755 "$tmp/bin/sleeptune" # the kernel marks it: it has rights that its caller does not have
        if as_nobody sh -c 'cat /proc/self/status' | grep -q '^NoNewPrivs:.*1' || grep -q " $(stat -c %m "$tmp") .*nosuid" /proc/mounts; then
            skip "a program with more rights than its caller ignores it" "set-group-ID has no effect here"
        else
            unlike "a program with more rights than its caller ignores it" "$(with_folder as_nobody "$tmp/bin/sleeptune")" "$bad"
        fi
    fi
fi

# --- an address of D-Bus that names a program -------------------------------------------------------------------------
printf '#!/bin/sh\necho ran >>"%s/evil-ran"\n' "$tmp" >"$tmp/evil"
chmod 755 "$tmp/evil"
asks=(env) # a loop without real-time priority asks rtkit for it
[ "$(id -u)" -ne 0 ] || asks=(setpriv --bounding-set -sys_nice --inh-caps -sys_nice prlimit --rtprio=0:0)
for address in "unixexec:path=$tmp/evil" "unix:path=$tmp/none;unixexec:path=$tmp/evil"; do
    DBUS_SYSTEM_BUS_ADDRESS=$address DBUS_SESSION_BUS_ADDRESS=$address "${asks[@]}" "$SLEEPTUNE" check --duration 1s --quiet >/dev/null 2>&1
done
ok "what it names is not run" test ! -e "$tmp/evil-ran"

# --- a daemon that is none ---------------------------------------------------------------------------------------------
if [ -e "$cli/sleeptune-status.so" ]; then
    false_daemon "$tmp/fake.sock" 500 $'{"error": "\\u001b[31mred\302\2332J\342\200\256\\nsecond line"}'
    for command in status history "history --events" "history --causes"; do
        # shellcheck disable=SC2086
        timeout 20 "$SLEEPTUNE" $command --socket "$tmp/fake.sock" >"$tmp/out" 2>&1
        got=$?
        if [ "$got" -ne 0 ] && [ "$got" -ne 124 ] && clean "$tmp/out" && ! grep -q $'\342\200\256' "$tmp/out"; then
            pass "$command: what a false daemon sends is made safe"
        else
            fail "$command: what a false daemon sends is made safe" "status $got: $(cat -v "$tmp/out" | head -n 3)"
        fi
    done
fi

# --- sound servers that send anything -----------------------------------------------------------------------------------
# hostile KIND HELPER SOCKET: a server that sends KIND; the helper must end or be ended by us, small and clean
hostile() {
    "$PYTHON" - "$1" "$SLEEPTUNE_BUILD/xruns/helpers/$2" "$tmp/run-$1-$2" "$3" "$SLEEPTUNE_SANITIZE" <<'PY'
import os, resource, socket, subprocess, sys, threading
kind, helper, folder, name, sanitize = sys.argv[1:]
path = os.path.join(folder, name)
os.makedirs(os.path.dirname(path), mode=0o700)
os.chmod(folder, 0o700)
server = socket.socket(socket.AF_UNIX)
server.bind(path)
server.listen()
def serve():
    while True:
        peer, _ = server.accept()
        try:
            if kind == "random":
                for _ in range(200): peer.sendall(os.urandom(4096))
            elif kind == "large":
                peer.sendall(b"\x00\x00\x00\x01" * 4 * 1024 * 1024)
        except OSError:
            pass
        held.append(peer)
held = []
threading.Thread(target=serve, daemon=True).start()
environment = dict(os.environ, HOME=folder, XDG_RUNTIME_DIR=folder)
told = "-ePULSE_SERVER=unix:" + path if helper.endswith("pulseaudio") else "-ePIPEWIRE_REMOTE=" + path
process = subprocess.Popen([helper, told], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=environment)
try:
    out, ended = process.communicate(timeout=8)[0], True
except subprocess.TimeoutExpired:
    process.terminate()
    out, ended = process.communicate()[0], False
peak_mb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
dirty = any(byte < 32 and byte not in (9, 10) or byte == 127 for byte in out)
print(f"{kind}: ended by itself {ended}, {peak_mb:.0f} MB, {len(out)} bytes", file=sys.stderr)
crashed = process.returncode < 0 and ended
sys.exit(crashed or dirty or len(out) > 65536 or (sanitize == "none" and peak_mb > 64))
PY
}
is "a helper program refuses an option that it does not know" "$(timeout 9 "$SLEEPTUNE_BUILD/xruns/helpers/sleeptune-observe-usb" -Q >/dev/null 2>&1; echo $?)" 3
for kind in random large silent; do
    for helper in sleeptune-observe-pipewire:pipewire-0 sleeptune-observe-pulseaudio:native; do
        [ -x "$SLEEPTUNE_BUILD/xruns/helpers/${helper%:*}" ] || continue
        ok "${helper%:*}: a server that is $kind" hostile "$kind" "${helper%:*}" "${helper#*:}"
    done
done

# nameless KIND: what its helper program says of a server that leaves out all names
nameless() {
    local folder=$tmp/nameless-$1
    mkdir -m 700 "$folder"
    mkfifo "$folder/no-end"
    "$PYTHON" "$SLEEPTUNE_SRC/tests/integration/nameless_server.py" "$1" "$folder/socket" &
    local fake=$!
    wait_for test -S "$folder/socket"
    HOME=$folder XDG_RUNTIME_DIR=$folder "$SLEEPTUNE_BUILD/xruns/helpers/sleeptune-observe-$1" -e "$2$folder/socket" <>"$folder/no-end" >"$folder/said" 2>&1 &
    local helper=$!
    wait_for grep -Eq '^(ready|absent)' "$folder/said"
    kill "$helper" "$fake" 2>/dev/null
    wait "$helper" "$fake" 2>/dev/null
    cat "$folder/said"
}
if [ -x "$SLEEPTUNE_BUILD/xruns/helpers/sleeptune-observe-pulseaudio" ]; then
    like "a PulseAudio server without a name is watched" "$(nameless pulseaudio PULSE_SERVER=unix:)" '^ready how much sound each stream of a server without a name \(version unknown\) has ready, read 4 times a second'
fi
if [ -x "$SLEEPTUNE_BUILD/xruns/helpers/sleeptune-observe-pipewire" ]; then
    said=$(nameless pipewire PIPEWIRE_REMOTE=)
    if [ "$said" != "absent PipeWire is not installed" ] || cannot "objects of PipeWire without a type, properties without a name" "PipeWire is not installed"; then
        like "objects of PipeWire without a type, properties without a name" "$said" '^absent PipeWire  does not report its timing'
    fi
fi
tap_done
