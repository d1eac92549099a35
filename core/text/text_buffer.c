#include "core/text/text_buffer.h"

#define STEP_BYTES 256 /* bytes of the first allocation; later ones add this and a quarter */

struct st_text_buffer st_text_buffer_on(char *array, size_t room)
{
    array[0] = '\0';
    return (struct st_text_buffer){.text = array, .room = room, .fixed = true};
}

/* Makes room for `bytes` and a '\0'. @return how many of the bytes fit. */
static size_t reserve(struct st_text_buffer *buffer, size_t bytes)
{
    if (bytes < buffer->room - buffer->bytes)
        return bytes;
    if (buffer->fixed) {
        buffer->failed = true;
        return buffer->room - buffer->bytes - 1;
    }
    const size_t room = buffer->room + buffer->room / 4 + bytes + STEP_BYTES;
    char *larger = realloc(buffer->text, room);
    if (larger == NULL) {
        buffer->failed = true;
        return 0;
    }
    buffer->text = larger;
    buffer->room = room;
    return bytes;
}

void st_text_buffer_add(struct st_text_buffer *buffer, const char *text, size_t bytes)
{
    if (buffer->failed || bytes == 0)
        return;
    const size_t fits = reserve(buffer, bytes);
    if (fits == 0)
        return;
    memcpy(buffer->text + buffer->bytes, text, fits);
    buffer->bytes += fits;
    buffer->text[buffer->bytes] = '\0';
}

void st_text_buffer_printf(struct st_text_buffer *buffer, const char *format, ...)
{
    if (buffer->failed)
        return;
    const size_t left = buffer->room - buffer->bytes;
    va_list args, again;
    va_start(args, format);
    va_copy(again, args);
    const int n = vsnprintf(left > 0 ? buffer->text + buffer->bytes : NULL, left, format, args);
    if (n < 0) {
        buffer->failed = true;
    } else {
        const size_t fits = reserve(buffer, (size_t)n);
        if (fits >= left && fits > 0)
            vsnprintf(buffer->text + buffer->bytes, buffer->room - buffer->bytes, format, again);
        else if (buffer->failed && left > 0)
            buffer->text[buffer->bytes + fits] = '\0';
        buffer->bytes += fits;
    }
    va_end(again);
    va_end(args);
}

char *st_text_buffer_take(struct st_text_buffer *buffer)
{
    char *text = buffer->failed ? NULL : buffer->text != NULL ? buffer->text : strdup("");
    if (text == NULL)
        free(buffer->text);
    *buffer = (struct st_text_buffer){0};
    return text;
}
