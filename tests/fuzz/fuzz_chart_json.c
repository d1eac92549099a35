/* JSON that is to be drawn: what is accepted has figures in order, and each picture of it has
 * numbers where numbers go. */
#include "lab/chart/chart.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/one_of.h"

#define NAME "fuzz"

static void check_set(const struct st_chart_set *set)
{
    const struct st_box *box = &set->box;
    if (box->n > 0 && box->known &&
        !(box->min_ns <= box->low_ns && box->low_ns <= box->q1_ns && box->q1_ns <= box->median_ns &&
          box->median_ns <= box->q3_ns && box->q3_ns <= box->high_ns &&
          box->high_ns <= box->max_ns))
        abort();
}

/* Attributes that are places hold nothing but digits: no "nan", no "inf". */
static void check_places(const char *svg)
{
    static const char *const attributes[] = {" d=\"", " x=\"", " y=\"", " height=\"",
                                             " viewBox=\""};
    ST_EACH (attribute, attributes) {
        const char *at = svg;
        while ((at = strstr(at, *attribute)) != NULL) {
            at += strlen(*attribute);
            at += strspn(at, "MLVZ0123456789.- ");
            if (*at != '"')
                abort();
        }
    }
}

static void draw(struct st_chart_data *data, enum st_chart_kind kind)
{
    char *svg = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&svg, &bytes);
    if (stream == NULL)
        return;
    const struct st_chart_options options = {.kind = kind, .svg = stream};
    const int status = st_chart_write(data, &options);
    fclose(stream);
    if (status == 0 && (bytes < 8 || strcmp(svg + bytes - 7, "</svg>\n") != 0))
        abort();
    check_places(svg);
    free(svg);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct st_chart_data chart;
    json_error_t error;
    json_t *document = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES, &error);
    if (document == NULL)
        return 0;
    st_chart_init(&chart, "");
    const int status = st_chart_json("input", document, &chart);
    json_decref(document);
    for (size_t i = 0; i < chart.n; i++)
        check_set(chart.set[i]);
    if (status == 0 && chart.n > 0 && fuzz_one_of(4, data, size)) {
        for (int kind = 0; kind < ST_CHART_KINDS; kind++)
            draw(&chart, (enum st_chart_kind)kind);
    }
    st_chart_finish(&chart);
    return 0;
}
