/* What libconfig would take wrongly or must not see; looked for before it reads the text. */
#ifndef ST_DAEMON_CONFIG_CONFIG_CHECK_H
#define ST_DAEMON_CONFIG_CONFIG_CHECK_H

#include "core/base.h"

/** Called with the line (from 1) and a sentence. */
typedef void (*st_config_check_fn)(void *ctx, unsigned line, const char *message);

/**
 * Reports zero bytes (they end libconfig's text), @include (one file, so that every message has the right
 * line), and integers beyond 32 bits (libconfig 1.5 wraps them, so that 4294967424 would read as 128).
 * @return how many were reported. Pure.
 */
unsigned st_config_check(const char *text, size_t len, st_config_check_fn report, void *ctx);

#endif
