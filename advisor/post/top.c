/* Reads posted outputs of pw-top. */
#include "advisor/post/post.h"

/* --- rows of pw-top: S ID QUANT RATE WAIT BUSY W/Q B/Q ERR [FORMAT] [+] NAME; PipeWire
 * src/tools/pw-top.c
 * --- */

enum {
    TOP_STATE,
    TOP_ID,
    TOP_FRAMES,
    TOP_RATE,
    TOP_WAIT,
    TOP_BUSY,
    TOP_WAIT_Q,
    TOP_BUSY_Q,
    TOP_ERRORS,
    TOP_N
};

/** Is this a time as pw-top prints it: "168.7us", "0.0µs", "1.2ms", "---"? */
static bool is_time(const char *word)
{
    const size_t digits = strspn(word, "0123456789.");
    return st_text_is(word, "---") || st_text_is(word, "+++") ||
           (digits > 0 && word[strlen(word) - 1] == 's');
}

static struct st_post_node *node_of(struct st_post *post, int64_t id)
{
    ST_EACH_OF (node, post->top.nodes, post->top.n) {
        if (node->id == id)
            return node;
    }
    return post->top.n < ST_POST_NODES_MAX ? &post->top.nodes[post->top.n++] : NULL;
}

/** Reads the words after the counters: the format, which only later versions print, '+' or '=' if
 * the node follows another one, and the name, which may contain blanks. */
static void take_name(struct st_post_node *node, char *const *words, size_t n)
{
    size_t i = TOP_N;
    for (size_t k = TOP_N; k < n && k < TOP_N + 4 && !node->follows; k++) {
        node->async = st_text_is(words[k], "=");
        node->follows = st_text_is(words[k], "+") || node->async;
        if (node->follows)
            i = k + 1;
    }
    if (!node->follows && n >= TOP_N + 4 && strspn(words[TOP_N + 1], "0123456789") > 0)
        i = TOP_N + 3; /* the row is "... S16LE 2 48000 NAME" */
    node->name[0] = '\0';
    for (; i < n; i++)
        st_text_join(node->name, sizeof(node->name), " ", "%s", words[i]);
}

bool st_post_top(struct st_post *post, char *line)
{
    char *words[ST_POST_WORDS_MAX], running[] = "R";
    struct st_pattern_parts parts;
    struct st_post_node now = {.line_n = post->line_n};
    size_t n = st_post_words(line, words);
    if (n >= 9 && n < ST_POST_WORDS_MAX && words[0][strspn(words[0], "0123456789")] == '\0') {
        /* older versions leave the state blank while a node runs */
        memmove(words + 1, words, n++ * sizeof(words[0]));
        words[TOP_STATE] = running;
    }
    if (n >= 10 && st_text_is(words[TOP_ID], "ID") && st_text_is(words[TOP_FRAMES], "QUANT")) {
        post->top.begins = true;
        return true;
    }
    if (n < 10 || strlen(words[TOP_STATE]) != 1 ||
        strchr("RISCEtT!", words[TOP_STATE][0]) == NULL ||
        st_text_int(words[TOP_ID], &now.id) != 0 ||
        st_text_int(words[TOP_FRAMES], &now.frames) != 0 ||
        st_text_int(words[TOP_RATE], &now.hz) != 0 || !is_time(words[TOP_WAIT]) ||
        !is_time(words[TOP_BUSY]) || st_text_int(words[TOP_ERRORS], &now.errors_n) != 0)
        return false;
    if (post->top.begins)
        post->top.n = 0; /* pw-top prints a screen again and again: the last one with rows counts */
    post->top.begins = false;
    /* "BGRx 2560x1396": a node of video, such as a shared screen, has a cycle of its own */
    if (n > TOP_N + 1 && st_pattern_match(words[TOP_N + 1], "%dx%d", &parts))
        return true;
    now.runs = strchr("RtT!", words[TOP_STATE][0]) != NULL && now.hz >= 0 && now.frames >= 0;
    /* some languages write "0,77" */
    now.busy = strtod(st_text_swap(words[TOP_BUSY_Q], ',', '.'), NULL);
    take_name(&now, words, n);
    struct st_post_node *node = node_of(post, now.id);
    if (node != NULL)
        *node = now;
    return true;
}

static void put_node(struct st_post *post, int64_t id, const char *leaf, const char *value)
{
    st_post_text(post, st_text(ST_KEYS_PIPEWIRE_NODE "%jd.%s", id, leaf), value);
}

/* Adds a sentence if no program has errors. @param worst any program; NULL: none is in the text.
 * @param most_n the most errors of any row. */
static void say_no_program(struct st_post *post, const struct st_post_node *card,
                           const struct st_post_node *worst, int64_t most_n)
{
    if (worst == NULL && card != NULL && card->errors_n > 0)
        st_post_say(post,
                    "The sound card's row has errors (ERR %jd), but no program's row is here: "
                    "paste all rows of pw-top",
                    card->errors_n);
    else if (card != NULL && card->errors_n > 0)
        st_post_say(post,
                    "Only the sound card's row has errors (ERR %jd), no program's row: the card, "
                    "its driver or its connection was late (%s)",
                    card->errors_n, card->name);
    else if (worst != NULL && most_n == 0)
        st_post_say(post,
                    "No row of this text has errors (ERR 0). If these are all rows, the clicks "
                    "come from the sound card, its driver, or a program whose own sound has gaps");
}

/** Adds sentences about errors (column ERR): does only the card have any, only programs, or both?
 * @param card the device that drives the cycle; NULL: none is in the text. */
static void say_errors(struct st_post *post, const struct st_post_node *card)
{
    const struct st_post_node *worst = NULL;
    bool same = card != NULL && card->errors_n > 0;
    size_t others_n = 0;
    int64_t most_n = 0;
    ST_EACH_OF (node, post->top.nodes, post->top.n) {
        most_n = ST_MAX(most_n, node->errors_n);
        if (!node->follows || !node->runs)
            continue;
        same = same && node->errors_n == card->errors_n;
        others_n += node->errors_n > 0;
        if (worst == NULL || node->errors_n > worst->errors_n)
            worst = node;
    }
    /* the nearest row above that follows no other node drives this program */
    for (const struct st_post_node *above = worst;
         above != NULL && above >= post->top.nodes && above->follows; above--)
        card = above > post->top.nodes && !above[-1].follows ? above - 1 : card;
    if (worst == NULL || worst->errors_n == 0) {
        say_no_program(post, card, worst, most_n);
        return;
    }
    if (same && others_n > 0) {
        st_post_say(post,
                    "All rows show the sound card's ERR %jd (%s): this PipeWire counts only the "
                    "card's errors, so ERR blames no program",
                    card->errors_n, card->name);
        return;
    }
    static const char *const devices[] = {"alsa_input.", "alsa_output.", "bluez_", NULL};
    if (st_text_begins_among(worst->name, devices)) {
        st_post_say(post,
                    "%s follows the cycle of another device and lost sound: ERR %jd. If it is a "
                    "second card, its clock differs: use one card, or give the second one a "
                    "reserve (api.alsa.headroom = 1024: man sleeptune-rules)",
                    worst->name, worst->errors_n);
        return;
    }
    st_post_say(post,
                "%s was not ready in time: ERR %jd, B/Q %.2f (the share of the cycle for which it "
                "computes)%s%s",
                worst->name, worst->errors_n, worst->busy,
                worst->async ? "; this program plays one cycle late on purpose (async)" : "",
                others_n > 1 ? "; other programs have errors, too" : "");
    if (card == NULL)
        st_post_say(post, "The sound card's row is missing: paste all rows of pw-top");
    else if (card->errors_n == 0)
        st_post_say(post,
                    "The sound card's row has ERR 0: the card was in time, the program was not");
    else
        st_post_say(post, "The sound card's row has ERR %jd: late programs make the card late, too",
                    card->errors_n);
}

static double length_s(const struct st_post_node *node)
{
    return (double)node->frames / (double)node->hz;
}

/** Adds a sentence about the two programs whose requests may have set the card's cycle. The cycle
 * is the largest power of two in the shortest request, unless a minimum or a lock makes it
 * longer. */
static void say_wishes(struct st_post *post, const struct st_post_node *card)
{
    const struct st_post_node *first = NULL, *second = NULL;
    ST_EACH_OF (node, post->top.nodes, post->top.n) {
        if (!node->follows || !node->runs || node->frames <= 0 || card == NULL || node->hz <= 0 ||
            length_s(node) >= 2 * length_s(card))
            continue;
        if (first == NULL || length_s(node) < length_s(first)) {
            second = first;
            first = node;
        } else if (second == NULL || length_s(node) < length_s(second)) {
            second = node;
        }
    }
    if (first != NULL)
        st_post_say(post, "%s asked for a buffer of %jd frames%s%s", first->name, first->frames,
                    second != NULL ? st_text(", %s for %jd", second->name, second->frames) : "",
                    length_s(first) < length_s(card)
                        ? st_text("; the sound card still runs at %jd frames, because of a minimum "
                                  "or a locked quantum",
                                  card->frames)
                        : "");
}

void st_post_top_end(struct st_post *post)
{
    const struct st_post_node *card = NULL;
    bool any = false;
    ST_EACH_OF (node, post->top.nodes, post->top.n) {
        any = any || (node->runs && node->frames > 0) || node->errors_n > 0;
        /* card: of several nodes that drive a cycle, the one with the shortest cycle */
        if (!node->follows && node->runs && node->frames > 0 &&
            (card == NULL || node->frames * card->hz < card->frames * node->hz))
            card = node;
    }
    if (!any)
        return;
    st_post_kind(post, "pw-top");
    if (card != NULL) {
        post->line_n = card->line_n;
        st_post_int(post, ST_KEY_DAEMON_PIPEWIRE, 1);
        st_post_int(post, ST_KEY_PIPEWIRE_RUNNING_FRAMES, card->frames);
        st_post_int(post, ST_KEY_PIPEWIRE_RUNNING_RATE_HZ, card->hz);
    }
    ST_EACH_OF (node, post->top.nodes, post->top.n) {
        /* a follower's frames are what it asks for; 0: it asks for nothing */
        if (!node->follows || !node->runs || node->frames <= 0)
            continue;
        post->line_n = node->line_n;
        put_node(post, node->id, "state", "running");
        put_node(post, node->id, "name", node->name);
        put_node(
            post, node->id, "latency",
            st_text("%jd/%jd", node->frames, node->hz == 0 && card != NULL ? card->hz : node->hz));
    }
    if (card != NULL && card->hz > 0)
        st_post_say(post, "PipeWire runs cycles of %jd frames at %g kHz (%.1f ms)", card->frames,
                    (double)card->hz / 1e3, (double)card->frames * 1e3 / (double)card->hz);
    say_errors(post, card);
    say_wishes(post, card);
}
