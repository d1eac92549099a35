"""HTML of the site's pages: Markdown by lowdown, manual pages by mandoc, and the frame around both."""
import html
import re
import subprocess

import markdown

# GitHub's Markdown without what lowdown adds to it
LOWDOWN = ("-t", "html", "--parse-no-metadata", "--parse-no-super", "--parse-no-deflists", "--parse-no-ext-attrs", "--parse-no-footnotes",
           "--parse-no-strike", "--parse-no-intraemph", "--out-no-smarty", "--html-no-num-ent", "--html-no-head-ids")
NAVIGATION = (("index.html", "Start"), ("troubleshooting.html", "It clicks"), ("rules/index.html", "Settings"),
              ("manual.html", "Manual"), ("results.html", "Results"), ("more.html", "More"))
HEADINGS_FOR_CONTENTS = 5


def run(command, text):
    return subprocess.run(command, input=text.encode(), check=True, stdout=subprocess.PIPE).stdout.decode()


def words(fragment):
    """Text of a piece of HTML."""
    return html.unescape(re.sub(r"<[^>]*>", "", fragment))


def frame(address, title, body):
    """A whole page. address: of the page in the site, from which links are relative."""
    up = "../" * address.count("/")
    items = "".join(f'<a href="{up}{to}"{" aria-current=page" if to == address else ""}>{name}</a>\n' for to, name in NAVIGATION)
    name = "sleeptune" if address == "index.html" else f"{html.escape(title)} · sleeptune"
    return f"""<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{name}</title>
<link rel="icon" href="{up}sleeptune.svg">
<link rel="stylesheet" href="{up}style.css">
<header>
<a class="home" href="{up}index.html"><img src="{up}sleeptune.svg" alt="" width="28" height="28">sleeptune</a>
<nav>
{items}</nav>
</header>
<main>
{body}</main>
</html>
"""


def with_anchors(body):
    """Each heading can be linked to, by the name that GitHub gives it, and the second one of a name, too."""
    seen = {}

    def heading(match):
        name = markdown.anchor(words(match[2]))
        seen[name] = seen.get(name, -1) + 1
        name += f"-{seen[name]}" if seen[name] else ""
        return f'<h{match[1]} id="{name}">{match[2]}</h{match[1]}>'
    return re.sub(r"<h([1-6])>(.*?)</h\1>", heading, body, flags=re.S)


def with_rule_anchors(body, ids):
    """Where a list or a paragraph begins with a rule's id, it can be linked to by that: the anchor is the same on each page, as in the manual."""
    return re.sub(r'<(li|p)>(?=(?:<a href="[^"]*">[^<]*</a> )?<code>([a-z0-9-]+)</code>)',
                  lambda m: f'<{m[1]} id="{m[2]}">' if m[2] in ids else m[0], body)


def with_contents(body):
    """A long page begins with its contents."""
    headings = re.findall(r'<h2 id="([^"]*)">(.*?)</h2>', body, flags=re.S)
    if len(headings) < HEADINGS_FOR_CONTENTS:
        return body
    items = "".join(f'<li><a href="#{name}">{words(text)}</a>\n' for name, text in headings)
    return body.replace("</h1>", f"</h1>\n<details class=contents><summary>On this page</summary>\n<ul>\n{items}</ul>\n</details>", 1)


def linked(body, expression, addresses):
    """What matches `expression` becomes a link, if it has an address, except in headings, code blocks and links."""
    def link(match):
        return f'<a href="{addresses[match[0]]}">{match[0]}</a>' if match[0] in addresses else match[0]
    out, inside = [], 0
    for piece in re.split(r"(<[^>]*>)", body):
        tag = re.match(r"<(/?)(a|pre|h[1-6])\b", piece)
        if tag:
            inside += -1 if tag[1] else 1
        elif not inside and not piece.startswith("<"):
            piece = expression.sub(link, piece)
        out.append(piece)
    return "".join(out)


def with_labels(table):
    """A table of three columns, which are sentences, is a list on a phone: its cells need the headings."""
    labels = [words(cell) for cell in re.findall(r"<th\b[^>]*>(.*?)</th>", table, flags=re.S)]
    if len(labels) != 3:
        return table
    cells = iter(labels * table.count("<tr>"))
    body = re.sub(r"<td\b", lambda m: f'<td data-label="{html.escape(next(cells))}"', table)
    return body.replace("<table>", '<table class="sentences">')


def from_markdown(text, lowdown):
    """The language of a code block becomes its class."""
    body = run([lowdown, *LOWDOWN], text)
    body = re.sub(r"<table>.*?</table>", lambda m: f'<div class="wide">{with_labels(m[0])}</div>', body, flags=re.S)
    # whoever has no mouse scrolls a block that has the focus
    body = re.sub(r'<pre><code(?: class="language-([^"]*)")?>', lambda m: f'<pre class="{m[1] or "file"}" tabindex="0"><code>', body)
    return with_anchors(body)


def from_manual(path, mandoc, known):
    """known: the manual pages of the site; others are named without a link."""
    body = run([mandoc, "-T", "html", "-O", "fragment,man=%N.%S.html", path], "")
    return re.sub(r'<a class="Xr" href="([^"]*)">(.*?)</a>', lambda m: m[0] if m[1] in known else m[2], body, flags=re.S)
