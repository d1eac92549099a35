#include "lab/input/json_input.h"

#include "core/base.h"

#define READ_MAX_MIB 256

struct reading {
    FILE *stream;
    size_t left_bytes;
};

static size_t read_more(void *buf, size_t bytes, void *ctx)
{
    struct reading *reading = ctx;
    const size_t n =
        fread(buf, 1, bytes < reading->left_bytes ? bytes : reading->left_bytes, reading->stream);
    reading->left_bytes -= n;
    return n;
}

json_t *st_json_input_read(FILE *stream, json_error_t *error)
{
    struct reading reading = {stream, (size_t)READ_MAX_MIB << 20};
    json_t *document = json_load_callback(read_more, &reading, JSON_REJECT_DUPLICATES, error);
    if (document == NULL && ferror(stream))
        ST_PRINT(error->text, "the file cannot be read to its end");
    else if (document == NULL && reading.left_bytes == 0)
        ST_PRINT(error->text, "the file is longer than %d MiB", READ_MAX_MIB);
    return document;
}
