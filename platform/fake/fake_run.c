/* Programs that the fake runs: each prints what the test put there for its command line. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "platform/fake/private.h"

#define COMMAND_BYTES 1024

int st_fake_run(struct st_platform *p, struct st_run *runs, size_t runs_n, const struct st_run_as *as,
                int64_t limit_ns)
{
    struct st_fake *fake = st_fake_of(p);
    (void)as;
    (void)limit_ns;
    const int error = st_fake_fault(fake, F_RUN);
    if (error != 0)
        return error;
    pthread_mutex_lock(&fake->lock);
    for (struct st_run *run = runs; run < runs + runs_n; run++) {
        char command[COMMAND_BYTES] = "";
        size_t used = 0;
        for (const char *const *arg = run->argv; *arg != NULL && used < sizeof(command); arg++)
            used +=
                (size_t)snprintf(command + used, sizeof(command) - used, "%s%s", used > 0 ? " " : "", *arg);
        const struct st_fake_entry *entry = st_fake_find(fake->answers, command);
        run->result = entry == NULL ? -ENOENT : st_fake_copy_text(entry, run->buf, run->buf_bytes, &run->len);
    }
    pthread_mutex_unlock(&fake->lock);
    return 0;
}
