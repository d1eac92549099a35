/* sleeptune bench sleep --exec: whole programs, timed from outside. */
#include "cli/bench_exec.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/chart.h"
#include "cli/command.h"
#include "cli/locale.h"
#include "cli/stop.h"
#include "cli/text.h"
#include "cli/words.h"
#include "lib/ns.h"
#include "measure/bench_exec.h"

#define NAME         "bench sleep"
#define WORDS_MAX    64
#define COMMANDS_MAX 256

/* One command made ready: its words lie in `bytes`. */
struct ready {
    char *text, *bytes;
    char *words[WORDS_MAX + 1];
};

/* Splits at blanks; quotes and a backslash keep them, as in a shell, and nothing else is special.
 * @return how many words, 0: none, or a quote without its end, or too many. */
static size_t split(const char *text, char *to, char **words)
{
    size_t n = 0;
    for (;;) {
        char quote = '\0';
        text += strspn(text, " \t");
        if (*text == '\0')
            return n;
        if (n == WORDS_MAX)
            return 0;
        words[n++] = to;
        for (; *text != '\0' && (quote != '\0' || (*text != ' ' && *text != '\t')); text++) {
            if (quote == '\0' && (*text == '"' || *text == '\''))
                quote = *text;
            else if (*text == quote)
                quote = '\0';
            else if (*text == '\\' && quote != '\'' && text[1] != '\0')
                *to++ = *++text;
            else
                *to++ = *text;
        }
        *to++ = '\0';
        if (quote != '\0')
            return 0;
        words[n] = NULL;
    }
}

/* The text with every "{}" as seconds. New. */
static char *with_seconds(const char *text, int64_t ns)
{
    char *out = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&out, &bytes);
    if (stream == NULL)
        return NULL;
    for (; *text != '\0'; text++) {
        if (strncmp(text, "{}", 2) == 0) {
            fprintf(stream, "%.9g", (double)ns / (double)ST_NS_PER_S);
            text++;
        } else {
            fputc(*text, stream);
        }
    }
    if (fclose(stream) != 0) {
        free(out);
        return NULL;
    }
    return out;
}

static int make_ready(struct ready *r, const char *text, int64_t ns, struct st_exec_command *command)
{
    r->text = ns > 0 ? with_seconds(text, ns) : strdup(text);
    r->bytes = r->text != NULL ? malloc(strlen(r->text) + 1) : NULL;
    if (r->bytes == NULL)
        return st_failure(NAME, "out of memory");
    if (split(r->text, r->bytes, r->words) == 0)
        return st_usage_error(NAME, "--exec: '%s' is no command (at most %d words, quotes in pairs)", text,
                              WORDS_MAX);
    *command = (struct st_exec_command){.text = r->text, .argv = r->words, .requested_ns = ns};
    return 0;
}

/* One line of figures. */
static void print_arm(const struct st_bench_exec *bench, size_t i, FILE *out, int width)
{
    struct st_exec_figures f;
    char text[400], a[32], b[32], c[32], d[32], e[32];
    if (st_bench_exec_figures(bench, i, &f) != 0 || f.wall.n == 0)
        return;
    fprintf(out, "%s%s\n", bench->arms[i].command->text, i == 0 ? "   (start and end of a process)" : "");
    int n = snprintf(text, sizeof(text), "%s ± %s, %s .. %s, CPU %s, n %" PRIu64,
                     st_ns_format((int64_t)f.wall.mean_ns, a, sizeof(a)),
                     f.wall.sd_known ? st_ns_format((int64_t)f.wall.sd_ns, b, sizeof(b)) : "-",
                     st_ns_format(f.wall.min_ns, c, sizeof(c)), st_ns_format(f.wall.max_ns, d, sizeof(d)),
                     st_ns_format((int64_t)f.cpu_ns, e, sizeof(e)), f.wall.n);
    if (i > 0 && f.net.known)
        n += snprintf(text + n, sizeof(text) - (size_t)n, "; without the start %s [%s .. %s]",
                      st_ns_format(f.net.value_ns, a, sizeof(a)), st_ns_format(f.net.low_ns, b, sizeof(b)),
                      st_ns_format(f.net.high_ns, c, sizeof(c)));
    else if (i > 0)
        n += snprintf(text + n, sizeof(text) - (size_t)n, "; too few runs to take the start off (6)");
    if (f.overshoot_known)
        snprintf(text + n, sizeof(text) - (size_t)n, ", overshoot %s (%.2f %%)",
                 st_ns_format((int64_t)f.overshoot_ns, a, sizeof(a)), f.percent);
    st_text_field(out, "", text, 4, width);
}

static void print_text(const struct st_bench_exec *bench, FILE *out, int width)
{
    char text[200], elapsed[32];
    for (size_t i = 0; i < bench->config.commands_n; i++)
        print_arm(bench, i, out, width);
    snprintf(
        text, sizeof(text),
        "Mean ± sd, min .. max of the whole run. CPU: user and system together. Without the start: median "
        "of the differences round by round, 95 %%. ");
    st_text_wrap(out, text, 0, width);
    snprintf(text, sizeof(text), "%s in random order, seed %" PRIu64 ", after %u runs to warm up%s.",
             st_ns_format(bench->elapsed_ns, elapsed, sizeof(elapsed)), bench->config.seed,
             bench->config.warm_up_n, bench->stopped ? "; ended early" : "");
    st_text_wrap(out, text, 0, width);
}

static int print(const struct st_bench_exec *bench, bool json)
{
    struct st_platform *p = st_platform_native();
    if (json)
        return st_print_json(NAME, st_bench_exec_json(bench, p));
    struct st_locale_stream stream;
    const int width = st_terminal_width(STDOUT_FILENO);
    print_text(bench, st_locale_begin(&stream, stdout), width < 100 ? width : 100);
    return st_locale_end(&stream) == 0 ? ST_EXIT_DONE : st_failure(NAME, "out of memory");
}

static bool go_on(void *ctx, const struct st_bench_exec *bench)
{
    const struct st_bench_exec_arguments *a = ctx;
    if (!a->quiet && isatty(STDERR_FILENO) == 1)
        fprintf(stderr, "\rround %zu, %lld s of at most %lld s\033[K", bench->arms[0].n + 1,
                (long long)(bench->elapsed_ns / ST_NS_PER_S), (long long)(a->budget_ns / ST_NS_PER_S));
    return !st_stop_asked();
}

static int measure(const struct st_bench_exec_arguments *a, const struct st_exec_command *commands, size_t n)
{
    struct st_bench_exec bench;
    struct st_bench_exec_arguments shown = *a;
    const struct st_bench_exec_config config = {.commands = commands,
                                                .commands_n = n,
                                                .warm_up_n = (unsigned)a->warm_up_n,
                                                .runs_n = (unsigned)a->runs_n,
                                                .budget_ns = a->budget_ns,
                                                .seed = a->seed,
                                                .go_on = go_on,
                                                .ctx = &shown};
    int r = st_bench_exec_init(&bench, &config);
    if (r != 0)
        return st_failure(NAME, "%s", strerror(-r));
    st_stop_catch(NULL);
    if (!a->quiet)
        fprintf(stderr, "%zu programs in random order (seed %" PRIu64 "): at most %lld s.\n", n, a->seed,
                (long long)(a->budget_ns / ST_NS_PER_S));
    r = st_bench_exec_measure(&bench, st_platform_native());
    if (!a->quiet && isatty(STDERR_FILENO) == 1)
        fputs("\r\033[K", stderr);
    int status = ST_EXIT_DONE;
    const char *text = commands[bench.failed].text;
    if (r == -ECHILD)
        status = st_failure(NAME, "'%s' ended with status %d", text, bench.failed_status);
    else if (r != 0)
        status = st_failure(NAME, "'%s': %s", text, strerror(-r));
    else if (bench.arms[0].n == 0)
        status = st_failure(NAME, "nothing was measured");
    if (bench.arms[0].n > 0) {
        int printed = print(&bench, a->json);
        if (a->plot != NULL)
            printed = st_chart_option_json(NAME, a->plot, st_bench_exec_json(&bench, st_platform_native()),
                                           printed);
        status = status != ST_EXIT_DONE ? status : printed;
    }
    st_bench_exec_finish(&bench);
    return status;
}

int st_bench_exec_run(const struct st_bench_exec_arguments *a)
{
    struct ready *ready = calloc(COMMANDS_MAX, sizeof(*ready));
    struct st_exec_command *commands = calloc(COMMANDS_MAX, sizeof(*commands));
    size_t n = 0;
    int status = ready == NULL || commands == NULL ? st_failure(NAME, "out of memory") : ST_EXIT_DONE;
    if (status == ST_EXIT_DONE) {
        status = make_ready(&ready[n], a->start, 0, &commands[n]);
        n++;
    }
    for (size_t i = 0; i < a->commands_n && status == ST_EXIT_DONE; i++) {
        const size_t times = strstr(a->commands[i], "{}") != NULL ? a->durations_n : 1;
        for (size_t d = 0; d < times && status == ST_EXIT_DONE && n < COMMANDS_MAX; d++) {
            const int64_t ns = strstr(a->commands[i], "{}") != NULL ? a->durations_ns[d] : 0;
            status = make_ready(&ready[n], a->commands[i], ns, &commands[n]);
            n++;
        }
    }
    if (status == ST_EXIT_DONE)
        status = measure(a, commands, n);
    for (size_t i = 0; i < n; i++) {
        free(ready[i].text);
        free(ready[i].bytes);
    }
    free(ready);
    free(commands);
    return status;
}
