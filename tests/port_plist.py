#!/usr/bin/env python3
"""Compares the FreeBSD port's list of files with what was installed.

    tests/port_plist.py STAGE [OPTION...]      the port's options that were on; prints what differs, status 1 if something does

Manual pages are compressed by ports, pkg-config files are in libdata there, and the configuration is a sample.
"""
import os
import re
import sys

LIST = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "packaging", "freebsd", "pkg-plist")
PATHS = {"%%ETCDIR%%": "etc/sleeptune", "%%DATADIR%%": "share/sleeptune"}


def wanted(options):
    with open(LIST, encoding="utf-8") as f:
        for line in f.read().split("\n"):
            option = re.match(r"%%([A-Z]+)%%", line)
            if option and "%%" + option.group(1) + "%%" not in PATHS:
                if option.group(1) not in options:
                    continue
                line = line[option.end():]
            for name, path in PATHS.items():
                line = line.replace(name, path)
            if line:
                yield line.removeprefix("@sample ")


def installed(prefix):
    for folder, _, files in os.walk(prefix):
        for name in files:
            path = os.path.relpath(os.path.join(folder, name), prefix)
            if path == "etc/rc.d/sleeptuned":  # USE_RC_SUBR has it
                continue
            if re.match(r"share/man/.*\.[1-9]$", path):
                path += ".gz"
            path = re.sub(r"^lib/pkgconfig/", "libdata/pkgconfig/", path)
            yield re.sub(r"^(etc/.*\.conf)$", r"\1.sample", path)


def main():
    if len(sys.argv) < 2:
        print(__doc__)
        return 3
    lists, has = set(wanted(sys.argv[2:])), set(installed(os.path.join(sys.argv[1], "usr", "local")))
    for path in sorted(lists - has):
        print(f"listed in pkg-plist, but not installed: {path}")
    for path in sorted(has - lists):
        print(f"installed, but not in pkg-plist: {path}")
    return 1 if lists != has else 0


if __name__ == "__main__":
    sys.exit(main())
