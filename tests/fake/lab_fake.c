/* The fake laboratory: its calls, ways of waking and programs do what a test scripted. */
#include "tests/fake/lab_fake.h"

#include "core/ns.h"
#include "lab/syscall/call.h"
#include "lab/wake/wake.h"
#include "tests/fake/fake_state.h"

/* How long programs run: "true", and any other. */
struct st_lab_fake_program {
    const int64_t *wall_ns;
    size_t n, next;
    int status;
};

#define ST_LAB_FAKE_CALLS_N 4

/* What a call costs. */
struct st_lab_fake_call {
    int64_t *cost_ns;
    size_t cost_n, next;
    int64_t raw_ns;
    int open_error;
};

#define ST_LAB_FAKE_WAKES_N 3

/* How long a sleeper takes to wake. */
struct st_lab_fake_wake {
    int64_t *delay_ns;
    size_t delay_n, next;
    int64_t send_ns;
    int open_error;
};

struct st_lab_fake {
    struct st_lab row; /* first: a row's functions get a pointer to it */
    struct st_lab_fake_program programs[2];
    int program_error;
    struct st_lab_fake_call calls[ST_LAB_FAKE_CALLS_N];
    struct st_lab_fake_wake wakes[ST_LAB_FAKE_WAKES_N];
};

static struct st_lab_fake *fake_of(struct st_lab *lab)
{
    return (struct st_lab_fake *)lab;
}

/* --- calls --- */

static int fake_open(struct st_call *c);
static int fake_call(struct st_call *c);
static int fake_raw(struct st_call *c);

static const struct st_call_method calls[ST_LAB_FAKE_CALLS_N + 1] = {
    {.name = "clock_gettime-monotonic",
     .summary = "scripted",
     .tells_time = true,
     .open = fake_open,
     .call = fake_call,
     .raw = fake_raw},
    {.name = "getppid",
     .summary = "scripted",
     .open = fake_open,
     .call = fake_call,
     .raw = fake_raw},
    {.name = "sysconf", .summary = "scripted", .open = fake_open, .call = fake_call},
    {.name = "nanosleep-1ns",
     .summary = "scripted",
     .blocks = true,
     .open = fake_open,
     .call = fake_call,
     .raw = fake_raw},
    ST_CALL_EMPTY,
};

static const void *fake_call_method(struct st_lab *lab, size_t i)
{
    (void)lab;
    return i < ST_ARRAY_LEN(calls) ? &calls[i] : NULL;
}

static struct st_lab_fake_call *call_script(struct st_lab *lab, const struct st_call_method *method)
{
    return &fake_of(lab)->calls[method - calls];
}

static int fake_open(struct st_call *c)
{
    return call_script(c->lab, c->method)->open_error;
}

static int fake_call(struct st_call *c)
{
    struct st_lab_fake_call *script = call_script(c->lab, c->method);
    const size_t i = script->next < script->cost_n ? script->next++ : script->cost_n - 1;
    if (script->cost_n > 0)
        st_fake_advance(c->platform, script->cost_ns[i]);
    return 0;
}

static int fake_raw(struct st_call *c)
{
    st_fake_advance(c->platform, call_script(c->lab, c->method)->raw_ns);
    return 0;
}

int st_lab_fake_script_call(struct st_lab *lab, const char *name, const int64_t *cost_ns, size_t n,
                            int64_t raw_ns)
{
    const struct st_call_method *method = st_lab_find(lab, lab->call_method, name);
    if (method == NULL || method->open != fake_open)
        return -ENOENT;
    struct st_lab_fake_call *script = call_script(lab, method);
    int64_t *copy = calloc(n > 0 ? n : 1, sizeof(*copy));
    if (copy == NULL)
        return -ENOMEM;
    if (n > 0)
        memcpy(copy, cost_ns, n * sizeof(*copy));
    free(script->cost_ns);
    *script = (struct st_lab_fake_call){
        .cost_ns = copy, .cost_n = n, .raw_ns = raw_ns, .open_error = script->open_error};
    return 0;
}

int st_lab_fake_fail_call(struct st_lab *lab, const char *name, int error)
{
    const struct st_call_method *method = st_lab_find(lab, lab->call_method, name);
    if (method == NULL || method->open != fake_open || error >= 0)
        return -EINVAL;
    call_script(lab, method)->open_error = error;
    return 0;
}

static void fake_call_finish(struct st_lab_fake *fake)
{
    for (size_t i = 0; i < ST_ARRAY_LEN(fake->calls); i++)
        free(fake->calls[i].cost_ns);
}

/* --- ways of waking --- */

static const struct st_wake_method methods[ST_LAB_FAKE_WAKES_N] = {
    {.name = "condvar", .summary = "scripted"},
    {.name = "channel", .summary = "scripted"},
    {.name = "futex", .summary = "scripted"},
};

static const void *fake_wake_method(struct st_lab *lab, size_t i)
{
    (void)lab;
    return i < ST_ARRAY_LEN(methods) ? &methods[i] : NULL;
}

static struct st_lab_fake_wake *wake_script(struct st_lab *lab, const struct st_wake_method *method)
{
    return &fake_of(lab)->wakes[method - methods];
}

static int fake_wake_open(struct st_wake *w, const struct st_wake_setting *setting)
{
    struct st_platform *p = w->platform;
    const int r = p->pin(p, setting->sender_cpu);
    return r != 0 ? r : wake_script(w->lab, w->method)->open_error;
}

static int fake_wake_round(struct st_wake *w, int64_t slice_ns, bool interrupted,
                           struct st_wake_stamps *ret)
{
    struct st_platform *p = w->platform;
    struct st_lab_fake_wake *script = wake_script(w->lab, w->method);
    const int64_t delay_ns =
        script->delay_n > 0 ? script->delay_ns[script->next++ % script->delay_n] : 0;
    if (delay_ns == INT64_MIN)
        return -ETIMEDOUT;
    st_fake_advance(p, slice_ns);
    const int64_t now_ns = st_platform_now_ns(p);
    *ret = (struct st_wake_stamps){.woke_ns = now_ns + delay_ns};
    if (interrupted) {
        ret->signal_ns = now_ns;
        ret->sent_ns = now_ns + script->send_ns;
    } else {
        ret->due_ns = now_ns;
    }
    st_fake_advance(p, delay_ns > script->send_ns ? delay_ns : script->send_ns);
    return 0;
}

static void fake_wake_close(struct st_wake *w)
{
    (void)w;
}

int st_lab_fake_script_wake(struct st_lab *lab, const char *name, const int64_t *delay_ns, size_t n,
                            int64_t send_ns, int open_error)
{
    const struct st_wake_method *method = st_lab_find(lab, lab->wake_method, name);
    if (method == NULL)
        return -ENOENT;
    struct st_lab_fake_wake *script = wake_script(lab, method);
    int64_t *copy = calloc(n > 0 ? n : 1, sizeof(*copy));
    if (copy == NULL)
        return -ENOMEM;
    if (n > 0)
        memcpy(copy, delay_ns, n * sizeof(*copy));
    free(script->delay_ns);
    *script = (struct st_lab_fake_wake){
        .delay_ns = copy, .delay_n = n, .send_ns = send_ns, .open_error = open_error};
    return 0;
}

static void fake_wake_finish(struct st_lab_fake *fake)
{
    for (size_t i = 0; i < ST_ARRAY_LEN(fake->wakes); i++)
        free(fake->wakes[i].delay_ns);
}

/* The platform's fake has them, with its clock. */
static const void *fake_sleep_method(struct st_lab *lab, size_t i)
{
    return st_fake_state_sleep(lab->platform, i);
}

/* Takes as long as scripted. */
static int fake_time_program(struct st_lab *lab, char *const argv[], struct st_program_time *ret)
{
    struct st_lab_fake *fake = fake_of(lab);
    if (fake->program_error != 0)
        return fake->program_error;
    struct st_lab_fake_program *script =
        strcmp(argv[0], "true") == 0 ? &fake->programs[0] : &fake->programs[1];
    const int64_t wall_ns = script->n > 0 ? script->wall_ns[script->next++ % script->n] : 0;
    st_fake_advance(lab->platform, wall_ns);
    *ret = (struct st_program_time){.wall_ns = wall_ns,
                                    .user_ns = wall_ns / 10,
                                    .system_ns = wall_ns / 20,
                                    .status = script->status};
    return 0;
}

/* Its programs have ended before a signal can reach them. */
static void fake_signal_program(struct st_lab *lab, int signal_number)
{
    (void)lab;
    (void)signal_number;
}

static int fake_clock_correction_ppm(struct st_lab *lab, double *ret_ppm)
{
    (void)lab;
    (void)ret_ppm;
    return -ENOTSUP;
}

struct st_lab *st_lab_fake_new(void)
{
    struct st_lab_fake *fake = calloc(1, sizeof(*fake));
    if (fake == NULL)
        return NULL;
    fake->row = (struct st_lab){
        .platform = st_fake_new(ST_OS_LINUX, ST_NS_PER_S),
        .sleep_method = fake_sleep_method,
        .call_method = fake_call_method,
        .wake_method = fake_wake_method,
        .wake_open = fake_wake_open,
        .wake_round = fake_wake_round,
        .wake_close = fake_wake_close,
        .clock_correction_ppm = fake_clock_correction_ppm,
        .time_program = fake_time_program,
        .signal_program = fake_signal_program,
    };
    if (fake->row.platform == NULL) {
        free(fake);
        return NULL;
    }
    return &fake->row;
}

void st_lab_fake_free(struct st_lab *lab)
{
    if (lab == NULL)
        return;
    struct st_lab_fake *fake = fake_of(lab);
    st_fake_free(lab->platform);
    fake_call_finish(fake);
    fake_wake_finish(fake);
    free(fake);
}

int st_lab_fake_setup(void **state)
{
    *state = st_lab_fake_new();
    return *state == NULL ? -1 : 0;
}

int st_lab_fake_teardown(void **state)
{
    st_lab_fake_free(*state);
    return 0;
}

void st_lab_fake_script_programs(struct st_lab *lab, bool of_true, const int64_t *wall_ns, size_t n,
                                 int status)
{
    fake_of(lab)->programs[of_true ? 0 : 1] =
        (struct st_lab_fake_program){.wall_ns = wall_ns, .n = n, .status = status};
}

void st_lab_fake_fail_programs(struct st_lab *lab, int error)
{
    fake_of(lab)->program_error = error;
}
