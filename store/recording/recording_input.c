#include "store/recording/recording_input.h"

#include "platform/posix/posix.h"

const char *st_recording_input_error(int r)
{
    return r == -EBADMSG
               ? "the file is not a recording of sleeptune, or it is cut off in its first lines"
           : r == -EPROTONOSUPPORT ? "another version of sleeptune made this recording"
                                   : st_posix_input_error(-r);
}
