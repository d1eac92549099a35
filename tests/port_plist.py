#!/usr/bin/env python3
"""Compares the FreeBSD port with what is built: nothing of a ports tree is there to do it.

    tests/port_plist.py STAGE [OPTION...]      its list of files with what was installed, or with what meson would
                                               install from a build folder, with these options of the port
    tests/port_plist.py --recipe BUILD         its Makefile with meson's options, and with the libraries that the
                                               programs in BUILD need, also one of Linux

prints what differs, status 1 if something does. Manual pages are compressed by ports, pkg-config files are in libdata
there, and the configuration is a sample.
"""
import json
import os
import re
import subprocess
import sys

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
PORT = os.path.join(SOURCE, "packaging", "freebsd")
PATHS = {"%%ETCDIR%%": "etc/sleeptune", "%%DATADIR%%": "share/sleeptune"}
# of FreeBSD itself, under the names that Linux's have; and what meson.build uses on Linux only
BASE = {"libc", "libm", "libz", "libdl", "librt", "libthr"}
LINUX = {"libsystemd": "systemd", "libasound": "alsa", "libtracefs": "trace", "libtraceevent": "trace"}


def text(*path):
    with open(os.path.join(*path), encoding="utf-8") as f:
        return f.read()


def wanted(options):
    for line in text(PORT, "pkg-plist").split("\n"):
        option = re.match(r"%%([A-Z]+)%%", line)
        if option and "%%" + option.group(1) + "%%" not in PATHS:
            if option.group(1) not in options:
                continue
            line = line[option.end():]
        for name, path in PATHS.items():
            line = line.replace(name, path)
        if line:
            yield line.removeprefix("@sample ")


def paths(folder, prefix):
    plan = os.path.join(folder, "meson-info", "intro-installed.json")
    if os.path.exists(plan):
        return [os.path.relpath(path, prefix) for path in json.loads(text(plan)).values()]
    top = folder + prefix
    return [os.path.relpath(os.path.join(at, name), top) for at, _, files in os.walk(top) for name in files]


def installed(folder):
    for path in paths(folder, "/usr/local"):
        if path in ("etc/rc.d/sleeptuned", "share/doc/sleeptune/html"):  # USE_RC_SUBR, PORTDOCS
            continue
        if re.match(r"share/man/.*\.[1-9]$", path):
            path += ".gz"
        path = re.sub(r"^lib/pkgconfig/", "libdata/pkgconfig/", path)
        yield re.sub(r"^(etc/.*\.conf)$", r"\1.sample", path)


def list_differs(folder, options):
    lists, has = set(wanted(options)), set(installed(folder))
    for path in sorted(lists - has):
        yield f"listed in pkg-plist, but not installed: {path}"
    for path in sorted(has - lists):
        yield f"installed, but not in pkg-plist: {path}"


def needed(build):
    """The libraries beside our own that each program and library to be installed needs."""
    for path in json.loads(text(build, "meson-info", "intro-installed.json")):
        if not os.path.isfile(path) or open(path, "rb").read(4) != b"\x7fELF":
            continue
        dynamic = subprocess.run(["readelf", "-dW", path], capture_output=True, text=True, check=True).stdout
        for name in re.findall(r"\(NEEDED\).*\[(.*)\.so", dynamic):
            if name != "libsleeptune" and not name.startswith("ld-"):  # the loader has a thread's variables
                yield name, os.path.basename(path)


def recipe_differs(build):
    made = re.sub(r"\\\n", " ", text(PORT, "Makefile"))
    meson = text(SOURCE, "meson.build")
    uses = set(re.search(r"^USES=(.*)", made, re.M).group(1).split())
    ports = {name: option or "" for option, names in re.findall(r"^(?:([A-Z]+)_)?LIB_DEPENDS=(.*)", made, re.M)
             for name in re.findall(r"(\S+)\.so:", names)}
    if "sqlite" in uses:  # Mk/Uses/sqlite.mk: LIB_DEPENDS+= libsqlite3.so:databases/sqlite3
        ports["libsqlite3"] = ""
    off = set(re.findall(r"-D(\w+)=disabled", made))
    set_by_option = {name: option for option, name in re.findall(r"^([A-Z]+)_MESON_(?:ENABLED|TRUE)=\s*(\w+)", made, re.M)}
    # Mk/Uses/meson.mk: CONFIGURE_ARGS+= --auto-features=enabled
    for name in re.findall(r"^option\('(\w+)', type: 'feature'", text(SOURCE, "meson.options"), re.M):
        if name not in off | set(set_by_option) | {"daemon"}:
            yield f"Makefile: meson's option {name} would be enabled, with no option of the port"
    for name, program in sorted(set(needed(build))):
        if name not in BASE | set(ports) | set(LINUX):
            yield f"{program} needs {name}.so, which is not in LIB_DEPENDS"
        if name in LINUX and LINUX[name] not in off:
            yield f"{program} needs {name}.so, and the port does not disable {LINUX[name]}"
        if ports.get(name) and f"%%{ports[name]}%%" not in text(PORT, "pkg-plist"):
            yield f"{program} needs {name}.so of the option {ports[name]}, which lists no file"
    for name in sorted(ports):
        if not re.search(rf"(dependency|find_library)\('(lib)?{re.escape(name[3:])}'", meson):
            yield f"Makefile: meson.build does not look for {name}.so"
    desktop = "".join(text(SOURCE, "conf", "desktop", name) for name in os.listdir(os.path.join(SOURCE, "conf", "desktop"))
                      if name.endswith(".desktop"))
    want = {"meson": True, "compiler:c11": "c_std=c" in meson, "pkgconfig": "dependency('" in meson,
            "sqlite": "dependency('sqlite3'" in meson, "tar:xz": ".tar.xz" in text(SOURCE, "packaging", "arch", "PKGBUILD"),
            # Mk/Scripts/qa.sh desktopfileutils(): without MimeType= "you may not need USES=desktop-file-utils"
            "desktop-file-utils": "MimeType=" in desktop}
    for name in sorted({name for name, yes in want.items() if yes} ^ uses):
        yield f"Makefile: USES {'has' if name in uses else 'lacks'} {name}"
    # a library without a .pc file is found by the compiler alone: Mk/Uses/localbase.mk
    for name in re.findall(r"find_library\('(\w+)', required: get_option", meson):
        option = ports.get("lib" + name)
        if option and not re.search(rf"^{option}_USES=.*localbase", made, re.M):
            yield f"Makefile: {option} lacks USES localbase, since lib{name} has no .pc file"


def main():
    if len(sys.argv) < 2 or sys.argv[1:] == ["--recipe"]:
        print(__doc__)
        return 3
    differs = recipe_differs(sys.argv[2]) if sys.argv[1] == "--recipe" else list_differs(sys.argv[1], sys.argv[2:])
    found = list(differs)
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
