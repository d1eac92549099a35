/* Whether a platform's row has each function. Needs cmocka's headers before it. */
#pragma once

#include "platform/platform.h"
#include "tests/unit/unit.h"

/* Each word of `bytes` from `first` on, all of them pointers, is set. */
static inline void seam_filled_words(const void *first, size_t bytes)
{
    void *const *word = first;
    for (size_t i = 0; i < bytes / sizeof(*word); i++)
        assert_non_null(word[i]);
}

static inline void seam_filled(const struct st_platform *p)
{
    seam_filled_words(&p->clock, sizeof(p->clock));
    seam_filled_words(&p->threads, sizeof(p->threads));
    seam_filled_words(&p->machine.program_path,
                      sizeof(p->machine) - offsetof(struct st_machine, program_path));
    seam_filled_words(&p->writer, sizeof(p->writer));
}
