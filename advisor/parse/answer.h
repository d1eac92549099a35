/* Parsers of what servers answer, through the clients that come with them; pure, so that they can be fuzzed.
 * Internal to advisor/. Each cuts `text` into pieces. */
#pragma once

#include "advisor/facts/facts.h"

/** The fact that a setting of pw-metadata becomes; NULL: none. */
const char *st_answer_pipewire_key(const char *name);

/** `pw-dump`: facts of each node, with the process that it belongs to, and whether it is a program's that is
 * linked with a device or sink; the server's version. A list, and further ones if something changes
 * meanwhile. @return 0, -EBADMSG (no list). */
ST_NODISCARD int st_answer_pw_dump(const char *text, struct st_facts *facts, const char *source);

/** What a line of the kernel's log counts as: "card" (a fault of a sound card), "usb" (one of a USB device,
 * whose name ret_device has), "clock", "heat", "memory", "rt_time"; NULL: nothing. */
const char *st_answer_kernel_line(const char *line, char *ret_device, size_t bytes);

/** What a line of rtkit's log says: "demoted", "failed", "refused" (ret_user: whom; else ""); NULL: nothing
 * of these. */
const char *st_answer_rtkit_line(const char *line, char *ret_user, size_t bytes);
