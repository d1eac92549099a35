#!/usr/bin/env bash
# Captures that somebody made to hurt, or that broke on the way: a clear message or an unknown, bounded memory, nothing
# of them raw on the terminal. Each case is one folder or file.
# shellcheck disable=SC2009
. "$SLEEPTUNE_SRC/tests/tap.sh"
own_tmp
limit_kib=$((256 * 1024))
case $SLEEPTUNE_SANITIZE in *address* | *thread*) limit_kib=unlimited ;; esac # their shadow is terabytes of address space

# run ARG...: sleeptune in bounded memory and time; $got, $tmp/out, $tmp/err
run() {
    (ulimit -v "$limit_kib"; exec timeout 120 "$SLEEPTUNE" "$@") >"$tmp/out" 2>"$tmp/err" </dev/null
    got=$?
}
clean() { ! LC_ALL=C grep -qP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]' "$1"; }
# judged NAME ARG...: a report, with nothing raw in it in any format
judged() {
    local name=$1 format
    shift
    for format in --details --json --textfile=/dev/stdout; do
        run report "$format" "$@"
        [ "$got" -le 2 ] && [ ! -s "$tmp/err" ] && clean "$tmp/out" && continue
        fail "$name" "as $format: status $got: $(cat -v "$tmp/err"; grep -aP '[\x00-\x08\x0b-\x1f\x7f]' "$tmp/out" | cat -v | head -n 3)"
        return
    done
    pass "$name"
}
# refused NAME PATTERN ARG...: status 4, one clean line on stderr, nothing on stdout
refused() {
    local name=$1 pattern=$2
    shift 2
    run report "$@"
    if [ "$got" -eq 4 ] && [ ! -s "$tmp/out" ] && [ "$(wc -l <"$tmp/err")" -eq 1 ] && clean "$tmp/err" &&
        grep -Eq -- "$pattern" "$tmp/err"; then
        pass "$name"
    else
        fail "$name" "status $got (wanted 4 and /$pattern/): $(cat -v "$tmp/err" | head -n 3)"
    fi
}
verdict_of() { run report --json --root "$1"; query "f['$2']['status']" <"$tmp/out"; }
tree() { rm -rf "$tmp/t"; cp -r "$captures/linux-laptop" "$tmp/t"; chmod -R u+w "$tmp/t"; }
cpufreq=sys/devices/system/cpu/cpufreq

# --- links --------------------------------------------------------------------------------------------------------
echo "outside-secret" >"$tmp/secret"
tree
ln -sf "$tmp/secret" "$tmp/t/proc/cmdline"
ln -sf ../../../../../../../../../../"$tmp/secret" "$tmp/t/proc/version"
mkdir -p "$tmp/t/proc/sys/kernel"
ln -sf /proc/self/environ "$tmp/t/proc/sys/kernel/osrelease"
rm -rf "$tmp/t/etc/security"
mkdir -p "$tmp/t/etc"
ln -s /etc "$tmp/t/etc/security"
judged "links out of the tree: judged" --root "$tmp/t"
run snapshot --root "$tmp/t"
is "and nothing from outside is a fact" "$(grep -c -e outside-secret -e "HOME=" "$tmp/out")" 0
tree
rm -rf "$tmp/t/${cpufreq:?}"
ln -s cpufreq "$tmp/t/$cpufreq"
ln -sf loop "$tmp/t/proc/cmdline"
ln -sf cmdline "$tmp/t/proc/loop"
judged "links that lead to themselves" --root "$tmp/t"
like "are not fine" "$(verdict_of "$tmp/t" linux-cpu-frequency)" '^(unknown|not-applicable)$'
tree
ln -sf /dev/zero "$tmp/t/proc/cmdline"
ln -sf /dev/full "$tmp/t/proc/timer_list"
ln -sf /dev/tty "$tmp/t/proc/cpuinfo"
judged "links to devices" --root "$tmp/t"
ln -s "$captures/linux-laptop" "$tmp/by-link"
judged "a folder named by a link is one" --root "$tmp/by-link"

# --- what is no file ------------------------------------------------------------------------------------------------
tree
rm -f "$tmp/t/proc/timer_list" "$tmp/t/proc/cpuinfo"
mkfifo "$tmp/t/proc/timer_list" "$tmp/t/proc/cpuinfo"
rm -rf "$tmp/t/proc/cmdline"
mkdir "$tmp/t/proc/cmdline"
judged "FIFOs and folders in place of files" --root "$tmp/t"
if [ "$(id -u)" -eq 0 ] && mknod "$tmp/node" c 1 5 2>/dev/null || cannot "devices in place of files" "needs root and a file system with devices"; then
    cp -a "$tmp/node" "$tmp/t/proc/meminfo"
    rm -rf "$tmp/t/proc/cmdline"
    cp -a "$tmp/node" "$tmp/t/proc/cmdline"
    judged "devices in place of files" --root "$tmp/t"
fi
mkdir "$tmp/fifo"
mkfifo "$tmp/fifo/sysctl-a.txt"
refused "a FIFO as sysctl-a.txt" 'fifo' --root "$tmp/fifo"
rm "$tmp/fifo/sysctl-a.txt"
mkdir "$tmp/fifo/sysctl-a.txt"
refused "a folder as sysctl-a.txt" 'fifo' --root "$tmp/fifo"
refused "a FIFO as a snapshot" 'FIFO' --snapshot "$tmp/t/proc/timer_list"
refused "a file as a folder" 'Not a directory' --root "$tmp/secret"

# --- too much -------------------------------------------------------------------------------------------------------
tree
for file in proc/cmdline proc/timer_list proc/interrupts proc/cpuinfo proc/swaps proc/mounts etc/passwd "$cpufreq/policy0/scaling_governor"; do
    mkdir -p "$(dirname "$tmp/t/$file")"
    rm -rf "$tmp/t/${file:?}"
    truncate -s 1G "$tmp/t/$file"
done
judged "1 GB in each file" --root "$tmp/t"
like "a governor of 1 GB is not fine" "$(verdict_of "$tmp/t" linux-cpu-frequency)" '^(unknown|advice)$'
tree
governor=$(head -c 4000000 /dev/zero | tr '\0' p)
printf '%s' "$governor" >"$tmp/t/$cpufreq/policy0/scaling_governor"
printf '%s' "$governor" >"$tmp/t/proc/cmdline"
judged "10 MB in a line" --root "$tmp/t"
like "are not fine either" "$(verdict_of "$tmp/t" linux-cpu-frequency)" '^(unknown|advice)$'
mkdir -p "$tmp/gig"
truncate -s 1G "$tmp/gig/sysctl-a.txt"
refused "sysctl-a.txt of 1 GB" 'longer than 4 MiB' --root "$tmp/gig"
refused "a snapshot of 1 GB" 'longer than 32 MiB' --snapshot "$tmp/gig/sysctl-a.txt"
refused "a text of 1 GB" 'longer than 16 MiB' --input "$tmp/gig/sysctl-a.txt"
tree
"$PYTHON" - "$tmp/t" <<'PY'
import os, sys
top = sys.argv[1]
policies = os.path.join(top, "sys/devices/system/cpu/cpufreq")
for i in range(70000):  # more names than the machine can have
    open(os.path.join(policies, "policy%d" % i if i % 2 else "x%d" % i), "w").close() if i > 7 else None
os.makedirs(os.path.join(top, "etc"), exist_ok=True)
deep = os.open(os.path.join(top, "etc"), os.O_RDONLY)
for i in range(2000):
    os.mkdir("d", dir_fd=deep)
    below = os.open("d", os.O_RDONLY, dir_fd=deep)
    os.close(deep)
    deep = below
PY
judged "70000 files in a folder, 2000 folders deep" --root "$tmp/t"
is "what is in so full a folder is not fine" "$(verdict_of "$tmp/t" linux-cpu-frequency)" unknown

# --- names and texts ------------------------------------------------------------------------------------------------
tree
escape=$(printf '\033]0;owned\007\033[2J\302\233\061m\177\r')
for i in 1 2; do
    mkdir -p "$tmp/t/$cpufreq/policy${i}"$'\n'"$escape"
    echo "$escape" >"$tmp/t/$cpufreq/policy${i}"$'\n'"$escape/scaling_governor"
done
mkdir -p "$tmp/t/etc/modprobe.d" "$tmp/t/etc/security/limits.d" "$tmp/t/etc/systemd/system"
printf 'options snd_usb_audio nrpacks=%s\n' "$escape" >"$tmp/t/etc/modprobe.d/$escape"$'\n'".conf"
printf '%s - rtprio 9%s\n@audio - rtprio %s\n' "$escape" "$escape" "$escape" >"$tmp/t/etc/security/limits.d/$escape.conf"
printf '[Service]\nExecStart=/usr/bin/jackd\nUser=%s\nLimitRTPRIO=%s\n' "$escape" "$escape" >"$tmp/t/etc/systemd/system/a.service"
cp "$tmp/t/etc/systemd/system/a.service" "$tmp/t/etc/systemd/system/$escape.service"
for file in proc/cmdline proc/version sys/devices/system/clocksource/clocksource0/current_clocksource \
    "$cpufreq/policy0/scaling_governor" proc/asound/cards; do
    mkdir -p "$(dirname "$tmp/t/$file")"
    printf '%s quiet\xff\xfe\xc0\xaf%s\n' "$escape" "$escape" >"$tmp/t/$file"
done
judged "escape codes and newlines in names and texts" --root "$tmp/t"
for command in 'report linux-clocksource' 'apply --dry-run' snapshot; do
    # shellcheck disable=SC2086  # words
    run $command --root "$tmp/t"
    ok "nor does $command show them, nor its messages" eval 'clean "$tmp/out" && clean "$tmp/err"'
done
cp "$tmp/out" "$tmp/escape.json"
judged "and judged" --snapshot "$tmp/escape.json"
refused "a name with escape codes" 'No such file|neither' --root "$tmp/$escape"
refused "a text of that name" 'No such file' --input "$tmp/$escape"

# --- rights ---------------------------------------------------------------------------------------------------------
if [ "$(id -u)" -eq 0 ] && ! can_be_nobody; then
    skip "folders that may not be read" "needs setpriv to become nobody"
else
    tree
    mkdir -p "$tmp/t/etc"
    chmod 0 "$tmp/t/$cpufreq" "$tmp/t/proc/cmdline" "$tmp/t/etc"
    who=()
    [ "$(id -u)" -ne 0 ] || who=("${nobody[@]}")
    unread() { "${who[@]}" "$SLEEPTUNE" report --json --root "$tmp/t"; }
    unread >"$tmp/out" 2>"$tmp/err"
    like "folders that may not be read: judged" "$?" '^[012]$'
    is "what is in them is not fine" "$(query 'f["linux-cpu-frequency"]["status"]' <"$tmp/out")" unknown
    chmod -R u+rwX "$tmp/t"
    chmod 0 "$tmp/t"
    like "nor the whole tree, which is told" "$(unread 2>&1 | tr '\n' ' '; echo "${PIPESTATUS[0]}")" 'Permission denied.* 4$'
    chmod 755 "$tmp/t"
fi

# --- texts that broke on the way --------------------------------------------------------------------------------------
mkdir -p "$tmp/s"
text() { cat >"$tmp/s/sysctl-a.txt"; }
whole=$captures/freebsd-13.2/sysctl-a.txt
for bytes in 0 1 11 1000 100001; do
    head -c "$bytes" "$whole" | text
    if [ "$bytes" -lt 100 ]; then
        refused "sysctl-a.txt cut after $bytes bytes" 'has none of the settings that sleeptune reads' --root "$tmp/s"
    else
        judged "sysctl-a.txt cut after $bytes bytes" --root "$tmp/s"
    fi
done
printf 'kern.hz: 1000\r\nkern.osreldate: 1302001\r\nkern.timecounter.alloweddeviation: 5' | text
judged "CRLF and no last newline" --root "$tmp/s"
# the same ones each time: one of 600 such files has a line like "a.b=", which is a sysctl
noise() { "$PYTHON" -c 'import random, sys; sys.stdout.buffer.write(random.Random(int(sys.argv[1])).randbytes(int(sys.argv[2])))' "$@"; }
noise 1 300000 | text
refused "random bytes" 'has none of the settings that sleeptune reads' --root "$tmp/s"
{ printf 'kern.hz: 1000\n'; head -c 4000000 /dev/zero | tr '\0' 'a'; } | text
judged "a line of 4 MB" --root "$tmp/s"
"$PYTHON" -c 'print("\n".join("a.b%d: 1" % i for i in range(300000)))' | text
refused "300000 names" 'has none of the settings that sleeptune reads' --root "$tmp/s"
printf 'kern.hz: %s\nkern.ostype: %s\nkern.timecounter.hardware: %s\n' "$escape" "$escape" "$escape" | text
judged "escape codes as values" --root "$tmp/s"
cp -r "$captures/freebsd-13.2" "$tmp/b" && chmod -R u+w "$tmp/b"
for file in sndstat kldstat kenv ps limits; do
    noise ${#file} 100000 >"$tmp/b/$file.txt"
done
judged "random bytes beside sysctl-a.txt" --root "$tmp/b"

corpus=$SLEEPTUNE_SRC/tests/fuzz/corpus/input
for kind in alsa-info sysctl-linux sndstat.txt; do
    size=$(wc -c <"$corpus/$kind")
    for part in 3 2; do
        head -c $((size * (part - 1) / part)) "$corpus/$kind" >"$tmp/cut"
        run report --input "$tmp/cut"
        like "$kind cut to $((part - 1))/$part" "$got $(cat "$tmp/err")" '^([012] |4 .*not the output of)'
    done
    sed 's/$/\r/' "$corpus/$kind" >"$tmp/crlf"
    judged "$kind with CRLF" --input "$tmp/crlf"
    { cat "$corpus/$kind"; printf '%s\n' "$escape"; head -c 4000000 /dev/zero | tr '\0' z; } >"$tmp/long"
    judged "$kind with escape codes and 10 MB behind" --input "$tmp/long"
done
# a shell reads rc.conf: what a text has there is not put into a command for root
printf 'FreeBSD fb 15.1-RELEASE FreeBSD 15.1-RELEASE releng/15.1 GENERIC amd64\n$ cat /etc/rc.conf\nvirtual_oss_enable="YES"\nvirtual_oss_dsp="-b 16 -c 2 -r 48000 -s 1024 -f $(reboot) -d dsp"\n' >"$tmp/rc"
run report --details --frames 128 --input "$tmp/rc"
like "the options of virtual_oss are read" "$(cat "$tmp/out")" 'virtual_oss uses blocks of 21.33 ms'
is "but no command has them" "$(grep -cE '^ +sysrc' "$tmp/out")" 0

run snapshot --root "$captures/linux-laptop"
cp "$tmp/out" "$tmp/whole.json"
for bytes in 0 1 100 5000; do
    head -c "$bytes" "$tmp/whole.json" >"$tmp/cut.json"
    refused "a snapshot cut after $bytes bytes" 'cut\.json: ' --snapshot "$tmp/cut.json"
done
"$PYTHON" -c 'print("[" * 100000)' >"$tmp/deep.json"
refused "JSON of 100000 levels" 'deep\.json: ' --snapshot "$tmp/deep.json"
sed 's/$/\r/' "$tmp/whole.json" >"$tmp/crlf.json"
judged "a snapshot with CRLF" --snapshot "$tmp/crlf.json"
sed 's/"value": "[^"]*"/"value": "\\u001b]0;owned\\u0007\\u009b1m"/' "$tmp/whole.json" >"$tmp/values.json"
judged "a snapshot with escape codes as values" --snapshot "$tmp/values.json"

# --- files that never end -----------------------------------------------------------------------------------------------
mkfifo "$tmp/waits"
# ends NAME PATTERN COMMAND...: it says so and ends with 4, or 2 if it is a file without data, and does not wait
ends() {
    timeout 120 "${@:3}" >"$tmp/out" 2>&1 </dev/null
    got=$?
    if { [ "$got" -eq 4 ] || [ "$got$2" = "2still empty" ]; } && grep -Eq -- "$2" "$tmp/out" && clean "$tmp/out"; then pass "$1"; else fail "$1" "status $got: $(cat -v "$tmp/out")"; fi
}
ends "JSON without an end on standard input" 'longer than 256 MiB' sh -c 'head -c 300000000 /dev/zero | tr "\0" " " | "$1" table -' sh "$SLEEPTUNE_LAB"
files=("$tmp/waits:this is a FIFO" "/dev/zero:this is not a regular file" "$tmp:this is a folder, not a file")
# what the kernel says next: a regular file by stat(2), of which each reader takes away what it reads
if [ -r /proc/kmsg ] && command -v ps >/dev/null && ! ps -eo comm= | grep -qxE 'rsyslogd|syslogd|klogd|syslog-ng' &&
    LC_ALL=C dd if=/proc/kmsg of=/dev/null iflag=nonblock 2>&1 | grep -q 'temporarily unavailable'; then
    files+=("/proc/kmsg:it has no end|Input/output error|cannot be read to its end")
else
    skip "/proc/kmsg" "needs root, and no program that reads the kernel's log there"
fi
ends "a FIFO by way of /dev/fd" 'this is a FIFO' "$SLEEPTUNE" predict "/dev/fd/../../..$tmp/waits"
# shellcheck disable=SC2086  # words
for file in "${files[@]}"; do
    path=${file%%:*} why=${file#*:}
    ends "compare with $path" "$why" "$SLEEPTUNE_LAB" compare "$path" "$path"
    for command in plot "plot -o $tmp/table.csv" analyse table; do ends "$command of $path" "$why" "$SLEEPTUNE_LAB" $command "$path"; done
    for command in predict 'report --snapshot' 'report --input'; do ends "$command of $path" "$why" "$SLEEPTUNE" $command "$path"; done
    [ -e "$(dirname "$SLEEPTUNE")/sleeptune-history.so" ] || continue
    why='not a regular file'
    [ "$path" != /proc/kmsg ] || why='still empty'
    for command in 'history --db' 'predict --history'; do ends "$command $path" "$why" "$SLEEPTUNE" $command "$path"; done
done
# a FIFO in the place of a file that SQLite opens beside the history
if [ -e "$(dirname "$SLEEPTUNE")/sleeptune-history.so" ]; then
    for beside in journal wal shm; do
        cp "$SLEEPTUNE_SRC/tests/fixtures/history/all-kinds.db" "$tmp/$beside.db"
        mkfifo "$tmp/$beside.db-$beside"
        ends "history with a FIFO named -$beside" "$beside.db-$beside in the same folder is not a file" "$SLEEPTUNE" history --db "$tmp/$beside.db"
        ends "predict with a FIFO named -$beside" "$beside.db-$beside in the same folder is not a file" "$SLEEPTUNE" predict --history "$tmp/$beside.db"
    done
fi
tap_done
