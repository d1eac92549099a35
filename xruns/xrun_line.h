/* What a helper program that watches a sound server writes to its standard output: one line of text an event.
 *
 *   ready facts=2 listens=3 TEXT
 *     it watches now; TEXT names the server ("JACK server \"default\", 256 frames at 48000 Hz"). Both
 *     numbers may be missing. facts: enum st_xrun_fact; listens: how many programs it hears
 *
 *   alive
 *     written at least every 20 s: a program that is silent for 40 s counts as hung and is killed,
 *     one that was stopped (SIGSTOP) within 4 s, and both are started again
 *
 *   alive late=NS
 *     it did not run for so long (others had the CPU, or it was frozen): that time was not watched
 *
 *   absent facts=1 TEXT
 *     there is nothing to watch, and why; it ends after this line, and is started again later
 *
 *   xrun certainty=exact device-dropouts=1 client-dropouts=0 place=device-buffer device=NAME client=NAME
 *     dropouts that began since the line before: of the device, and of clients that were not ready in
 *     time; device and client may be missing. Behind client-dropouts may stand, for these clients,
 *     reason=too-slow busy=NS error=NS wait=NS period=NS spare=NS culprit=NAME culprit-plays=1 (names of
 *     dropout_reason.h; times of the worst cycle; busy is CPU time, to "error" up or down; spare: so
 *     much of a period, or of its own buffer, is usually left). cycles=47: of the graph, that were
 *     lost since the line before, also if the dropout began before it (then both counts are 0);
 *     lost=NS: no sound for so long since then; longest=NS: of the longest of these dropouts, so far;
 *     end=NS: when the last of them ended (CLOCK_MONOTONIC), which may be some seconds ago
 *
 *   cycle busy=NS wait=NS client=NAME deadline=NS left=2
 *     what a client did in the cycle of a dropout, before the line of that; left: clients of this
 *     cycle that follow
 *
 *   load cycles=469 busy=MEDIAN,P99,MAX wait=MEDIAN,P99,MAX period=NS frames=256 rate=48000 asked=360
 *        asked-rate=48000 priority=20 between=1 drift=-37000 block=32768
 *        block-any=1 stream=1 device=NAME client=NAME
 *     how long a client took in the last seconds, in ns, and the cycle that it asked for; without
 *     client: the device's own node, whose wait is the time that its clients took together.
 *     asked-rate=1000: asked is in ms, and about that (PulseAudio). priority: of its real-time
 *     thread; 100: a normal thread. between: a buffer between the program and the server, and what
 *     of it is watched (enum st_xrun_between). drift: client is a card that follows device, and is
 *     faster by that, in 10^-9. block: its long cycles come each time after this number of frames;
 *     block-any=1: in cycles of different lengths. stream=1: it plays or records as a player or browser
 *     does. Written every 10 s for each node that ran; a client without one for 21 s has ended
 *
 *   level reserve=NS device=NAME client=NAME
 *     how long what is left now would last: the queue of a program, or of JACK's cycle. Goes into a
 *     trace only
 *
 *   ended device=NAME client=NAME
 *     the client has ended
 *
 * In a name, "%" and two hexadecimal digits stand for a byte: blanks, control characters and "%" itself
 * are written so.
 *
 * A line is at most 1279 bytes, ends with a newline and is flushed. The program reads nothing, but ends
 * when its standard input ends: then the daemon is gone. Its environment is the daemon's, of root's
 * daemon that of its server's owner, whom it becomes (-uUID); its option -eVARIABLE=VALUE is the server, if
 * configured (st_xrun_source.server_env), -VVERSION the daemon's, and
 * a program of another version says "absent"; its option -pPID is the daemon's process,
 * whose streams are left out where they can be identified: it is given only if the daemon has one (a
 * client may claim to be it). It does not connect again by itself: it says "absent" and ends. */
#pragma once

#include "xruns/xrun.h"

#define ST_XRUN_LINE_BYTES 1280

#define ST_XRUN_OWN_CLIENT "sleeptuned (silence)" /* what the daemon's own stream is called in a server */

enum st_xrun_line_kind {
    ST_XRUN_LINE_READY,
    ST_XRUN_LINE_ALIVE,
    ST_XRUN_LINE_ABSENT,
    ST_XRUN_LINE_SEEN /* any of the others: st_xrun_seen.kind */
};

struct st_xrun_line {
    enum st_xrun_line_kind kind;
    char text[ST_XRUN_WHY_BYTES]; /* of ready and absent, cut; control characters are '?' */
    int64_t facts, listens_n;     /* the same */
    int64_t late_ns;              /* of alive */
    struct st_xrun_seen seen;     /* names are cut, control characters are '?' */
};

/** Reads one line without its newline. @return 0 or -EBADMSG. Pure; threads: any. */
ST_NODISCARD int st_xrun_line_parse(const char *line, struct st_xrun_line *ret);

/** Writes the line of what was seen, with its newline, for the helper programs. @return buf. */
const char *st_xrun_line_format(const struct st_xrun_seen *seen, char *buf, size_t buf_bytes);
