/* sleeptune-listen-oss: plays a test signal on one OSS device and records another: a loop of
 * virtual_oss
 * (-w virtual_oss), or a card's output and input that a cable connects (-w device). */
#include "core/text/text.h"
#include "ears/helpers/oss_device.h"

#define PERIOD 512
#define LOOP   "/dev/dsp.loop" /* virtual_oss -l dsp.loop */

int main(int argc, char **argv)
{
    static struct st_ear ear;
    static struct st_oss_device device = {.calls = &st_oss_system};
    struct st_duplex duplex = {.ear = &ear, .ops = &st_oss_ops, .device = &device};
    const char *failed;
    st_ear_options(&ear, argc, argv);
    const bool cable = strcmp(ear.way, "virtual_oss") != 0;
    const char *plays = st_text_or(ear.plays, "/dev/dsp");
    const char *records = st_text_or(ear.records, cable ? "/dev/dsp" : LOOP);
    if (ear.frames == 0)
        ear.frames = PERIOD;
    const int r = st_oss_device_open(&device, plays, records, ear.frames, &duplex,
                                     &ear.head.rate_hz, &failed);
    if (r < 0)
        return st_ear_absent("%.100s: %s", failed, strerror(-r));
    ST_PRINT(ear.head.server, "sound(4)");
    return st_duplex_run(&duplex, plays, records);
}
