#!/usr/bin/env bash
# What the programs load at start: measuring locks memory, so each library counts.
. "$SLEEPTUNE_SRC/tests/tap.sh"
command -v readelf >/dev/null || skip_all "readelf is not installed"

needed() { readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -vE '^(lib(asan|ubsan|tsan)\.so|ld-linux)' | sed 's/\.so.*//' | sort | tr '\n' ' '; }

extra=$(needed "$SLEEPTUNE" | tr ' ' '\n' | grep -vE '^(libc|libm|libpthread|librt|libdl|libgcc_s|libconfig|libjansson|)$')
is "sleeptune links nothing but libc, libconfig and jansson" "$extra" ""
extra=$(needed "$SLEEPTUNE_LAB" | tr ' ' '\n' | grep -vE '^(libc|libm|libpthread|librt|libdl|libgcc_s|libjansson|)$')
is "sleeptune-lab links nothing but libc and jansson" "$extra" ""
for module in "$SLEEPTUNE_BUILD"/cli/sleeptune-*.so; do
    # lazily bound: it would be missed only when it is called
    is "$(basename "$module") brings what it uses" "$(readelf -Ws --dyn-syms "$module" | awk '$7 == "UND" && $8 ~ /^st_/ {print $8}' | sort -u)" ""
    ok "$(basename "$module") loads" "$PYTHON" -c 'import ctypes, os, sys; ctypes.CDLL(sys.argv[1], os.RTLD_NOW)' "$module"
done
tap_done
