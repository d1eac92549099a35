#include "xruns/helpers/dropout_judge.h"

#include "core/ns.h"

/* assumption of ours: no wake-up takes longer than this while the server's own cycles go on */
#define WAKE_MAX_NS (100 * ST_NS_PER_MS)
/* assumption of ours: most CPU time for reading one page from disk, for which another page may
 * have to be freed */
#define FAULT_CPU_NS (ST_NS_PER_MS / 2)

/* @return the time from the client's signal until it was awake; never_ns: it is not awake yet. */
static int64_t wait_of(const struct st_dropout_figures *figures, int64_t never_ns)
{
    return figures->awake_ns != 0 ? figures->awake_ns - figures->signal_ns : never_ns;
}

/* Time in which the thread neither ran nor wanted to: it slept in its cycle. */
static int64_t slept_of(const struct st_dropout_figures *figures)
{
    const int64_t wait_ns = wait_of(figures, 0), waited_ns = ST_MAX(figures->queue_ns, wait_ns);
    return ST_MAX(0, figures->end_ns - figures->signal_ns - figures->cpu_ns - waited_ns);
}

int64_t st_dropout_judge_computed_ns(const struct st_dropout_figures *figures)
{
    const int64_t slept_ns = slept_of(figures);
    return (figures->cpu_ns + ST_MIN(slept_ns, figures->others_ns)) * figures->measured;
}

/* Judges a client whose inputs came in time and whose thread's figures are known. */
static enum st_dropout_reason judge_measured(const struct st_dropout_figures *figures)
{
    const int64_t late_ns = figures->end_ns - figures->deadline_ns;
    const int64_t slept_ns = slept_of(figures), computed_ns = st_dropout_judge_computed_ns(figures);
    const int64_t most_ns = (int64_t)ST_MIN(figures->faults_n, UINT64_C(1000000)) * FAULT_CPU_NS;
    const int64_t faults_ns = ST_MIN(most_ns, ST_MAX(0, figures->cpu_ns - figures->usual_ns));
    /* after each page that was read from disk, the thread waits for a CPU again */
    const int64_t again_ns = figures->queue_ns - wait_of(figures, 0);
    const int64_t requeued_ns = ST_MIN(most_ns, ST_MAX(0, again_ns)) * (faults_ns > 0);
    if (figures->faults_n > 0 && slept_ns + faults_ns + requeued_ns >= late_ns)
        return ST_DROPOUT_SWAPPED_OUT;
    const int64_t had_ns = figures->deadline_ns - figures->signal_ns;
    const bool lost_cpu = figures->queue_ns > 0 && figures->queue_ns >= late_ns;
    /* if the client also waited for a CPU, it counts as too slow only beyond the error of the
     * measurement */
    if (computed_ns >= had_ns + figures->cpu_error_ns * lost_cpu)
        return ST_DROPOUT_TOO_SLOW;
    if (lost_cpu)
        return figures->taken_by_itself ? ST_DROPOUT_CPU_TAKEN_BY_ITSELF : ST_DROPOUT_CPU_TAKEN;
    /* a thread that gets the CPU and does not finish for this long sleeps in its cycle */
    if (slept_ns >= late_ns || late_ns > WAKE_MAX_NS)
        return ST_DROPOUT_BLOCKED;
    if (wait_of(figures, figures->end_ns - figures->signal_ns) >= late_ns)
        return ST_DROPOUT_WOKEN_LATE;
    return ST_DROPOUT_UNKNOWN;
}

enum st_dropout_reason st_dropout_judge(const struct st_dropout_figures *figures)
{
    const int64_t had_ns = figures->deadline_ns - figures->signal_ns;
    const int64_t took_ns = figures->end_ns - figures->signal_ns;
    const int64_t late_ns = figures->end_ns - figures->deadline_ns;
    const int64_t signal_late_ns =
        figures->signal_ns - figures->cycle_ns - figures->usual_signal_ns;
    const enum st_dropout_reason stopped =
        figures->of_server ? ST_DROPOUT_WAITED_FOR_OTHER : ST_DROPOUT_STOPPED;
    if (figures->signal_ns == 0 || late_ns < 0 || had_ns <= 0)
        return figures->stopped ? stopped : ST_DROPOUT_UNKNOWN;
    if (figures->measured && figures->stopped)
        return stopped;
    if (signal_late_ns > 0 && signal_late_ns >= late_ns &&
        took_ns <=
            figures->deadline_ns - figures->cycle_ns) /* if the inputs had come at their usual time,
                                                         the client would have been ready */
        return figures->waited ? ST_DROPOUT_WAITED_FOR_OTHER : ST_DROPOUT_UNKNOWN;
    if (figures->measured)
        return judge_measured(figures);
    /* the thread was not measured: a client that was woken on time may have computed too long, or
     * lost the CPU */
    const int64_t wait_ns = wait_of(figures, 0);
    return wait_ns >= late_ns && wait_ns > took_ns / 2 ? ST_DROPOUT_WOKEN_LATE : ST_DROPOUT_UNKNOWN;
}
