/* CPU clock: powerd, or a fixed frequency. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "advisor/rules/machine.h"
#include "advisor/rules/rule.h"

#define FREQ     "freebsd.dev.cpu.0.freq"
#define LEVELS   "freebsd.dev.cpu.0.freq_levels"
#define RUNNING  "freebsd.powerd.running"
#define ARGS     "freebsd.process.powerd.args"
#define ARGS_XX  "freebsd.process.powerdxx.args"
#define FLAGS    "freebsd.rc.powerd_flags"
#define FLAGS_XX "freebsd.rc.powerdxx_flags"
#define EPP      "freebsd.dev.hwpstate_"

#define MHZ_MAX   100000
#define TURBO_MHZ 1 /* est(4) shows turbo as one MHz more */

static void see_epp(void *ctx, const struct st_fact *fact)
{
    bool *found = ctx;
    *found = *found || fact->state == ST_FACT_OK;
}

/** The mode on mains power from the arguments of powerd (-a) or powerd++ (-a, --ac); hiadaptive without. */
static void mode_of(const char *args, char *ret, size_t bytes)
{
    static const char *const options[] = {"--ac", "-a"};
    snprintf(ret, bytes, "hiadaptive");
    for (const char *word = args + strspn(args, " "); *word != '\0';) {
        const size_t len = strcspn(word, " ");
        const char *next = word + len + strspn(word + len, " ");
        for (size_t i = 0; i < ST_ARRAY_LEN(options); i++) {
            const size_t name = strlen(options[i]);
            if (strncmp(word, options[i], name) != 0)
                continue;
            const char *value = len > name ? word + name : next;
            if (*value != '\0')
                snprintf(ret, bytes, "%.*s", (int)strcspn(value, " "), value);
            break;
        }
        word = next;
    }
}

static void judge_powerd(const struct st_facts *facts, struct st_finding *finding)
{
    static const char *const keys[] = {ARGS, ARGS_XX, FLAGS, FLAGS_XX};
    char mode[24];
    const char *args = "", *flags;
    for (size_t i = 0; i < ST_ARRAY_LEN(keys); i++) {
        if (st_facts_text(facts, keys[i], &args) == 0) {
            st_finding_quote(finding, facts, keys[i]);
            break;
        }
    }
    mode_of(args, mode, sizeof(mode));
    if (strncmp(mode, "max", 3) == 0) {
        st_finding_set(finding, ST_STATUS_OK, "powerd keeps the clock at its maximum on mains power");
        st_finding_effect(finding, 0, "the clock need not be raised first");
        return;
    }
    if (strspn(mode, "abcdefghijklmnopqrstuvwxyz") != strlen(mode))
        snprintf(mode, sizeof(mode), "another mode");
    st_finding_set(finding, ST_STATUS_ADVICE,
                   "powerd (%s) raises the clock only after it saw load, at one of its looks every 250 ms",
                   mode);
    st_finding_fix_usual(finding);
    /* flags of somebody's own are theirs to change, and powerd++ has other ones */
    const bool own = st_facts_text(facts, FLAGS, &flags) == 0 && flags[0] != '\0';
    if (!own && st_facts_text(facts, FLAGS_XX, &flags) != 0 && st_facts_text(facts, ARGS_XX, &flags) != 0)
        st_finding_change(finding, ST_CHANGE_RC_CONF, "powerd_flags", "-a maximum -b adaptive");
}

static void judge_fixed(const struct st_facts *facts, int64_t mhz, struct st_finding *finding)
{
    const char *levels;
    char now[64], persistent[96], value[16];
    int top = 0;
    if (st_finding_need_text(finding, facts, LEVELS, &levels) != 0) {
        st_finding_set(finding, ST_STATUS_UNKNOWN,
                       "the CPU runs at %" PRId64 " MHz; its highest clock is not known", mhz);
        return;
    }
    if (sscanf(levels, "%6d", &top) != 1 || top < 1) { /* "2400/35000 2200/31000 ...", highest first */
        st_finding_set(finding, ST_STATUS_UNKNOWN, "freq_levels says \"%.40s\", which is not understood",
                       levels);
    } else if (mhz + TURBO_MHZ >= top) {
        st_finding_set(finding, ST_STATUS_OK,
                       "the CPU runs at its highest clock, %" PRId64 " MHz, and no powerd "
                       "lowers it",
                       mhz);
        st_finding_effect(finding, 0, "the clock need not be raised first");
    } else {
        st_finding_set(finding, ST_STATUS_ADVICE,
                       "the CPU runs at %" PRId64 " of %d MHz, and no powerd raises it", mhz, top);
        snprintf(now, sizeof(now), "sysctl dev.cpu.0.freq=%d", top);
        snprintf(persistent, sizeof(persistent), "# /etc/sysctl.conf\ndev.cpu.0.freq=%d", top);
        st_finding_fix(finding, now, persistent, ST_NEEDS_NOTHING);
        snprintf(value, sizeof(value), "%d", top);
        st_finding_change(finding, ST_CHANGE_SYSCTL, "dev.cpu.0.freq", value);
    }
}

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    int64_t mhz, running;
    bool hardware = false;
    (void)wish;
    if (st_finding_need_int(finding, facts, FREQ, &mhz) != 0)
        return;
    if (mhz < 1 || mhz > MHZ_MAX) {
        st_finding_set(finding, ST_STATUS_UNKNOWN, "a clock of %" PRId64 " MHz cannot be", mhz);
        return;
    }
    st_facts_each(facts, EPP, ".epp", see_epp, &hardware);
    if (hardware) {
        st_finding_set(finding, ST_STATUS_NOT_APPLICABLE,
                       "the hardware chooses the clock by itself here: see freebsd-epp");
        return;
    }
    const int r = st_facts_int(facts, RUNNING, &running);
    st_finding_quote(finding, facts, RUNNING);
    if (r != 0)
        st_finding_set(finding, ST_STATUS_UNKNOWN,
                       "the CPU runs at %" PRId64 " MHz; whether powerd runs is not known", mhz);
    else if (running != 0)
        judge_powerd(facts, finding);
    else
        judge_fixed(facts, mhz, finding);
}

const struct st_rule st_rule_freebsd_cpu_frequency = {
    .id = "freebsd-cpu-frequency",
    .os = ST_OS_FREEBSD,
    .title = "CPU clock (powerd)",
    .mechanism =
        "powerd looks at the load four times a second and sets the clock by it. The work of an audio thread "
        "comes in short bursts, which look like little load, so it may run at a low clock just when it has "
        "to be ready in time.",
    .privilege = "root",
    .cost = "power, heat",
    .when_not = "on battery (powerd's -b mode)",
    .sources = "powerd(8) (modes, poll interval 250 ms), cpufreq(4), est(4); powerd++ has the same modes",
    .guide =
        {
            .persistent = "sysrc powerd_flags=\"-a maximum -b adaptive\"\nservice powerd restart",
            .needs = ST_NEEDS_NOTHING,
            .check = "ps -axo args | grep '[p]owerd'   # -a maximum\n"
                     "sysctl dev.cpu.0.freq",
            .undo = "sysrc -x powerd_flags; service powerd restart",
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_AUTO,
    .facts = (const char *const[]){FREQ, LEVELS, RUNNING, ARGS, ARGS_XX, FLAGS, FLAGS_XX, EPP "*.epp", NULL},
    .targets = (const char *const[]){"dev.cpu.0.freq", NULL},
    .judge = judge,
};
