/* One model at many sizes: the verdict of its contract, the results of its runs, and both for every form of it. */
#ifndef OB_TESTS_SOUNDNESS_JUDGE_H
#define OB_TESTS_SOUNDNESS_JUDGE_H

#include "checked.h"
#include "onnx_broadcast/rewrite.h"
#include "oracle.h"

/* The tested part: the checker, the session, the forms, the checker with an equivalent model. */
enum { BY_CHECK, BY_SESSION, BY_FORM, BY_TWIN = BY_FORM + OB_FORM_COUNT, N_JUDGED };

typedef enum exception {
    NOT_SOUND,   /* admitted, and fails because of shapes */
    NOT_TIGHT,   /* excluded, and works */
    RUNS_DIFFER, /* the session or the form differs from the model; a twin has a different contract */
    LATE,        /* the session begins to run excluded sizes */
    BREAKS,      /* an internal error, a form that cannot be read ... */
    N_EXCEPTIONS
} exception;

typedef struct table {
    uint64_t n[3][4]; /* verdict, outcome */
    uint64_t n_exceptions[N_EXCEPTIONS];
    uint64_t n_models, n_partial, n_refused, n_clauses;
} table;

typedef struct difference {
    int judged;
    exception what;
    char key[48];      /* for grouping: the node that failed, or the reason of the exclusion */
    char detail[1000]; /* for readers */
} difference;

typedef struct judge {
    table tables[N_JUDGED];
    uint64_t n_models, n_pairs;
    uint32_t n_points;
    uint64_t random; /* state */
    void (*found)(void *context, const difference *f);
    void *context;
} judge;

const char *judged_name(int judged);
const char *exception_name(exception what);

/* An equivalent model: the contract must be the same. */
typedef struct twin {
    const char *name, *text;
    const char *symbol; /* a number in the twin; or NULL */
    int64_t size;
} twin;

/* Judges the text of a model. seed: of the points. */
void judge_text(judge *j, const char *text, uint64_t seed, const twin *twins, size_t n_twins);

#endif
