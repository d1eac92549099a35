#include "lab/syscall/bench_syscall.h"

#include "core/ns.h"
#include "lab/chart/box.h"

#define STOP_CHECK_N 1024 /* samples between two calls of go_on */
#define TYPICAL_NS   300  /* about how long a call takes that does next to nothing, ns */
#define PROBES_N     5    /* fresh processes from which the time of one is estimated */
#define FRESH_NS     (3 * ST_NS_PER_MS) /* assumed time of a fresh process if all PROBES_N fail */
/* assumed time of a call that gives the CPU away, if it cannot be measured */
#define BLOCKS_NS (100 * ST_NS_PER_US)

/* --- fresh processes: this program is started again --- */

#define LIMIT_NS (5 * ST_NS_PER_S)

static int parse(const char *text, int64_t *ret_ns)
{
    char *end;
    errno = 0;
    const long long ns = strtoll(text, &end, 10);
    if (end == text || strcmp(end, "\n") != 0 || errno != 0 || ns < 0)
        return -EBADMSG;
    *ret_ns = ns;
    return 0;
}

/* Takes one sample in a fresh process: runs `sleeptune-lab syscall --one-shot CALL` and reads the
 * whole number of ns that it prints.
 * @return 0, -EBADMSG (the process prints something else), -ETIMEDOUT, or why it could not be
 * started. */
static int fresh_process_sample(struct st_lab *lab, const char *call, int64_t *ret_ns)
{
    char program[PATH_MAX], path[PATH_MAX + sizeof("PATH=")], buf[32];
    int r = lab->platform->program_path(lab->platform, program, sizeof(program));
    char *name = r == 0 ? strrchr(program, '/') : NULL;
    if (name == NULL)
        return r != 0 ? r : -ENOENT;
    *name++ = '\0'; /* platform->run looks programs up in PATH */
    ST_PRINT(path, "PATH=%s", program[0] != '\0' ? program : "/");
    const char *const argv[] = {name, "syscall", "--one-shot", call, NULL};
    const char *const env[] = {path, NULL};
    struct st_run run = {.argv = argv, .buf = buf, .buf_bytes = sizeof(buf)};
    const struct st_run_as as = {.env = env};
    r = lab->platform->run(lab->platform, &run, 1, &as, LIMIT_NS);
    if (r == 0)
        r = run.result;
    return r == 0 ? parse(buf, ret_ns) : r;
}

/* --- samples --- */

const char *st_bench_syscall_mode_name(enum st_call_mode mode)
{
    static const char *const names[] = {
        [ST_CALL_IN_PROCESS] = "in-process", [ST_CALL_FRESH] = "fresh"};
    return names[mode];
}

static void refuse(struct st_syscall_row *row, const char *why, int error)
{
    row->why = why;
    row->error = error;
}

static int init_row(struct st_syscall_row *row, const struct st_call_method *method,
                    enum st_call_mode mode, size_t room_n)
{
    *row = (struct st_syscall_row){.method = method, .mode = mode};
    row->ns = malloc(room_n * sizeof(*row->ns));
    if (row->ns == NULL)
        return -ENOMEM;
    memset(row->ns, 0xff, room_n * sizeof(*row->ns)); /* touch all pages: no page faults later */
    return 0;
}

static bool go_on(struct st_bench_syscall *bench)
{
    const struct st_bench_syscall_config *c = &bench->config;
    if (!bench->stopped && c->go_on != NULL)
        bench->stopped = !c->go_on(c->ctx, bench);
    return !bench->stopped;
}

/* --- one call --- */

int st_bench_syscall_once(struct st_lab *lab, const struct st_call_method *method, int64_t *ret_ns)
{
    struct st_call c;
    int r = st_call_open(&c, lab, method);
    if (r != 0)
        return r;
    /* the empty measurement is two clock reads in a row: calling an empty function would touch one
     * more cold page */
    const st_call_fn call = method->call != st_call_nothing ? method->call : NULL;
    const int64_t before_ns = st_lab_now_ns(lab);
    if (call != NULL)
        r = call(&c);
    const int64_t after_ns = st_lab_now_ns(lab);
    st_call_close(&c);
    if (r == 0)
        *ret_ns = st_ns_sub(after_ns, before_ns);
    return r;
}

/* Takes the samples of one call. A measurement of nothing (the empty measurement) follows each
 * call, so that both see the same speed of the CPU. */
static void sample_calls(struct st_bench_syscall *bench, struct st_lab *lab,
                         struct st_syscall_row *row, struct st_call *c, int64_t *empties_ns)
{
    const st_call_fn call = row->method->call;
    st_call_fn volatile const nothing = st_call_nothing; /* the compiler must call it, by a pointer,
                                                            as it calls the measured call */
    for (size_t i = 0; i < bench->config.count; i++) {
        if (i % STOP_CHECK_N == 0 && !go_on(bench))
            return;
        const int64_t before_ns = st_lab_now_ns(lab);
        const int r = call(c);
        const int64_t after_ns = st_lab_now_ns(lab);
        (void)nothing(c);
        const int64_t empty_ns = st_lab_now_ns(lab);
        if (r != 0) {
            refuse(row, "the kernel refused this call", r);
            return;
        }
        row->ns[i] = st_ns_sub(after_ns, before_ns);
        empties_ns[i] = st_ns_sub(empty_ns, after_ns);
        row->n = i + 1;
    }
}

static bool is_empty(const struct st_syscall_row *row)
{
    return row->method->call == st_call_nothing;
}

/* Subtracts the median of the empty measurement from the samples and computes their figures. @param
 * scratch room for row->n values. */
static void figure(const struct st_bench_syscall *bench, struct st_syscall_row *row,
                   const struct st_sample *empty, int64_t *scratch)
{
    if (row->n == 0)
        return;
    row->offset_ns = is_empty(row) ? 0 : st_sample_quantile(empty, 0.5);
    ST_EACH_OF (ns, row->ns, row->n)
        *ns = st_ns_sub(*ns, row->offset_ns);
    memcpy(scratch, row->ns, row->n * sizeof(*scratch));
    const struct st_sample sample = st_sample_of(scratch, row->n);
    st_summary_of(&sample, &row->summary);
    row->outliers_known = row->summary.q1.known && row->summary.q3.known;
    if (row->outliers_known) {
        struct st_box box;
        st_box_of(&sample, &box);
        row->outliers_n = box.outliers_n;
        row->iqr_is_zero = box.q1_ns == box.q3_ns;
    }
    row->enough_n = st_summary_median_enough_n(&sample, ST_SYSCALL_PRECISION, bench->clock_step_ns,
                                               ST_SYSCALL_ENOUGH_N);
}

bool st_bench_syscall_is_below_clock(const struct st_syscall_row *row)
{
    return row->batches.known && row->offset_ns > 0 &&
           row->batches.call_ns < (double)row->offset_ns;
}

static void measure_in_process(struct st_bench_syscall *bench, struct st_lab *lab,
                               struct st_syscall_row *row, int64_t *empty_ns, int64_t *scratch)
{
    struct st_call c;
    if (row->why != NULL || !go_on(bench))
        return;
    const int r = st_call_open(&c, lab, row->method);
    if (r != 0) {
        refuse(row, "the kernel refused this call", r);
        return;
    }
    sample_calls(bench, lab, row, &c, empty_ns);
    st_call_close(&c);
    const struct st_sample empty = st_sample_of(empty_ns, row->n);
    const int64_t step_ns = st_sample_clock_step_ns(&empty);
    if (step_ns > 0 && (bench->clock_step_ns == 0 || step_ns < bench->clock_step_ns))
        bench->clock_step_ns = step_ns;
    figure(bench, row, &empty, scratch);
}

/* Measures a call in batches. Runs after the samples of all calls were taken, because batches call
 * getppid too, and the first getppid of this process must be a sample. */
static void measure_batches(struct st_bench_syscall *bench, struct st_lab *lab,
                            struct st_syscall_row *row)
{
    const struct st_summary *s = &row->summary;
    if (row->why != NULL || s->n == 0 || is_empty(row) || !go_on(bench))
        return;
    const double about_ns = s->median.known ? (double)s->median.value_ns : s->mean_ns;
    row->path = st_call_batches_measure(lab, row->method, about_ns, &row->batches);
}

/* --- fresh processes, in turn --- */

/* Starts processes in rounds: in each, one for each call and one for the empty measurement, in
 * random order, because what a process finds depends on what ran before it. @param empty_ns room
 * for `fresh` values. @return how many empty measurements succeeded. */
static size_t measure_fresh(struct st_bench_syscall *bench, struct st_lab *lab,
                            struct st_syscall_row *rows, size_t *order, int64_t *empty_ns)
{
    const size_t n = bench->config.methods_n;
    struct st_random random = {.state = bench->config.seed};
    size_t empty_n = 0;
    for (size_t i = 0; i <= n; i++)
        order[i] = i;
    for (size_t i = 0; i < bench->config.fresh; i++) {
        st_sample_shuffle(&random, order, n + 1);
        for (size_t k = 0; k <= n; k++) {
            struct st_syscall_row *row = order[k] < n ? &rows[order[k]] : NULL;
            if (row != NULL && row->why != NULL)
                continue;
            const int r = row == NULL
                              ? fresh_process_sample(lab, "empty", &empty_ns[empty_n])
                              : fresh_process_sample(lab, row->method->name, &row->ns[row->n]);
            if (!go_on(bench)) /* the signal of Ctrl-C also ended the process */
                return empty_n;
            if (row == NULL)
                empty_n += r == 0;
            else if (r == 0)
                row->n++;
            else
                refuse(row, "the measurement in a new process failed", r);
        }
    }
    return empty_n;
}

/* Measures the rows of fresh processes, which follow the in-process rows in the same order. */
static int fresh_rows(struct st_bench_syscall *bench, struct st_lab *lab, int64_t *scratch)
{
    const size_t n = bench->config.methods_n;
    struct st_syscall_row *fresh = &bench->rows[n];
    size_t *order = calloc(n + 1, sizeof(*order));
    int64_t *empty_ns = calloc(bench->config.fresh, sizeof(*empty_ns));
    if (order == NULL || empty_ns == NULL) {
        free(order);
        free(empty_ns);
        return -ENOMEM;
    }
    for (size_t i = 0; i < n; i++) {
        if (fresh[i].why == NULL && bench->rows[i].why != NULL)
            refuse(&fresh[i], bench->rows[i].why, bench->rows[i].error);
    }
    const size_t empty_n = measure_fresh(bench, lab, fresh, order, empty_ns);
    const struct st_sample empty = st_sample_of(empty_ns, empty_n);
    for (size_t i = 0; i < n; i++) {
        if (empty_n == 0 && fresh[i].n > 0) {
            fresh[i].n = 0;
            refuse(&fresh[i], "the empty measurement (two clock reads) failed in every new process",
                   0);
        }
        figure(bench, &fresh[i], &empty, scratch);
        /* the in-process row has measured who answers this call */
        fresh[i].path = bench->rows[i].path;
    }
    free(order);
    free(empty_ns);
    return 0;
}

/* --- how long it takes --- */

static int64_t clock_cost_ns(struct st_lab *lab)
{
    const int64_t before_ns = st_lab_now_ns(lab);
    for (int i = 1; i < 100; i++)
        (void)st_lab_now_ns(lab);
    return st_ns_sub(st_lab_now_ns(lab), before_ns) / 100;
}

/* Measures some fresh processes: the least time of the call (more would include time in which other
 * programs have the CPU, which must not be multiplied), and the median time of the whole process.
 * If no process succeeds, *call_ns and *process_ns keep their values. */
static void probe(struct st_lab *lab, const char *call, int64_t *call_ns, int64_t *process_ns)
{
    int64_t calls_ns[PROBES_N], processes_ns[PROBES_N];
    size_t n = 0;
    for (int i = 0; i < PROBES_N; i++) {
        const int64_t before_ns = st_lab_now_ns(lab);
        if (fresh_process_sample(lab, call, &calls_ns[n]) == 0)
            processes_ns[n++] = st_ns_sub(st_lab_now_ns(lab), before_ns);
    }
    if (n == 0)
        return;
    const struct st_sample calls = st_sample_of(calls_ns, n),
                           processes = st_sample_of(processes_ns, n);
    *call_ns = calls.values_ns[0];
    *process_ns = st_sample_quantile(&processes, 0.5);
}

int64_t st_bench_syscall_expected_ns(struct st_lab *lab,
                                     const struct st_bench_syscall_config *config)
{
    const int64_t clock_ns = clock_cost_ns(lab);
    int64_t process_ns = FRESH_NS, empty_ns;
    double sum_ns = 0;
    if (config->fresh > 0)
        probe(lab, "empty", &empty_ns, &process_ns);
    ST_EACH_OF (row, config->methods, config->methods_n) {
        const struct st_call_method *method = *row;
        int64_t call_ns = method->blocks ? BLOCKS_NS : TYPICAL_NS, unused_ns;
        if (method->blocks)
            probe(lab, method->name, &call_ns, &unused_ns);
        sum_ns += (double)config->count * (double)(call_ns + 3 * clock_ns);
        sum_ns += (double)st_call_batches_expected_ns((double)call_ns, TYPICAL_NS);
    }
    sum_ns += (double)(config->methods_n + 1) * (double)config->fresh * (double)process_ns;
    return (int64_t)sum_ns;
}

/* --- the whole measurement --- */

static int make_rows(struct st_bench_syscall *bench)
{
    const struct st_bench_syscall_config *c = &bench->config;
    bench->rows = calloc(2 * c->methods_n, sizeof(*bench->rows));
    if (bench->rows == NULL)
        return -ENOMEM;
    for (int mode = ST_CALL_IN_PROCESS; mode <= ST_CALL_FRESH; mode++) {
        const size_t room_n = mode == ST_CALL_FRESH ? c->fresh : c->count;
        for (size_t i = 0; i < c->methods_n && room_n > 0; i++) {
            struct st_syscall_row *row = &bench->rows[bench->rows_n++];
            if (init_row(row, c->methods[i], (enum st_call_mode)mode, room_n) != 0)
                return -ENOMEM;
        }
    }
    return 0;
}

/* Measures the cost of reading the clock that times all calls, even if its own row was not asked
 * for. */
static void look_at_clock(struct st_bench_syscall *bench, struct st_lab *lab)
{
    const struct st_call_method *method =
        st_lab_find(lab, lab->call_method, "clock_gettime-monotonic");
    if (method != NULL)
        bench->clock_path = st_call_batches_measure(lab, method, 0, &bench->clock);
}

int st_bench_syscall_measure(struct st_lab *lab, const struct st_bench_syscall_config *config,
                             struct st_bench_syscall *ret)
{
    *ret = (struct st_bench_syscall){.config = *config};
    if (config->methods_n == 0 || config->count == 0)
        return -EINVAL;
    const size_t most_n = config->count > config->fresh ? config->count : config->fresh;
    int64_t *scratch = calloc(2 * most_n, sizeof(*scratch));
    const int r = scratch != NULL ? make_rows(ret) : -ENOMEM;
    if (r != 0) {
        free(scratch);
        return r;
    }
    /* touch all pages: no page faults later */
    memset(scratch, 0xff, 2 * most_n * sizeof(*scratch));
    const int64_t begin_ns = st_lab_now_ns(lab);
    ST_EACH_OF (row, ret->rows, config->methods_n)
        measure_in_process(ret, lab, row, scratch + most_n, scratch);
    ST_EACH_OF (row, ret->rows, config->methods_n)
        measure_batches(ret, lab, row);
    look_at_clock(ret, lab);
    const int fresh = config->fresh > 0 ? fresh_rows(ret, lab, scratch) : 0;
    ret->elapsed_ns = st_lab_now_ns(lab) - begin_ns;
    free(scratch);
    return fresh;
}

void st_bench_syscall_finish(struct st_bench_syscall *bench)
{
    ST_EACH_OF (row, bench->rows, bench->rows_n)
        free(row->ns);
    free(bench->rows);
    *bench = (struct st_bench_syscall){0};
}

const char *st_bench_syscall_finding(const struct st_bench_syscall *bench, struct st_lab *lab)
{
    if (bench->clock_path != ST_PATH_SYSCALL)
        return NULL;
    return lab->platform->os == ST_OS_FREEBSD ? "freebsd-fast-gettime" : "linux-clocksource";
}
