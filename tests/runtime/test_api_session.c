/* Correct and wrong uses of sessions by a host program. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "api.h"

static const char *const MODEL = "<ir_version: 8, opset_import: [\"\" : 17]>\n"
                                 "g (float[N,M] x, float[K,1] bias) => (float[N,M] y, float[N,M] z) {\n"
                                 "   [sum] y = Add (x, bias)\n"
                                 "   [scaled] z = Mul (y, x)\n"
                                 "}\n";

/* ---- Sizes of symbols ---- */

static ob_status create_with(const ob_model *model, const char *name, int64_t size, ob_error *error) {
    ob_named_size dim = {name, size};
    ob_session_config config;
    ob_session *session = NULL;
    ob_session_config_init(&config);
    config.dims = &dim;
    config.n_dims = 1;
    ob_status status = ob_session_create(model, &config, &session, error);
    assert_true((status == OB_OK) == (session != NULL));
    ob_session_close(&session);
    return status;
}

static void sizes_are_for_symbols_that_exist(void **state) {
    (void)state;
    ob_model *model = model_of(MODEL);
    ob_error error;
    assert_int_equal(create_with(model, "N", 0, &error), OB_OK);
    assert_int_equal(create_with(model, "N", 1, &error), OB_OK);
    assert_int_equal(create_with(model, "n", 1, &error), OB_E_NOT_FOUND);
    assert_string_equal(error.message, "the model has no symbol 'n'");
    assert_int_equal(create_with(model, "", 1, &error), OB_E_ARGUMENT);
    assert_int_equal(create_with(model, NULL, 1, &error), OB_E_ARGUMENT);
    assert_int_equal(create_with(model, "N", -1, &error), OB_E_ARGUMENT);
    assert_string_equal(error.message, "symbol 'N' cannot be -1: a size is 0 or more");
    assert_int_equal(create_with(model, "N", OB_DIM_CONST_MAX, &error), OB_OK);
    assert_int_equal(create_with(model, "N", OB_DIM_CONST_MAX + 1, &error), OB_E_ARGUMENT);
    ob_model_close(&model);
}

/* A symbol whose name ob_dim_format quotes is found as well. */
static void symbols_with_odd_names_are_found(void **state) {
    (void)state;
    static const char name[] = "sequence length";
    unsigned char bytes[4096];
    /* the text form has no such names: a ModelProto with input x: float[name] that is the output too */
    static const unsigned char head[] = {8, 8, 66, 4, 10, 0, 16, 17, 58}; /* ir_version 8, opset_import { "" 17 }, graph */
    unsigned char value[64] = {10,
                               1,
                               'x',
                               18,
                               sizeof name - 1 + 10,
                               10,
                               sizeof name - 1 + 8,
                               8,
                               1,
                               18,
                               sizeof name - 1 + 4,
                               10,
                               sizeof name - 1 + 2,
                               18,
                               sizeof name - 1};
    size_t n_value = 15 + sizeof name - 1, n = sizeof head;
    memcpy(value + 15, name, sizeof name - 1);
    memcpy(bytes, head, sizeof head);
    bytes[n++] = (unsigned char)(3 + 2 * (n_value + 2));
    memcpy(bytes + n, (unsigned char[]){18, 1, 'g'}, 3); /* its name */
    n += 3;
    for (unsigned char field = 11; field <= 12; field++) {
        bytes[n++] = (unsigned char)(field << 3 | 2);
        bytes[n++] = (unsigned char)n_value;
        memcpy(bytes + n, value, n_value);
        n += n_value;
    }
    ob_model *odd = NULL;
    ob_error error;
    if (ob_model_load_memory(bytes, n, "odd", NULL, &odd, &error) != OB_OK) fail_msg("%s", error.message);
    ob_session *session = session_of(odd, (ob_named_size[]){{name, 3}}, 1);
    ob_view view;
    assert_int_equal(ob_session_input_view(session, 0, NULL, &view, NULL), OB_OK);
    assert_int_equal(view.dims[0], 3);
    ob_session_close(&session);
    ob_report *report = NULL;
    ob_check_options options;
    ob_check_options_init(&options);
    options.dims = &(ob_named_size){name, 3};
    options.n_dims = 1;
    if (ob_check(odd, &options, &report, &error) != OB_OK) fail_msg("%s", error.message);
    ob_report_close(&report);
    ob_model_close(&odd);
}

/* ---- The pool of a session's shapes ---- */

static void shapes_belong_to_the_sessions_pool(void **state) {
    (void)state;
    ob_model *model = model_of(MODEL);
    ob_session *session = session_of(model, (ob_named_size[]){{"M", 7}}, 1);
    ob_session_value value;
    char text[32];
    assert_true(ob_session_input(session, 0, &value));
    const ob_dims *pool = ob_session_dims(session);
    assert_true(ob_dim_is_named(pool, value.shape.dims[0]));
    assert_int_equal(ob_dim_format(pool, value.shape.dims[0], text, sizeof text), 1);
    assert_string_equal(text, "N");
    assert_int_equal(value.shape.dims[1], 7);
    int64_t size = -1;
    assert_int_equal(ob_dim_eval(pool, value.shape.dims[0], &(ob_binding){value.shape.dims[0], 9}, 1, &size), OB_OK);
    assert_int_equal(size, 9);
    assert_false(ob_session_input(session, 2, &value));
    assert_false(ob_session_output(session, 2, &value));
    ob_session_close(&session);
    ob_model_close(&model);
}

/* ---- Wrong uses: an error with a message, and nothing is changed ---- */

static void wrong_calls_are_errors(void **state) {
    (void)state;
    ob_model *model = model_of(MODEL);
    ob_session *session = session_of(model, NULL, 0), *none = NULL;
    float x[6] = {1, 2, 3, 4, 5, 6}, bias[2] = {10, 20}, y[6] = {0};
    ob_view in[2] = {floats(x, 2, DIMS(2, 3)), floats(bias, 2, DIMS(2, 1))}, out[3] = {{0}};
    ob_error error;
#define EXPECT(status, call)                                                                                                     \
    do {                                                                                                                         \
        ob_error_clear(&error);                                                                                                  \
        assert_int_equal(call, status);                                                                                          \
        assert_int_equal(error.code, status);                                                                                    \
        assert_true(error.message[0] != '\0');                                                                                   \
    } while (0)
    EXPECT(OB_E_ARGUMENT, ob_session_create(NULL, NULL, &none, &error));
    EXPECT(OB_E_ARGUMENT, ob_session_create(model, NULL, NULL, &error));
    EXPECT(OB_E_ARGUMENT, ob_session_create(model, &(ob_session_config){0}, &none, &error));
    assert_null(none);
    EXPECT(OB_E_ARGUMENT, ob_session_run(NULL, in, 2, out, 2, &error));
    EXPECT(OB_E_ARGUMENT, ob_session_run(session, NULL, 2, out, 2, &error));
    EXPECT(OB_E_ARGUMENT, ob_session_run(session, in, 1, out, 2, &error));
    EXPECT(OB_E_ARGUMENT, ob_session_run(session, in, 3, out, 2, &error));
    EXPECT(OB_E_ARGUMENT, ob_session_run(session, in, 2, out, 3, &error));
    EXPECT(OB_E_ARGUMENT, ob_session_run(session, in, 2, NULL, 2, &error));
    EXPECT(OB_E_ARGUMENT, ob_session_prepare(NULL, in, 2, &error));
    EXPECT(OB_E_ARGUMENT, ob_session_prepare(session, NULL, 2, &error));
    EXPECT(OB_E_ARGUMENT, ob_session_prepare(session, in, 0, &error));
    in[0].data = NULL;
    EXPECT(OB_E_ARGUMENT, ob_session_run(session, in, 2, out, 2, &error));
    in[0].data = (char *)x + 1;
    EXPECT(OB_E_ARGUMENT, ob_session_run(session, in, 2, out, 2, &error));
    in[0] = floats(x, 2, DIMS(3, 2));
    EXPECT(OB_E_CONDITION, ob_session_run(session, in, 2, out, 2, &error));
    assert_string_equal(error.node, "sum");
    in[0] = floats(x, 2, DIMS(2, 3));
    in[0].dims[1] = -1;
    EXPECT(OB_E_ARGUMENT, ob_session_run(session, in, 2, out, 2, &error));
    in[0].dims[1] = 3;
    in[0].rank = OB_MAX_RANK + 1;
    assert_int_not_equal(ob_session_run(session, in, 2, out, 2, &error), OB_OK);
    in[0].rank = 2;
    in[0].dtype = OB_DOUBLE;
    EXPECT(OB_E_TYPE, ob_session_run(session, in, 2, out, 2, &error));
    in[0].dtype = OB_FLOAT;
    out[0] = floats(y, 1, DIMS(6));
    EXPECT(OB_E_SHAPE, ob_session_run(session, in, 2, out, 2, &error));
#undef EXPECT
    out[0] = floats(y, 2, DIMS(2, 3)); /* one result, in the caller's memory */
    assert_int_equal(ob_session_run(session, in, 2, out, 1, NULL), OB_OK);
    assert_memory_equal(y, ((float[]){11, 12, 13, 24, 25, 26}), sizeof y);
    ob_session_close(&session);
    ob_session_close(&session); /* closed already */
    ob_session_close(NULL);
    ob_model_close(&model);
}

/* ---- Several sessions of one model at once ---- */

enum { N_THREADS = 4, N_RUNS = 300 };

typedef struct job {
    const ob_model *model;
    int index;
    char problem[600];
} job;

/* Makes a separate session and runs it with changing sizes; assertions are for the main thread. */
static void *work(void *context) {
    job *j = context;
    ob_session *session = NULL;
    ob_error error = {0};
    float x[32], bias[8];
    for (int round = 0; round < 3 && !j->problem[0]; round++) {
        if (ob_session_create(j->model, NULL, &session, &error) != OB_OK)
            snprintf(j->problem, sizeof j->problem, "%s", error.message);
        for (int run = 0; run < N_RUNS && !j->problem[0]; run++) {
            int64_t rows = 1 + (run + j->index) % 4, columns = run % 5;
            for (int i = 0; i < 32; i++) x[i] = (float)(i + run);
            for (int i = 0; i < 8; i++) bias[i] = (float)(100 * j->index + i);
            ob_view in[2], out[2] = {{0}};
            if (ob_view_init(&in[0], x, OB_FLOAT, 2, DIMS(rows, columns)) != OB_OK ||
                ob_view_init(&in[1], bias, OB_FLOAT, 2, DIMS(rows, 1)) != OB_OK ||
                ob_session_run(session, in, 2, out, 2, &error) != OB_OK) {
                snprintf(j->problem, sizeof j->problem, "run %d: %s", run, error.message);
                break;
            }
            for (int64_t i = 0; i < rows * columns; i++) {
                float y = x[i] + bias[i / columns];
                if (((float *)out[0].data)[i] != y || ((float *)out[1].data)[i] != y * x[i])
                    snprintf(j->problem, sizeof j->problem, "run %d, element %d is wrong", run, (int)i);
            }
        }
        ob_session_close(&session);
    }
    return NULL;
}

static void sessions_of_one_model_run_at_once(void **state) {
    (void)state;
    ob_model *model = model_of(MODEL);
    pthread_t threads[N_THREADS];
    job jobs[N_THREADS];
    for (int i = 0; i < N_THREADS; i++) {
        jobs[i] = (job){.model = model, .index = i};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &jobs[i]), 0);
    }
    for (int i = 0; i < N_THREADS; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < N_THREADS; i++)
        if (jobs[i].problem[0]) fail_msg("thread %d: %s", i, jobs[i].problem);
    ob_model_close(&model);
}

/* ---- The reference of findings ---- */

static void every_finding_has_its_text(void **state) {
    (void)state;
    size_t n = ob_finding_doc_count();
    assert_true(n > 20);
    for (size_t i = 0; i < n; i++) {
        ob_finding_doc doc = ob_finding_doc_at(i);
        assert_int_equal(strncmp(doc.id, "OB", 2), 0);
        assert_true(doc.title[0] && doc.text[0]);
        if (i > 0) assert_true(strcmp(ob_finding_doc_at(i - 1).id, doc.id) < 0); /* in order, each once */
        assert_ptr_equal(ob_finding_doc_find(doc.id).text, doc.text);
    }
    assert_null(ob_finding_doc_at(n).id);
    assert_null(ob_finding_doc_find("OB9999").id);
}

int main(int argc, char **argv) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_are_for_symbols_that_exist),   cmocka_unit_test(symbols_with_odd_names_are_found),
        cmocka_unit_test(shapes_belong_to_the_sessions_pool), cmocka_unit_test(wrong_calls_are_errors),
        cmocka_unit_test(sessions_of_one_model_run_at_once),  cmocka_unit_test(every_finding_has_its_text),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
