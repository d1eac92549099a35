/* Prints the texts of all rules as JSON, for generate.py. */
#include <jansson.h>

#include "advisor/rules/rule.h"
#include "core/text/json.h"

static json_t *rule_json(const struct st_rule *rule)
{
    json_t *facts = json_array();
    for (const char *const *key = rule->facts; *key != NULL; key++)
        json_array_append_new(facts, json_string(*key));
    return st_json_object(
        "id:t os:t title:t mechanism:t privilege:t cost:t when_not:t sources:t history:t now:t "
        "persistent:t check:t undo:t needs:t only_ok:b applicability:t facts:o",
        rule->id, st_os_rows[st_rule_os(rule)].name, rule->title, rule->mechanism,
        st_rule_privilege(rule), st_rule_cost(rule), rule->when_not, rule->sources, rule->history,
        rule->now, rule->persistent, rule->check, rule->undo, st_finding_needs[rule->needs].name,
        rule->worst == ST_STATUS_OK, st_rule_is_applied(rule) ? "auto" : "manual", facts);
}

int main(void)
{
    json_t *list = json_array();
    ST_EACH_OF (rule, st_rules, st_rules_n)
        json_array_append_new(list, rule_json(*rule));
    const int r = json_dumpf(list, stdout, JSON_INDENT(1));
    json_decref(list);
    return r == 0 && fflush(stdout) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
