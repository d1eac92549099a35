/* The setup guide of an OS in Markdown, written from the rules. */
#ifndef ST_DOCS_GENERATE_GUIDE_H
#define ST_DOCS_GENERATE_GUIDE_H

#include <stdio.h>

#include "advisor/rules/rule.h"

/** A chapter: rules in the order of their effect. */
struct st_guide_chapter {
    const char *title;
    const char *intro;
    const char *const *ids; /* of rules, NULL-terminated */
};

struct st_guide {
    enum st_os os;
    const char *title;
    const char *root;  /* before a command for root: "sudo "; "" if all commands of the guide are for root */
    const char *intro; /* paragraphs, divided by an empty line */
    const struct st_guide_chapter *chapters; /* the last one has no title */
};

/** The outline. Each rule that can be a problem or advice is in one chapter; the others are listed at the
 * end. */
const struct st_guide *st_guide_of(enum st_os os);

/** The index of the chapter that has this rule; -1: none has it. */
int st_guide_chapter_of(const struct st_guide *guide, const char *id);

/**
 * Prints sentences as Markdown, not wrapped: names of settings and files and commands become code, ids of
 * rules become links to their sections.
 */
void st_guide_put_prose(FILE *out, const struct st_guide *guide, const char *text);

/** Prints the guide. @return 0, -ENOMEM, -EIO. */
ST_NODISCARD int st_guide_print(enum st_os os, FILE *out);

#endif
