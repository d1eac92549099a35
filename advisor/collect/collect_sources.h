/* The sources of facts. Each is one file and one row in collect.c. */
#ifndef ST_ADVISOR_COLLECT_COLLECT_SOURCES_H
#define ST_ADVISOR_COLLECT_COLLECT_SOURCES_H

#include "advisor/collect/collector.h"

struct st_collect_source {
    enum st_os os;                   /* st_collect_live is for every OS */
    const struct st_value_row *rows; /* small files, read before collect runs; NULL: none */
    size_t rows_n;
    void (*collect)(struct st_collector *c);
    /* What collect provides: key patterns ('*' for a name), NULL-terminated, and/or a function. */
    const char *const *patterns;
    bool (*provides)(const char *pattern);
};

extern const struct st_collect_source st_collect_linux_kernel;  /* version, configuration, timers, settings */
extern const struct st_collect_source st_collect_linux_machine; /* CPUs, hypervisor, PM QoS, swap, mounts */
extern const struct st_collect_source st_collect_linux_sound;   /* streams, USB and PCI devices, interrupts */
extern const struct st_collect_source st_collect_linux_process; /* who runs, priorities, limits, cgroup */
extern const struct st_collect_source st_collect_linux_etc;     /* limits, groups, sysctl, modprobe, units */
extern const struct st_collect_source st_collect_linux_server; /* PipeWire, PulseAudio, JACK: configuration */
extern const struct st_collect_source st_collect_freebsd;      /* sysctls and files of a live machine */
extern const struct st_collect_source st_collect_freebsd_capture; /* files beside sysctl-a.txt */
/** Rights and limits of this process, its user: only of a live machine. */
extern const struct st_collect_source st_collect_live;

#endif
