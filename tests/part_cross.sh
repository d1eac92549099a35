# shellcheck shell=bash disable=SC2154
# Parts of scripts/test that build for other processors and with another C library, in a bare Debian. tests/parts.sh sources this file.

# in_qemu LOG: its subtests; what tests/not_in_qemu has, and failed, is skipped
in_qemu() {
    python3 "$src/tests/tally.py" "$1" | awk -F '   *' 'NR == FNR {if (!/^#/ && NF > 1) {like[++n] = $1; why[n] = $2}; next}
        /^not ok - / {for (i = 1; i <= n; i++) if (substr($0, 10) ~ like[i]) {$0 = "ok - " substr($0, 10) " # SKIP " why[i]; break}}
        {print}' "$src/tests/not_in_qemu" -
}

# processor ARCHITECTURE TRIPLET FAMILY QEMU ENDIAN: Debian's package, then every part with its tests, cross-built in a bare Debian 13; warnings are
# errors. Tests run in qemu's user mode. Words are Debian's, meson's (family, endian) and qemu's.
processor() {
    local root=$work/$1
    grep -q binfmt_misc /proc/filesystems || cannot "this kernel starts no program of another processor (binfmt_misc)"
    bare_system "$root" "$processor_suite" "$no_updates" || return
    cp -r packaging/debian "$root/srv/sleeptune/"
    inside "$root" "dpkg --add-architecture $1 && apt-get update -qq &&
        apt-get install -qq -y --no-install-recommends crossbuild-essential-$1 qemu-user-binfmt curl mount procps python3 python3-jsonschema python3-numpy >/dev/null &&
        apt-get build-dep -qq -y --no-install-recommends -P cross --host-architecture $1 ./ >/dev/null" ||
        cannot "the packages that a build needs could not be installed for $1"
    echo "at: package for $1"
    passes "$1: Debian's packages cross-build" inside "$root" "cp -a . /package && cd /package && DEB_BUILD_OPTIONS='nocheck noautodbgsym' dpkg-buildpackage -us -uc -B -a $1 -Pcross"
    cat >"$root/cross.ini" <<INI
[binaries]
c = '$2-gcc'
ar = '$2-gcc-ar'
strip = '$2-strip'
pkgconfig = '$2-pkg-config'
exe_wrapper = 'qemu-$4'
[host_machine]
system = 'linux'
cpu_family = '$3'
cpu = '$3'
endian = '$5'
INI
    echo "at: build for $1"
    passes "$1: built with Debian's flags, warnings are errors" inside "$root" "export \$(dpkg-architecture -a $1 2>/dev/null | grep DEB_HOST_ARCH=); eval \"\$(dpkg-buildflags --export=sh)\"
        meson setup build --cross-file /cross.ini --buildtype=plain --prefix=/usr -Dwerror=true -Dauto_features=enabled -Dsite=disabled &&
        ninja -k 0 -C build" || return
    echo "at: tests for $1"
    # the programs start others: the kernel has to know qemu
    cat >"$root/srv/sleeptune/with-qemu" <<'WITH'
#!/bin/sh
known=/proc/sys/fs/binfmt_misc name=qemu-$1
[ -e $known/register ] || mount -t binfmt_misc none $known || exit
if [ ! -e $known/$name ]; then
    trap 'echo -1 >$known/$name' EXIT
    trap 'exit 1' INT TERM
    cat /usr/lib/binfmt.d/$name.conf >$known/register || exit
fi
shift
"$@"
WITH
    # shellcheck disable=SC2034  # inside looks at it
    local minutes=240
    # a unit test only computes, however slowly; an integration test that hangs has to end. Simulations are hours of arithmetic below qemu: part i386
    # runs them
    inside "$root" "sh with-qemu $4 meson test -C build --logbase unit --no-rebuild --timeout-multiplier 100 --suite unit --suite fuzz --no-suite simulated
        sh with-qemu $4 meson test -C build --logbase integration --no-rebuild --timeout-multiplier 30 --suite integration"
    in_qemu "$root/srv/sleeptune/build/meson-logs/unit.json" >&3
    in_qemu "$root/srv/sleeptune/build/meson-logs/integration.json" >&3
    grep -q '^not ok' "$work/log/$1.tap" || rm -rf "$root" "$root".*
}

part_arm64() { processor arm64 aarch64-linux-gnu aarch64 aarch64 little; }
part_armhf() { processor armhf arm-linux-gnueabihf arm arm little; }
part_riscv64() { processor riscv64 riscv64-linux-gnu riscv64 riscv64 little; }
part_s390x() { processor s390x s390x-linux-gnu s390x s390x big; }

# Debian's musl has no libraries, so they are built from Debian's sources. Without what Alpine does not have (systemd), and without libsoundio,
# the sound servers' and the kernel trace's libraries, which are C like the rest and would be built for nothing else.
musl_library() { # ROOT NAME COMMAND...: in its source, with musl's compiler
    inside "$1" "mkdir -p /musl && cd /musl && apt-get source -qq $2 >/dev/null 2>&1; cd $2-*/ && { [ -e configure ] || [ ! -e configure.ac ] || autoreconf -fi >/dev/null 2>&1; }
        export CC=musl-gcc CFLAGS='-O1 -fPIC' PKG_CONFIG_LIBDIR=/musl/lib/pkgconfig CPPFLAGS=-I/musl/include LDFLAGS='-L/musl/lib -Wl,-rpath,/musl/lib'
        { $3; } >../$2.log 2>&1 || { tail -n 30 ../$2.log; exit 1; }"
}

part_musl() {
    local root=$work/musl status=0 name how
    bare_system "$root" bookworm || return
    inside "$root" 'sed "s/^deb /deb-src /" /etc/apt/sources.list >/etc/apt/sources.list.d/sources.list && apt-get update -qq &&
        apt-get install -qq -y --no-install-recommends autoconf automake cmake dpkg-dev gcc libtool linux-libc-dev make meson musl-tools ninja-build \
        pkg-config python3 tcl >/dev/null &&
        ln -s /usr/include/linux /usr/include/asm-generic /usr/include/x86_64-linux-gnu/asm /usr/include/x86_64-linux-musl/' ||
        cannot "the packages that a build needs could not be installed"
    local configure='./configure --prefix=/musl --disable-static' install='make -j2 MAKEINFO=true install'
    while IFS='|' read -r name how; do
        echo "at: $name"
        musl_library "$root" "$name" "$how" </dev/null || { verdict 1 "$name built with musl"; return; }
    done <<LIBRARIES
jansson|$configure && $install
libconfig|$configure --disable-cxx --disable-examples && $install
zlib|./configure --prefix=/musl && $install
sqlite3|$configure --disable-readline --disable-tcl && $install
libmicrohttpd|$configure --disable-https --disable-doc --disable-examples && $install
cmocka|cmake -S . -B built -DCMAKE_INSTALL_PREFIX=/musl -DCMAKE_INSTALL_LIBDIR=lib -DWITH_EXAMPLES=OFF && cd built && $install
LIBRARIES
    passes "musl: built, warnings are errors" inside "$root" 'export CC=musl-gcc PKG_CONFIG_LIBDIR=/musl/lib/pkgconfig
        meson setup build --prefix=/usr -Dwerror=true -Dc_args=-isystem/musl/include -Dc_link_args="-L/musl/lib -Wl,-rpath,/musl/lib" -Dauto_features=enabled \
            -Dsystemd=disabled -Dsoundio=disabled -Djack=disabled -Dpipewire=disabled -Dpulse=disabled -Dtrace=disabled -Dsite=disabled &&
        ninja -k 0 -C build' || return
    inside "$root" 'meson test -C build --no-rebuild --print-errorlogs --timeout-multiplier 8 --suite unit --suite fuzz' || status=$?
    python3 "$src/tests/tally.py" "$root/srv/sleeptune/build/meson-logs/testlog.json" >&3
    [ "$status" -eq 0 ] && rm -rf "$root" "$root".*
}
