/* Lines of sound servers' logs, followed by helper programs and posted by people. Pure. */
#pragma once

#include "core/base.h"

#define ST_JACK_NAME_BYTES 64 /* JACK_CLIENT_NAME_SIZE of jack2 */

/** Is this message of jack2 about a late client? @param client its name. @param ran true: the
 * client was computing when the next cycle began, or finished after that; false: it had not
 * begun. */
bool st_server_log_jack(const char *line, char client[ST_JACK_NAME_BYTES], bool *ran);

/** PipeWire's message about a resync: it put a card that does not drive its graph in step again. */
struct st_resync_log_line {
    char card[64]; /* ALSA's name of the card */
    int64_t n;
    int64_t frames;       /* frames that the last resync inserted or skipped */
    int64_t cycle_frames; /* length of the graph's cycle, at the card's rate */
};
bool st_server_log_resync(const char *line, struct st_resync_log_line *ret);
