#include "daemon/observe/dropout_judge.h"

#include "core/ns.h"

#define WAKE_MAX_NS                                                                                          \
    (100 * ST_NS_PER_MS) /* no wake-up takes longer while the server's own cycles go on. Our own choice */

enum st_dropout_reason st_dropout_judge(const struct st_dropout_figures *figures)
{
    const int64_t had_ns = figures->deadline_ns - figures->signal_ns;
    const int64_t took_ns = figures->end_ns - figures->signal_ns;
    const int64_t late_ns = figures->end_ns - figures->deadline_ns;
    const int64_t signal_late_ns = figures->signal_ns - figures->cycle_ns - figures->usual_signal_ns;
    const int64_t wait_ns =
        figures->awake_ns != 0 ? figures->awake_ns - figures->signal_ns : took_ns; /* not awake at the end */
    if (figures->exited)
        return ST_DROPOUT_EXITED;
    if (figures->signal_ns == 0 || late_ns < 0 || had_ns <= 0)
        return figures->stopped ? ST_DROPOUT_STOPPED : ST_DROPOUT_UNKNOWN;
    if (figures->measured && figures->stopped)
        return ST_DROPOUT_STOPPED;
    if (signal_late_ns > 0 && signal_late_ns >= late_ns &&
        took_ns <= figures->deadline_ns - figures->cycle_ns)
        return ST_DROPOUT_WAITED_FOR_OTHER;
    if (!figures->measured) /* woken on time: it may have computed, or lost the CPU */
        return figures->awake_ns != 0 && wait_ns > 0 && wait_ns >= late_ns && wait_ns > took_ns / 2
                   ? ST_DROPOUT_WOKEN_LATE
                   : ST_DROPOUT_UNKNOWN;
    if (figures->cpu_ns >= had_ns)
        return ST_DROPOUT_TOO_SLOW;
    if (figures->queue_ns > 0 && figures->queue_ns >= late_ns)
        return figures->taken_by_itself ? ST_DROPOUT_CPU_TAKEN_BY_ITSELF : ST_DROPOUT_CPU_TAKEN;
    if (figures->faults_n > 0 && took_ns - figures->cpu_ns - figures->queue_ns >= late_ns)
        return ST_DROPOUT_SWAPPED_OUT;
    if (figures->awake_ns == 0 ||
        late_ns > WAKE_MAX_NS) /* who gets the CPU and is not heard of sleeps in its cycle */
        return ST_DROPOUT_TOO_SLOW;
    if (wait_ns >= late_ns)
        return ST_DROPOUT_WOKEN_LATE;
    /* it had the CPU whenever it wanted it: also one that slept in its cycle, on a lock or a disk */
    return took_ns - wait_ns - figures->queue_ns >= had_ns ? ST_DROPOUT_TOO_SLOW : ST_DROPOUT_UNKNOWN;
}
