/* Parsers of texts that people post, besides those of capture.h. Internal to advisor/. Pure, so that they can
 * be fuzzed; what is not understood is left out. @return 0, -ENOMEM, -EBADMSG (nothing understood). */
#ifndef ST_ADVISOR_PARSE_INPUT_PARSE_H
#define ST_ADVISOR_PARSE_INPUT_PARSE_H

#include "advisor/facts/facts.h"

/** `sysctl -a` of Linux, "name = value": linux.sysctl.NAME, and the kernel's release and version. */
ST_NODISCARD int st_input_sysctl_linux(struct st_facts *facts, const char *text, size_t bytes,
                                       const char *source);

/** alsa-info.sh: linux.kernel.release, linux.module.snd_*.PARAMETER, linux.modprobe.snd_*.OPTION,
 * linux.daemon.NAME of the sound servers that run. */
ST_NODISCARD int st_input_alsa_info(struct st_facts *facts, const char *text, size_t bytes,
                                    const char *source);

/** Only what may stand in a fact's key: letters, digits and "._%-", at most 100 bytes. */
bool st_input_is_name(const char *text);

#endif
