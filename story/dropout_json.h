/* Sums of dropouts as JSON: the same members in sleeptune-status/1, sleeptune-history/1 and
 * sleeptune-causes/1. */
#pragma once

#include <jansson.h>

#include "story/dropout_source.h"

/** The sums of a client, without its current load. NULL: out of memory. */
json_t *st_dropout_json_client(const struct st_dropout_client *client);

/** Adds the sums of a source, and its clients. @param client_json makes one client:
 * st_dropout_json_client, or a function that adds members. */
void st_dropout_json_source(json_t *object, const struct st_dropout_table *table,
                            json_t *(*client_json)(const struct st_dropout_client *client));

/** Object "dropouts" of sleeptune-history/1 and sleeptune-causes/1, for a time: number, first line, sums
 * of each source, and the table of screens. Sorts the sources. NULL: out of memory. */
json_t *st_dropout_json_list(struct st_dropout_source *sources, size_t n);
