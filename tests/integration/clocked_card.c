/* A sound card without hardware, as a plug-in of ALSA (pcm_type.clocked): it plays into nothing, by
 * a clock of its own. "file PATH": a number in that file, by which its clock is too fast, in 10^-6;
 * read again and again. */
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <alsa/asoundlib.h>
#include <alsa/pcm_external.h>

struct card {
    snd_pcm_ioplug_t io;
    int file;
    int64_t last_ns;
    double position;
    bool runs;
};

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int on_start(snd_pcm_ioplug_t *io)
{
    struct card *card = io->private_data;
    card->last_ns = now_ns();
    card->runs = true;
    return 0;
}

static int on_stop(snd_pcm_ioplug_t *io)
{
    struct card *card = io->private_data;
    card->runs = false;
    return 0;
}

static int on_prepare(snd_pcm_ioplug_t *io)
{
    struct card *card = io->private_data;
    card->position = 0;
    return on_stop(io);
}

static snd_pcm_sframes_t on_pointer(snd_pcm_ioplug_t *io)
{
    struct card *card = io->private_data;
    const int64_t now = now_ns();
    char text[16] = "";
    if (pread(card->file, text, sizeof(text) - 1, 0) > 0 && card->runs)
        card->position += (double)(now - card->last_ns) * io->rate / 1e9 * (1 + atof(text) / 1e6);
    card->last_ns = now;
    return (snd_pcm_sframes_t)fmod(card->position, (double)io->buffer_size);
}

static int on_close(snd_pcm_ioplug_t *io)
{
    struct card *card = io->private_data;
    close(io->poll_fd);
    close(card->file);
    free(card);
    return 0;
}

static const snd_pcm_ioplug_callback_t callbacks = {.start = on_start,
                                                    .stop = on_stop,
                                                    .pointer = on_pointer,
                                                    .prepare = on_prepare,
                                                    .close = on_close};

SND_PCM_PLUGIN_DEFINE_FUNC(clocked);
SND_PCM_PLUGIN_DEFINE_FUNC(clocked)
{
    static const unsigned accesses[] = {SND_PCM_ACCESS_MMAP_INTERLEAVED,
                                        SND_PCM_ACCESS_RW_INTERLEAVED};
    static const unsigned formats[] = {SND_PCM_FORMAT_S32_LE};
    const char *file = "";
    snd_config_t *of_file;
    (void)root;
    if (snd_config_search(conf, "file", &of_file) == 0)
        (void)snd_config_get_string(of_file, &file);
    struct card *card = calloc(1, sizeof(*card));
    if (card == NULL || (card->file = open(file, O_RDONLY | O_CLOEXEC)) < 0) {
        free(card);
        return -EINVAL;
    }
    card->io = (snd_pcm_ioplug_t){.version = SND_PCM_IOPLUG_VERSION,
                                  .name = "a card with a clock of its own",
                                  .flags = SND_PCM_IOPLUG_FLAG_MONOTONIC,
                                  .poll_fd = open("/dev/null", O_RDONLY | O_CLOEXEC),
                                  .poll_events = POLLIN,
                                  .mmap_rw = 1,
                                  .callback = &callbacks,
                                  .private_data = card};
    const int r = snd_pcm_ioplug_create(&card->io, name, stream, mode);
    if (r < 0)
        return r;
    (void)snd_pcm_ioplug_set_param_list(&card->io, SND_PCM_IOPLUG_HW_ACCESS, 2, accesses);
    (void)snd_pcm_ioplug_set_param_list(&card->io, SND_PCM_IOPLUG_HW_FORMAT, 1, formats);
    (void)snd_pcm_ioplug_set_param_minmax(&card->io, SND_PCM_IOPLUG_HW_CHANNELS, 2, 2);
    (void)snd_pcm_ioplug_set_param_minmax(&card->io, SND_PCM_IOPLUG_HW_RATE, 48000, 48000);
    (void)snd_pcm_ioplug_set_param_minmax(&card->io, SND_PCM_IOPLUG_HW_BUFFER_BYTES, 4096, 1 << 20);
    (void)snd_pcm_ioplug_set_param_minmax(&card->io, SND_PCM_IOPLUG_HW_PERIOD_BYTES, 512, 1 << 18);
    *pcmp = card->io.pcm;
    return 0;
}
SND_DLSYM_BUILD_VERSION(SND_PCM_PLUGIN_ENTRY(clocked), SND_PCM_DLSYM_VERSION)
