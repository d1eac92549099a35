/* Warnings of the kernel, and what it says of USB, as events. */
#pragma once

#include "daemon/causes/events.h"
#include "platform/platform.h"

/** Begins with zeros. */
struct st_kernel_log {
    int fd; /* 0: not opened yet; -1: cannot be read */
    int64_t looked_ns;
};

/** What the kernel logged since the last look: an event for each warning or worse, and for each device of USB
 * that comes, goes or is reset. Only who it is about is kept: the lines may be none for other users. Linux,
 * where the log can be read (kernel.dmesg_restrict). Threads: main. */
void st_kernel_log_look(struct st_kernel_log *log, struct st_platform *platform, struct st_events *events);
void st_kernel_log_close(struct st_kernel_log *log);

/** Pure. @param record of /dev/kmsg: "6,1234,5678,-;usb 1-2: reset high-speed USB device number 4". @param
 * ret_about "usb 1-2", safe text; "". @return "usb", "kernel"; NULL: no event. */
const char *st_kernel_log_judge(const char *record, char *ret_about, size_t about_bytes);
