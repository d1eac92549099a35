/* Lines of the logs of sound servers, as helper programs follow them and as people post them. Pure. */
#pragma once

#include "core/base.h"

#define ST_JACK_NAME_BYTES 64 /* JACK_CLIENT_NAME_SIZE of jack2 */

/** Is this message of jack2 about a client that was late? client: its name. ran: it computed when the next
 * cycle began, or finished after that; else it had not begun. */
bool st_server_log_jack(const char *line, char client[ST_JACK_NAME_BYTES], bool *ran);

/** PipeWire put a card in step that does not drive its graph. */
struct st_resync_log_line {
    char card[64]; /* as ALSA calls it */
    int64_t n;
    int64_t frames;       /* that the last one inserted or skipped */
    int64_t cycle_frames; /* of the graph's cycle, at the card's rate */
};
bool st_server_log_resync(const char *line, struct st_resync_log_line *ret);
