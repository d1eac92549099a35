#!/usr/bin/env bash
# Files that are written where the user says (-o, --textfile, --record, --plot): as root through no link that another user can
# change; what is replaced keeps its owner and mode.
. "$SLEEPTUNE_SRC/tests/tap.sh"
own_tmp && cd "$tmp" || exit 1
user=nobody
"$SLEEPTUNE" measure --duration 0.1s --warmup 0 --record a.rec >/dev/null 2>&1
"$SLEEPTUNE" snapshot -o "$tmp/facts.json" || exit 1

# write_with WRITER FILE: $status, out, err
write_with() {
    case $1 in
    report) "$SLEEPTUNE" report --snapshot "$tmp/facts.json" -o "$2" ;;
    textfile) "$SLEEPTUNE" report --snapshot "$tmp/facts.json" -o "$tmp/report.txt" --textfile "$2" ;;
    snapshot) "$SLEEPTUNE" snapshot -o "$2" ;;
    export) "$SLEEPTUNE_LAB" plot --csv "$tmp/a.rec" -o "$2" ;;
    plot) "$SLEEPTUNE_LAB" plot "$tmp/a.rec" -o "$2" ;;
    record) "$SLEEPTUNE" measure --duration 0.1s --warmup 0 --record "$2" ;;
    esac >"$tmp/out" 2>"$tmp/err"
    status=$?
}
writers='report textfile snapshot export plot record'
# victim_of WRITER FILE: what each would write over: its own kind, where it looks at that
victim_of() { case $1 in record) cp a.rec "$2" ;; *) : >"$2" ;; esac; }

# everyone: links, modes, what is no file
umask 027
write_with report new.txt
is "a new file: mode by the umask" "$(stat -c %a new.txt)" 640
umask 022
chmod 604 new.txt
ln -s new.txt link.txt
write_with report link.txt
is "one that is replaced keeps its mode, a link stays one" "$(stat -c %a new.txt) $(readlink link.txt)" "604 new.txt"
mkdir -p d/e
ln -s d/e deep
write_with report deep/../there.txt
is "a link of a folder leads to it" "$(test -s d/there.txt && echo yes)" yes
ln -s loop loop
for file in loop d d/none/; do refused "$file: a loop of links, a folder, one that is not there" 4 report --snapshot facts.json -o "$file"; done
ok "/dev/stdout, a pipe" eval '"$SLEEPTUNE" snapshot -o /dev/stdout | grep -q sleeptune'
"$SLEEPTUNE" snapshot -o >(cat >by-fd.txt)
ok "a pipe by /dev/fd" wait_for test -s by-fd.txt
is "nothing temporary is left" "$(find . -name '*.[0-9]*' ! -name '*.rec*')" ""

[ "$(id -u)" = 0 ] && chown "$user" new.txt 2>/dev/null || skip_rest "links of another user" "needs root"

write_with report new.txt
is "as root: the owner stays, too" "$(stat -c '%U %a' new.txt)" "$user 604"
ln -s victim root-link
chown -h root root-link
mkdir "home" "sticky"
chown "$user" home
chmod 1777 sticky
for writer in $writers; do
    suffix=.$writer
    case $writer in plot) suffix=.svg ;; export) suffix=.csv ;; esac
    victim_of "$writer" "victim$suffix"
    chmod 600 "victim$suffix"
    sum=$(cksum <"victim$suffix")
    ln -sf "$tmp/victim$suffix" "home/x$suffix"
    chown -h "$user" "home/x$suffix"
    write_with "$writer" "$tmp/home/x$suffix"
    is "$writer: a link of another user is not followed" "$(stat -c '%U %a' "victim$suffix") $(cksum <"victim$suffix")" "root 600 $sum"
    like "$writer: it says why" "$status $(cat err)" "^4 .*home/x$suffix: another user can change a symbolic link in this path"
    mkdir -p "private"
    ln -sfn "$tmp/private" home/folder
    chown -h "$user" home/folder
    write_with "$writer" "home/folder/x$suffix"
    is "$writer: nor one of a folder" "$status $(ls private)" "4 "
    write_with "$writer" "home/own$suffix"
    is "$writer: a file in that user's folder is written" "$(test -s "home/own$suffix" && stat -c %U "home/own$suffix")" root
    ln -sf "$tmp/sticky/x$suffix" "sticky/ours$suffix"
    write_with "$writer" "sticky/ours$suffix"
    is "$writer: root's link where no one can replace it is followed" "$(test -s "sticky/x$suffix" && readlink "sticky/ours$suffix")" "$tmp/sticky/x$suffix"
done
ln -sf "$tmp/victim.report" home/by-root
write_with report home/by-root
like "root's link in a folder of another user could be replaced: refused" "$(cat err)" 'so root does not follow it'
victim_of record hard.record
sum=$(cksum <hard.record)
ln hard.record home/hard.record
write_with record home/hard.record
is "record: a second name of a file in a folder of another user is not written to" "$status $(cksum <hard.record)" "4 $sum"
tap_done
