#include "lab/punctual/arms.h"

#include "core/ns.h"
#include "core/stats/estimate.h"
#include "core/text/number.h"

#define Z95           1.959964
#define MARGIN_MAX_NS (100 * ST_NS_PER_MS) /* as long as a real-time thread may hold its CPU */

#define CURVE "free,p5,p10,p25,p50,p75,p90,p95,p97,p99,p99.5,1.7,3,125us"

static int number(const char *text, double least, double most, double *ret)
{
    double value;
    const int r = *text >= '0' && *text <= '9' ? st_number_double(text, &value) : -EINVAL; /* no sign */
    if (r < 0)
        return r;
    if (!(value >= least && value <= most))
        return -ERANGE;
    *ret = value;
    return 0;
}

static int parse_one(const char *text, struct st_arm_choice *ret)
{
    struct st_arm_choice choice = {.kind = ST_ARM_FREE};
    const size_t len = strlen(text); /* >= 1 */
    int64_t margin_ns;
    int r;
    snprintf(choice.name, sizeof(choice.name), "%s", text);
    if (strcmp(text, "free") == 0) {
        r = 0;
    } else if (text[0] == 'p') {
        choice.kind = ST_ARM_QUANTILE;
        r = number(text + 1, 0.1, 99.9, &choice.value);
    } else if (text[len - 1] == '%') {
        char share[sizeof(choice.name)];
        snprintf(share, sizeof(share), "%.*s", (int)len - 1, text);
        choice.kind = ST_ARM_SHARE;
        r = number(share, 0, 50, &choice.value);
    } else if ((r = number(text, 1, 100, &choice.value)) != -EINVAL) {
        choice.kind = ST_ARM_FACTOR;
    } else {
        choice.kind = ST_ARM_FIXED;
        r = st_ns_parse(text, &margin_ns);
        if (r == 0 && margin_ns > MARGIN_MAX_NS)
            r = -ERANGE;
        if (r == 0)
            choice.value = (double)margin_ns;
    }
    if (r == 0)
        *ret = choice;
    return r;
}

int st_arms_parse(const char *text, struct st_arm_choice *ret)
{
    int n = 0;
    ret[n++] = (struct st_arm_choice){.name = "plain", .kind = ST_ARM_PLAIN};
    if (strcmp(text, "curve") == 0)
        text = CURVE;
    for (;;) {
        char one[sizeof(ret->name)];
        const size_t len = strcspn(text, ",");
        if (len == 0 || len >= sizeof(one))
            return -EINVAL;
        if (n == ST_ARMS_MAX)
            return -E2BIG;
        memcpy(one, text, len);
        one[len] = '\0';
        const int r = parse_one(one, &ret[n]);
        if (r != 0)
            return r;
        n++;
        if (text[len] == '\0')
            return n;
        text += len + 1;
    }
}

void st_arm_init(struct st_arm *arm, const struct st_arm_choice *choice, int64_t period_ns)
{
    static const enum st_margin_kind kinds[] = {
        [ST_ARM_PLAIN] = ST_MARGIN_FIXED,       [ST_ARM_FREE] = ST_MARGIN_FREE,
        [ST_ARM_FACTOR] = ST_MARGIN_BUDGET,     [ST_ARM_SHARE] = ST_MARGIN_BUDGET,
        [ST_ARM_QUANTILE] = ST_MARGIN_QUANTILE, [ST_ARM_FIXED] = ST_MARGIN_FIXED,
    };
    double value = choice->kind == ST_ARM_FIXED ? choice->value : 0;
    if (choice->kind == ST_ARM_SHARE)
        value = choice->value / 100 * (double)period_ns;
    else if (choice->kind == ST_ARM_QUANTILE)
        value = choice->value / 100;
    memset(arm, 0, sizeof(*arm));
    arm->choice = *choice;
    arm->trim = 1;
    /* a factor: no margin until the cost of the plain mode is known */
    st_margin_init(&arm->margin, kinds[choice->kind], value);
}

static double smaller(double a, double b) ST_NONBLOCKING
{
    return a < b ? a : b;
}

/* A cycle costs more than its spinning: lowers the allowed spinning by what exceeded the factor. */
static void trim(struct st_arm *arm, double plain_ns, double a_cycle_ns) ST_NONBLOCKING
{
    const double allowed_ns = (arm->choice.value - 1) * plain_ns;
    if (allowed_ns <= 0)
        return;
    arm->trim += (arm->choice.value * plain_ns - a_cycle_ns) / (8 * allowed_ns);
    arm->trim = arm->trim < 0.5 ? 0.5 : smaller(arm->trim, 1);
}

void st_arms_block(struct st_arm *arms, size_t n, size_t i, uint64_t cycles, int64_t cpu_ns) ST_NONBLOCKING
{
    struct st_arm *arm = &arms[i];
    if (cycles == 0 || cpu_ns <= 0)
        return;
    const double a_cycle_ns = (double)cpu_ns / (double)cycles;
    arm->cycles += cycles;
    arm->cpu_ns += cpu_ns;
    if (arm->margin.margin_ns < arm->margin_min_ns)
        arm->margin_min_ns = arm->margin.margin_ns;
    if (arm->margin.margin_ns > arm->margin_max_ns)
        arm->margin_max_ns = arm->margin.margin_ns;
    /* the rest of a block, as after a long stall: its ratio would count as much as that of a whole one */
    if (cycles < ST_ARM_BLOCK / 2)
        return;
    arm->block_cpu_ns = a_cycle_ns;
    /* stolen time is charged to the thread it was stolen from, and the first block of a loop runs with cold
     * caches: neither may set the limit of a factor */
    st_recent_add(&arm->recent_cpu_ns, a_cycle_ns);
    arm->usual_cpu_ns = st_recent_median(&arm->recent_cpu_ns);
    if (arm->choice.kind == ST_ARM_FACTOR)
        trim(arm, arms[0].usual_cpu_ns, smaller(a_cycle_ns, 1.5 * arm->usual_cpu_ns));
    if (arm->choice.kind == ST_ARM_PLAIN) {
        ST_EACH_OF (other, arms, n) {
            if (other->choice.kind == ST_ARM_FACTOR)
                other->margin.spin_mean_max_ns =
                    (int64_t)(other->trim * (other->choice.value - 1) * arm->usual_cpu_ns);
        }
    } else if (arms[0].block_cpu_ns > 0) {
        const double ratio = a_cycle_ns / arms[0].block_cpu_ns;
        arm->ratio_sum += ratio;
        arm->ratio_sum2 += ratio * ratio;
        arm->ratios_n++;
    }
}

void st_arms_start(struct st_arm *arms, size_t n) ST_NONBLOCKING
{
    ST_EACH_OF (arm, arms, n) {
        arm->cycles = arm->ratios_n = 0;
        arm->cpu_ns = 0;
        arm->ratio_sum = arm->ratio_sum2 = 0;
        arm->margin_min_ns = INT64_MAX;
        arm->margin_max_ns = INT64_MIN;
    }
}

void st_arm_take(const struct st_arm *arm, struct st_arm_result *result)
{
    result->choice = arm->choice;
    result->cpu_ns_per_cycle = arm->cycles > 0 ? (double)arm->cpu_ns / (double)arm->cycles : -1;
    result->margin_known = arm->cycles > 0;
    result->margin_ns = arm->margin.margin_ns;
    result->margin_min_ns = arm->margin_min_ns;
    result->margin_max_ns = arm->margin_max_ns;
    result->blocks_n = arm->ratios_n;
    if (arm->ratios_n < 2)
        return;
    const double n = (double)arm->ratios_n, mean = arm->ratio_sum / n;
    const double variance = fmax(0, (arm->ratio_sum2 - n * mean * mean) / (n - 1));
    const double reach = Z95 * sqrt(variance / n);
    result->cpu_to_plain = mean;
    result->cpu_to_plain_low = fmax(0, mean - reach);
    result->cpu_to_plain_high = mean + reach;
}

bool st_arm_on_time(const struct st_arm_result *result, double *ret_share, double *ret_low, double *ret_high)
{
    if (result->lateness.total_n == 0)
        return false;
    const double n = (double)result->lateness.total_n;
    *ret_share = (double)result->on_time_n / n;
    st_estimate_share((double)result->on_time_n, n, ret_low, ret_high);
    return true;
}
