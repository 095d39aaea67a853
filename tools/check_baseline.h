/* --baseline and --write-baseline. */
#ifndef OB_TOOLS_CHECK_BASELINE_H
#define OB_TOOLS_CHECK_BASELINE_H

#include "onnx_broadcast/onnx_broadcast.h"

typedef struct baseline {
    const char *read, *written; /* paths of the options, or NULL */
    ob_baseline *accepted;      /* of --baseline, or those that --write-baseline collects; NULL: neither */
    char *folder;               /* of that file, resolved */
    char *model;                /* name of the current model */
} baseline;

/* After the options: reads the file of --baseline. False, with a message. */
bool baseline_begin(const char *tool, baseline *b);
/* Before the check of a file: its name in the baseline goes into the options. False: out of memory, with a message. */
bool baseline_use(const char *tool, baseline *b, const char *path, ob_check_options *options);
/* After the check. False, with a message. */
bool baseline_collect(const char *tool, baseline *b, const char *file, ob_report *report);
/* Writes the file of --write-baseline. False, with a message. */
bool baseline_save(const char *tool, const baseline *b);
void baseline_release(baseline *b);

#endif
