/* Parsers of Linux' text files: settings, relaxed JSON, names of drivers. */
#include "advisor/parse/linux_text.h"

#include "advisor/facts/text.h"

/* --- lines "key = value" --- */

void st_linux_text_settings(char *text, st_setting_fn fn, void *ctx)
{
    const char *section = "";
    ST_TEXT_EACH (line, text, "\r\n") {
        st_text_trim(line);
        const size_t len = strlen(line);
        if (len == 0 || strchr("#;", line[0]) != NULL)
            continue;
        if (line[0] == '[' && line[len - 1] == ']') {
            line[len - 1] = '\0';
            section = line + 1;
            continue;
        }
        char *value = strchr(line, '=');
        if (value == NULL)
            continue;
        *value++ = '\0';
        st_text_trim(line);
        st_text_trim(value);
        fn(ctx, section, line, value);
    }
}

/** The words are parts of the names of drivers that /proc/interrupts lists. */
bool st_linux_text_carries_sound(const char *actions)
{
    static const char *const words[] = {"snd",      "hda",  "AudioDSP", "sof-", "ACP_",
                                        "xhci",     "ehci", "ohci",     "uhci", "dwc",
                                        "firewire", "usb",  NULL};
    return st_text_has_among(actions, words);
}

/* --- PipeWire's relaxed JSON, as far as settings need it --- */

#define TOKEN_BYTES 128
#define DEPTH_MAX   32

enum token { TOKEN_END, TOKEN_OPEN, TOKEN_CLOSE, TOKEN_WORD };

struct scanner {
    const char *at;
    bool array; /* the bracket that was opened last is '[' */
    bool kept;  /* `word` has the whole word; false: it was too long */
    char word[TOKEN_BYTES];
};

static void keep(struct scanner *s, const char *from, size_t len)
{
    s->kept = st_text_copy(s->word, sizeof(s->word), from, len);
}

static enum token next_token(struct scanner *s)
{
    for (;;) {
        s->at += strspn(s->at, " \t\r\n,=:");
        if (*s->at != '#')
            break;
        s->at += strcspn(s->at, "\n");
    }
    const char *from = s->at;
    if (*from == '\0')
        return TOKEN_END;
    if (*from == '{' || *from == '[') {
        s->array = *from == '[';
        s->at++;
        return TOKEN_OPEN;
    }
    if (*from == '}' || *from == ']') {
        s->at++;
        return TOKEN_CLOSE;
    }
    if (*from == '"') {
        from++;
        size_t len = 0;
        for (; from[len] != '\0' && from[len] != '"'; len++)
            len += from[len] == '\\' && from[len + 1] != '\0';
        keep(s, from, len);
        s->at = from + len + (from[len] == '"');
        return TOKEN_WORD;
    }
    const size_t len = strcspn(from, " \t\r\n,=:{}[]\"#");
    keep(s, from, len);
    s->at = from + len;
    return TOKEN_WORD;
}

struct level {
    char name[TOKEN_BYTES]; /* name of the object or array */
    bool array;
};

void st_linux_text_spa(const char *text, st_setting_fn fn, void *ctx)
{
    struct scanner s = {.at = text};
    struct level levels[DEPTH_MAX] = {0};
    size_t depth = 0; /* may exceed the number of `levels`: deeper settings are skipped */
    char key[TOKEN_BYTES] = "";
    bool has_key = false;
    for (enum token token = next_token(&s); token != TOKEN_END; token = next_token(&s)) {
        const struct level *level = &levels[ST_MIN(depth, DEPTH_MAX - 1)];
        if (token == TOKEN_OPEN) {
            if (++depth < DEPTH_MAX) {
                ST_PRINT(levels[depth].name, "%s", key);
                levels[depth].array = s.array;
            }
            has_key = false;
        } else if (token == TOKEN_CLOSE) {
            depth -= depth > 0;
            has_key = false;
        } else if (depth >= DEPTH_MAX || level->array || !s.kept) {
            has_key = false;
        } else if (!has_key) {
            memcpy(key, s.word, sizeof(key));
            has_key = true;
        } else {
            fn(ctx, level->name, key, s.word);
            has_key = false;
        }
        if (!has_key)
            key[0] = '\0';
    }
}
