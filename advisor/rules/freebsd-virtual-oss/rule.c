/* virtual_oss(8): a mixing server with a buffer and a priority of its own. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "advisor/rules/rule.h"

#define ARGS   "freebsd.process.virtual_oss.args"
#define ENABLE "freebsd.rc.virtual_oss_enable"
#define DSP    "freebsd.rc.virtual_oss_dsp"
#define CUSE   "freebsd.kern.features.cuse"

#define EVER(rate, frames)                                                                                   \
    "# /etc/rc.conf, among the first words of virtual_oss_dsp\n-i 8 -r " rate " -s " frames                  \
    "\n# then\nservice virtual_oss restart"

#define BLOCK_MAX_MS 10000.0
#define RATE_MAX     1e7
#define WORD_BYTES   64

struct options {
    double block_ms; /* of -s; 0: not given */
    bool priority;   /* -i */
};

/** The value of option `letter` at `word`: attached or the next word, which is then taken from *rest. */
static const char *value_of(const char *word, char **rest)
{
    return word[2] != '\0' ? word + 2 : strtok_r(NULL, " \t", rest);
}

/** "-s 4ms" or "-s 192" frames at the rate of the -r before it. @return 0, -EINVAL, -ENOMEM. */
static int read_options(const char *args, uint32_t rate_hz, struct options *ret)
{
    struct options options = {0};
    double rate = rate_hz;
    char *copy = strdup(args), *rest = NULL;
    int r = copy != NULL ? 0 : -ENOMEM;
    for (char *word = r == 0 ? strtok_r(copy, " \t", &rest) : NULL; word != NULL && r == 0;
         word = strtok_r(NULL, " \t", &rest)) {
        if (word[0] != '-' || word[1] == '\0' || strchr("sri", word[1]) == NULL) {
            /* a variable may stand for the value of an option, but not for options */
            if (word[0] == '$' || word[0] == '`')
                r = -EINVAL;
            else if (word[0] == '-' && strchr("BS", word[1]) == NULL)
                (void)value_of(word, &rest);
            continue;
        }
        const char letter = word[1];
        const char *value = value_of(word, &rest);
        char *end = NULL;
        const double number = value != NULL ? strtod(value, &end) : -1;
        if (value == NULL || end == value || !(number >= 0) || number > RATE_MAX)
            r = -EINVAL;
        else if (letter == 'i')
            options.priority = true;
        else if (letter == 'r')
            rate = number;
        else
            options.block_ms = strcmp(end, "ms") == 0 ? number : rate > 0 ? number * 1e3 / rate : -1;
        if (r == 0 && (options.block_ms < 0 || options.block_ms > BLOCK_MAX_MS))
            r = -EINVAL;
    }
    free(copy);
    if (r == 0)
        *ret = options;
    return r;
}

static void judge_options(const struct options *options, const struct st_wish *wish,
                          struct st_finding *finding)
{
    const double period_ms = st_period_seconds(&wish->period) * 1e3;
    char persistent[192];
    const bool slow = options->block_ms > period_ms, unknown = options->block_ms == 0;
    if (!slow && !unknown && options->priority) {
        st_finding_set(finding, ST_STATUS_OK,
                       "virtual_oss works with blocks of %.2f ms and a real-time priority",
                       options->block_ms);
    } else {
        if (slow)
            st_finding_set(finding, ST_STATUS_ADVICE,
                           "virtual_oss works with blocks of %.2f ms, longer than your "
                           "period of %.2f ms%s",
                           options->block_ms, period_ms,
                           options->priority ? "" : ", and without real-time priority");
        else if (!options->priority)
            st_finding_set(finding, ST_STATUS_ADVICE, "virtual_oss runs without a real-time priority (-i)%s",
                           unknown ? " and with its default block (no -s)" : "");
        else
            st_finding_set(finding, ST_STATUS_ADVICE,
                           "virtual_oss works with its default block, as it is not told -s");
        snprintf(persistent, sizeof(persistent), EVER("%u", "%u"), (unsigned)wish->rate_hz,
                 (unsigned)wish->frames);
        st_finding_fix(finding, NULL, persistent, ST_NEEDS_REOPEN);
    }
    if (!options->priority)
        return; /* behind whatever else is busy: no bound is known */
    if (unknown)
        st_finding_effect(finding, 0, "adds delay, at least one block, not lateness of this loop");
    else
        st_finding_effect(finding, 0, "adds delay, at least one block of %.2f ms, not lateness of this loop",
                          options->block_ms);
}

static void judge(const struct st_facts *facts, const struct st_wish *wish, struct st_finding *finding)
{
    const char *args = NULL, *enable;
    struct options options;
    int r = st_facts_text(facts, ARGS, &args);
    if (r == 0) {
        st_finding_quote(finding, facts, ARGS);
    } else {
        st_finding_quote(finding, facts, ENABLE);
        r = st_facts_text(facts, ENABLE, &enable);
        if (r == -EACCES || r == -EBADMSG) {
            st_finding_set(finding, ST_STATUS_UNKNOWN, "whether virtual_oss is started could not be read");
            return;
        }
        if (r != 0 || strcasecmp(enable, "YES") != 0) {
            st_finding_set(finding, ST_STATUS_NOT_APPLICABLE, "virtual_oss is not in use");
            return;
        }
        st_finding_quote(finding, facts, DSP);
        const struct st_fact *dsp = st_facts_find(facts, DSP);
        if (dsp != NULL && dsp->state == ST_FACT_MALFORMED)
            args = dsp->raw; /* has variables in it */
        else
            (void)!st_facts_text(facts, DSP, &args);
        if (args == NULL) {
            st_finding_set(finding, ST_STATUS_UNKNOWN,
                           "virtual_oss is started, but with what (virtual_oss_dsp) could not be read");
            return;
        }
    }
    st_finding_quote(finding, facts, CUSE);
    if (read_options(args, wish->rate_hz, &options) != 0)
        st_finding_set(finding, ST_STATUS_UNKNOWN, "virtual_oss is told \"%.40s\", which is not understood",
                       args);
    else
        judge_options(&options, wish, finding);
}

const struct st_rule st_rule_freebsd_virtual_oss = {
    .id = "freebsd-virtual-oss",
    .os = ST_OS_FREEBSD,
    .title = "Block and priority of virtual_oss",
    .mechanism =
        "virtual_oss mixes, resamples and routes sound in blocks of its own (-s), at the priority of -i. All "
        "that goes through it waits for at least one such block.",
    .privilege = "root",
    .cost = "CPU: shorter blocks mean more wake-ups",
    .when_not = "playback only, where a longer block does no harm",
    .sources = "virtual_oss(8) (-s frames or milliseconds with \"ms\", -i real-time priority, -r rate)\n"
               "rc.conf(5) (virtual_oss_enable, virtual_oss_dsp); the default block: not verified",
    .guide =
        {
            .persistent = EVER("48000", "128"),
            .needs = ST_NEEDS_REOPEN,
            .check = "ps -axo args | grep '[v]irtual_oss'   # -i and -s are there",
            .undo = "sysrc virtual_oss_dsp with the words of before; service virtual_oss restart",
        },
    .worst = ST_STATUS_ADVICE,
    .applicability = ST_APPLY_MANUAL,
    .facts = (const char *const[]){ARGS, ENABLE, DSP, CUSE, NULL},
    .judge = judge,
};
