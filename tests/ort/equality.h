/* The same model in several forms and two runtimes, run on the same inputs: the data of the table in equality.c. */
#ifndef OB_TESTS_ORT_EQUALITY_H
#define OB_TESTS_ORT_EQUALITY_H

#include "host.h"

/* ORIGINAL, BROADCAST (with the plugin), FUNCTION and EXPAND run in ONNX Runtime, OURS is the original in our executor. */
enum { ORIGINAL, BROADCAST, FUNCTION, EXPAND, OURS, N_COLUMNS };
/* ONNX Runtime without graph optimisations, and with all of them. */
enum { PLAIN, OPTIMISED, N_LEVELS };

extern const char *const column_names[N_COLUMNS];
extern const char *const level_names[N_LEVELS];

/* Runs of one column, each compared with the original in ONNX Runtime at the same level, or with our executor where ONNX
 * Runtime does not run the original. */
typedef struct cell {
    size_t n_same;    /* bit for bit */
    size_t n_close;   /* within the tolerance */
    size_t n_refused; /* no results, as expected: see `run_all` */
    size_t n_wrong;
    double max_error; /* largest absolute difference of those within the tolerance */
} cell;

typedef struct tally {
    cell cells[N_LEVELS][N_COLUMNS];
    size_t n_runs, n_refused_by_all; /* input sets; those that nothing takes */
    size_t n_lax;                    /* runs that the model's conditions forbid and ONNX Runtime does all the same */
    size_t n_ours_only;              /* runs that our executor does and ONNX Runtime refuses */
    bool by_ours;                    /* a reference was our executor's result */
    char refusal[300];               /* why ONNX Runtime does not run the original; "": it does */
    char failure[700];               /* the first error; "" if there is none */
} tally;

/* A column that cannot run has no session and a reason. */
typedef struct contestant {
    ort_session session;
    bool is_open, is_there; /* is_there: this column takes part (the plugin may be missing) */
    char refusal[300];
} contestant;

typedef struct contest {
    ort_host *host;
    ob_session *ours;
    contestant ort[N_LEVELS][OURS];
    char ours_refusal[300];
    ob_status ours_status;
    double rtol, atol;
    bool verbose;          /* every failure is printed */
    const ob_view *inputs; /* of the current run */
    size_t n_inputs;
} contest;

/* Opens every session. `model` must outlive the contest; `bytes` is its file, which ONNX Runtime gets unchanged; plugin may be
 * NULL. Never fails: a session that cannot be opened is a refusal. */
void open_all(contest *c, ort_host *host, const ob_model *model, const void *bytes, size_t n_bytes, const char *plugin);
void close_all(contest *c);
/* Inputs of the model, from any open session; false: there is none. */
bool input_type(const contest *c, size_t index, ob_dtype *out);
/* Runs every column on the inputs and adds to the tally. If ONNX Runtime runs the original, all columns must run, except ours
 * with E_UNSUPPORTED. If neither ONNX Runtime nor our executor runs it, no column may. */
void run_all(contest *c, const ob_view *inputs, size_t n_inputs, tally *t);
/* Two runs of the original differ: it draws random numbers. */
bool is_random(contest *c, const ob_view *inputs, size_t n_inputs);

typedef void (*size_visitor)(void *context, const ob_view *inputs, size_t n_inputs);

/* Calls `visit` with made-up inputs for every combination of a few sizes (0, 1, 2, 3, 7) of the symbolic dimensions of the
 * model at `path`. Returns the number of calls; 0 when the inputs' shapes are not made of numbers and up to four symbols. */
size_t each_size(const char *path, size_visitor visit, void *context);

#endif
