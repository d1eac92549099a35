/* --plot FILE of the commands that measure. */
#include <errno.h>
#include <string.h>

#include "chart/chart.h"
#include "chart/circumstances.h"
#include "platform/program/options.h"
#include "platform/program/output.h"

int st_chart_take_kind(const char *command, void *ctx, const char *text)
{
    enum st_chart_kind *kind = ctx;
    for (int i = 0; i < ST_CHART_KINDS; i++) {
        if (strcmp(text, st_chart_kind_name((enum st_chart_kind)i)) == 0) {
            *kind = (enum st_chart_kind)i;
            return 0;
        }
    }
    return st_usage_error(command, "--kind: '%s' is not box, series, hist or quantile", text);
}

int st_chart_option_check(const char *command, const char *path, bool json)
{
    if (path != NULL && json && strcmp(path, "-") == 0)
        return st_usage_error(command, "--plot - and --json both want standard output");
    int r = st_chart_check(command, "--plot", path);
    if (r == 0 && (r = st_output_check(path)) != 0)
        r = st_failure(command, "cannot write %s: %s", path, st_destination_error(r));
    return r;
}

/* Where the command's own result is on standard output, a line between. */
static int draw(const char *command, const char *path, struct st_chart_data *data)
{
    const struct st_chart_options options = {.kind = ST_CHART_ANY, .path = path};
    if (strcmp(path, "-") == 0)
        putchar('\n');
    return st_chart_write(command, data, &options);
}

static int worse(int status, int drawn)
{
    return status != ST_EXIT_DONE ? status : drawn;
}

int st_chart_option_json(const char *command, const char *path, json_t *document, int status)
{
    struct st_chart_data data;
    int drawn = ST_EXIT_DONE;
    if (path != NULL) {
        st_chart_init(&data, "");
        drawn = document == NULL ? st_failure(command, "out of memory")
                                 : st_chart_json(command, command, document, &data);
        if (drawn == ST_EXIT_DONE)
            drawn = draw(command, path, &data);
        st_chart_finish(&data);
    }
    json_decref(document);
    return worse(status, drawn);
}

int st_chart_option_series(const char *command, const char *path, const char *const *labels,
                           const struct st_series *const *series, size_t n, const json_t *circumstances,
                           int status)
{
    struct st_chart_data data;
    int r = 0;
    if (path == NULL || n == 0 || series[0]->n == 0)
        return status;
    st_chart_init(&data, "lateness (woke - due)");
    char where[sizeof(data.circumstances)];
    st_chart_circumstances(&data, st_circumstances_text(circumstances, where, sizeof(where)));
    for (size_t i = 0; i < n && r == 0; i++)
        r = st_chart_add_series(&data, labels[i], series[i]);
    const int drawn = r == 0 ? draw(command, path, &data) : st_failure(command, "%s", strerror(-r));
    st_chart_finish(&data);
    return worse(status, drawn);
}
