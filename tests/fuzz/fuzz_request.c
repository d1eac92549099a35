/* The head of a request, and its query. */
#include "daemon/http/request.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *head = malloc(size + 1);
    struct st_request request;
    const char *key, *value;
    size_t bytes = 0;
    memcpy(head, data, size);
    if (st_request_read(head, size, &request)) {
        ST_EACH (field, request.fields) {
            if (*field != NULL && (*field < head || *field + strlen(*field) > head + size))
                abort();
        }
        bytes = strlen(request.method) + strlen(request.target);
        while ((key = st_request_next(&request.query, &value)) != NULL)
            bytes += strlen(key) + (value != NULL ? strlen(value) : 0);
    }
    if (bytes > size) /* each byte is in one part */
        abort();
    free(head);
    return 0;
}
