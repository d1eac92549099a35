/* The sources of facts. Each is one file, collect_<source>.c, and one row in collect.c. */
#ifndef ST_ADVISOR_COLLECT_COLLECT_SOURCES_H
#define ST_ADVISOR_COLLECT_COLLECT_SOURCES_H

#include "advisor/collect/collector.h"

struct st_collect_source {
    enum st_os os; /* st_collect_live is for every OS */
    void (*collect)(struct st_collector *c);
    /* What it provides: key patterns ('*' for a name), NULL-terminated, and/or a function. */
    const char *const *patterns;
    bool (*provides)(const char *pattern);
};

extern const struct st_collect_source st_collect_linux;          /* clocks, limits, cgroup */
extern const struct st_collect_source st_collect_linux_kernel;   /* version, configuration, timers */
extern const struct st_collect_source st_collect_linux_cpu;      /* cpufreq, cpuidle */
extern const struct st_collect_source st_collect_linux_machine;  /* hypervisor, container, PM QoS */
extern const struct st_collect_source st_collect_linux_settings; /* one small file each */
extern const struct st_collect_source st_collect_linux_sound;    /* streams, USB and PCI devices */
extern const struct st_collect_source st_collect_linux_irq;
extern const struct st_collect_source st_collect_linux_process; /* who runs, at which priority */
extern const struct st_collect_source st_collect_linux_etc;     /* limits, groups, sysctl, modprobe, units */
extern const struct st_collect_source st_collect_linux_server; /* PipeWire, PulseAudio, JACK: configuration */
extern const struct st_collect_source st_collect_linux_memory; /* swap, mounts */
extern const struct st_collect_source st_collect_freebsd;      /* sysctls */
extern const struct st_collect_source st_collect_freebsd_files; /* of a live machine */
/** Rights and limits of this process, its user: only of a live machine. */
extern const struct st_collect_source st_collect_live;

/** FreeBSD: the files beside sysctl-a.txt in a capture. */
void st_collect_freebsd_capture(struct st_collector *c);

#endif
