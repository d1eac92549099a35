/* Prints plain sentences as Markdown. Code (settings, files, commands) is recognised by its spelling. */
#include "docs/generate/guide.h"

#include <ctype.h>
#include <string.h>

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

int st_guide_chapter_of(const struct st_guide *guide, const char *id)
{
    for (int c = 0; guide->chapters[c].title != NULL; c++) {
        for (const char *const *at = guide->chapters[c].ids; *at != NULL; at++) {
            if (strcmp(*at, id) == 0)
                return c;
        }
    }
    return -1;
}

/** Prints the anchor of a heading as GitHub and GitLab name it: "#the-heading". */
static void put_anchor(FILE *out, const char *heading)
{
    fputc('#', out);
    for (; *heading != '\0'; heading++) {
        if (isalnum((unsigned char)*heading) || *heading == '-' || *heading == '_')
            fputc(tolower((unsigned char)*heading), out);
        else if (*heading == ' ')
            fputc('-', out);
    }
}

/** Prints text and escapes what would be markup. */
static void put_plain(FILE *out, const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        const bool lone = text[i] == '*' && (i == 0 || text[i - 1] == ' ') && i + 1 == bytes;
        if (strchr("\\`*<>[]", text[i]) != NULL && !lone)
            fputc('\\', out);
        fputc(text[i], out);
    }
}

static void put_code(FILE *out, const char *text, size_t bytes)
{
    fprintf(out, "`%.*s`", (int)bytes, text);
}

static bool is_flag(const char *word)
{
    return word[0] == '-' && isalpha((unsigned char)word[1]) != 0;
}

/** Is the word code: kern.hz, sysctl.conf, /etc/rc.conf, SCHED_FIFO, quantum=64, -p? Not 15.0, e.g. or
 * and/or. */
static bool is_code(const char *word, size_t bytes)
{
    const size_t letters = strspn(word, LETTERS);
    if (bytes < 2)
        return false;
    if ((word[0] == '/' || word[0] == '~') && bytes > 2)
        return true;
    if (is_flag(word))
        return true;
    if (memchr(word, '_', bytes) != NULL || (memchr(word, '=', bytes) != NULL && letters > 0))
        return true;
    const char *dot = memchr(word, '.', bytes);
    return dot != NULL && bytes > 4 && letters > 0 && (size_t)(dot - word) + 1 < bytes &&
           strchr(LETTERS, dot[1]) != NULL && memchr(word, '(', bytes) == NULL;
}

/** Does a command begin here? text: the beginning of a clause. */
static bool is_command(const char *text)
{
    static const char *const programs[] = {
        "sudo ",      "sleeptune ", "sysctl ",      "sysrc ",  "service ",          "pw ",
        "kldunload ", "cap_mkdb ",  "pw-metadata ", "rtprio ", "powerprofilesctl ", "systemctl ",
        "echo ",      "sndctl ",
    };
    for (size_t i = 0; i < ST_ARRAY_LEN(programs); i++) {
        if (strncmp(text, programs[i], strlen(programs[i])) == 0)
            return true;
    }
    return false;
}

/** @return the bytes of the command that begins here: it ends with the clause. */
static size_t command_bytes(const char *text)
{
    static const char *const ends[] = {";", ",", " and ", " with ", " enables ", " brings "};
    size_t bytes = strlen(text);
    for (size_t i = 0; i < ST_ARRAY_LEN(ends); i++) {
        const char *end = strstr(text, ends[i]);
        if (end != NULL && (size_t)(end - text) < bytes)
            bytes = (size_t)(end - text);
    }
    return bytes > 0 && text[bytes - 1] == '.' ? bytes - 1 : bytes;
}

static bool put_link(FILE *out, const struct st_guide *guide, const char *word, size_t bytes)
{
    char id[64];
    if (bytes >= sizeof(id))
        return false;
    memcpy(id, word, bytes);
    id[bytes] = '\0';
    const struct st_rule *rule = st_rule_find(id);
    if (rule == NULL)
        return false;
    if (st_guide_chapter_of(guide, id) < 0) {
        put_code(out, id, bytes);
        return true;
    }
    const char *bracket = strstr(rule->title, " (");
    const size_t title = bracket != NULL ? (size_t)(bracket - rule->title) : strlen(rule->title);
    fprintf(out, "[%.*s](", (int)title, rule->title);
    put_anchor(out, rule->title);
    fputc(')', out);
    return true;
}

/** Prints one word with the punctuation around it. */
static void put_word(FILE *out, const struct st_guide *guide, const char *word, size_t bytes)
{
    size_t begin = 0, end = bytes;
    while (begin < end && strchr("(\"'", word[begin]) != NULL)
        begin++;
    while (end > begin && strchr(".,;:)\"'", word[end - 1]) != NULL)
        end--;
    /* sound(4), acpi_cpu_idle(), kern.hz="1000" */
    if (end < bytes && memchr(word + begin, word[end] == ')' ? '(' : word[end], end - begin) != NULL)
        end += word[end] == ')' || word[end] == '"';
    put_plain(out, word, begin);
    if (!put_link(out, guide, word + begin, end - begin)) {
        if (is_code(word + begin, end - begin))
            put_code(out, word + begin, end - begin);
        else
            put_plain(out, word + begin, end - begin);
    }
    put_plain(out, word + end, bytes - end);
}

/** @return the bytes of the word here; "-p 128 -n 3" is one word. */
static size_t word_bytes(const char *text)
{
    static const char white[] = " \n";
    size_t bytes = strcspn(text, white);
    if (!is_flag(text))
        return bytes;
    while (text[bytes] == ' ' && (isdigit((unsigned char)text[bytes + 1]) != 0 || is_flag(text + bytes + 1)))
        bytes += 1 + strcspn(text + bytes + 1, white);
    return bytes;
}

/** @return the bytes between single quotes, as in "'cpuset -l'"; 0: the text does not begin with a quote. */
static size_t quoted_bytes(const char *text)
{
    const char *end = text[0] == '\'' ? strchr(text + 1, '\'') : NULL;
    return end != NULL && strchr(" .,;:)", end[1]) != NULL ? (size_t)(end - text) - 1 : 0;
}

void st_guide_put_prose(FILE *out, const struct st_guide *guide, const char *text)
{
    bool clause = true; /* a command may begin here */
    while (*text != '\0') {
        if (text[0] == '(')
            fputc(*text++, out);
        const size_t quoted = quoted_bytes(text);
        const size_t bytes = quoted > 0                   ? quoted + 2
                             : clause && is_command(text) ? command_bytes(text)
                                                          : word_bytes(text);
        if (quoted > 0)
            put_code(out, text + 1, quoted);
        else if (clause && is_command(text))
            put_code(out, text, bytes);
        else
            put_word(out, guide, text, bytes);
        clause =
            bytes > 0 && (text[bytes - 1] == ';' || text[bytes - 1] == ':' || text[bytes - 1] == '.' ||
                          (bytes == 3 && (strncmp(text, "run", 3) == 0 || strncmp(text, "and", 3) == 0)));
        text += bytes;
        if (*text == ';' || *text == ',') {
            clause = *text == ';';
            fputc(*text++, out);
        }
        for (; *text == ' ' || *text == '\n'; text++)
            fputc(' ', out);
    }
}
