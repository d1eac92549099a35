/* One source of other programs' xruns: opened, polled, lost, opened again; its counts and its events. */
#ifndef ST_DAEMON_OBSERVE_OBSERVED_H
#define ST_DAEMON_OBSERVE_OBSERVED_H

#include "daemon/causes/events.h"
#include "platform/xrun/xrun.h"
#include "store/history/dropout_sums.h"

#define ST_OBSERVED_DEVICES_MAX  8 /* with counts of their own; xruns of more are counted in the sum only */
#define ST_OBSERVED_PENDING_MAX  8
#define ST_OBSERVED_RETRY_MAX_NS INT64_C(15000000000)
/* while nothing plays, as other sources say: each try starts a program */
#define ST_OBSERVED_RETRY_QUIET_NS INT64_C(60000000000)
#define ST_OBSERVED_EVENT_EACH_NS                                                                            \
    INT64_C(10000000000) /* of one device and client; those between are summed */

enum st_observed_mode { ST_OBSERVED_OFF, ST_OBSERVED_AUTO, ST_OBSERVED_ON };

enum st_observed_state {
    ST_OBSERVED_IS_OFF,
    ST_OBSERVED_ABSENT, /* cannot be opened, or was lost; tried again after 1 s .. 15 s, or 60 s while nothing plays */
    ST_OBSERVED_OPENING,
    ST_OBSERVED_WATCHING,
};

/** "off", "absent", "opening", "watching". */
const char *st_observed_state_name(enum st_observed_state state);

/* A client without a load line for so long has gone (platform/xrun/xrun_line.h). */
#define ST_OBSERVED_GONE_NS INT64_C(25000000000)

/* By harm: when full, the one with the fewest dropouts that has gone makes room, else of those that play. */
#define ST_OBSERVED_CLIENTS_MAX 32

/** Counts are since the daemon's start. */
struct st_observed_client {
    char name[ST_XRUN_NAME_BYTES]; /* "": the server does not say which client it was */
    char device[ST_XRUN_NAME_BYTES], culprit[ST_XRUN_NAME_BYTES]; /* culprit: of most dropouts that had one */
    bool playing;                                                 /* a load line within ST_OBSERVED_GONE_NS */
    uint64_t not_ready_n, device_xruns_n;
    uint64_t reasons_n[ST_DROPOUT_REASONS]; /* not_ready_n by reason */
    int64_t culprit_n;                      /* by how many dropouts it leads the others */
    int64_t first_wall_ns, last_wall_ns;    /* of its dropouts; INT64_MIN: none */
    /* of the worst of its dropouts of the most frequent reason; 0: not known */
    int64_t worst_busy_ns, worst_wait_ns, worst_period_ns;
    enum st_dropout_reason worst_reason;
    struct st_xrun_load load; /* of the last 10 s; cycles_n 0: none */
    int64_t seen_ns, load_ns; /* its last line, and load line, by CLOCK_MONOTONIC; INT64_MIN: none */
};

struct st_observed_device {
    char name[ST_XRUN_NAME_BYTES];
    uint64_t device_xruns_n, starved_n;
};

/** Counts are since the daemon's start. */
struct st_observed_view {
    const char *source, *summary; /* constant texts */
    bool never;                   /* this OS has none */
    bool device_only;             /* starved_n is unknown */
    enum st_observed_mode mode;
    enum st_observed_state state;
    char why[ST_XRUN_WHY_BYTES]; /* why it is absent or rests; what it watches; "" */
    uint64_t opened_n;           /* 0: it never watched, and its counts say nothing */
    uint64_t device_xruns_n, starved_n;
    uint64_t epochs_n; /* how often counters were found to have begun anew */
    uint64_t polls_n;
    int64_t poll_cpu_ns;    /* of all polls, in this process */
    int64_t program_cpu_ns; /* of all helper programs that it has had; INT64_MIN: it has none */
    int64_t watched_ns;
    struct st_observed_device devices[ST_OBSERVED_DEVICES_MAX];
    size_t devices_n;
    struct st_observed_client clients[ST_OBSERVED_CLIENTS_MAX]; /* most dropouts first */
    size_t clients_n;
    uint64_t reasons_n[ST_DROPOUT_REASONS]; /* starved_n by reason */
    uint64_t others_not_ready_n;            /* starved_n less those of clients[] */
    int64_t since_wall_ns;                  /* when it first watched; INT64_MIN: never */
    int64_t last_wall_ns;                   /* its last dropout; INT64_MIN: none */
    enum st_certainty certainty;            /* of that */
    /* what the device in use is set to, as of the last ST_OBSERVED_GONE_NS; 0: not known, or nothing plays */
    char device[ST_XRUN_NAME_BYTES];
    int64_t frames, rate_hz, period_ns;
    int64_t device_load_ns;          /* when it said so, by CLOCK_MONOTONIC */
    bool tells_playing;              /* while it watches, it sees whatever plays */
    int64_t played_ns;               /* when it last did, by CLOCK_MONOTONIC; INT64_MIN: never */
    char played[ST_XRUN_NAME_BYTES]; /* what that was: client or device; "" when not known */
};

/* What was seen of one device and client and is not yet in an event. */
struct st_observed_pending {
    struct st_xrun_seen sum;
    int64_t since_ns;  /* when the first of the sum was seen */
    int64_t told_ns;   /* INT64_MIN: free */
    int64_t culprit_n; /* st_observed_clients_blame of sum.culprit */
};

/** Threads: one. */
struct st_observed {
    const struct st_xrun_source *source;
    struct st_platform *platform;
    struct st_events *events;
    struct st_xrun_setting setting;
    struct st_xrun_watch watch;
    struct st_observed_view view;
    struct st_observed_pending pending[ST_OBSERVED_PENDING_MAX];
    struct st_dropout_sums *dropouts; /* all dropouts are added; NULL: nowhere */
    bool open;
    unsigned failures;
    bool quiet;          /* nothing plays: what is absent is tried again less often */
    int64_t due_ns;      /* of the next turn */
    int64_t turned_ns;   /* of the last turn that found it open */
    int64_t programs_ns; /* CPU time of programs that have ended */
};

/** It is off until st_observed_set. */
void st_observed_init(struct st_observed *o, struct st_platform *platform, struct st_events *events,
                      const struct st_xrun_source *source);

/** Closes and opens as the mode and another setting want it. */
void st_observed_set(struct st_observed *o, enum st_observed_mode mode,
                     const struct st_xrun_setting *setting);

/** Opens or polls. o->due_ns is then when to call again, at the latest (INT64_MAX: never). */
void st_observed_turn(struct st_observed *o);

/** Nothing plays, or something does again: then what is absent is tried again at once. */
void st_observed_quiet(struct st_observed *o, bool quiet);

/** -1: none. */
int st_observed_fd(const struct st_observed *o);

/** Closes, after events about what was seen. */
void st_observed_finish(struct st_observed *o);

/* --- observed_clients.c: pure; times are now, by CLOCK_MONOTONIC and by the wall clock --- */

/** Counts what was seen for its client, and keeps loads. */
void st_observed_clients_take(struct st_observed_view *view, const struct st_xrun_seen *seen, int64_t now_ns,
                              int64_t wall_ns);

/** Forgets loads that are too old (all of them, if !watching), and sorts the clients. */
void st_observed_clients_age(struct st_observed_view *view, int64_t now_ns, bool watching);

/** Notes who was to blame n times more: `culprit` is then who was most often, if that was more than half.
 * culprit_n: 0 at first. */
void st_observed_clients_blame(char culprit[ST_XRUN_NAME_BYTES], int64_t *culprit_n, const char *name,
                               int64_t n);

/** The most frequent reason of a client's dropouts. */
enum st_dropout_reason st_observed_client_reason(const struct st_observed_client *client);

/** Device xruns and times not ready. */
uint64_t st_observed_client_dropouts(const struct st_observed_client *client);

#endif
