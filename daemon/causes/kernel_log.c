#include "daemon/causes/kernel_log.h"

#include <fcntl.h>
#include <unistd.h>

#include "core/ns.h"
#include "core/text/safe.h"

/* LOG_WARNING of syslog(2); messages of the kernel itself have facility 0, so this number is also
 * their first field */
#define WARNING   4
#define LINES_MAX 256 /* lines that one call reads; the next call reads the rest of a flood */
#define ABOUT_MAX 40

const char *st_kernel_log_judge(const char *record, char *ret_about, size_t about_bytes)
{
    static const char *const usb[] = {"usb ",      "xhci_hcd ", "ehci-pci ", "snd_usb_audio ",
                                      "usb_audio", "hub ",      NULL};
    static const char *const starts[] = {"reset", "disconnect", "new ", NULL};
    const char *text = strchr(record, ';');
    const unsigned long level = strtoul(record, NULL, 10);
    ret_about[0] = '\0';
    /* the number includes a facility other than 0: a program wrote this line */
    if (text == NULL || level > 7)
        return NULL;
    text++;
    const size_t len = strcspn(text, "\n"), about = strcspn(text, ":");
    const bool of_usb = st_text_begins_among(text, usb);
    if (level > WARNING && !(of_usb && about < len && st_text_has_among(text + about, starts)))
        return NULL;
    if (about < len &&
        about <= ABOUT_MAX) /* a line without a short name before a colon is a sentence */
        st_safe_copy(ret_about, about_bytes, text, about);
    return of_usb ? "usb" : "kernel";
}

void st_kernel_log_look(struct st_kernel_log *log, struct st_platform *platform,
                        struct st_events *events)
{
    char record[1024], about[4 * ABOUT_MAX];
    const int64_t now_ns = st_platform_now_ns(platform), before_ns = log->looked_ns;
    log->looked_ns = now_ns;
    if (log->fd == 0) {
        log->fd = platform->open_path(platform, "/dev/kmsg", O_RDONLY);
        if (log->fd > 0)
            (void)lseek(log->fd, 0, SEEK_END);
        return;
    }
    for (int i = 0; log->fd > 0 && i < LINES_MAX; i++) {
        const ssize_t n = read(log->fd, record, sizeof(record) - 1);
        /* EPIPE means that lines were overwritten before they were read; the next read continues
         * behind them
         */
        if (n <= 0 && errno != EPIPE)
            break;
        record[ST_MAX(n, 0)] = '\0';
        const char *source = st_kernel_log_judge(record, about, sizeof(about));
        if (source == NULL)
            continue;
        struct st_event event = st_event_make(
            st_platform_wall_ns(platform), ST_EVENT_KERNEL_LOG, "the kernel logged %s%s",
            st_text_is(source, "usb") ? "a line" : "a warning", st_text_with(" about ", about));
        ST_PRINT(event.source, "%s", source);
        event.span_ns = st_ns_sub(now_ns, before_ns);
        st_events_put(events, ST_LOG_INFO, &event);
    }
}

void st_kernel_log_close(struct st_kernel_log *log)
{
    if (log->fd > 0)
        close(log->fd);
    log->fd = -1;
}
