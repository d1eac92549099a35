#!/usr/bin/env bash
# Debian's packages from their installation to their purge, in a bare system that is thrown away: tests/part_packages.sh runs it there,
# with the packages beside scripts/ and tests/. Prints TAP.
set -u
cd "$(dirname "$0")/.." || exit 1
. tests/tap.sh
[ -n "$(ls ./*.deb 2>/dev/null)" ] || skip_all "no packages here; scripts/test --release packages makes them"
export DEBIAN_FRONTEND=noninteractive HOME=/tmp/home # libpulse writes there
mkdir -p "$HOME"

version=$(dpkg-deb -f sleeptuned_*.deb Version)
mapfile -t debs < <(find . -maxdepth 1 -name '*.deb' ! -name '*dbgsym*' | sort)
mapfile -t names < <(for deb in "${debs[@]}"; do dpkg-deb -f "$deb" Package; done)
mapfile -t with_state < <(printf '%s\n' "${names[@]}" | grep -v '^lib')

installed() { dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null | grep -q '^installed$'; }

# every path outside of what apt and dpkg keep, and which file of /etc has which content
listed() {
    find / -xdev \( -path /srv/sleeptune -o -path /var/lib/dpkg -o -path /var/lib/apt -o -path /var/cache -o -path /var/log -o -path /tmp \
        -o -path '/etc/*-' -o -path /proc -o -path /sys -o -path /dev -o -path /run \) -prune -o -print
    # accounts stay, and these are made anew from what is installed
    find /etc -type f ! -name 'passwd*' ! -name 'group*' ! -name '*shadow*' ! -name 'subuid*' ! -name 'subgid*' ! -name ld.so.cache -exec md5sum {} +
}

apt-get update -qq
ok "sleeptune alone installs" apt-get install -qq -y --no-install-recommends ./sleeptune_*.deb
# the names of libraries differ between releases: libpipewire-0.3-0, libpipewire-0.3-0t64
heavy() { dpkg-query -W -f '${db:Status-Status} ${Package}\n' | sed -nE 's/^installed (lib(asound2|curl|jack|pipewire|pulse|soundio|x11)([-0-9].*)?)$/\1/p'; }
is "and brings no library of sound or of X, and no libcurl" "$(heavy)" ""
like "and runs" "$(sleeptune --version)" "^sleeptune ${version%%[~-]*}"

# --- without systemd, as in a container: nothing makes the folder of the history -----------------------------------
ok "the service installs without systemd" apt-get install -qq -y --no-install-recommends systemd-standalone-sysusers ./sleeptune_*.deb ./sleeptuned_*.deb
is "and brings none, and no state folder" "$(ls -d /bin/systemd* /usr/lib/systemd/systemd /var/lib/sleeptune 2>/dev/null)" "/bin/systemd-sysusers"
is "and none of those libraries" "$(heavy)" ""
sleeptuned -f 2>/tmp/alone.log &
daemon=$!
ok "it runs by hand" wait_for sleeptune status
like "says that it keeps no history, and how it can" "$(cat /tmp/alone.log)" \
    'no history is kept: sleeptuned cannot write to any state folder: set history.path, create /var/lib/sleeptune'
like "and so does the status" "$(sleeptune status --details)" 'history.*cannot write to any state folder'
ended_by TERM "$daemon"
is "it created no folder itself" "$(ls -d /var/lib/sleeptune 2>/dev/null)" ""
ok "and is purged" dpkg --purge sleeptune sleeptuned systemd-standalone-sysusers

# what they depend on stays, so that only what is theirs comes and goes
mapfile -t needed < <(for deb in "${debs[@]}"; do dpkg-deb -f "$deb" Depends | tr ',' '\n'; done | grep -v '^ *\(lib\)\{0,1\}sleeptune' | sed '/^ *$/d' | sort -u)
ok "what the packages depend on" apt-get satisfy -qq -y --no-install-recommends "${needed[@]}" libc6-dev gcc pkgconf curl
is "no sound server comes with it" "$(for name in jackd2 pipewire pulseaudio; do installed $name && echo "$name"; done)" ""
listed | sort >/tmp/before

# --- an older version, then this one ------------------------------------------------------------------------------
for deb in "${debs[@]}"; do
    dpkg-deb -R "$deb" /tmp/old
    sed -i -e 's/^Version: .*/Version: 0.9-1/' -e "s/(= $version)/(= 0.9-1)/" /tmp/old/DEBIAN/control
    dpkg-deb -b /tmp/old "/tmp/old-$(basename "$deb")" >/dev/null
    rm -r /tmp/old
done
ok "all of an older version install" dpkg -i /tmp/old-*.deb
echo '# mine' >>/etc/sleeptune/sleeptuned.conf
ok "and are upgraded" dpkg -i "${debs[@]}"
like "the configuration stays as its owner changed it" "$(tail -n 1 /etc/sleeptune/sleeptuned.conf)" '^# mine$'
for unit in sleeptuned.service sleeptune-report.service sleeptune-report.timer; do
    ok "there is $unit" test -e "$(pkgconf --variable=systemdsystemunitdir systemd 2>/dev/null || echo /usr/lib/systemd/system)/$unit"
done
is "no unit is enabled, and nothing of it runs" "$(find /etc/systemd /var/lib/systemd -name '*sleeptune*' 2>/dev/null | grep -v deb-systemd; grep -lx sleeptuned /proc/[0-9]*/comm 2>/dev/null)" ""
like "the user of the service has no login" "$(getent passwd sleeptune)" ':/usr/sbin/nologin$'
like "and is in group audio" "$(id -Gn sleeptune)" '\baudio\b'
is "its state folder is its own" "$(stat -c '%U %G %a' /var/lib/sleeptune)" "sleeptune sleeptune 750"
ok "the configuration is accepted" sleeptuned -n -c /etc/sleeptune/sleeptuned.conf
is "observers are where the service looks for them" "$(cd /usr/libexec/sleeptune && echo sleeptune-observe-*)" \
    "sleeptune-observe-jack sleeptune-observe-pipewire sleeptune-observe-pulseaudio sleeptune-observe-silence sleeptune-observe-usb"

# --- the tests of the packages ----------------------------------------------------------------------------------
sed -n 's/^Test-Command: //p' packaging/debian/tests/control >/tmp/commands
while read -r command; do ok "autopkgtest: $command" sh -c "$command" </dev/null; done </tmp/commands
mkdir -p /tmp/autopkgtest
AUTOPKGTEST_TMP=/tmp/autopkgtest ok "autopkgtest: library" packaging/debian/tests/library

# --- used, removed, purged ----------------------------------------------------------------------------------------
setpriv --reuid sleeptune --regid sleeptune --init-groups env STATE_DIRECTORY=/var/lib/sleeptune sleeptuned -a -f 2>/tmp/daemon.log &
daemon=$!
if wait_for test -s /var/lib/sleeptune/history.db; then pass "the service writes its history"; else fail "the service writes its history" "$(cat /tmp/daemon.log)"; fi
ended_by TERM "$daemon"
# apply would change the running kernel, which is not this system's alone; the scripts only look whether there is a journal
install -d /var/lib/sleeptune-changes /var/lib/sleeptune-report
echo "{}" >/var/lib/sleeptune-changes/journal
echo "{}" >/var/lib/sleeptune-report/report.json
if dpkg --remove "${names[@]}" >/tmp/removed 2>&1; then pass "removed"; else fail "removed" "$(cat /tmp/removed)"; fi
like "and how to take changes back is said" "$(cat /tmp/removed)" 'sudo sleeptune revert --all$'
ok "then the configuration is still there" test -e /etc/sleeptune/sleeptuned.conf
ok "and the history" test -s /var/lib/sleeptune/history.db
if dpkg --purge "${with_state[@]}" >/tmp/purged 2>&1; then pass "purged"; else fail "purged" "$(cat /tmp/purged)"; fi
like "the journal, which has changes, stays, which is said" "$(cat /tmp/purged)" '^sleeptune: /var/lib/sleeptune-changes stays: '
is "it is the same" "$(cat /var/lib/sleeptune-changes/journal)" "{}"
rm -r /var/lib/sleeptune-changes
listed | sort >/tmp/after
is "nothing is left behind" "$(diff /tmp/before /tmp/after)" ""
tap_done
