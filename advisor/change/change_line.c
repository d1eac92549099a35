/* What single lines of other people's settings set: one function a syntax. */
#include "advisor/change/change_line.h"

#include <ctype.h>
#include <string.h>

#include "advisor/facts/text.h"

#define BLANKS   " \t"
#define GRUB_VAR "GRUB_CMDLINE_LINUX_DEFAULT"

static bool copy(char *to, size_t to_bytes, const char *from, size_t len)
{
    if (len == 0 || len >= to_bytes)
        return false;
    memcpy(to, from, len);
    to[len] = '\0';
    return true;
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

/* --- rules of udev --- */

/* KEY{attribute}, what is between it and the value, and the value in quotes. */
struct term {
    const char *key, *value;
    size_t key_len, value_len;
    bool match; /* == and != */
};

/* The next term of a rule. @return what follows it, NULL: no more. */
static const char *next_term(const char *at, struct term *ret)
{
    at += strspn(at, BLANKS ",");
    ret->key = at;
    at += strcspn(at, BLANKS "=!+-:");
    ret->key_len = (size_t)(at - ret->key);
    at += strspn(at, BLANKS);
    const size_t len = strspn(at, "=!+-:");
    if (ret->key_len == 0 || len == 0)
        return NULL;
    ret->match = len == 2 && (at[0] == '=' || at[0] == '!') && at[1] == '=';
    at += len;
    at += strspn(at, BLANKS);
    if (*at != '"')
        return NULL;
    ret->value = at + 1;
    ret->value_len = strcspn(at + 1, "\"");
    at += 1 + ret->value_len;
    return *at == '"' ? at + 1 : NULL;
}

/* Is this condition one of the rule's? */
static bool has_condition(const char *rule, const struct term *wanted)
{
    struct term term;
    for (const char *at = rule; (at = next_term(at, &term)) != NULL;) {
        if (term.match && term.key_len == wanted->key_len && term.value_len == wanted->value_len &&
            memcmp(term.key, wanted->key, term.key_len) == 0 &&
            memcmp(term.value, wanted->value, term.value_len) == 0)
            return true;
    }
    return false;
}

static bool udev_pair(const char *rule, size_t i, struct st_pair *ret)
{
    struct term term;
    for (const char *at = rule; (at = next_term(at, &term)) != NULL;) {
        if (!term.match && i-- == 0)
            return copy(ret->name, sizeof(ret->name), term.key, term.key_len) &&
                   copy(ret->value, sizeof(ret->value), term.value, term.value_len);
    }
    return false;
}

/* A rule whose conditions are all among ours is obeyed whenever ours is. */
const char *st_line_udev(const struct st_change *change, const char *name, char *line)
{
    struct term term;
    const char *value = NULL;
    size_t len = 0;
    for (const char *at = line; (at = next_term(at, &term)) != NULL;) {
        if (term.match && !has_condition(change->value, &term))
            return NULL;
        if (!term.match && term.key_len == strlen(name) && memcmp(term.key, name, term.key_len) == 0) {
            value = term.value;
            len = term.value_len;
        }
    }
    if (value != NULL)
        line[value - line + (ptrdiff_t)len] = '\0';
    return value;
}

/* --- pairs --- */

static bool word_pair(const char *words, size_t i, struct st_pair *ret)
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

bool st_change_pair(const struct st_change *change, size_t i, struct st_pair *ret)
{
    const bool boot = change->kind == ST_CHANGE_BOOT || change->kind == ST_CHANGE_BOOT_GRUB ||
                      change->kind == ST_CHANGE_BOOT_CMDLINE;
    if (change->kind == ST_CHANGE_UDEV)
        return udev_pair(change->value, i, ret);
    if (boot || change->kind == ST_CHANGE_MODPROBE)
        return word_pair(change->value, i, ret);
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
const char *st_line_sysctl(const struct st_change *change, const char *name, char *line)
{
    (void)change;
    const char *value = cut_at_equals(line);
    for (char *s = line; value != NULL && *s != '\0'; s++) {
        if (*s == '/')
            *s = '.';
    }
    return value != NULL && strcmp(line + (line[0] == '-'), name) == 0 ? value : NULL;
}

/* name="value" # words */
const char *st_line_assigned(const struct st_change *change, const char *name, char *line)
{
    (void)change;
    char *value = cut_at_equals(line);
    if (value == NULL || strcmp(line, name) != 0)
        return NULL;
    const char quote = value[0] == '"' || value[0] == '\'' ? value[0] : '\0';
    if (quote != '\0')
        value++;
    value[strcspn(value, quote == '"' ? "\"" : quote == '\'' ? "'" : BLANKS "#;")] = '\0';
    return value;
}

/* w /sys/... mode user group age text */
const char *st_line_tmpfiles(const struct st_change *change, const char *name, char *line)
{
    (void)change;
    const char *type = next_word(&line), *path = next_word(&line);
    if (path == NULL || type[0] != 'w' || strcmp(path, name) != 0)
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
const char *st_line_modprobe(const struct st_change *change, const char *name, char *line)
{
    const char *word = next_word(&line), *module = next_word(&line);
    if (module == NULL || line == NULL || strcmp(word, "options") != 0 ||
        strlen(module) != strlen(change->key))
        return NULL;
    for (size_t i = 0; module[i] != '\0'; i++) {
        if ((module[i] == '-' ? '_' : module[i]) != (change->key[i] == '-' ? '_' : change->key[i]))
            return NULL;
    }
    return last_of_words(line, name);
}

/* @audio - rtprio 95: of equally special lines the later one counts (pam_limits) */
const char *st_line_limits(const struct st_change *change, const char *name, char *line)
{
    (void)name;
    char ours[ST_CHANGE_KEY_BYTES], *rest = ours;
    strcpy(ours, change->key);
    const char *domain = next_word(&rest), *type = next_word(&rest), *item = next_word(&rest);
    const char *their_domain = next_word(&line), *their_type = next_word(&line),
               *their_item = next_word(&line);
    const char *value = next_word(&line);
    if (item == NULL || value == NULL || strcmp(domain, their_domain) != 0 || strcmp(item, their_item) != 0)
        return NULL;
    return strcmp(type, "-") == 0 || strcmp(their_type, "-") == 0 || strcmp(type, their_type) == 0 ? value
                                                                                                   : NULL;
}

const char *st_line_systemd(const struct st_change *change, const char *name, char *line)
{
    (void)change;
    const char *value = cut_at_equals(line);
    return value != NULL && strcmp(line, name) == 0 ? value : NULL;
}

const char *st_line_cmdline(const struct st_change *change, const char *name, char *line)
{
    (void)change;
    return last_of_words(line, name);
}

/* Either an option of this name, or a text that ours is not part of any more. */
const char *st_line_grub(const struct st_change *change, const char *name, char *line)
{
    (void)change;
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
    return value != NULL || appends ? value : "a text without it";
}

/* A record of the same class: of several the first one counts. */
const char *st_line_login(const struct st_change *change, const char *name, char *line)
{
    (void)change;
    char *fields = line + strcspn(line, ":");
    if (*fields != ':')
        return NULL;
    *fields = '\0';
    for (char *rest = line, *alias; (alias = strsep(&rest, "|")) != NULL;) {
        if (strcmp(alias, name) == 0)
            return "a record of its own";
    }
    return NULL;
}
