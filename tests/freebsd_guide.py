#!/usr/bin/env python3
"""The FreeBSD guide's commands, as far as a Linux machine can check them.

  tests/freebsd_guide.py GUIDE SYSCTL_A...

Each command has the form that FreeBSD's programs take, each sysctl is in a capture of `sysctl -a` (or a guest has no such hardware),
what is set now and for ever is the same value, and it is the value that the check expects. Prints what is wrong; exit status 1 then.
"""
import re
import sys

KEY = r"[a-z_][\w.%-]*(?:\.N)?[\w.%-]*"
VALUE = r'(?:"[^"]*"|[\w.:/-]+)'
FORMS = [
    rf"sysctl {KEY}(?:={VALUE})?(?: {KEY}(?:={VALUE})?)*",
    rf"sysrc (?:-x )?\w+(?:={VALUE})?(?: \w+(?:={VALUE})?)*",
    r"sysrc 'virtual_oss_dsp=-S -C \d -c \d -r \d+ -b \d+ -s \d+ -i \d -f /dev/dsp0 -d dsp'",  # -s behind -b and -c
    r"sysrc 'virtual_oss_dsp=-S -C \d -c \d -r \d+ -b \d+ -s \d+ -i \d -f /dev/dsp0 -d dsp'",  # -s once, behind -b and -c
    r"service (?!power_profile)\w+ (?:start|restart|onestart)",
    r"service power_profile 0x0[01]",  # rc.d/power_profile takes nothing else
    r"service sysctl lastload",  # "restart" ignores unknown names: sysctl -i
    r"kld(?:load|unload) \w+",
    r"kldstat -q -m \w+ && echo loaded",
    r"pw groupmod \w+ -[md] NAME",
    r"pw usermod NAME -L (?:\w+|'')",
    r"cap_mkdb /etc/login\.conf",
    r"limits -l",
    r"su -l NAME -c '[^']+'",
    r"ps -axo args \| grep '\[\w\]\w+'",
    r"(?:sysctl \S+; )?cat /dev/sndstat",
    r"sleeptune (?:check --frames 128|apply ID|verify|revert (?:ID|[\w-]+))",
]
# the captured guests had no such hardware or module
NOT_IN_GUESTS = re.compile(r"hw\.usb\.uaudio\.|dev\.hwpstate_intel\.|dev\.cpu\.\d\.freq$|security\.mac\.priority\.|dev\.hdac\.")
ALWAYS_ENABLED = {"sysctl", "devfs"}
RUNS_ALREADY = {"virtual_oss"}  # its section is about one that runs


def commands(block):
    """(command, comment) of each line of a shell block."""
    for line in block.splitlines():
        command, _, comment = line.partition("#")
        if command.strip():
            yield command.strip(), comment.strip()


def settings(text):
    """{key: value} of name=value lines and of sysctl's arguments."""
    return {key: value.strip('"') for key, value in re.findall(rf"(?:^|\s)({KEY})=({VALUE})", text, re.M)}


def check_section(section, known):
    title, wrong = section.split("\n", 1)[0], []
    blocks = re.findall(r"^```(sh)?\n(.*?)^```", section, re.M | re.S)
    before, _, after = section.partition("**Check:**")
    undo = re.search(r"^- \*\*Undo(?: now)?:\*\*(.*?)(?=^- \*\*|^#|\Z)", section, re.M | re.S)
    codes = re.findall(r"`([^`]+)`", undo.group(1)) if undo else []
    undone = [" ".join(code.split()) for code in codes if re.match(r"(sysctl|sysrc|service|kldunload|pw|cap_mkdb) ", code)]
    shell = [command for kind, block in blocks if kind for command, _ in commands(block)]
    for command in shell + undone:
        if not any(re.fullmatch(form, command) for form in FORMS):
            wrong.append(f"FreeBSD does not take: {command}")
        for key in re.findall(rf"(?<=\s){KEY}", command) if command.startswith("sysctl ") else []:
            key = key.replace(".N", ".0").split("=")[0]
            if "." in key and key not in known and not NOT_IN_GUESTS.match(key):
                wrong.append(f"no such sysctl in the captures: {key}")
        service = re.match(r"service (\w+) restart", command)
        if service and command in shell and service.group(1) not in ALWAYS_ENABLED | RUNS_ALREADY \
                and f"{service.group(1)}_enable=YES" not in before:
            wrong.append(f"not enabled by default: {command}")
    now = settings("\n".join(block for kind, block in re.findall(r"^```(sh)?\n(.*?)^```", before, re.M | re.S) if kind))
    ever = settings("\n".join(block for kind, block in re.findall(r"^```(sh)?\n(.*?)^```", before, re.M | re.S) if not kind))
    for key in now.keys() & ever.keys():
        if now[key] != ever[key]:
            wrong.append(f"{key} is {now[key]} now and {ever[key]} for ever")
    for command, comment in commands("\n".join(block for _, block in re.findall(r"^```(sh)\n(.*?)^```", after, re.M | re.S))):
        keys = command.split()[1:]
        wanted = {**ever, **now}.get(keys[0]) if command.startswith("sysctl ") and len(keys) == 1 else None
        if command == "service sysctl restart" and "message" in comment:
            wrong.append("service sysctl restart prints nothing about unknown names")
        if wanted is not None and comment and not re.search(rf"(?<![\w.-]){re.escape(wanted)}(?![\w-])", comment):
            wrong.append(f"sets {keys[0]}={wanted}, and the check expects: {comment}")
    return [f"{title}: {text}" for text in wrong]


def main():
    guide = open(sys.argv[1], encoding="utf-8").read()
    known = set()
    for name in sys.argv[2:]:
        known |= set(re.findall(r"^([\w.%-]+): ", open(name, encoding="utf-8", errors="replace").read(), re.M))
    sections = re.split(r"^### ", guide, flags=re.M)[1:]
    wrong = [text for section in sections for text in check_section(section, known)]
    print("\n".join(wrong) if wrong else f"{len(sections)} settings")
    return 1 if wrong or len(sections) < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
