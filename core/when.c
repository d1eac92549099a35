/* Reads and prints points in time. */
#include "core/when.h"

#include "core/ns.h"
#include "core/text/number.h"

#define WHEN_BYTES 32
/* 2200-01-01, the latest time that is accepted */
#define LAST_NS (INT64_C(7258118400) * ST_NS_PER_S)

int st_when_parse_length(const char *text, int64_t *ret_ns)
{
    int64_t sum_ns = 0;
    uint64_t n;
    const char *behind = text;
    if (st_number_take(&behind, &n) == 0 && (*behind == 'd' || *behind == 'w')) {
        const int64_t unit_ns = *behind == 'd' ? ST_NS_PER_DAY : 7 * ST_NS_PER_DAY;
        if (n > (uint64_t)(INT64_MAX / unit_ns))
            return -ERANGE;
        sum_ns = (int64_t)n * unit_ns;
        text = behind + 1;
        if (*text == '\0') {
            *ret_ns = sum_ns;
            return 0;
        }
    }
    int64_t rest_ns;
    const int r = st_ns_parse(text, &rest_ns);
    if (r == 0)
        *ret_ns = st_ns_add(sum_ns, rest_ns);
    return r;
}

/* Reads seconds or ns since 1970. @return 0; -EINVAL: not such a number; -ERANGE. */
static int parse_epoch(const char *text, int64_t *ret)
{
    const size_t digits = strspn(text, "0123456789");
    if (digits == 0 || text[strspn(text, "0123456789.")] != '\0')
        return -EINVAL;
    if (digits < 17 || text[digits] != '\0')
        return st_ns_parse(text, ret);
    return st_number_i64(text, 0, INT64_MAX, ret);
}

static int parse_date(const char *text, bool local, int64_t *ret)
{
    static const char *const forms[] = {"%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%d %H:%M:%S",
                                        "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"};
    ST_EACH (form, forms) {
        struct tm tm = {.tm_isdst = -1};
        const char *end = strptime(text, *form, &tm);
        const bool utc = end != NULL && st_text_is(end, "Z");
        /* a text that ends with ':' lacks the seconds; FreeBSD's %S accepts it */
        if (end == NULL || (*end != '\0' && !utc) || end[-1] == ':')
            continue;
        const int day = tm.tm_mday;
        const int64_t s = local && !utc ? mktime(&tm) : timegm(&tm);
        /* The caller refuses INT64_MAX as out of range. */
        *ret = s >= 0 && s <= LAST_NS / ST_NS_PER_S ? s * ST_NS_PER_S : INT64_MAX;
        /* 31 November would become 1 December, so it is refused */
        return tm.tm_mday == day ? 0 : -EINVAL;
    }
    return -EINVAL;
}

/* Reads a time of day, "9:25": the last moment at which it was that time. */
static int parse_time(const char *text, int64_t now_wall_ns, bool local, int64_t *ret)
{
    const time_t now_s = (time_t)(now_wall_ns / ST_NS_PER_S);
    const bool here = local && strchr(text, 'Z') == NULL;
    struct tm tm;
    int r = -EINVAL;
    if ((here ? localtime_r(&now_s, &tm) : gmtime_r(&now_s, &tm)) == NULL)
        return r;
    tm.tm_hour = 12; /* counts days at noon, when no time zone changes its clock */
    for (int days = 0; days < 2; days++, tm.tm_mday--) {
        char day[64];
        if ((here ? mktime(&tm) : timegm(&tm)) == -1 ||
            strftime(day, sizeof(day), "%Y-%m-%d ", &tm) == 0)
            break;
        ST_APPEND(day, "%s", text);
        r = parse_date(day, local, ret);
        if (r != 0 || *ret <= now_wall_ns)
            break;
    }
    return r;
}

int st_when_parse(const char *text, int64_t now_wall_ns, bool local, int64_t *ret_wall_ns)
{
    int64_t ns, ago_ns;
    const size_t digits = strspn(text, "0123456789");
    if (st_text_is(text, "now")) {
        *ret_wall_ns = now_wall_ns;
        return 0;
    }
    int r = parse_epoch(text, &ns);
    if (r == -EINVAL && digits > 0 && text[digits] == '-')
        r = parse_date(text, local, &ns);
    else if (r == -EINVAL && digits > 0 && text[digits] == ':')
        r = parse_time(text, now_wall_ns, local, &ns);
    else if (r == -EINVAL && digits > 0) {
        r = st_when_parse_length(text, &ago_ns);
        ns = r == 0 ? st_ns_sub(now_wall_ns, ago_ns) : 0;
    }
    if (r == 0 && (ns < 0 || ns > LAST_NS))
        r = -ERANGE;
    if (r == 0)
        *ret_wall_ns = ns;
    return r;
}

const char *st_when_text(int64_t wall_ns)
{
    const time_t seconds = (time_t)(wall_ns / ST_NS_PER_S);
    struct tm local;
    char *text = st_text_room(WHEN_BYTES);
    if (localtime_r(&seconds, &local) == NULL ||
        strftime(text, WHEN_BYTES, "%Y-%m-%d %H:%M:%S", &local) == 0)
        return "?";
    return text;
}

const char *st_when_text_near(int64_t wall_ns, int64_t now_wall_ns)
{
    const char *text = st_when_text(wall_ns), *space = strchr(text, ' ');
    if (space != NULL && strncmp(text, st_when_text(now_wall_ns), (size_t)(space - text)) == 0)
        return space + 1;
    return text;
}

int64_t st_when_step(int64_t span_ns, int64_t steps)
{
    static const int64_t steps_s[] = {60,    300,   600,   1800,   3600,    10800,
                                      21600, 43200, 86400, 604800, 2592000, 31536000};
    ST_EACH (step_s, steps_s) {
        if (span_ns / (*step_s * ST_NS_PER_S) < steps)
            return *step_s * ST_NS_PER_S;
    }
    return steps_s[ST_ARRAY_LEN(steps_s) - 1] * ST_NS_PER_S;
}
