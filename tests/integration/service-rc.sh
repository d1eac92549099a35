#!/usr/bin/env bash
# The rc.d script's whole life on a stub of FreeBSD's rc.subr(8) and daemon(8), with the real sleeptuned: what rc.subr does with the
# variables of a script, as its manual says. It was not run by a FreeBSD.
. "$SLEEPTUNE_SRC/tests/integration/daemon-lib.sh"
need setpriv
runas=$(id -un)
[ "$runas" != root ] || runas=nobody
program=$tmp/sleeptuned # others must be able to execute it
cp "$SLEEPTUNED" "$program"
mkdir -p "$tmp/etc" "$tmp/sbin" "$tmp/var/run" "$tmp/var/db"

# daemon(8): -f (no terminal), -p FILE (the child's PID), -u USER (and its groups)
cat >"$tmp/sbin/daemon" <<'SH'
#!/bin/sh
while getopts fp:u: o; do
    case $o in p) pidfile=$OPTARG ;; u) user=$OPTARG ;; esac
done
shift $((OPTIND - 1))
if [ -n "$user" ] && [ "$(id -u)" = 0 ] && [ "$user" != root ]; then
    set -- setpriv --reuid "$user" --regid "$(id -g "$user")" --init-groups "$@"
fi
"$@" </dev/null >/dev/null 2>&1 &
echo $! >"$pidfile"
SH
chmod +x "$tmp/sbin/daemon"
cat >"$tmp/etc/rc.subr" <<'SH'
warn() { echo "$0: WARNING: $*" >&2; }
err() { shift; echo "$0: ERROR: $*" >&2; exit 1; }
kldstat() { [ -e "$RC_CONF.loaded" ]; }
load_rc_config() { [ ! -f "$RC_CONF" ] || . "$RC_CONF"; }
rc_pid() { pid=$(cat "$pidfile" 2>/dev/null) && [ "$(readlink "/proc/$pid/exe")" = "$procname" ] && echo "$pid"; }
run_rc_command() {
    action=$1 one=''
    case $action in one*) action=${action#one} one=1 ;; esac
    case " start stop restart rcvar status $extra_commands " in
    *" $action "*) ;;
    *) echo "$0: unknown directive '$action'." >&2; return 1 ;;
    esac
    eval "enabled=\$$rcvar flags=\${${name}_flags:-} own=\${${action}_cmd:-} pre=\${${action}_precmd:-} signal=\${sig_${action}:-}"
    case $action in rcvar) echo "# $name : $desc"; echo "$rcvar=\"$enabled\""; return ;; esac
    case $enabled in
    [Yy][Ee][Ss]) ;;
    *) [ -n "$one" ] || { echo "Cannot '$action' $name. Set $rcvar to YES in /etc/rc.conf or use 'one$action' instead of '$action'." >&2; return 1; } ;;
    esac
    pid=$(rc_pid)
    [ -z "$own" ] || { ${pre:-:} && "$own"; return; }
    case $action in
    status) if [ -n "$pid" ]; then echo "$name is running as pid $pid."; else echo "$name is not running."; return 1; fi ;;
    start)
        [ -z "$pid" ] || { echo "$name already running? (pid=$pid)." >&2; return 1; }
        for f in $required_files; do [ -r "$f" ] || { echo "$0: WARNING: $f is not readable." >&2; return 1; }; done
        ${pre:-:} || return 1
        echo "Starting $name."
        $command $flags $command_args ;;
    stop | reload)
        [ -n "$pid" ] || { echo "$name not running?" >&2; return 1; }
        ${pre:-:} || return 1
        kill -"${signal:-TERM}" "$pid"
        [ "$action" = reload ] || while kill -0 "$pid" 2>/dev/null; do sleep 0.1; done ;;
    restart) ${pre:-:} || return 1
        ("$0" "${one:+one}stop"); "$0" "${one:+one}start" ;;
    esac
}
SH
sed -e "s|/etc/rc.subr|$tmp/etc/rc.subr|; s|/usr/sbin/daemon|$tmp/sbin/daemon|; s|/var/run|$tmp/var/run|g; s|/var/db|$tmp/var/db|g" \
    -e "s|^procname=.*|procname=\"$program\"|" "$SLEEPTUNE_BUILD/conf/sleeptuned" >"$tmp/rc"
chmod +x "$tmp/rc"
sock=$tmp/var/run/sleeptune/sleeptuned.sock
export RC_CONF=$tmp/rc.conf SLEEPTUNE_SOCKET=$sock
service() { out=$("$tmp/rc" "$@" 2>&1); status=$?; }

config 'audio: { backend = "none"; };'
: >"$RC_CONF"
screen_is not-enabled "$tmp/rc" start
screen_is rcvar "$tmp/rc" rcvar
printf '%s\n' 'sleeptuned_enable="YES"' "sleeptuned_config=\"$tmp/none\"" >"$RC_CONF"
screen_is without-its-configuration "$tmp/rc" start
printf '%s\n' 'sleeptuned_enable="YES"' "sleeptuned_config=\"$conf\"" 'sleeptuned_runas="no-such-user"' >"$RC_CONF"
config 'audio: { backend = "none"; };'
screen_is without-its-user "$tmp/rc" start
echo "sleeptuned_runas=\"$runas\"" >>"$RC_CONF"
config 'loop: { frames = 99999; };'
service start
like "a wrong configuration does not start, and is told with its line" "$out" "$conf:2: loop.frames"
screen_is nothing-runs "$tmp/rc" status
config 'audio: { backend = "none"; };'
screen_is configtest "$tmp/rc" configtest

echo 'sleeptuned_flags="-d"' >>"$RC_CONF"
service start
is "start" "$status" 0
is "without mac_priority it says so, and that the user is in no group for it" \
    "$(grep -cE "WARNING: (mac_priority is not loaded: no real-time priority. Run kldload mac_priority|$runas is not in group realtime)" <<<"$out")" 2
daemon=$(cat "$tmp/var/run/sleeptuned.pid")
pids+=("$daemon")
ok "it measures" wait_for value_is 'd["loop"] is not None and d["loop"]["cycles"] > 0' True
is "it does not run as root, nor own less than its folders" "$(stat -c %U "/proc/$daemon" "$tmp/var/run/sleeptune" "$tmp/var/db/sleeptune" | tr '\n' ' ')" "$runas $runas $runas "
is "its flags are sleeptuned's, not daemon(8)'s" "$(tr '\0' ' ' <"/proc/$daemon/cmdline")" "$program -a -c $conf -d "
is "the PID file has the daemon's, not daemon(8)'s" "$(value 'd["pid"]')" "$daemon"
is "status" "$("$tmp/rc" status)" "sleeptuned is running as pid $daemon."
is "run and state folder are there" "$(stat -c %a "$tmp/var/run/sleeptune" "$tmp/var/db/sleeptune" | tr '\n' ' ')" "755 750 "
service start
is "a second start is refused" "$status" 1
config 'audio: { backend = "none"; };' 'loop: { frames = 512; };'
service reload
ok "reload reads the configuration" wait_for value_is 'd["loop"] and d["loop"]["period_ns"]["num"]' 32000000
config 'nonsense'
service reload
is "a wrong one is refused before the daemon hears of it" "$status $(value 'd["config"]["error"]')" "1 None"
service restart
is "a restart with it leaves the good one running" "$status $("$tmp/rc" status)" "1 sleeptuned is running as pid $daemon."
config 'audio: { backend = "none"; };'
service restart
new=$(cat "$tmp/var/run/sleeptuned.pid")
pids+=("$new")
ok "restart: another process measures" eval '[ "$new" != "$daemon" ] && wait_for value_is "d[\"loop\"] is not None and d[\"pid\"]" "$new"'
kill -9 "$new"
wait_for test ! -e "/proc/$new"
is "killed: status sees it in spite of the PID file" "$("$tmp/rc" status)" "sleeptuned is not running."
service start
pids+=("$(cat "$tmp/var/run/sleeptuned.pid")")
ok "and it starts again over what was left" wait_for value_is 'd["loop"] is not None and d["loop"]["cycles"] > 0' True
service stop
is "stop" "$status" 0
is "nothing runs" "$("$tmp/rc" status)" "sleeptuned is not running."
service stop
is "a second stop says so" "$status $out" "1 sleeptuned not running?"
service nonsense
is "another word is refused" "$status" 1
tap_done
