/* A JSON document of a stream. */
#ifndef ST_LAB_INPUT_JSON_INPUT_H
#define ST_LAB_INPUT_JSON_INPUT_H

#include "core/base.h"
#include <jansson.h>

/** Parses a stream to its end; at most 256 MiB. @return NULL: *error has the reason. */
json_t *st_json_input_read(FILE *stream, json_error_t *error);

#endif
