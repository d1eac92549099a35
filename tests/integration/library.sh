#!/usr/bin/env bash
# The library as a program's author meets it: installed, found by pkg-config, linked shared and static.
. "$SLEEPTUNE_SRC/tests/tap.sh"
own_tmp
[ "${SLEEPTUNE_SANITIZE:-none}" = none ] || skip_all "a program without the sanitizers' run time cannot link it"
cc=${CC:-cc}
need pkg-config "$cc"

exec 9>"$SLEEPTUNE_BUILD/meson-logs/install-log.txt.lock" # see install.sh
! command -v flock >/dev/null || flock 9
DESTDIR=$tmp/root meson install -C "$SLEEPTUNE_BUILD" --no-rebuild >"$tmp/log" 2>&1 || fail "installed" "$(tail -5 "$tmp/log")"
exec 9>&-
pc=$(find "$tmp/root" -name sleeptune.pc)
libdir=$(dirname "$(find "$tmp/root" -name libsleeptune.so)")
export PKG_CONFIG_PATH=${pc%/*} PKG_CONFIG_SYSROOT_DIR=$tmp/root
like "header, both libraries and pkg-config file are installed" "$(cd "$tmp/root" && find . -name punctual.h -o -name 'libsleeptune.*' -o -name sleeptune.pc | sed 's|.*/||' | sort | tr '\n' ' ')" \
    '^libsleeptune.a libsleeptune.so libsleeptune.so.0 libsleeptune.so.0.1.0 punctual.h sleeptune.pc $'
ok "and the manual page" test -n "$(find "$tmp/root" -name 'sleeptune-punctual.3*')"

read -ra cflags <<<"$(pkg-config --cflags sleeptune)"
read -ra libs <<<"$(pkg-config --libs sleeptune)"
ok "the example compiles against what is installed" "$cc" -std=c99 -Wall -Wextra -Wpedantic -Werror "${cflags[@]}" -o "$tmp/shared" "$SLEEPTUNE_SRC/punctual/example.c" "${libs[@]}"
like "it needs the library by its soname" "$(readelf -d "$tmp/shared")" 'NEEDED.*\[libsleeptune\.so\.0\]'
like "and runs" "$(LD_LIBRARY_PATH=$libdir "$tmp/shared" 0.02 200)" '^[0-9]+ waits, [0-9]+ within 100 ns of the due time'
LD_LIBRARY_PATH=$libdir "$tmp/shared" 0.6 1 2>"$tmp/err"
is "a share that is none is refused" "$? $(cat "$tmp/err")" "1 punctual: 0.6: Invalid argument"

read -ra libs <<<"$(pkg-config --libs --static sleeptune)"
ok "it links statically" "$cc" "${cflags[@]}" -o "$tmp/static" "$SLEEPTUNE_SRC/punctual/example.c" -Wl,-Bstatic "${libs[@]}" -Wl,-Bdynamic
is "and needs nothing but libc" "$(readelf -d "$tmp/static" | grep NEEDED | grep -vc '\[libc\.so\|\[ld-')" 0
like "and runs" "$("$tmp/static" 0 200)" '^[0-9]+ waits, [0-9]+ within 100 ns of the due time'

# what programs were linked with stays there; what is not for them is not seen
is "the shared library exports these and no others" "$(nm -D --defined-only "$libdir/libsleeptune.so" | awk '{print $3}' | sort | tr '\n' ' ')" \
    "st_punctual_free st_punctual_get_stats st_punctual_new st_punctual_now_ns st_punctual_reset st_punctual_version st_punctual_wait_until "
# gcc's own functions for 32-bit x86 are in each object that needs them, hidden
static=$(nm --defined-only -g "$libdir/libsleeptune.a" 2>/dev/null | awk 'NF == 3 && $3 !~ /^__x86\.get_pc_thunk\./ {print $3}')
is "the static one defines no name outside st_punctual_" "$(grep -v '^st_punctual_' <<<"$static")" ""
is "and of those for programs these" "$(grep -v '^st_punctual_private_' <<<"$static" | sort | tr '\n' ' ')" \
    "st_punctual_free st_punctual_get_stats st_punctual_new st_punctual_now_ns st_punctual_reset st_punctual_version st_punctual_wait_until "
# a program with functions that are called as some inside are: each has its own
cat >"$tmp/own.c" <<'C'
#include <sleeptune/punctual.h>
#include <stdio.h>
static int calls;
long st_ns_add(long a, long b) { calls++; return a * b; }
int st_margin_update(void) { return ++calls; }
long st_posix_now_ns(void) { return ++calls; }
int main(void)
{
    struct st_punctual *punctual;
    int r = st_punctual_new(0.02, &punctual);
    for (int i = 0; i < 100 && r == 0; i++)
        r = st_punctual_wait_until(punctual, st_punctual_now_ns() + 100000, NULL);
    printf("%d %d", r, calls);
    printf(" %ld\n", st_ns_add(6, 7));
    return 0;
}
C
ok "a program with a st_ns_add of its own links it" "$cc" "${cflags[@]}" -o "$tmp/own" "$tmp/own.c" -Wl,-Bstatic "${libs[@]}" -Wl,-Bdynamic
is "and each calls its own" "$("$tmp/own")" "0 0 42"
is "a structure that programs allocate has the size that they know" "$(printf '#include <sleeptune/punctual.h>\n_Static_assert(sizeof(struct st_punctual_stats) == 72, "");\n' |
    "$cc" "${cflags[@]}" -fsyntax-only -x c - 2>&1)" ""
if command -v c++ >/dev/null || cannot "the header is C++, too" "no C++ compiler"; then
    is "the header is C++, too" "$(printf '#include <sleeptune/punctual.h>\nint main() { st_punctual_free(nullptr); }\n' | c++ "${cflags[@]}" -Wall -Wextra -Werror -fsyntax-only -x c++ - 2>&1)" ""
fi

if command -v strace >/dev/null || cannot "waiting makes no system call but the sleep" "strace is not installed"; then
    LD_LIBRARY_PATH=$libdir strace -o "$tmp/trace" "$tmp/shared" 0.02 1000 >/dev/null 2>&1
    # between the first sleep and the last there is nothing else
    is "waiting makes no system call but the sleep" \
        "$(awk '/^clock_nanosleep/ {n++; other += pending; pending = 0; next} n {pending++} END {print other + 0, (n > 50)}' "$tmp/trace")" "0 1"
fi
tap_done
