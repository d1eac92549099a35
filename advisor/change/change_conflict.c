/* Someone else's line that says otherwise and wins over ours: in the files that are read later, and behind
 * our line in its own file. (Where the first of several counts: earlier, and before it.) */
#include "advisor/change/change.h"
#include "advisor/facts/facts.h"
#include "advisor/facts/text.h"
#include "core/text/text.h"

/* One name and value of a change: "power_save", "0" of a module's options "power_save=0 beep_mode=0". */
struct pair {
    char name[ST_CHANGE_VALUE_BYTES];
    char value[ST_CHANGE_VALUE_BYTES];
};

/* What a line sets `name` to: text within the line, which is changed, or static; NULL: it says nothing. */
typedef const char *(*line_fn)(const struct st_change *change, const char *name, char *line);

/* --- what a line sets: one function a syntax --- */

#define BLANKS   " \t"
#define GRUB_VAR "GRUB_CMDLINE_LINUX_DEFAULT"

static bool copy(char *to, size_t to_bytes, const char *from, size_t len)
{
    return len > 0 && st_text_copy(to, to_bytes, from, len);
}

/* Splits the next word off; NULL: none. */
static char *next_word(char **rest)
{
    char *word;
    do {
        word = strsep(rest, BLANKS);
    } while (word != NULL && word[0] == '\0');
    return word;
}

/* The value of "name=value" or "name" (empty) among words, the last one; NULL: not there. */
static const char *last_of_words(char *words, const char *name)
{
    const size_t len = strlen(name);
    const char *value = NULL;
    for (char *word = next_word(&words); word != NULL; word = next_word(&words)) {
        if (strncmp(word, name, len) == 0 && (word[len] == '=' || word[len] == '\0'))
            value = word + len + (word[len] == '=');
    }
    return value;
}

/* --- settings of PipeWire --- */

/* { a = 1 "b": 2 } becomes the words a=1 b=2. */
static void spa_words(char *text)
{
    char *to = text;
    bool equals = false;
    for (const char *at = text; *at != '\0' && *at != '#'; at++) {
        const bool sign = *at == '=' || *at == ':', blank = strchr(BLANKS "\",", *at) != NULL;
        while (sign && to > text && to[-1] == ' ')
            to--;
        if (strchr("{}", *at) != NULL || (blank && !equals))
            *to++ = ' ';
        else if (!blank)
            *to++ = sign ? '=' : *at;
        equals = sign || (equals && blank);
    }
    *to = '\0';
}

static const char *line_pipewire(ST_UNUSED const struct st_change *change, const char *name, char *line)
{
    spa_words(line);
    return last_of_words(line, name);
}

/* A rule that stands in one line, for this card: "~alsa_output.usb-X.*" (0.5), "alsa_output.usb-X*" (0.4). */
static const char *line_wireplumber(const struct st_change *change, const char *name, char *line)
{
    const size_t name_len = strlen(name);
    const char *value = NULL;
    bool same = false;
    for (char *s = line; *s != '\0'; s++)
        *s = *s == '[' || *s == ']' ? ' ' : *s;
    spa_words(line);
    for (char *word = next_word(&line); word != NULL; word = next_word(&line)) {
        const char *card = strstr(word, "alsa_");
        size_t len = card != NULL ? strcspn(card, "*") : 0;
        len -= len > 0 && card[len] == '*' && card[len - 1] == '.';
        const size_t ours = strlen(change->value);
        same = same || (card != NULL && strncmp(card, change->value, len < ours ? len : ours) == 0);
        if (strncmp(word, name, name_len) == 0 && word[name_len] == '=')
            value = word + name_len + 1;
    }
    return same ? value : NULL;
}

/* --- pairs --- */

static bool word_pair(const char *words, size_t i, struct pair *ret)
{
    for (words += strspn(words, BLANKS); *words != '\0'; words += strspn(words, BLANKS)) {
        const size_t len = strcspn(words, BLANKS), name_len = strcspn(words, BLANKS "=");
        if (i-- == 0) {
            ret->value[0] = '\0';
            return copy(ret->name, sizeof(ret->name), words, name_len) &&
                   (name_len + 1 >= len ||
                    copy(ret->value, sizeof(ret->value), words + name_len + 1, len - name_len - 1));
        }
        words += len;
    }
    return false;
}

static bool pair_at(const struct st_change *change, size_t i, struct pair *ret)
{
    const bool boot = change->kind == ST_CHANGE_BOOT || change->kind == ST_CHANGE_BOOT_GRUB ||
                      change->kind == ST_CHANGE_BOOT_CMDLINE;
    if (boot || change->kind == ST_CHANGE_MODPROBE)
        return word_pair(change->value, i, ret);
    if (change->kind == ST_CHANGE_PIPEWIRE) {
        char words[ST_CHANGE_VALUE_BYTES];
        strcpy(words, change->value);
        spa_words(words);
        return word_pair(words, i, ret);
    }
    if (i > 0)
        return false;
    if (change->kind == ST_CHANGE_SYSTEMD) {
        const size_t len = strcspn(change->value, "=");
        ret->value[0] = '\0';
        return change->value[len] == '=' && copy(ret->name, sizeof(ret->name), change->value, len) &&
               (change->value[len + 1] == '\0' ||
                copy(ret->value, sizeof(ret->value), change->value + len + 1,
                     strlen(change->value + len + 1)));
    }
    if (change->kind == ST_CHANGE_WIREPLUMBER || change->kind == ST_CHANGE_WIREPLUMBER_LUA) {
        ST_PRINT(ret->name, "%s", "api.alsa.headroom");
        ST_PRINT(ret->value, "%s", "512"); /* as change.c writes it */
        return true;
    }
    return copy(ret->name, sizeof(ret->name), change->key, strlen(change->key)) &&
           copy(ret->value, sizeof(ret->value), change->value, strlen(change->value));
}

/* --- lines --- */

/* Cuts "key = value" in two. @return the value, NULL: no such line. Both are without blanks around them. */
static char *cut_at_equals(char *line)
{
    char *equals = strchr(line, '=');
    if (equals == NULL)
        return NULL;
    *equals = '\0';
    st_text_trim(line);
    st_text_trim(equals + 1);
    return equals + 1;
}

/* "vm/x", "-vm.x" and "vm.x" are one key. */
static const char *line_sysctl(ST_UNUSED const struct st_change *change, const char *name, char *line)
{
    const char *value = cut_at_equals(line);
    for (char *s = line; value != NULL && *s != '\0'; s++) {
        if (*s == '/')
            *s = '.';
    }
    return value != NULL && st_text_is(line + (line[0] == '-'), name) ? value : NULL;
}

/* name="value" # words */
static const char *line_assigned(ST_UNUSED const struct st_change *change, const char *name, char *line)
{
    char *value = cut_at_equals(line);
    if (value == NULL || !st_text_is(line, name))
        return NULL;
    const char quote = value[0] == '"' || value[0] == '\'' ? value[0] : '\0';
    if (quote != '\0')
        value++;
    value[strcspn(value, quote == '"' ? "\"" : quote == '\'' ? "'" : BLANKS "#;")] = '\0';
    return value;
}

/* w /sys/... mode user group age text */
static const char *line_tmpfiles(ST_UNUSED const struct st_change *change, const char *name, char *line)
{
    const char *type = next_word(&line), *path = next_word(&line);
    if (path == NULL || type[0] != 'w' || !st_text_is(path, name))
        return NULL;
    for (int i = 0; i < 4; i++) {
        if (next_word(&line) == NULL)
            return NULL;
    }
    if (line != NULL)
        st_text_trim(line);
    return line;
}

/* options snd-hda-intel power_save=1: '-' and '_' are one */
static const char *line_modprobe(const struct st_change *change, const char *name, char *line)
{
    const char *word = next_word(&line), *module = next_word(&line);
    if (module == NULL || line == NULL || !st_text_is(word, "options") ||
        strlen(module) != strlen(change->key))
        return NULL;
    for (size_t i = 0; module[i] != '\0'; i++) {
        if ((module[i] == '-' ? '_' : module[i]) != (change->key[i] == '-' ? '_' : change->key[i]))
            return NULL;
    }
    return last_of_words(line, name);
}

/* @audio - rtprio 95: of equally special lines the later one counts (pam_limits) */
static const char *line_limits(const struct st_change *change, ST_UNUSED const char *name, char *line)
{
    char ours[ST_CHANGE_KEY_BYTES], *rest = ours;
    strcpy(ours, change->key);
    const char *domain = next_word(&rest), *type = next_word(&rest), *item = next_word(&rest);
    const char *their_domain = next_word(&line), *their_type = next_word(&line),
               *their_item = next_word(&line);
    const char *value = next_word(&line);
    if (item == NULL || value == NULL || !st_text_is(domain, their_domain) || !st_text_is(item, their_item))
        return NULL;
    return st_text_is(type, "-") || st_text_is(their_type, "-") || st_text_is(type, their_type) ? value
                                                                                                : NULL;
}

static const char *line_systemd(ST_UNUSED const struct st_change *change, const char *name, char *line)
{
    const char *value = cut_at_equals(line);
    return value != NULL && st_text_is(line, name) ? value : NULL;
}

static const char *line_cmdline(ST_UNUSED const struct st_change *change, const char *name, char *line)
{
    return last_of_words(line, name);
}

/* Either an option of this name, or a text that ours is not part of any more. */
static const char *line_grub(ST_UNUSED const struct st_change *change, const char *name, char *line)
{
    const size_t len = strlen(GRUB_VAR);
    line += strspn(line, BLANKS);
    if (strncmp(line, GRUB_VAR, len) != 0)
        return NULL;
    line += len;
    bool appends = line[0] == '+';
    line += appends;
    if (line[0] != '=')
        return NULL;
    appends |= strstr(line, "$" GRUB_VAR) != NULL || strstr(line, "${" GRUB_VAR) != NULL;
    for (char *s = line; *s != '\0'; s++) {
        if (*s == '=' && s == line)
            *s = ' ';
        else if (*s == '"' || *s == '\'')
            *s = ' ';
    }
    const char *value = last_of_words(line, name);
    return value != NULL || appends ? value : "a value without this option";
}

/* A record of the same class: of several the first one counts. */
static const char *line_login(ST_UNUSED const struct st_change *change, const char *name, char *line)
{
    char *fields = line + strcspn(line, ":");
    if (*fields != ':')
        return NULL;
    *fields = '\0';
    for (char *rest = line, *alias; (alias = strsep(&rest, "|")) != NULL;) {
        if (st_text_is(alias, name))
            return "another record";
    }
    return NULL;
}

/* --- which line wins --- */

#define DIRS_MAX  5
#define AFTER_MAX 3

/* In which files lines of a kind stand. */
struct order {
    enum st_change_kind kind;
    enum st_os os;
    line_fn line;
    bool first_wins;
    const char *suffix;
    /* A file in one of them hides those of its name in the ones below; all of them are read in the order of
     * names.
     * "%s": the unit. */
    const char *dirs[DIRS_MAX];
    const char *after[AFTER_MAX]; /* read after all of them. "%s": the script in rc.d */
};

#define EVERYWHERE(folder)                                                                                   \
    {                                                                                                        \
        "/etc/" folder, "/run/" folder, "/usr/local/lib/" folder, "/usr/lib/" folder, "/lib/" folder         \
    }

#define WIREPLUMBER(folder)                                                                                  \
    {                                                                                                        \
        "%s/wireplumber/" folder, "/etc/wireplumber/" folder, "/usr/share/wireplumber/" folder               \
    }

/* Sources: sysctl.d(5), tmpfiles.d(5), modprobe.d(5), systemd.unit(5), pam_limits(8), pipewire.conf(5),
 * loader.conf(5), rc.conf(5), sysctl.conf(5), login.conf(5), Debian's grub-mkconfig, WirePlumber's manual
 * ("Working with fragments", "Locations of WirePlumber's files"). */
static const struct order orders[] = {
    {ST_CHANGE_SYSCTL, ST_OS_LINUX, line_sysctl, .suffix = ".conf", .dirs = EVERYWHERE("sysctl.d"),
     .after = {"/etc/sysctl.conf"}}, /* by sysctl --system; not by systemd-sysctl */
    {ST_CHANGE_SYSFS, ST_OS_LINUX, line_tmpfiles, .first_wins = true, .suffix = ".conf",
     .dirs = EVERYWHERE("tmpfiles.d")},
    {ST_CHANGE_MODPROBE, ST_OS_LINUX, line_modprobe, .suffix = ".conf", .dirs = EVERYWHERE("modprobe.d")},
    {ST_CHANGE_LIMITS, ST_OS_LINUX, line_limits, .suffix = ".conf", .dirs = {"/etc/security/limits.d"}},
    {ST_CHANGE_SYSTEMD, ST_OS_LINUX, line_systemd, .suffix = ".conf",
     .dirs = EVERYWHERE("systemd/system/%s.d")},
    {ST_CHANGE_PIPEWIRE, ST_OS_LINUX, line_pipewire, .suffix = ".conf",
     .dirs = {"%s/pipewire/pipewire.conf.d"}},
    {ST_CHANGE_WIREPLUMBER, ST_OS_LINUX, line_wireplumber, .suffix = ".conf",
     .dirs = WIREPLUMBER("wireplumber.conf.d")},
    {ST_CHANGE_WIREPLUMBER_LUA, ST_OS_LINUX, line_wireplumber, .suffix = ".lua",
     .dirs = WIREPLUMBER("main.lua.d")},
    {ST_CHANGE_BOOT, ST_OS_LINUX, line_grub, .suffix = ".cfg", .dirs = {"/etc/default/grub.d"}},
    {ST_CHANGE_BOOT_GRUB, ST_OS_LINUX, line_grub},
    {ST_CHANGE_BOOT_CMDLINE, ST_OS_LINUX, line_cmdline},
    {ST_CHANGE_SYSCTL, ST_OS_FREEBSD, line_assigned, .after = {"/etc/sysctl.conf.local"}},
    {ST_CHANGE_LOADER, ST_OS_FREEBSD, line_assigned, .suffix = ".conf", .dirs = {"/boot/loader.conf.d"},
     .after = {"/boot/loader.conf.local"}},
    {ST_CHANGE_RC_CONF, ST_OS_FREEBSD, line_assigned,
     .after = {"/etc/rc.conf.local", "/etc/rc.conf.d/%s", "/usr/local/etc/rc.conf.d/%s"}},
    {ST_CHANGE_LOGIN_CLASS, ST_OS_FREEBSD, line_login, .first_wins = true},
};

struct search {
    struct st_machine *machine;
    const struct st_change *change;
    const struct order *order;
    const struct pair *pair;
    const struct st_change_form *form; /* our file and line */
    size_t dir;                        /* index into order->dirs */
    /* the line that wins so far */
    char path[512];
    unsigned line_n;
    char value[64];
    bool differs;
    bool found;
};

static void note(struct search *search, const char *path, unsigned line_n, const char *value)
{
    /* of several in one file the later one counts, or the first */
    if (search->found && search->order->first_wins && st_text_is(search->path, path))
        return;
    ST_PRINT(search->path, "%s", path);
    ST_PRINT(search->value, "%.60s", value);
    search->line_n = line_n;
    search->differs = !st_text_is(value, search->pair->value);
    search->found = true;
}

static bool is_comment(const char *line)
{
    line += strspn(line, " \t");
    return line[0] == '#' || line[0] == ';' || line[0] == '\0';
}

/* Lines first_n to last_n. */
static void look_into(struct search *search, const char *path, char *text, unsigned first_n, unsigned last_n)
{
    unsigned line_n = 0;
    for (char *rest = text, *line; (line = strsep(&rest, "\n")) != NULL;) {
        line_n++;
        if (line_n < first_n || line_n > last_n || is_comment(line))
            continue;
        const char *value = search->order->line(search->change, search->pair->name, line);
        if (value != NULL)
            note(search, path, line_n, value);
    }
}

static void look_into_file(struct search *search, const char *path)
{
    char *text;
    if (st_change_file_read(search->machine, path, &text) != 0)
        return; /* a file that cannot be read is no reason not to apply: verify finds out after the boot */
    look_into(search, path, text, 1, UINT32_MAX);
    free(text);
}

static unsigned line_of(const char *text, const char *at)
{
    unsigned n = 1;
    for (; text < at; text++)
        n += *text == '\n';
    return n;
}

/* Behind our line, or before it where the first one counts. Not yet there, it will be the last one. */
static void look_into_own(struct search *search)
{
    char *text;
    if (st_change_file_read(search->machine, search->form->path, &text) != 0)
        return;
    const char *at = st_change_block_find(text, search->form->line + search->form->section_bytes);
    const unsigned line_n = at != NULL ? line_of(text, at) : UINT32_MAX;
    if (search->order->first_wins)
        look_into(search, search->form->path, text, 1, line_n - 1);
    else if (at != NULL)
        look_into(search, search->form->path, text, line_n + 1, UINT32_MAX);
    free(text);
}

static bool in_dir(const struct search *search, size_t dir, const char *name, char *buf, size_t buf_bytes)
{
    char folder[256];
    const char *format = search->order->dirs[dir];
    if (strstr(format, "%s") == NULL)
        ST_PRINT(folder, "%s", format);
    else
        ST_PRINT(folder, "%.*s%s%s", (int)(strstr(format, "%s") - format), format, search->change->key,
                 strstr(format, "%s") + 2);
    const int n =
        snprintf(buf, buf_bytes, "%s%s%s", folder, name != NULL ? "/" : "", name != NULL ? name : "");
    return n > 0 && (size_t)n < buf_bytes;
}

static bool is_hidden(const struct search *search, const char *name)
{
    char path[512], buf[1];
    size_t len;
    for (size_t i = 0; i < search->dir; i++) {
        if (in_dir(search, i, name, path, sizeof(path)) &&
            search->machine->read_text(search->machine, path, buf, sizeof(buf), &len) != -ENOENT)
            return true;
    }
    return false;
}

/* Does it come behind the one that wins so far, or ahead of it where the first one counts? */
static bool wins(const struct search *search, const char *name)
{
    const char *best = search->found ? strrchr(search->path, '/') + 1 : strrchr(search->form->path, '/') + 1;
    const int order = strcmp(name, best);
    return search->order->first_wins ? order < 0 : order > 0;
}

static int look_at_name(void *ctx, const char *name)
{
    struct search *search = ctx;
    char path[512];
    if (strlen(name) > 255 || !st_text_ends(name, search->order->suffix) || !wins(search, name) ||
        is_hidden(search, name))
        return 0;
    if (in_dir(search, search->dir, name, path, sizeof(path)))
        look_into_file(search, path);
    return 0;
}

/* Not every system reads the files that are said to come last. */
static bool is_read_last(struct search *search)
{
    char release[32];
    size_t len;
    struct st_machine *machine = search->machine;
    if (search->change->kind == ST_CHANGE_SYSCTL &&
        machine->os == ST_OS_LINUX) /* systemd's own sign, sd_booted(3) */
        return st_change_folder_look(machine, "/run/systemd/system") != 0;
    return search->change->kind != ST_CHANGE_LOADER ||
           machine->read_sysctl(machine, "kern.osreldate", release, sizeof(release), &len) != 0 ||
           strtol(release, NULL, 10) >= ST_FREEBSD_LOADER_LOCAL_LAST;
}

/* Which script of rc.d reads the variable: its name begins with that, but for those of power_profile. */
static void look_after(struct search *search, const char *format)
{
    char path[512];
    const char *key = search->change->key, *at = strstr(format, "%s");
    const bool profile = st_text_begins(key, "performance_") || st_text_begins(key, "economy_");
    if (!is_read_last(search))
        return;
    if (at == NULL)
        ST_PRINT(path, "%s", format);
    else
        ST_PRINT(path, "%.*s%.*s", (int)(at - format), format,
                 profile ? (int)strlen("power_profile") : (int)strcspn(key, "_"),
                 profile ? "power_profile" : key);
    look_into_file(search, path);
}

static bool find(struct search *search)
{
    char folder[512];
    look_into_own(search);
    for (search->dir = 0; search->dir < DIRS_MAX && search->order->dirs[search->dir] != NULL; search->dir++) {
        if (in_dir(search, search->dir, NULL, folder, sizeof(folder)))
            (void)search->machine->list(search->machine, folder, look_at_name, search);
    }
    for (size_t i = 0; i < AFTER_MAX && search->order->after[i] != NULL; i++)
        look_after(search, search->order->after[i]);
    return search->found && search->differs;
}

static const struct order *order_of(enum st_os os, enum st_change_kind kind)
{
    ST_EACH (row, orders) {
        if (row->os == os && row->kind == kind)
            return row;
    }
    return NULL;
}

bool st_change_conflict(struct st_machine *machine, const struct st_change *change, char *buf,
                        size_t buf_bytes)
{
    struct st_change_form form;
    struct pair pair;
    const struct order *order = order_of(machine->os, change->kind);
    if (order == NULL || st_change_form(machine->os, change, &form) != 0)
        return false;
    for (size_t i = 0; pair_at(change, i, &pair); i++) {
        struct search search = {
            .machine = machine, .change = change, .order = order, .pair = &pair, .form = &form};
        if (!find(&search))
            continue;
        snprintf(buf, buf_bytes,
                 "%.200s:%u sets %.80s to %.60s %s and overrides the new setting at the next boot or login: "
                 "remove this line",
                 search.path, search.line_n, pair.name, search.value[0] != '\0' ? search.value : "nothing",
                 order->first_wins ? "first" : "later");
        return true;
    }
    return false;
}
