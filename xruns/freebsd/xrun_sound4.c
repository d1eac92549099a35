/* Reads the xruns of sound(4)'s channels with an ioctl of /dev/sndstat (sndstat(4)), which FreeBSD
 * has from version 14 on. */
#include <fcntl.h>
#include <unistd.h>

#include "core/ns.h"
#include "st_config.h"
#include "xruns/sndstat.h"

#if ST_HAVE_SNDSTAT_IOCTL
#include <sys/types.h>

#include <sys/ioctl.h>
#include <sys/sndstat.h>

#define PATH "/dev/sndstat"
/* the list of devices is not longer: one device takes some kilobytes */
#define BYTES_MAX (1024 * 1024)

struct sound4 {
    struct st_snd_counters counters;
    int fd; /* descriptor of PATH */
    unsigned char *bytes;
    size_t bytes_n; /* size of the memory at `bytes` */
};

/** Fills sound4->bytes with the kernel's list of devices. @return the number of bytes, or -errno.
 */
static int64_t get_devices(struct sound4 *sound4)
{
    struct sndstioc_nv_arg arg = {.nbytes = 0};
    if (ioctl(sound4->fd, SNDSTIOC_REFRESH_DEVS) != 0 ||
        ioctl(sound4->fd, SNDSTIOC_GET_DEVS, &arg) != 0)
        return -errno;
    if (arg.nbytes > BYTES_MAX)
        return -EFBIG;
    if (arg.nbytes > sound4->bytes_n) {
        unsigned char *more = realloc(sound4->bytes, arg.nbytes);
        if (more == NULL)
            return -ENOMEM;
        sound4->bytes = more;
        sound4->bytes_n = arg.nbytes;
    }
    arg = (struct sndstioc_nv_arg){.nbytes = sound4->bytes_n, .buf = sound4->bytes};
    if (ioctl(sound4->fd, SNDSTIOC_GET_DEVS, &arg) != 0)
        return -errno;
    /* the list has grown in between: read it at the next poll */
    return arg.nbytes > 0 ? (int64_t)arg.nbytes : -EAGAIN;
}

static void on_channel(void *ctx, const struct st_snd_channel *channel)
{
    const struct st_xrun_watch *w = ctx;
    struct sound4 *sound4 = w->state;
    if (channel->pid != getpid()) /* sleeptuned counts the dropouts of its own test stream itself */
        st_sndstat_look_at(&sound4->counters, channel, w->seen, w->ctx);
}

static int look(struct st_xrun_watch *w)
{
    struct sound4 *sound4 = w->state;
    st_sndstat_look_begin(&sound4->counters);
    int64_t n = get_devices(sound4);
    if (n >= 0)
        n = st_sndstat_nvlist(sound4->bytes, (size_t)n, on_channel, w);
    if (n == -EAGAIN || n == -EBUSY)
        return 0;
    if (n < 0)
        return st_xrun_because(w, (int)n, "cannot read the devices of " PATH ": %s",
                               strerror((int)-n));
    st_sndstat_look_end(&sound4->counters);
    if (n == 0)
        return st_xrun_because(w, -ENOENT, "no sound card: " PATH " lists no channel");
    return st_xrun_because(w, 0, "%lld sound channels of FreeBSD%s", (long long)n,
                           n > ST_SND_CHANNELS_MAX ? "; sleeptuned does not watch all channels"
                                                   : "");
}

static void close_sound4(struct st_xrun_watch *w)
{
    struct sound4 *sound4 = w->state;
    if (sound4->fd >= 0)
        close(sound4->fd);
    free(sound4->bytes);
    free(sound4);
}

static int open_sound4(struct st_xrun_watch *w)
{
    struct sound4 *sound4 = calloc(1, sizeof(*sound4));
    if (sound4 == NULL)
        return st_xrun_because(w, -ENOMEM, "out of memory");
    w->state = sound4;
    sound4->fd = open(PATH, O_RDONLY | O_CLOEXEC);
    int r;
    if (sound4->fd < 0)
        r = st_xrun_because(w, -errno, "cannot open " PATH ": %s", strerror(errno));
    else
        r = look(w); /* reports nothing, since the counters are new */
    if (r < 0)
        close_sound4(w);
    return r;
}

static const struct st_xrun_ops ops = {.open = open_sound4, .poll = look, .close = close_sound4};
#else
static int open_sound4(struct st_xrun_watch *w)
{
    return st_xrun_because(
        w, -ENOTSUP,
        "before FreeBSD 14 programs cannot read the dropout counters of the sound driver");
}

static const struct st_xrun_ops ops = {.open = open_sound4};
#endif

const struct st_xrun_source st_xrun_sound4 = {
    .name = "sound4",
    .title = "sound(4)",
    .summary = "the dropout counters of FreeBSD's sound driver, read once a second: what was lost "
               "in that second counts as one dropout; they count programs that were not ready "
               "(virtual channels), but not why",
    .poll_ns = ST_NS_PER_S,
    .ops = &ops,
};

const struct st_xrun_source st_xrun_alsa =
    ST_XRUN_ABSENT("alsa", "ALSA", "only Linux has ALSA, so sleeptuned does not watch it here");
const struct st_xrun_source st_xrun_usb =
    ST_XRUN_ABSENT("usb", "USB", "only on Linux can sleeptuned watch USB packets (usbmon)");
