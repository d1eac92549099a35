/* JSON as lines of a screen: one for each object, without what is 0, false, null or empty. */
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

/* Those of inner objects, too. The version changes with each release. */
static void put_members(const char *prefix, json_t *object)
{
    static const char *const empty[] = {"0", "0.0", "false", "null", "\"\"", NULL};
    const char *key;
    json_t *member;
    json_object_foreach(object, key, member)
    {
        const char *name = ST_TEXT(256, "%s%s", prefix, key);
        if (json_is_object(member))
            put_members(ST_TEXT(256, "%s.", name), member);
        char *text = leaf_text(member);
        if (text != NULL && !st_text_is_among(text, empty) && strcmp(key, "sleeptune") != 0 &&
            strcmp(key, "version") != 0)
            ST_APPEND(json_lines, " %s %s", name, text);
        free(text);
    }
}

static void put_json(const char *where, json_t *value)
{
    const char *key;
    json_t *member;
    size_t i;
    if (json_is_object(value) && (where[0] == '\0' || st_text_ends(where, "]"))) {
        ST_APPEND(json_lines, "%s:", where);
        put_members("", value);
        ST_APPEND(json_lines, "\n");
    }
    json_object_foreach(value, key, member) put_json(ST_TEXT(512, "%s.%s", where, key), member);
    json_array_foreach(value, i, member)
    {
        char *text = leaf_text(member);
        if (text == NULL)
            put_json(ST_TEXT(512, "%s[%d]", where, (int)i), member);
        else
            ST_APPEND(json_lines, "%s[%d]: %s\n", where, (int)i, text);
        free(text);
    }
}

/** The lines; takes the JSON away. */
static const char *lines_of_json(json_t *value)
{
    json_lines[0] = '\0';
    put_json("", value);
    json_decref(value);
    return json_lines;
}
