/* Functions with which the readers of posted texts put kinds of text, facts and sentences. */
#include "advisor/post/post.h"

void st_post_kind(struct st_post *post, const char *kind)
{
    const char *all = st_text(", %s,", post->kinds);
    if (strstr(all, st_text(", %s,", kind)) == NULL)
        st_text_join(post->kinds, sizeof(post->kinds), ", ", "%s", kind);
}

void st_post_text(struct st_post *post, const char *key, const char *value)
{
    st_facts_put_text(post->facts, key, value, st_text("%.250s:%zu", post->name, post->line_n));
}

void st_post_int(struct st_post *post, const char *key, int64_t value)
{
    st_post_text(post, key, st_text("%jd", value));
}

void st_post_say(struct st_post *post, const char *format, ...)
{
    char text[800];
    if (post->said_n == ST_POST_SAID_MAX)
        return;
    ST_PRINT_REST(text, sizeof(text), format);
    st_post_text(post, st_text(ST_KEYS_SYSTEM_SEEN "%02zu", post->said_n++), text);
}

size_t st_post_words(char *line, char *ret[ST_POST_WORDS_MAX])
{
    size_t n = 0;
    ST_TEXT_EACH (word, line, " \t") {
        if (n < ST_POST_WORDS_MAX)
            ret[n++] = word;
    }
    return n;
}

char *st_post_fill(const char *with, const struct st_pattern_parts *parts, const char *letters,
                   const char *const *texts)
{
    char to[700] = "";
    for (; *with != '\0'; with++) {
        if (*with != '$') {
            ST_APPEND(to, "%c", *with);
            continue;
        }
        const size_t i = (size_t)(*++with - '1');
        const char *letter = strchr(letters, *with);
        if (i < parts->n)
            ST_APPEND(to, "%s", parts->text[i]);
        else if (letter != NULL)
            ST_APPEND(to, "%s", texts[letter - letters]);
    }
    return st_text("%s", to);
}
