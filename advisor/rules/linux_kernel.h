/* Linux: what this kernel has: the changes of a version, PREEMPT_RT, interrupts with threads. */
#pragma once

#include "advisor/facts/facts.h"

/* What the functions below read; a rule that calls them lists these. */
#define ST_LINUX_KERNEL_REALTIME_KEYS ST_KEY_KERNEL_VERSION, ST_KEY_REALTIME
#define ST_LINUX_KERNEL_IRQ_THREAD    "linux.irq_thread."
#define ST_LINUX_KERNEL_IRQ_THREAD_KEYS                                                                      \
    ST_LINUX_KERNEL_REALTIME_KEYS, ST_KEY_CMDLINE, ST_LINUX_KERNEL_IRQ_THREAD "*.name"

/** Has the kernel what came with this version? @return 1, 0, -ENODATA: not known, as of an older kernel with
 * backports. */
int st_linux_kernel_from(const struct st_facts *facts, int major, int minor);

/** Is it a real-time kernel (PREEMPT_RT)? */
bool st_linux_kernel_realtime(const struct st_facts *facts);

/** Do all interrupts have threads, by the kernel (PREEMPT_RT) or its option threadirqs? */
bool st_linux_kernel_threads_irqs(const struct st_facts *facts);

/** Have interrupts threads? By the kernel (PREEMPT_RT, threadirqs), or because one was seen. */
bool st_linux_kernel_has_irq_threads(const struct st_facts *facts);
