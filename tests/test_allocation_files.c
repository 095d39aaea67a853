/* Lack of memory while files are read and written, operators are loaded and single operators are computed. Two things fail in
 * turn: the allocator, if a call takes one, and malloc. The result is E_MEMORY or correct; a file that could not be written is
 * unchanged. */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "failing_malloc.h"

#define FOLDER OB_BINARY_DIR "/tests/"

enum { N_EACH = 1000 };

static failing allocations;

/* With a failing allocator, then with a failing malloc; nothing leaks. */
static void fail_both(work what, void *subject, const char *name) {
    size_t n = fail_each(&allocations, what, subject, name, N_EACH);
    if (allocations.n_alive || allocations.n_bytes)
        fail_msg("%s: %zu blocks and %zu bytes were not given back", name, allocations.n_alive, allocations.n_bytes);
    n += OB_MALLOC_FAILS ? fail_each(&malloc_failing, what, subject, name, N_EACH) : 1;
    if (n == 0) fail_msg("%s: no allocation failed", name);
}

static void digest_file(digest *made, const char *path) {
    bool armed = malloc_failing.armed;
    malloc_failing.armed = false;
    FILE *file = fopen(path, "rb");
    for (int c; file && (c = fgetc(file)) != EOF;) digest_bytes(made, &c, 1);
    if (file) fclose(file);
    malloc_failing.armed = armed;
}

/* ---- Tensors in files ---- */

typedef struct tensor_case {
    const char *path;
    ob_view view;
    bool npy;
    ob_allocator allocator;
} tensor_case;

static ob_status write_tensor(void *subject, digest *made, ob_error *error) {
    const tensor_case *c = subject;
    ob_status status = c->npy ? ob_npy_write(c->path, &c->view, error) : ob_tensor_file_write(c->path, "name", &c->view, error);
    if (status == OB_OK) digest_file(made, c->path);
    return status;
}

static ob_status read_tensor(void *subject, digest *made, ob_error *error) {
    const tensor_case *c = subject;
    ob_file_tensor tensor = {0};
    ob_status status = c->npy ? ob_npy_read(c->path, &c->allocator, &tensor, error)
                              : ob_tensor_file_read(c->path, &c->allocator, &tensor, error);
    if (status != OB_OK) return status;
    digest_text(made, tensor.name);
    digest_view(made, &tensor.view);
    ob_file_tensor_release(&tensor);
    return status;
}

static void tensors_in_files(void **state) {
    (void)state;
    static float floats[6] = {1, 2, 3, 4, 5, 6};
    static ob_string strings[6] = {{"one", 3}, {"", 0}, {"three", 5}, {"4", 1}, {"5", 1}, {"\xc3\xa9", 2}};
    static const int64_t dims[2] = {2, 3};
    for (int npy = 0; npy < 2; npy++)
        for (int kind = 0; kind < 3; kind++) {
            tensor_case c = {.path = npy ? FOLDER "test_allocation.npy" : FOLDER "test_allocation.pb",
                             .npy = npy,
                             .allocator = failing_allocator(&allocations)};
            void *data = kind == 2 ? (void *)strings : (void *)floats;
            assert_int_equal(ob_view_init(&c.view, data, kind == 2 ? OB_STRING : OB_FLOAT, 2, dims), OB_OK);
            if (kind == 1) c.view.strides[0] = 0; /* its elements are packed before they are written */
            fail_both(write_tensor, &c, npy ? "npy write" : "tensor write");
            fail_both(read_tensor, &c, npy ? "npy read" : "tensor read");
            unlink(c.path);
        }
}

/* ---- Models in files ---- */

static const char text[] = "<ir_version: 8, opset_import: [\"\" : 17]>\n"
                           "g (float[N,3] x, float[3] b) => (float[N,3] y) {\n  s = Add (x, b)\n  y = Relu (s)\n}\n";

static ob_status save(void *subject, digest *made, ob_error *error) {
    ob_model *model = NULL;
    ob_load_options options;
    ob_load_options_init(&options);
    const ob_allocator allocator = failing_allocator(&allocations);
    options.allocator = &allocator;
    const char *path = subject;
    ob_status status = ob_model_load_memory(text, sizeof text - 1, "test", &options, &model, error);
    if (status == OB_OK) status = ob_model_save(model, path, OB_FORMAT_AUTO, error);
    if (status == OB_OK) digest_file(made, path);
    ob_model_close(&model);
    return status;
}

static ob_status load_from_pipe(void *subject, digest *made, ob_error *error) {
    (void)subject;
    int ends[2];
    ob_model *model = NULL;
    ob_load_options options;
    ob_load_options_init(&options);
    const ob_allocator allocator = failing_allocator(&allocations);
    options.allocator = &allocator;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], text, sizeof text - 1), sizeof text - 1);
    close(ends[1]);
    ob_status status = ob_model_load_descriptor(ends[0], NULL, &options, &model, error);
    close(ends[0]);
    if (status == OB_OK) status = ob_model_write(model, OB_FORMAT_PROTOBUF, digest_sink, made, error);
    ob_model_close(&model);
    return status;
}

/* From the file to the result, with malloc only; threads allocate with malloc, too. */
static ob_status run_from_file(void *subject, digest *made, ob_error *error) {
    float x[6] = {1, -2, 3, -4, 5, -6}, b[3] = {1, 0, -1};
    ob_view inputs[2], output = {0};
    ob_model *model = NULL;
    ob_session *session = NULL;
    ob_session_config config;
    ob_session_config_init(&config);
    config.n_threads = 2;
    assert_int_equal(ob_view_init(&inputs[0], x, OB_FLOAT, 2, (const int64_t[]){2, 3}), OB_OK);
    assert_int_equal(ob_view_init(&inputs[1], b, OB_FLOAT, 1, (const int64_t[]){3}), OB_OK);
    ob_status status = ob_model_load(subject, NULL, &model, error);
    if (status == OB_OK) status = ob_session_create(model, &config, &session, error);
    if (status == OB_OK) status = ob_session_run(session, inputs, 2, &output, 1, error);
    if (status == OB_OK) digest_view(made, &output);
    ob_session_close(&session);
    ob_model_close(&model);
    return status;
}

static void models_in_files(void **state) {
    (void)state;
    static char binary[] = FOLDER "test_allocation_files.onnx", words[] = FOLDER "test_allocation_files.onnxtxt";
    fail_both(save, binary, "save as protobuf");
    fail_both(save, words, "save as text");
    fail_both(load_from_pipe, NULL, "load from a pipe");
    if (OB_MALLOC_FAILS) fail_both(run_from_file, binary, "run from a file");
    unlink(binary);
    unlink(words);
}

/* ---- A file that exists already ---- */

static void the_old_file_stays(void **state) {
    (void)state;
    if (!OB_MALLOC_FAILS) skip();
    static const char path[] = FOLDER "test_allocation_old.onnxtxt";
    ob_model *model = NULL;
    ob_error error;
    digest before = {0}, after = {0};
    struct stat info;
    assert_int_equal(ob_model_load_memory(text, sizeof text - 1, "test", NULL, &model, &error), OB_OK);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("as it was\n", file);
    fclose(file);
    digest_file(&before, path);
    for (size_t at = 0;; at++) {
        arm(&malloc_failing, at, true);
        ob_status status = ob_model_save(model, path, OB_FORMAT_AUTO, &error);
        malloc_failing.armed = false;
        if (status == OB_OK) break;
        assert_int_equal(status, OB_E_MEMORY);
        after = (digest){0};
        digest_file(&after, path);
        assert_true(before.hash == after.hash && before.n == after.n);
    }
    assert_int_equal(stat(path, &info), 0);
    ob_model_close(&model);
    unlink(path);
}

/* ---- Libraries of operators ---- */

static ob_status use_library(void *subject, digest *made, ob_error *error) {
    static const char model_text[] = "<ir_version: 8, opset_import: [\"\" : 17, \"example.edge\" : 1]>\n"
                                     "g (float[2,3] x, float[3] b, float[8] signal) => (float[2,3] y, float[?,?] z) {\n"
                                     "  y = example.edge.LeakyAdd (x, b)\n"
                                     "  z = example.edge.Frames <size = 4> (signal)\n}\n";
    float x[6] = {1, -2, 3, -4, 5, -6}, b[3] = {0, 1, 2}, signal[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    ob_view inputs[3], outputs[2] = {0};
    ob_operators *operators = NULL;
    ob_model *model = NULL;
    ob_session *session = NULL;
    ob_load_options options;
    ob_session_config config;
    const ob_allocator allocator = failing_allocator(&allocations);
    ob_load_options_init(&options);
    ob_session_config_init(&config);
    config.allocator = options.allocator = &allocator;
    assert_int_equal(ob_view_init(&inputs[0], x, OB_FLOAT, 2, (const int64_t[]){2, 3}), OB_OK);
    assert_int_equal(ob_view_init(&inputs[1], b, OB_FLOAT, 1, (const int64_t[]){3}), OB_OK);
    assert_int_equal(ob_view_init(&inputs[2], signal, OB_FLOAT, 1, (const int64_t[]){8}), OB_OK);
    ob_status status = ob_operators_create(&allocator, &operators);
    error->code = status; /* has no error parameter */
    if (status == OB_OK) status = ob_operators_load(operators, subject, error);
    if (status == OB_OK) status = ob_model_load_memory(model_text, sizeof model_text - 1, "test", &options, &model, error);
    if (status == OB_OK) error->code = status = ob_model_set_operators(model, operators);
    if (status == OB_OK) status = ob_rewrite(model, OB_FORM_BROADCAST, NULL, NULL, error);
    if (status == OB_OK) status = ob_session_create(model, &config, &session, error);
    if (status == OB_OK) status = ob_session_run(session, inputs, 3, outputs, 2, error);
    for (int i = 0; status == OB_OK && i < 2; i++) digest_view(made, &outputs[i]);
    ob_session_close(&session);
    ob_model_close(&model);
    ob_operators_close(&operators);
    return status;
}

static void libraries_of_operators(void **state) {
    (void)state;
    static char path[] = OB_BINARY_DIR "/tests/op_library/edge_operators.so";
    if (access(path, R_OK) != 0) skip();
    ob_error error;
    digest made = {0};
    ob_error_clear(&error);
    if (use_library(path, &made, &error) != OB_OK) fail_msg("%s", error.message);
    size_t n = fail_each(&allocations, use_library, path, "library of operators", N_EACH);
    assert_true(n > 0);
    assert_int_equal(allocations.n_bytes, 0);
}

/* ---- Single operators and sizes ---- */

/* With few operands the call needs only the stack. */
static ob_status max_of_many(void *subject, digest *made, ob_error *error) {
    (void)subject;
    enum { N = 200 };
    float data[N][3], result[3] = {0};
    ob_view inputs[N], output;
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < 3; k++) data[i][k] = (float)((i * 7 + k) % 100);
        assert_int_equal(ob_view_init(&inputs[i], data[i], OB_FLOAT, 1, (const int64_t[]){3}), OB_OK);
    }
    assert_int_equal(ob_view_init(&output, result, OB_FLOAT, 1, (const int64_t[]){3}), OB_OK);
    ob_status status = ob_elementwise("Max", 13, inputs, N, NULL, 0, &output, error);
    digest_bytes(made, result, sizeof result);
    return status;
}

static ob_status cast_to_string(void *subject, digest *made, ob_error *error) {
    (void)subject;
    float data[3] = {1, 2.5F, -3};
    ob_string result[3] = {{NULL, 0}};
    const ob_option to = {.name = "to", .kind = OB_OPTION_INT, .integer = OB_STRING};
    const ob_allocator allocator = failing_allocator(&allocations);
    ob_view input, output;
    ob_elementwise_plan *plan = NULL;
    assert_int_equal(ob_view_init(&input, data, OB_FLOAT, 1, (const int64_t[]){3}), OB_OK);
    assert_int_equal(ob_view_init(&output, result, OB_STRING, 1, (const int64_t[]){3}), OB_OK);
    ob_status status = ob_elementwise_create("Cast", 13, &input, 1, &to, 1, &output, &allocator, &plan, error);
    if (status == OB_OK) status = ob_elementwise_run(plan, &input, &output, error);
    if (status == OB_OK) digest_view(made, &output);
    ob_elementwise_destroy(&plan);
    return status;
}

static ob_status terms(void *subject, digest *made, ob_error *error) {
    (void)subject;
    const ob_allocator allocator = failing_allocator(&allocations);
    char written[200];
    ob_dims *pool = NULL;
    ob_status status = ob_dims_create(&allocator, &pool);
    if (status == OB_OK) {
        ob_dim sum = 0;
        for (int i = 0; i < 40; i++) {
            snprintf(written, sizeof written, "N%d", i);
            ob_dim symbol = ob_dim_symbol(pool, written);
            sum = ob_dim_add(pool, sum, ob_dim_mul(pool, symbol, ob_dim_bcast(pool, symbol, ob_dim_fresh(pool))));
            ob_dim_format(pool, ob_dim_div(pool, sum, 3), written, sizeof written);
            digest_text(made, written);
        }
        status = ob_dims_status(pool);
        ob_dims_destroy(&pool);
    }
    error->code = status; /* these have no error parameter */
    return status;
}

static void operators_and_sizes(void **state) {
    (void)state;
    if (OB_MALLOC_FAILS) fail_both(max_of_many, NULL, "Max of many operands");
    fail_both(cast_to_string, NULL, "Cast to string");
    fail_both(terms, NULL, "terms");
}

/* ---- Baselines ---- */

static const char doubtful[] = "<ir_version: 8, opset_import: [\"\" : 17]>\n"
                               "g (float[N,1] x, float[N] y, float[3] a, float[4] b) => (float[?,?] s, float[?] t) {\n"
                               "  [outer] s = Sub (x, y)\n  t = Add (a, b)\n}\n";

static ob_status accept_findings(void *subject, digest *made, ob_error *error) {
    (void)subject;
    const ob_allocator allocator = failing_allocator(&allocations);
    ob_load_options load;
    ob_check_options options;
    ob_model *model = NULL;
    ob_report *report = NULL;
    ob_baseline *baseline = NULL;
    ob_load_options_init(&load);
    load.allocator = &allocator;
    ob_check_options_init(&options);
    ob_status status = ob_model_load_memory(doubtful, sizeof doubtful - 1, "test", &load, &model, error);
    if (status == OB_OK) status = ob_check(model, NULL, &report, error);
    if (status == OB_OK) error->code = status = ob_baseline_create(&allocator, &baseline);
    if (status == OB_OK) error->code = status = ob_baseline_add(baseline, "m", report);
    if (status == OB_OK) status = ob_baseline_write(baseline, digest_sink, made, error);
    ob_report_close(&report);
    options.baseline = baseline;
    options.baseline_model = "m";
    if (status == OB_OK) status = ob_check(model, &options, &report, error);
    if (status == OB_OK) assert_int_equal(ob_report_get_summary(report).n_baseline, 2);
    ob_report_close(&report);
    ob_baseline_close(&baseline);
    ob_model_close(&model);
    return status;
}

static ob_status read_accepted(void *subject, digest *made, ob_error *error) {
    (void)subject;
    static const char file[] =
        "{\"onnx_broadcast_baseline\":1,\"models\":[{\"model\":\"m\",\"findings\":[{\"id\":\"OB0401\","
        "\"node\":\"a\",\"operator\":\"Sub\",\"fingerprint\":\"00112233445566778899aabbccddeeff\",\"n\":1}]}]}";
    const ob_allocator allocator = failing_allocator(&allocations);
    ob_baseline *baseline = NULL;
    ob_status status = ob_baseline_read(file, sizeof file - 1, &allocator, &baseline, error);
    if (status == OB_OK) status = ob_baseline_write(baseline, digest_sink, made, error);
    ob_baseline_close(&baseline);
    return status;
}

static void baselines(void **state) {
    (void)state;
    fail_both(accept_findings, NULL, "accepted findings");
    fail_both(read_accepted, NULL, "baseline");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tensors_in_files),       cmocka_unit_test(models_in_files),     cmocka_unit_test(the_old_file_stays),
        cmocka_unit_test(libraries_of_operators), cmocka_unit_test(operators_and_sizes), cmocka_unit_test(baselines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
