/* onnx-broadcast-run: the parts of the command. */
#ifndef OB_TOOLS_RUN_PARTS_H
#define OB_TOOLS_RUN_PARTS_H

#include "common.h"

#define TOOL "onnx-broadcast-run"

typedef enum exit_code { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_MISUSED = 2, EXIT_UNSUPPORTED = 3 } exit_code;

enum { MAX_DIMS = 64, MAX_FILES = 4096, MAX_PLANS = 63 };

/* The operators and loops that models need; zero: empty. */
typedef struct operator_list {
    ob_operator_use *items;
    size_t n, capacity;
    const char **loops;
    size_t n_loops;
    char unknown[512]; /* the reason why the loops of a model are not known */
} operator_list;

/* The sizes of --plan, in place of those of --dim. */
typedef struct emit_plan {
    ob_named_size sizes[MAX_DIMS];
    char names[MAX_DIMS][128];
    size_t n;
} emit_plan;

typedef struct run_options {
    const char *model;
    const char *more[MAX_FILES]; /* further models, with --list-ops */
    size_t n_more;
    bool lists_operators; /* --list-ops: nothing is run */
    operator_list list;
    const char *files[MAX_FILES]; /* "F" or "NAME=F", in order */
    size_t n_files;
    ob_named_size dims[MAX_DIMS];
    char dim_names[MAX_DIMS][128];
    size_t n_dims;
    const char *output_folder, *expect_folder;
    const char *independent; /* the symbol of --check-independent, "-": the first axis of the inputs; NULL: not asked */
    const char *emit_folder, *emit_name, *emit_level; /* --emit-c: nothing is run */
    ob_emit_weights emit_weights;
    emit_plan plans[MAX_PLANS];
    size_t n_plans;
    bool npy, optimize, strict, quiet, verbose;
    bool random; /* random elements for inputs that are not given */
    ob_numerics numerics;
    bool bench, profile, explain_plan;
    const char *profile_file;
    assumed_opsets assumed_opsets;
    ob_operators *operators; /* of --op-library; NULL: none */
    int64_t runs, warmup, threads, seed;
    double min_seconds, max_seconds;       /* max_seconds 0: no limit */
    double rtol, atol;                     /* below 0: those of the data, or the default */
    uint64_t max_memory, max_output_bytes; /* max_output_bytes 0: no limit of its own */
    int64_t max_nodes;                     /* 0: the library's */
} run_options;

/* Counts the memory for reading files; beyond the limit allocations fail. */
typedef struct memory_limit {
    uint64_t used, most; /* most 0: no limit */
    bool refused;
} memory_limit;

/* One value for each input of the session, in its order. Do not move it: freed memory is counted here too. */
typedef struct run_inputs {
    memory_limit limit;
    ob_file_tensor *tensors; /* read from files; zeroed where the elements are random */
    void **random;           /* blocks of random elements, and of raw files */
    bool *is_random;         /* the elements were made up */
    ob_view *views;
    ob_cell **cells; /* of the inputs that are not tensors; otherwise NULL */
    size_t n;
} run_inputs;

typedef struct run_outputs {
    ob_view *views;
    const ob_cell **cells; /* of those that are not tensors; otherwise NULL */
    size_t n;
} run_outputs;

/* run_inputs.c: reads the files in the options; with options->random all other inputs get random elements. On failure the
 * message is printed. */
exit_code inputs_prepare(const run_options *options, const ob_session *session, run_inputs *inputs);
void inputs_release(run_inputs *inputs);
bool input_is_given(const run_inputs *inputs, size_t i);
/* The message about a file that could not be read, and the exit status for it. */
exit_code complain_read(const char *path, ob_status status, const ob_error *error, const run_inputs *inputs);
/* No input is called `name`, found in `where`: the message lists the existing names, the most similar first. */
void complain_name(const run_options *options, const ob_session *session, const char *where, const char *name);

/* run_files.c: files of several tensors, and raw elements: "FILE", with the type and shape of the input, or "FILE:TYPE[SIZES]",
 * which no file is called. */
bool is_set_file(const char *path);
bool is_raw_file(const char *text, bool exists);
/* Reads the tensors of the file into the inputs of their names; `named` 0 or more: into this input only. */
exit_code read_set(const run_options *options, const ob_session *session, const char *path, int named,
                   const ob_allocator *allocator, run_inputs *inputs);
exit_code read_raw(const ob_session *session, const char *text, bool exists, size_t at, run_inputs *inputs);

/* run_operators.c: adds those of the session, each once; prints the list and frees it. */
ob_status operators_add(operator_list *list, const ob_session *session, ob_error *error);
/* The loops of a plan with these inputs. */
struct run_inputs;
ob_status loops_add(operator_list *list, const struct run_inputs *inputs, ob_session *session, ob_error *error);
void loops_unknown(operator_list *list, const char *model, const char *why);
void operators_print(operator_list *list);

/* run_emit.c: writes the files. *failed: the library has failed, and `error` says why. */
exit_code emit_c(const run_options *options, ob_session *session, ob_error *error, bool *failed);
/* The values of --plan, --weights and --level. False: the message is printed. */
bool add_plan(run_options *options, const char *text);
bool parse_weights(const char *text, ob_emit_weights *out);
bool use_level(const char *level);

/* run_plan.c: prints the steps of the plan that the session used last. */
ob_status plan_print(const ob_session *session, ob_error *error);

/* run_outputs.c */
void outputs_print(const ob_session *session, const run_outputs *outputs);
exit_code outputs_write(const run_options *options, const ob_session *session, const run_outputs *outputs);
/* Compares with output_0.pb ... in options->expect_folder and prints the largest error of each. */
exit_code outputs_compare(const run_options *options, const ob_session *session, const run_outputs *outputs);
/* Runs once: outputs is NULL, or has room for all of them. */
ob_status run_once(ob_session *session, const run_inputs *inputs, run_outputs *outputs, ob_error *error);

/* run_independent.c: runs a batch of 3 and its elements alone, with random inputs, and prints whether results differ. */
exit_code check_independent(const run_options *options, ob_model *model);

/* run_bench.c: runs repeatedly and prints one JSON line. */
exit_code bench(const run_options *options, ob_session *session, const run_inputs *inputs, double load_ms, double create_ms);
double now_ms(void);

/* run_profile.c: time by step, over all runs. */
typedef struct profile profile;
profile *profile_begin(void);
void profile_record(void *profile, const ob_trace_event *event); /* an ob_session_config.trace */
void profile_reset(profile *profile);
void profile_print(const profile *profile, FILE *file);
/* In the Trace Event format of Chrome (chrome://tracing, Perfetto). */
ob_status profile_write(profile *profile, const char *path, ob_error *error);
void profile_end(profile *profile);

/* A value of the type is a cell, not a tensor. */
static inline bool is_cell_type(const ob_type *type) {
    return type->kind == OB_TYPE_SEQUENCE || type->kind == OB_TYPE_OPTIONAL || type->kind == OB_TYPE_MAP;
}

exit_code exit_code_of(ob_status status);

#endif
