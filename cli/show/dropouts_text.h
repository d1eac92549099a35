/* Other programs' dropouts of a sleeptune-history/1 or sleeptune-causes/1 document as text: who made them,
 * and why. */
#pragma once

#include <jansson.h>

#include "core/base.h"

/** "In the last 24 h: HeavyReverb made 407 of 412 dropouts: it computed too long." @param dropouts of the
 * document, which is not trusted; its count is not 0. @param when "in the last 24 h", not "". */
const char *st_dropouts_text_sentence(const json_t *dropouts, const char *when);

/** A row for each client and reason, the most first: at most 5 and the sum of the rest, or all. Nothing
 * without dropouts. */
void st_dropouts_text_table(FILE *out, const json_t *dropouts, bool all, int columns);

/** The name of an object's source as people write it: "PipeWire". Other names stay. Safe text. */
const char *st_dropouts_text_server(const json_t *source);
