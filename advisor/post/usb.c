/* Posted texts: the tree of USB devices. */
#include "advisor/post/post.h"
#include "core/text/text.h"

/* --- lsusb -t: usbutils' lsusb-t.c --- */

/** Only the number of its interfaces tells a sound card from a MIDI keyboard. At 12 Mbit/s the translator of
 * a hub before it matters, which this text does not have. */
static void put_usb(struct st_post *post, unsigned interface, int speed_mbit)
{
    char device[64];
    ST_PRINT(device, "%d-%d", post->usb.bus, post->usb.ports[0]);
    for (int i = 1; i <= post->usb.depth; i++)
        ST_APPEND(device, ".%d", post->usb.ports[i]);
    if (interface < 2 || (speed_mbit <= 12 && post->usb.depth > 0 && !post->usb.software))
        return;
    st_post_kind(post, "lsusb -t");
    st_post_int(post, st_text(ST_KEYS_USB_AUDIO "%s.speed_mbit", device), speed_mbit);
    st_post_int(post, st_text(ST_KEYS_USB_AUDIO "%s.hubs_n", device), post->usb.depth);
    if (post->usb.software)
        st_post_text(post, st_text(ST_KEYS_USB_AUDIO "%s.controller", device), "DWC OTG Controller");
}

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
    if (post->usb.depth < 0 || post->usb.depth >= (int)ST_ARRAY_LEN(post->usb.ports) || comma == NULL)
        return true;
    post->usb.ports[post->usb.depth] = port;
    if (strcasestr(at, "Class=Audio,") != NULL)
        put_usb(post, interface, (int)strtol(comma + 1, NULL, 10));
    return true;
}
