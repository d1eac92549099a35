"""Writes the documentation as static HTML.

usage: make_site.py LOWDOWN MANDOC RULES_JSON SOURCE_TREE FOLDER DEPFILE
       LOWDOWN, MANDOC, RULES_JSON: programs; FOLDER is written anew; DEPFILE: what it was made from, for ninja
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys

import pages
import markdown
from chapters import GUIDES

# Markdown of the tree that is not at the address of its place in docs/
PAGES = {
    "docs/site/start.md": "index.html", "docs/site/more.md": "more.html", "README.md": "overview.html", "NEWS.md": "changes.html",
    "SECURITY.md": "security.html", "HACKING.md": "hacking.html", "packaging/README.md": "packaging.html",
}
FILES = {"docs/site/style.css": "style.css", "conf/desktop/sleeptune.svg": "sleeptune.svg"}
MANUAL = re.compile(r"\bsleeptune[a-z.-]*\([1-9]\)")
SYSTEMS = {"linux": "Linux", "freebsd": "FreeBSD"}


class Site:
    """The pages that were made, by address."""

    def __init__(self, lowdown, mandoc, rules, tree):
        self.lowdown, self.mandoc, self.rules, self.tree, self.pages = lowdown, mandoc, rules, tree, {}
        self.files = dict(FILES)  # what is copied: and each file of docs/ that a page links to
        places = (path.relative_to(tree).as_posix() for path in sorted((tree / "docs").rglob("*.md")))
        self.sources = {place: re.sub(r"README$", "index", place[len("docs/"):-len(".md")]) + ".html" for place in places} | PAGES
        self.manuals = {f"{path.name}.html": path for path in sorted((tree / "man").glob("*.[1-9]"))}
        self.manual_names = {f"{path.stem}({path.suffix[1:]})": name for name, path in self.manuals.items()}

    def put(self, address, title, body):
        """Adds a page. Manual pages that its text names become links."""
        up = "../" * address.count("/")
        if not address.startswith("man/"):
            manuals = {name: f"{up}man/{page}" for name, page in self.manual_names.items()}
            body = pages.linked(body, MANUAL, manuals)
        self.pages[address] = pages.frame(address, title, body)

    def put_markdown(self, address, text):
        body = pages.with_rule_anchors(pages.from_markdown(text, self.lowdown), {rule["id"] for rule in self.rules})
        body = body if address == "index.html" else pages.with_contents(body)
        self.put(address, pages.words(re.search(r"<h1[^>]*>(.*?)</h1>", body, flags=re.S)[1]), body)


def link_of(site, source, address, label, target):
    """A link of a file in the tree, as a link between pages, or as it was, if it leads to no page. A page is named by its heading, not by
    its file."""
    path, hash_, anchor = target.partition("#")
    if "://" in target or not path:
        return f"[{label}]({target})"
    name = (site.tree / source).parent.joinpath(path).resolve().relative_to(site.tree.resolve()).as_posix()
    if name not in site.sources and name.startswith("docs/") and (site.tree / name).is_file():
        site.files[name] = name[len("docs/"):]
    to = (site.sources | site.files | {"docs/adr": "adr/index.html"}).get(name)
    if label.endswith((path, path.rpartition("/")[2])) and name in site.sources:
        label = (site.tree / name).read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
    return f"[{label}]({'../' * address.count('/') + to + hash_ + anchor if to else target})"


def screens(text):
    """The captured screens of docs/screens.md, by heading."""
    return dict(re.findall(r"^## ([^\n]*)\n.*?^```\n(.*?)^```$", text, flags=re.M | re.S))


def screen_blocks(captured, names):
    """Code blocks for a screen. names: its heading; and, after "|", that of the one that a phone shows in its place."""
    wide, _, narrow = names.partition(" | ")
    blocks = f"```screen{'-wide' if narrow else ''}\n{captured[wide]}```"
    return blocks + (f"\n\n```screen-narrow\n{captured[narrow]}```" if narrow else "")


def put_sources(site):
    captured = screens((site.tree / "docs/screens.md").read_text(encoding="utf-8"))
    for source, address in site.sources.items():
        text = (site.tree / source).read_text(encoding="utf-8")
        text = re.sub(r"^<!-- screen: (.*) -->$", lambda m: screen_blocks(captured, m[1]), text, flags=re.M)
        text = re.sub(r"\[([^]]*)\]\(([^)\s]*)\)", lambda m: link_of(site, source, address, m[1], m[2]), text)
        site.put_markdown(address, text)


def put_rules(site):
    """A page for each rule, at an address that stays, and one that lists them."""
    index = ["# Settings that matter, and why\n\nFor each: what it does to your sound, how to change it, how to check it, and how to take it "
             "back. `sleeptune report` names those that need a change on your computer, and `sleeptune report ID` shows its numbers. "
             "All of them in one text: [for Linux](../setup-linux.html), [for FreeBSD](../setup-freebsd.html).\n"]
    known = {rule["id"]: rule for rule in site.rules}
    for os, outline in GUIDES.items():
        index.append(f"\n## {SYSTEMS[os]}\n")
        alone = " ".join(rule["id"] for rule in site.rules if rule["os"] == os and rule["only_ok"])
        for title, _, ids in outline["chapters"] + [("What you can leave alone", "", alone)]:
            index.append(f"\n### {title}\n\n")
            for rule in (known[rule_id] for rule_id in ids.split()):
                index.append(f"- [{rule['title']}]({rule['id']}.html) `{rule['id']}`\n")
                text = markdown.rule_page(outline, rule, site.rules, lambda other: f"{other['id']}.html")
                crumb = f"\n`{rule['id']}`, a setting of {SYSTEMS[os]}: [{title}](index.html#{markdown.anchor(title)})\n\n"
                site.put_markdown(f"rules/{rule['id']}.html", text.replace("\n", "\n" + crumb, 1))
    site.put_markdown("rules/index.html", "".join(index))


def put_manuals(site):
    rows = []
    for name, path in site.manuals.items():
        body = pages.from_manual(path, site.mandoc, site.manuals)
        title = f"{path.stem}({path.suffix[1:]})"
        what = pages.words(re.search(r'<span class="Nd">(.*?)</span>', body, flags=re.S)[1])
        rows.append((path.suffix, path.stem, f"| [{title}](man/{name}) | {' '.join(what.split())} |\n"))
        site.put(f"man/{name}", title, body)
    site.put_markdown("manual.html", "# Manual pages\n\nThe same texts as `man sleeptune` shows.\n\n| page | what it is about |\n|---|---|\n" +
                      "".join(row for _, _, row in sorted(rows)))


def put_decisions(site):
    decisions = "".join(f"{path.name[:4].lstrip('0')}. [{path.read_text(encoding='utf-8').splitlines()[0].split('. ', 1)[1]}]({path.stem}.html)\n"
                        for path in sorted((site.tree / "docs/adr").glob("*.md")))
    site.put_markdown("adr/index.html", f"# Decisions\n\nWhat was decided, and why.\n\n{decisions}")


def make(lowdown, mandoc, rules, tree):
    site = Site(lowdown, mandoc, rules, tree)
    put_sources(site)
    put_rules(site)
    put_manuals(site)
    put_decisions(site)
    return site


def main(arguments):
    if len(arguments) != 6:
        sys.exit(__doc__)
    lowdown, mandoc, program = arguments[:3]
    tree, folder, depfile = (pathlib.Path(argument) for argument in arguments[3:])
    rules = json.loads(subprocess.run([program], check=True, stdout=subprocess.PIPE).stdout)
    site = make(lowdown, mandoc, rules, tree)
    shutil.rmtree(folder, ignore_errors=True)
    for address, text in site.pages.items():
        (folder / address).parent.mkdir(parents=True, exist_ok=True)
        (folder / address).write_text(text, encoding="utf-8")
    for source, address in site.files.items():
        (folder / address).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(tree / source, folder / address)
    made_from = [tree / source for source in (*site.sources, *site.files)] + list(site.manuals.values())
    depfile.write_text(f"{folder}: " + " ".join(str(path).replace(" ", "\\ ") for path in made_from) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
