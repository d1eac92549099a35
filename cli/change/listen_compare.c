#include "cli/change/listen_compare.h"

#include "cli/change/change_output.h"
#include "cli/command.h"
#include "cli/measure/listen_run.h"
#include "core/ns.h"
#include "core/text/json.h"
#include "core/text/safe.h"
#include "core/text/text.h"
#include "ears/way.h"
#include "evidence/blocks.h"
#include "evidence/miss_events.h"
#include "evidence/pairs.h"
#include "evidence/verdict.h"
#include "platform/posix/posix.h"
#include "platform/program/stop.h"

#define FILE_MAX  1000000 /* bytes: 512 losses are a tenth of it */
#define TRIAL_S   0.02    /* losses less apart are one */
#define HEARD_MAX 90000.0 /* s */
#define LONGEST   (6 * 3600 * ST_NS_PER_S)
#define SCHEMA    "sleeptune-listen/1"

/* --- the file --- */

json_t *st_listen_compare_parse(const char *text, size_t bytes)
{
    json_t *document = json_loadb(text, bytes, JSON_REJECT_DUPLICATES, NULL);
    if (st_text_is(st_json_text_of(document, "schema"), SCHEMA))
        return document;
    json_decref(document);
    return NULL;
}

int st_listen_compare_read(const char *path, json_t **ret)
{
    FILE *stream = st_posix_input_open(path);
    if (stream == NULL)
        return st_failure("cannot read %s: %s", path, st_posix_input_error(errno));
    char *text = malloc(FILE_MAX + 1);
    const size_t n = text != NULL ? fread(text, 1, FILE_MAX + 1, stream) : 0;
    *ret = n > 0 && n <= FILE_MAX ? st_listen_compare_parse(text, n) : NULL;
    free(text);
    st_posix_input_close(stream);
    if (*ret != NULL)
        return ST_EXIT_DONE;
    st_failure("%s is not what 'sleeptune listen --json' printed", path);
    return ST_EXIT_USAGE;
}

/* --- two runs --- */

/* "the run before is invalid (silent): not all test glitches were found". */
static void say_invalid(const json_t *document, const char *when, struct st_listen_compare *ret)
{
    const json_t *remarks = json_object_get(document, "remarks"), *remark;
    char names[100] = "";
    size_t i;
    json_array_foreach(remarks, i, remark)
    {
        if (json_is_string(remark))
            st_text_join(names, sizeof(names), ", ", "%s",
                         st_safe_text(ST_TEXT(30, "%s", json_string_value(remark))));
    }
    ST_PRINT(ret->why, "the run %s is invalid%s%s%s%s", when, names[0] != '\0' ? " (" : "", names,
             names[0] != '\0' ? ")" : "",
             json_is_true(json_object_get(document, "forced_glitches_found"))
                 ? ""
                 : ": not all test glitches were found");
}

/* @return whether it can be compared; if not, ret->why says why. */
static bool take_side(const json_t *document, const char *when, struct st_listen_side *side,
                      struct st_listen_compare *ret)
{
    const size_t listed_n = json_array_size(json_object_get(document, "losses"));
    side->heard_s = st_json_number(document, "heard_s");
    side->losses_n = (uint64_t)st_json_integer(document, "losses_n");
    if (!json_is_true(json_object_get(document, "valid")))
        say_invalid(document, when, ret);
    else if (!(side->heard_s > 0 && side->heard_s < HEARD_MAX) || st_json_integer(document, "rate_hz") <= 0)
        ST_PRINT(ret->why, "the run %s does not say how long it heard", when);
    else if (side->losses_n > listed_n)
        ST_PRINT(ret->why, "the run %s had %" PRIu64 " losses, of which only the first %zu have a place",
                 when, side->losses_n, listed_n);
    return ret->why[0] == '\0';
}

static int fill_blocks(const json_t *document, const struct st_listen_side *side, struct st_blocks *blocks)
{
    const json_t *losses = json_object_get(document, "losses"), *loss;
    const double trial_frames = (double)st_json_integer(document, "rate_hz") * TRIAL_S;
    const size_t trials_n = (size_t)ceil(side->heard_s / TRIAL_S);
    unsigned char *missed = calloc(trials_n, 1);
    size_t i;
    int r = missed != NULL ? 0 : -ENOMEM;
    json_array_foreach(losses, i, loss)
    {
        const double at = (double)st_json_integer(loss, "at_frame") / trial_frames;
        if (r == 0) /* the recording also has what was not heard */
            missed[at < (double)trials_n ? (size_t)fmax(at, 0) : trials_n - 1] = 1;
    }
    for (size_t k = 0; r == 0 && k < trials_n; k++)
        r = st_blocks_add(blocks, 0, missed[k] != 0);
    free(missed);
    return r == 0 ? st_blocks_end(blocks) : r;
}

static int compare_blocks(const json_t *before, const json_t *now, struct st_listen_compare *ret)
{
    static struct st_blocks blocks[2];
    struct st_random random = {1}; /* any: the same runs give the same figures */
    struct st_figure figures[ST_FIGURES], *missed = &figures[ST_FIGURE_MISSED];
    int r = st_blocks_init(&blocks[0]);
    if (r != 0)
        return r;
    r = st_blocks_init(&blocks[1]);
    if (r == 0) {
        r = fill_blocks(before, &ret->before, &blocks[0]);
        if (r == 0)
            r = fill_blocks(now, &ret->now, &blocks[1]);
        if (r == 0)
            r = st_pairs_compare(&blocks[0], &blocks[1], &random, figures);
        st_blocks_finish(&blocks[1]);
    }
    st_blocks_finish(&blocks[0]);
    if (r == 0) {
        (void)st_verdict_judge(&missed, 1);
        ret->figure = *missed;
    }
    return r;
}

static bool is_same(const json_t *a, const json_t *b)
{
    return a == b || json_equal(a, b) != 0;
}

/* Another path is another question; what else differs is part of the difference. */
static void compare_conditions(const json_t *before, const json_t *now, struct st_listen_compare *ret)
{
    static const char *const path[] = {"signal", "back", "plays", "records", "rate_hz", "channels"};
    static const char *const others[] = {"path_class", "period_frames", "server", "kernel"};
    char texts[2][100];
    ST_EACH (key, path) {
        const json_t *a = json_object_get(before, *key), *b = json_object_get(now, *key);
        if (ret->why[0] == '\0' && !is_same(a, b))
            ST_PRINT(ret->why, "another path: \"%s\" was %s and is %s", *key,
                     json_is_string(a) ? st_json_safe_text(before, *key, texts[0], sizeof(texts[0]))
                                       : "another one",
                     json_is_string(b) ? st_json_safe_text(now, *key, texts[1], sizeof(texts[1]))
                                       : "another one");
    }
    ST_EACH (key, others) {
        if (!is_same(json_object_get(before, *key), json_object_get(now, *key)))
            ST_APPEND(ret->differs, "%s%s", ret->differs[0] != '\0' ? ", " : "", *key);
    }
}

void st_listen_compare_documents(const json_t *before, const json_t *now, struct st_listen_compare *ret)
{
    *ret = (struct st_listen_compare){.why = ""};
    if (!take_side(before, "before", &ret->before, ret) || !take_side(now, "now", &ret->now, ret))
        return;
    compare_conditions(before, now, ret);
    if (ret->why[0] != '\0')
        return;
    const int r = compare_blocks(before, now, ret);
    ret->compared = r == 0;
    if (r != 0)
        ST_PRINT(ret->why, "%s", strerror(-r));
}

/* --- the second run --- */

int st_listen_compare_make(const json_t *before, int64_t duration_ns, struct st_listen_compare *ret)
{
    const char *back = st_json_text(before, "back");
    const bool music = json_object_get(before, "signal") != NULL;
    struct st_listen_wish wish = {.back = music ? "cable" : back, /* or the monitor of a sink */
                                  .plays = st_json_text(before, "plays"),
                                  .records = st_json_text(before, "records"),
                                  .duration_ns = duration_ns,
                                  .music = music};
    *ret = (struct st_listen_compare){.why = ""};
    if (back == NULL)
        ST_PRINT(ret->why, "the run before is of a recording (--input): play it again");
    if (back == NULL || !take_side(before, "before", &ret->before, ret))
        return ST_EXIT_DONE;
    if (wish.duration_ns == 0) {
        const double heard_s = st_json_number(before, "heard_s");
        wish.duration_ns = heard_s < HEARD_MAX ? (int64_t)ceil(heard_s) * ST_NS_PER_S : 0;
    }
    wish.duration_ns =
        wish.duration_ns < ST_LISTEN_LEAST_NS ? ST_LISTEN_LEAST_NS : ST_MIN(wish.duration_ns, LONGEST);
    struct st_listen_run *run = calloc(1, sizeof(*run));
    if (run == NULL)
        return st_failure("out of memory");
    st_stop_catch(NULL);
    const int status = st_listen_run_live(&wish, run);
    if (status == ST_EXIT_DONE) {
        json_t *now = st_listen_text_json(&run->view);
        st_listen_compare_documents(before, now, ret);
        json_decref(now);
    } else {
        *ret = (struct st_listen_compare){.why = "could not be played again: the way back is not there now"};
    }
    st_listen_run_finish(run);
    free(run);
    return status;
}

/* --- what came of it --- */

bool st_listen_compare_is_worse(const struct st_listen_compare *compare)
{
    return compare->compared && compare->figure.verdict == ST_VERDICT_WORSE;
}

static const char *sentence(const struct st_listen_compare *compare, char *buf, size_t bytes)
{
    static const char *const verdicts[] = {
        [ST_VERDICT_TOO_SHORT] = "cannot tell: too little was heard",
        [ST_VERDICT_NONE] = "no difference shown",
        [ST_VERDICT_DRIFTING] = "cannot tell: losses come and go within a run as much as between the two",
        [ST_VERDICT_BETTER] = "fewer losses than before",
        [ST_VERDICT_WORSE] = "more losses than before",
    };
    char bounds[2][32];
    const struct st_listen_side *sides[2] = {&compare->before, &compare->now};
    for (int i = 0; i < 2; i++)
        st_miss_events_rate_text(st_miss_events_per_hour_max95(sides[i]->losses_n, sides[i]->heard_s),
                                 bounds[i], sizeof(bounds[i]));
    snprintf(buf, bytes,
             "%s: %" PRIu64 " in %.1f s before (at most %s an hour), %" PRIu64
             " in %.1f s now (at most %s an hour, 95 %%)",
             verdicts[compare->figure.verdict], sides[0]->losses_n, sides[0]->heard_s, bounds[0],
             sides[1]->losses_n, sides[1]->heard_s, bounds[1]);
    return buf;
}

void st_listen_compare_print(const struct st_listen_compare *compare)
{
    st_change_output_text(0, "heard:", compare->compared ? sentence(compare, ST_ROOM(600)) : compare->why);
    if (compare->compared && compare->differs[0] != '\0')
        st_change_output_text(0, "differs:", compare->differs);
}

json_t *st_listen_compare_json(const struct st_listen_compare *compare)
{
    const struct st_estimate *e = &compare->figure.difference;
    if (!compare->compared)
        return json_pack("{s:b, s:s}", "compared", 0, "sentence", compare->why);
    return json_pack(
        "{s:b, s:s, s:s, s:{s:I, s:f}, s:{s:I, s:f}, s:o, s:s}", "compared", 1, "sentence",
        sentence(compare, ST_ROOM(600)), "verdict", st_verdict_name(compare->figure.verdict), "before",
        "losses_n", (json_int_t)compare->before.losses_n, "heard_s", compare->before.heard_s, "now",
        "losses_n", (json_int_t)compare->now.losses_n, "heard_s", compare->now.heard_s, "p_corrected",
        e->known ? json_real(compare->figure.p_corrected) : json_null(), "differs", compare->differs);
}
