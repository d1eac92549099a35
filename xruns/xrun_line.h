/* What a helper program that watches a sound server writes to its standard output: one line of text
 * for each event.
 *
 *   ready facts=2 listens=3 TEXT
 *     the program watches now; TEXT names the server ("JACK server \"default\", 256 frames at 48000
 *     Hz"). Both numbers may be missing. facts: enum st_xrun_fact; listens: programs that it hears
 *
 *   alive
 *     written at least every 20 s: a program that is silent for 40 s counts as hung and is killed,
 *     one that was stopped (SIGSTOP) within 4 s, and both are started again
 *
 *   alive late=NS
 *     for this time the program did not run (others had the CPU, or it was frozen), so nothing was
 *     watched
 *
 *   absent facts=1 TEXT
 *     there is nothing to watch, for the reason TEXT; the program ends now, and the daemon starts
 *     it again later. Dropouts up to now may follow
 *
 *   client-dropout count_n=1 certainty=exact reason=too-slow busy_ns=NS device=NAME client=NAME
 *   device-dropout count_n=1 certainty=exact place=device-buffer device=NAME
 *     dropouts that began since the line before: of a client that was not ready in time, or of the
 *     device. Keys are the fields of st_event_record (xruns/event.c) that a line has; only count_n
 *     and certainty may not be missing. Times are of the worst cycle. count_n=0 cycles_n=47: a
 *     dropout that began earlier goes on
 *
 *   cycle busy_ns=NS wait_ns=NS client=NAME deadline_ns=NS left_n=2
 *     what a client did in the cycle of a dropout, before the line of that dropout; left_n: number
 *     of clients of this cycle whose lines follow
 *
 *   load cycles_n=469 busy_median_ns=NS frames=256 rate_hz=48000 device=NAME client=NAME
 *     how long a client took in the last seconds, and what it asked for: members of struct
 *     st_xrun_load. Without client: the device's own node, whose wait is the time that its clients
 *     took together. Written every 10 s for each node that ran; a client without a line for 21 s
 *     has ended
 *
 *   level reserve_ns=NS device=NAME client=NAME
 *     how long the sound that is left now would last, in the queue of a program or in JACK's cycle;
 *     used in a trace only
 *
 *   ended device=NAME client=NAME
 *     the client has ended
 *
 * In a name, "%" and two hexadecimal digits stand for a byte: blanks, control characters and "%"
 * itself are written so.
 *
 * A line is at most 1279 bytes, ends with a newline and is flushed. The program reads nothing, and
 * ends when its standard input ends, since the daemon has then ended. Its environment is the
 * daemon's; for root's daemon it is that of the server's owner, who the program becomes (-uUID).
 * Option -eVARIABLE=VALUE is the server, if configured (st_xrun_source.server_env). -VVERSION is
 * the daemon's version: a program of another version writes "absent". -pPID is the daemon's
 * process, whose streams are left out where they can be identified; it is given only while the
 * daemon has a stream, since a client may claim to be the daemon. A program that loses its server
 * does not connect again: it writes "absent" and ends. */
#pragma once

#include "xruns/xrun.h"

#define ST_XRUN_LINE_BYTES 1280

/* name of sleeptuned's own test stream in a server */
#define ST_XRUN_OWN_CLIENT "sleeptuned (silence)"

enum st_xrun_line_kind {
    ST_XRUN_LINE_READY,
    ST_XRUN_LINE_ALIVE,
    ST_XRUN_LINE_ABSENT,
    ST_XRUN_LINE_SEEN /* any other line: see st_xrun_seen.kind */
};

struct st_xrun_line {
    enum st_xrun_line_kind kind;
    char text[ST_XRUN_WHY_BYTES]; /* text of ready and absent lines, cut; control characters become
                                     '?' */
    int64_t facts, listens_n;     /* numbers of ready and absent lines */
    int64_t late_ns;          /* of alive lines: for how long the program did not run; 0: it ran */
    struct st_xrun_seen seen; /* names are cut, control characters become '?' */
};

/** Reads one line without its newline. @return 0 or -EBADMSG. Pure; threads: any. */
ST_NODISCARD int st_xrun_line_parse(const char *line, struct st_xrun_line *ret);

/** Formats what was seen as a line with its newline, for the helper programs. @return buf. */
const char *st_xrun_line_format(const struct st_xrun_seen *seen, char *buf, size_t buf_bytes);
