# shellcheck shell=bash disable=SC2016,SC2154
# Parts of scripts/test that build for other processors and with another C library, in a bare Debian 12. tests/parts.sh sources this file.

# processor ARCHITECTURE TRIPLET FAMILY QEMU: cross-built with every part of the program, warnings are errors; unit tests in qemu's user mode.
# Words are Debian's, meson's (family) and qemu's.
processor() {
    local root=$work/$1 status=0
    # updates can come to one processor later than to another, and libraries of two processors must have the same version
    bare_system "$root" bookworm --setup-hook='sed -i -E "/(security|updates)/d" "$1/etc/apt/sources.list"' || return
    mkdir "$root/sleeptune/debian"
    cp packaging/debian/control packaging/debian/changelog "$root/sleeptune/debian/"
    inside "$root" "dpkg --add-architecture $1 && apt-get update -qq &&
        apt-get install -qq -y --no-install-recommends crossbuild-essential-$1 qemu-user-static python3 >/dev/null &&
        apt-get build-dep -qq -y --no-install-recommends --host-architecture $1 ./ >/dev/null" ||
        cannot "the packages that a build needs could not be installed for $1"
    cat >"$root/cross.ini" <<INI
[binaries]
c = '$2-gcc'
ar = '$2-gcc-ar'
strip = '$2-strip'
pkgconfig = '$2-pkg-config'
exe_wrapper = 'qemu-$4-static'
[host_machine]
system = 'linux'
cpu_family = '$3'
cpu = '$3'
endian = 'little'
INI
    echo "at: build for $1"
    inside "$root" "export \$(dpkg-architecture -a $1 2>/dev/null | grep DEB_HOST_ARCH=); eval \"\$(dpkg-buildflags --export=sh)\"
        meson setup build --cross-file /cross.ini --buildtype=plain --prefix=/usr -Dwerror=true -Dauto_features=enabled -Dsite=disabled &&
        ninja -k 0 -C build" || status=$?
    verdict $status "$1: built with Debian's flags, warnings are errors" || return
    echo "at: unit tests for $1"
    # qemu's user mode starts no second program for that processor, and loses the children of one that is killed
    local log=$root/sleeptune/build/meson-logs/testlog.json without='"name": "[^"]*\b(run|stress)"'
    # shellcheck disable=SC2034  # inside looks at it
    local minutes=240
    inside "$root" 'meson test -C build --no-rebuild --timeout-multiplier 30 --suite unit --suite fuzz' || status=$?
    grep -vE "$without" "$log" >"$root.json"
    echo "ok - $1: run, stress # SKIP qemu starts no second program for another processor" >&3
    python3 "$src/tests/tally.py" "$root.json" >&3
    grep -q '^not ok' "$work/log/$1.tap" || rm -rf "$root" "$root".*
}

part_arm64() { processor arm64 aarch64-linux-gnu aarch64 aarch64; }
part_armhf() { processor armhf arm-linux-gnueabihf arm arm; }

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
    inside "$root" 'export CC=musl-gcc PKG_CONFIG_LIBDIR=/musl/lib/pkgconfig
        meson setup build --prefix=/usr -Dwerror=true -Dc_args=-isystem/musl/include -Dc_link_args="-L/musl/lib -Wl,-rpath,/musl/lib" -Dauto_features=enabled \
            -Dsystemd=disabled -Dsoundio=disabled -Djack=disabled -Dpipewire=disabled -Dpulse=disabled -Dtrace=disabled -Dsite=disabled &&
        ninja -k 0 -C build' || status=$?
    verdict $status "musl: built, warnings are errors" || return
    inside "$root" 'meson test -C build --no-rebuild --print-errorlogs --timeout-multiplier 8 --suite unit --suite fuzz' || status=$?
    python3 "$src/tests/tally.py" "$root/sleeptune/build/meson-logs/testlog.json" >&3
    [ "$status" -eq 0 ] && rm -rf "$root" "$root".*
}
