/* The configuration, sleeptuned.conf. A table with one row for each key is the source of the
 * parser, the error messages, conf/sleeptuned.conf and sleeptuned.conf(5). */
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include "xruns/xrun.h"

#define ST_CONFIG_TEXT_BYTES    256
#define ST_CONFIG_PERIOD_MAX_NS INT64_C(2000000000) /* longest period of the timing test */
/* highest loop.priority, because the watchdog's priority is one higher */
#define ST_CONFIG_PRIORITY_MAX 97
#define ST_CONFIG_FILE_BYTES   (256 * 1024) /* a larger file is not a configuration of sleeptuned */

/** The settings. The table (config_keys.c) has their units. */
struct st_config {
    struct {
        int64_t rate_hz;
        int64_t frames;   /* 0: the period of the music */
        int64_t priority; /* SCHED_FIFO 1 .. ST_CONFIG_PRIORITY_MAX; 0: the priority of the music */
        int64_t cpu;      /* CPU on which the loop runs; -1: any */
        char when[ST_CONFIG_TEXT_BYTES]; /* "playing" or "always" */
    } loop;
    struct {
        char backend[ST_CONFIG_TEXT_BYTES];
        char device[ST_CONFIG_TEXT_BYTES]; /* id of the device; "": the backend's default */
        int64_t latency_ms;                /* 0: a value that suits the backend */
    } audio;
    struct {
        char path[ST_CONFIG_TEXT_BYTES]; /* "": chosen by st_socket_choose */
        int64_t mode;
        char group[ST_CONFIG_TEXT_BYTES]; /* "": the daemon's group */
    } socket;
    struct {
        char listen[ST_CONFIG_TEXT_BYTES]; /* "": no TCP */
        char names[ST_CONFIG_TEXT_BYTES];  /* further host names that requests may use, separated by
                                              spaces */
    } http;
    struct {
#define ST_CONFIG_SOURCE(name) char name[ST_CONFIG_TEXT_BYTES]; /* "auto", "on" or "off" */
/* server to connect to; "": the one that the environment names */
#define ST_CONFIG_SERVER(name) char name##_server[ST_CONFIG_TEXT_BYTES];
        ST_XRUN_SOURCES(ST_CONFIG_SOURCE)
        ST_XRUN_SERVERS(ST_CONFIG_SERVER)
#undef ST_CONFIG_SOURCE
#undef ST_CONFIG_SERVER
        char listen[ST_CONFIG_TEXT_BYTES]; /* "auto", "on" or "off" */
        /* programs to which sleeptuned does not listen, separated by commas */
        char listen_except[ST_CONFIG_TEXT_BYTES];
    } observe;
    struct {
        char enabled[ST_CONFIG_TEXT_BYTES]; /* "on" or "off" */
        char path[ST_CONFIG_TEXT_BYTES];    /* file; "": history.db in the state folder */
        int64_t keep_days, max_mb, traces_mb;
    } history;
    struct {
        char enabled[ST_CONFIG_TEXT_BYTES]; /* "on" or "off" */
        int64_t buffer_kb;                  /* kB of the trace's buffer for each CPU */
    } trace;
    struct {
        char enabled[ST_CONFIG_TEXT_BYTES]; /* "on" or "off" */
    } notify;
};

enum st_config_type {
    ST_CONFIG_INT,    /* int64_t */
    ST_CONFIG_CHOICE, /* char[], one of `choices` */
    ST_CONFIG_TEXT,   /* char[] */
    ST_CONFIG_PATH,   /* char[], "" or absolute */
    ST_CONFIG_MODE,   /* int64_t, written as octal text "0660" */
    ST_CONFIG_LISTEN, /* char[], "" or "address:port" with an IP address */
};

/* What a reload (SIGHUP) does if the key has changed: bits. */
#define ST_CONFIG_APPLIES_LOOP   0x01u /* the loop starts again */
#define ST_CONFIG_APPLIES_AUDIO  0x02u /* the stream is opened again */
#define ST_CONFIG_APPLIES_SOCKET 0x04u /* mode and group of the socket are set again */
#define ST_CONFIG_APPLIES_HTTP   0x08u /* the TCP listener is opened again */
/* nothing: the new value counts when the daemon starts again */
#define ST_CONFIG_APPLIES_START 0x10u
/* sources of other programs' xruns are opened and closed */
#define ST_CONFIG_APPLIES_OBSERVE 0x20u
#define ST_CONFIG_APPLIES_HISTORY 0x40u  /* the history is closed and opened */
#define ST_CONFIG_APPLIES_TRACE   0x80u  /* the tracer starts again, or ends */
#define ST_CONFIG_APPLIES_WHEN    0x100u /* the loop starts to rest or to run */
#define ST_CONFIG_APPLIES_NOTIFY  0x200u /* notifications are switched on or off */

struct st_config_key {
    const char *path; /* name in the file: "loop.frames" */
    enum st_config_type type;
    const char *unit;         /* "": no unit */
    const char *default_text; /* the default, as it is written in the file */
    int64_t min, max;
    const char *choices; /* allowed words, separated by spaces */
    size_t offset;       /* offset of the value in struct st_config */
    unsigned applies;
    const char *help; /* one or two sentences */
};

extern const struct st_config_key st_config_keys[];
extern const size_t st_config_keys_n;

/** Called for each error with a complete line ("FILE:LINE: ..."), at most 20 times for a file. */
typedef void (*st_config_error_fn)(void *ctx, const char *message);

void st_config_defaults(struct st_config *ret);

/** Makes "always" the default of loop.when (option -a). Threads: call before other threads
 * exist. */
void st_config_always(void);

/**
 * Reads configuration text. `name` is the file name in messages.
 * @return 0, -EBADMSG (errors were reported), -ENOMEM. Threads: any. */
ST_NODISCARD int st_config_parse(const char *text, size_t len, const char *name,
                                 struct st_config *ret, st_config_error_fn error, void *ctx);

/** Does the daemon play a stream of its own in a real sound system, not the dummy one? */
bool st_config_own_stream(const struct st_config *config);

/** Is notify.enabled on? */
bool st_config_notifies(const struct st_config *config);

/** Reads a file. A missing or unreadable file is also reported to error(). @return as
 * st_config_parse, or the error of machine->read_text. */
ST_NODISCARD int st_config_load(struct st_platform *machine, const char *path,
                                struct st_config *ret, st_config_error_fn error, void *ctx);

/** Value of a key that is a text or a choice; "": no such key. Threads: any. */
const char *st_config_text(const struct st_config *config, const char *path);

/** Which settings differ, as ST_CONFIG_APPLIES_ bits: what a reload from one to the other must
 * do. */
unsigned st_config_difference(const struct st_config *a, const struct st_config *b);

/** An IP address and port. */
union st_config_address {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
};

/** Parses "127.0.0.1:9733" or "[::1]:9733". @return 0, -EINVAL (no IP address, no port 1 ..
 * 65535). */
ST_NODISCARD int st_config_listen_address(const char *text, union st_config_address *ret);

/** Allowed values of this key, for error messages and documents: "a whole number, 0 .. 16384
 * frames". */
const char *st_config_allowed(const struct st_config_key *key);

/** Writes conf/sleeptuned.conf: each key with its default, commented out. */
void st_config_doc_example(FILE *out);
/** Writes the list of keys for sleeptuned.conf(5), in mdoc. */
void st_config_doc_mdoc(FILE *out);
