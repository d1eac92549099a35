#include "daemon/causes/culprit_request.h"

#include "core/ns.h"
#include "core/text/json.h"
#include "core/text/safe.h"
#include "platform/local_http.h"

#define SCHEMA       "sleeptune-culprit/1"
#define PATIENCE_MS  600
#define ANSWER_BYTES 4096

json_t *st_culprit_request_answer(int r, const struct st_trace_culprit *culprit)
{
    if (r != 0)
        return st_json_object("schema:t traces:b name", SCHEMA, r != -ENOTSUP);
    return st_json_object("schema:t traces:b name:t ns:i turns_ns:i explains:b", SCHEMA, true,
                          culprit->name, culprit->ns, culprit->turns_ns, culprit->explains);
}

static int64_t length_of(const json_t *document, const char *key)
{
    const json_t *value = json_object_get(document, key);
    const json_int_t ns = json_is_integer(value) ? json_integer_value(value) : -1;
    return ns >= 0 && ns <= 10 * ST_CULPRIT_SPAN_MAX_NS ? (int64_t)ns : -1;
}

static int take(const json_t *document, struct st_trace_culprit *ret)
{
    const char *name = st_json_text_of(document, "name");
    if (!st_text_is(st_json_text_of(document, "schema"), SCHEMA))
        return -EBADMSG;
    if (!json_is_true(json_object_get(document, "traces")))
        return -ENOTSUP;
    if (name[0] == '\0')
        return -ENOENT;
    struct st_trace_culprit found = {.ns = length_of(document, "ns"),
                                     .turns_ns = length_of(document, "turns_ns"),
                                     .explains =
                                         json_is_true(json_object_get(document, "explains"))};
    if (found.ns < 0 || found.turns_ns < 0)
        return -EBADMSG;
    st_safe_copy(found.name, sizeof(found.name), name, ST_TEXT_TO_NUL);
    *ret = found;
    return 0;
}

int st_culprit_request_parse(const char *text, struct st_trace_culprit *ret)
{
    json_t *document = json_loads(text, 0, NULL);
    const int r = take(document, ret);
    json_decref(document);
    return r;
}

int st_culprit_request(const char *socket_path, pid_t tid, int64_t since_wall_ns,
                       int64_t until_wall_ns, struct st_trace_culprit *ret)
{
    char *body;
    const char *target = st_text("/v1/culprits?tid=%ld&since=%jd.%09jd&until=%jd.%09jd", (long)tid,
                                 since_wall_ns / ST_NS_PER_S, since_wall_ns % ST_NS_PER_S,
                                 until_wall_ns / ST_NS_PER_S, until_wall_ns % ST_NS_PER_S);
    const int status =
        st_local_http_ask(socket_path, "GET", target, PATIENCE_MS, ANSWER_BYTES, &body);
    if (status < 0)
        /* The socket file is missing, so no daemon runs. -ENOENT must not be returned, since it
         * means that no culprit is known. */
        return status != -ENOENT ? status : -ECONNREFUSED;
    const int r = status == 200 ? st_culprit_request_parse(body, ret) : -EBADMSG;
    free(body);
    return r;
}
