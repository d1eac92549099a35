/* Finds the known name that is most similar to a mistyped name. */
#include "core/text/near.h"

size_t st_near_distance(const char *a, const char *b)
{
    const size_t a_len = strlen(a), b_len = strlen(b);
    /* three rows of the table of edit distances, to each prefix of b: for the prefix of a that ends
     * two letters earlier, one letter earlier, and at the current letter */
    size_t rows[3][64];
    if (a_len >= ST_ARRAY_LEN(rows[0]) || b_len >= ST_ARRAY_LEN(rows[0]))
        return SIZE_MAX;
    for (size_t j = 0; j <= b_len; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_len; i++) {
        size_t *row = rows[i % 3];
        const size_t *last = rows[(i + 2) % 3], *before = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_len; j++) {
            row[j] = ST_MIN(last[j], row[j - 1]) + 1;
            row[j] = ST_MIN(row[j], last[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = ST_MIN(row[j], before[j - 2] + 1);
        }
    }
    return rows[a_len % 3][b_len];
}

void st_near_offer(struct st_near *near, const char *name)
{
    const size_t len = strlen(near->typed);
    const char *part = strstr(name, near->typed);
    const bool is_part = part != NULL && len >= (part == name ? 2 : 4);
    const size_t edits = is_part ? 0 : st_near_distance(near->typed, name);
    if (edits > 1 + len / 5 || (near->name != NULL && edits >= near->edits))
        return;
    near->name = name;
    near->edits = edits;
}
