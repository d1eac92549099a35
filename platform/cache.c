/* A view of a platform that reads each file, folder and sysctl once. */
#include "platform/cache.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "platform/tree.h"

#define BUCKETS_N     1024
#define SCRATCH_BYTES (64 * 1024) /* more than most files have: whoever asks for more gets it at once */

enum kind { KIND_FILE, KIND_FOLDER, KIND_SYSCTL };

struct entry {
    struct entry *next;
    enum kind kind;
    int result; /* of reading; -EFBIG: there is more than `text` has */
    size_t len;
    char *name;
    char *text; /* names of a folder: one after the other, each with its '\0' */
};

struct cache {
    struct st_platform row; /* first: a row's functions get a pointer to it */
    struct st_platform *inner;
    char *scratch;
    struct entry *buckets[BUCKETS_N];
};

/* FNV-1a (Fowler, Noll, Vo), 32 bits */
static size_t bucket_of(const char *name)
{
    uint32_t hash = UINT32_C(2166136261);
    for (; *name != '\0'; name++)
        hash = (hash ^ (unsigned char)*name) * UINT32_C(16777619);
    return hash % BUCKETS_N;
}

static struct entry *find(const struct cache *cache, enum kind kind, const char *name)
{
    struct entry *entry = cache->buckets[bucket_of(name)];
    while (entry != NULL && (entry->kind != kind || strcmp(entry->name, name) != 0))
        entry = entry->next;
    return entry;
}

static void entry_free(struct entry *entry)
{
    if (entry == NULL)
        return;
    free(entry->name);
    free(entry->text);
    free(entry);
}

/** Puts an entry there, in place of the one of that name. @return NULL: out of memory; then nothing is kept.
 */
static struct entry *keep(struct cache *cache, enum kind kind, const char *name, int result, const char *text,
                          size_t len)
{
    struct entry *entry = find(cache, kind, name);
    const bool is_new = entry == NULL;
    char *copy = malloc(len + 1);
    if (is_new)
        entry = calloc(1, sizeof(*entry));
    if (is_new && entry != NULL)
        entry->name = strdup(name);
    if (copy == NULL || entry == NULL || entry->name == NULL) {
        free(copy);
        if (is_new)
            entry_free(entry);
        return NULL;
    }
    if (len > 0)
        memcpy(copy, text, len);
    copy[len] = '\0';
    free(entry->text);
    entry->kind = kind;
    entry->result = result;
    entry->text = copy;
    entry->len = len;
    if (is_new) {
        const size_t bucket = bucket_of(name);
        entry->next = cache->buckets[bucket];
        cache->buckets[bucket] = entry;
    }
    return entry;
}

/* --- texts --- */

typedef int (*read_fn)(struct st_platform *p, const char *name, char *buf, size_t buf_bytes, size_t *ret_len);

/** Does the entry tell what reading into so large a buffer would? */
static bool is_enough(const struct entry *entry, size_t buf_bytes)
{
    return entry->result != -EFBIG || entry->len >= buf_bytes - 1;
}

/** As if it had just been read. */
static int hand_out(const struct entry *entry, char *buf, size_t buf_bytes, size_t *ret_len)
{
    buf[0] = '\0';
    if (entry->result != 0 && entry->result != -EFBIG)
        return entry->result;
    const size_t len = entry->len < buf_bytes ? entry->len : buf_bytes - 1;
    memcpy(buf, entry->text, len);
    buf[len] = '\0';
    *ret_len = len;
    return len < entry->len ? -EFBIG : entry->result;
}

static int read_once(struct cache *cache, enum kind kind, read_fn read, const char *name, char *buf,
                     size_t buf_bytes, size_t *ret_len)
{
    if (buf_bytes == 0)
        return -EINVAL;
    const struct entry *entry = find(cache, kind, name);
    if (entry != NULL && is_enough(entry, buf_bytes))
        return hand_out(entry, buf, buf_bytes, ret_len);
    const bool own = buf_bytes < SCRATCH_BYTES; /* into a larger one than the caller's */
    char *into = own ? cache->scratch : buf;
    size_t len = 0;
    const int r = read(cache->inner, name, into, own ? SCRATCH_BYTES : buf_bytes, &len);
    entry = keep(cache, kind, name, r, into, len);
    if (entry == NULL)
        return -ENOMEM;
    return hand_out(entry, buf, buf_bytes, ret_len);
}

/** "/proc/123/stat": of a process */
static bool is_of_process(const char *path)
{
    return strncmp(path, "/proc/", 6) == 0 && isdigit((unsigned char)path[6]) != 0;
}

static int cache_read_text(struct st_platform *p, const char *path, char *buf, size_t buf_bytes,
                           size_t *ret_len)
{
    struct cache *cache = (struct cache *)p;
    if (is_of_process(path))
        return cache->inner->read_text(cache->inner, path, buf, buf_bytes, ret_len);
    return read_once(cache, KIND_FILE, cache->inner->read_text, path, buf, buf_bytes, ret_len);
}

/* Linux has files behind its sysctls, which are also read as files. */
static int cache_read_sysctl(struct st_platform *p, const char *name, char *buf, size_t buf_bytes,
                             size_t *ret_len)
{
    struct cache *cache = (struct cache *)p;
    if (p->os == ST_OS_LINUX)
        return st_tree_read_sysctl_linux(p, name, buf, buf_bytes, ret_len);
    return read_once(cache, KIND_SYSCTL, cache->inner->read_sysctl, name, buf, buf_bytes, ret_len);
}

/* --- folders --- */

struct names {
    char *text;
    size_t len, capacity;
    bool failed;
};

static int add_name(void *ctx, const char *name)
{
    struct names *names = ctx;
    const size_t bytes = strlen(name) + 1;
    if (names->len + bytes > names->capacity) {
        const size_t capacity = (names->capacity + bytes) * 2;
        char *grown = realloc(names->text, capacity);
        if (grown == NULL) {
            names->failed = true;
            return 1;
        }
        names->text = grown;
        names->capacity = capacity;
    }
    memcpy(names->text + names->len, name, bytes);
    names->len += bytes;
    return 0;
}

static int cache_list(struct st_platform *p, const char *path, st_name_fn fn, void *ctx)
{
    struct cache *cache = (struct cache *)p;
    if (is_of_process(path))
        return cache->inner->list(cache->inner, path, fn, ctx);
    const struct entry *entry = find(cache, KIND_FOLDER, path);
    if (entry == NULL) {
        struct names names = {0};
        const int r = cache->inner->list(cache->inner, path, add_name, &names);
        if (!names.failed)
            entry = keep(cache, KIND_FOLDER, path, r, names.text, names.len);
        free(names.text);
    }
    if (entry == NULL)
        return -ENOMEM;
    /* fn may read: entries are never moved, and a folder's is never replaced */
    const int r = entry->result;
    for (size_t at = 0; r == 0 && at < entry->len; at += strlen(entry->text + at) + 1) {
        if (fn(ctx, entry->text + at) != 0)
            break;
    }
    return r;
}

/* --- the view --- */

int st_cache_new(struct st_platform *inner, struct st_platform **ret)
{
    struct cache *cache = calloc(1, sizeof(*cache));
    char *scratch = malloc(SCRATCH_BYTES);
    if (cache == NULL || scratch == NULL) {
        free(cache);
        free(scratch);
        return -ENOMEM;
    }
    cache->row = *inner;
    cache->inner = inner;
    cache->scratch = scratch;
    cache->row.read_text = cache_read_text;
    cache->row.read_sysctl = cache_read_sysctl;
    cache->row.list = cache_list;
    *ret = &cache->row;
    return 0;
}

void st_cache_free(struct st_platform *p)
{
    struct cache *cache = (struct cache *)p;
    if (p == NULL)
        return;
    for (size_t i = 0; i < BUCKETS_N; i++) {
        while (cache->buckets[i] != NULL) {
            struct entry *next = cache->buckets[i]->next;
            entry_free(cache->buckets[i]);
            cache->buckets[i] = next;
        }
    }
    free(cache->scratch);
    free(cache);
}
