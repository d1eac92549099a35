/* Files and sysctls of the fake. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "platform/fake/private.h"
#include "platform/tree.h"

const struct st_fake_entry *st_fake_find(const struct st_fake_entry *list, const char *name)
{
    while (list != NULL && strcmp(list->name, name) != 0)
        list = list->next;
    return list;
}

int st_fake_copy_text(const struct st_fake_entry *entry, char *buf, size_t buf_bytes, size_t *ret_len)
{
    if (buf_bytes == 0)
        return -EINVAL;
    buf[0] = '\0';
    if (entry->error != 0)
        return entry->error;
    const size_t len = strlen(entry->text);
    const size_t fits = len < buf_bytes ? len : buf_bytes - 1;
    memcpy(buf, entry->text, fits);
    buf[fits] = '\0';
    *ret_len = fits;
    return fits < len ? -EFBIG : 0;
}

int st_fake_read_text(struct st_platform *p, const char *path, char *buf, size_t buf_bytes, size_t *ret_len)
{
    struct st_fake *fake = st_fake_of(p);
    const int error = st_fake_fault(fake, F_READ_TEXT);
    if (error != 0)
        return error;
    pthread_mutex_lock(&fake->lock);
    const struct st_fake_entry *entry = st_fake_find(fake->files, path);
    int r = -ENOENT;
    if (entry != NULL)
        r = st_fake_copy_text(entry, buf, buf_bytes, ret_len);
    pthread_mutex_unlock(&fake->lock);
    return r;
}

/* The sysctls that were put there; on Linux also the files below /proc/sys. */
int st_fake_read_sysctl(struct st_platform *p, const char *name, char *buf, size_t buf_bytes, size_t *ret_len)
{
    struct st_fake *fake = st_fake_of(p);
    const int error = st_fake_fault(fake, F_READ_SYSCTL);
    if (error != 0)
        return error;
    pthread_mutex_lock(&fake->lock);
    const struct st_fake_entry *entry = st_fake_find(fake->sysctls, name);
    int r = -ENOENT;
    if (entry != NULL)
        r = st_fake_copy_text(entry, buf, buf_bytes, ret_len);
    pthread_mutex_unlock(&fake->lock);
    if (entry == NULL && p->os == ST_OS_LINUX)
        return st_tree_read_sysctl_linux(p, name, buf, buf_bytes, ret_len);
    return r;
}

/* Length of the next component of `path` below `dir`; 0: not below it. */
static size_t component_below(const char *path, const char *dir, size_t dir_len)
{
    if (strncmp(path, dir, dir_len) != 0 || path[dir_len] != '/')
        return 0;
    return strcspn(path + dir_len + 1, "/");
}

int st_fake_list(struct st_platform *p, const char *path, st_name_fn fn, void *ctx)
{
    struct st_fake *fake = st_fake_of(p);
    const int error = st_fake_fault(fake, F_LIST);
    if (error != 0)
        return error;
    size_t dir_len = strlen(path);
    while (dir_len > 0 && path[dir_len - 1] == '/')
        dir_len--;
    int r = st_fake_find(fake->files, path) != NULL ? -ENOTDIR : -ENOENT;
    char last[256] = "";
    /* the list itself is not locked while fn runs: fn may read files. Put files there before threads start.
     */
    for (const struct st_fake_entry *entry = fake->files; entry != NULL; entry = entry->next) {
        const size_t len = component_below(entry->name, path, dir_len);
        if (len == 0 || len >= sizeof(last) ||
            (strlen(last) == len && memcmp(last, entry->name + dir_len + 1, len) == 0))
            continue;
        memcpy(last, entry->name + dir_len + 1, len);
        last[len] = '\0';
        r = 0;
        if (fn(ctx, last) != 0)
            break;
    }
    return r;
}

static void entries_free(struct st_fake_entry *list)
{
    while (list != NULL) {
        struct st_fake_entry *next = list->next;
        free(list->name);
        free(list->text);
        free(list);
        list = next;
    }
}

void st_fake_tree_finish(struct st_fake *fake)
{
    entries_free(fake->files);
    entries_free(fake->sysctls);
    entries_free(fake->answers);
}

/* strcmp with '/' before everything else, so that what is below one folder stays together, in the order of
 * names. */
static int compare_paths(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b) {
        a++;
        b++;
    }
    const int left = *a == '/' ? 1 : (unsigned char)*a * 2;
    const int right = *b == '/' ? 1 : (unsigned char)*b * 2;
    return left - right;
}

/* Puts an entry into a sorted list, or replaces the one of that name. */
static int set_entry(struct st_fake *fake, struct st_fake_entry **list, const char *name, const char *text,
                     int error)
{
    struct st_fake_entry *entry = calloc(1, sizeof(*entry));
    char *name_copy = strdup(name);
    char *text_copy = strdup(text != NULL ? text : "");
    if (entry == NULL || name_copy == NULL || text_copy == NULL) {
        free(entry);
        free(name_copy);
        free(text_copy);
        return -ENOMEM;
    }
    *entry = (struct st_fake_entry){.name = name_copy, .text = text_copy, .error = error};
    pthread_mutex_lock(&fake->lock);
    while (*list != NULL && compare_paths((*list)->name, name) < 0)
        list = &(*list)->next;
    if (*list != NULL && strcmp((*list)->name, name) == 0) {
        struct st_fake_entry *old = *list;
        *list = old->next;
        old->next = NULL;
        entries_free(old);
    }
    entry->next = *list;
    *list = entry;
    pthread_mutex_unlock(&fake->lock);
    return 0;
}

int st_fake_set_file(struct st_platform *p, const char *path, const char *text, int error)
{
    return set_entry(st_fake_of(p), &st_fake_of(p)->files, path, text, error);
}

int st_fake_set_sysctl(struct st_platform *p, const char *name, const char *text, int error)
{
    return set_entry(st_fake_of(p), &st_fake_of(p)->sysctls, name, text, error);
}

int st_fake_set_answer(struct st_platform *p, const char *command, const char *text, int error)
{
    return set_entry(st_fake_of(p), &st_fake_of(p)->answers, command, text, error);
}

int st_fake_forget_file(struct st_fake *fake, const char *path)
{
    pthread_mutex_lock(&fake->lock);
    struct st_fake_entry **at = &fake->files;
    while (*at != NULL && strcmp((*at)->name, path) != 0)
        at = &(*at)->next;
    struct st_fake_entry *entry = *at;
    if (entry != NULL) {
        *at = entry->next;
        entry->next = NULL;
        entries_free(entry);
    }
    pthread_mutex_unlock(&fake->lock);
    return entry != NULL ? 0 : -ENOENT;
}
