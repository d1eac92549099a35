/* A small machine in a temporary folder, and a plan for it: what the tests of changes share. */
#pragma once

#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "advisor/change/applied.h"

#define GOVERNOR0 "sys/devices/system/cpu/cpufreq/policy0/scaling_governor"
#define GOVERNOR1 "sys/devices/system/cpu/cpufreq/policy1/scaling_governor"
#define SYSCTL_D  "etc/sysctl.d/50-mine.conf"
#define SYSCTL_A  "etc/sysctl.d/99-zz-sleeptune-linux-swap.conf"
#define SYSCTL_C  "etc/sysctl.d/99-zz-sleeptune-linux-watchdogs.conf"
#define SYSFS_B   "etc/tmpfiles.d/00-sleeptune-linux-cpu-frequency.conf"
#define LIMITS_A  "etc/security/limits.d/99-sleeptune-linux-swap-ann.conf"

/* Ids and targets of real rules: a journal names only what its rule writes. */
#define TARGETS(...)                                                                               \
    .targets = (const char *const[])                                                               \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }
static const struct st_rule rule_a = {.id = "linux-swap", TARGETS("vm.swappiness")};
static const struct st_rule rule_b = {
    .id = "linux-cpu-frequency",
    TARGETS("/sys/devices/system/cpu/cpufreq/policy*/scaling_governor")};
static const struct st_rule rule_c = {.id = "linux-watchdogs", TARGETS("kernel.nmi_watchdog")};
static const struct st_rule freebsd_rule_a = {.id = "freebsd-snd-latency",
                                              TARGETS("hw.snd.latency")};
static const struct st_rule freebsd_rule_b = {.id = "freebsd-memlock"};

struct tree {
    char dir[64];
    struct st_platform *p;
};

static inline void tree_put(const struct tree *tree, const char *path, const char *text)
{
    char full[PATH_MAX];
    snprintf(full, sizeof(full), "%s/%s", tree->dir, path);
    for (char *slash = strchr(full + strlen(tree->dir) + 1, '/'); slash != NULL;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(full, 0755);
        *slash = '/';
    }
    FILE *file = fopen(full, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* Two CPU clocks, a sysctl, and a drop-in of the user's without a newline at its end. */
static inline void tree_make(struct tree *tree)
{
    /* in memory where there is such a folder: thousands of small renames take their time on a
     * disk */
    snprintf(tree->dir, sizeof(tree->dir), "%s/sleeptune-change.XXXXXX",
             access("/dev/shm", W_OK | X_OK) == 0 ? "/dev/shm" : "/tmp");
    assert_non_null(mkdtemp(tree->dir));
    tree_put(tree, GOVERNOR0, "powersave\n");
    tree_put(tree, GOVERNOR1, "schedutil\n");
    tree_put(tree, "proc/sys/vm/swappiness", "60\n");
    tree_put(tree, "proc/sys/kernel/nmi_watchdog", "1\n");
    tree_put(tree, SYSCTL_D, "# mine\nvm.dirty_ratio = 20");
    assert_int_equal(st_platform_root_new(tree->dir, &tree->p), 0);
}

static inline int tree_remove_one(const char *path, const struct stat *info, int type,
                                  struct FTW *ftw)
{
    (void)info;
    (void)type;
    (void)ftw;
    return remove(path);
}

static inline void tree_remove(struct tree *tree)
{
    st_platform_root_free(tree->p);
    assert_int_equal(nftw(tree->dir, tree_remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

static inline const char *tree_text(const struct tree *tree, const char *path, char *buf,
                                    size_t buf_bytes)
{
    char full[PATH_MAX];
    snprintf(full, sizeof(full), "%s/%s", tree->dir, path);
    FILE *file = fopen(full, "r");
    if (file == NULL)
        return NULL;
    buf[fread(buf, 1, buf_bytes - 1, file)] = '\0';
    fclose(file);
    return buf;
}

static FILE *tree_list_out;
static size_t tree_list_skip;

static inline int tree_list_one(const char *path, const struct stat *info, int type,
                                struct FTW *ftw)
{
    char text[4096];
    (void)ftw;
    if (strncmp(path + tree_list_skip, "/var", 4) == 0)
        return 0;
    fprintf(tree_list_out, "%s %o", path + tree_list_skip, (unsigned)info->st_mode);
    if (type == FTW_F) {
        FILE *file = fopen(path, "r");
        if (file == NULL)
            return -1;
        text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
        fclose(file);
        fprintf(tree_list_out, " [%s]", text);
    }
    fputc('\n', tree_list_out);
    return 0;
}

static inline int tree_by_line(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Everything but the journal's folder, sorted, for free(): path, mode, contents. */
static inline char *tree_list(const struct tree *tree)
{
    char *text, *sorted, *lines[256];
    size_t bytes, n = 0;
    tree_list_out = open_memstream(&text, &bytes);
    assert_non_null(tree_list_out);
    tree_list_skip = strlen(tree->dir);
    assert_int_equal(nftw(tree->dir, tree_list_one, 16, FTW_PHYS), 0);
    fclose(tree_list_out);
    /* records begin with "\n/": contents have no such line */
    for (char *at = text; at != NULL && *at != '\0' && n < 256; n++) {
        lines[n] = at;
        at = strstr(at, "\n/");
        if (at != NULL)
            *at++ = '\0';
    }
    qsort(lines, n, sizeof(*lines), tree_by_line);
    tree_list_out = open_memstream(&sorted, &bytes);
    assert_non_null(tree_list_out);
    for (size_t i = 0; i < n; i++)
        fprintf(tree_list_out, "%s\n", lines[i]);
    fclose(tree_list_out);
    free(text);
    return sorted;
}

/* The same with FreeBSD's files; its sysctls are not in files. */
static inline void tree_make_freebsd(struct tree *tree)
{
    tree_make(tree);
    tree_put(tree, "etc/sysctl.conf", "# mine\nkern.x=1"); /* no newline at its end */
    tree_put(tree, "etc/rc.conf", "hostname=\"studio\"");
    tree_put(tree, "boot/loader.conf", "zfs_load=\"YES\"\n");
    st_platform_root_set_freebsd(tree->p);
}

/* And with what else is written on Linux. */
static inline void tree_make_boot(struct tree *tree)
{
    tree_make(tree);
    tree_put(tree, "etc/default/grub.d/50-mine.cfg", "GRUB_TIMEOUT=1\n");
}

static inline void tree_add(struct st_journal *plan, struct st_platform *p,
                            struct st_finding *finding)
{
    const char *why = st_plan_add(plan, p, finding, false);
    if (why != NULL)
        fail_msg("%s", why);
    st_finding_finish(finding);
}

/* Each kind of FreeBSD's. */
static inline void tree_plan_freebsd(struct st_platform *p, struct st_journal *plan)
{
    struct st_finding a = {.rule = &freebsd_rule_a}, b = {.rule = &freebsd_rule_b};
    st_finding_change(&a, ST_CHANGE_SYSCTL, "hw.snd.latency", "0");
    st_finding_change(&a, ST_CHANGE_LOADER, "kern.hz", "1000");
    st_finding_change(&b, ST_CHANGE_RC_CONF, "powerd:powerd_flags", "-a maximum");
    st_finding_change(&b, ST_CHANGE_SYSCTL, "vm.max_user_wired", "4194304");
    *plan = (struct st_journal){0};
    tree_add(plan, p, &a);
    tree_add(plan, p, &b);
}

/* The kinds of Linux that tree_plan has not. */
static inline void tree_plan_boot(struct st_platform *p, struct st_journal *plan)
{
    struct st_finding a = {.rule = &rule_a}, b = {.rule = &rule_b};
    st_finding_change(&a, ST_CHANGE_BOOT, "boot", "preempt=full");
    st_finding_change(&a, ST_CHANGE_UDEV, "rule", "KERNEL==\"rtc0\", GROUP=\"audio\"");
    st_finding_change(&b, ST_CHANGE_BOOT, "boot", "threadirqs");
    st_finding_change(&b, ST_CHANGE_MODPROBE, "snd_hda_intel", "power_save=0");
    *plan = (struct st_journal){0};
    tree_add(plan, p, &a);
    tree_add(plan, p, &b);
}

/* Three rules: a sysctl and limits; the governors and a unit; another sysctl. */
static inline void tree_plan(struct st_platform *p, struct st_journal *plan)
{
    struct st_finding a = {.rule = &rule_a}, b = {.rule = &rule_b}, c = {.rule = &rule_c};
    st_finding_change(&a, ST_CHANGE_SYSCTL, "vm.swappiness", "10");
    st_finding_change(&a, ST_CHANGE_LIMITS, "ann - rtprio", "90");
    st_finding_change(&b, ST_CHANGE_SYSFS,
                      "/sys/devices/system/cpu/cpufreq/policy*/scaling_governor", "performance");
    st_finding_change(&b, ST_CHANGE_SYSTEMD, "user@.service", "LimitRTPRIO=90");
    st_finding_change(&c, ST_CHANGE_SYSCTL, "kernel.nmi_watchdog", "0");
    *plan = (struct st_journal){0};
    tree_add(plan, p, &a);
    tree_add(plan, p, &b);
    tree_add(plan, p, &c);
}
