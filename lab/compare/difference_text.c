#include "lab/compare/difference_text.h"

#include "core/ns.h"
#include "core/text/text.h"
#include "lab/compare/verdict.h"
#include "lab/ns_exact.h"

#define LABEL_COLUMNS 9
#define CELL_COLUMNS  12

/* Text of a value with enough digits to distinguish the ends of an interval. */
static const char *value_text(double value)
{
    return st_ns_exact(llrint(value));
}

/* Text of a value with its sign; 0 has none. */
static const char *signed_value(double value)
{
    return st_text("%s%s", value > 0 ? "+" : value < 0 ? "-" : "", value_text(fabs(value)));
}

/* --- the answer --- */

static const char *const phrases[ST_FIGURES] = {
    [ST_FIGURE_MEDIAN] = "the median", [ST_FIGURE_P99] = "p99", [ST_FIGURE_P999] = "p99.9"};

/* Lists the figures with this verdict: "the median is 8.2 µs less (95 %: 7.6 µs .. 8.9 µs)".
 * @return whether there is one. */
static bool list(const struct st_figure *figures, enum st_verdict verdict, char *buf)
{
    buf[0] = '\0';
    ST_EACH_FIGURE (id) {
        const struct st_estimate *e = &figures[id].difference;
        const bool more = e->value > 0;
        if (figures[id].verdict != verdict)
            continue;
        st_text_join(buf, ST_DIFFERENCE_TEXT_BYTES, ", ", "%s is %s %s (95 %%: %s .. %s)",
                     phrases[id], value_text(fabs(e->value)), more ? "more" : "less",
                     value_text(more ? e->low : -e->high), value_text(more ? e->high : -e->low));
        if (verdict == ST_VERDICT_DRIFTING)
            st_text_append(buf, ST_DIFFERENCE_TEXT_BYTES,
                           ", but within one run the figure changes by %s",
                           value_text(figures[id].drifts));
    }
    return buf[0] != '\0';
}

/* Lists how large a true difference of each figure would have to be to be shown. @return whether
 * that is known. */
static bool detectable(const struct st_figure *figures, size_t tests_n, char *buf)
{
    buf[0] = '\0';
    ST_EACH_FIGURE (id) {
        if (figures[id].difference.known)
            st_text_join(buf, ST_DIFFERENCE_TEXT_BYTES, " or ", "%s in %s",
                         value_text(st_verdict_detectable(&figures[id], tests_n)), phrases[id]);
    }
    return buf[0] != '\0';
}

const char *st_difference_text_sentence(const struct st_figure *figures, size_t tests_n,
                                        const char *a, char *buf)
{
    char better[ST_DIFFERENCE_TEXT_BYTES], worse[ST_DIFFERENCE_TEXT_BYTES];
    const bool better_shown = list(figures, ST_VERDICT_BETTER, better);
    const bool worse_shown = list(figures, ST_VERDICT_WORSE, worse);
    buf[0] = '\0';
    if (better_shown && worse_shown)
        st_text_append(buf, ST_DIFFERENCE_TEXT_BYTES,
                       "Partly better, partly worse than %s: %s; %s.", a, better, worse);
    else if (better_shown || worse_shown)
        st_text_append(buf, ST_DIFFERENCE_TEXT_BYTES, "%s than %s: %s.",
                       better_shown ? "Better" : "Worse", a, better_shown ? better : worse);
    else if (list(figures, ST_VERDICT_DRIFTING, better))
        st_text_append(buf, ST_DIFFERENCE_TEXT_BYTES, "Cannot tell: %s.", better);
    else if (detectable(figures, tests_n, better))
        st_text_append(buf, ST_DIFFERENCE_TEXT_BYTES,
                       "No difference shown. If the true difference were %s, 4 of 5 such "
                       "comparisons would find it.",
                       better);
    else
        st_text_append(buf, ST_DIFFERENCE_TEXT_BYTES,
                       "No difference shown: the runs have too few values.");
    return buf;
}

/* --- what makes the answer less sure --- */

const char *st_difference_text_drift(const struct st_figure *figures, char *buf)
{
    buf[0] = '\0';
    ST_EACH_FIGURE (id) {
        if (figures[id].drifts > 0)
            st_text_join(buf, ST_DIFFERENCE_TEXT_BYTES, ", ", "%s by %s", st_figure_names[id],
                         value_text(figures[id].drifts));
    }
    if (buf[0] != '\0')
        st_text_append(buf, ST_DIFFERENCE_TEXT_BYTES,
                       " within a single run, more than by chance. A difference that is not larger "
                       "is not shown.");
    return buf;
}

const char *st_difference_text_doubts(const struct st_figure *figures, char *buf)
{
    char narrow[64] = "";
    size_t n = 0;
    buf[0] = '\0';
    ST_EACH_FIGURE (id) {
        if (figures[id].narrow)
            ST_APPEND(narrow, "%s%s", n++ > 0 ? ", " : "", st_figure_names[id]);
    }
    if (n > 0)
        st_text_append(buf, ST_DIFFERENCE_TEXT_BYTES,
                       "%s: the runs have few independent values for %s, so %s may be too narrow. "
                       "Measure longer.",
                       narrow, n == 1 ? "it" : "them", n == 1 ? "its interval" : "their intervals");
    return buf;
}

/* --- the table --- */

static void put_row(FILE *out, const struct st_figure *figure, enum st_figure_id id)
{
    const struct st_estimate *e = &figure->difference;
    st_text_pad(out, st_figure_names[id], LABEL_COLUMNS);
    for (size_t side = 0; side < 2; side++)
        st_text_pad(out, figure->known[side] ? value_text(figure->value[side]) : "-", CELL_COLUMNS);
    if (!e->known) {
        fputs("unknown: too few values\n", out);
        return;
    }
    st_text_pad(out, signed_value(e->value), CELL_COLUMNS);
    const char *interval = st_text("%s .. %s", signed_value(e->low), signed_value(e->high));
    st_text_pad(out, interval, 2 * CELL_COLUMNS + 2);
    if (figure->p_corrected < 0.0001)
        fputs("<0.0001", out);
    else
        fprintf(out, "%.4f", figure->p_corrected);
    fputs(st_verdict_shows(figure) ? " *\n" : "\n", out);
}

void st_difference_text_table(FILE *out, const struct st_figure *figures, const char *a,
                              const char *b)
{
    st_text_pad(out, "", LABEL_COLUMNS);
    st_text_pad(out, a, CELL_COLUMNS);
    st_text_pad(out, b, CELL_COLUMNS);
    st_text_pad(out, "difference", CELL_COLUMNS);
    st_text_pad(out, "95 % interval", 2 * CELL_COLUMNS + 2);
    fputs("p\n", out);
    ST_EACH_FIGURE (id)
        put_row(out, &figures[id], id);
}
