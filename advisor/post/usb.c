/* Reads the tree of USB devices in posted texts. */
#include "advisor/post/post.h"

/* --- rows of lsusb -t; usbutils' lsusb-t.c --- */

bool st_post_usb(struct st_post *post, char *line)
{
    const char *at = strstr(line, "|__ Port "), *bus = strstr(line, "/:  Bus ");
    const char *comma = strrchr(line, ',');
    unsigned number, interface;
    int port;
    if (bus != NULL && sscanf(bus, "/:  Bus %3u.Port", &number) == 1) {
        post->usb.bus = (int)number;
        post->usb.indent = (size_t)(bus - line);
        post->usb.software = strstr(bus, "Driver=dwc_otg") != NULL;
        return true;
    }
    if (at == NULL || post->usb.bus == 0 ||
        sscanf(at, "|__ Port %3d: Dev %*3u, If %3u, ", &port, &interface) != 2)
        return at != NULL;
    const size_t indent = strspn(line, " \t|");
    if (indent < post->usb.indent)
        return true;
    post->usb.depth = (int)((indent - post->usb.indent) / 4) - 1;
    if (post->usb.depth < 0 || post->usb.depth >= (int)ST_ARRAY_LEN(post->usb.ports) ||
        comma == NULL)
        return true;
    post->usb.ports[post->usb.depth] = port;
    const long speed_mbit = strtol(comma + 1, NULL, 10);
    /* a sound card has an interface 2, a MIDI keyboard has fewer interfaces. At 12 Mbit/s the
     * translator of a hub before the device matters, and this text does not show it: the device is
     * skipped */
    if (strcasestr(at, "Class=Audio,") == NULL || interface < 2 ||
        (speed_mbit <= 12 && post->usb.depth > 0 && !post->usb.software))
        return true;
    const char *device = st_text(ST_KEYS_USB_AUDIO "%d-%d", post->usb.bus, post->usb.ports[0]);
    for (int i = 1; i <= post->usb.depth; i++)
        device = st_text("%s.%d", device, post->usb.ports[i]);
    st_post_kind(post, "lsusb -t");
    st_post_int(post, st_text("%s.speed_mbit", device), speed_mbit);
    st_post_int(post, st_text("%s.hubs_n", device), post->usb.depth);
    if (post->usb.software)
        st_post_text(post, st_text("%s.controller", device), "DWC OTG Controller");
    return true;
}
