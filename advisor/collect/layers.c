/* Configuration of systemd in layers. */
#include "advisor/collect/layers.h"
#include "core/text/text.h"

#define DROPINS_MAX 64
#define NAME_BYTES  128
#define PATH_BYTES  512

struct dropins {
    struct {
        char name[NAME_BYTES], path[PATH_BYTES];
    } row[DROPINS_MAX];
    size_t n;
    const char *folder;
};

struct reading {
    struct st_machine *machine;
    char *buf;
    size_t buf_bytes;
    st_layer_fn fn;
    void *ctx;
};

static const char *const unit_folders[] = {"/etc/systemd/system",           "/run/systemd/system",
                                           "/usr/local/lib/systemd/system", "/usr/lib/systemd/system",
                                           "/lib/systemd/system",           NULL};
static const char *const conf_folders[] = {"/etc/systemd", "/run/systemd", "/usr/local/lib/systemd",
                                           "/usr/lib/systemd", NULL};

/** A line that ends with a backslash goes on in the next one: systemd.syntax(7). */
static void join_lines(char *text)
{
    for (char *at = strstr(text, "\\\n"); at != NULL; at = strstr(at, "\\\n"))
        at[0] = at[1] = ' ';
}

/** @return whether it was there and could be read. */
static bool read_one(const struct reading *reading, const char *path)
{
    size_t len;
    if (reading->machine->read_text(reading->machine, path, reading->buf, reading->buf_bytes, &len) != 0)
        return false;
    join_lines(reading->buf);
    reading->fn(reading->ctx, path, reading->buf);
    return true;
}

static int see_dropin(void *ctx, const char *name)
{
    struct dropins *dropins = ctx;
    size_t at = 0;
    if (strlen(name) >= NAME_BYTES || !st_text_ends(name, ".conf"))
        return 0;
    while (at < dropins->n && strcmp(dropins->row[at].name, name) < 0)
        at++;
    if (dropins->n == DROPINS_MAX || (at < dropins->n && st_text_is(dropins->row[at].name, name)))
        return 0;
    memmove(&dropins->row[at + 1], &dropins->row[at], (dropins->n++ - at) * sizeof(dropins->row[0]));
    snprintf(dropins->row[at].name, NAME_BYTES, "%s", name);
    snprintf(dropins->row[at].path, PATH_BYTES, "%s/%s", dropins->folder, name);
    return 0;
}

static void read_all(const struct reading *reading, const char *const *folders, const char *const *files,
                     const char *const *kinds)
{
    struct dropins dropins = {0};
    char path[PATH_BYTES];
    bool found = false;
    for (; *files != NULL && !found; files++) {
        for (size_t i = 0; folders[i] != NULL && !found; i++) {
            ST_PRINT(path, "%s/%s", folders[i], *files);
            found = read_one(reading, path);
        }
    }
    for (; *kinds != NULL; kinds++) {
        for (size_t i = 0; folders[i] != NULL; i++) {
            ST_PRINT(path, "%s/%s.d", folders[i], *kinds);
            dropins.folder = path;
            (void)reading->machine->list(reading->machine, path, see_dropin,
                                         &dropins); /* most are not there */
        }
    }
    ST_EACH_OF (dropin, dropins.row, dropins.n)
        (void)read_one(reading, dropin->path);
}

void st_layers_unit(struct st_machine *machine, const char *unit, char *buf, size_t buf_bytes, st_layer_fn fn,
                    void *ctx)
{
    const struct reading reading = {machine, buf, buf_bytes, fn, ctx};
    const char *at = strchr(unit, '@'), *dot = strrchr(unit, '.');
    if (strlen(unit) >= NAME_BYTES || dot == NULL)
        return;
    if (at == NULL || dot <= at + 1) {
        read_all(&reading, unit_folders, (const char *const[]){unit, NULL},
                 (const char *const[]){unit, dot + 1, NULL});
        return;
    }
    const char *template = ST_TEXT(NAME_BYTES, "%.*s%s", (int)(at + 1 - unit), unit, dot);
    read_all(&reading, unit_folders, (const char *const[]){unit, template, NULL},
             (const char *const[]){unit, template, dot + 1, NULL});
}

void st_layers_conf(struct st_machine *machine, const char *name, char *buf, size_t buf_bytes, st_layer_fn fn,
                    void *ctx)
{
    const struct reading reading = {machine, buf, buf_bytes, fn, ctx};
    const char *const names[] = {name, NULL};
    read_all(&reading, conf_folders, names, names);
}
