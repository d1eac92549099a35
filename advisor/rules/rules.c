/* The rules of this build. */
#include <fnmatch.h>
#include <string.h>

#include "advisor/rules/rule.h"
#include "rule_list.h"

/* the NULL stands for an empty list */
const struct st_rule *const st_rules[] = {ST_RULE_LIST NULL};
const size_t st_rules_n = ST_ARRAY_LEN(st_rules) - 1;

const struct st_rule *st_rule_find(const char *id)
{
    for (size_t i = 0; i < st_rules_n; i++) {
        if (strcmp(st_rules[i]->id, id) == 0)
            return st_rules[i];
    }
    return NULL;
}

size_t st_rule_place(const struct st_rule *rule)
{
    size_t i = 0;
    while (i < st_rules_n && st_rules[i] != rule)
        i++;
    return i;
}

bool st_rule_writes(const struct st_rule *rule, const char *target)
{
    for (const char *const *pattern = rule->targets; pattern != NULL && *pattern != NULL; pattern++) {
        if (fnmatch(*pattern, target, FNM_PATHNAME) == 0)
            return true;
    }
    return false;
}
