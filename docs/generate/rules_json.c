/* Prints the texts of all rules as JSON, for generate.py. */
#include <jansson.h>

#include "advisor/rules/rule.h"
#include "core/text/json.h"

static json_t *rule_json(const struct st_rule *rule)
{
    json_t *facts = json_array();
    for (const char *const *key = rule->facts; *key != NULL; key++)
        json_array_append_new(facts, json_string(*key));
    const struct {
        const char *name;
        json_t *value;
    } members[] = {
        {"id", st_json_string_or_null(rule->id)},
        {"os", json_string(st_os_rows[st_rule_os(rule)].name)},
        {"title", st_json_string_or_null(rule->title)},
        {"mechanism", st_json_string_or_null(rule->mechanism)},
        {"privilege", st_json_string_or_null(st_rule_privilege(rule))},
        {"cost", json_string(st_rule_cost(rule))},
        {"when_not", st_json_string_or_null(rule->when_not)},
        {"sources", st_json_string_or_null(rule->sources)},
        {"history", st_json_string_or_null(rule->history)},
        {"now", st_json_string_or_null(rule->now)},
        {"persistent", st_json_string_or_null(rule->persistent)},
        {"check", st_json_string_or_null(rule->check)},
        {"undo", st_json_string_or_null(rule->undo)},
        {"needs", json_string(st_finding_needs[rule->needs].name)},
        {"only_ok", json_boolean(rule->worst == ST_STATUS_OK)},
        {"applicability", json_string(st_rule_is_applied(rule) ? "auto" : "manual")},
        {"facts", facts},
    };
    json_t *object = json_object();
    ST_EACH (member, members)
        json_object_set_new(object, member->name, member->value);
    return object;
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
