
#include "lab/syscall/call.h"
#include "core/ns.h"
#include "lab/summary.h"

int st_call_nothing(ST_UNUSED struct st_call *c)
{
    return 0;
}

int st_call_open(struct st_call *c, struct st_lab *lab, const struct st_call_method *method)
{
    *c = (struct st_call){.method = method, .platform = lab->platform, .lab = lab, .fd = -1};
    return method->open != NULL ? method->open(c) : 0;
}

void st_call_close(struct st_call *c)
{
    if (c->method->close != NULL)
        c->method->close(c);
}

#define BATCH_NS  (20 * ST_NS_PER_US)
#define BATCH_MAX 1000

const char *st_call_path_name(enum st_call_path path)
{
    static const char *const names[] = {
        [ST_PATH_VDSO] = "vdso", [ST_PATH_LIBRARY] = "library", [ST_PATH_SYSCALL] = "syscall"};
    return names[path]; /* NULL for ST_PATH_UNKNOWN */
}

/* What take_turns times in each round, one batch after the other; RAW is the call through
 * syscall(2). */
enum { NOTHING, GETPPID, CALL, RAW, TURNS_N };

struct turns {
    int64_t ns[TURNS_N][ST_SYSCALL_BATCHES];
    size_t n;
};

static uint32_t batch_size(double about_ns)
{
    if (about_ns * BATCH_MAX <= (double)BATCH_NS)
        return BATCH_MAX;
    const double fit = (double)BATCH_NS / about_ns;
    return fit >= 1 ? (uint32_t)fit : 1;
}

/* Times one batch of calls. @return its duration in ns; < 0: the error of a call. */
static int64_t batch(struct st_lab *lab, st_call_fn volatile call, struct st_call *c,
                     uint32_t calls_n)
{
    int r = 0;
    const int64_t before_ns = st_lab_now_ns(lab);
    for (uint32_t i = 0; i < calls_n; i++)
        r |= call(c);
    const int64_t after_ns = st_lab_now_ns(lab);
    return r == 0 ? st_ns_sub(after_ns, before_ns) : r < 0 ? r : -r;
}

/* Times a batch of nothing, of getppid, of the call and of RAW in turn, again and again. @return 0
 * or the error of a call. */
static int take_turns(struct st_lab *lab, struct st_call *c, struct st_call *getppid,
                      uint32_t calls_n, struct turns *turns)
{
    const st_call_fn calls[TURNS_N] = {[NOTHING] = st_call_nothing,
                                       [GETPPID] = getppid->method->call,
                                       [CALL] = c->method->call,
                                       [RAW] = c->method->raw};
    for (turns->n = 0; turns->n < ST_SYSCALL_BATCHES; turns->n++) {
        for (int t = 0; t < TURNS_N; t++) {
            const int64_t ns =
                calls[t] != NULL ? batch(lab, calls[t], t == GETPPID ? getppid : c, calls_n) : 0;
            if (ns < 0)
                return (int)ns;
            turns->ns[t][turns->n] = ns;
        }
    }
    return 0;
}

/* Computes the time of a batch minus that of the empty batch of the same round: the median of all
 * rounds, with its interval. */
static struct st_quantile above_nothing(const struct turns *turns, int turn)
{
    int64_t ns[ST_SYSCALL_BATCHES];
    struct st_summary summary;
    for (size_t i = 0; i < turns->n; i++)
        ns[i] = st_ns_sub(turns->ns[turn][i], turns->ns[NOTHING][i]);
    const struct st_sample sample = st_sample_of(ns, turns->n);
    st_summary_of(&sample, &summary);
    return summary.median;
}

/* Computes by how much the call is too cheap to enter the kernel, in ns a batch. Above 0, the call
 * costs at least half a system call less than through syscall(2), or, if there is no such system
 * call, less than half a getppid. */
static struct st_quantile margin(const struct turns *turns, bool has_raw)
{
    int64_t ns[ST_SYSCALL_BATCHES];
    struct st_summary summary;
    for (size_t i = 0; i < turns->n; i++) {
        const int64_t half_ns = (turns->ns[GETPPID][i] - turns->ns[NOTHING][i]) / 2;
        ns[i] = has_raw ? turns->ns[RAW][i] - turns->ns[CALL][i] - half_ns
                        : half_ns - (turns->ns[CALL][i] - turns->ns[NOTHING][i]);
    }
    const struct st_sample sample = st_sample_of(ns, turns->n);
    st_summary_of(&sample, &summary);
    return summary.median;
}

static enum st_call_path judge(const struct turns *turns, const struct st_call_method *method)
{
    if (method->blocks)
        return ST_PATH_SYSCALL;
    const struct st_quantile m = margin(turns, method->raw != NULL);
    if (m.interval_known && m.low_ns > 0)
        return method->tells_time ? ST_PATH_VDSO : ST_PATH_LIBRARY;
    return m.interval_known && m.high_ns < 0 && method->raw != NULL ? ST_PATH_SYSCALL
                                                                    : ST_PATH_UNKNOWN;
}

enum st_call_path st_call_batches_measure(struct st_lab *lab, const struct st_call_method *method,
                                          double about_ns, struct st_call_batches *ret)
{
    struct turns turns;
    struct st_call c, getppid;
    enum st_call_path path = ST_PATH_UNKNOWN;
    *ret = (struct st_call_batches){.calls_n = batch_size(about_ns)};
    const struct st_call_method *reference = st_lab_find(lab, lab->call_method, "getppid");
    if (reference == NULL || st_call_open(&getppid, lab, reference) != 0)
        return path;
    if (st_call_open(&c, lab, method) == 0) {
        if (take_turns(lab, &c, &getppid, ret->calls_n, &turns) == 0) {
            const double calls = ret->calls_n;
            const struct st_quantile call = above_nothing(&turns, CALL);
            ret->known = call.interval_known;
            ret->call_ns = (double)call.value_ns / calls;
            ret->low_ns = (double)call.low_ns / calls;
            ret->high_ns = (double)call.high_ns / calls;
            ret->raw_known = method->raw != NULL;
            ret->raw_ns = ret->raw_known ? (double)above_nothing(&turns, RAW).value_ns / calls : 0;
            ret->getppid_ns = (double)above_nothing(&turns, GETPPID).value_ns / calls;
            path = judge(&turns, method);
        }
        st_call_close(&c);
    }
    st_call_close(&getppid);
    return path;
}

int64_t st_call_batches_expected_ns(double about_ns, double getppid_ns)
{
    const double raw_ns = about_ns > getppid_ns ? about_ns : getppid_ns;
    return (int64_t)(ST_SYSCALL_BATCHES * batch_size(about_ns) * (getppid_ns + about_ns + raw_ns));
}
