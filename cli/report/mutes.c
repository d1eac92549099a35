/* mute = ( { id = "..."; reason = "..."; until = "2027-01-01"; } ) in sleeptuned.conf, by libconfig. */
#include "cli/report/mutes.h"

#include <errno.h>
#include <libconfig.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/facts/text.h"
#include "cli/command.h"
#include "core/text/safe.h"
#include "core/when.h"
#include "st_config.h"

#define DEFAULT_CONFIG    ST_SYSCONF_DIR "/sleeptuned.conf"
#define CONFIG_MAX_BYTES  (256 * 1024)
#define MUTES_MAX         1024
#define MUTE_TEXT_MAX     200
#define MUTE_WHAT_ALLOWED "must be { id = \"...\"; reason = \"...\"; until = \"2027-01-01\"; }"

void st_mutes_free(struct st_mutes *mutes)
{
    for (size_t i = 0; i < mutes->n; i++) {
        free(mutes->rows[i].id);
        free(mutes->rows[i].reason);
        free(mutes->rows[i].until);
    }
    free(mutes->rows);
    *mutes = (struct st_mutes){0};
}

static int bad(const char *command, const char *path, const config_setting_t *setting, const char *what)
{
    return st_failure(command, "%s:%u: mute: %s", path, (unsigned)config_setting_source_line(setting), what);
}

static char *copy_text(const char *text)
{
    char copy[MUTE_TEXT_MAX + 1];
    (void)st_safe_copy(copy, sizeof(copy), text, ST_TEXT_TO_NUL);
    return strdup(copy);
}

/** As "2026-11-20": days are compared as texts. */
static bool is_day(const char *text)
{
    int64_t wall_ns;
    return strlen(text) == strlen("2026-11-20") && text[4] == '-' && text[7] == '-' &&
           st_when_parse(text, 0, false, &wall_ns) != -EINVAL;
}

/** @return an st_exit. */
static int read_mute(const char *command, const char *path, const config_setting_t *setting,
                     struct st_mute *mute)
{
    const char *id = NULL, *reason = NULL, *until = NULL;
    int known_n = 0;
    if (config_setting_type(setting) == CONFIG_TYPE_STRING) {
        id = config_setting_get_string(setting);
    } else {
        known_n += config_setting_lookup_string(setting, "id", &id);
        known_n += config_setting_lookup_string(setting, "reason", &reason);
        known_n += config_setting_lookup_string(setting, "until", &until);
        if (!config_setting_is_group(setting) || known_n != config_setting_length(setting))
            return bad(command, path, setting, MUTE_WHAT_ALLOWED);
    }
    if (id == NULL)
        return bad(command, path, setting, "id is missing");
    if (until != NULL && !is_day(until))
        return bad(command, path, setting, "until: use a date such as \"2027-01-01\"");
    mute->id = copy_text(id);
    mute->reason = reason != NULL ? copy_text(reason) : NULL;
    mute->until = until != NULL ? copy_text(until) : NULL;
    return mute->id != NULL && (reason == NULL || mute->reason != NULL) &&
                   (until == NULL || mute->until != NULL)
               ? ST_EXIT_DONE
               : st_failure(command, "out of memory");
}

static int read_mutes(const char *command, const char *path, const config_setting_t *list,
                      struct st_mutes *mutes)
{
    if (!config_setting_is_list(list) && !config_setting_is_array(list))
        return bad(command, path, list, "must be a list, ( ... )");
    const int n = config_setting_length(list);
    if (n > MUTES_MAX)
        return bad(command, path, list, "too many");
    mutes->rows = calloc((size_t)n + 1, sizeof(*mutes->rows));
    if (mutes->rows == NULL)
        return st_failure(command, "out of memory");
    for (int i = 0; i < n; i++) {
        const config_setting_t *setting = config_setting_get_elem(list, (unsigned)i);
        struct st_mute *mute = &mutes->rows[mutes->n++];
        const int status = read_mute(command, path, setting, mute);
        if (status != ST_EXIT_DONE)
            return status;
        if (st_rule_find(mute->id) == NULL)
            (void)st_failure(command, "%s:%u: mute: there is no rule with the id %s", path,
                             (unsigned)config_setting_source_line(setting), mute->id);
    }
    return ST_EXIT_DONE;
}

/** libconfig would read any file that an @include names. */
static bool has_include(const char *text)
{
    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        line += strspn(line, " \t\r\n");
        if (strncmp(line, "@include", 8) == 0)
            return true;
    }
    return false;
}

static int parse(const char *command, const char *path, const char *text, struct st_mutes *ret)
{
    struct st_mutes mutes = {0};
    config_t config;
    int status = ST_EXIT_DONE;
    if (has_include(text))
        return st_failure(command, "%s: @include is not supported: all settings are in one file", path);
    config_init(&config);
    if (config_read_string(&config, text) != CONFIG_TRUE) {
        const char *why = config_error_text(&config);
        status = st_failure(command, "%s:%d: %s", path, config_error_line(&config),
                            why != NULL ? why : "cannot be read");
    } else {
        const config_setting_t *list = config_lookup(&config, "mute");
        if (list != NULL)
            status = read_mutes(command, path, list, &mutes);
    }
    config_destroy(&config);
    if (status == ST_EXIT_DONE)
        *ret = mutes;
    else
        st_mutes_free(&mutes);
    return status;
}

int st_mutes_load(const char *command, const char *path, struct st_mutes *ret)
{
    struct st_platform *p = st_platform_native();
    const char *name = path != NULL ? path : DEFAULT_CONFIG;
    size_t bytes;
    char *text = malloc(CONFIG_MAX_BYTES + 1);
    if (text == NULL)
        return st_failure(command, "out of memory");
    const int r = p->read_text(p, name, text, CONFIG_MAX_BYTES + 1, &bytes);
    int status = ST_EXIT_DONE;
    if (r == 0 && memchr(text, '\0', bytes) != NULL)
        status = st_failure(command, "%s is not a text file: it has a zero byte", name);
    else if (r == 0)
        status = parse(command, name, text, ret);
    else if (path == NULL && (r == -ENOENT || r == -ENOTDIR || r == -EACCES))
        *ret = (struct st_mutes){0};
    else
        status = st_failure(command, "cannot read %s: %s", name,
                            r == -EINVAL ? "not a regular file" : strerror(-r));
    free(text);
    if (status != ST_EXIT_DONE && path == NULL) {
        fprintf(stderr, "sleeptune %s: the list 'mute' is not used, no rule is muted\n", command);
        *ret = (struct st_mutes){0};
        return ST_EXIT_DONE;
    }
    return status;
}
