#include "store/recording/recording_input.h"

#include "core/ns.h"
#include "platform/posix/posix.h"

const char *st_recording_input_error(int r)
{
    return r == -EBADMSG           ? "the file is not a recording of sleeptune, or it ends within the "
                                     "first block"
           : r == -EPROTONOSUPPORT ? "another version of sleeptune made this recording"
                                   : st_posix_input_error(-r);
}

static int add_blocks(struct st_recording_reader *reader, struct st_blocks *ret)
{
    const struct st_period *period = &st_recording_info(reader)->meta.period;
    struct st_recording_event event;
    int r;
    while ((r = st_recording_next(reader, &event)) == 1) {
        if (event.kind == ST_RECORDING_CYCLE)
            r = st_blocks_add(ret, event.lateness_ns,
                              st_period_missed(period, event.period_index,
                                               st_ns_add(event.lateness_ns, event.callback_ns)));
        else if (event.kind == ST_RECORDING_SKIPPED)
            r = st_blocks_add_missed(ret, event.n);
        if (r < 0)
            return r;
    }
    return r < 0 ? r : st_blocks_end(ret);
}

int st_recording_input_read(const char *path, struct st_recording_run *ret)
{
    struct st_recording_reader *reader;
    *ret = (struct st_recording_run){0};
    int r = st_blocks_init(&ret->blocks);
    if (r == 0)
        r = st_recording_open(path, &reader);
    if (r != 0)
        return r;
    const struct st_recording_info *info = st_recording_info(reader);
    r = add_blocks(reader, &ret->blocks);
    ret->meta = info->meta;
    ret->totals = info->totals;
    ret->end = info->end;
    ret->conditions = strdup(info->conditions);
    st_recording_close_reader(reader);
    return r == 0 && ret->conditions == NULL ? -ENOMEM : r;
}

void st_recording_input_finish(struct st_recording_run *run)
{
    free(run->conditions);
    st_blocks_finish(&run->blocks);
    *run = (struct st_recording_run){0};
}
