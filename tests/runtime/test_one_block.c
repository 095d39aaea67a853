/* A session in one buffer: ob_session_memory_bytes tells its size, exactly that many bytes suffice, and neither the library nor
 * the libraries that it uses call malloc (counting_malloc.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "corpus.h"
#include "counting_malloc.h"
#include "onnx_broadcast/onnx_broadcast.h"

enum { MAX_VALUES = 64, RUNS = 5, UNIT = 16, MANY = 100000 };

typedef struct call {
    ob_view in[MAX_VALUES], out[MAX_VALUES], want[MAX_VALUES];
    size_t n_in, n_out;
} call;

static ob_model *load_text(const char *text) {
    ob_model *model = NULL;
    ob_error error;
    if (ob_model_load_memory(text, strlen(text), "text", NULL, &model, &error) != OB_OK) fail_msg("%s", error.message);
    return model;
}

/* Zeros; each open size is 2. False: not a tensor, or of unknown rank. */
static bool make_inputs(const ob_session *session, call *c) {
    c->n_in = ob_session_input_count(session);
    c->n_out = ob_session_output_count(session);
    if (c->n_in > MAX_VALUES || c->n_out > MAX_VALUES) return false;
    for (size_t i = 0; i < c->n_in; i++) {
        ob_session_value info;
        int64_t dims[OB_MAX_RANK];
        assert_true(ob_session_input(session, i, &info));
        if (info.dtype == OB_NONE || info.shape.rank == OB_RANK_UNKNOWN) return false;
        for (int32_t k = 0; k < info.shape.rank; k++) dims[k] = ob_dim_is_const(info.shape.dims[k]) ? info.shape.dims[k] : 2;
        size_t n = 1;
        for (int32_t k = 0; k < info.shape.rank; k++) n *= (size_t)dims[k];
        void *data = calloc(n + 1, ob_dtype_size(info.dtype));
        assert_non_null(data);
        assert_int_equal(ob_view_init(&c->in[i], data, info.dtype, info.shape.rank, dims), OB_OK);
    }
    return true;
}

static void free_inputs(call *c) {
    for (size_t i = 0; i < c->n_in && i < MAX_VALUES; i++) free(c->in[i].data);
}

/* All that a program does with a session in a buffer. No assertions here, because cmocka allocates. */
static ob_status run_in(const ob_model *model, const ob_session_config *given, void *buffer, size_t n_bytes, call *c,
                        ob_fixed_memory *memory, bool *same, ob_error *error) {
    const ob_allocator allocator = ob_fixed_allocator(memory, buffer, n_bytes);
    ob_session_config config;
    ob_session *session = NULL;
    ob_session_config_init(&config);
    if (given) config = *given;
    config.allocator = &allocator;
    ob_status status = ob_session_create(model, &config, &session, error);
    if (status == OB_OK) status = ob_session_prepare(session, c->in, c->n_in, error);
    for (int i = 0; i < RUNS && status == OB_OK; i++) {
        memset(c->out, 0, sizeof c->out);
        status = ob_session_run(session, c->in, c->n_in, c->out, c->n_out, error);
    }
    for (size_t i = 0; i < c->n_out && status == OB_OK; i++) {
        const ob_view *a = &c->out[i], *b = &c->want[i];
        *same &= a->dtype == b->dtype && ob_view_count(a) == ob_view_count(b);
        if (*same && a->dtype != OB_STRING && ob_view_count(a) > 0)
            *same &= memcmp(a->data, b->data, (size_t)ob_view_count(a) * ob_dtype_size(a->dtype)) == 0;
    }
    ob_session_close(&session);
    return status;
}

/* Exactly the bytes that are told, and a unit less. */
static void expect_exact(const char *name, const ob_model *model, const ob_session_config *config, call *c) {
    ob_fixed_memory memory;
    ob_error error;
    size_t n_bytes = 0;
    bool same = true;
    if (ob_session_memory_bytes(model, config, c->in, c->n_in, &n_bytes, &error) != OB_OK)
        fail_msg("%s: %s", name, error.message);
    assert_int_equal(n_bytes % UNIT, 0);
    unsigned char *buffer = aligned_alloc(UNIT, n_bytes);
    assert_non_null(buffer);
    n_mallocs = 0;
    counts_mallocs = true;
    ob_status status = run_in(model, config, buffer, n_bytes, c, &memory, &same, &error);
    counts_mallocs = false;
    const size_t n_calls = n_mallocs;
    if (status != OB_OK) fail_msg("%s: with the %zu bytes that were told: %s", name, n_bytes, error.message);
    if (!same) fail_msg("%s: other results in one buffer", name);
    if (n_calls) fail_msg("%s: %zu calls of malloc", name, n_calls);
    assert_int_equal(memory.used, 0);
    assert_int_equal(memory.refused, 0);
    assert_int_equal(memory.reached, n_bytes);
    free(buffer);

    buffer = aligned_alloc(UNIT, n_bytes); /* of which the last byte is not the session's */
    assert_non_null(buffer);
    status = run_in(model, config, buffer, n_bytes - 1, c, &memory, &same, &error);
    assert_int_not_equal(memory.refused, 0);
    if (status != OB_OK) {
        assert_int_equal(status, OB_E_MEMORY);
        if (!strstr(error.message, ": the allocator has no ")) fail_msg("%s: %s", name, error.message);
    }
    assert_int_equal(memory.used, 0);
    free(buffer);
    print_message("%s: %zu bytes%s\n", name, n_bytes, status == OB_OK ? "; it also runs with less" : "");
}

/* False: the model does not run with these inputs. */
static bool try_model(const char *name, const ob_model *model, const ob_session_config *config) {
    ob_session *session = NULL;
    ob_error error;
    call *c = calloc(1, sizeof *c);
    assert_non_null(c);
    bool runs = ob_session_create(model, config, &session, &error) == OB_OK && make_inputs(session, c) &&
                ob_session_run(session, c->in, c->n_in, c->want, c->n_out, &error) == OB_OK;
    if (runs) expect_exact(name, model, config, c);
    ob_session_close(&session);
    free_inputs(c);
    free(c);
    return runs;
}

static size_t n_run;

static void try_file(void *context, const char *path) {
    ob_model *model = NULL;
    ob_error error;
    ++*(size_t *)context;
    if (ob_model_load(path, NULL, &model, &error) == OB_OK && try_model(path, model, NULL))
        n_run++;
    else
        print_message("skipped: %s: it does not run with sizes 2\n", path);
    ob_model_close(&model);
}

static void all_in(const char *folder, size_t at_least) {
    size_t n = 0;
    n_run = 0;
    corpus_walk(folder, 2, try_file, &n);
    if (n == 0) print_message("skipped: no models in %s\n", folder);
    assert_true(n == 0 || n_run >= at_least);
}

static void own_models(void **state) {
    (void)state;
    all_in(OB_SOURCE_DIR "/models", 5);
    assert_true(n_run >= 5);
}

static void shared_models(void **state) {
    (void)state;
    char folder[1024];
    const char *shared = getenv("OB_SHARED");
    snprintf(folder, sizeof folder, "%s/models", shared ? shared : OB_SOURCE_DIR "/../shared");
    all_in(folder, 15);
}

/* Sizes of results that depend on data, strings, and the settings that change what is allocated. */
static void settings(void **state) {
    (void)state;
    ob_session_config config;
    ob_model *model = load_text("<ir_version: 8, opset_import: [\"\" : 17]>\n"
                                "g (float[N, 3] x) => (float[N, 3] y, int64[R, K] z)\n"
                                "<float[3, 3] w = {1, 2, 3, 4, 5, 6, 7, 8, 9}> { p = MatMul(x, w) y = Relu(p) z = NonZero(x) }");
    ob_session_config_init(&config);
    assert_true(try_model("dynamic", model, &config));
    config.optimize = false;
    assert_true(try_model("dynamic, as written", model, &config));
    config.optimize = true;
    config.constants_in_place = true;
    assert_true(try_model("dynamic, weights in place", model, &config));
    ob_model_close(&model);
    model = load_text("<ir_version: 8, opset_import: [\"\" : 17]>\n"
                      "g (float[N] x) => (string[N] y) { y = Cast <to = 8> (x) }");
    assert_true(try_model("strings", model, NULL));
    ob_model_close(&model);
    for (int n = 0; n <= 1; n++) { /* sizes 0 and 1 */
        char text[200];
        snprintf(text, sizeof text,
                 "<ir_version: 8, opset_import: [\"\" : 17]> g (float[%d] x, float[1] b) => (float[K] y) { y = Add(x, b) }", n);
        model = load_text(text);
        assert_true(try_model(text, model, NULL));
        ob_model_close(&model);
    }
}

static ob_view without_data(int64_t n) {
    static float any;
    ob_view view;
    assert_int_equal(ob_view_init(&view, &any, OB_FLOAT, 1, &n), OB_OK);
    view.data = NULL;
    return view;
}

/* Without inputs: the declared sizes, which dims complete; the figure is that of such inputs. */
static void declared_sizes(void **state) {
    (void)state;
    ob_error error;
    ob_session_config config;
    ob_view x;
    size_t small = 0, large = 0, given = 0;
    ob_model *model = load_text("<ir_version: 8, opset_import: [\"\" : 17]> g (float[N] x) => (float[N] y) { y = Erf(x) }");
    ob_session_config_init(&config);
    config.n_dims = 1;
    config.dims = &(ob_named_size){"N", 10};
    assert_int_equal(ob_session_memory_bytes(model, &config, NULL, 0, &small, &error), OB_OK);
    config.dims = &(ob_named_size){"N", MANY};
    assert_int_equal(ob_session_memory_bytes(model, &config, NULL, 0, &large, &error), OB_OK);
    /* ten elements, aligned to 64 bytes, may lie in a gap that planning left; many may not */
    assert_in_range(large, MANY * sizeof(float), MANY * sizeof(float) + small + 2 * 64);
    x = without_data(MANY);
    assert_int_equal(ob_session_memory_bytes(model, &config, &x, 1, &given, &error), OB_OK);
    assert_int_equal(given, large);
    config.n_dims = 0;
    assert_int_equal(ob_session_memory_bytes(model, &config, NULL, 0, &large, &error), OB_E_SHAPE);
    assert_string_equal(error.message, "input x has shape [N]: the size of axis 0 must be given");
    ob_model_close(&model);
}

/* The model and its session in one buffer: what the allocator reached is all that it needs. */
static void with_the_model(void **state) {
    (void)state;
    static const char text[] = "<ir_version: 8, opset_import: [\"\" : 17]> g (float[4] x) => (float[4] y) { y = Softmax(x) }";
    static _Alignas(UNIT) unsigned char buffer[256 * 1024];
    size_t n_bytes = sizeof buffer;
    for (int round = 0; round < 3; round++) { /* enough, exact, a byte less */
        ob_fixed_memory memory;
        const ob_allocator allocator = ob_fixed_allocator(&memory, buffer, n_bytes);
        ob_load_options load;
        ob_session_config config;
        ob_model *model = NULL;
        ob_session *session = NULL;
        float x[4] = {0};
        ob_view in, out = {0};
        ob_error error;
        ob_load_options_init(&load);
        load.allocator = &allocator;
        ob_session_config_init(&config);
        config.allocator = &allocator;
        assert_int_equal(ob_view_init(&in, x, OB_FLOAT, 1, (int64_t[]){4}), OB_OK);
        ob_status status = ob_model_load_memory(text, sizeof text - 1, "g", &load, &model, &error);
        if (status == OB_OK) status = ob_session_create(model, &config, &session, &error);
        if (status == OB_OK) status = ob_session_run(session, &in, 1, &out, 1, &error);
        assert_int_equal(status, round < 2 ? OB_OK : OB_E_MEMORY);
        if (round < 2) assert_true(((const float *)out.data)[3] == 0.25f);
        ob_session_close(&session);
        ob_model_close(&model);
        assert_int_equal(memory.used, 0);
        if (round == 1) assert_int_equal(memory.reached, n_bytes);
        n_bytes = memory.reached - (round == 1);
    }
}

static void expect_refusal(const ob_model *model, const ob_session_config *config, const ob_view *in, size_t n_in,
                           ob_status status, const char *message) {
    ob_error error;
    size_t n_bytes = 77;
    assert_int_equal(ob_session_memory_bytes(model, config, in, n_in, &n_bytes, &error), status);
    assert_string_equal(error.message, message);
    assert_int_equal(n_bytes, 77);
}

static void *no_memory(void *context, size_t n_bytes) {
    (void)context, (void)n_bytes;
    return NULL;
}

static void refusals(void **state) {
    (void)state;
    ob_error error;
    ob_session_config config;
    ob_view x;
    ob_model *model = load_text("<ir_version: 8, opset_import: [\"\" : 17]>\n"
                                "g (float[2] x) => (int64[1, K] y) { y = NonZero(x) }");
    x = without_data(2);
    expect_refusal(model, NULL, &x, 1, OB_E_ARGUMENT, "runs allocate as their data demand: the inputs must have data");
    ob_session_config_init(&config);
    config.caller_memory = true;
    expect_refusal(model, &config, &x, 1, OB_E_UNSUPPORTED,
                   "runs allocate as their data demand, which is not known beforehand with caller_memory");
    config.caller_memory = false;
    config.n_threads = 2;
    expect_refusal(model, &config, &x, 1, OB_E_ARGUMENT, "a session in one buffer has one thread, not 2");
    config.n_threads = 1;
    config.allocator = &(ob_allocator){no_memory, NULL, NULL, NULL};
    expect_refusal(model, &config, &x, 1, OB_E_MEMORY, "out of memory for a buffer of 65536 bytes");
    expect_refusal(model, NULL, NULL, 1, OB_E_ARGUMENT, "inputs and n_bytes must not be NULL");
    expect_refusal(NULL, NULL, &x, 1, OB_E_ARGUMENT, "model and out must not be NULL");
    config.struct_bytes = 1;
    expect_refusal(model, &config, &x, 1, OB_E_ARGUMENT, "the configuration was not made by ob_session_config_init");
    assert_int_equal(ob_session_memory_bytes(model, NULL, &x, 1, NULL, &error), OB_E_ARGUMENT);
    ob_model_close(&model);
    model = load_text("<ir_version: 8, opset_import: [\"\" : 17]>\n"
                      "g (seq(float[2]) x) => (int64 y) { y = SequenceLength(x) }");
    expect_refusal(model, NULL, NULL, 0, OB_E_UNSUPPORTED, "inputs and outputs must be tensors");
    ob_model_close(&model);
}

int main(int argc, char **argv) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(own_models),     cmocka_unit_test(shared_models),  cmocka_unit_test(settings),
        cmocka_unit_test(declared_sizes), cmocka_unit_test(with_the_model), cmocka_unit_test(refusals),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
