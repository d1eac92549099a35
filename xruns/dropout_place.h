/* Where the sound of a dropout was lost. A program that wrote nothing is no separate place: its
 * server sees an empty buffer in either case. */
#pragma once

#include "core/base.h"

enum st_dropout_place {
    ST_DROPOUT_AT_UNKNOWN,
    ST_DROPOUT_AT_CLIENT_BUFFER, /* between a program and its sound server: the program did not run,
                                    and its buffer ran dry */
    ST_DROPOUT_AT_GRAPH,         /* a client of the server was not ready in its cycle */
    ST_DROPOUT_AT_DEVICE_BUFFER, /* the whole cycle came too late for the device */
    ST_DROPOUT_AT_RESYNC, /* the server skipped or inserted sound to put a second card in step */
    ST_DROPOUT_AT_BUS,    /* on the way to the device: USB packets */
    ST_DROPOUT_PLACES
};

/** Stable names: "unknown", "client-buffer", "graph", "device-buffer", "resync", "bus". */
const char *st_dropout_place_name(enum st_dropout_place place);

/** What the program or device did, such as "lost USB packets", if the place alone shows it; else
 * NULL. */
const char *st_dropout_place_why(enum st_dropout_place place);
