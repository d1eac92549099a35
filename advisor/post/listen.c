/* Posted texts: what `sleeptune listen --json` printed. */
#include "advisor/post/post.h"
#include "core/text/text.h"

#define PPM_MAX    1e6
#define CLOCKS_PPM 1000 /* more makes a run invalid: the remark "clocks" */

static void put_ppm(struct st_post *post, const char *key, const char *number)
{
    char *end;
    const double ppm = strtod(number, &end);
    if (end != number && fabs(ppm) < PPM_MAX)
        st_post_int(post, key, llround(ppm));
    else if (!st_text_begins(number, "null"))
        st_facts_put_state(post->facts, key, ST_FACT_MALFORMED, 0, number, post->name);
}

/* A recording that was made elsewhere has no "back": its clock is no card's of this machine. A line that
 * begins with "}" ends the document. */
bool st_post_listen(struct st_post *post, char *line)
{
    const bool was_seen = post->listen.seen;
    const char *at = line + strspn(line, " "), *colon = strstr(at, ": "),
               *value = colon != NULL ? colon + 2 : "";
    if (post->listen.live)
        st_post_kind(post, "sleeptune listen");
    if (st_text_begins(at, "\"schema\": "))
        post->listen.seen = post->listen.live = st_text_begins(value, "\"sleeptune-listen/1\"");
    else if (line[0] == '}')
        post->listen.seen = post->listen.live = false;
    else if (st_text_begins(at, "\"back\": null") || st_text_begins(at, "\"kernel\": \"FreeBSD"))
        post->listen.live = false;
    else if (st_text_begins(at, "\"valid\": "))
        post->listen.valid = st_text_begins(value, "true");
    else if (post->listen.live && st_text_begins(at, "\"drift_ppm\": ") && !post->listen.valid &&
             fabs(strtod(value, NULL)) <= CLOCKS_PPM)
        st_post_int(post, ST_KEY_LISTEN_INVALID, 1);
    else if (post->listen.live && st_text_begins(at, "\"drift_ppm\": "))
        put_ppm(post, ST_KEY_LISTEN_DRIFT_PPM, value);
    else if (post->listen.live && st_text_begins(at, "\"rate_ppm\": "))
        put_ppm(post, ST_KEY_LISTEN_RATE_PPM, value);
    return (was_seen || post->listen.seen) && *at != '\0' && strchr("\"{}[]", *at) != NULL;
}
