/* PipeWire's relaxed JSON, as far as settings need it. */
#include <string.h>

#include "advisor/parse/parse_linux.h"

#define TOKEN_BYTES 128
#define DEPTH_MAX   32

enum token { TOKEN_END, TOKEN_OPEN, TOKEN_CLOSE, TOKEN_WORD };

struct scanner {
    const char *at;
    bool array; /* the bracket that was opened last is '[' */
    bool kept;  /* the word fitted into `word` */
    char word[TOKEN_BYTES];
};

static void keep(struct scanner *s, const char *from, size_t len)
{
    s->kept = len < sizeof(s->word);
    if (!s->kept)
        len = 0;
    memcpy(s->word, from, len);
    s->word[len] = '\0';
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
        while (from[len] != '\0' && from[len] != '"')
            len += from[len] == '\\' && from[len + 1] != '\0' ? 2 : 1;
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
    char name[TOKEN_BYTES]; /* of the object */
    bool array;
};

void st_parse_spa(const char *text, st_setting_fn fn, void *ctx)
{
    struct scanner s = {.at = text};
    struct level levels[DEPTH_MAX] = {0};
    size_t depth = 0; /* may grow beyond the levels that are kept */
    char key[TOKEN_BYTES] = "";
    bool has_key = false;
    for (enum token token = next_token(&s); token != TOKEN_END; token = next_token(&s)) {
        const struct level *level = &levels[depth < DEPTH_MAX ? depth : DEPTH_MAX - 1];
        if (token == TOKEN_OPEN) {
            if (++depth < DEPTH_MAX) {
                memcpy(levels[depth].name, has_key ? key : "", has_key ? sizeof(key) : 1);
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
    }
}
