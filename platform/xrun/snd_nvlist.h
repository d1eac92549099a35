/* Channels in what FreeBSD's ioctl SNDSTIOC_GET_DEVS fills in, a packed nvlist (nv(9)): they are there from
 * 14 on, at any hw.snd.verbose. Read by hand because the tools that build us for FreeBSD have no libnv. Pure,
 * so that every host can fuzz it. Foreign bytes, of this machine's byte order. Threads: any; no allocation.
 */
#ifndef ST_PLATFORM_XRUN_SND_NVLIST_H
#define ST_PLATFORM_XRUN_SND_NVLIST_H

#include "platform/xrun/sndstat_text.h"

/**
 * Calls fn for each channel (each element of an array "channel_info").
 * @return how many, -EBADMSG (then some may have been told).
 * Source: sys/contrib/libnv/nvlist.c and nvpair.c (format), sys/sys/sndstat.h (names).
 */
ST_NODISCARD int64_t st_snd_nvlist_channels(const unsigned char *bytes, size_t n,
                                            void (*fn)(void *ctx, const struct st_snd_channel *channel),
                                            void *ctx);

#endif
