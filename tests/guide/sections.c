/* The functions that docs/embedding.md quotes, in its order. What they print is sections.txt. */
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <onnx_broadcast/onnx_broadcast.h>

/* ---- Errors ---- */

static void complain(ob_status status, const ob_error *error) {
    printf("%s: %s\n", ob_status_text(status), error->message);
    if (error->node[0]) printf("  at node %s (%s)\n", error->node, error->op_type);
    if (error->value[0]) printf("  value %s\n", error->value);
    if (error->axis >= 0) printf("  axis %" PRId32 "\n", error->axis);
}

/* "loss": (N, 1) - (N) */
static void provoke(void) {
    ob_model *model = NULL;
    ob_session *session = NULL;
    ob_error error;
    if (ob_model_load("models/accidental.onnx", NULL, &model, &error) != OB_OK) abort();
    if (ob_session_create(model, NULL, &session, &error) != OB_OK) abort();
    float prediction[2] = {1, 2}, target[3] = {0};
    ob_view inputs[2], output = {0};
    ob_view_init(&inputs[0], prediction, OB_FLOAT, 2, (int64_t[]){2, 1});
    ob_view_init(&inputs[1], target, OB_FLOAT, 1, (int64_t[]){3});
    ob_status status = ob_session_run(session, inputs, 2, &output, 1, &error);
    complain(status, &error);
    ob_session_close(&session);
    ob_model_close(&model);
}

/* ---- Inputs and outputs ---- */

static void describe(const ob_session *session) {
    ob_session_value value;
    for (size_t i = 0; ob_session_input(session, i, &value); i++)
        printf("input  %s: %s %s\n", value.name, ob_dtype_name(value.dtype), value.shape_text);
    for (size_t i = 0; ob_session_output(session, i, &value); i++)
        printf("output %s: %s %s\n", value.name, ob_dtype_name(value.dtype), value.shape_text);
}

/* ---- Sequences, optionals and maps ---- */

static ob_status append(ob_session *session, ob_cell **sequence, const ob_view *last, ob_error *error) {
    ob_view inputs[2] = {{0}, *last}, output = {0}; /* a cell's view has no element type */
    const ob_cell *cells[2] = {*sequence, NULL}, *result = NULL;
    ob_cell *longer = NULL;
    ob_status status = ob_session_run_cells(session, inputs, cells, 2, &output, &result, 1, error);
    if (status == OB_OK) status = ob_cell_copy(result, NULL, &longer, error); /* the session's own goes with its next run */
    if (status != OB_OK) return status;
    ob_cell_close(sequence);
    *sequence = longer;
    for (size_t i = 0; i < ob_cell_count(longer); i++) {
        ob_view item;
        if (ob_cell_view(ob_cell_at(longer, i), &item)) printf("%zu: %lld elements\n", i, (long long)ob_view_count(&item));
    }
    return OB_OK;
}

/* ---- Symbolic sizes ---- */

static ob_status open_with_sizes(const ob_model *model, int64_t batch, int64_t length, ob_session **out, ob_error *error) {
    const ob_named_size sizes[] = {{"batch", batch}, {"length", length}};
    ob_session_config config;
    ob_session_config_init(&config);
    config.dims = sizes; /* borrowed during ob_session_create */
    config.n_dims = 2;
    return ob_session_create(model, &config, out, error);
}

/* ---- Own buffers ---- */

enum { BATCH = 2, LENGTH = 7, WIDTH = 32 };

static ob_status run_on_own_buffers(ob_session *session, float *x, int64_t *mask, float *y, ob_error *error) {
    ob_view inputs[2], output;
    ob_status status = ob_session_typed_input_view(session, 0, OB_FLOAT, x, &inputs[0], error);
    if (status == OB_OK) status = ob_session_typed_input_view(session, 1, OB_INT64, mask, &inputs[1], error);
    if (status == OB_OK) status = ob_view_init(&output, y, OB_FLOAT, 3, (int64_t[]){BATCH, LENGTH, WIDTH});
    if (status == OB_OK) status = ob_session_prepare(session, inputs, 2, error); /* once: plans, allocates */
    for (int frame = 0; status == OB_OK && frame < 3; frame++)
        status = ob_session_run(session, inputs, 2, &output, 1, error); /* allocates nothing, the result is in y */
    return status;
}

/* ---- Limits, and stopping ---- */

static bool is_asked_to_stop(void *context) {
    return *(volatile sig_atomic_t *)context != 0; /* set by a handler of signals, for instance */
}

static ob_status open_with_limits(const ob_model *model, volatile sig_atomic_t *stop, ob_session **out, ob_error *error) {
    ob_session_config config;
    ob_session_config_init(&config);
    config.max_memory = UINT64_C(256) << 20;       /* bytes, of everything that the session has at a time */
    config.max_output_bytes = UINT64_C(16) << 20;  /* of the results of one run */
    config.max_nodes = 100000;                     /* when the model's functions are written out */
    config.max_run_ns = UINT64_C(5) * 1000000000u; /* of each call */
    config.cancelled = is_asked_to_stop;
    config.context = (void *)(uintptr_t)stop;
    return ob_session_create(model, &config, out, error);
}

/* ---- Memory known beforehand ---- */

static ob_status run_in_given_memory(const ob_model *model, const ob_allocator *allocator, float *x, int64_t *mask, float *y,
                                     ob_error *error) {
    const ob_named_size sizes[] = {{"batch", BATCH}, {"length", LENGTH}};
    static _Alignas(64) unsigned char work[64 * 1024];
    ob_session *session = NULL;
    ob_session_config config;
    ob_session_config_init(&config);
    config.dims = sizes;
    config.n_dims = 2;
    config.allocator = allocator; /* of the session and its plans; NULL: malloc */
    config.caller_memory = true;  /* plans allocate no memory for runs */
    ob_status status = ob_session_create(model, &config, &session, error);
    if (status == OB_OK) status = ob_session_set_memory(session, work, sizeof work, error);
    if (status == OB_OK) status = run_on_own_buffers(session, x, mask, y, error);
    if (status == OB_OK) {
        ob_session_memory memory;
        ob_session_get_memory(session, &memory);
        printf("%s\n", memory.work_bytes <= sizeof work ? "it fits" : "it does not fit");
    }
    ob_session_close(&session);
    return status;
}

/* ---- Speed before bits ---- */

static ob_status open_relaxed(const ob_model *model, ob_session **out, ob_error *error) {
    ob_session_config config;
    ob_session_config_init(&config);
    config.numerics = OB_NUMERICS_RELAXED; /* OB_NUMERICS_EXACT is the default */
    return ob_session_create(model, &config, out, error);
}

/* ---- Models in flash, and no heap ---- */

static ob_status run_from_flash(const void *flash, size_t n_bytes, float *x, int64_t *mask, float *y, ob_error *error) {
    static _Alignas(16) unsigned char heap[512 * 1024];
    ob_fixed_memory used;
    ob_allocator allocator = ob_fixed_allocator(&used, heap, sizeof heap);
    ob_load_options options;
    ob_load_options_init(&options);
    options.allocator = &allocator; /* of the model */
    ob_model *model = NULL;
    ob_status status = ob_model_load_memory(flash, n_bytes, "attention", &options, &model, error);
    if (status == OB_OK) status = run_in_given_memory(model, &allocator, x, mask, y, error);
    ob_model_close(&model);
    printf("%s\n", status == OB_OK ? "model and session fit too" : "they do not fit");
    return status;
}

/* ---- What it tells ---- */

static void tell(void *context, ob_log_level level, const char *message) {
    (void)level;
    fprintf(context, "onnx_broadcast: %s\n", message);
}

static ob_status load_and_tell(const char *path, ob_model **out, ob_error *error) {
    const ob_logger logger = {OB_LOG_INFO, tell, stderr};
    ob_load_options options;
    ob_load_options_init(&options);
    options.logger = &logger; /* copied */
    return ob_model_load(path, &options, out, error);
}

/* ---- Threads ---- */

typedef struct job {
    ob_worker *worker; /* one for each thread */
    ob_view inputs[2], output;
    ob_status status;
    ob_error error;
} job;

static void *do_job(void *context) {
    job *j = context;
    j->status = ob_worker_run(j->worker, j->inputs, 2, &j->output, 1, &j->error);
    return NULL;
}

/* At most 8 jobs, with inputs of one shape. */
static ob_status run_in_threads(ob_session *session, job *jobs, size_t n_jobs, ob_error *error) {
    pthread_t threads[8];
    size_t n_started = 0;
    ob_status status = ob_session_prepare(session, jobs[0].inputs, 2, error); /* the plan that all share */
    for (size_t i = 0; status == OB_OK && i < n_jobs; i++) status = ob_worker_create(session, NULL, &jobs[i].worker, error);
    while (status == OB_OK && n_started < n_jobs)
        if (pthread_create(&threads[n_started], NULL, do_job, &jobs[n_started]) == 0)
            n_started++;
        else
            status = OB_E_MEMORY;
    for (size_t i = 0; i < n_started; i++) pthread_join(threads[i], NULL);
    for (size_t i = 0; i < n_started && status == OB_OK; i++) status = jobs[i].status;
    return status; /* results of workers last until ob_worker_close */
}

/* ---- Checking ---- */

static ob_status list_findings(ob_model *model, size_t *n_errors, ob_error *error) {
    ob_report *report = NULL;
    ob_status status = ob_check(model, NULL, &report, error);
    if (status != OB_OK) return status;
    ob_finding_info f;
    for (size_t i = 0; ob_report_finding(report, i, &f) == OB_OK; i++)
        printf("%s[%s] %s: %s\n", ob_severity_name(f.severity), f.id, f.node, f.message);
    ob_condition_info c;
    for (size_t i = 0; ob_report_condition(report, i, &c) == OB_OK; i++) printf("must hold at %s: %s\n", c.node, c.text);
    *n_errors = ob_report_get_summary(report).n_errors;
    ob_report_close(&report);
    return OB_OK;
}

/* ---- Rewriting ---- */

static ob_status save_explicit(ob_model *model, const char *path, ob_error *error) {
    ob_rewrite_stats stats;
    ob_status status = ob_rewrite(model, OB_FORM_FUNCTION, NULL, &stats, error);
    if (status == OB_OK) status = ob_model_save(model, path, OB_FORMAT_AUTO, error);
    if (status == OB_OK) printf("%zu broadcasts written down\n", stats.n_inserted);
    return status;
}

/* ---- Plain arrays ---- */

static ob_status add_rows(const float *row, float *table, int64_t n_rows, int64_t n_columns, ob_error *error) {
    ob_view in[2], out;
    ob_status status = ob_view_init(&in[0], table, OB_FLOAT, 2, (int64_t[]){n_rows, n_columns});
    if (status == OB_OK) status = ob_view_init(&in[1], (void *)(uintptr_t)row, OB_FLOAT, 1, &n_columns);
    out = in[0]; /* in place */
    return status == OB_OK ? ob_elementwise("Add", 0, in, 2, NULL, 0, &out, error) : status;
}

/* ---- Operators of your own ---- */

static ob_status load_with_operators(const char *library, const char *text, ob_operators **operators, ob_model **model,
                                     ob_error *error) {
    ob_status status = ob_operators_create(NULL, operators);
    if (status == OB_OK) status = ob_operators_load(*operators, library, error);
    if (status == OB_OK) status = ob_model_load_memory(text, strlen(text), "text", NULL, model, error);
    return status == OB_OK ? ob_model_set_operators(*model, *operators) : status;
}

/* ---- All of it ---- */

#define MUST(call)                                                                                                               \
    do {                                                                                                                         \
        ob_status status_ = (call);                                                                                              \
        if (status_ != OB_OK) {                                                                                                  \
            complain(status_, &error);                                                                                           \
            return 1;                                                                                                            \
        }                                                                                                                        \
    } while (0)

static void *read_file(const char *path, size_t *n) {
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) abort();
    *n = (size_t)ftell(file);
    rewind(file);
    void *bytes = malloc(*n);
    if (!bytes || fread(bytes, 1, *n, file) != *n) abort();
    fclose(file);
    return bytes;
}

static ob_status append_twice(ob_error *error) {
    static const char text[] = "<ir_version: 8, opset_import: [\"\" : 17]>"
                               "longer (seq(float[]) s, float[n] x) => (t) { t = SequenceInsert(s, x) }";
    float x[3] = {1, 2, 3};
    ob_model *model = NULL;
    ob_session *session = NULL;
    ob_cell *sequence = NULL;
    ob_view last;
    ob_status status = ob_model_load_memory(text, sizeof text - 1, "longer", NULL, &model, error);
    if (status == OB_OK) status = ob_session_create(model, NULL, &session, error);
    if (status == OB_OK) status = ob_cell_sequence(OB_FLOAT, NULL, 0, NULL, &sequence, error);
    for (int64_t n = 2; n <= 3 && status == OB_OK; n++) {
        status = ob_view_init(&last, x, OB_FLOAT, 1, &n);
        if (status == OB_OK) status = append(session, &sequence, &last, error);
    }
    ob_cell_close(&sequence);
    ob_session_close(&session);
    ob_model_close(&model);
    return status;
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    ob_error error;
    ob_error_clear(&error);
    provoke();
    MUST(append_twice(&error));

    ob_model *model = NULL;
    ob_session *session = NULL;
    size_t n_bytes, n_errors;
    void *bytes = read_file("models/attention.onnx", &n_bytes);
    MUST(ob_model_load_memory(bytes, n_bytes, "attention", NULL, &model, &error));
    MUST(ob_session_create(model, NULL, &session, &error));
    describe(session);
    ob_session_close(&session);

    MUST(open_with_sizes(model, BATCH, LENGTH, &session, &error));
    describe(session);
    static float x[BATCH * LENGTH * WIDTH], y[BATCH * LENGTH * WIDTH], again[BATCH * LENGTH * WIDTH];
    static int64_t mask[BATCH * LENGTH];
    for (int i = 0; i < BATCH * LENGTH * WIDTH; i++) x[i] = (float)(i % 17) - 8;
    for (int i = 0; i < BATCH * LENGTH; i++) mask[i] = i % LENGTH < 5;
    MUST(run_on_own_buffers(session, x, mask, y, &error));
    ob_session_close(&session);
    volatile sig_atomic_t stop = 0;
    MUST(open_with_limits(model, &stop, &session, &error));
    stop = 1;
    ob_view inputs[2] = {{0}};
    MUST(ob_view_init(&inputs[0], x, OB_FLOAT, 3, (int64_t[]){BATCH, LENGTH, WIDTH}));
    MUST(ob_view_init(&inputs[1], mask, OB_INT64, 2, (int64_t[]){BATCH, LENGTH}));
    complain(ob_session_run(session, inputs, 2, NULL, 0, &error), &error);
    ob_session_close(&session);
    MUST(open_relaxed(model, &session, &error));
    ob_session_close(&session);
    MUST(run_in_given_memory(model, NULL, x, mask, again, &error));
    printf("%s\n", memcmp(y, again, sizeof y) == 0 && y[0] != 0 ? "the same result" : "another result");
    size_t n_flash;
    MUST(ob_model_save(model, argv[1], OB_FORMAT_PROTOBUF_ALIGNED, &error));
    void *flash = read_file(argv[1], &n_flash);
    memset(again, 0, sizeof again);
    MUST(run_from_flash(flash, n_flash, x, mask, again, &error));
    printf("%s\n", memcmp(y, again, sizeof y) == 0 ? "the same result" : "another result");
    free(flash);

    static job jobs[3];
    MUST(open_with_sizes(model, BATCH, LENGTH, &session, &error));
    for (int i = 0; i < 3; i++) {
        MUST(ob_session_typed_input_view(session, 0, OB_FLOAT, x, &jobs[i].inputs[0], &error));
        MUST(ob_session_typed_input_view(session, 1, OB_INT64, mask, &jobs[i].inputs[1], &error));
    }
    MUST(run_in_threads(session, jobs, 3, &error));
    int n_same = 0;
    for (int i = 0; i < 3; i++) {
        n_same += memcmp(y, jobs[i].output.data, sizeof y) == 0;
        ob_worker_close(&jobs[i].worker);
    }
    printf("%d threads with the same result\n", n_same);
    ob_session_close(&session);

    MUST(list_findings(model, &n_errors, &error));
    printf("%zu errors\n", n_errors);
    MUST(save_explicit(model, argv[1], &error));
    ob_model_close(&model);
    free(bytes);
    MUST(load_and_tell("models/accidental.onnx", &model, &error));
    MUST(list_findings(model, &n_errors, &error));
    ob_model_close(&model);

    float table[4] = {1, 2, 3, 4};
    MUST(add_rows((const float[]){10, 20}, table, 2, 2, &error));
    printf("%g %g %g %g\n", (double)table[0], (double)table[1], (double)table[2], (double)table[3]);

    static const char text[] = "<ir_version: 8, opset_import: [\"\" : 17, \"my.domain\" : 1]>"
                               "squares (float[4] x) => (float[4] y) { y = my.domain.Square(x) }";
    ob_operators *operators = NULL;
    ob_view in, out = {0};
    MUST(load_with_operators(argv[2], text, &operators, &model, &error));
    MUST(ob_session_create(model, NULL, &session, &error));
    MUST(ob_session_typed_input_view(session, 0, OB_FLOAT, table, &in, &error));
    MUST(ob_session_run(session, &in, 1, &out, 1, &error));
    for (int i = 0; i < 4; i++) printf("%g ", (double)((const float *)out.data)[i]);
    printf("are squares\n");
    ob_session_close(&session);
    ob_model_close(&model);
    ob_operators_close(&operators);
    return 0;
}
