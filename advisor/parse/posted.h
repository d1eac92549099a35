/* A text that a user saved or posted becomes facts: sysctl, uname -a, alsa-info.sh, /dev/sndstat, and the
 * formats of post.h; also several of them in one text, quoted ("> "), behind prompts, between prose. */
#pragma once

#include "advisor/facts/facts.h"

/** Values of ST_KEY_SYSTEM_LACKS, with blanks between them. */
#define ST_POSTED_PROCESSES "/proc/[0-9]*"
#define ST_POSTED_CARDS     "/proc/asound"
#define ST_POSTED_USB       "/sys/bus/usb"
#define ST_POSTED_HEAT      "/sys/devices/system/cpu/cpu0/thermal_throttle"
/** Among the kinds of ST_KEY_SYSTEM_INPUT: `sysctl -a` of FreeBSD, where what is not in it does not exist. */
#define ST_POSTED_ALL "all sysctls"

#define ST_POSTED_MAX_BYTES (16 * 1024 * 1024)

/** The kinds, for messages and help: "sysctl -a, sndstat, ...". */
extern const char st_posted_kinds[];

/**
 * Recognises the text and adds its facts.
 * @param facts *facts NULL: new ones, of the text's system. @param source what the facts say where they come
 * from
 * @param ret_command the command that prints more than a text of a known kind; NULL: none
 * @return 0; -ENOMEM; -EBADMSG (of no known kind, or with nothing in it); -EXDEV (of another system than the
 * facts that are there); -E2BIG (more than 262144 sysctls). */
ST_NODISCARD int st_posted_add(const char *text, size_t bytes, const char *source, struct st_facts **facts,
                               const char **ret_command);

/** What a limit rtprio, -1 for none, of a shell ("ulimit", "rtcqs") or of a captured tree
 * (ST_LIMITS_FROM_FILES) allows. */
void st_posted_rights(struct st_facts *facts, int64_t limit, const char *from, const char *source);

/** alsa-info.sh: linux.kernel.release, linux.module.snd_*.PARAMETER,
 * linux.daemon.NAME of the sound servers that run. What is not understood is left out.
 * @return 0, -ENOMEM, -EBADMSG (nothing understood). */
ST_NODISCARD int st_posted_alsa_info(struct st_facts *facts, const char *text, size_t bytes,
                                     const char *source);
