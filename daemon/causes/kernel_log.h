/* Warnings of the kernel, and its messages about USB, as events. */
#pragma once

#include "daemon/causes/events.h"

/** All zero at first. */
struct st_kernel_log {
    int fd; /* 0: not opened yet; -1: not readable */
    int64_t looked_ns;
};

/** Reads the kernel's log since the last look: adds an event for each warning or worse, and for each USB
 * device that appears, disappears or is reset. Keeps only the name of the device or part: other users may
 * not see the lines. Linux, if the log is readable (kernel.dmesg_restrict). Threads: main. */
void st_kernel_log_look(struct st_kernel_log *log, struct st_platform *platform, struct st_events *events);
void st_kernel_log_close(struct st_kernel_log *log);

/** Pure. @param record of /dev/kmsg: "6,1234,5678,-;usb 1-2: reset high-speed USB device number 4". @param
 * ret_about "usb 1-2", safe text; "". @return "usb", "kernel"; NULL: no event. */
const char *st_kernel_log_judge(const char *record, char *ret_about, size_t about_bytes);
