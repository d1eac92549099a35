#include "measure/device.h"

#include <errno.h>

#include "core/ns.h"

int st_device_init(struct st_device *device, const struct st_period *period, uint32_t periods,
                   int64_t start_ns)
{
    if (periods < 2 || periods > 64)
        return -ERANGE;
    *device = (struct st_device){.period = *period, .periods = periods, .start_ns = start_ns};
    return 0;
}

int64_t st_device_cycle(struct st_device *device, int64_t done_ns)
{
    /* n + periods - 1 periods are queued before this one is added: the moment the ring runs dry */
    const int64_t empty_ns =
        st_period_due_ns(&device->period, device->start_ns, device->cycles_since_start + device->periods - 1);
    if (done_ns <= empty_ns) {
        device->cycles_since_start++;
        return 0;
    }
    const int64_t silence_ns = st_ns_sub(done_ns, empty_ns);
    device->xruns_n++;
    device->silence_ns = st_ns_add(device->silence_ns, silence_ns);
    if (silence_ns > device->silence_max_ns)
        device->silence_max_ns = silence_ns;
    device->start_ns = done_ns;
    device->cycles_since_start = 0;
    return silence_ns;
}
