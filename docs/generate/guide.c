/* Prints the setup guide: for each setting why, now, for ever, check, cost and undo. */
#include "docs/generate/guide.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/report/print.h"

#define WIDTH 110
#define LINE_FULL                                                                                            \
    70 /* columns, from which on a line of words goes on in the next: rule.h, struct st_rule_guide */

struct writer {
    FILE *out;
    const struct st_guide *guide;
    bool failed; /* out of memory */
};

/** Prints a wrapped paragraph after `label`, which is Markdown; further lines begin at `indent`. */
static void paragraph(struct writer *w, int label_indent, const char *label, int indent, const char *text)
{
    char *markdown = NULL;
    size_t bytes;
    FILE *memory = open_memstream(&markdown, &bytes);
    if (memory != NULL)
        st_guide_put_prose(memory, w->guide, text);
    if (memory == NULL || fclose(memory) != 0) {
        w->failed = true;
        free(markdown);
        return;
    }
    const struct st_printer printer = {w->out, WIDTH, false};
    st_print_wrapped(&printer, label_indent, label, indent, markdown);
    free(markdown);
}

/** Prints paragraphs, which an empty line divides. */
static void paragraphs(struct writer *w, const char *text)
{
    while (*text != '\0') {
        const char *end = strstr(text, "\n\n");
        char *one = end != NULL ? strndup(text, (size_t)(end - text)) : strdup(text);
        if (one == NULL) {
            w->failed = true;
            return;
        }
        fputc('\n', w->out);
        paragraph(w, 0, "", 0, one);
        free(one);
        text = end != NULL ? end + 2 : text + strlen(text);
    }
}

static void block(struct writer *w, const char *language, const char *text, size_t bytes)
{
    fprintf(w->out, "\n```%s\n%.*s\n```\n", language, (int)bytes, text);
}

/* --- "for ever": lines of files, commands, and words about them --- */

enum line { LINE_CODE, LINE_FILE, LINE_THEN, LINE_WORDS };

static enum line line_kind(const char *line, size_t bytes)
{
    if (line[0] != '#')
        return LINE_CODE;
    if (strncmp(line, "# /", 3) == 0)
        return LINE_FILE;
    if ((bytes == 6 && strncmp(line, "# then", 6) == 0) || (bytes == 5 && strncmp(line, "# and", 5) == 0))
        return LINE_THEN;
    return LINE_WORDS;
}

static size_t line_bytes(const char *text)
{
    return strcspn(text, "\n");
}

/** Does this line of words go on in the next one? A full one does, unless it is a command, and one with ','
 * or
 * ':' at its end. */
static bool goes_on(const char *line, size_t bytes)
{
    return line[bytes - 1] == ',' || line[bytes - 1] == ':' ||
           (bytes >= LINE_FULL && memmem(line, bytes, "sudo ", 5) == NULL);
}

/** Finds the lines from here on that have this kind and belong together. @return the text after them. */
static const char *run_of(const char *text, enum line kind, size_t *ret_bytes)
{
    const char *at = text;
    *ret_bytes = 0;
    while (*at != '\0' && line_kind(at, line_bytes(at)) == kind) {
        const bool last = kind == LINE_FILE || (kind == LINE_WORDS && !goes_on(at, line_bytes(at)));
        at += line_bytes(at);
        *ret_bytes = (size_t)(at - text);
        at += *at == '\n';
        if (last)
            break;
    }
    return at;
}

/** Makes "a b." of "# a\n# b"; a colon at the end if code follows. The caller frees it. @return NULL: out of
 * memory. */
static char *words_of(const char *text, size_t bytes, bool code_follows)
{
    char *words = calloc(1, bytes + 3);
    size_t n = 0;
    if (words == NULL)
        return NULL;
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] == '#' && (i == 0 || text[i - 1] == '\n')) {
            i += i + 1 < bytes && text[i + 1] == ' ';
            continue;
        }
        words[n++] = text[i] == '\n' ? ' ' : text[i];
    }
    if (n > 0 && words[n - 1] != ':')
        words[n++] = code_follows ? ':' : '.';
    return words;
}

/** Prints the comment before a block as a paragraph. first: it begins with "For ever". */
static void words(struct writer *w, enum line kind, const char *text, size_t bytes, bool first)
{
    char *sentence =
        words_of(text, bytes, text[bytes] == '\n' && line_kind(text + bytes + 1, 0) == LINE_CODE);
    if (sentence == NULL) {
        w->failed = true;
        return;
    }
    fputc('\n', w->out);
    if (kind == LINE_FILE) {
        /* "/etc/sysctl.conf, as ..." and "/etc/sysctl.conf: as ..." */
        char *rest = sentence + strcspn(sentence, " ");
        if (rest > sentence && rest[-1] == ':' && *rest == ' ')
            rest[-1] = ',';
        paragraph(w, 0, first ? "**For ever**, in" : "In", 0, sentence);
    } else {
        const size_t name = strcspn(sentence, " .");
        if (!first && sentence[0] >= 'a' && sentence[0] <= 'z' && sentence[name] == ' ')
            sentence[0] = (char)(sentence[0] - 'a' + 'A');
        paragraph(w, 0, first ? "**For ever:**" : "", 0, sentence);
    }
    free(sentence);
}

/** Is the block a command? Lines of a file without a name begin with a section in brackets. */
static bool is_shell(const char *text, bool file)
{
    return strncmp(text, "sudo ", 5) == 0 || (!file && text[0] != '[');
}

static void persistent(struct writer *w, const char *text)
{
    bool first = true, file = false;
    while (*text != '\0') {
        const enum line kind = line_kind(text, line_bytes(text));
        size_t bytes;
        const char *next = run_of(text, kind, &bytes);
        switch (kind) {
        case LINE_CODE:
            if (first)
                fputs("\n**For ever:**\n", w->out);
            block(w, is_shell(text, file) ? "sh" : "", text, bytes);
            break;
        case LINE_FILE:
            file = true;
            words(w, kind, text, bytes, first);
            break;
        case LINE_THEN:
            file = false;
            fputs("\nThen:\n", w->out);
            break;
        case LINE_WORDS:
            file = memmem(text, bytes, " /etc/", 6) != NULL;
            words(w, kind, text, bytes, first);
            break;
        }
        first = false;
        text = next;
    }
}

/* --- a setting --- */

static const char *needs_sentence(enum st_needs needs)
{
    switch (needs) {
    case ST_NEEDS_NOTHING:
        break;
    case ST_NEEDS_REOPEN:
        return "Programs have to open the sound device again.";
    case ST_NEEDS_RELOGIN:
        return "It counts from the next login on.";
    case ST_NEEDS_REBOOT:
        return "It takes effect with the next boot.";
    }
    return NULL;
}

/** Prints "- **Label:** text." */
static void bullet(struct writer *w, const char *label, const char *before, const char *text)
{
    char *line = NULL, head[64];
    const size_t len = strlen(text);
    const char *stop = len > 0 && text[len - 1] == '.' ? "" : ".";
    if (asprintf(&line, "%s%s%s", before, text, stop) < 0) {
        w->failed = true;
        return;
    }
    snprintf(head, sizeof(head), "- **%s:**", label);
    paragraph(w, 0, head, 2, line);
    free(line);
}

static void cost(struct writer *w, const char *text)
{
    static const char none[] = "none";
    const bool nothing = strncmp(text, none, strlen(none)) == 0;
    bullet(w, "Costs", nothing ? "nothing" : "", nothing ? text + strlen(none) : text);
}

static void undo(struct writer *w, const struct st_rule *rule)
{
    char before[160] = "";
    const bool nothing = strncmp(rule->guide.undo, "nothing ", 8) == 0;
    if (rule->applicability == ST_APPLY_AUTO && !nothing)
        snprintf(before, sizeof(before),
                 "%ssleeptune revert %s, if sleeptune applied it. By hand: ", w->guide->root, rule->id);
    bullet(w, "Undo", before, rule->guide.undo);
}

static void setting(struct writer *w, const struct st_rule *rule)
{
    const struct st_rule_guide *guide = &rule->guide;
    fprintf(w->out, "\n### %s\n", rule->title);
    paragraphs(w, rule->mechanism);
    if (guide->now != NULL) {
        fputs("\n**Now:**\n", w->out);
        block(w, "sh", guide->now, strlen(guide->now));
    }
    if (guide->persistent != NULL)
        persistent(w, guide->persistent);
    if (needs_sentence(guide->needs) != NULL)
        paragraphs(w, needs_sentence(guide->needs));
    fputs("\n**Check:**\n", w->out);
    block(w, "sh", guide->check, strlen(guide->check));
    fputc('\n', w->out);
    cost(w, rule->cost);
    if (strncmp(rule->when_not, "never: ", 7) != 0)
        bullet(w, "Not when", "", rule->when_not);
    undo(w, rule);
    fprintf(w->out, "- **More:** `sleeptune report %s`\n", rule->id);
}

static void apply_block(struct writer *w)
{
    const char *root = w->guide->root;
    char *text = NULL;
    const int n = asprintf(&text,
                           "%ssleeptune apply ID    # makes a change, and remembers what was there before\n"
                           "%ssleeptune verify      # after a reboot: is it in force?\n"
                           "%ssleeptune revert ID   # takes it back",
                           root, root, root);
    if (n < 0)
        w->failed = true;
    else
        block(w, "sh", text, (size_t)n);
    free(n < 0 ? NULL : text);
}

/* --- the page --- */

static void contents(struct writer *w)
{
    fputs("\n## Contents\n\n", w->out);
    for (const struct st_guide_chapter *chapter = w->guide->chapters; chapter->title != NULL; chapter++) {
        fprintf(w->out, "%d. %s\n", (int)(chapter - w->guide->chapters) + 1, chapter->title);
        for (const char *const *id = chapter->ids; *id != NULL; id++)
            paragraph(w, 3, "-", 5, *id);
    }
}

static void leave_alone(struct writer *w)
{
    fputs("\n## What you can leave alone\n", w->out);
    paragraphs(
        w, "Other guides name these. Leave them as they are: the default is right, or an audio program does "
           "not notice.");
    fputc('\n', w->out);
    for (size_t i = 0; i < st_rules_n; i++) {
        const struct st_rule *rule = st_rules[i];
        char head[128];
        if (st_rule_os(rule) != w->guide->os || rule->worst != ST_STATUS_OK)
            continue;
        snprintf(head, sizeof(head), "- **%s.**", rule->title);
        paragraph(w, 0, head, 2, rule->mechanism);
    }
}

int st_guide_print(enum st_os os, FILE *out)
{
    static const char measure[] = "sleeptune check --frames 128";
    struct writer w = {.out = out, .guide = st_guide_of(os)};
    fprintf(out, "# %s\n\n<!-- Written by docs/generate from advisor/rules; do not edit. -->\n",
            w.guide->title);
    paragraphs(&w, w.guide->intro);
    contents(&w);
    fputs("\n## Measure first\n", out);
    paragraphs(&w, "This runs an audio-shaped loop for ten seconds, says whether the machine keeps up, and "
                   "names the settings below that differ on it:");
    block(&w, "sh", measure, strlen(measure));
    paragraphs(&w,
               "Change one thing at a time, measure again, and keep what helped. Each section names its ID, "
               "with which sleeptune can make the change for you; all of it can also be done by hand, as "
               "shown.");
    apply_block(&w);
    for (const struct st_guide_chapter *chapter = w.guide->chapters; chapter->title != NULL; chapter++) {
        fprintf(out, "\n## %d. %s\n", (int)(chapter - w.guide->chapters) + 1, chapter->title);
        paragraphs(&w, chapter->intro);
        for (const char *const *id = chapter->ids; *id != NULL; id++)
            setting(&w, st_rule_find(*id));
    }
    leave_alone(&w);
    if (w.failed)
        return -ENOMEM;
    return fflush(out) == 0 && ferror(out) == 0 ? 0 : -EIO;
}
