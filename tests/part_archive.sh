# shellcheck shell=bash disable=SC2154
# The part of scripts/test that makes the archive of a release and builds it like someone who has nothing else. tests/parts.sh sources this file.

# build_archive FOLDER [MESON OPTION...]: unpacks, builds and installs below it; the compiler's cache would hand over what was built before
build_archive() (
    export CCACHE_DISABLE=1
    mkdir -p "$1/source" && tar -xf "$archive" -C "$1/source" --strip-components=1 && cd "$1/source" &&
        meson setup build --buildtype=release --prefix=/usr "${@:2}" && ninja -C build -j "$jobs" &&
        DESTDIR=$1/stage meson install -C build --no-rebuild --quiet
)

# every file with its rights and what is in it
contents() { (cd "$1" && find . ! -type d -printf '%m %l %P\n' | sort && find . -type f -print0 | sort -z | xargs -0 sha256sum); }

# a reuse that knows REUSE.toml (4 or later; Debian 12 has an older one), from the machine or from PyPI
new_reuse() {
    local found
    for found in reuse "$work/reuse/bin/reuse"; do
        if "$found" --version 2>/dev/null | head -n 1 | grep -qE ' ([4-9]|[1-9][0-9])\.'; then
            echo "$found"
            return 0
        fi
    done
    python3 -m venv "$work/reuse" >&2 && "$work/reuse/bin/pip" install --quiet reuse==6.2.0 >&2 && echo "$work/reuse/bin/reuse"
}

part_archive() {
    local archive reuse here=$work/archive status=0
    git -c safe.directory="$src" -C "$src" rev-parse --git-dir >/dev/null 2>&1 || cannot "an archive is made from a clone; this is none"
    configure "${gcc_options[@]}" || return
    rm -rf "$here" "$work/gcc/meson-dist"
    # what is not committed is not in it
    passes "meson dist makes an archive" locked gcc meson dist -C "$work/gcc" --no-tests --allow-dirty --formats xztar || return
    archive=$(find "$work/gcc/meson-dist" -name '*.tar.xz')
    echo "at: first build"
    passes "it builds" build_archive "$here/first" -Dtests=enabled || return
    echo "at: second build"
    another() (
        umask 027
        export TZ=Pacific/Auckland LC_ALL=C
        build_archive "$here/another folder" -Dtests=disabled
    )
    passes "it builds in a folder with a space" another || return
    passes "both builds are the same, byte for byte" diff <(contents "$here/first/stage") <(contents "$here/another folder/stage") || return
    meson test -C "$here/first/source/build" --no-rebuild --print-errorlogs --timeout-multiplier 8 --suite unit --suite fuzz
    python3 "$src/tests/tally.py" "$here/first/source/build/meson-logs/testlog.json" >&3
    (cd "$here/first/source" && python3 tests/words && python3 tests/names && tests/circles.py) || status=1
    verdict $status "the checks of sources work without git" || return
    if reuse=$(new_reuse); then
        passes "each file has a licence (reuse)" "$reuse" --root "$here/another folder/source" lint
    else
        echo "ok - each file has a licence # SKIP no reuse 4 or later, and none to be had" >&3
    fi
    [ "$status" -ne 0 ] || grep -q '^not ok' "$work/log/archive.tap" || rm -rf "$here"
}
