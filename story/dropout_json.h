/* Dropouts that were added up, as JSON: the same members in sleeptune-status/1, sleeptune-history/1
 * and sleeptune-causes/1. */
#pragma once

#include <jansson.h>

#include "story/dropout_table.h"

/** The dropouts of a client, without its current load. NULL: out of memory. */
json_t *st_dropout_json_client(const struct st_dropout_client *client);

/** Adds the dropouts of a source and of its clients to an object. @param client_json makes the
 * object of one client: st_dropout_json_client, or a function that adds members to it. */
void st_dropout_json_source(json_t *object, const struct st_dropout_table *table,
                            json_t *(*client_json)(const struct st_dropout_client *client));

/** Object "dropouts" of sleeptune-history/1 and sleeptune-causes/1: number, first line, dropouts of
 * each source, and the table for screens. Sorts the sources. NULL: out of memory. */
json_t *st_dropout_json_list(struct st_dropout_source *sources, size_t n);
