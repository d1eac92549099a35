"""The setup guide of a system, in Markdown: for each setting why, now, for ever, check, cost and undo."""
import re
import textwrap

WIDTH = 110
LINE_FULL = 70  # columns, from which on a line of words goes on in the next: rule.h, struct st_rule

NEEDS = {
    "reopen": "Then open the sound device again.",
    "relogin": "It counts from the next login.",
    "reboot": "It counts from the next boot.",
}

# --- sentences as Markdown: code (settings, files, commands) is recognised by its spelling ---

COMMAND = re.compile(r"(?:sudo|sleeptune|sysctl|sysrc|service|pw|kldunload|cap_mkdb|pw-metadata|rtprio|powerprofilesctl|systemctl|echo|sndctl) ")
COMMAND_ENDS = re.compile(r";|,| and | with | enables | brings ")


def anchor(heading):
    """Of a heading, as GitHub and GitLab name it."""
    return "".join("-" if c == " " else c.lower() for c in heading if c.isascii() and (c.isalnum() or c in "-_ "))


def links(text):
    """Anchors that a page links to."""
    return re.findall(r"\]\(#([^)]*)\)", text)


def plain(text):
    """Escapes what would be markup; a lone "*" is none."""
    return text if text == "*" else re.sub(r"([\\`*<>\[\]])", r"\\\1", text)


def is_code(word):
    """kern.hz, sysctl.conf, /etc/rc.conf, SCHED_FIFO, quantum=64, -p; not 15.0, e.g. or and/or."""
    if len(word) < 2:
        return False
    if (word[0] in "/~" and len(word) > 2) or re.match(r"-[A-Za-z]", word) or "_" in word:
        return True
    letters = word[0].isascii() and word[0].isalpha()
    return letters and ("=" in word or (len(word) > 4 and re.match(r"[^.]*\.[A-Za-z]", word) is not None and "(" not in word))


class Prose:
    """Writes sentences of one guide; or, with `address`, which has the address of a rule's page, of such a page."""

    def __init__(self, guide, rules, address=None):
        self.rules = {rule["id"]: rule for rule in rules}
        self.sections = set(self.rules) if address else {rule_id for _, _, ids in guide["chapters"] for rule_id in ids.split()}
        self.address = address or (lambda rule: f"#{anchor(rule['title'])}")

    def word(self, word):
        """One word with the punctuation around it."""
        begin = len(word) - len(word.lstrip("(\"'"))
        end = max(begin, len(word.rstrip(".,;:)\"'")))
        if end < len(word) and word[end] in ")\"" and {")": "(", '"': '"'}[word[end]] in word[begin:end]:
            end += 1  # sound(4), acpi_cpu_idle(), kern.hz="1000"
        core = word[begin:end]
        if core in self.sections:
            rule = self.rules[core]
            core = f"[{rule['title'].split(' (')[0]}]({self.address(rule)})"
        elif core in self.rules or is_code(core):
            core = f"`{core}`"
        else:
            core = plain(core)
        return plain(word[:begin]) + core + plain(word[end:])

    def text(self, text):
        """Names of settings and files and commands become code, ids of rules become links to their sections."""
        out, clause = [], True  # clause: a command may begin here
        while text:
            if text[0] == "(":
                out.append("(")
                text = text[1:]
            quoted = re.match(r"'([^']*)'(?=[ .,;:)]|$)", text)
            if quoted and quoted[1]:
                piece, shown = quoted[0], f"`{quoted[1]}`"
            elif clause and COMMAND.match(text):
                piece = COMMAND_ENDS.split(text, maxsplit=1)[0]
                piece = piece[:-1] if piece[-1] in ".:" else piece
                shown = f"`{piece}`"
            else:  # "-p 128 -n 3" is one word
                piece = re.match(r"-[A-Za-z][^ \n]*(?: (?:\d|-[A-Za-z])[^ \n]*)*|[^ \n]*", text)[0]
                shown = self.word(piece)
            out.append(shown)
            clause = piece[-1:] in (";", ":", ".") or piece in ("run", "and", "then", "or")
            text = text[len(piece):]
            if text[:1] in (";", ","):
                clause = text[0] == ";"
                out.append(text[0])
                text = text[1:]
            rest = text.lstrip(" \n")
            out.append(" " * (len(text) - len(rest)))
            text = rest
        return "".join(out)


def faults(rules):
    """Examples of sentences that do not become what they should."""
    from chapters import GUIDES
    prose = Prose(GUIDES["linux"], rules)
    for text, wanted in (
            ("kern.hz is 1000, e.g. on 15.0", "`kern.hz` is 1000, e.g. on 15.0"),
            ("in /etc/rc.conf (SCHED_FIFO).", "in `/etc/rc.conf` (`SCHED_FIFO`)."),
            ("see sound(4), hz * 2, and/or a*b", "see sound(4), hz * 2, and/or a\\*b"),
            ("<b>bold</b> `x` [y]", "\\<b\\>bold\\</b\\> \\`x\\` \\[y\\]"),
            ("take -s away; -p 128 -n 3", "take `-s` away; `-p 128 -n 3`"),
            ("delete it; sudo sysctl a.bcd=1, the default", "delete it; `sudo sysctl a.bcd=1`, the default"),
            ("run sudo update-grub and restart", "run `sudo update-grub` and restart"),
            ('set eq.on="1" there', 'set `eq.on="1"` there'),
            ("no sysctl here", "no sysctl here"),
            ("see linux-swap.", "see [Swap on disk](#swap-on-disk)."),
            ("see freebsd-swap", "see freebsd-swap"),
            ("see linux-hz", "see `linux-hz`"),
            ("", "")):
        got = prose.text(text)
        if got != wanted:
            yield f'"{text}" became "{got}", not "{wanted}"'


# --- pieces of a page ---


class Page:
    """A page that grows."""

    def __init__(self, guide, rules, address=None):
        self.out, self.guide, self.prose = [], guide, Prose(guide, rules, address)

    def put(self, text):
        self.out.append(text)

    def paragraph(self, label, text, label_indent=0, indent=0):
        """Wrapped, after `label`, which is Markdown; further lines begin at `indent`. A unit stays with its number."""
        text = re.sub(r"(?<=\d) (?=%|µs|ms|kHz)", "\u00a0", self.prose.text(text))
        head = " " * label_indent + label
        head = head.ljust(indent) if len(head) < indent else head + (" " if label else "")
        wrapped = textwrap.fill(text, WIDTH, initial_indent=head, subsequent_indent=" " * indent, break_long_words=False,
                                break_on_hyphens=False)
        self.put(wrapped.replace("\u00a0", " ") + "\n")

    def paragraphs(self, text):
        """Divided by an empty line."""
        for one in text.split("\n\n"):
            self.put("\n")
            self.paragraph("", one)

    def block(self, language, text):
        self.put(f"\n```{language}\n{text}\n```\n")

    def bullet(self, label, before, text):
        self.paragraph(f"- **{label}:**", f"{before}{text}{'' if text.endswith('.') else '.'}", indent=2)


# --- "for ever": lines of files, commands, and words about them ---


def line_kind(line):
    if not line.startswith("#"):
        return "code"
    if line.startswith("# /"):
        return "file"
    return "then" if line in ("# then", "# and") else "words"


def goes_on(line):
    """Does this line of words go on in the next one? A full one does, unless it is a command, and one with ',' or ':' at its end."""
    return line[-1] in ",:" or (len(line.encode()) >= LINE_FULL and "sudo " not in line)


def runs(lines):
    """Lines of one kind that belong together: yields kind and lines."""
    i = 0
    while i < len(lines):
        kind, begin = line_kind(lines[i]), i
        while i < len(lines) and line_kind(lines[i]) == kind:
            i += 1
            if kind == "file" or (kind == "words" and not goes_on(lines[i - 1])):
                break
        yield kind, lines[begin:i], lines[i:]


def put_words(page, kind, lines, rest, first):
    """The comment before a block as a paragraph. first: it begins with "For ever"."""
    sentence = " ".join(re.sub(r"^# ?", "", line) for line in lines)
    if not sentence.endswith(":"):
        sentence += ":" if rest and line_kind(rest[0]) == "code" else "."
    page.put("\n")
    if kind == "file":  # "/etc/sysctl.conf, as ..." and "/etc/sysctl.conf: as ..."
        page.paragraph("**For ever**, in" if first else "In", re.sub(r"^([^ ]*): ", r"\1, ", sentence))
        return
    name = re.match(r"[^ .]*", sentence)[0]
    if not first and sentence[:1].islower() and sentence[len(name):len(name) + 1] == " ":
        sentence = sentence[0].upper() + sentence[1:]
    page.paragraph("**For ever:**" if first else "", sentence)


def put_persistent(page, text):
    first, file = True, False
    for kind, lines, rest in runs(text.split("\n")):
        if kind == "code":
            if first:
                page.put("\n**For ever:**\n")
            # lines of a file without a name begin with a section in brackets
            shell = lines[0].startswith("sudo ") or (not file and not lines[0].startswith("["))
            page.block("sh" if shell else "", "\n".join(lines))
        elif kind == "then":
            file = False
            page.put("\nThen:\n")
        else:
            file = kind == "file" or any(" /etc/" in line for line in lines)
            put_words(page, kind, lines, rest, first)
        first = False


# --- a setting, and the page ---


def applied_by_sleeptune(rule):
    return rule["applicability"] == "auto" and not rule["undo"].startswith("nothing ")


# what a guide says once, at its beginning
PLAIN_UNDO = re.compile(r"nothing |there is nothing |take [^ ]+ out again where it was added|"
                        r"(delete|take) (the lines? (in|out of) )?[^ ;]+( and (restart|run [^;]*|plug [^;]*))?(: [^;]*)?$")
UNDO_AT_ONCE = re.compile(r"(delete|take) the lines? (in|out of) [^ ;]+; to undo it at once, set the defaults?: ")


LIMITS = "# /etc/security/limits.d/90-sleeptune.conf\nNAME - rtprio 90\nNAME - nice -19\nNAME - memlock 4194304"
BOOT_OPTION = re.compile(r'# /etc/default/grub\.d/\S+ \(Debian, Ubuntu\)\n.*DEFAULT ([^"]+)"\n# then\nsudo update-grub\n# Fedora: .*')


def in_guide(rule):
    """What is written for ever, without what the guide has elsewhere."""
    text = BOOT_OPTION.sub(r"# add '\1' to the kernel command line", rule["persistent"])
    return text if rule["id"] == "linux-rt-permission" else text.replace(LIMITS, "# see linux-rt-permission")


def put_setting(page, rule, alone=True):
    """How to make a change, check it and take it back. alone: on a page of its own, which says all of it."""
    if rule["now"]:
        page.put("\n**Now:**\n")
        page.block("sh", rule["now"])
    if rule["persistent"]:
        put_persistent(page, rule["persistent"] if alone else in_guide(rule))
    if rule["needs"] in NEEDS:
        page.paragraphs(NEEDS[rule["needs"]])
    page.put("\n**Check:**\n")
    page.block("sh", rule["check"])
    page.put("\n")
    nothing = rule["cost"].startswith("none")
    if alone or not nothing or rule["cost"][4:].strip(". "):
        page.bullet("Costs", "nothing" if nothing else "", rule["cost"][4:] if nothing else rule["cost"])
    if not rule["when_not"].startswith("never: "):
        page.bullet("Not when", "", rule["when_not"])
    by_command = f"{page.guide['root']}sleeptune revert {rule['id']}, if sleeptune applied it. By hand: "
    if alone:
        page.bullet("Undo", by_command if applied_by_sleeptune(rule) else "", rule["undo"])
    elif not PLAIN_UNDO.match(rule["undo"].rstrip(".")):
        at_once = UNDO_AT_ONCE.match(rule["undo"])
        page.bullet("Undo now" if at_once else "Undo", "", UNDO_AT_ONCE.sub("", rule["undo"]))


def guide(outline, os, rules):
    page, known, root = Page(outline, rules), {rule["id"]: rule for rule in rules}, outline["root"]
    page.put(f"# {outline['title']}\n\n<!-- Written by docs/generate from advisor/rules; do not edit. -->\n")
    page.paragraphs(outline["intro"])
    page.put("\n## Measure first\n")
    page.paragraphs("Ten seconds: does the machine keep up, and which settings below differ on it?")
    page.block("sh", "sleeptune check --frames 128")
    page.paragraphs("Change one thing at a time, measure again, and keep what helped. Each section begins with its ID, and (apply) where sleeptune "
                    "can make the change. To undo one, delete what it wrote, run the commands after it once more, and restart, unless the section says "
                    "otherwise. What names no cost has none.")
    page.block("sh", f"{'sleeptune report ID':{len(root) + 21}} # the numbers of this machine, and the sources\n"
                     f"{root}sleeptune apply ID    # makes the change, and remembers what was there before\n"
                     f"{root}sleeptune verify      # after a reboot: is it in force?\n"
                     f"{root}sleeptune revert ID   # takes it back")
    for number, (title, intro, ids) in enumerate(outline["chapters"], 1):
        page.put(f"\n## {number}. {title}\n")
        page.paragraphs(intro)
        for rule_id in ids.split():
            mark = " (apply)" if applied_by_sleeptune(known[rule_id]) else ""
            page.put(f"\n### {known[rule_id]['title']}\n\n`{rule_id}`{mark}\n")
            page.paragraphs(known[rule_id]["mechanism"])
            put_setting(page, known[rule_id], alone=False)
    page.put("\n## What you can leave alone\n")
    page.paragraphs("Other guides name these. Leave them as they are: the default is right, or an audio program does not notice.")
    page.put("\n")
    for rule in rules:
        if rule["os"] == os and rule["only_ok"]:
            page.paragraph(f"- **{rule['title']}.**", rule["mechanism"], indent=2)
    return "".join(page.out)


# --- one rule, as a page of the site ---


RISKS = {"auto": "none, sleeptune can take it back", "manual": "it depends on the machine, so sleeptune does not make this change"}


def rule_page(outline, rule, rules, address):
    """All that is known of a setting without a look at a machine."""
    page = Page(outline, rules, address)
    page.put(f"# {rule['title']}\n")
    page.paragraphs(rule["mechanism"])
    if rule["only_ok"]:
        page.put("\nOther guides name this setting. Leave it as it is: the default is right, or an audio program does not notice.\n")
    else:
        page.paragraphs("Does it matter on your computer? This shows its value there, and what it may cost:")
        page.block("sh", f"sleeptune report {rule['id']}")
        page.put("\n## What to do\n")
        if rule["applicability"] == "auto":
            page.put("\nsleeptune can make the change. It shows the change and asks first:\n")
            page.block("sh", f"{outline['root']}sleeptune apply {rule['id']}")
            page.put("\nBy hand:\n")
        put_setting(page, rule)
        page.bullet("Rights", "", rule["privilege"])
        page.bullet("Risk", "", RISKS[rule["applicability"]])
    for heading, key in (("What changed, by version", "history"), ("Where this comes from", "sources")):
        if rule[key]:
            page.put(f"\n## {heading}\n\n")
            for line in rule[key].split("\n"):
                page.paragraph("-", line, indent=2)
    page.put("\n## What sleeptune reads\n\n")
    for key in rule["facts"]:
        page.put(f"- `{key}`\n")
    return "".join(page.out)
