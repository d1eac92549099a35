/* What the collectors share: one source file reads one kind of source. Internal to advisor/. */
#ifndef ST_ADVISOR_COLLECTOR_H
#define ST_ADVISOR_COLLECTOR_H

#include "advisor/collect.h"

struct st_collector {
    struct st_platform *p;
    struct st_facts *facts;
    bool live;
    int error; /* 0 or -ENOMEM, from the first put that failed */
    char *buf; /* for whole files: config, timer_list */
    size_t buf_bytes;
    char user[256]; /* name of who runs this; "": not known, or a captured machine */
    char home[512]; /* folder of the user it is about, without a slash at its end; "": not known */
};

enum st_value_kind { ST_VALUE_TEXT, ST_VALUE_INT };

/** One small file or sysctl, one fact. */
struct st_value_row {
    const char *key;
    const char *name; /* path or sysctl */
    enum st_value_kind kind;
};

/* The puts of facts.h, which keep the error for the end. */
void st_collector_put_text(struct st_collector *c, const char *key, const char *value, const char *raw,
                           const char *source);
void st_collector_put_int(struct st_collector *c, const char *key, int64_t value, const char *raw,
                          const char *source);
void st_collector_put_state(struct st_collector *c, const char *key, enum st_fact_state state, int error,
                            const char *raw, const char *source);

/** A reading that failed with r < 0: -ENOENT and the like are absent, the rest is unreadable. */
void st_collector_put_failure(struct st_collector *c, const char *key, int r, const char *source);

/** Reads one file or sysctl of at most 4 KiB into one fact. An empty or non-numeric ST_VALUE_INT is
 * malformed. */
void st_collector_file(struct st_collector *c, const char *key, const char *path, enum st_value_kind kind);
void st_collector_sysctl(struct st_collector *c, const char *key, const char *name, enum st_value_kind kind);

void st_collect_linux(struct st_collector *c);
void st_collect_linux_kernel(struct st_collector *c);   /* version, configuration, timers */
void st_collect_linux_cpu(struct st_collector *c);      /* cpufreq, cpuidle */
void st_collect_linux_machine(struct st_collector *c);  /* hypervisor, container, PM QoS */
void st_collect_linux_settings(struct st_collector *c); /* one small file each */
void st_collect_linux_sound(struct st_collector *c);    /* streams, USB and PCI devices */
void st_collect_linux_irq(struct st_collector *c);
void st_collect_linux_process(struct st_collector *c); /* who runs, at which priority */
void st_collect_linux_etc(struct st_collector *c);     /* limits, groups, sysctl, modprobe, units */
void st_collect_linux_server(struct st_collector *c);  /* PipeWire, PulseAudio, JACK: configuration */
void st_collect_linux_memory(struct st_collector *c);  /* swap, mounts */
/** Finds home: of this process' user, or the only one of a captured tree. */
void st_collect_home(struct st_collector *c);
void st_collect_freebsd(struct st_collector *c);
void st_collect_freebsd_files(struct st_collector *c);   /* of a live machine */
void st_collect_freebsd_capture(struct st_collector *c); /* beside sysctl-a.txt */
void st_collect_live(struct st_collector *c);

/** Is this key, or a pattern of keys, among those provided (NULL-terminated, '*' for a name)? */
bool st_patterns_match(const char *const *provided, const char *pattern);
bool st_freebsd_provides(const char *pattern); /* of a live machine */

/** Key patterns ('*' for a name) of each collector, NULL-terminated. */
extern const char *const st_linux_patterns[];
extern const char *const st_linux_kernel_patterns[];
extern const char *const st_linux_cpu_patterns[];
extern const char *const st_linux_machine_patterns[];
extern const char *const st_freebsd_files_patterns[];
extern const char *const st_linux_sound_patterns[];
extern const char *const st_linux_irq_patterns[];
extern const char *const st_linux_process_patterns[];
extern const char *const st_linux_etc_patterns[];
extern const char *const st_linux_server_patterns[];
extern const char *const st_linux_memory_patterns[];
extern const char *const st_live_patterns[];

/** The rows of st_collect_linux_settings, whose keys are its patterns. */
extern const struct st_value_row st_linux_settings[];
extern const size_t st_linux_settings_n;

#endif
