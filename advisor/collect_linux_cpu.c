/* Linux: frequency policies and idle states. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/collector.h"

#define NAMES_MAX 4096

/* A folder of folders: the leaves of each, one fact a leaf. */
struct set {
    const char *folder;
    const char *name_prefix; /* of the folders that count */
    const char *key_prefix;
    struct {
        const char *file;
        const char *key;
        enum st_value_kind kind;
    } leaves[6];
};

static const struct set policies = {
    .folder = "/sys/devices/system/cpu/cpufreq",
    .name_prefix = "policy",
    .key_prefix = "linux.cpufreq.",
    .leaves =
        {
            {"scaling_governor", "governor", ST_VALUE_TEXT},
            {"scaling_driver", "driver", ST_VALUE_TEXT},
            {"energy_performance_preference", "epp", ST_VALUE_TEXT},
            {"scaling_available_governors", "available_governors", ST_VALUE_TEXT},
            {"scaling_max_freq", "max_khz", ST_VALUE_INT},
            {"cpuinfo_max_freq", "hardware_max_khz", ST_VALUE_INT},
        },
};

static const struct set idle_states = {
    .folder = "/sys/devices/system/cpu/cpu0/cpuidle",
    .name_prefix = "state",
    .key_prefix = "linux.cpuidle.cpu0.",
    .leaves =
        {
            {"name", "name", ST_VALUE_TEXT},
            {"latency", "latency_us", ST_VALUE_INT},
            {"residency", "residency_us", ST_VALUE_INT},
            {"disable", "disable", ST_VALUE_INT},
        },
};

const char *const st_linux_cpu_patterns[] = {
    "linux.cpufreq.present",
    "linux.cpufreq.policy*.governor",
    "linux.cpufreq.policy*.driver",
    "linux.cpufreq.policy*.epp",
    "linux.cpufreq.policy*.available_governors",
    "linux.cpufreq.policy*.max_khz",
    "linux.cpufreq.policy*.hardware_max_khz",
    "linux.cpuidle.driver",
    "linux.cpuidle.governor",
    "linux.cpuidle.cpu0.state*.name",
    "linux.cpuidle.cpu0.state*.latency_us",
    "linux.cpuidle.cpu0.state*.residency_us",
    "linux.cpuidle.cpu0.state*.disable",
    NULL,
};

struct walk {
    struct st_collector *c;
    const struct set *set;
    size_t n;
};

static int one_folder(void *ctx, const char *name)
{
    struct walk *walk = ctx;
    const struct set *set = walk->set;
    if (strncmp(name, set->name_prefix, strlen(set->name_prefix)) != 0 || strlen(name) > 32)
        return 0;
    for (size_t i = 0; i < ST_ARRAY_LEN(set->leaves) && set->leaves[i].file != NULL; i++) {
        char key[128], path[256];
        snprintf(key, sizeof(key), "%s%s.%s", set->key_prefix, name, set->leaves[i].key);
        snprintf(path, sizeof(path), "%s/%s/%s", set->folder, name, set->leaves[i].file);
        st_collector_file(walk->c, key, path, set->leaves[i].kind);
    }
    return ++walk->n == NAMES_MAX;
}

/** @return how many folders, or what listing said. */
static int collect_set(struct st_collector *c, const struct set *set, size_t *ret_n)
{
    struct walk walk = {.c = c, .set = set};
    const int r = c->p->list(c->p, set->folder, one_folder, &walk);
    *ret_n = walk.n;
    return r;
}

void st_collect_linux_cpu(struct st_collector *c)
{
    size_t n;
    const int r = collect_set(c, &policies, &n);
    if (n > 0)
        st_collector_put_int(c, "linux.cpufreq.present", 1, NULL, policies.folder);
    else
        st_collector_put_failure(c, "linux.cpufreq.present", r != 0 ? r : -ENOENT, policies.folder);
    st_collector_file(c, "linux.cpuidle.driver", "/sys/devices/system/cpu/cpuidle/current_driver",
                      ST_VALUE_TEXT);
    st_collector_file(c, "linux.cpuidle.governor", "/sys/devices/system/cpu/cpuidle/current_governor_ro",
                      ST_VALUE_TEXT);
    const int states = collect_set(c, &idle_states, &n);
    if (n == 0 && states != 0 && states != -ENOENT)
        st_collector_put_failure(c, "linux.cpuidle.cpu0.state0.latency_us", states, idle_states.folder);
}
