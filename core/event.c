#include "core/event.h"

#include <string.h>

bool st_event_is_name(const char *text)
{
    const size_t n = strlen(text);
    for (const char *at = ST_EVENT_NAMES;; at += 2) {
        const size_t len = strcspn(at, ",");
        if (len == n && strncmp(at, text, n) == 0)
            return true;
        at += len;
        if (*at == '\0')
            return false;
    }
}

const char *st_event_source_title(const char *source)
{
    static const char *const titles[][2] = {{"pipewire", "PipeWire"},
                                            {"jack", "JACK"},
                                            {"pulseaudio", "PulseAudio"},
                                            {"alsa", "ALSA"},
                                            {"sound4", "sound(4)"}};
    for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++) {
        if (strcmp(source, titles[i][0]) == 0)
            return titles[i][1];
    }
    return source;
}

const char *st_event_certainty(enum st_certainty certainty)
{
    static const char *const names[] = {
        [ST_CERTAINTY_NONE] = "", [ST_CERTAINTY_EXACT] = "exact", [ST_CERTAINTY_PROBABLE] = "probable"};
    return names[certainty];
}
