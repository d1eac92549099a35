/* The ways (a sound server's monitor, a cable ...) on which a test signal comes back, best known
 * first: what each way cannot detect, its helper program, and how that program is started, read and
 * ended. A new way is a row of st_ways and a program. */
#pragma once

#include "ears/capture_stream.h"
#include "platform/posix/posix.h"

/* faults that a way may be unable to detect: number, name, and the fault as a noun */
#define ST_WAY_FAULTS(X)                                                                           \
    X(CLIENT, "client-not-ready", "a program that is not ready in time")                           \
    X(BUFFER, "buffer-empty", "a program's own buffer that runs empty")                            \
    X(GRAPH, "graph-late", "a sound server that is itself late")                                   \
    X(SECOND, "second-card", "a second card that is resynchronised")                               \
    X(WIRE, "usb-packets", "losses on USB, in cables or codecs")                                   \
    X(SHAPE, "conversion", "a conversion, a limiter or another volume")                            \
    X(CHANNELS, "more-channels", "losses on channels after the second")                            \
    X(GAPS, "gaps", "gaps in which the recording stopped")

enum st_way_fault {
#define ST_WAY_FAULT(fault, name, text) ST_WAY_CANNOT_##fault,
    ST_WAY_FAULTS(ST_WAY_FAULT)
#undef ST_WAY_FAULT
        ST_WAY_FAULTS_N
};

extern const struct st_way_fault_words {
    const char *name, *text;
} st_way_faults[ST_WAY_FAULTS_N];

struct st_way {
    const char *name;    /* name for --back, and in JSON */
    const char *program; /* its helper program */
    const char *title;   /* "over a cable"; a phrase */
    /* how to set up such a way: a sentence; NULL: the sound server needs no setup */
    const char *make;
    unsigned cannot_hear; /* a bit for each fault: 1U << ST_WAY_CANNOT_... */
    unsigned direct;  /* further faults that cannot be heard if the way plays directly to a card,
                         without a server */
    unsigned systems; /* a bit for each enum st_os on which the way exists */
    bool chosen;      /* tried when --back is not given */
    bool of_ports;    /* the devices are ports of JACK: "client:port" */
    bool of_user;     /* the way uses a sound server, which belongs to a user; root is refused */
};

/** All ways, in the order in which they are tried if the user names none. Ways that share a name
 * are tried in turn. */
#define ST_WAYS_N 8
extern const struct st_way st_ways[ST_WAYS_N];

/** The first way with that name on this system. NULL: none. */
const struct st_way *st_way_find(const char *name, enum st_os os);

struct st_way_wish {
    const char *plays, *records; /* devices; NULL: the default ones */
    uint32_t frames;             /* buffer size to set for the run; 0: unchanged */
};

/** A way of recording in use, with its running helper program. One thread. */
struct st_way_run {
    const struct st_way *way;
    struct st_posix_piped program;

    struct st_capture_reader *reader;
};

/** Starts the helper program, whose output st_way_read returns. @return 0; -EPERM (root, of_user),
 * -ENOENT (not installed), or the error of starting. After 0, end with st_way_close. */
ST_NODISCARD int st_way_open(struct st_way_run *run, struct st_platform *machine,
                             const struct st_way *way, const struct st_way_wish *wish);
/** Call after the head arrived: lets the program play and record. */
void st_way_begin(struct st_way_run *run);
#define ST_WAY_WAIT_NS INT64_C(100000000)
/** Waits for output of the program, at most ST_WAY_WAIT_NS, and passes it to the sink. @return 1:
 * more may follow; 0: the program has ended; -EAGAIN: no output in that time; -EBADMSG: invalid
 * output. */
ST_NODISCARD int st_way_read(struct st_way_run *run, const struct st_capture_sink *sink, void *ctx);
/** Ends the program within 500 ms. */
void st_way_close(struct st_way_run *run);
