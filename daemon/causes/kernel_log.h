/* Makes events of the kernel's warnings and of its messages about USB. */
#pragma once

#include "daemon/causes/events.h"

/** How far the kernel's log was read. All zero at first. */
struct st_kernel_log {
    int fd; /* of /dev/kmsg; 0: not opened yet; -1: not readable */
    int64_t looked_ns;
};

/** Reads what the kernel has logged since the last call: adds an event for each warning or worse,
 * and for each USB device that appears, disappears or is reset. Stores only the name of the device
 * or kernel part, since other users of the status may not be allowed to see the lines. Linux, if
 * the log is readable (kernel.dmesg_restrict). Threads: main. */
void st_kernel_log_look(struct st_kernel_log *log, struct st_platform *platform,
                        struct st_events *events);
void st_kernel_log_close(struct st_kernel_log *log);

/** Is a line of the kernel's log an event? Pure. @param record line of /dev/kmsg:
 * "6,1234,5678,-;usb 1-2: reset high-speed USB device number 4". @param ret_about the device, "usb
 * 1-2", safe to print; "": not named. @return "usb" or "kernel"; NULL: no event. */
const char *st_kernel_log_judge(const char *record, char *ret_about, size_t about_bytes);
