/* What servers answer. */

#include "advisor/parse/answer.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "advisor/facts/text.h"

#define NODES_MAX 256 /* of a PipeWire graph; further ones are left out */

/** The text between the quotes after `name`, which it ends. @return NULL: none. */
static char *quoted(char *line, const char *name, char **ret_rest)
{
    char *from = strstr(line, name);
    if (from == NULL)
        return NULL;
    from += strlen(name);
    char *to = strchr(from, '\'');
    if (to == NULL)
        return NULL;
    *to = '\0';
    *ret_rest = to + 1;
    return from;
}

int st_answer_pw_metadata(char *text, st_setting_fn fn, void *ctx)
{
    char *lines = NULL;
    int r = -EBADMSG;
    for (char *line = strtok_r(text, "\r\n", &lines); line != NULL; line = strtok_r(NULL, "\r\n", &lines)) {
        char *rest;
        const char *key = quoted(line, " key:'", &rest);
        const char *value = key != NULL ? quoted(rest, " value:'", &rest) : NULL;
        if (value == NULL)
            continue;
        fn(ctx, "", key, value);
        r = 0;
    }
    return r;
}

/** Texts, whole numbers and truth values, as in PipeWire's files. */
static void put_property(const char *id, const char *name, const json_t *value, st_setting_fn fn, void *ctx)
{
    char number[24];
    snprintf(number, sizeof(number), "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    if (json_is_string(value))
        fn(ctx, id, name, json_string_value(value));
    else if (json_is_integer(value))
        fn(ctx, id, name, number);
    else if (json_is_boolean(value))
        fn(ctx, id, name, json_is_true(value) ? "true" : "false");
}

static void put_nodes(const json_t *list, size_t *nodes_n, st_setting_fn fn, void *ctx)
{
    json_t *object, *value;
    size_t i;
    json_array_foreach(list, i, object)
    {
        const char *type = json_string_value(json_object_get(object, "type")), *name;
        json_t *info = json_object_get(object, "info");
        char id[24];
        if (type == NULL || strcmp(type, "PipeWire:Interface:Node") != 0 || (*nodes_n)++ >= NODES_MAX)
            continue;
        snprintf(id, sizeof(id), "%" JSON_INTEGER_FORMAT, json_integer_value(json_object_get(object, "id")));
        put_property(id, "state", json_object_get(info, "state"), fn, ctx);
        json_object_foreach(json_object_get(info, "props"), name, value)
            put_property(id, name, value, fn, ctx);
        value = json_array_get(json_object_get(json_object_get(info, "params"), "Format"), 0);
        put_property(id, "format.rate", json_object_get(value, "rate"), fn, ctx);
    }
}

int st_answer_pw_dump(const char *text, st_setting_fn fn, void *ctx)
{
    size_t nodes_n = 0;
    int r = -EBADMSG;
    for (;;) {
        json_error_t error;
        json_t *list = json_loads(text, JSON_DISABLE_EOF_CHECK, &error);
        if (!json_is_array(list)) {
            r = list != NULL ? -EBADMSG : r;
            json_decref(list);
            return r;
        }
        put_nodes(list, &nodes_n, fn, ctx);
        json_decref(list);
        text += error.position;
        r = 0;
    }
}

int st_answer_pactl_modules(char *text, st_setting_fn fn, void *ctx)
{
    char *lines = NULL;
    int r = -EBADMSG;
    for (char *line = strtok_r(text, "\r\n", &lines); line != NULL; line = strtok_r(NULL, "\r\n", &lines)) {
        char *name = strchr(line, '\t');
        if (name == NULL || strncmp(++name, "module-", 7) != 0)
            continue;
        char *arguments = name + strcspn(name, "\t");
        if (*arguments != '\0')
            *arguments++ = '\0';
        arguments[strcspn(arguments, "\t")] = '\0';
        fn(ctx, "", name, arguments);
        r = 0;
    }
    return r;
}

int st_answer_jack_number(char *text, int64_t *ret)
{
    static const char label[] = "buffer size = ";
    if (strncmp(text, label, sizeof(label) - 1) == 0)
        text += sizeof(label) - 1;
    text[strcspn(text, " \r\n")] = '\0';
    return st_text_int(text, ret) == 0 && *ret > 0 ? 0 : -EBADMSG;
}
