/* USB packets of sound cards: a helper program that root starts (helpers/helper_usb.c). */
#include "core/ns.h"
#include "xruns/xrun.h"

const struct st_xrun_source st_xrun_usb = {
    .name = "usb",
    .title = "USB",
    .summary = "sound packets of USB sound cards that failed, and times in which no packets came",
    .device_only = true,
    .poll_ns = 4 * ST_NS_PER_S, /* interval of checks whether the program hangs; its lines are read
                                   as soon as they arrive */
    /* USB packets do not show that the card plays, but another source shows it */
    .tells_playing = true,
    .ops = &st_xrun_program_ops,
    .program = "sleeptune-observe-usb",
    .root_why = "only root can read USB packets: run sleeptuned as root if a USB card clicks",
};
