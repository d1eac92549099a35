/* Writes the example file and the manual's list of keys from the table of keys. */
#include <ctype.h>

#include "core/text/text.h"
#include "daemon/config/config.h"

#define COLUMNS 100
#define INDENT  "    # "

/* Writes a text as comment lines of at most COLUMNS. */
static void write_wrapped(FILE *out, const char *text)
{
    while (*text != '\0') {
        size_t len = strlen(text);
        const size_t room = COLUMNS - strlen(INDENT);
        if (len > room) {
            len = room;
            while (len > 0 && text[len] != ' ')
                len--;
        }
        fprintf(out, INDENT "%.*s\n", (int)len, text);
        text += len;
        text += strspn(text, " ");
    }
}

/* The allowed values of a key; NULL for a text, whose limit the page states once at its
 * beginning. */
static const char *allowed_to_say(const struct st_config_key *key)
{
    const char *text = st_config_allowed(key);
    return st_text_begins(text, "a text of") ? NULL : text;
}

void st_config_doc_example(FILE *out)
{
    fputs(
        "# sleeptuned.conf: every key at its default. See sleeptuned.conf(5).\n"
        "# sleeptuned -n checks this file; kill -HUP, or a reload of the service, reads it again.\n"
        "# A text has at most 255 bytes.\n",
        out);
    const char *group = "";
    ST_EACH_OF (key, st_config_keys, st_config_keys_n) {
        const char *dot = strchr(key->path, '.'); /* not NULL, since each key is in a group */
        const char *its = st_text("%.*s", (int)(dot - key->path), key->path);
        if (!st_text_is(its, group)) {
            fputs(group[0] != '\0' ? "};\n" : "", out);
            fprintf(out, "\n%s:\n{", its);
            group = its;
        }
        fputc('\n', out);
        write_wrapped(out, key->help);
        const char *allowed = allowed_to_say(key);
        if (allowed != NULL)
            write_wrapped(out, st_text("Allowed: %s.", allowed));
        fprintf(out, "    #%s = %s;\n", dot + 1, key->default_text);
    }
    fputs("};\n", out);
}

/* Writes text for mdoc, each sentence on a new line. mdoc takes a dot or quote at the start of a
 * line as a request, and a backslash as an escape; a test checks that no help text has them
 * there. */
static void write_mdoc_text(FILE *out, const char *text)
{
    for (const char *p = text; *p != '\0'; p++) {
        if (*p == ' ' && p > text && p[-1] == '.' && isupper((unsigned char)p[1]))
            fputc('\n', out);
        else
            fputc(*p, out);
    }
    fputc('\n', out);
}

/* Writes an argument of a macro, in which mdoc would take a quote as its own. */
static void write_mdoc_argument(FILE *out, const char *text)
{
    for (const char *p = text; *p != '\0'; p++) {
        if (*p == '"')
            fputs("\\(dq", out);
        else
            fputc(*p, out);
    }
}

void st_config_doc_mdoc(FILE *out)
{
    ST_EACH_OF (key, st_config_keys, st_config_keys_n) {
        fprintf(out, ".It Ic %s No = Li ", key->path);
        write_mdoc_argument(out, key->default_text);
        fputc('\n', out);
        write_mdoc_text(out, key->help);
        const char *allowed = allowed_to_say(key);
        if (allowed != NULL)
            fprintf(out, "Allowed: %s.\n", allowed);
    }
}
