/* sleeptune-lab syscall: what a system call costs, and which clocks need one. */
#include "lab/syscall/bench_syscall.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "chart/chart.h"
#include "core/ns.h"
#include "core/text/text.h"
#include "lab/bench_text.h"
#include "lab/commands.h"
#include "lab/table.h"
#include "lab/word_list.h"
#include "platform/program/locale.h"
#include "platform/program/options.h"
#include "platform/program/stop.h"
#include "platform/program/terminal.h"

#define NAME        "syscall"
#define METHODS_MAX 64
#define COUNT_MAX   1000000
#define FRESH_MAX   100000

struct arguments {
    const struct st_call_method *methods[METHODS_MAX];
    struct st_bench_syscall_config config;
    const char *calls_text, *one_shot;
    int64_t count, fresh;
    bool list, brief, quiet;
    struct st_table_format out;
    const char *plot;
    int64_t shown_ns; /* when progress was shown last; 0: never */
};

static void help(void)
{
    fputs("Usage: sleeptune-lab syscall [OPTION...]\n"
          "Measure the time of system calls on this machine: repeated calls in one process,\n"
          "and the first call in a new process. Shows which clocks need no system call.\n\n"
          "      --calls LIST    such as getppid,time (all; see --list)\n"
          "      --list          all calls, also those not available here\n"
          "      --count N       samples of each call in this process (1000)\n"
          "      --fresh N       new processes for each call, 0: none (100)\n"
          "      --brief         tables and sentences only\n"
          "      --plot FILE.svg draw the result\n"
          "      --json, --format json|csv|markdown|text   JSON has every sample\n"
          "  -q, --quiet         nothing on standard error\n"
          "  -h, --help\n\n"
          "Examples:\n"
          "  sleeptune-lab syscall --brief\n"
          "  sleeptune-lab syscall --calls clock_gettime-monotonic,getppid --fresh 500\n"
          "  sleeptune-lab syscall --json >syscall.json\n\n"
          "Ctrl-C ends early and prints what was measured. Exit status: 0 done, 3 usage,\n"
          "4 failure (nothing could be measured).\n",
          stdout);
}

/* --- the run --- */

/* In a fresh process: one sample, one line. */
static int one_shot(const char *name)
{
    struct st_lab *lab = st_lab_native();
    const struct st_call_method *method = st_lab_find(lab, lab->call_method, name);
    int64_t ns;
    if (method == NULL)
        return st_failure_usage(NAME, "no such call: %s (--list shows all)", name);
    const int r = st_bench_syscall_once(lab, method, &ns);
    if (r != 0)
        return st_failure(NAME, "%s: %s", name, strerror(-r));
    printf("%lld\n", (long long)ns);
    return ST_EXIT_DONE;
}

static bool go_on(void *ctx, const struct st_bench_syscall *bench)
{
    struct arguments *a = ctx;
    struct st_lab *lab = st_lab_native();
    const int64_t now_ns = lab->platform->now_ns(lab->platform);
    if (!a->quiet && isatty(STDERR_FILENO) == 1 && now_ns - a->shown_ns > ST_NS_PER_S) {
        size_t n = 0;
        char line[120];
        for (size_t i = 0; i < bench->rows_n; i++)
            n += bench->rows[i].n;
        snprintf(line, sizeof(line), "%zu of %zu samples", n,
                 a->config.methods_n * (a->config.count + a->config.fresh));
        fprintf(stderr, "\r%s\033[K", st_text_clip(line, st_terminal_width(STDERR_FILENO) - 1));
        fflush(stderr);
        a->shown_ns = now_ns;
    }
    return !st_stop_asked();
}

static void announce(const struct arguments *a)
{
    char text[32], fresh[48] = "", line[200];
    const struct st_bench_syscall_config *c = &a->config;
    if (a->quiet)
        return;
    if (c->fresh > 0)
        snprintf(fresh, sizeof(fresh), " and %zu fresh process%s", c->fresh, c->fresh == 1 ? "" : "es");
    snprintf(line, sizeof(line), "%zu call%s, %zu sample%s%s each: about %s.", c->methods_n,
             c->methods_n == 1 ? "" : "s", c->count, c->count == 1 ? "" : "s", fresh,
             st_bench_text_rough(st_bench_syscall_expected_ns(st_lab_native(), c), text, sizeof(text)));
    st_text_wrap(stderr, st_locale_text(line), 0, st_terminal_width(STDERR_FILENO));
}

static int print(const struct arguments *a, const struct st_bench_syscall *bench)
{
    struct st_lab *lab = st_lab_native();
    size_t n = 0;
    for (size_t i = 0; i < bench->rows_n; i++)
        n += bench->rows[i].n;
    int status = ST_EXIT_DONE;
    if (a->out.document) {
        status = st_table_output(NAME, &a->out, st_bench_syscall_json(bench, lab));
    } else {
        struct st_locale_stream text;
        const int width = st_terminal_width(STDOUT_FILENO);
        st_bench_syscall_print(bench, lab, a->brief, st_locale_begin(&text, stdout),
                               width < 100 ? width : 100);
        if (st_locale_end(&text) != 0)
            status = st_failure(NAME, "out of memory");
    }
    if (a->plot != NULL && n > 0)
        status = st_chart_option_json(NAME, NAME, a->plot, st_bench_syscall_json(bench, lab), status);
    return status == ST_EXIT_DONE && n == 0 ? st_failure(NAME, "nothing was measured") : status;
}

static int run(struct arguments *a)
{
    struct st_lab *lab = st_lab_native();
    struct st_bench_syscall bench;
    announce(a);
    st_stop_catch(NULL);
    const int r = st_bench_syscall_measure(lab, &a->config, &bench);
    if (a->shown_ns != 0)
        fputs("\r\033[K", stderr);
    const int status = r == 0 ? print(a, &bench) : st_failure(NAME, "%s", strerror(-r));
    st_bench_syscall_finish(&bench);
    return status;
}

int st_cmd_syscall(int argc, char **argv)
{
    struct arguments a = {.count = 1000, .fresh = 100};
    const struct st_option options[] = {
        {"calls", .text = &a.calls_text},
        {"list", .flag = &a.list},
        {"count", .number = &a.count, .min = 1, .max = COUNT_MAX},
        {"fresh", .number = &a.fresh, .min = 0, .max = FRESH_MAX},
        {"brief", .flag = &a.brief},
        {"plot", .text = &a.plot},
        ST_TABLE_OPTIONS(&a.out),
        {"one-shot", .text = &a.one_shot}, /* what fresh processes are started with */
        {"quiet", 'q', .flag = &a.quiet},
    };
    int r = st_options_only(NAME, options, ST_ARRAY_LEN(options), help, argc, argv);
    if (r >= 0)
        return r;
    if (a.one_shot != NULL)
        return one_shot(a.one_shot);
    if (a.list) {
        st_bench_syscall_list(st_lab_native(), stdout, st_terminal_width(STDOUT_FILENO));
        return ST_EXIT_DONE;
    }
    a.config = (struct st_bench_syscall_config){
        .methods = a.methods, .count = (size_t)a.count, .fresh = (size_t)a.fresh, .go_on = go_on, .ctx = &a};
    r = st_chart_check(NAME, "--plot", a.plot);
    if (r == 0)
        r = ST_WORD_LIST_ROWS(NAME, "--calls", a.calls_text, st_lab_native()->call_method, a.methods,
                              &a.config.methods_n);
    return r != 0 ? r : run(&a);
}
