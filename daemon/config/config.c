/* Reads sleeptuned.conf through libconfig. Each error message names file, line, key, value and what
 * is allowed. */
#include "daemon/config/config.h"

#include <arpa/inet.h>
#include <libconfig.h>

#include "core/ns.h"
#include "core/period.h"
#include "core/text/near.h"
#include "core/text/number.h"
#include "core/text/safe.h"
#include "platform/proc.h"

/* --- one value: what is allowed, and how it is stored --- */

const char *st_config_allowed(const struct st_config_key *key)
{
    const char *words = "one of";
    switch (key->type) {
    case ST_CONFIG_INT:
        return st_text("a whole number, %jd .. %jd%s", key->min, key->max,
                       st_text_with(" ", key->unit));
    case ST_CONFIG_CHOICE:
        for (const char *word = key->choices; *word != '\0'; word += strspn(word, " ")) {
            const int len = (int)strcspn(word, " ");
            words = st_text("%s%s \"%.*s\"", words, word == key->choices ? "" : ",", len, word);
            word += len;
        }
        return words;
    case ST_CONFIG_TEXT:
        return st_text("a text of at most %d bytes", ST_CONFIG_TEXT_BYTES - 1);
    case ST_CONFIG_PATH:
        return st_text("\"\" or an absolute path of at most %d bytes", ST_CONFIG_TEXT_BYTES - 1);
    case ST_CONFIG_MODE:
        return "octal digits in quotes, \"0000\" .. \"0777\"";
    case ST_CONFIG_LISTEN:
        return "\"\" or an IP address and a port, such as \"127.0.0.1:9733\"";
    }
    return "";
}

int st_config_listen_address(const char *text, union st_config_address *ret)
{
    const char *colon = strrchr(text, ':');
    const bool v6 = text[0] == '[';
    char address[INET6_ADDRSTRLEN];
    int64_t port;
    if (colon == NULL || colon == text || (v6 && colon[-1] != ']') ||
        st_number_i64(colon + 1, 1, 65535, &port) != 0)
        return -EINVAL;
    const size_t len = (size_t)(colon - text) - (v6 ? 2 : 0);
    if (len >= sizeof(address))
        return -EINVAL;
    memcpy(address, text + v6, len);
    address[len] = '\0';
    *ret = (union st_config_address){0};
    ret->any.sa_family = v6 ? AF_INET6 : AF_INET;
    *(v6 ? &ret->v6.sin6_port : &ret->v4.sin_port) = htons((uint16_t)port);
    void *bytes = v6 ? (void *)&ret->v6.sin6_addr : &ret->v4.sin_addr;
    return inet_pton(ret->any.sa_family, address, bytes) == 1 ? 0 : -EINVAL;
}

/* Stores a value that is a text in the file. @param member address of the key's value in a struct
 * st_config.
 * @return false: the value is not allowed. */
static bool store_text(const struct st_config_key *key, const char *text, void *member)
{
    if (key->type == ST_CONFIG_MODE) {
        char *end;
        const unsigned long mode = strtoul(text, &end, 8);
        if (text[0] < '0' || text[0] > '7' || *end != '\0' || mode > (unsigned long)key->max)
            return false;
        *(int64_t *)member = (int64_t)mode;
        return true;
    }
    union st_config_address address;
    if (strlen(text) >= ST_CONFIG_TEXT_BYTES)
        return false;
    if (key->type == ST_CONFIG_CHOICE && !st_proc_has_word(key->choices, text))
        return false;
    if (key->type == ST_CONFIG_PATH && text[0] != '\0' && text[0] != '/')
        return false;
    if (key->type == ST_CONFIG_LISTEN && text[0] != '\0' &&
        st_config_listen_address(text, &address) != 0)
        return false;
    /* Clears the whole text first, so that two configurations can be compared byte by byte. */
    memset(member, 0, ST_CONFIG_TEXT_BYTES);
    memcpy(member, text, strlen(text));
    return true;
}

/* Stores a setting in *config. @return false: its value is not allowed, and nothing was stored. */
static bool store(const struct st_config_key *key, const config_setting_t *setting,
                  struct st_config *config)
{
    void *member = (char *)config + key->offset;
    const int type = config_setting_type(setting);
    if (key->type == ST_CONFIG_INT) {
        const int64_t value = config_setting_get_int64(setting);
        if ((type != CONFIG_TYPE_INT && type != CONFIG_TYPE_INT64) || value < key->min ||
            value > key->max)
            return false;
        *(int64_t *)member = value;
        return true;
    }
    return type == CONFIG_TYPE_STRING &&
           store_text(key, config_setting_get_string(setting), member);
}

/* --- the file --- */

#define ERRORS_MAX    20
#define PERIOD_MIN_NS (100 * ST_NS_PER_US)
#define QUOTE_BYTES   61 /* bytes that a message quotes of a line with a syntax error, with NUL */
#define NAME_BYTES    64 /* bytes that a message quotes of a name or value; no key is longer */

struct parse {
    const char *name;
    struct st_config *config;
    st_config_error_fn error;
    void *ctx;
    int errors_n;
};

/* A text of the file for a message: safe to print, and shortened to `bytes`. */
static const char *safe_text(const char *text, int bytes)
{
    const bool whole = strlen(text) < (size_t)bytes;
    return st_safe_text(st_text("%.*s%s", whole ? bytes : bytes - 4, text, whole ? "" : "..."));
}

static void ST_PRINTF(3, 4) complain(struct parse *parse, unsigned line, const char *format, ...)
{
    if (parse->errors_n++ >= ERRORS_MAX || parse->error == NULL)
        return;
    char text[1024];
    ST_PRINT_REST(text, sizeof(text), format);
    parse->error(parse->ctx,
                 st_text("%s:%s %s", parse->name, line > 0 ? st_text("%u:", line) : "", text));
}

/* Quotes line number `line` (from 1) for a message, safe and shortened, without blanks at both
 * ends: ": text"; "" if the line is empty. */
static const char *quote_line(const char *text, unsigned line)
{
    char copy[QUOTE_BYTES + 1];
    for (; line > 1 && *text != '\0'; line -= *text++ == '\n')
        ;
    text += strspn(text, " \t\r");
    size_t len = strcspn(text, "\n");
    while (len > 0 && strchr(" \t\r", text[len - 1]) != NULL)
        len--;
    ST_PRINT(copy, "%.*s", (int)(len < sizeof(copy) ? len : sizeof(copy)), text);
    return st_text("%s%s", len > 0 ? ": " : "", safe_text(copy, QUOTE_BYTES));
}

static const char *value_text(const config_setting_t *setting)
{
    switch (config_setting_type(setting)) {
    case CONFIG_TYPE_INT:
    case CONFIG_TYPE_INT64:
        return st_text("%lld", config_setting_get_int64(setting));
    case CONFIG_TYPE_FLOAT:
        return st_text("%g", config_setting_get_float(setting));
    case CONFIG_TYPE_BOOL:
        return config_setting_get_bool(setting) ? "true" : "false";
    case CONFIG_TYPE_STRING:
        return st_text("\"%s\"", safe_text(config_setting_get_string(setting), NAME_BYTES));
    default: /* a list or an array */
        return config_setting_is_group(setting) ? "{ ... }" : "( ... )";
    }
}

/* Reports an unknown key, and the known key (at the top level also a group) that is most like it.
 */
static void unknown_key(struct parse *parse, const config_setting_t *setting, const char *path)
{
    const char *safe = safe_text(path, NAME_BYTES), *hint = "";
    struct st_near near = {.typed = safe};
    ST_EACH_OF (row, st_config_keys, st_config_keys_n) {
        if (strchr(safe, '.') == NULL)
            st_near_offer(&near, st_text("%.*s", (int)strcspn(row->path, "."), row->path));
        st_near_offer(&near, row->path);
    }
    if (near.name != NULL)
        hint = st_text(". Did you mean %s?", near.name);
    complain(parse, config_setting_source_line(setting), "%s: unknown key%s", safe, hint);
}

static bool is_group(const char *name)
{
    const char *begin = st_text("%s.", name);
    ST_EACH_OF (key, st_config_keys, st_config_keys_n) {
        if (st_text_begins(key->path, begin))
            return true;
    }
    return false;
}

static void read_key(struct parse *parse, const config_setting_t *setting, const char *path)
{
    ST_EACH_OF (key, st_config_keys, st_config_keys_n) {
        if (!st_text_is(key->path, path))
            continue;
        if (!store(key, setting, parse->config))
            complain(parse, config_setting_source_line(setting), "%s = %s: must be %s", path,
                     value_text(setting), st_config_allowed(key));
        return;
    }
    unknown_key(parse, setting, path);
}

static void read_group(struct parse *parse, const config_setting_t *group, const char *prefix)
{
    for (int i = 0; i < config_setting_length(group); i++) {
        const config_setting_t *setting = config_setting_get_elem(group, (unsigned)i);
        const char *name = config_setting_name(setting);
        if (name == NULL)
            continue;
        if (prefix[0] == '\0' && is_group(name)) {
            if (config_setting_is_group(setting))
                read_group(parse, setting, name);
            else
                complain(parse, config_setting_source_line(setting),
                         "%s: must be a group of settings, { ... }", name);
            continue;
        }
        const char *path = st_text_joined(prefix, ".", name);
        read_key(parse, setting, path);
    }
}

static void check_period(struct parse *parse)
{
    struct st_period period;
    if (parse->config->loop.frames == 0) /* the period is that of the music, not configured */
        return;
    if (st_period_init(&period, (uint32_t)parse->config->loop.frames,
                       (uint32_t)parse->config->loop.rate_hz) == 0 &&
        st_period_ns(&period) >= PERIOD_MIN_NS && st_period_ns(&period) <= ST_CONFIG_PERIOD_MAX_NS)
        return;
    complain(parse, 0,
             "loop.frames = %jd at loop.rate_hz = %jd is a period of %s: must be 100 µs .. 2 s",
             parse->config->loop.frames, parse->config->loop.rate_hz,
             st_ns_text(parse->config->loop.frames * ST_NS_PER_S / parse->config->loop.rate_hz));
}

static bool always;

void st_config_always(void)
{
    always = true;
}

void st_config_defaults(struct st_config *ret)
{
    *ret = (struct st_config){0};
    ST_EACH_OF (key, st_config_keys, st_config_keys_n) {
        void *member = (char *)ret + key->offset;
        if (key->type == ST_CONFIG_INT) {
            *(int64_t *)member = strtoll(key->default_text, NULL, 10);
        } else {
            const char *text =
                st_text("%.*s", (int)strlen(key->default_text) - 2, key->default_text + 1);
            (void)store_text(key, text, member);
        }
    }
    if (always)
        ST_PRINT(ret->loop.when, "always");
}

/* Rejects text that libconfig must not get: zero bytes, at which libconfig would stop reading, and
 * @include, because error messages name lines of one file. */
static void check_text(struct parse *parse, const char *text, size_t len)
{
    unsigned line = 1;
    for (const char *at = text, *end = text + len; at < end; line++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const size_t line_len = (size_t)((newline != NULL ? newline : end) - at);
        if (memchr(at, '\0', line_len) != NULL) {
            complain(parse, line, "this is not a text file: it contains a zero byte");
            return;
        }
        if (st_text_begins(at + strspn(at, " \t"), "@include"))
            complain(parse, line, "@include is not supported: all settings are in one file");
        at += line_len + 1;
    }
}

int st_config_parse(const char *text, size_t len, const char *name, struct st_config *ret,
                    st_config_error_fn error, void *ctx)
{
    struct st_config config;
    struct parse parse = {.name = name, .config = &config, .error = error, .ctx = ctx};
    st_config_defaults(&config);
    check_text(&parse, text, len);
    if (parse.errors_n > 0)
        return -EBADMSG;
    config_t file;
    config_init(&file);
    if (config_read_string(&file, text) != CONFIG_TRUE) {
        const unsigned line = (unsigned)config_error_line(&file);
        const char *why = config_error_text(&file);
        complain(&parse, line, "%s%s", st_text_or(why, "cannot be read"), quote_line(text, line));
    } else {
        read_group(&parse, config_root_setting(&file), "");
        if (parse.errors_n == 0)
            check_period(&parse);
    }
    config_destroy(&file);
    if (parse.errors_n > 0)
        return -EBADMSG;
    *ret = config;
    return 0;
}

bool st_config_notifies(const struct st_config *config)
{
    return st_text_is(config->notify.enabled, "on");
}

bool st_config_own_stream(const struct st_config *config)
{
    return !st_text_is(config->audio.backend, "none") &&
           !st_text_is(config->audio.backend, "dummy");
}

int st_config_load(struct st_platform *machine, const char *path, struct st_config *ret,
                   st_config_error_fn error, void *ctx)
{
    struct parse parse = {.name = path, .error = error, .ctx = ctx};
    char *text = malloc(ST_CONFIG_FILE_BYTES + 1);
    if (text == NULL)
        return -ENOMEM;
    size_t len = 0;
    int r = machine->read_text(machine, path, text, ST_CONFIG_FILE_BYTES + 1, &len);
    if (r == -EFBIG)
        complain(&parse, 0,
                 "the file is larger than %d bytes: this is not a sleeptuned configuration",
                 ST_CONFIG_FILE_BYTES);
    else if (r == -EINVAL)
        complain(&parse, 0, "not a regular file");
    else if (r < 0)
        complain(&parse, 0, "cannot be read: %s", strerror(-r));
    else
        r = st_config_parse(text, len, path, ret, error, ctx);
    free(text);
    return r;
}

const char *st_config_text(const struct st_config *config, const char *path)
{
    ST_EACH_OF (key, st_config_keys, st_config_keys_n) {
        if (st_text_is(key->path, path) &&
            (key->type == ST_CONFIG_CHOICE || key->type == ST_CONFIG_TEXT))
            return (const char *)config + key->offset;
    }
    return "";
}

unsigned st_config_difference(const struct st_config *a, const struct st_config *b)
{
    unsigned applies = 0;
    ST_EACH_OF (key, st_config_keys, st_config_keys_n) {
        size_t bytes = ST_CONFIG_TEXT_BYTES;
        if (key->type == ST_CONFIG_INT || key->type == ST_CONFIG_MODE)
            bytes = sizeof(int64_t);
        if (memcmp((const char *)a + key->offset, (const char *)b + key->offset, bytes) != 0)
            applies |= key->applies;
    }
    return applies;
}
