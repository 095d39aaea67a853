/* --select, --ignore and --severity, in the order of the command line. */
#ifndef OB_TOOLS_CHECK_SEVERITY_H
#define OB_TOOLS_CHECK_SEVERITY_H

#include "onnx_broadcast/onnx_broadcast.h"

typedef struct severities {
    ob_severity_given *items; /* ids are views of the arguments, or static */
    size_t n, capacity;
    ob_ignore_given *ignores; /* the same */
    size_t n_ignores, ignores_capacity;
    bool selected;
} severities;

/* "OB0101,OB02": these findings and those of other --select only. The texts are cut into their parts; false with a message. */
bool severities_select(const char *tool, severities *s, char *ids);
/* Not these: "OB0101,OB02", or "OB0401:PATTERN" at nodes whose path and name match. */
bool severities_ignore(const char *tool, severities *s, char *ids);
/* "OB0401=error". */
bool severities_set(const char *tool, severities *s, char *text);
void severities_release(severities *s);

#endif
