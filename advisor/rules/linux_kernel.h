/* Linux: does this kernel have the changes of a version, PREEMPT_RT, or threaded interrupts? */
#pragma once

#include "advisor/facts/facts.h"

/* Keys that the functions below read; a rule that calls them lists these. */
#define ST_LINUX_KERNEL_REALTIME_KEYS ST_KEY_KERNEL_VERSION, ST_KEY_REALTIME
#define ST_LINUX_KERNEL_IRQ_THREAD    "linux.irq_thread."
#define ST_LINUX_KERNEL_IRQ_THREAD_KEYS                                                            \
    ST_LINUX_KERNEL_REALTIME_KEYS, ST_KEY_CMDLINE, ST_LINUX_KERNEL_IRQ_THREAD "*.name"

/** Does the kernel have the changes of version major.minor? @return 1: yes; 0: no; -ENODATA: not
 * known, as for an older kernel with backports. */
int st_linux_kernel_from(const struct st_facts *facts, int major, int minor);

/** Is it a real-time kernel (PREEMPT_RT)? */
bool st_linux_kernel_realtime(const struct st_facts *facts);

/** Are all interrupts threaded, by PREEMPT_RT or by the kernel option threadirqs? */
bool st_linux_kernel_threads_irqs(const struct st_facts *facts);

/** Are interrupts threaded? By PREEMPT_RT, by threadirqs, or because a thread was seen. */
bool st_linux_kernel_has_irq_threads(const struct st_facts *facts);
