/* The manual page sleeptune-rules(7), written from the rules. */
#include "docs/generate/rules_page.h"

#include <stdlib.h>
#include <string.h>

#include "advisor/rules/rule.h"

#define PAGE_DATE "November 20, 2026" /* change it with the texts of this file */

/** Prints one character that is not ASCII in roff. @return its bytes in the text. */
static size_t put_wide(FILE *out, const char *text)
{
    const unsigned char *p = (const unsigned char *)text;
    const size_t n = p[0] < 0xE0 ? 2 : p[0] < 0xF0 ? 3 : 4;
    unsigned code = p[0] & (0xFFu >> (n + 1));
    for (size_t i = 1; i < n; i++)
        code = code << 6 | (p[i] & 0x3Fu);
    fprintf(out, "\\[u%04X]", code);
    return n;
}

/** Prints text for roff, line by line. No line becomes a request. */
static void put(FILE *out, const char *text)
{
    bool begins = true;
    while (*text != '\0') {
        if (begins && (*text == '.' || *text == '\''))
            fputs("\\&", out);
        begins = *text == '\n';
        if (*text == '\\')
            fputs("\\e", out);
        else if (*text == '-')
            fputs("\\-", out);
        else if ((unsigned char)*text >= 0x80) {
            text += put_wide(out, text);
            continue;
        } else {
            fputc(*text, out);
        }
        text++;
    }
    if (!begins)
        fputc('\n', out);
}

/** Prints each sentence on a line of its own, as mdoc needs it. */
static void put_sentences(FILE *out, const char *text)
{
    while (*text != '\0') {
        const char *end = strstr(text, ". ");
        char *sentence = end != NULL ? strndup(text, (size_t)(end - text) + 1) : strdup(text);
        if (sentence == NULL)
            abort();
        put(out, sentence);
        free(sentence);
        text = end != NULL ? end + 2 : text + strlen(text);
    }
}

static void item(FILE *out, const char *term, const char *text)
{
    if (text == NULL)
        return;
    fprintf(out, ".It %s\n", term);
    put_sentences(out, text);
}

/** Prints the lines of the text with line breaks between them. */
static void lines(FILE *out, const char *text)
{
    for (const char *line = text; *line != '\0';) {
        const size_t len = strcspn(line, "\n");
        char *copy = strndup(line, len);
        if (copy == NULL)
            abort();
        if (line != text)
            fputs(".br\n", out);
        put(out, copy);
        free(copy);
        line += len + (line[len] == '\n');
    }
}

static void rule_section(FILE *out, const struct st_rule *rule)
{
    static const char *const risks[] = {
        [ST_APPLY_AUTO] = "none: it can be taken back.",
        [ST_APPLY_MANUAL] = "to be done by hand, with a look at the machine.",
        [ST_APPLY_DANGEROUS] = "dangerous.",
    };
    fprintf(out, ".Ss %s\n", rule->id);
    put(out, rule->title);
    fputs(".Pp\n", out);
    put_sentences(out, rule->mechanism);
    fputs(".Bl -tag -width \"Not when\"\n.It Reads\n", out);
    for (const char *const *key = rule->facts; *key != NULL; key++) {
        if (key != rule->facts)
            fputs(".br\n", out);
        put(out, *key);
    }
    item(out, "Rights", st_rule_privilege(rule));
    item(out, "Cost", rule->cost);
    item(out, "Not when", rule->when_not);
    item(out, "Risk", risks[rule->applicability]);
    item(out, "From", rule->first_version);
    item(out, "Up to", rule->last_version);
    if (rule->guide.check != NULL) {
        fputs(".It Check\n", out);
        lines(out, rule->guide.check);
    }
    item(out, "Undo", rule->guide.undo);
    if (rule->history != NULL) {
        fputs(".It History\n", out);
        lines(out, rule->history);
    }
    fputs(".It Sources\n", out);
    lines(out, rule->sources);
    fputs(".El\n", out);
}

static void os_section(FILE *out, const char *title, enum st_os os)
{
    fprintf(out, ".Sh %s\n", title);
    for (size_t i = 0; i < st_rules_n; i++) {
        if (st_rule_os(st_rules[i]) == os)
            rule_section(out, st_rules[i]);
    }
}

void st_rules_page_print(FILE *out)
{
    fputs(".\\\" Written by docs/generate from advisor/rules; do not edit.\n"
          ".Dd " PAGE_DATE "\n.Dt SLEEPTUNE-RULES 7\n.Os\n"
          ".Sh NAME\n.Nm sleeptune-rules\n.Nd what sleeptune report looks at, and why\n"
          ".Sh DESCRIPTION\n"
          "A rule judges facts.\n"
          "A fact is one reading of a file, a sysctl or a limit, with its source and one of four states:\n"
          "ok, absent, unreadable, malformed.\n"
          "The result is one of these, in the order of the report:\n"
          ".Bl -tag -width \"not-applicable\"\n"
          ".It problem\nthe chosen period is at risk\n"
          ".It advice\na setting may cost time or delay, and can be changed\n"
          ".It unknown\na fact that the rule needs could not be read\n"
          ".It ok\nthe setting was read and is fine\n"
          ".It not-applicable\nthis machine has no such device or setting\n"
          ".El\n.Pp\n"
          "Problems without a known bound come first, then those with the largest effect.\n"
          "An effect is an upper bound in microseconds for one period of the chosen length.\n"
          "The id of a rule never changes and is never used for another rule.\n"
          ".Pp\n"
          ".Ic sleeptune report Ar id\n"
          "shows a rule with the numbers of this machine.\n",
          out);
    os_section(out, "LINUX", ST_OS_LINUX);
    os_section(out, "FREEBSD", ST_OS_FREEBSD);
    fputs(".Sh SEE ALSO\n.Xr sleeptune 1 ,\n.Xr sleeptuned 8\n", out);
}
