/* Parsers of Linux' text files; pure, so that they can be fuzzed. Internal to advisor/. */
#pragma once

#include "core/base.h"

/** Called for each setting that a parser finds; section is "" outside of sections. */
typedef void (*st_setting_fn)(void *ctx, const char *section, const char *key, const char *value);

/** Parses lines "key = value" below lines "[section]", as in daemon.conf and units of systemd.
 * Lines that begin with '#' or ';' are skipped, as are lines without '='. Both sides are trimmed.
 * Cuts `text` into pieces. */
void st_linux_text_settings(char *text, st_setting_fn fn, void *ctx);

/** Parses PipeWire's relaxed JSON and reports names and values of objects; '=' ':' ',' are white
 * space, '#' begins a comment. section: the name of the object that contains the setting, "" at the
 * top. Values inside nested objects are reported as well, but an object or array itself is not.
 * Names and values longer than 127 bytes are skipped, as is everything deeper than 32 levels. */
void st_linux_text_spa(const char *text, st_setting_fn fn, void *ctx);

/** Do the actions of an interrupt include a sound driver, or a bus that carries sound? */
bool st_linux_text_carries_sound(const char *actions);
