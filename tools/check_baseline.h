/* --baseline and --write-baseline. */
#ifndef OB_TOOLS_CHECK_BASELINE_H
#define OB_TOOLS_CHECK_BASELINE_H

#include "onnx_broadcast/onnx_broadcast.h"

typedef struct baseline {
    const char *read, *written; /* paths of the options, or NULL */
    ob_baseline *accepted;      /* of --baseline, or those that --write-baseline collects; NULL: neither */
    char *folder;               /* of that file, resolved */
} baseline;

/* After the options: reads the file of --baseline. False, with a message. */
bool baseline_begin(const char *tool, baseline *b);
/* The name of a file in the baseline; free() it. NULL: out of memory. */
char *baseline_name(const baseline *b, const char *path);
/* After the check of the file with that name. False, with a message. */
bool baseline_collect(const char *tool, const baseline *b, const char *name, const char *file, ob_report *report);
/* Writes the file of --write-baseline. False, with a message. */
bool baseline_save(const char *tool, const baseline *b);
void baseline_release(baseline *b);

#endif
