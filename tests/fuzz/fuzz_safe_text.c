/* Foreign text on its way out: safe text is valid UTF-8 without a character that acts, and stays as
 * it is when it is made safe again. A quoted word is read back by a model of sh as the same word.
 * The rules stand here a second time, written from RFC 3629 and the POSIX shell. */
#include "core/text/safe.h"
#include "tests/fuzz/fuzz.h"

static void require(int ok, const char *what)
{
    if (!ok) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

/* RFC 3629's table of well-formed byte sequences. */
static size_t well_formed(const unsigned char *p)
{
    static const struct {
        unsigned char first[2], second[2], bytes;
    } forms[] = {
        {{0xC2, 0xDF}, {0x80, 0xBF}, 2}, {{0xE0, 0xE0}, {0xA0, 0xBF}, 3},
        {{0xE1, 0xEC}, {0x80, 0xBF}, 3}, {{0xED, 0xED}, {0x80, 0x9F}, 3},
        {{0xEE, 0xEF}, {0x80, 0xBF}, 3}, {{0xF0, 0xF0}, {0x90, 0xBF}, 4},
        {{0xF1, 0xF3}, {0x80, 0xBF}, 4}, {{0xF4, 0xF4}, {0x80, 0x8F}, 4},
    };
    if (p[0] > 0 && p[0] < 0x80)
        return 1;
    ST_EACH (form, forms) {
        if (p[0] < form->first[0] || p[0] > form->first[1])
            continue;
        if (p[1] < form->second[0] || p[1] > form->second[1])
            return 0;
        for (size_t at = 2; at < form->bytes; at++) {
            if ((p[at] & 0xC0) != 0x80)
                return 0;
        }
        return form->bytes;
    }
    return 0;
}

/* What acts on a terminal, a log viewer or a browser, as bytes of UTF-8. */
static int acts(const unsigned char *p)
{
    static const char *const marks[] = {
        "\xD8\x9C",     "\xE2\x80\x8E", "\xE2\x80\x8F", "\xE2\x80\xA8",
        "\xE2\x80\xA9", "\xE2\x80\xAA", "\xE2\x80\xAB", "\xE2\x80\xAC",
        "\xE2\x80\xAD", "\xE2\x80\xAE", "\xE2\x81\xA6", "\xE2\x81\xA7",
        "\xE2\x81\xA8", "\xE2\x81\xA9", "\xEF\xBF\xBE", "\xEF\xBF\xBF",
    };
    ST_EACH (mark, marks) {
        if (strncmp((const char *)p, *mark, strlen(*mark)) == 0)
            return 1;
    }
    return p[0] < 0x20 || p[0] == 0x7F || (p[0] == 0xC2 && p[1] >= 0x80 && p[1] <= 0x9F);
}

static int is_safe(const char *text, int lines)
{
    for (const unsigned char *p = (const unsigned char *)text; *p != '\0';) {
        const size_t bytes = well_formed(p);
        if (bytes == 0 || (acts(p) && !(lines && *p == '\n')))
            return 0;
        p += bytes;
    }
    return 1;
}

static void check_copies(const char *text, size_t bytes, char *copy)
{
    const size_t whole = strlen(text);
    const size_t n = st_safe_copy(copy, whole + 1, text, ST_TEXT_TO_NUL);
    require(n == strlen(copy) && n <= whole, "a copy is longer than the text");
    require(is_safe(copy, 0), "a copy is not safe");
    require(st_safe_is(text) == is_safe(text, 0), "st_safe_is is wrong");
    require(!st_safe_is(text) || strcmp(copy, text) == 0, "safe text was changed");
    require(strcmp(st_safe_text(copy), copy) == 0 && strlen(copy) == n,
            "not the same when made safe again");
    for (size_t room = 1; room < 12; room++) {
        char small[16];
        memset(small, '#', sizeof(small));
        require(st_safe_copy(small, room, text, ST_TEXT_TO_NUL) < room && small[room] == '#',
                "beyond the room");
        require(is_safe(small, 0) && strncmp(small, copy, strlen(small)) == 0,
                "a short copy is another one");
    }
    (void)st_safe_copy(copy, whole + 1, text, bytes / 2);
    require(is_safe(copy, 0), "a copy of a part is not safe");
}

static char *printed(void (*print)(FILE *out, const char *text, size_t bytes), const char *text)
{
    char *ret = NULL;
    size_t bytes;
    FILE *out = open_memstream(&ret, &bytes);
    require(out != NULL, "out of memory");
    print(out, text, ST_TEXT_TO_NUL);
    require(fclose(out) == 0, "out of memory");
    return ret;
}

static void xml(FILE *out, const char *text, size_t bytes)
{
    (void)bytes;
    st_safe_print_xml(out, text);
}

static void check_prints(const char *text, const char *copy)
{
    char *line = printed(st_safe_print, text), *lines = printed(st_safe_print_lines, text),
         *html = printed(xml, text);
    require(strcmp(line, copy) == 0, "what is printed is not what is copied");
    require(is_safe(lines, 1), "printed lines are not safe");
    require(is_safe(html, 0) && strpbrk(html, "<>\"'") == NULL, "HTML is not safe");
    free(line);
    free(lines);
    free(html);
}

/* What sh makes of a line that holds one word, by POSIX 2.2; aborts where it would do anything else
 * with it. */
static void read_word(const char *line, char *ret)
{
    require(strchr("~#=", line[0]) == NULL || line[0] == '\0', "the first character acts");
    require(line[0] != '\0', "no word");
    for (int quoted = 0; *line != '\0' || quoted; line++) {
        require(*line != '\0', "a quote is open");
        require(*line != '!' || line[-1] == '\\', "csh would look into its history");
        if (*line == '\'') {
            quoted = !quoted;
        } else if (quoted) {
            *ret++ = *line;
        } else if (*line == '\\') {
            require(*++line != '\0', "a backslash at the end");
            *ret++ = *line;
        } else {
            require(strchr(" \t\n|&;<>()$`\"*?[#~{}", *line) == NULL, "sh would act on it");
            *ret++ = *line;
        }
    }
    *ret = '\0';
}

static void check_word(const char *text)
{
    const size_t room = 4 * strlen(text) + 3;
    char *buf = malloc(room), *again = malloc(room);
    require(buf != NULL && again != NULL, "out of memory");
    const char *word = st_safe_shell_word(text, buf, room);
    require((word != NULL) == is_safe(text, 0), "a word is refused if and only if it is not safe");
    if (word != NULL) {
        read_word(word, again);
        require(strcmp(again, text) == 0, "sh reads another word");
        require(is_safe(word, 0), "a quoted word is not safe");
    }
    free(buf);
    free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1), *copy = malloc(size + 1);
    require(text != NULL && copy != NULL, "out of memory");
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    check_copies(text, size, copy);
    (void)st_safe_copy(copy, size + 1, text, ST_TEXT_TO_NUL);
    check_prints(text, copy);
    check_word(text);
    free(text);
    free(copy);
    return 0;
}
