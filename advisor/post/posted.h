/* A text that a user saved or posted becomes facts: what commands printed, also several of them in one text,
 * quoted ("> "), behind prompts, between prose. */
#pragma once

#include "advisor/facts/facts.h"

/** Among the kinds of ST_KEY_SYSTEM_INPUT: `sysctl -a` of FreeBSD, where what is not in it does not exist. */
#define ST_POSTED_ALL "all sysctls"

#define ST_POSTED_MAX_BYTES (16 * 1024 * 1024)

/**
 * Reads the text and adds its facts.
 * @param facts *facts NULL: new ones, of the text's system. @param source what the facts say where they come
 * from
 * @return 0; -ENOMEM; -EBADMSG (nothing of it is understood); -ENODATA (what it has says
 * nothing of a setting, and nothing happened in it); -EXDEV (of another system than
 * the facts that are there). */
ST_NODISCARD int st_posted_add(const char *text, size_t bytes, const char *source, struct st_facts **facts);
