#!/usr/bin/env bash
# What is installed, and that uninstalling leaves nothing.
. "$SLEEPTUNE_SRC/tests/tap.sh"
command -v meson >/dev/null || skip_all "meson is not installed"
own_tmp
log=$SLEEPTUNE_BUILD/meson-logs/install-log.txt
# uninstall reads that log: what library.sh installs meanwhile would be removed instead
exec 9>"$log.lock"
! command -v flock >/dev/null || flock 9
[ ! -e "$log" ] || cp "$log" "$tmp/install-log.txt"
trap 'if [ -e "$tmp/install-log.txt" ]; then cp "$tmp/install-log.txt" "$log"; else rm -f "$log"; fi; clean_up' EXIT

ok "meson install" meson install -C "$SLEEPTUNE_BUILD" --no-rebuild --destdir "$tmp/root"
installed=$(find "$tmp/root" ! -type d | sed "s|^$tmp/root||")
wanted='/bin/sleeptune /bin/sleeptune-lab /man/man1/sleeptune-lab.1 /completions/sleeptune-lab /site-functions/_sleeptune-lab /sbin/sleeptuned /sleeptune/sleeptuned.conf /share/sleeptune/prometheus/scrape.yml
    /share/sleeptune/prometheus/sleeptune.rules.yml /share/sleeptune/grafana/sleeptune.json /man/man8/sleeptuned.8'
if "$SLEEPTUNE" --version | grep -q 'systemd yes'; then
    wanted="$wanted /lib/systemd/system/sleeptuned.service /lib/systemd/user/sleeptuned.service /lib/systemd/system/sleeptune-report.timer /lib/sysusers.d/sleeptune.conf /lib/tmpfiles.d/sleeptune.conf /share/sleeptune/systemd/trace.conf"
fi
is "the files of each kind are there" "$(for file in $wanted; do grep -q "$file\$" <<<"$installed" || echo "$file"; done)" ""
is "nothing that is installed knows the build folder" "$(grep -rIl "$SLEEPTUNE_BUILD" "$tmp/root")" ""
ok "ninja uninstall" ninja -C "$SLEEPTUNE_BUILD" uninstall
is "leaves no file" "$([ ! -e "$tmp/root" ] || find "$tmp/root" ! -type d)" ""
tap_done
