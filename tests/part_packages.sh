# shellcheck shell=bash disable=SC2154
# The part of scripts/test that makes Debian's packages: each in a bare chroot, and installed in another one. tests/parts.sh sources this file.

# packages_of SUITE: packaging/debian in a tree of its own, built as a package's builder does, then looked at
packages_of() {
    # shellcheck disable=SC2034  # inside looks at it
    local root=$work/packages-$1 minutes=90
    bare_system "$root" "$1" || return
    rm -rf "$root-life"
    cp -a "$root" "$root-life"
    mkdir -p "$root/build"
    echo "at: build in $1"
    inside "$root" "apt-get update -qq && apt-get install -qq -y --no-install-recommends blhc dpkg-dev lintian >/dev/null &&
        cp -r packaging/debian debian && apt-get build-dep -qq -y --no-install-recommends ./ >/dev/null && rm -r debian" ||
        cannot "the packages that a build needs could not be installed in $1"
    passes "$1: packages built, with the unit tests" inside "$root" 'export LC_ALL=C.UTF-8
        version=$(dpkg-parsechangelog -l packaging/debian/changelog -S Version)
        tree=sleeptune-${version%-*}
        cp -a . /build/$tree && cd /build && tar -c --sort=name $tree | gzip -n >sleeptune_${version%-*}.orig.tar.gz &&
        cd $tree && cp -r packaging/debian debian && dpkg-buildpackage -us -uc >../log 2>&1 || { tail -n 60 ../log; exit 1; }' || return
    passes "$1: lintian has no error and no warning" inside "$root" 'cd /build && lintian -EvIL +pedantic --no-cfg --fail-on error,warning *.changes'
    # meson links with -pie and compiles with -fPIE; blhc looks for both in each call, so that PIE is looked at below
    passes "$1: each compiler and linker call has the hardening flags (blhc)" inside "$root" 'cd /build && blhc --bindnow --ignore-flag -fPIE log'
    passes "$1: programs are position independent, with read-only relocations and immediate binding" inside "$root" 'cd /build && for deb in *.deb; do dpkg-deb -x $deb files; done
        for program in files/usr/bin/* files/usr/sbin/* files/usr/libexec/sleeptune/*; do
            readelf -dlW $program >headers && grep -q "Flags: NOW PIE" headers && grep -q GNU_RELRO headers || { echo $program; exit 1; }
        done'
    [ "$1" != bookworm ] || recipes "$root"
    cp "$root"/build/*.deb "$root-life/srv/sleeptune/"
    echo "at: life in $1"
    inside "$root-life" 'tests/package-life.sh' | sed "s/^\(\(not \)\{0,1\}ok\) [0-9]* - /\1 - $1: /" | tee "$root.tap"
    grep -E '^(not )?ok|^#' "$root.tap" >&3
    grep -q '^1\.\.' "$root.tap" || verdict 1 "$1: packages installed, upgraded, removed and purged"
    grep -q '^not ok' "$root.tap" || rm -rf "$root" "$root"[-.]*
}

# packages_of_build FOLDER INTO: the packages of what is built there (prefix /usr), without building it again; in INTO/before the same of an older
# version: a 0 for the first digit of the number, in the programs, too.
packages_of_build() {
    local tree=$2.tree/sleeptune deb version old
    rm -rf "$2" "$2.tree"
    mkdir -p "$tree" "$2/before"
    tar -c --exclude='./build*' --exclude=./.git . | tar -x -C "$tree" && cp -r packaging/debian "$tree/debian" || return
    sed -n 's/^Package: //p' packaging/debian/control >"$tree/debian/debhelper-build-stamp"
    ln -s "$1" "$tree/obj-$(dpkg-architecture -qDEB_HOST_MULTIARCH)"
    (cd "$tree" && DEB_BUILD_OPTIONS=noautodbgsym debian/rules binary) && mv "$2.tree"/*.deb "$2/" || return
    version=$(sed -n "s/^  version: '\(.*\)',$/\1/p" meson.build) old=0${version#?}
    for deb in "$2"/*.deb; do
        rm -rf "$tree"
        # a guest unpacks them several times: not compressed, in software emulation that takes longest
        dpkg-deb -R "$deb" "$tree" && dpkg-deb -Znone -b "$tree" "$deb" || return
        find "$tree/usr" -type f \( -perm /111 -o -name '*.so' \) -exec env LC_ALL=C sed -i "s/${version//./\\.}/$old/g" {} + &&
            sed -i 's/^Version: ./Version: 0/; s/(= ./(= 0/' "$tree/DEBIAN/control" && dpkg-deb -Znone -b "$tree" "$2/before/" || return
    done
    rm -rf "$2.tree"
}

# recipes ROOT: those of Arch and Fedora with Debian's libraries, and stand-ins in tests/recipes for what only those systems have. The unit
# tests have run there already.
recipes() {
    echo "at: recipes of Arch and Fedora"
    inside "$1" 'apt-get install -qq -y --no-install-recommends fakeroot libarchive-tools makepkg pacman-package-manager rpm rpmlint xz-utils >/dev/null' ||
        cannot "makepkg and rpmbuild could not be installed"
    passes "Arch: makepkg makes a package" inside "$1" 'tree=sleeptune-$(sed -n "s/^  version: .\(.*\).,$/\1/p" meson.build)
        mkdir -p /recipes/arch /recipes/SOURCES /var/lib/pacman && cp -a . /recipes/$tree && cd /recipes && tar -cJf SOURCES/$tree.tar.xz $tree &&
        cp $tree/packaging/arch/PKGBUILD SOURCES/$tree.tar.xz arch && useradd packager && chown -R packager: arch && cd arch &&
        setpriv --reuid packager --regid packager --clear-groups env HOME=/recipes/arch PATH=/srv/sleeptune/tests/recipes:$PATH makepkg -d --nocheck'
    passes "Fedora: rpmbuild makes the packages, and each installed file is in one of them" inside "$1" 'rpmbuild -bb --nodeps --nocheck --load tests/recipes/fedora.macros --define "_topdir /recipes" packaging/fedora/sleeptune.spec'
    passes "Fedora: rpmlint has no error and no warning for the spec" inside "$1" 'rpmlint -c tests/recipes/rpmlint.toml packaging/fedora/sleeptune.spec >/recipes/rpmlint; cat /recipes/rpmlint
        grep -q " 0 errors, 0 warnings" /recipes/rpmlint'
}

part_packages() {
    local suite
    for suite in ${SUITES:-bookworm trixie}; do packages_of "$suite"; done
}
