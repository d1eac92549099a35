/* Lines of a JACK server's log: any bytes, ended by '\0'. A name that is taken is part of the line,
 * and short. */
#include "tests/fuzz/fuzz.h"
#include "xruns/server_log.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char client[ST_JACK_NAME_BYTES], *line = text_of(data, size);
    bool ran;
    if (st_server_log_jack(line, client, &ran) &&
        (client[0] == '\0' || strlen(client) >= sizeof(client) || strstr(line, client) == NULL))
        abort();
    free(line);
    return 0;
}
