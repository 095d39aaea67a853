/* The rewritten forms in which conformance runs every test. */
#ifndef OB_TESTS_VARIANTS_H
#define OB_TESTS_VARIANTS_H

#include <stddef.h>

#include "onnx_broadcast/onnx_broadcast.h"

typedef struct rewrite_form {
    const char *name;
    ob_status (*make)(const ob_model *model, ob_model **out, ob_error *error);
} rewrite_form;

static const rewrite_form *const variants = NULL;
static const size_t n_variants = 0;

#endif
