/* sleeptune-lab syscall: what a system call costs, and which clocks need one. */
#include "lab/syscall/bench_syscall.h"

#include <unistd.h>

#include "core/text/text.h"
#include "lab/bench_command.h"
#include "lab/bench_text.h"
#include "lab/chart/chart.h"
#include "lab/commands.h"
#include "lab/word_list.h"
#include "platform/program/stop.h"
#include "platform/program/terminal.h"

#define METHODS_MAX 64
#define COUNT_MAX   1000000
#define FRESH_MAX   100000

struct arguments {
    const struct st_call_method *methods[METHODS_MAX];
    struct st_bench_syscall_config config;
    const char *calls_text, *one_shot;
    int64_t count, fresh;
    bool list, brief;
    struct st_bench_command common;
};

static const char help[] =
    "Usage: sleeptune-lab syscall [OPTION...]\n"
    "Measure the time of system calls on this machine: repeated calls in one process,\n"
    "and the first call in a new process. Shows which clocks need no system call.\n\n"
    "      --calls LIST    such as getppid,time (all; see --list)\n"
    "      --list          all calls, also those not available here\n"
    "      --count N       samples of each call in this process (1000)\n"
    "      --fresh N       new processes for each call, 0: none (100)\n"
    "      --brief         tables and sentences only\n"
    "      --plot FILE.svg draw the result\n"
    "      --export-json FILE   write the JSON, too\n"
    "      --json, --format json|csv|markdown|text   JSON has every sample\n"
    "  -q, --quiet         nothing on standard error\n"
    "  -h, --help\n\n"
    "Examples:\n"
    "  sleeptune-lab syscall --brief\n"
    "  sleeptune-lab syscall --calls clock_gettime-monotonic,getppid --fresh 500\n"
    "  sleeptune-lab syscall --json >syscall.json\n\n"
    "Ctrl-C ends early and prints what was measured. Exit status: 0 done, 3 usage,\n"
    "4 failure (nothing could be measured).\n";

/* --- the run --- */

/* Runs in a fresh process: takes one sample and prints it as one line. */
static int one_shot(const char *name)
{
    struct st_lab *lab = st_lab_native();
    const struct st_call_method *method = st_lab_find(lab, lab->call_method, name);
    int64_t ns;
    if (method == NULL)
        return st_failure_usage("no such call: %s (--list shows all)", name);
    const int r = st_bench_syscall_once(lab, method, &ns);
    if (r != 0)
        return st_failure("%s: %s", name, strerror(-r));
    printf("%lld\n", (long long)ns);
    return ST_EXIT_DONE;
}

static size_t samples_n(const struct st_bench_syscall *bench)
{
    size_t n = 0;
    ST_EACH_OF (row, bench->rows, bench->rows_n)
        n += row->n;
    return n;
}

static bool go_on(void *ctx, const struct st_bench_syscall *bench)
{
    struct arguments *a = ctx;
    return st_bench_command_go_on(&a->common, "%zu of %zu samples", samples_n(bench),
                                  a->config.methods_n * (size_t)(a->count + a->fresh));
}

static void announce(const struct arguments *a)
{
    char fresh[48] = "";
    const struct st_bench_syscall_config *c = &a->config;
    if (c->fresh > 0)
        ST_PRINT(fresh, " and %zu fresh process%s", c->fresh, c->fresh == 1 ? "" : "es");
    const char *line =
        st_text("%zu call%s, %zu sample%s%s each: about %s.", c->methods_n,
                c->methods_n == 1 ? "" : "s", c->count, c->count == 1 ? "" : "s", fresh,
                st_bench_text_rough(st_bench_syscall_expected_ns(st_lab_native(), c), ST_ROOM(32)));
    st_bench_command_say(&a->common, line);
}

static int run(struct arguments *a)
{
    struct st_lab *lab = st_lab_native();
    struct st_bench_syscall bench;
    announce(a);
    st_stop_catch(NULL);
    const int r = st_bench_syscall_measure(lab, &a->config, &bench);
    st_bench_command_done(&a->common);
    if (r != 0) {
        st_bench_syscall_finish(&bench);
        return st_failure("%s", strerror(-r));
    }
    int width;
    FILE *out = st_bench_command_begin(&a->common, &width);
    if (out != NULL)
        st_bench_syscall_print(&bench, lab, a->brief, out, width);
    const int status =
        st_bench_command_end(&a->common, st_bench_syscall_json(&bench, lab), samples_n(&bench));
    st_bench_syscall_finish(&bench);
    return status;
}

int st_cmd_syscall(int argc, char **argv)
{
    struct arguments a = {.count = 1000, .fresh = 100, .common = st_bench_command()};
    const struct st_option options[] = {
        {"calls", .text = &a.calls_text},
        {"list", .flag = &a.list},
        {"count", .number = &a.count, .min = 1, .max = COUNT_MAX},
        {"fresh", .number = &a.fresh, .min = 0, .max = FRESH_MAX},
        {"brief", .flag = &a.brief},
        /* not in the help: each fresh process is started with --one-shot */
        {"one-shot", .text = &a.one_shot},
        ST_BENCH_COMMAND_OPTIONS(&a.common),
    };
    int r = st_options_only(options, ST_ARRAY_LEN(options), help, argc, argv);
    if (r >= 0)
        return r;
    if (a.one_shot != NULL)
        return one_shot(a.one_shot);
    if (a.list) {
        st_bench_syscall_list(st_lab_native(), stdout, st_terminal_width(STDOUT_FILENO));
        return ST_EXIT_DONE;
    }
    a.config = (struct st_bench_syscall_config){.methods = a.methods,
                                                .count = (size_t)a.count,
                                                .fresh = (size_t)a.fresh,
                                                .go_on = go_on,
                                                .ctx = &a};
    r = st_bench_command_check(&a.common);
    if (r == 0)
        r = ST_WORD_LIST_ROWS("--calls", a.calls_text, st_lab_native()->call_method, a.methods,
                              &a.config.methods_n);
    return r != 0 ? r : run(&a);
}
