#include "core/text/shell_word.h"

#include <stdbool.h>
#include <string.h>

#include "core/text/safe.h"

#define PLAIN "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,@%+-"

/** A '=' at the beginning is the path of a command to zsh. */
static bool is_plain(const char *word)
{
    return word[0] != '\0' && word[0] != '=' && word[strspn(word, PLAIN)] == '\0';
}

const char *st_shell_word(const char *word, char *buf, size_t buf_bytes)
{
    const size_t word_bytes = strlen(word);
    if (!st_safe_is(word))
        return NULL;
    if (is_plain(word)) {
        if (word_bytes >= buf_bytes)
            return NULL;
        return strcpy(buf, word);
    }
    if (buf_bytes < 3)
        return NULL;
    size_t used = 0;
    buf[used++] = '\'';
    for (; *word != '\0'; word++) {
        const bool apart = *word == '\'' || *word == '!'; /* csh reads "!" within quotes, too */
        if (used + 6 > buf_bytes)
            return NULL;
        if (apart) {
            memcpy(buf + used, "'\\", 2);
            used += 2;
        }
        buf[used++] = *word;
        if (apart)
            buf[used++] = '\'';
    }
    buf[used++] = '\'';
    buf[used] = '\0';
    return buf;
}
