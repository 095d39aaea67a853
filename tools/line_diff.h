/* The difference of two texts, line by line, in the unified format that patch(1) reads. */
#ifndef OB_TOOLS_LINE_DIFF_H
#define OB_TOOLS_LINE_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct diff_text {
    const char *name; /* in the header */
    const char *bytes;
    size_t n_bytes;
} diff_text;

/* Writes the header and all hunks with 3 lines of context; nothing for equal texts. Lines that occur once in both texts are
 * matched first, in the longest common order; Myers' algorithm finds the rest between them. Time is n log n in the number of
 * lines; a stretch without such lines that differs in more than 1000 of them is replaced as a whole. *n_hunks is the number of
 * hunks; it may be NULL. False: out of memory. */
bool line_diff(FILE *out, const diff_text *from, const diff_text *to, size_t *n_hunks);

#endif
