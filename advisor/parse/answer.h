/* Parsers of servers' answers, printed by their client programs. Pure, so that they can be fuzzed.
 * Internal to advisor/. Each parser modifies `text`. */
#pragma once

#include "advisor/facts/facts.h"

/** The key of the fact for this setting of pw-metadata; NULL: sleeptune does not use the
 * setting. */
const char *st_answer_pipewire_key(const char *name);

/** Parses `pw-dump`: facts of each node, with its process, and whether it belongs to a program that
 * is linked with a device or sink; the server's version. The text is a list, followed by further
 * lists if something changes meanwhile. @return 0, -EBADMSG (no list). */
ST_NODISCARD int st_answer_pw_dump(const char *text, struct st_facts *facts, const char *source);

/** The fact that counts lines like this one in the log of the kernel or of rtkit; NULL: none.
 * @param ret_about the name of a USB device, or the user whom rtkit refused; "": neither. */
const char *st_answer_log_key(const char *line, char *ret_about, size_t bytes);
