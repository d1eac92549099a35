/* Names that were typed almost right. */
#include "core/text/near.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

size_t st_near_distance(const char *a, const char *b)
{
    const size_t a_len = strlen(a), b_len = strlen(b);
    size_t row[64];
    if (a_len >= ST_ARRAY_LEN(row) || b_len >= ST_ARRAY_LEN(row))
        return SIZE_MAX;
    for (size_t j = 0; j <= b_len; j++)
        row[j] = j;
    for (size_t i = 1; i <= a_len; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= b_len; j++) {
            const size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            const size_t shorter = row[j] < row[j - 1] ? row[j] : row[j - 1];
            row[j] = replaced < shorter + 1 ? replaced : shorter + 1;
        }
    }
    return row[b_len];
}

void st_near_offer(struct st_near *near, const char *name)
{
    const size_t len = strlen(near->typed);
    const bool begins = len >= 2 && strncmp(name, near->typed, len) == 0;
    const size_t edits = begins ? 0 : st_near_distance(near->typed, name);
    if (edits > 1 + len / 3 || (near->name != NULL && edits >= near->edits))
        return;
    near->name = name;
    near->edits = edits;
}
