/* Facts as screens: each with its source; of those that are absent the number. Who runs the test is
 * left out.
 */
#pragma once

#include "core/text/text.h"
#include "tests/unit/fixture_fact.h"
#include "tests/unit/shown.h"

static void show_facts(const struct st_facts *facts)
{
    int absent_n = 0;
    ST_EACH_OF (row, facts->rows, facts->n) {
        const struct st_fact *fact = *row;
        if (st_text_begins(fact->key, "user.") && st_text_begins(fact->source, "get"))
            continue;
        char *text = st_text("%s", fact->text != NULL ? fact->text : "");
        if (fact->state == ST_FACT_UNREADABLE)
            text = st_text("UNREADABLE %s", fixture_errno_name(fact->error));
        if (fact->state == ST_FACT_ABSENT)
            absent_n++;
        else
            show("%s = %s%s (%s)", fact->key, fact->state == ST_FACT_MALFORMED ? "MALFORMED " : "",
                 st_text_swap(text, '\n', '|'), fact->source);
    }
    if (absent_n > 0)
        show("absent: %d", absent_n);
}
