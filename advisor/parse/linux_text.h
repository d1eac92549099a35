/* Parsers of Linux' text files; pure, so that they can be fuzzed. Internal to advisor/. */
#pragma once

#include "core/base.h"

/** Called for each setting that a parser finds; section is "" outside of sections. */
typedef void (*st_setting_fn)(void *ctx, const char *section, const char *key, const char *value);

/**
 * Lines "key = value" below lines "[section]": daemon.conf, units. Lines that begin with '#' or ';' are left
 * out, as are lines without '='. Both sides are trimmed. Cuts `text` into pieces. */
void st_linux_text_settings(char *text, st_setting_fn fn, void *ctx);

/**
 * PipeWire's relaxed JSON: names and values of objects; '=' ':' ',' are white space, '#' begins a comment.
 * section: the name of the object that holds the setting, "" at the top; values that are objects or arrays
 * are walked, not given. Names and values longer than 127 bytes are left out, as is what lies deeper than
 * 32. */
void st_linux_text_spa(const char *text, st_setting_fn fn, void *ctx);

/** Do the actions of an interrupt include a sound driver, or a bus that carries sound? */
bool st_linux_text_carries_sound(const char *actions);
