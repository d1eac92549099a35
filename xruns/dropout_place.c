#include "xruns/dropout_place.h"

static const struct {
    const char *name, *why;
} places[ST_DROPOUT_PLACES] = {
    [ST_DROPOUT_AT_UNKNOWN] = {"unknown"},
    [ST_DROPOUT_AT_CLIENT_BUFFER] = {"client-buffer"},
    [ST_DROPOUT_AT_GRAPH] = {"graph"},
    [ST_DROPOUT_AT_DEVICE_BUFFER] = {"device-buffer"},
    [ST_DROPOUT_AT_RESYNC] = {"resync", "was resynchronised to the clock of another card"},
    [ST_DROPOUT_AT_BUS] = {"bus", "lost USB packets"},
};

const char *st_dropout_place_name(enum st_dropout_place place)
{
    return places[place].name;
}

const char *st_dropout_place_why(enum st_dropout_place place)
{
    return places[place].why;
}
