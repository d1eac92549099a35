/* What helps against dropouts. */
#pragma once

#include "story/dropout_table.h"

/** The next step against the dropouts of a client: `set`, a command ("": none), and why ("", too: the reason
 * is not known). The source's name is as in st_xrun_source. */
void st_dropout_next(const struct st_dropout_table *table, const struct st_dropout_client *client,
                     const char *source, char *set, size_t set_bytes, char *why, size_t why_bytes);
