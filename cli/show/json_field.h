/* Members of a document that came from a socket or a file. */
#pragma once

#include <jansson.h>

#include "core/base.h"

/** The integer of that name, or 0. */
int64_t st_json_field(const json_t *object, const char *key);

/** A text as one safe line (core/text/safe.h), cut to buf_bytes; "" if it is not a text. @return buf. */
const char *st_json_field_safe(const json_t *value, char *buf, size_t buf_bytes);
