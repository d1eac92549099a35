/* Rules on facts of which most were never looked for. */
#include "advisor/facts/partial.h"

#include <fnmatch.h>
#include <string.h>

#include "advisor/parse/posted.h"

static bool has_match(const struct st_facts *facts, const char *pattern)
{
    for (size_t i = 0; i < st_facts_count(facts); i++) {
        if (fnmatch(pattern, st_facts_at(facts, i)->key, 0) == 0)
            return true;
    }
    return false;
}

/** Do the facts tell of what the rule is about? That is its first key; where several rules begin with the
 * same one, it takes a second. */
static bool is_told(const struct st_facts *facts, const struct st_rule *rule)
{
    size_t matches_n = 0, rules_n = 0;
    if (!has_match(facts, rule->facts[0]))
        return false;
    for (const char *const *pattern = rule->facts; *pattern != NULL; pattern++)
        matches_n += has_match(facts, *pattern);
    for (size_t i = 0; i < st_rules_n; i++)
        rules_n += st_rules[i]->os == rule->os && strcmp(st_rules[i]->facts[0], rule->facts[0]) == 0;
    return matches_n >= 2 || rules_n == 1;
}

/** "Not applicable" needs somebody who looked and found nothing. */
static bool saw_absence(const struct st_finding *finding)
{
    for (size_t i = 0; i < finding->evidence_n; i++) {
        if (finding->evidence[i]->state == ST_FACT_ABSENT)
            return true;
    }
    return false;
}

/** The folder that is not in the capture and that this fact would have come from; NULL: there is none. */
static const char *lacking_folder(const struct st_fact *fact, const char *lacks)
{
    static const char *const folders[] = {"/proc", "/sys"};
    for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++) {
        const size_t len = strlen(folders[i]);
        if (strstr(lacks, folders[i]) != NULL && fact->source != NULL &&
            strncmp(fact->source, folders[i], len) == 0 &&
            (fact->source[len] == '/' || fact->source[len] == '\0'))
            return folders[i];
    }
    return NULL;
}

/** Does this rule begin with facts that exist only where something was found in /proc? */
static bool begins_in_proc(const struct st_rule *rule)
{
    static const char *const prefixes[] = {"linux.daemon.", "linux.jack.", "linux.alsa."};
    for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
        if (strncmp(rule->facts[0], prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    }
    return false;
}

/** What was not captured was not seen to be absent. */
static void doubt_lacking(const struct st_facts *facts, struct st_finding *finding)
{
    const char *lacks, *folder;
    if (finding->status != ST_STATUS_NOT_APPLICABLE || st_facts_text(facts, ST_POSTED_LACKS, &lacks) != 0)
        return;
    folder = strstr(lacks, "/proc") != NULL && begins_in_proc(finding->rule) ? "/proc" : NULL;
    for (size_t i = 0; i < finding->evidence_n && folder == NULL; i++) {
        if (finding->evidence[i]->state == ST_FACT_ABSENT)
            folder = lacking_folder(finding->evidence[i], lacks);
    }
    if (folder != NULL)
        st_finding_set(finding, ST_STATUS_UNKNOWN, "this capture has no %s", folder);
}

void st_partial_doubt(const struct st_facts *facts, struct st_finding *finding)
{
    const char *input;
    doubt_lacking(facts, finding);
    if (st_facts_text(facts, ST_POSTED_KEY, &input) != 0 || strstr(input, ST_POSTED_ALL) != NULL)
        return;
    if (is_told(facts, finding->rule) &&
        (finding->status != ST_STATUS_NOT_APPLICABLE || saw_absence(finding)))
        return;
    const struct st_rule *rule = finding->rule;
    st_finding_finish(finding);
    finding->rule = rule;
    st_finding_set(finding, ST_STATUS_UNKNOWN, "%s does not tell", input);
}
