/* The data of charts: sets of values with their names. */
#include "core/text/text.h"
#include "lab/chart/chart.h"

void st_chart_init(struct st_chart_data *data, const char *quantity)
{
    memset(data, 0, sizeof(*data));
    ST_PRINT(data->quantity, "%s", quantity);
}

static void set_free(struct st_chart_set *set)
{
    st_series_free_sample(&set->sample);
    st_series_finish(&set->series);
    free(set->columns);
    free(set);
}

void st_chart_finish(struct st_chart_data *data)
{
    ST_EACH_OF (set, data->set, data->n)
        set_free(*set);
    free(data->set);
    memset(data, 0, sizeof(*data));
}

struct st_chart_set *st_chart_add(struct st_chart_data *data, const char *label)
{
    if (data->set == NULL)
        data->set = calloc(ST_CHART_SETS_MAX, sizeof(struct st_chart_set *));
    if (data->set == NULL || data->n == ST_CHART_SETS_MAX)
        return NULL;
    struct st_chart_set *set = calloc(1, sizeof(*set));
    if (set != NULL) {
        ST_PRINT(set->label, "%s", label);
        data->set[data->n++] = set;
    }
    return set;
}

void st_chart_conditions(struct st_chart_data *data, const char *text)
{
    if (data->n <= 1 && data->conditions[0] == '\0')
        ST_PRINT(data->conditions, "%s", text);
    else if (strcmp(text, data->conditions) != 0)
        data->conditions_differ = true;
}

static bool several_groups(const struct st_chart_data *data)
{
    for (size_t i = 1; i < data->n; i++) {
        if (strcmp(data->set[i]->group, data->set[0]->group) != 0)
            return true;
    }
    return false;
}

const char *st_chart_name(const struct st_chart_data *data, const struct st_chart_set *set,
                          char buf[ST_CHART_NAME_BYTES])
{
    const bool grouped = several_groups(data) && set->group[0] != '\0';
    buf[0] = '\0';
    st_text_append(buf, ST_CHART_NAME_BYTES, "%s%s%s", set->label, grouped ? ", " : "",
                   grouped ? set->group : "");
    return buf;
}

int st_chart_add_series(struct st_chart_data *data, const char *label, struct st_series *series,
                        bool timed)
{
    struct st_chart_set *set = st_chart_add(data, label);
    if (set == NULL)
        return -ENOMEM;
    set->series = *series;
    *series = (struct st_series){.period = set->series.period};
    set->timed = timed;
    return 0;
}

/* Chooses the unit of time for the length of a set. @return the unit in seconds. */
static double unit_of(const struct st_chart_set *set, const char **ret_name)
{
    static const struct {
        double seconds, least_span;
        const char *name;
    } units[] = {
        {86400, 3 * 86400.0, "d"}, {3600, 3 * 3600.0, "h"}, {60, 20 * 60.0, "min"}, {1, 0, "s"}};
    const double span =
        (double)st_series_span(&set->series) * st_period_seconds(&set->series.period);
    size_t i = 0;
    while (i + 1 < ST_ARRAY_LEN(units) && span < units[i].least_span)
        i++;
    *ret_name = units[i].name;
    return units[i].seconds;
}

double st_chart_value_x(const struct st_chart_set *set)
{
    const char *name;
    return set->timed ? st_period_seconds(&set->series.period) / unit_of(set, &name) : 1;
}

const char *st_chart_x_unit(const struct st_chart_set *set)
{
    const char *name = "values";
    if (set->timed)
        (void)unit_of(set, &name);
    return name;
}
