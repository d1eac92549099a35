/* Plain sentences as Markdown. Internal to advisor/. */
#ifndef ST_ADVISOR_GUIDE_GUIDE_MARKDOWN_H
#define ST_ADVISOR_GUIDE_GUIDE_MARKDOWN_H

#include <stdio.h>

#include "advisor/guide/guide.h"

/**
 * Sentences as Markdown, not wrapped: names of settings and files and the commands become code, ids of rules
 * become links to their sections, and nothing else is markup. guide: where the sections are.
 */
void st_guide_put_prose(FILE *out, const struct st_guide *guide, const char *text);

/** Where a rule's section is: the chapter's index, or -1. */
int st_guide_chapter_of(const struct st_guide *guide, const char *id);

#endif
