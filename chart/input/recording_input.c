#include "chart/input/recording_input.h"

#include <errno.h>
#include <string.h>

#include "core/ns.h"
#include "platform/program/options.h"

int st_recording_input_refused(const char *command, const char *name, int r)
{
    if (r == -EBADMSG)
        return st_failure(command, "%s is not a recording of sleeptune, or it is cut within its first block",
                          name);
    if (r == -EPROTONOSUPPORT)
        return st_failure(command, "%s was recorded by a newer sleeptune (this one reads version %d)", name,
                          ST_RECORDING_VERSION);
    return st_failure(command, "cannot read %s: %s", name, strerror(-r));
}

int st_recording_input_blocks(struct st_recording_reader *reader, struct st_blocks *ret)
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
