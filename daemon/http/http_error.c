/* What is answered where there is no answer. */
#include <jansson.h>

#include "daemon/http/http.h"

char *st_http_error(const char *error)
{
    json_t *document = json_pack("{s:s, s:s}", "schema", "sleeptune-error/1", "error", error);
    char *text = document != NULL ? json_dumps(document, JSON_COMPACT) : NULL;
    json_decref(document);
    return text;
}
