/* Error messages for recordings that cannot be read. */
#pragma once

#include "store/recording/recording.h"

/** A sentence for an error. @param r the error of a function of store/recording/recording.h. */
const char *st_recording_input_error(int r);
