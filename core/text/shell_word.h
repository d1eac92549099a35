/* Words of command lines that users copy from the screen. */
#ifndef ST_CORE_TEXT_SHELL_WORD_H
#define ST_CORE_TEXT_SHELL_WORD_H

#include "core/base.h"

/** A word quoted for sh and csh, unquoted where it needs no quotes. A word that begins with '-' stays an
 * option: quotes do not change that.
 * @param buf_bytes 4 * length + 3 are enough for each word. @return buf; NULL: the word is not safe text
 * (core/text/safe.h), so that the line on the screen would not be the line that runs, or it does not fit. */
const char *st_shell_word(const char *word, char *buf, size_t buf_bytes);

#endif
