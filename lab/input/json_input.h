/* Reads a JSON document from a stream. */
#pragma once

#include "core/base.h"
#include <jansson.h>

/** Parses a stream to its end; at most 256 MiB. @return NULL: *error has the reason. */
json_t *st_json_input_read(FILE *stream, json_error_t *error);
