/* sleeptune plot: pictures of what was measured. */
#include <string.h>

#include "chart/chart.h"
#include "cli/command.h"
#include "core/ns.h"

#define NAME "plot"

static void help(void)
{
    fputs("Usage: sleeptune plot [OPTION...] FILE...\n"
          "Draw what was measured: SVG, PNG, PDF, or text in the terminal.\n\n"
          "FILE is a recording of 'measure --record', a histogram log, the JSON of\n"
          "'measure' and of sleeptune-lab, the CSV of 'export', or text with one figure a\n"
          "line; '-' is standard input. Several files are drawn in one picture.\n\n"
          "  -o, --output FILE      .svg, .png or .pdf (text on standard output)\n"
          "  -k, --kind KIND        box, series, hist or quantile (what fits)\n"
          "      --width N          pixels, 500 .. 4000 (800)\n"
          "      --every TIME       period of text (1s)\n"
          "  -h, --help             this text\n\n"
          "Examples:\n"
          "  sleeptune measure --record a.strec\n"
          "  sleeptune plot a.strec -o a.svg\n"
          "  sleeptune plot --kind quantile before.strec after.strec -o both.pdf\n"
          "  sleeptune-lab sleep --json | sleeptune plot - -o sleep.svg\n\n"
          "Exit status: 0 done, 3 usage, 4 failure.\n",
          stdout);
}

int st_cmd_plot(int argc, char **argv)
{
    struct st_chart_options chart = {.kind = ST_CHART_ANY};
    struct st_series_options series;
    struct st_chart_data data;
    int first;
    st_series_options_init(&series);
    const struct st_option options[] = {
        {.name = "output", .letter = 'o', .text = &chart.path},
        {.name = "kind", .letter = 'k', .take = st_chart_take_kind, .ctx = &chart.kind},
        {.name = "width", .number = &chart.width_px, .min = 500, .max = 4000},
        {.name = "every", .take = st_series_take_every, .ctx = &series.every_ns},
    };
    int status = st_options_read(NAME, options, ST_ARRAY_LEN(options), help, argc, argv, &first);
    if (status >= 0)
        return status;
    if (first == argc)
        return st_usage_error(NAME, "which file?");
    status = st_chart_check(NAME, "-o", chart.path);
    st_chart_init(&data, "");
    for (int i = first; i < argc && status == ST_EXIT_DONE; i++)
        status = st_chart_read(NAME, argv[i], &series, &data);
    if (status == ST_EXIT_DONE)
        status = st_chart_write(NAME, &data, &chart);
    st_chart_finish(&data);
    return status;
}
