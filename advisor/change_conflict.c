/* Somebody else's drop-in that is read after ours and says otherwise. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/change.h"
#include "advisor/text.h"

#define OUR_NAME "90-sleeptune.conf"
#define LAST     "/etc/sysctl.conf" /* sysctl --system reads it after all drop-ins */

/* A file in one of them hides those of its name in the ones below. Source: sysctl.d(5). */
static const char *const dirs[] = {"/etc/sysctl.d", "/run/sysctl.d", "/usr/local/lib/sysctl.d",
                                   "/usr/lib/sysctl.d"};

struct search {
    struct st_platform *p;
    const struct st_change *change;
    size_t dir; /* index into dirs */
    char *buf;
    size_t buf_bytes;
    bool found;
};

/* "vm/x", "-vm.x" and "vm.x" are one key. */
static bool is_key(char *key, const char *wanted)
{
    st_text_trim(key);
    for (char *s = key; *s != '\0'; s++) {
        if (*s == '/')
            *s = '.';
    }
    return strcmp(key + (key[0] == '-'), wanted) == 0;
}

/* The last line about the key decides. @return its value, within the text; NULL: none. */
static const char *last_value(char *text, const char *key)
{
    const char *value = NULL;
    char *rest = text;
    for (char *line = strsep(&rest, "\n"); line != NULL; line = strsep(&rest, "\n")) {
        char *equals = strchr(line, '=');
        line += strspn(line, " \t");
        if (equals == NULL || line > equals || line[0] == '#' || line[0] == ';')
            continue;
        *equals = '\0';
        if (!is_key(line, key))
            continue;
        st_text_trim(equals + 1);
        value = equals + 1;
    }
    return value;
}

static void look_into(struct search *search, const char *path)
{
    char *text;
    if (st_change_file_read(search->p, path, &text) != 0)
        return; /* what cannot be read is no reason not to apply: verify tells after the boot */
    const char *value = last_value(text, search->change->key);
    if (value != NULL && strcmp(value, search->change->value) != 0) {
        snprintf(search->buf, search->buf_bytes, "%s sets %s to %.40s later, and wins at the next boot", path,
                 search->change->key, value);
        search->found = true;
    }
    free(text);
}

static bool is_hidden(const struct search *search, const char *name)
{
    char path[512], buf[1];
    size_t len;
    for (size_t i = 0; i < search->dir; i++) {
        snprintf(path, sizeof(path), "%s/%s", dirs[i], name);
        if (search->p->read_text(search->p, path, buf, sizeof(buf), &len) != -ENOENT)
            return true;
    }
    return false;
}

static int look_at_name(void *ctx, const char *name)
{
    struct search *search = ctx;
    char path[512];
    const size_t len = strlen(name);
    if (len < 5 || len > 255 || strcmp(name + len - 5, ".conf") != 0 || strcmp(name, OUR_NAME) <= 0 ||
        is_hidden(search, name))
        return 0;
    snprintf(path, sizeof(path), "%s/%s", dirs[search->dir], name);
    look_into(search, path);
    return search->found;
}

bool st_change_conflict(struct st_platform *p, const struct st_change *change, char *buf, size_t buf_bytes)
{
    struct search search = {.p = p, .change = change, .buf = buf, .buf_bytes = buf_bytes};
    if (p->os != ST_OS_LINUX || change->kind != ST_CHANGE_SYSCTL)
        return false;
    look_into(&search, LAST);
    for (; !search.found && search.dir < ST_ARRAY_LEN(dirs); search.dir++)
        (void)p->list(p, dirs[search.dir], look_at_name, &search);
    return search.found;
}
