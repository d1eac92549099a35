/* The table of formats, and what they share. */
#include "advisor/parse/post.h"

const struct st_post_format *const st_post_formats[] = {
    &st_post_metadata, &st_post_top,  &st_post_journal, &st_post_ulimit,
    &st_post_ps,       &st_post_pcm,  &st_post_usb,     &st_post_interrupts,
    &st_post_rtcqs,    &st_post_inxi, &st_post_dmesg,   &st_post_listen,
};
const size_t st_post_formats_n = ST_ARRAY_LEN(st_post_formats);

void st_post_text(struct st_post *post, const char *key, const char *value)
{
    st_facts_put_text(post->facts, key, value, value, post->source);
}

void st_post_int(struct st_post *post, const char *key, int64_t value)
{
    st_facts_put_int(post->facts, key, value, NULL, post->source);
}

size_t st_post_words(char *line, char *ret[ST_POST_WORDS_MAX])
{
    size_t n = 0;
    char *at = line + strspn(line, " \t");
    while (*at != '\0' && n < ST_POST_WORDS_MAX) {
        ret[n++] = at;
        if (n == ST_POST_WORDS_MAX)
            break;
        at += strcspn(at, " \t");
        if (*at != '\0')
            *at++ = '\0';
        at += strspn(at, " \t");
    }
    return n;
}
