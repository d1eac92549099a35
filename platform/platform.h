/* The seam: everything that differs between operating systems, and everything a test wants to script.
 *
 * Four structs of function pointers, one for each subject; who needs one of them takes that one. One row of
 * all four per back end (linux, freebsd, fake, and a view of another root folder). Nothing above this folder
 * has an OS #ifdef. Conventions: 0 or a negative errno value; -ENOTSUP where this OS has no such thing (the
 * caller says "not applicable", never "fine"); output parameters are written on success only; times are ns.
 * All functions may be called from any thread unless said otherwise; "self" means the calling thread. */
#pragma once

#include "core/base.h"
#include "platform/clock.h"
#include "platform/machine.h"
#include "platform/threads.h"
#include "platform/writer.h"

struct st_platform {
    const char *name; /* "linux", "freebsd", "fake", "root" */
    struct st_clock clock;
    struct st_threads threads;
    struct st_machine machine;
    struct st_writer writer;
};

/** The row whose `member` a back end was given. */
#define ST_PLATFORM_OF(part, member)                                                                         \
    ((struct st_platform *)(void *)((char *)(part)-offsetof(struct st_platform, member)))

/** The real thing: Linux or FreeBSD, whichever this was built for. Never fails; no need to free. */
struct st_platform *st_platform_native(void);

/**
 * The tunables of a captured tree (proc/, sys/, etc/, boot/, run/, dev/ below `dir`); clocks and threads are
 * the native ones. No link leads out of the tree: links are resolved inside it, as after chroot (Linux 5.6
 * and later), or refused (-EXDEV, -ELOOP).
 * @return 0, -ENOENT, -ENOTDIR, -ENOMEM. Free with st_platform_root_free. */
ST_NODISCARD int st_platform_root_new(const char *dir, struct st_platform **ret);
/** The tree is of a FreeBSD machine: files only, its sysctls are not there (-ENOTSUP). */
void st_platform_root_set_freebsd(struct st_platform *p);
/** The same with the text of `sysctl -a`, which is borrowed and ends with a 0 behind its `bytes`. A sysctl
 * that it does not have is absent (-ENOENT) if the text is whole, with the first and the last ones of each
 * FreeBSD (kern.osreldate, security.jail.jailed), and else not shown (-ENOMSG). @return whether it is whole.
 */
bool st_platform_root_set_sysctls(struct st_platform *p, const char *text, size_t bytes);
void st_platform_root_free(struct st_platform *p);
