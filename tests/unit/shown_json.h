/* JSON as lines of a screen: one for each object; what is null, 0, false or empty stands behind the
 * rest. */
#pragma once

#include <jansson.h>

#include "tests/unit/shown.h"

static char json_lines[sizeof(shown_text)];

/* A leaf; a number to six digits, as processors differ in the last one. NULL: none. */
static char *leaf_text(json_t *value)
{
    if (json_is_object(value) || json_is_array(value))
        return NULL;
    if (!json_is_real(value))
        return json_dumps(value, JSON_ENCODE_ANY);
    char *text = NULL;
    assert_true(asprintf(&text, "%.6g", json_real_value(value)) > 0);
    return text;
}

static const char *const empties[] = {"null", "0", "0.0", "false", "\"\"", NULL};

/* Also those of objects in it, of a row; `of`: only the names of those that are this. The version
 * changes with each release. */
static void put_members(const char *prefix, json_t *object, const char *of, bool is_row)
{
    const char *key;
    json_t *member;
    json_object_foreach(object, key, member)
    {
        const char *name = st_text("%s%s", prefix, key);
        if (is_row && json_is_object(member))
            put_members(st_text("%s.", name), member, of, true);
        char *text =
            strcmp(key, "sleeptune") != 0 && strcmp(key, "version") != 0 ? leaf_text(member) : NULL;
        if (text != NULL && of == NULL && !st_text_is_among(text, empties))
            ST_APPEND(json_lines, " %s %s", name, text);
        else if (text != NULL && of != NULL && strcmp(text, of) == 0)
            ST_APPEND(json_lines, " %s", name);
        free(text);
    }
}

static void put_json(const char *where, json_t *value, bool in_row)
{
    const bool is_row = in_row || st_text_ends(where, "]");
    const char *key;
    json_t *member;
    size_t i;
    if (json_is_object(value) && !in_row) {
        const size_t begin = strlen(json_lines);
        put_members("", value, NULL, is_row);
        for (size_t k = 0; empties[k] != NULL; k++) {
            const size_t before = strlen(json_lines);
            ST_APPEND(json_lines, "; %s:", empties[k]);
            const size_t head = strlen(json_lines);
            put_members("", value, empties[k], is_row);
            if (strlen(json_lines) == head)
                json_lines[before] = '\0';
        }
        char *line = st_text("%s:%s\n", where, json_lines + begin);
        json_lines[begin] = '\0';
        if (!st_text_ends(line, ":\n"))
            ST_APPEND(json_lines, "%s", line);
    }
    json_object_foreach(value, key, member)
        put_json(st_text("%s.%s", where, key), member, is_row && json_is_object(member));
    json_array_foreach(value, i, member)
    {
        char *text = leaf_text(member);
        if (text == NULL)
            put_json(st_text("%s[%d]", where, (int)i), member, false);
        else
            ST_APPEND(json_lines, "%s[%d]: %s\n", where, (int)i, text);
        free(text);
    }
}

/** The lines; takes the JSON away. */
static const char *lines_of_json(json_t *value)
{
    json_lines[0] = '\0';
    put_json("", value, false);
    json_decref(value);
    return json_lines;
}
