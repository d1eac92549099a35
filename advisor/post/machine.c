/* A machine whose files and sysctls are those that a posted text shows. */
#include "advisor/post/post.h"

#include "advisor/collect/collect.h"
#include "advisor/parse/answer.h"
#include "platform/tree.h"

#define ANSWER_BYTES (1024 * 1024)

struct st_post_answer *st_post_answer_new(struct st_post *post, const char *name)
{
    if (post->answers_n == ST_POST_ANSWERS_MAX)
        return NULL;
    char *copy = strdup(name);
    post->failed = post->failed || copy == NULL;
    if (copy == NULL)
        return NULL;
    struct st_post_answer *answer = &post->answers[post->answers_n];
    *answer = (struct st_post_answer){.name = copy, .order = ++post->answers_n};
    return answer;
}

bool st_post_answer_is_last(const struct st_post *post, const char *name)
{
    return post->answers_n > 0 && st_text_is(post->answers[post->answers_n - 1].name, name);
}

struct st_post_answer *st_post_answer_last(struct st_post *post, const char *name)
{
    if (st_post_answer_is_last(post, name))
        return &post->answers[post->answers_n - 1];
    return st_post_answer_new(post, name);
}

void st_post_answer_add(struct st_post_answer *answer, const char *line)
{
    if (answer != NULL && answer->text.bytes < ANSWER_BYTES)
        st_text_buffer_printf(&answer->text, "%s\n", line);
}

static int by_name(const void *left, const void *right)
{
    const struct st_post_answer *a = left, *b = right;
    const int order = strcmp(a->name, b->name);
    return order != 0 ? order : (a->order > b->order) - (a->order < b->order);
}

/** The index of the first answer (a file or sysctl of the text) whose name is not before `name`. */
static size_t lower_bound(const struct st_post *post, const char *name)
{
    size_t low = 0, high = post->answers_n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (strcmp(post->answers[middle].name, name) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct st_post_answer *st_post_answer_find(const struct st_post *post, const char *name)
{
    const struct st_post_answer *found = NULL;
    for (size_t i = lower_bound(post, name);
         i < post->answers_n && st_text_is(post->answers[i].name, name); i++)
        found = &post->answers[i];
    return found;
}

struct shown {
    struct st_platform p;
    struct st_post *post;
};

static struct st_post *post_of(struct st_platform *machine)
{
    return ((struct shown *)(void *)machine)->post;
}

static int read_answer(struct st_platform *machine, const char *name, char *buf, size_t buf_bytes,
                       size_t *ret_len)
{
    const struct st_post *post = post_of(machine);
    const struct st_post_answer *answer = st_post_answer_find(post, name);
    if (answer == NULL)
        return name[0] != '/' && post->all_sysctls ? -ENOENT : -ENOMSG;
    if (answer->result != 0)
        return answer->result;
    const size_t len = ST_MIN(answer->text.bytes, buf_bytes - 1);
    memcpy(buf, st_text_or(answer->text.text, ""), len);
    buf[len] = '\0';
    *ret_len = len;
    return len < answer->text.bytes ? -EFBIG : 0;
}

static int list(struct st_platform *machine, const char *path, st_name_fn fn, void *ctx)
{
    const struct st_post *post = post_of(machine);
    const struct st_post_answer *itself = st_post_answer_find(post, path);
    const char *prefix = st_text("%s/", path), *name = "";
    int r = -ENOMSG;
    if (itself != NULL && itself->result != 0)
        r = itself->result;
    for (size_t i = lower_bound(post, prefix);
         i < post->answers_n && st_text_begins(post->answers[i].name, prefix); i++) {
        const char *rest = post->answers[i].name + strlen(prefix);
        const size_t len = strcspn(rest, "/");
        if (post->answers[i].result == -ENOENT ||
            (strlen(name) == len && strncmp(name, rest, len) == 0))
            continue;
        name = st_text("%.*s", (int)len, rest);
        r = 0;
        if (fn(ctx, name) != 0)
            break;
    }
    return r;
}

static int no_open(ST_UNUSED struct st_platform *machine, ST_UNUSED const char *path,
                   ST_UNUSED int flags)
{
    return -ENOMSG;
}

int st_post_collect(struct st_post *post, enum st_os os, struct st_facts **ret)
{
    struct shown shown = {.post = post,
                          .p = {.os = os,
                                .conditions = st_tree_conditions,
                                .open_path = no_open,
                                .read_text = read_answer,
                                .read_sysctl = read_answer,
                                .list = list}};
    /* a text with sysctls from the end and the beginning of `sysctl -a` has all sysctls */
    bool jail = false, version = false;
    ST_EACH_OF (answer, post->answers, post->answers_n) {
        jail = jail || st_text_is(answer->name, "security.jail.jailed");
        version = version || (st_text_is(answer->name, "kern.osreldate") && answer->order > 0);
    }
    post->all_sysctls = os == ST_OS_FREEBSD && jail && version;
    qsort(post->answers, post->answers_n, sizeof(*post->answers), by_name);
    const int r = st_collect(&shown.p, false, ret);
    if (r != 0)
        return r;
    const struct st_post_answer *graph = st_post_answer_find(post, "pw-dump");
    if (graph != NULL && st_answer_pw_dump(graph->text.text, *ret, graph->name) == 0)
        st_facts_put_int(*ret, ST_KEY_DAEMON_PIPEWIRE, 1,
                         graph->name); /* the server answered, so it runs */
    return (*ret)->error;
}
