/* Profiles: a table of costs that are not accepted. */
#include "advisor/report/profile.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* Power counts on battery; fairness and throughput where others use the machine, too; security everywhere but
 * on a machine that is used for nothing else. */
static const struct {
    const char *name;
    const char *refused[4]; /* NULL-terminated */
} profiles[] = {
    [ST_PROFILE_DESKTOP] = {"desktop", {"security", NULL}},
    [ST_PROFILE_STUDIO] = {"studio", {NULL}},
    [ST_PROFILE_LAPTOP] = {"laptop", {"power", "security", NULL}},
    [ST_PROFILE_SERVER] = {"server", {"fairness", "security", "throughput", NULL}},
};

const char *st_profile_name(enum st_profile profile)
{
    return profiles[profile].name;
}

int st_profile_parse(const char *text, enum st_profile *ret)
{
    for (size_t i = 0; i < ST_ARRAY_LEN(profiles); i++) {
        if (strcmp(text, profiles[i].name) == 0) {
            *ret = (enum st_profile)i;
            return 0;
        }
    }
    return -EINVAL;
}

/** Is `word` one of the words before the colon? */
static bool has_cost(const char *cost, const char *word)
{
    const char *end = cost + strcspn(cost, ":");
    const size_t word_len = strlen(word);
    while (cost < end) {
        cost += strspn(cost, ", ");
        const size_t len = strcspn(cost, ",: ");
        if (len == word_len && memcmp(cost, word, len) == 0)
            return true;
        cost += len > 0 ? len : 1;
    }
    return false;
}

const char *st_profile_refuses(enum st_profile profile, const char *cost)
{
    for (const char *const *word = profiles[profile].refused; *word != NULL; word++) {
        if (has_cost(cost, *word))
            return *word;
    }
    return NULL;
}
