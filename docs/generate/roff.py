"""The manual page sleeptune-rules(7), in mdoc."""

PAGE_DATE = "November 25, 2026"  # change it with the texts of this file

HEAD = f""".\\" Written by docs/generate from advisor/rules; do not edit.
.Dd {PAGE_DATE}
.Dt SLEEPTUNE-RULES 7
.Os
.Sh NAME
.Nm sleeptune-rules
.Nd what sleeptune report looks at
.Sh DESCRIPTION
A rule judges facts.
A fact is one reading of a file, a sysctl or a limit, with its source and one of four states:
ok, absent, unreadable, malformed.
The result is one of these, in the order of the report:
.Bl -tag -width "not-applicable"
.It problem
the chosen period is at risk
.It advice
a setting may cost time or delay, and can be changed
.It unknown
a fact that the rule needs could not be read
.It ok
the setting was read and is fine
.It not-applicable
this machine has no such device or setting
.El
.Pp
Problems without a known bound come first, then those with the largest effect.
An effect is an upper bound in microseconds for one period of the chosen length.
The id of a rule never changes and is never used for another rule.
.Pp
.Ic sleeptune report Ar id
prints why a rule matters, with the numbers of this machine, what a change costs, when not to make it, how to check and undo it, what
changed with which version of the system, and the sources.
The setup guides in the documentation (setup-linux, setup-freebsd) have the reasons and commands of all rules in the order of their effect.
"""


def escaped(text):
    """Text as roff, line by line. No line becomes a request."""
    out = []
    for line in text.split("\n"):
        wide = "".join(c if ord(c) < 0x80 else f"\\[u{ord(c):04X}]" for c in line.replace("\\", "\\e").replace("-", "\\-"))
        out.append(("\\&" if wide[:1] in (".", "'") else "") + wide + "\n")
    return "".join(out)


def rule_row(rule):
    return f".It Sy {rule['id']}\n{escaped(rule['title'])}"


def rules_page(rules):
    out = [HEAD]
    for os in ("linux", "freebsd"):
        out.append(f".Sh {os.upper()}\n.Bl -tag -width Ds -compact\n")
        out.extend(rule_row(rule) for rule in rules if rule["os"] == os)
        out.append(".El\n")
    out.append(".Sh SEE ALSO\n.Xr sleeptune 1 ,\n.Xr sleeptuned 8\n")
    return "".join(out)
