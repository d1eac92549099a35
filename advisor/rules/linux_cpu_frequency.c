/* Linux: the clock frequency of the CPU. */
#include "advisor/rules/machine.h"
#include "core/ns.h"
#include "platform/proc.h"

/* --- linux-cpu-frequency: governor and energy preference; their meaning depends on the driver
 * --- */

#define EPP_FILES     "/sys/devices/system/cpu/cpufreq/policy*/energy_performance_preference"
#define MAX_PERF_FILE "/sys/devices/system/cpu/intel_pstate/max_perf_pct"
#define NO_TURBO_FILE "/sys/devices/system/cpu/intel_pstate/no_turbo"
#define BOOST_FILE    "/sys/devices/system/cpu/cpufreq/boost"

#define PPD_NOW "powerprofilesctl set performance"

/** A limit above this share of the highest clock does not count as a limit. The share is a choice
 * of this rule. */
#define CAPPED_SHARE 0.95

/** How a policy (a group of CPUs that share a clock) behaves, from best to worst. */
enum kind {
    KIND_FAST,      /* stays at the highest clock of the hardware */
    KIND_UNREAD,    /* sleeptune does not know how it behaves */
    KIND_CAPPED,    /* would be fast, but a setting limits it to less than the highest clock of the
                       hardware */
    KIND_USERSPACE, /* a program sets the clock */
    KIND_SCALING,   /* software changes the clock with the load */
    KIND_EPP,    /* the hardware chooses the clock, and the energy preference (epp) asks it to save
                    energy */
    KIND_LOWEST, /* stays at the lowest clock */
};

static bool is_for_speed(const char *epp)
{
    return st_text_is(epp, "performance") || st_text_is(epp, "0");
}

/** Is the firmware's limit below the hardware's highest clock? That clock is the first in the list
 * of available ones; cpuinfo_max_freq may be a boost clock, which is above every such limit. */
static bool firmware_limits(const struct st_fact *policy, int64_t *ret_limit_khz,
                            int64_t *ret_highest_khz)
{
    *ret_highest_khz = strtoll(st_fact_beside_text_or(policy, "available_khz", ""), NULL, 10);
    *ret_limit_khz = st_fact_beside_int_or(policy, "firmware_max_khz", 0);
    return *ret_limit_khz > 0 && *ret_limit_khz < *ret_highest_khz;
}

/** Does a setting limit the policy well below the highest clock of the hardware? The firmware's
 * limit does not count. */
static bool is_capped(const struct st_fact *policy)
{
    const int64_t max_khz = st_fact_beside_int_or(policy, "max_khz", 0),
                  hardware_khz = st_fact_beside_int_or(policy, "hardware_max_khz", 0);
    int64_t firmware_khz, highest_khz;
    return max_khz > 0 && (double)max_khz < CAPPED_SHARE * (double)hardware_khz &&
           (!firmware_limits(policy, &firmware_khz, &highest_khz) || max_khz < firmware_khz);
}

/** Kind of a policy, except KIND_CAPPED (see is_capped). Under intel_pstate and amd-pstate-epp, the
 * governor "powersave" does not mean the lowest clock: the hardware or the driver scales. @param
 * policy the fact of the policy's governor. */
static enum kind kind_of(const struct st_fact *policy)
{
    static const char *const scaling[] = {"schedutil", "ondemand", "conservative", "interactive",
                                          NULL};
    const char *driver, *epp, *governor = policy->text;
    if (policy->state != ST_FACT_OK)
        return KIND_UNREAD;
    const int64_t max_khz = st_fact_beside_int_or(policy, "max_khz", 0);
    const bool one_clock = max_khz > 0 && st_fact_beside_int_or(policy, "min_khz", 0) >= max_khz;
    if (one_clock || st_text_is(governor, "performance"))
        return KIND_FAST;
    if (st_text_is(governor, "userspace"))
        return KIND_USERSPACE;
    if (st_text_is_among(governor, scaling))
        return KIND_SCALING;
    if (!st_text_is(governor, "powersave") || st_fact_beside_text(policy, "driver", &driver) != 0)
        return KIND_UNREAD;
    if (!st_text_is(driver, "intel_pstate") && !st_text_is(driver, "amd-pstate-epp"))
        return KIND_LOWEST;
    const int r = st_fact_beside_text(policy, "epp", &epp);
    if (r == -ENOENT)
        return KIND_SCALING;
    if (r != 0)
        return KIND_UNREAD;
    return is_for_speed(epp) ? KIND_FAST : KIND_EPP;
}

static double ghz_of(const struct st_fact *policy, const char *what)
{
    return (double)st_fact_beside_int_or(policy, what, 0) / 1e6;
}

/** The file that says that turbo is off for all CPUs; NULL: turbo is on. */
static const char *turbo_switch(const struct st_facts *facts)
{
    return st_facts_int_or(facts, ST_KEY_CPUFREQ_NO_TURBO, 0) == 1 ? NO_TURBO_FILE
           : st_facts_int_or(facts, ST_KEY_CPUFREQ_BOOST, 1) == 0  ? BOOST_FILE
                                                                   : NULL;
}

/** The file whose switch keeps this policy below its turbo clocks; NULL: turbo is on, or the
 * policy's own limit is already below its base clock. */
static const char *limiting_switch(const struct st_fact *policy)
{
    const int64_t base_khz = st_fact_beside_int_or(policy, "base_khz", 0),
                  max_khz = st_fact_beside_int_or(policy, "max_khz", base_khz);
    return (double)max_khz < CAPPED_SHARE * (double)base_khz ? NULL : turbo_switch(policy->facts);
}

/** Sets fix and change for a file with one value for all CPUs: a command for now, a line of
 * tmpfiles.d for each start, and what `apply` writes. */
static void fix_file(struct st_finding *finding, const char *path, const char *value)
{
    st_finding_fix_now(finding, "echo %s | sudo tee %s", value, path);
    st_finding_fix_persistent(finding, ST_NEEDS_NOTHING,
                              "# /etc/tmpfiles.d/sleeptune.conf\nw %s - - - - %s", path, value);
    st_finding_change(finding, ST_CHANGE_SYSFS, path, value);
}

/** Judges the firmware's power profile. @return true: the finding is set. */
static bool judge_profile(struct st_finding *finding)
{
    static const char *const slow[] = {"low-power", "quiet", "cool", NULL};
    const char *profile = st_facts_text_or(finding->facts, ST_KEY_PLATFORM_PROFILE_NOW, "");
    if (!st_text_is_among(profile, slow))
        return false;
    st_finding_advice(
        finding,
        "the power profile of the firmware is %.20s, which limits the CPU's power and so its clock",
        profile);
    const bool performs = st_proc_has_word(
        st_facts_text_or(finding->facts, ST_KEY_PLATFORM_PROFILE_CHOICES, "performance"),
        "performance");
    if (st_facts_has_int(finding->facts, ST_KEY_DAEMON_POWER_PROFILES_DAEMON))
        st_finding_fix_now(finding, PPD_NOW);
    else
        st_finding_fix_now(finding, "echo %s | sudo tee /sys/firmware/acpi/platform_profile",
                           performs ? "performance" : "balanced");
    return true;
}

/** Gives advice about policies that do not run at the highest clock. @param worst the governor of a
 * policy of this kind, the worst one seen. @param slow_n how many of the policies_n policies are
 * slow. */
static void judge_slow(struct st_finding *finding, const struct st_fact *worst, enum kind kind,
                       int slow_n, int policies_n)
{
    static const char *const says[] = {
        [KIND_CAPPED] = "cannot reach their highest frequency",
        [KIND_USERSPACE] = "are set by a program, maybe to a low frequency",
        [KIND_SCALING] = "follow the load, so an audio callback may run slowly after an idle time",
        [KIND_EPP] = "are set to save energy, so an audio callback may run slowly",
        [KIND_LOWEST] = "are kept low, so audio callbacks take longer than they need to"};
    const char *about =
                   st_text("%s, %s", st_fact_beside_text_or(worst, "driver", "?"), worst->text),
               *turbo = limiting_switch(worst);
    st_finding_quote(finding, worst);
    if (kind == KIND_CAPPED)
        about = st_text("the slowest CPU goes up to %.2f instead of %.2f GHz: %s",
                        ghz_of(worst, "max_khz"), ghz_of(worst, "hardware_max_khz"),
                        turbo != NULL ? "turbo is switched off" : "scaling_max_freq");
    else if (kind == KIND_EPP)
        about = st_text("%s, preference %s", about, st_fact_beside_text_or(worst, "epp", "?"));
    st_finding_advice(finding, "%d of %d CPU clocks %s (%s)", slow_n, policies_n, says[kind],
                      about);
    if (kind == KIND_CAPPED && turbo != NULL) {
        fix_file(finding, turbo, st_text_is(turbo, BOOST_FILE) ? "1" : "0");
    } else if (kind == KIND_CAPPED) {
        st_finding_fix(finding,
                       "for p in /sys/devices/system/cpu/cpufreq/policy*; do\n"
                       "    sudo tee $p/scaling_max_freq <$p/cpuinfo_max_freq\n"
                       "done",
                       "# find what sets the limit: TLP (CPU_SCALING_MAX_FREQ_ON_AC), tuned, "
                       "cpupower, thermald",
                       ST_NEEDS_NOTHING);
    } else if (kind == KIND_EPP) {
        fix_file(finding, EPP_FILES, "performance");
    } else if (strstr(st_fact_beside_text_or(worst, "available_governors", "performance"),
                      "performance") == NULL) {
        st_finding_fix_now(
            finding, "sudo modprobe cpufreq_performance\n# then see scaling_available_governors");
    } else {
        st_rule_fix(finding);
    }
}

static void judge_cpu_frequency(struct st_finding *finding)
{
    const struct st_fact *worst = NULL; /* the governor of the first policy with worst_kind */
    enum kind worst_kind = KIND_FAST;
    int policies_n = 0, counts[KIND_LOWEST + 1] = {0};
    int64_t present;
    ST_FACTS_EACH (policy, finding->facts, ST_KEYS_CPUFREQ, ".governor") {
        enum kind kind = kind_of(policy);
        if (kind == KIND_FAST && is_capped(policy))
            kind = KIND_CAPPED;
        counts[kind]++;
        if (policies_n++ == 0 || kind > worst_kind) {
            worst_kind = kind;
            worst = policy;
        }
    }
    if (worst == NULL) {
        const int r = st_finding_need_int(finding, ST_KEY_CPUFREQ_PRESENT, &present);
        if (r == 0 && present != 0)
            st_finding_unknown(finding, "this machine changes its CPU clocks, but sleeptune could "
                                        "not read by which rule (governor)");
        else if (r == 0 || finding->status == ST_STATUS_NOT_APPLICABLE)
            st_finding_not_applicable(finding, "nothing here shows or sets the frequency of the "
                                               "CPUs (in a virtual machine the host decides)");
        return;
    }
    /* intel_pstate/max_perf_pct limits all CPUs, and scaling_max_freq does not show that */
    const int64_t pct = st_facts_int_or(finding->facts, ST_KEY_CPUFREQ_MAX_PERF_PCT, 0);
    if (pct > 0 && (double)pct < CAPPED_SHARE * 100) {
        st_finding_advice(
            finding, "intel_pstate/max_perf_pct limits all CPU clocks to %jd %% of the highest",
            pct);
        fix_file(finding, MAX_PERF_FILE, "100");
    } else if (worst_kind > KIND_UNREAD) {
        judge_slow(finding, worst, worst_kind, policies_n - counts[KIND_FAST] - counts[KIND_UNREAD],
                   policies_n);
    } else if (judge_profile(finding)) {
        return;
    } else if (worst_kind == KIND_UNREAD) {
        st_finding_quote(finding, worst);
        st_finding_unknown(finding,
                           "sleeptune does not know the governor, which sets the frequency, of %d "
                           "of %d CPUs (%.40s)",
                           counts[KIND_UNREAD], policies_n,
                           st_fact_beside_text_or(worst, "governor", "?"));
    } else {
        st_finding_quote(finding, worst);
        /* turbo shortens work, but can make its duration uneven: the sentence mentions that turbo
         * is off, and gives no advice */
        st_finding_fine(finding, "%d of %d CPU clocks are set for speed (%s, %s)%s", policies_n,
                        policies_n, st_fact_beside_text_or(worst, "driver", "?"), worst->text,
                        turbo_switch(finding->facts) != NULL
                            ? "; turbo is off, so they do not go above their nominal frequency"
                            : "");
    }
}

const struct st_rule st_rule_linux_cpu_frequency = {
    .id = "linux-cpu-frequency",
    .title = "CPU frequency (governor)",
    .mechanism = "An audio callback is a short piece of work after an idle time. If the CPU clock "
                 "follows the load, this work starts at a low clock and takes longer, although the "
                 "average load is small.",
    .cost = "power, heat, fan noise",
    .when_not =
        "on battery; on laptops that get hot; if you switched turbo off on purpose; if a daemon "
        "(power-profiles-daemon, tuned, TLP) sets the governor: choose its performance profile",
    .sources =
        "Linux documentation: admin-guide/pm/cpufreq.rst, intel_pstate.rst, amd-pstate.rst; "
        "ABI/testing/sysfs-platform_profile\n"
        "with the drivers intel_pstate and amd-pstate-epp the governor 'powersave' does not mean "
        "the lowest clock: the energy preference decides\n"
        "intel_pstate.rst: no_turbo and max_perf_pct hold for all CPUs, and the lowest limit "
        "counts\n"
        "a limit that sleeptune chose: a CPU counts as limited below 95 % of its highest clock",
    .now = "echo performance | sudo tee /sys/devices/system/cpu/cpufreq/policy*/scaling_governor",
    .persistent = "# /etc/tmpfiles.d/sleeptune.conf\n"
                  "w /sys/devices/system/cpu/cpufreq/policy*/scaling_governor - - - - performance",
    .check = "cat /sys/devices/system/cpu/cpufreq/policy*/scaling_governor   # performance",
    .undo = "delete the line in /etc/tmpfiles.d/sleeptune.conf and restart: the kernel then uses "
            "its default governor",
    .facts = ST_RULE_KEYS(
        ST_KEY_CPUFREQ_PRESENT, ST_KEYS_CPUFREQ "policy*", ST_KEYS_CPUFREQ "*.governor",
        ST_KEYS_CPUFREQ "*.driver", ST_KEYS_CPUFREQ "*.epp", ST_KEYS_CPUFREQ "*.max_khz",
        ST_KEYS_CPUFREQ "*.min_khz", ST_KEYS_CPUFREQ "*.hardware_max_khz",
        ST_KEYS_CPUFREQ "*.base_khz", ST_KEY_CPUFREQ_BOOST, ST_KEY_CPUFREQ_NO_TURBO,
        ST_KEY_CPUFREQ_MAX_PERF_PCT, ST_KEY_PLATFORM_PROFILE_NOW, ST_KEY_PLATFORM_PROFILE_CHOICES,
        ST_KEY_DAEMON_POWER_PROFILES_DAEMON, ST_KEY_VIRTUAL),
    .targets = ST_RULE_KEYS(EPP_FILES, MAX_PERF_FILE, NO_TURBO_FILE, BOOST_FILE),
    .changes = ST_RULE_CHANGES({ST_CHANGE_SYSFS,
                                "/sys/devices/system/cpu/cpufreq/policy*/scaling_governor",
                                "performance"}),
    .judge = judge_cpu_frequency,
};

/* --- linux-power-daemons: daemons that overwrite settings of the CPU clock --- */

#define TUNED_NOW "sudo tuned-adm profile throughput-performance"

#define TLP_EVER                                                                                   \
    "# /etc/tlp.d/90-sleeptune.conf\nCPU_SCALING_GOVERNOR_ON_AC=performance\n"                     \
    "CPU_ENERGY_PERF_POLICY_ON_AC=performance\n# then\nsudo tlp start"

static const struct manager {
    const char *key, *name, *now, *persistent;
    bool needs_epp; /* sets only CPUs that have an energy preference */
} managers[] = {
    {ST_KEY_DAEMON_POWER_PROFILES_DAEMON, "power-profiles-daemon", PPD_NOW, .needs_epp = true},
    {"linux.daemon.tuned", "tuned", TUNED_NOW},
    {ST_KEY_TLP_ENABLED, "TLP", NULL, TLP_EVER},
    {"linux.daemon.auto-cpufreq", "auto-cpufreq", "sudo auto-cpufreq --force=performance",
     "# /etc/auto-cpufreq.conf\n[charger]\ngovernor = performance"},
    {"linux.daemon.system76-power", "system76-power", "system76-power profile performance"},
};

static void judge_power_daemons(struct st_finding *finding)
{
    const struct manager *first = NULL, *other = NULL;
    if (st_finding_need_int(finding, ST_KEY_CPUFREQ_PRESENT, NULL) != 0 ||
        st_finding_need_int(finding, ST_KEY_PROCESSES_N, NULL) != 0)
        return;
    ST_EACH (manager, managers) {
        if (!st_facts_has_int(finding->facts, manager->key) ||
            (manager->needs_epp && !st_facts_any(finding->facts, ST_KEYS_CPUFREQ, ".epp", NULL)))
            continue;
        st_finding_quote_key(finding, manager->key);
        other = first;
        first = manager;
    }
    /* the first governor that does not ask for the highest speed */
    const struct st_fact *slow = NULL;
    size_t unread_n = 0;
    ST_FACTS_EACH (fact, finding->facts, ST_KEYS_CPUFREQ, ".governor") {
        unread_n += st_fact_is_unread(fact);
        if (slow == NULL && fact->state == ST_FACT_OK && !st_text_is(fact->text, "performance") &&
            !is_for_speed(st_fact_beside_text_or(fact, "epp", "")))
            slow = fact;
    }
    st_finding_quote(finding, slow);
    if (first == NULL) {
        st_finding_fine(finding, "no running daemon (power-profiles-daemon, tuned, TLP ...) "
                                 "changes the CPU's frequency");
    } else if (other != NULL) {
        st_finding_advice(
            finding,
            "%s and %s both set the CPU's governor: each overwrites what the other has set",
            other->name, first->name);
        st_finding_fix_persistent(
            finding, ST_NEEDS_NOTHING,
            "# keep one daemon and mask the others, because some start on demand:\nsudo systemctl "
            "mask --now power-profiles-daemon.service   # or tuned, tlp, auto-cpufreq");
    } else if (slow != NULL) {
        st_finding_advice(finding,
                          "%s runs and would overwrite a governor that you set: choose its "
                          "performance profile instead",
                          first->name);
        st_finding_fix(finding, first->now, first->persistent, ST_NEEDS_NOTHING);
    } else if (unread_n > 0) {
        st_finding_unknown(finding, "%s runs, but sleeptune could not read its settings",
                           first->name);
    } else {
        st_finding_fine(finding, "%s runs and has set all CPUs to performance", first->name);
    }
}

const struct st_rule st_rule_linux_power_daemons = {
    .id = "linux-power-daemons",
    .title = "Daemons that set power profiles",
    .mechanism = "power-profiles-daemon, tuned, TLP and auto-cpufreq write governor and energy "
                 "preference when the profile or the power supply changes. A value that you set by "
                 "hand lasts until one of these daemons acts again.",
    .privilege = "root (powerprofilesctl: the user logged in at the screen)",
    .cost = "power, heat, fan noise while the fast profile is on; tuned also sets vm.swappiness=10",
    .when_not = "on battery, unless you play music on battery",
    .sources = "users' reports: tuned issues 394, 396, 670 (power-profiles-daemon stops tuned or "
               "rewrites the governor)\n"
               "manuals: powerprofilesctl(1), tuned-adm(8), tlp.conf(5); auto-cpufreq's README, "
               "which was not tried\n"
               "power-profiles-daemon's source code: src/ppd-driver-*.c; without an energy "
               "preference (intel_pstate, amd-pstate-epp) it does not set CPUs\n"
               "tuned's source code: tuned/ppd/ppd.conf; on systems with tuned-ppd (Fedora 41 and "
               "later) a restart undoes a profile that is not in that file\n"
               "whether a profile survives a restart depends on the daemon",
    .now = PPD_NOW "\n# or\n" TUNED_NOW,
    .persistent = TLP_EVER,
    .check = "cat /sys/devices/system/cpu/cpufreq/policy*/scaling_governor   # performance\n"
             "powerprofilesctl get; tuned-adm active; tlp-stat -p",
    .undo = "powerprofilesctl set balanced; or sudo tuned-adm profile balanced; or delete the file "
            "of TLP and run sudo tlp start",
    .facts = ST_RULE_KEYS(ST_KEY_PROCESSES_N, ST_KEY_CPUFREQ_PRESENT, ST_KEYS_DAEMON "*",
                          ST_KEY_TLP_ENABLED, ST_KEYS_CPUFREQ "policy*.governor",
                          ST_KEYS_CPUFREQ "policy*.epp"),
    .judge = judge_power_daemons,
};

/* --- linux-heat: for how long the CPU slowed itself down, and clock limits set by the firmware
 * --- */

/** The rule gives advice if heat slowed the CPU down for at least this time, in ms for each hour
 * since boot. A shorter time is normal if the computer also builds software or runs games. The
 * limit is a choice of this rule. */
#define HEAT_MS_AN_HOUR 1000

static void judge_slowed(struct st_finding *finding, int64_t ms)
{
    const double uptime_s = strtod(st_facts_text_or(finding->facts, ST_KEY_UPTIME, "0"), NULL),
                 suspended_s =
                     (double)st_facts_int_or(finding->facts, ST_KEY_SUSPENDED_MS, 0) / 1e3,
                 seconds = (double)ms / 1e3;
    /* time since boot without suspends, as far as suspends are known; 0: not known */
    const double hours = fmax(uptime_s - suspended_s, 0) / 3600;
    const char *since = hours > 0 ? st_text("in %s", st_ns_long(llround(hours * 3600e9)))
                                  : "since the computer was started";
    if (ms >= HEAT_MS_AN_HOUR && hours == 0) {
        st_finding_unknown(
            finding,
            "heat slowed the CPU down for %.0f s since the computer was started; whether this is "
            "much is unknown, because nothing shows how long ago that was",
            seconds);
    } else if ((double)ms >= HEAT_MS_AN_HOUR * fmax(hours, 1)) {
        st_rule_advise(finding, "the CPU was slowed down for %.0f s %s, probably because of heat",
                       seconds, since);
    } else {
        st_finding_fine(finding, "heat slowed the CPU down for %.3f s %s", seconds, since);
    }
}

static void judge_heat(struct st_finding *finding)
{
    const struct st_fact *worst = NULL;
    int64_t limit_khz, highest_khz;
    ST_FACTS_EACH (policy, finding->facts, ST_KEYS_CPUFREQ, ".firmware_max_khz") {
        if (!firmware_limits(policy, &limit_khz, &highest_khz))
            continue;
        st_finding_quote(finding, policy);
        st_rule_advise(finding,
                       "the firmware (BIOS) limits the CPU clock to %.2f instead of %.2f GHz, so "
                       "audio callbacks take longer",
                       (double)limit_khz / 1e6, (double)highest_khz / 1e6);
        return;
    }
    ST_FACTS_EACH (time, finding->facts, ST_KEYS_HEAT, "_ms") {
        if (time->is_int)
            worst = st_fact_larger(worst, time);
        else
            (void)!st_finding_need_int(finding, time->key, NULL);
    }
    if (worst == NULL && finding->summary == NULL)
        st_finding_not_applicable(finding,
                                  "this machine does not show whether heat slows the CPU down");
    if (worst == NULL)
        return;
    st_finding_quote(finding, worst);
    if (finding->summary == NULL || worst->i64 >= HEAT_MS_AN_HOUR)
        judge_slowed(finding, worst->i64);
}

const struct st_rule st_rule_linux_heat = {
    .id = "linux-heat",
    .title = "Heat and limits of the firmware",
    .mechanism = "A CPU that gets too hot slows itself down, and firmware that does not trust the "
                 "charger limits its clock. The same work then takes longer than the period.",
    .privilege = "none",
    .when_not = "the time that heat slowed the CPU down does not grow while you play",
    .sources = "Linux documentation: ABI/testing/sysfs-devices-system-cpu, thermal_throttle (only "
               "Intel CPUs count this)\n"
               "another part of the computer may ask the CPU to slow down, too (PROCHOT); the "
               "counters begin when the computer starts (/proc/uptime)\n"
               "Linux commit e2f74f355e9e: bios_limit (driver acpi-cpufreq only)\n"
               "a limit that sleeptune chose: advice from 1 s in an hour on",
    .persistent = "# clean fan and vents, raise a laptop from the table, renew the thermal paste;\n"
                  "# against a limit of the firmware: the computer's own charger, newer firmware",
    .check =
        "grep . /sys/devices/system/cpu/cpu*/thermal_throttle/*_total_time_ms   # does not grow",
    .undo = "nothing to undo: no setting was changed",
    .facts =
        ST_RULE_KEYS(ST_KEYS_HEAT "*", ST_KEYS_HEAT "*.core_n", ST_KEYS_HEAT "*.package_n",
                     ST_KEY_UPTIME, ST_KEY_SUSPENDED_MS, ST_KEYS_CPUFREQ "policy*.firmware_max_khz",
                     ST_KEYS_CPUFREQ "policy*.available_khz"),
    .judge = judge_heat,
};
