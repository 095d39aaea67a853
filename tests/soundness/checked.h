/* A model with its report, and the sizes that the caller may choose. */
#ifndef OB_TESTS_SOUNDNESS_CHECKED_H
#define OB_TESTS_SOUNDNESS_CHECKED_H

#include "core/graph/graph.h"
#include "onnx_broadcast/check.h"

enum { MAX_VARIABLES = 24, MAX_AXES = 96 };

/* Sizes of the inputs: numbers, or indices into a point. The same for a model and its rewritten forms. */
typedef struct sizes {
    int n; /* variables */
    char names[MAX_VARIABLES][40];
    ob_dim symbols[MAX_VARIABLES];
    bool named[MAX_VARIABLES];
    int n_axes;
    int variable[MAX_AXES]; /* of each axis of each input, in order; -1: a number */
    int64_t number[MAX_AXES];
} sizes;

typedef struct point {
    int64_t sizes[MAX_VARIABLES];
    uint32_t data;
} point;

typedef enum verdict {
    ADMITS,
    EXCLUDES,
    OPEN /* the contract is partial, and excludes nothing here */
} verdict;

typedef struct checked {
    ob_model *model; /* borrowed */
    ob_report *report;
    sizes sizes;
    bool is_partial;
    bool has_errors; /* an error of shapes: by the checker no sizes can run */
    size_t n_clauses;
} checked;

ob_status checked_make(checked *c, ob_model *model, ob_error *error);
ob_status checked_make_with(checked *c, ob_model *model, const ob_check_options *options, ob_error *error);
void checked_free(checked *c);
/* The verdict of the contract with its conditions on values, with the integers of inputs given by the point's data; and of the
 * contract on sizes, which a session tests before it runs. key: the reason for an exclusion, for readers. May be NULL. */
verdict checked_verdict(checked *c, const point *p, char *key, size_t n_key);
verdict checked_sizes(checked *c, const point *p, char *key, size_t n_key);
/* The text of the contract, truncated. */
void checked_text(checked *c, char *text, size_t n_bytes);
/* Sizes of all axes of all inputs under a point. */
void sizes_at(const sizes *s, const point *p, int64_t dims[MAX_AXES]);

#endif
