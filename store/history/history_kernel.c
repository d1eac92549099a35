/* Dropouts under the newest kernel of a history, beside those under the kernel before it. */
#include <string.h>

#include "core/ns.h"
#include "evidence/pairs.h"
#include "evidence/verdict.h"
#include "store/history/history_private.h"

#define HALF_MINUTE_NS (ST_HISTORY_MINUTE * ST_NS_PER_S / 2)
#define SEED           1 /* the same minutes give the same answer */

/* Minutes in which something played under one kernel: periods, missed if there was a dropout. */
struct side {
    char kernel[96];
    int64_t since_ns;
    struct st_blocks minutes;
};

/* A minute belongs to the row of the watching in which its middle lies. Minutes of another server or buffer
 * size than the last ones are left out: their dropouts are others. */
static const char minutes[] =
    "SELECT kernel, s.from_ns, xruns_observed + starved > 0 FROM main.watch AS w"
    " CROSS JOIN span AS s ON level = ? AND s.from_ns >= w.from_ns - ? AND s.from_ns < w.to_ns - ?"
    " JOIN circumstances AS c ON c.id = s.circumstances"
    " WHERE playing IS NOT 0 AND (w.source, w.frames) IS (SELECT source, frames FROM main.watch"
    "  WHERE playing IS NOT 0 ORDER BY to_ns DESC LIMIT 1)"
    " AND xruns_observed + starved IS NOT NULL AND kernel IS NOT NULL ORDER BY s.from_ns DESC";

/* Newest first: the first kernel is the newest, the next one is the one before it. */
static int read_minutes(struct st_history_reader *reader, struct side sides[2])
{
    sqlite3_stmt *statement;
    int r = st_history_sql_prepare(reader->db, &statement, minutes, "iii", ST_HISTORY_MINUTE, HALF_MINUTE_NS,
                                   HALF_MINUTE_NS);
    if (r < 0)
        return r;
    while ((r = st_history_sql_step(statement)) == 1) {
        char kernel[sizeof(sides->kernel)];
        st_history_sql_text(statement, 0, kernel, sizeof(kernel));
        struct side *side = sides;
        while (side < sides + 2 && side->kernel[0] != '\0' && strcmp(side->kernel, kernel) != 0)
            side++;
        if (side == sides + 2) /* older ones */
            continue;
        memcpy(side->kernel, kernel, sizeof(kernel));
        side->since_ns = st_history_sql_int(statement, 1);
        r = st_blocks_add(&side->minutes, 0, st_history_sql_int(statement, 2) > 0);
        if (r < 0)
            break;
    }
    sqlite3_finalize(statement);
    return r;
}

static int compare(struct side sides[2], json_t **ret)
{
    struct st_random random = {.state = SEED};
    struct st_figure figures[ST_FIGURES], *missed = &figures[ST_FIGURE_MISSED];
    struct st_blocks *now = &sides[0].minutes, *before = &sides[1].minutes;
    int r = st_blocks_end(now);
    if (r == 0)
        r = st_blocks_end(before);
    if (r == 0)
        r = st_pairs_compare(before, now, &random, figures);
    if (r < 0)
        return r;
    st_verdict_judge(&missed, 1);
    *ret = json_pack("{s:s, s:s, s:I, s:[I, I], s:[I, I], s:s}", "before", sides[1].kernel, "now",
                     sides[0].kernel, "since_ns", (json_int_t)sides[0].since_ns, "minutes",
                     (json_int_t)before->trials_n, (json_int_t)now->trials_n, "with_dropouts",
                     (json_int_t)before->missed_n, (json_int_t)now->missed_n, "verdict",
                     st_verdict_name(missed->verdict));
    return *ret != NULL ? 0 : -ENOMEM;
}

int st_history_read_kernels(struct st_history_reader *reader, json_t **ret)
{
    struct side sides[2] = {0};
    int64_t kernels_n = 0;
    int r =
        st_history_sql_number(reader->db, &kernels_n, "SELECT count(DISTINCT kernel) FROM circumstances", "");
    *ret = json_null();
    if (r < 0 || kernels_n < 2)
        return r;
    for (size_t i = 0; i < 2 && r == 0; i++)
        r = st_blocks_init(&sides[i].minutes);
    if (r == 0)
        r = read_minutes(reader, sides);
    if (r == 0 && sides[1].kernel[0] != '\0')
        r = compare(sides, ret);
    for (size_t i = 0; i < 2; i++)
        st_blocks_finish(&sides[i].minutes);
    return r;
}
