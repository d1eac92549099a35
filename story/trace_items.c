#include "story/trace_items.h"

#include "core/text/safe.h"
#include "core/text/text.h"

void st_trace_items_add(struct st_trace_items *items, const struct st_trace_item *item)
{
    if (items->n == items->max) {
        const size_t max = items->max > 0 ? 2 * items->max : 4096;
        struct st_trace_item *list = items->failed ? NULL : realloc(items->list, max * sizeof(*list));
        items->failed = list == NULL;
        if (items->failed)
            return;
        items->list = list;
        items->max = max;
    }
    items->list[items->n++] = *item;
}

void st_trace_items_instant(struct st_trace_items *items, int64_t at_ns, uint64_t track, const char *text)
{
    st_trace_items_add(items, &(struct st_trace_item){at_ns, track, ST_PERFETTO_INSTANT, 0, text});
}

int64_t st_trace_items_slice(struct st_trace_items *items, uint64_t track, int64_t from_ns, int64_t to_ns,
                             const char *text)
{
    if (to_ns <= from_ns)
        return from_ns;
    st_trace_items_add(items, &(struct st_trace_item){from_ns, track, ST_PERFETTO_BEGIN, 0, text});
    st_trace_items_add(items, &(struct st_trace_item){to_ns, track, ST_PERFETTO_END, 0, NULL});
    return to_ns;
}

static int rank(const struct st_trace_item *item)
{
    return item->type == ST_PERFETTO_END ? 0 : item->type == ST_PERFETTO_BEGIN ? 2 : 1;
}

static int by_time(const void *a, const void *b)
{
    const struct st_trace_item *x = a, *y = b;
    if (x->at_ns != y->at_ns)
        return x->at_ns < y->at_ns ? -1 : 1;
    return rank(x) - rank(y);
}

void st_trace_items_write(struct st_trace_items *items, FILE *out)
{
    if (items->n > 0)
        qsort(items->list, items->n, sizeof(*items->list), by_time);
    for (const struct st_trace_item *item = items->list; item < items->list + items->n; item++) {
        const char *text =
            item->text != NULL ? st_safe_text(ST_TEXT(ST_PERFETTO_NAME_BYTES, "%s", item->text)) : NULL;
        st_perfetto_event(out, item->type, item->track, item->at_ns, text, item->value_ns);
    }
}
