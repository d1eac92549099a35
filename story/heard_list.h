/* The reports of a user in a history ("I heard a dropout", called marks), each with the events
 * before it, and the causes that precede marks more often than by chance. */
#pragma once

#include "store/history/history_read.h"

/** Document sleeptune-heard/1. @param since_ns, until_ns INT64_MIN, INT64_MAX: no limit. @return
 * new reference; NULL: out of memory. */
json_t *st_heard_list_read(struct st_history_reader *reader, int64_t since_ns, int64_t until_ns);

/** The document without marks, with a sentence why, for a history that cannot be read. @return
 * NULL: out of memory. */
char *st_heard_list_none(const char *why);
