/* JSON of a bench for compare: rows have values and names of their own. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/compare/compare.h"

#define NAME "fuzz"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct st_compare_file file = {.path = "input"};
    json_error_t error;
    json_t *document = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES, &error);
    if (document == NULL)
        return 0;
    if (st_compare_read_bench(NAME, document, &file) == 0) {
        for (size_t i = 0; i < file.rows_n; i++) {
            if (file.rows[i].values_n == 0 || memchr(file.rows[i].label, '\0', ST_COMPARE_LABEL) == NULL)
                abort();
            for (size_t k = 0; k < i; k++) {
                if (strcmp(file.rows[i].label, file.rows[k].label) == 0)
                    abort();
            }
        }
    }
    json_decref(document);
    st_compare_file_finish(&file);
    return 0;
}
