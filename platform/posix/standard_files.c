#include "platform/standard_files.h"

#include <fcntl.h>
#include <unistd.h>

#define EXIT_FAILED 4 /* exit status of a failure, the same in all programs of sleeptune */

void st_standard_files_open(void)
{
    /* opened the wrong way round, so that printing to a closed descriptor is an error, and its text
     * is not lost unnoticed */
    static const int flags[] = {O_WRONLY, O_RDONLY, O_RDONLY};
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", flags[fd]) != fd)
            _exit(EXIT_FAILED);
    }
}
