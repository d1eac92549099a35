/* sleeptune-lab exec: whole programs, timed from outside. */
#include "core/ns.h"
#include "core/text/text.h"
#include "lab/bench_command.h"
#include "lab/chart/chart.h"
#include "lab/commands.h"
#include "lab/exec/bench_exec.h"
#include "lab/word_list.h"
#include "platform/program/stop.h"

#define WORDS_MAX    64
#define COMMANDS_MAX 256
#define BUDGET_NS    (60 * ST_NS_PER_S)

#define USUAL_DURATIONS "64f,128f,5ms,256f,10ms,512f"

struct arguments {
    char *const *programs;
    size_t programs_n;
    const char *start; /* value of --start: a program that only starts and ends; NULL: each program
                          itself with 0 s, or `true` */
    const char *durations_text, *parameters_text, *names_text;
    const char *setup, *prepare, *cleanup; /* programs that run before all, before each run and
                                              after all, and are not timed; NULL: none */
    bool ignore_failure;
    struct st_durations
        durations; /* values of --durations, which replace {}, {ms} ... in a command line */
    int64_t runs_n, warm_up_n, budget_ns;
    struct st_bench_command common;
};

static const char help[] =
    "Usage: sleeptune-lab exec PROGRAM... [OPTION...]\n"
    "Time whole programs from outside, in random order, and compare them.\n\n"
    "Each PROGRAM is one argument and is split at blanks as in a shell. sleeptune\n"
    "replaces '{}' in it by each duration in seconds; {s}, {ms} and {us} are seconds,\n"
    "milliseconds and microseconds.\n\n"
    "      --durations LIST    times, or frames at 48 kHz, like 5ms,64f (5 and 10 ms,\n"
    "                          64 to 512 frames)\n"
    "      --parameters LIST   words for '{}' instead of durations, like 1,2,4\n"
    "      --command-name LIST   names of the programs, with commas between\n"
    "      --start PROGRAM     a program that only starts and ends, to subtract its\n"
    "                          time (the program itself with 0 for '{}'; a program\n"
    "                          without '{}': true)\n"
    "      --runs N            runs of each program (0: as many as --budget allows)\n"
    "      --warmup N          first runs of each program, not counted (3)\n"
    "      --budget TIME       time for all runs together (60s)\n"
    "      --setup, --prepare, --cleanup PROGRAM   run before all, before each run,\n"
    "                          after all; not timed\n"
    "      --ignore-failure    count runs that end with a status other than 0, too\n"
    "      --seed N            seed of the random order (a different one each time)\n"
    "      --time-unit UNIT    of all times: ns, us, ms or s (fits the figures)\n"
    "      --plot FILE.svg     draw the overshoot, or the time\n"
    "      --export-json FILE   write the JSON, too\n"
    "      --json, --format json|csv|markdown|text\n"
    "  -q, --quiet             nothing on standard error\n"
    "  -h, --help\n\n"
    "Example:\n"
    "  sleeptune-lab exec 'sleep {}' './mine {}' --durations 5ms,10ms\n"
    "  sleeptune-lab exec './mine -ms {ms}' --runs 10 --format markdown\n\n"
    "Ctrl-C ends early and prints what was measured. Exit status: 0 done, 3 usage,\n"
    "4 failure (nothing could be measured).\n";

/* One command, ready to run; its words point into `bytes`. */
struct ready {
    char *text, *name, *bytes; /* name is printed instead of the text; NULL: the text is printed */
    char *words[WORDS_MAX + 1];
};

/* Splits a command line at blanks. Quotes and a backslash protect blanks, as in a shell; no other
 * character is special.
 * @param to room for the words. @return the number of words; 0: none, an unclosed quote, or too
 * many. */
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

/* Placeholders in a command line for the time to sleep, with the unit of each. */
static const struct place {
    const char *text;
    double unit_ns;
} places[] = {{"{}", 1e9}, {"{s}", 1e9}, {"{ms}", 1e6}, {"{us}", 1e3}};

/* @return the placeholder with which the text begins; NULL: none. */
static const struct place *place_at(const char *text)
{
    ST_EACH (place, places) {
        if (st_text_begins(text, place->text))
            return place;
    }
    return NULL;
}

static bool has_place(const char *text)
{
    while (*text != '\0' && place_at(text) == NULL)
        text++;
    return *text != '\0';
}

/* What replaces a placeholder: a word; if that is NULL, a time. If the time is < 0, placeholders
 * stay in the text. */
struct value {
    int64_t ns;
    const char *word;
};

/* Copies the text with each placeholder replaced by the value. @return a new string; NULL: out of
 * memory. */
static char *with_value(const char *text, const struct value *value)
{
    char *out = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&out, &bytes);
    if (stream == NULL)
        return NULL;
    for (; *text != '\0'; text++) {
        const struct place *place = value->word != NULL || value->ns >= 0 ? place_at(text) : NULL;
        if (place != NULL) {
            if (value->word != NULL)
                fputs(value->word, stream);
            else
                fprintf(stream, "%.9g", (double)value->ns / place->unit_ns);
            text += strlen(place->text) - 1;
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

static int make_ready(struct ready *r, const char *text, const char *name,
                      const struct value *value, struct st_exec_command *command)
{
    r->text = with_value(text, value);
    r->name = name != NULL ? with_value(name, value) : NULL;
    r->bytes = r->text != NULL ? malloc(strlen(r->text) + 1) : NULL;
    if (r->bytes == NULL || (name != NULL && r->name == NULL))
        return st_failure("out of memory");
    if (split(r->text, r->bytes, r->words) == 0)
        return st_failure_usage(
            "'%s' is not a valid command: no word, more than %d, or an unclosed quote", text,
            WORDS_MAX);
    *command = (struct st_exec_command){.text = r->name != NULL ? r->name : r->text,
                                        .argv = r->words,
                                        .requested_ns = value->ns > 0 ? value->ns : 0};
    return 0;
}

static void ready_free(struct ready *r)
{
    free(r->text);
    free(r->name);
    free(r->bytes);
}

static const struct value as_it_is = {.ns = -1};

/* How to print a value: with decimals down to the second digit of its spread, in the largest unit
 * that needs at most three decimals: 1001.26 ± 0.24 ms, and not 1.00 s. */
struct digits {
    double unit_ns;
    const char *unit;
    int decimals;
};

static struct digits digits_for(const struct st_table_format *format, double value_ns,
                                double spread_ns)
{
    static const struct digits units[] = {
        {1e9, "s", 0}, {1e6, "ms", 0}, {1e3, "µs", 0}, {1, "ns", 0}};
    const double spread = spread_ns > 0 ? spread_ns : fabs(value_ns) / 1000;
    size_t i = 0;
    while (i + 1 < ST_ARRAY_LEN(units) &&
           (format->unit_ns > 0
                ? units[i].unit_ns > format->unit_ns
                : fabs(value_ns) < units[i].unit_ns || spread < 0.01 * units[i].unit_ns))
        i++;
    struct digits d = units[i];
    const double second = 1 - floor(log10(fmax(spread, 1) / d.unit_ns));
    d.decimals = second > 0 && d.unit_ns > 1 ? (int)second : 0;
    return d;
}

static const char *number(const struct digits *d, double ns)
{
    return st_text("%.*f", d->decimals, ns / d->unit_ns);
}

/* Appends the times of whole runs: "6.217 ± 0.073 ms, 6.113 .. 6.371 ms, user 1.1 ms, system 700
 * µs, n 10". */
static void say_whole(const struct st_table_format *format, const struct st_exec_figures *f,
                      char *text, size_t bytes)
{
    const struct st_summary *w = &f->wall;
    const struct digits d = digits_for(format, w->mean_ns, w->sd_ns);
    st_text_append(text, bytes, "%s", number(&d, w->mean_ns));
    if (w->sd_known)
        st_text_append(text, bytes, " ± %s", number(&d, w->sd_ns));
    st_text_append(text, bytes, " %s, %s .. %s %s", d.unit, number(&d, (double)w->min_ns),
                   number(&d, (double)w->max_ns), d.unit);
    st_text_append(text, bytes, ", user %s", st_ns_text((int64_t)f->user_ns));
    st_text_append(text, bytes, ", system %s, n %ju", st_ns_text((int64_t)f->system_ns), w->n);
}

/* Appends the time of a program minus that of its start command: "; without its start 5.089 ms,
 * overshoot 89 µs [60 .. 120 µs] (1.8 %)". */
static void say_net(const struct st_table_format *format, const struct st_exec_command *command,
                    bool idle, const struct st_exec_figures *f, char *text, size_t bytes)
{
    const double low_ns = (double)(f->net.low_ns - command->requested_ns),
                 high_ns = (double)(f->net.high_ns - command->requested_ns);
    const double below_ns = (double)(f->net.value_ns - f->net.low_ns),
                 above_ns = (double)(f->net.high_ns - f->net.value_ns);
    /* the spread is the distance to the nearer end of the interval, because a few slow runs move
     * the farther end. With two runs, the nearer end is the value itself, and the farther end is
     * used */
    const double near_ns = fmin(below_ns, above_ns),
                 wide_ns = fmax(10, near_ns > 0 ? near_ns : fmax(below_ns, above_ns));
    struct digits d = digits_for(format, (double)f->net.value_ns, wide_ns);
    st_text_append(text, bytes, "; without %s start %s %s", idle ? "its" : "the",
                   number(&d, (double)f->net.value_ns), d.unit);
    if (f->overshoot_known) {
        d = digits_for(format, fmax(fabs(f->overshoot_ns), wide_ns), wide_ns);
        st_text_append(text, bytes, ", overshoot %s %s", number(&d, f->overshoot_ns), d.unit);
    }
    st_text_append(text, bytes, " [%s .. %s %s]", number(&d, low_ns), number(&d, high_ns), d.unit);
    if (f->overshoot_known)
        st_text_append(text, bytes, " (%.*f %%)",
                       fabs(f->percent) < 0.1  ? 3
                       : fabs(f->percent) < 10 ? 2
                                               : 1,
                       f->percent);
    if (!f->net.interval_known)
        st_text_append(text, bytes, ", only a %.0f %% interval: %ju runs allow no better one",
                       100 * f->net_confidence, f->net.n);
    if (f->impossible)
        st_text_append(text, bytes,
                       ". That is impossible for a sleep: the program takes its time in another "
                       "unit ({s}, {ms}, {us}), or does sleep if it gets 0 (set --start)");
}

/* Appends how the time differs from that of the fastest program: "; +151 µs [20 .. 260 µs] against
 * ./first 5". */
static void say_difference(const struct st_table_format *format, const struct st_quantile *q,
                           const char *first, char *text, size_t bytes)
{
    const double wide_ns = fmax(1, (double)(q->high_ns - q->low_ns) / 2);
    const struct digits d = digits_for(format, fmax(fabs((double)q->value_ns), wide_ns), wide_ns);
    st_text_append(text, bytes, "; %s%s %s [%s .. %s %s] against %s, round by round",
                   q->value_ns > 0 ? "+" : "", number(&d, (double)q->value_ns), d.unit,
                   number(&d, (double)q->low_ns), number(&d, (double)q->high_ns), d.unit, first);
}

/* Prints the figures of one program. */
static void print_arm(const struct st_bench_exec *bench, const struct st_table_format *format,
                      const struct st_exec_figures *f, FILE *out, int width)
{
    const struct st_exec_command *command = f->command;
    char text[1200] = "";
    if (f->wall.n == 0)
        return;
    fprintf(out, "%s%s\n", command->text,
            !f->start       ? ""
            : command->idle ? "   (sleeps 0 s: only its start and end)"
                            : "   (only the start and end of a process)");
    say_whole(format, f, text, sizeof(text));
    if (f->odd_n > 0)
        ST_APPEND(text, ", %zu outlier%s", f->odd_n, f->odd_n == 1 ? "" : "s");
    if (!f->start && f->net.known)
        say_net(format, command, bench->arms[command->start].command->idle, f, text, sizeof(text));
    else if (!f->start)
        ST_APPEND(text, "; subtracting the start needs at least 2 runs");
    if (f->difference.known)
        say_difference(format, &f->difference, f->fastest->command->text, text, sizeof(text));
    if (f->sd_ratio > 0)
        ST_APPEND(text, "; sd × %.2f", f->sd_ratio);
    if (f->range_ratio > 0)
        ST_APPEND(text, ", range × %.2f", f->range_ratio);
    st_text_field(out, "", text, 4, width);
}

static void print_summary(const struct st_exec_figures *f, FILE *out, int width)
{
    const struct st_quantile *q = &f->difference;
    const bool other = q->high_ns < 0; /* f is faster than f->fastest in most rounds: a few slow
                                          runs raised its mean */
    const struct st_exec_figures *fast = other ? f : f->fastest, *slow = other ? f->fastest : f;
    const double unit_ns = (other ? -1 : 1) * fast->wall.mean_ns;
    if (q->low_ns <= 0 && !other)
        st_text_say(out, width, "%s and %s: no difference is shown.", fast->command->text,
                    slow->command->text);
    else
        st_text_say(out, width, "%s: %.4g times faster than %s [%.4g .. %.4g].",
                    fast->command->text, 1 + (double)q->value_ns / unit_ns, slow->command->text,
                    1 + (double)(other ? q->high_ns : q->low_ns) / unit_ns,
                    1 + (double)(other ? q->low_ns : q->high_ns) / unit_ns);
}

/* Prints the start commands, then the programs, sorted by how long they should sleep. */
static void print_text(const struct st_bench_exec *bench, const struct st_table_format *format,
                       const struct st_exec_figures *figures, FILE *out, int width)
{
    const size_t n = bench->config.commands_n;
    bool odd = false;
    ST_EACH_OF (f, figures, n) {
        if (f->difference.known)
            print_summary(f, out, width);
    }
    ST_EACH_OF (f, figures, n) {
        odd = odd || f->odd_n > 0;
        print_arm(bench, format, f, out, width);
    }
    st_text_say(
        out, width,
        "First the time of whole runs: mean ± standard deviation, and min .. max; user and system: "
        "CPU time of a run. Without the start: the program's time minus the start-only program's "
        "time in the same round, as the median of all rounds with its 95 %% interval.%s",
        odd ? " Outliers, 14.8 median absolute deviations or more from the median, as hyperfine "
              "counts them: something else ran. Measure on a quiet machine, or with more --warmup "
              "if they are the first runs."
            : "");
    st_text_say(out, width, "%s in random order, seed %ju, after %u run%s to warm up%s.",
                st_ns_text(bench->elapsed_ns), bench->config.seed, bench->warm_up_n,
                bench->warm_up_n == 1 ? "" : "s", bench->stopped ? "; ended early" : "");
}

static int print(const struct st_bench_exec *bench, struct arguments *a)
{
    struct st_exec_figures *figures;
    int width;
    if (st_bench_exec_figures(bench, &figures) != 0)
        return st_failure("out of memory");
    FILE *out = st_bench_command_begin(&a->common, &width);
    if (out != NULL)
        print_text(bench, &a->common.out, figures, out, width);
    const int status = st_bench_command_end(
        &a->common, st_bench_exec_json(bench, figures, st_lab_native()), bench->arms[0].n);
    free(figures);
    return status;
}

static bool go_on(void *ctx, const struct st_bench_exec *bench)
{
    struct arguments *a = ctx;
    return st_bench_command_go_on(&a->common, "round %zu, %s of at most %s", bench->arms[0].n + 1,
                                  st_ns_short(bench->elapsed_ns), st_ns_short(a->budget_ns));
}

/* Passes a signal on to the program that runs, which may have hours to go. Runs in the signal
 * handler. */
static void on_stop(void)
{
    struct st_lab *lab = st_lab_native();
    if (st_stop_to_pass_on() != 0)
        lab->signal_program(lab, st_stop_to_pass_on());
}

static int measure(struct arguments *a, const struct st_exec_command *commands, size_t n,
                   const struct st_exec_command *prepare)
{
    struct st_bench_exec bench;
    const struct st_bench_exec_config config = {.commands = commands,
                                                .commands_n = n,
                                                .warm_up_n = (unsigned)a->warm_up_n,
                                                .runs_n = (unsigned)a->runs_n,
                                                .budget_ns = a->budget_ns,
                                                .seed = (uint64_t)a->common.seed,
                                                .prepare = prepare,
                                                .ignore_failure = a->ignore_failure,
                                                .go_on = go_on,
                                                .ctx = a};
    int r = st_bench_exec_init(&bench, &config);
    if (r != 0)
        return st_failure("%s", strerror(-r));
    st_stop_catch(on_stop);
    if (!a->common.quiet)
        fprintf(stderr, "%zu programs in random order (seed %jd): at most %s.\n", n, a->common.seed,
                st_ns_short(a->budget_ns));
    r = st_bench_exec_measure(&bench, st_lab_native());
    st_bench_command_done(&a->common);
    int status = ST_EXIT_DONE;
    if (r == -ECHILD)
        status = st_failure(
            "'%s' ended with status %d%s", bench.failed->text, bench.failed_status,
            bench.failed->idle ? ". Set --start to a program that only starts and ends" : "");
    else if (r != 0)
        status = st_failure("'%s': %s", bench.failed->text, strerror(-r));
    else if (bench.arms[0].n == 0 && !bench.stopped)
        status = st_failure("nothing was measured: running each program once took %s. Set --budget "
                            "to twice that or more.",
                            st_ns_text(bench.elapsed_ns));
    else if (bench.arms[0].n == 0)
        status = st_failure("nothing was measured");
    if (bench.arms[0].n > 0) {
        const int printed = print(&bench, a);
        status = status != ST_EXIT_DONE ? status : printed;
    }
    st_bench_exec_finish(&bench);
    return status;
}

/* All commands, ready to run: ready[i] holds the words of commands[i]. */
struct plan {
    struct ready *ready;
    struct st_exec_command *commands;
    size_t n;
};

/* Adds one command. @param start index of its start command; SIZE_MAX: it is a start command
 * itself. */
static int plan_one(struct plan *plan, const char *text, const char *name,
                    const struct value *value, size_t start)
{
    const size_t i = plan->n;
    if (i == COMMANDS_MAX)
        return st_failure_usage(
            "too many programs and durations: at most %d combinations are possible", COMMANDS_MAX);
    plan->n++;
    const int r = make_ready(&plan->ready[i], text, name, value, &plan->commands[i]);
    plan->commands[i].start = start != SIZE_MAX ? start : i;
    return r;
}

/* Context of plan_word, which adds one command for each word of a list: the program, and the index
 * of its start command. */
struct program {
    struct plan *plan;
    const char *text, *name; /* name is NULL if none was given */
    size_t start;
};

static int plan_word(void *ctx, const char *word)
{
    const struct program *p = ctx;
    return plan_one(p->plan, p->text, p->name, &(struct value){-1, word}, p->start);
}

/* Adds the commands of a program, one for each duration or parameter, and the start command, which
 * times its start: that of --start; else, if durations replace {}, the program itself with 0 s;
 * else `true`.
 * @param common index of the start command that several programs share; SIZE_MAX: it was not yet
 * added. */
static int plan_program(struct plan *plan, const struct arguments *a, const char *text,
                        const char *name, size_t *common)
{
    const bool words = has_place(text) && a->parameters_text != NULL,
               told = has_place(text) && !words, own = told && a->start == NULL;
    size_t start = own ? plan->n : *common;
    int r = 0;
    if (own) {
        r = plan_one(plan, text, name, &(struct value){0, NULL}, SIZE_MAX);
        plan->commands[start].idle = true;
    } else if (*common == SIZE_MAX) {
        *common = start = plan->n;
        r = plan_one(plan, a->start != NULL ? a->start : "true", NULL, &as_it_is, SIZE_MAX);
    }
    if (r == 0 && words)
        return st_word_list_each("--parameters", a->parameters_text, plan_word,
                                 &(struct program){plan, text, name, start});
    for (size_t d = 0; d < (told ? a->durations.n : 1) && r == 0; d++)
        r = plan_one(plan, text, name, &(struct value){told ? a->durations.ns[d] : -1, NULL},
                     start);
    return r;
}

/* Runs a program once, without timing it; NULL: does nothing. @return an st_exit, after a
 * message. */
static int run_once(const char *option, const char *text)
{
    struct st_lab *lab = st_lab_native();
    struct st_exec_command command;
    struct st_program_time time = {.status = 0};
    struct ready ready = {.text = NULL};
    if (text == NULL)
        return ST_EXIT_DONE;
    int status = make_ready(&ready, text, NULL, &as_it_is, &command);
    const int r = status == ST_EXIT_DONE ? lab->time_program(lab, command.argv, &time) : 0;
    if (r != 0)
        status = st_failure("%s '%s': %s", option, text, strerror(-r));
    else if (time.status != 0)
        status = st_failure("%s '%s' ended with status %d", option, text, time.status);
    ready_free(&ready);
    return status;
}

static int run_around(struct arguments *a, const struct plan *plan)
{
    struct st_exec_command prepare;
    struct ready ready = {.text = NULL};
    int status = a->prepare != NULL ? make_ready(&ready, a->prepare, NULL, &as_it_is, &prepare)
                                    : ST_EXIT_DONE;
    if (status == ST_EXIT_DONE)
        status = run_once("--setup", a->setup);
    if (status == ST_EXIT_DONE) {
        status = measure(a, plan->commands, plan->n, a->prepare != NULL ? &prepare : NULL);
        /* forgets a signal that came between two runs: it would end --cleanup at its start */
        st_lab_native()->signal_program(st_lab_native(), 0);
        const int cleaned = run_once("--cleanup", a->cleanup);
        status = status != ST_EXIT_DONE ? status : cleaned;
    }
    ready_free(&ready);
    return status;
}

static int run(struct arguments *a)
{
    struct plan plan = {.ready = calloc(COMMANDS_MAX, sizeof(*plan.ready)),
                        .commands = calloc(COMMANDS_MAX, sizeof(*plan.commands))};
    size_t common = SIZE_MAX;
    int status =
        plan.ready == NULL || plan.commands == NULL ? st_failure("out of memory") : ST_EXIT_DONE;
    const char *names = a->names_text != NULL ? a->names_text : "";
    for (size_t i = 0; i < a->programs_n && status == ST_EXIT_DONE; i++) {
        const size_t bytes = strcspn(names, ",");
        char *name = bytes > 0 ? strndup(names, bytes) : NULL;
        status = plan_program(&plan, a, a->programs[i], name, &common);
        names += bytes + (names[bytes] == ',');
        free(name);
    }
    if (status == ST_EXIT_DONE)
        status = run_around(a, &plan);
    ST_EACH_OF (ready, plan.ready, plan.n)
        ready_free(ready);
    free(plan.ready);
    free(plan.commands);
    return status;
}

int st_cmd_exec(int argc, char **argv)
{
    struct arguments a = {.warm_up_n = 3, .budget_ns = BUDGET_NS, .common = st_bench_command()};
    int first = 0;
    const struct st_option options[] = {
        {"durations", .text = &a.durations_text},
        {"parameters", .text = &a.parameters_text},
        {"command-name", .text = &a.names_text},
        {"start", .text = &a.start},
        {"setup", .text = &a.setup},
        {"prepare", .text = &a.prepare},
        {"cleanup", .text = &a.cleanup},
        {"ignore-failure", .flag = &a.ignore_failure},
        {"runs", .number = &a.runs_n, .min = 0, .max = 1000000},
        {"warmup", .number = &a.warm_up_n, .min = 0, .max = 1000},
        {"budget", .time_ns = &a.budget_ns, .min = 100 * ST_NS_PER_MS, .max = 86400 * ST_NS_PER_S},
        {"seed", .number = &a.common.seed, .min = 0, .max = INT64_MAX},
        {"time-unit", .take = st_table_take_unit, .ctx = &a.common.out},
        ST_BENCH_COMMAND_OPTIONS(&a.common),
    };
    int r = st_options_read(options, ST_ARRAY_LEN(options), help, argc, argv, &first);
    if (r >= 0)
        return r;
    if (first == argc)
        return st_failure_usage("give a program");
    a.programs = argv + first;
    a.programs_n = (size_t)(argc - first);
    if (a.parameters_text != NULL && a.durations_text != NULL)
        return st_failure_usage("--durations and --parameters cannot be used together");
    r = st_word_list_durations(a.durations_text != NULL ? a.durations_text : USUAL_DURATIONS,
                               &a.durations);
    if (r == 0)
        r = st_bench_command_check(&a.common);
    return r != 0 ? r : run(&a);
}
