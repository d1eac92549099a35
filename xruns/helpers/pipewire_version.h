/* Versions of PipeWire, to be compared. */
#pragma once

#include "core/base.h"

#define ST_PIPEWIRE_VERSION(major, minor, micro)                                                   \
    (((uint32_t)(major) << 16) + ((uint32_t)(minor) << 8) + (uint32_t)(micro))

/** Parses "0.3.65". @return 0: not a version. */
static inline uint32_t st_pipewire_version_of(const char *text)
{
    unsigned char parts[3] = {0};
    if (sscanf(text, "%hhu.%hhu.%hhu", &parts[0], &parts[1], &parts[2]) != 3)
        return 0;
    return ST_PIPEWIRE_VERSION(parts[0], parts[1], parts[2]);
}
