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

/** The fact that counts such lines of the log of the kernel or of rtkit; NULL: none. ret_about: the name of a
 * USB device, or the user whom rtkit refused; "": no one. */
const char *st_answer_log_key(const char *line, char *ret_about, size_t bytes);
