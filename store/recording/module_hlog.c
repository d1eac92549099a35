#include "store/recording/module_hlog.h"

#include <errno.h>
#include <string.h>

#include "store/recording/hlog.h"

int st_module_hlog_write(const char *path, const struct st_hist *lateness, const struct st_hist *response,
                         int64_t start_wall_ns, int64_t end_wall_ns, const char *comment)
{
    struct st_hlog *log;
    int r = st_hlog_create(path, start_wall_ns, comment, &log);
    if (r < 0)
        return r;
    r = st_hlog_interval(log, "lateness", start_wall_ns, end_wall_ns, lateness);
    if (r == 0)
        r = st_hlog_interval(log, "response", start_wall_ns, end_wall_ns, response);
    const int closed = st_hlog_close(log);
    return closed < 0 ? closed : r;
}

int st_module_hlog_read(FILE *stream, st_module_hlog_take_fn take, void *ctx, char **ret_conditions)
{
    struct st_hlog_reader *reader;
    struct st_hlog_entry entry;
    struct st_hist hist;
    int r = st_hist_init(&hist, 3);
    if (r != 0) {
        fclose(stream);
        return r;
    }
    r = st_hlog_open_stream(stream, &reader);
    if (r == 0) {
        while ((r = st_hlog_next(reader, &entry, &hist)) == 1 && (r = take(ctx, entry.tag, &hist)) == 0)
            ;
        if (r == 0 && ret_conditions != NULL &&
            (*ret_conditions = strdup(st_hlog_conditions(reader))) == NULL)
            r = -ENOMEM;
        st_hlog_close_reader(reader);
    }
    st_hist_finish(&hist);
    return r;
}
