/* Asking for the history. */
#include "cli/show/history_ask.h"

#include <string.h>
#include <time.h>

#include "cli/command.h"
#include "core/ns.h"
#include "core/when.h"

int st_history_ask(const char *command, const struct st_history_wish *wish, json_t **ret)
{
    char error[512];
    st_history_ask_fn function;
    void *address = st_module_load("history", ST_HISTORY_ASK_SYMBOL, error, sizeof(error));
    if (address == NULL)
        return st_failure(command, "cannot load: %s", error);
    memcpy(&function, &address, sizeof(function)); /* ISO C has no cast from object to function pointer */
    return function(command, wish, ret);
}

int64_t st_history_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return st_ns_from_timespec(&now);
}

static int take_time(const char *command, const char *option, const char *text, int64_t now_wall_ns,
                     int64_t *ret)
{
    if (text == NULL || st_when_parse(text, now_wall_ns, true, ret) == 0)
        return 0;
    return st_usage_error(command,
                          "%s: '%s' is not a time: say how long ago (1h, 2d), a date (2026-11-20, "
                          "\"2026-11-20 15:00\") or seconds since 1970",
                          option, text);
}

int st_history_times(const char *command, const struct st_history_options *options, int64_t now_wall_ns,
                     struct st_history_wish *ret)
{
    int status = take_time(command, "--since", options->since, now_wall_ns, &ret->since_ns);
    if (status == 0)
        status = take_time(command, "--until", options->until, now_wall_ns, &ret->until_ns);
    if (status != 0)
        return status;
    if (ret->since_ns != INT64_MIN && ret->until_ns != INT64_MIN && ret->since_ns > ret->until_ns)
        return st_usage_error(command, "--since is behind --until");
    if (ret->since_ns > now_wall_ns && ret->until_ns == INT64_MIN)
        return st_usage_error(command, "--since is in the future");
    if (options->socket != NULL && options->db != NULL)
        return st_usage_error(command, "--socket asks the daemon, --db reads a file: choose one");
    ret->socket = options->socket;
    ret->db = options->db;
    return 0;
}
