/* Files, sysctls and programs of the fake: texts in memory, which change when they are written. All
 * folders exist. */
#include "platform/tree.h"
#include "tests/fake/fake_state.h"

static const struct st_fake_entry *find(const struct st_fake_entry *list, const char *name)
{
    while (list != NULL && strcmp(list->name, name) != 0)
        list = list->next;
    return list;
}

static int copy_text(const struct st_fake_entry *entry, char *buf, size_t buf_bytes,
                     size_t *ret_len)
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

static int fake_read_text(struct st_platform *machine, const char *path, char *buf,
                          size_t buf_bytes, size_t *ret_len)
{
    struct st_fake *fake = st_fake_state_of(machine);
    const int error = st_fake_state_fault(fake, F_read_text);
    if (error != 0)
        return error;
    pthread_mutex_lock(&fake->lock);
    const struct st_fake_entry *entry = find(fake->files, path);
    int r = -ENOENT;
    if (entry != NULL)
        r = copy_text(entry, buf, buf_bytes, ret_len);
    pthread_mutex_unlock(&fake->lock);
    return r;
}

/* The sysctls that were put there; on Linux also the files below /proc/sys. */
static int fake_read_sysctl(struct st_platform *machine, const char *name, char *buf,
                            size_t buf_bytes, size_t *ret_len)
{
    struct st_fake *fake = st_fake_state_of(machine);
    const int error = st_fake_state_fault(fake, F_read_sysctl);
    if (error != 0)
        return error;
    pthread_mutex_lock(&fake->lock);
    const struct st_fake_entry *entry = find(fake->sysctls, name);
    int r = -ENOENT;
    if (entry != NULL)
        r = copy_text(entry, buf, buf_bytes, ret_len);
    pthread_mutex_unlock(&fake->lock);
    if (entry == NULL && machine->os == ST_OS_LINUX)
        return st_tree_read_sysctl_linux(machine, name, buf, buf_bytes, ret_len);
    return r;
}

/* Length of the next component of `path` below `dir`; 0: not below it. */
static size_t component_below(const char *path, const char *dir, size_t dir_len)
{
    if (strncmp(path, dir, dir_len) != 0 || path[dir_len] != '/')
        return 0;
    return strcspn(path + dir_len + 1, "/");
}

static int fake_list(struct st_platform *machine, const char *path, st_name_fn fn, void *ctx)
{
    struct st_fake *fake = st_fake_state_of(machine);
    const int error = st_fake_state_fault(fake, F_list);
    if (error != 0)
        return error;
    size_t dir_len = strlen(path);
    while (dir_len > 0 && path[dir_len - 1] == '/')
        dir_len--;
    int r = find(fake->files, path) != NULL ? -ENOTDIR : -ENOENT;
    char last[256] = "";
    /* the list itself is not locked while fn runs: fn may read files. Put files there before
     * threads start. */
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

void st_fake_state_free_files(struct st_fake *fake)
{
    entries_free(fake->files);
    entries_free(fake->sysctls);
    entries_free(fake->answers);
}

/* strcmp with '/' before everything else, so that what is below one folder stays together, in the
 * order of names. */
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

int st_fake_state_put(struct st_fake *fake, struct st_fake_entry **list, const char *name,
                      const char *text, int error)
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

static int forget_file(struct st_fake *fake, const char *path)
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

static int fake_replace_file(struct st_platform *platform, const char *path, const char *text,
                             size_t bytes, mode_t mode)
{
    (void)mode;
    const int error = st_fake_state_fault(st_fake_state_of(platform), F_replace_file);
    if (error != 0)
        return error;
    char *copy = strndup(text, bytes);
    if (copy == NULL)
        return -ENOMEM;
    const int r = st_fake_state_put(st_fake_state_of(platform), &st_fake_state_of(platform)->files,
                                    path, copy, 0);
    free(copy);
    return r;
}

static int fake_clean_file(struct st_platform *platform, const char *path)
{
    (void)path;
    return st_fake_state_fault(st_fake_state_of(platform), F_clean_file);
}

static int fake_remove_file(struct st_platform *platform, const char *path)
{
    const int error = st_fake_state_fault(st_fake_state_of(platform), F_remove_file);
    return error != 0 ? error : forget_file(st_fake_state_of(platform), path);
}

static int fake_make_folder(struct st_platform *platform, const char *path, mode_t mode)
{
    (void)path;
    (void)mode;
    return st_fake_state_fault(st_fake_state_of(platform), F_make_folder);
}

static int fake_remove_folder(struct st_platform *platform, const char *path)
{
    (void)path;
    return st_fake_state_fault(st_fake_state_of(platform), F_remove_folder);
}

static int fake_write_value(struct st_platform *platform, const char *path, const char *text)
{
    char old[4096];
    size_t len;
    const int error = st_fake_state_fault(st_fake_state_of(platform), F_write_value);
    if (error != 0)
        return error;
    const int r = fake_read_text(platform, path, old, sizeof(old), &len);
    if (r != 0)
        return r;
    char line[1024]; /* with a newline, as a kernel prints what was written */
    const int n = ST_PRINT(line, "%s\n", text);
    if (n < 0 || (size_t)n >= sizeof(line))
        return -E2BIG;
    return st_fake_state_put(st_fake_state_of(platform), &st_fake_state_of(platform)->files, path,
                             line, 0);
}

static int fake_write_sysctl(struct st_platform *platform, const char *name, const char *text)
{
    char old[4096];
    size_t len;
    struct st_fake *fake = st_fake_state_of(platform);
    const int error = st_fake_state_fault(fake, F_write_sysctl);
    if (error != 0)
        return error;
    if (platform->os == ST_OS_LINUX)
        return st_tree_write_sysctl_linux(platform, name, text);
    const int r = fake_read_sysctl(platform, name, old, sizeof(old), &len);
    return r != 0 ? r : st_fake_state_put(fake, &fake->sysctls, name, text, 0);
}

static int fake_can_write(struct st_platform *platform, const char *path, bool in_place)
{
    (void)path;
    (void)in_place;
    return st_fake_state_fault(st_fake_state_of(platform), F_can_write);
}

static int fake_lock_folder(struct st_platform *platform, const char *path)
{
    (void)path;
    return st_fake_state_fault(st_fake_state_of(platform), F_lock_folder);
}

/* No one has it. */
static int fake_folder_holder(struct st_platform *platform, const char *path)
{
    (void)path;
    const int error = st_fake_state_fault(st_fake_state_of(platform), F_folder_holder);
    return error != 0 ? error : -ENOENT;
}

static void fake_unlock_folder(struct st_platform *platform, int handle)
{
    (void)platform;
    (void)handle;
}

/* Each program prints what the test put there for its command line. */
static int fake_run(struct st_platform *machine, struct st_run *runs, size_t runs_n,
                    const struct st_run_as *as, int64_t limit_ns)
{
    struct st_fake *fake = st_fake_state_of(machine);
    (void)as;
    (void)limit_ns;
    const int error = st_fake_state_fault(fake, F_run);
    if (error != 0)
        return error;
    pthread_mutex_lock(&fake->lock);
    for (struct st_run *run = runs; run < runs + runs_n; run++) {
        char command[1024] = "";
        size_t used = 0;
        for (const char *const *arg = run->argv; *arg != NULL && used < sizeof(command); arg++)
            used += (size_t)snprintf(command + used, sizeof(command) - used, "%s%s",
                                     used > 0 ? " " : "", *arg);
        const struct st_fake_entry *entry = find(fake->answers, command);
        run->result =
            entry == NULL ? -ENOENT : copy_text(entry, run->buf, run->buf_bytes, &run->len);
    }
    pthread_mutex_unlock(&fake->lock);
    return 0;
}

/* Its files are in memory: nothing has a descriptor. */
static int fake_open_path(struct st_platform *machine, const char *path, int flags)
{
    (void)machine;
    (void)path;
    (void)flags;
    return -ENOTSUP;
}

void st_fake_state_add_files(struct st_platform *row)
{
    row->open_path = fake_open_path;
    row->read_text = fake_read_text;
    row->list = fake_list;
    row->read_sysctl = fake_read_sysctl;
    row->run = fake_run;
    row->replace_file = fake_replace_file;
    row->clean_file = fake_clean_file;
    row->remove_file = fake_remove_file;
    row->make_folder = fake_make_folder;
    row->remove_folder = fake_remove_folder;
    row->write_value = fake_write_value;
    row->write_sysctl = fake_write_sysctl;
    row->can_write = fake_can_write;
    row->lock_folder = fake_lock_folder;
    row->folder_holder = fake_folder_holder;
    row->unlock_folder = fake_unlock_folder;
}
