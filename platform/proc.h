/* Parsers of Linux' /proc and /sys text. Pure, so that every host can judge a captured tree and
 * fuzz them. Foreign text: any bytes, ended by '\0'. Functions that return int return 0, -EBADMSG
 * (not in this form) or -ENODATA (well formed, says nothing). Threads: any; returned texts live
 * until st_text_forget (core/text/text.h). */
#pragma once

#include "core/base.h"

/** Reads an unsigned decimal number at *text and moves behind it; leading blanks are skipped. */
int st_proc_u64(const char **text, uint64_t *ret);

/** Parses /proc/PID/task/TID/schedstat: time on a CPU, and time runnable but waiting. -ENODATA: the
 * kernel does not count (all values are 0: CONFIG_SCHED_INFO is off). Source:
 * Documentation/scheduler/sched-stats.rst. */
int st_proc_schedstat(const char *text, int64_t *ret_cpu_ns, int64_t *ret_wait_ns);

struct st_proc_stat {
    char name[64];                           /* field 2, the text between the brackets */
    char state;                              /* field 3: 'R' runnable, 'T' and 't' stopped ... */
    bool kernel_thread;                      /* from field 9, the flags: PF_KTHREAD is set */
    uint64_t faults_minor_n, faults_major_n; /* fields 10 and 12 */
    int64_t threads_n;                       /* field 20: threads of the process */
    int cpu;             /* field 39: CPU on which the thread runs or last ran */
    int64_t rt_priority; /* field 40: 1..99; 0: a normal thread */
    int64_t policy;      /* field 41: SCHED_OTHER 0, SCHED_FIFO 1, SCHED_RR 2 ... */
};

/** Parses /proc/PID/stat or /proc/PID/task/TID/stat. The name can contain anything, even ") R 1 2":
 * it ends at the last ')'. */
int st_proc_stat(const char *text, struct st_proc_stat *ret);

/** A program's name for screens, as safe text: /proc/PID/comm, which the kernel cuts at 15 letters,
 * or the file name in /proc/PID/cmdline if that name begins with comm. @param comm up to its
 * newline. @param cmdline "": not known. */
void st_proc_name(const char *comm, const char *cmdline, char *buf, size_t buf_bytes);

/** Finds the number in the first line that starts with `begins`: "Tgid:" in /proc/PID/status,
 * "throttled_usec " in a cgroup's cpu.stat. -ENODATA: no such line. */
int st_proc_line_u64(const char *text, const char *begins, uint64_t *ret);

/** Finds the text of the first line that starts with `begins`, without blanks at both ends:
 * "CONFIG_HZ=" in a kernel's .config, "0::" (the path of the unified hierarchy) in
 * /proc/PID/cgroup. NULL: no such line. */
const char *st_proc_line_text(const char *text, const char *begins);

/** Reads total= of the line "some" or "full" in /proc/pressure/cpu, io or memory: us since boot in
 * which some, or all, tasks waited. -ENODATA: no such line. Source:
 * Documentation/accounting/psi.rst. */
int st_proc_pressure_us(const char *text, const char *line, uint64_t *ret);

/** Finds the text after "key<blanks>:" in the first line with that key, as in /proc/cpuinfo,
 * without blanks at both ends. NULL: no such line. */
const char *st_proc_field(const char *text, const char *key);

/** Is this word in the text? Blanks, commas and '(' divide words. */
bool st_proc_has_word(const char *text, const char *word);

/** Finds the marked word of a text such as "none voluntary (full)" or "a [b] c". NULL: no word is
 * marked. */
const char *st_proc_chosen(const char *text);
