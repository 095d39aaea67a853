/* onnx-broadcast-check --compare OLD NEW: how the new version of a model differs from the old one. */
#ifndef OB_TOOLS_CHECK_COMPARE_H
#define OB_TOOLS_CHECK_COMPARE_H

#include "check_jobs.h"

/* Compares the two files of the settings. EXIT_ERRORS: a change is breaking. */
int compare_models(const settings *s);

#endif
