/* Lines of a JACK server's log: any bytes, ended by '\0'. A name that is taken is part of the line, and
 * short. */
#include "xruns/server_log.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char client[ST_JACK_NAME_BYTES], *line = malloc(size + 1);
    bool ran;
    if (line == NULL)
        return 0;
    if (size > 0)
        memcpy(line, data, size);
    line[size] = '\0';
    if (st_server_log_jack(line, client, &ran) &&
        (client[0] == '\0' || strlen(client) >= sizeof(client) || strstr(line, client) == NULL))
        abort();
    free(line);
    return 0;
}
