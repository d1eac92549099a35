/* What is there now: running values and blocks in files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "advisor/change/change.h"
#include "advisor/facts/text.h"

/* "always [madvise] never" is how sysfs shows a choice, "none voluntary (full)" debugfs; only the chosen word
 * can be written back. */
static void keep_choice(char *text)
{
    char *open = strpbrk(text, "[(");
    const size_t len = open != NULL ? strcspn(open + 1, " []()") : 0;
    if (len == 0 || (open > text && open[-1] != ' ') || open[1 + len] != (open[0] == '[' ? ']' : ')'))
        return;
    memmove(text, open + 1, len);
    text[len] = '\0';
}

static void single_spaces(char *text)
{
    char *to = text;
    for (const char *from = text; *from != '\0'; from++) {
        const bool blank = *from == ' ' || *from == '\t';
        if (!blank)
            *to++ = *from;
        else if (to > text && to[-1] != ' ')
            *to++ = ' ';
    }
    *to = '\0';
}

static bool is_plain(const char *text)
{
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < ' ' || (unsigned char)*text >= 0x7f)
            return false;
    }
    return true;
}

int st_change_value_read(struct st_platform *p, enum st_entry_type type, const char *target, char *buf,
                         size_t buf_bytes)
{
    char text[ST_CHANGE_TEXT_BYTES];
    size_t len;
    const int r = type == ST_ENTRY_SYSCTL ? p->read_sysctl(p, target, text, sizeof(text), &len)
                                          : p->read_text(p, target, text, sizeof(text), &len);
    if (r < 0)
        return r == -EFBIG ? -EBADMSG : r;
    if (strlen(text) != len)
        return -EBADMSG;
    st_text_trim(text);
    single_spaces(text);
    keep_choice(text);
    if (!is_plain(text) || strlen(text) >= buf_bytes)
        return -EBADMSG;
    strcpy(buf, text);
    return 0;
}

int st_change_value_write(struct st_platform *p, enum st_entry_type type, const char *target,
                          const char *value)
{
    return type == ST_ENTRY_SYSCTL ? p->write_sysctl(p, target, value) : p->write_value(p, target, value);
}

int st_change_file_read(struct st_platform *p, const char *path, char **ret)
{
    size_t len;
    char *text = malloc(ST_CHANGE_FILE_BYTES + 1);
    if (text == NULL)
        return -ENOMEM;
    int r = p->read_text(p, path, text, ST_CHANGE_FILE_BYTES + 1, &len);
    if (r == 0 && strlen(text) != len)
        r = -EBADMSG;
    if (r < 0) {
        free(text);
        return r;
    }
    *ret = text;
    return 0;
}

const char *st_change_block_find(const char *text, const char *block)
{
    const char *last = NULL;
    for (const char *at = strstr(text, block); at != NULL; at = strstr(at + 1, block)) {
        if (at == text || at[-1] == '\n' || block[0] == '\n')
            last = at;
    }
    return last;
}

static enum st_entry_state file_state(struct st_platform *p, const struct st_entry *entry, int *ret_error)
{
    char *text;
    const int r = st_change_file_read(p, entry->target, &text);
    if (r == -ENOENT)
        return ST_ENTRY_GONE;
    if (r < 0) {
        *ret_error = r;
        return ST_ENTRY_UNREAD;
    }
    const bool found = st_change_block_find(text, entry->new_value) != NULL;
    free(text);
    return found ? ST_ENTRY_IN_PLACE : ST_ENTRY_DIFFERS;
}

enum st_entry_state st_change_state(struct st_platform *p, const struct st_entry *entry, char *buf,
                                    size_t buf_bytes, int *ret_error)
{
    buf[0] = '\0';
    if (entry->type == ST_ENTRY_FILE)
        return file_state(p, entry, ret_error);
    const int r = st_change_value_read(p, entry->type, entry->target, buf, buf_bytes);
    if (r == -ENOENT)
        return ST_ENTRY_GONE;
    if (r < 0) {
        *ret_error = r;
        return ST_ENTRY_UNREAD;
    }
    return strcmp(buf, entry->new_value) == 0 ? ST_ENTRY_IN_PLACE : ST_ENTRY_DIFFERS;
}
