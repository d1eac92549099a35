# shellcheck shell=bash disable=SC2034
# What the tests of apply, verify and revert share.
. "$SLEEPTUNE_SRC/tests/tap.sh"
own_tmp
changes=var/lib/sleeptune-changes epp=sys/devices/system/cpu/cpufreq/policy0/energy_performance_preference

apply() { "$SLEEPTUNE" apply "$@" </dev/null; }
revert() { "$SLEEPTUNE" revert "$@" </dev/null; }
verify() { "$SLEEPTUNE" verify "$@" </dev/null; }

# fresh NAME [CAPTURE]: a copy to work on in $tree. What a kernel shows differently from what is written ("none voluntary (full)") is left out
fresh() {
    tree=$tmp/$1
    cp -r "$captures/${2:-linux-laptop}" "$tree"
    rm -rf "$tree/sys/kernel/debug"
    mkdir -p "$tree/etc"
}
keep() { rm -rf "$tree.before" && cp -r "$tree" "$tree.before"; }
unchanged() { diff -r -x var "$tree.before" "$tree"; }
# back NAME: revert --all leaves every byte as it was
back() { ok "$1" eval 'revert --all --root "$tree" >/dev/null && unchanged'; }
# users NAME...: of numbers from 1000 on; PAM gives their logins what limits.d has
users() {
    local name n=1000
    mkdir -p "$tree/etc/pam.d"
    echo 'session required pam_limits.so' >"$tree/etc/pam.d/common-session"
    for name; do
        echo "$name:x:$n:$n::/nowhere:/bin/sh" >>"$tree/etc/passwd"
        echo "$name:x:$n:" >>"$tree/etc/group"
        n=$((n + 1))
    done
}

# refused NAME ARG...: what it says goes to the screen $into, and the tree is as before
into=refused
refused() {
    local name=$1
    shift
    { echo "# $name"; echo "\$ sleeptune $*"; COLUMNS=80 "$SLEEPTUNE" "$@" </dev/null; echo "status $?"; echo; } >>"$tmp/$into" 2>&1
    ok "$name: nothing is changed" unchanged
}
