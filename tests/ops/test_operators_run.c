/* Running operators from libraries: an example library from a file, and one that is part of this program and uses every
 * function of the host. */
#include <pthread.h>

#include "oplib.h"

/* ---- A library without a file ---- */

typedef struct counts {
    int plans, runs, releases;
} counts;

static counts counted;

static ob_status like_input(ob_operator_call *call) {
    ob_shape in = call->host->input_shape(call, 0);
    return call->host->set_output(call, 0, OB_NONE, in.rank, in.dims);
}

/* Count(x): 1, 2, 3 ... by call; -3 also tells its version. */
static ob_status count_plan(ob_operator_call *call) {
    ((counts *)call->user)->plans++;
    int64_t *table = call->allocator->alloc(call->allocator->context, 64);
    if (!table) return OB_E_MEMORY;
    *table = call->op->since * 1000;
    *(int64_t **)call->state = table;
    return call->host->need_scratch(call, (size_t)call->inputs[0].dims[0] * 8);
}
static ob_status count_run(ob_operator_call *call) {
    counts *c = call->user;
    int64_t *scratch = call->scratch, n = call->inputs[0].dims[0], *out = call->outputs[0].data;
    c->runs++;
    for (int64_t i = 0; i < n; i++) scratch[i] = **(int64_t **)call->state + c->runs;
    if (n) memcpy(out, scratch, (size_t)n * 8);
    return (uintptr_t)scratch % 64 == 0 && (uintptr_t)call->state % 16 == 0 ? OB_OK : OB_E_INTERNAL;
}
static void count_release(ob_operator_call *call) {
    ((counts *)call->user)->releases++;
    call->allocator->free(call->allocator->context, *(int64_t **)call->state, 64);
}

/* Positive(x): the elements over 0. */
static ob_status open_shape(ob_operator_call *call) {
    ob_dim unknown = OB_DIM_UNKNOWN;
    return call->host->set_output(call, 0, OB_NONE, 1, &unknown);
}
static ob_status positive_run(ob_operator_call *call) {
    const float *x = call->inputs[0].data;
    int64_t n = 0;
    for (int64_t i = 0; i < call->inputs[0].dims[0]; i++) n += x[i] > 0;
    ob_status status = call->host->make_output(call, 0, 1, &n);
    if (status != OB_OK) return status;
    float *out = call->outputs[0].data;
    for (int64_t i = 0; i < call->inputs[0].dims[0]; i++)
        if (x[i] > 0) *out++ = x[i];
    return OB_OK;
}

/* Tag(s): each string with the texts of attribute `tags` in front. */
static ob_status tag_run(ob_operator_call *call) {
    const ob_string *in = call->inputs[0].data;
    ob_string *out = call->outputs[0].data;
    char all[100] = "";
    const char *tag;
    for (size_t i = 0; (tag = call->host->attribute_text_at(call, "tags", i)); i++) strcat(all, tag);
    strcat(all, call->host->attribute_text(call, "end"));
    size_t n_all = strlen(all);
    for (int64_t i = 0; i < call->inputs[0].dims[0]; i++) {
        char *bytes = call->host->text_bytes(call, n_all + in[i].n);
        if (!bytes) return OB_E_MEMORY;
        memcpy(bytes, all, n_all);
        if (in[i].n) memcpy(bytes + n_all, in[i].data, in[i].n);
        out[i] = (ob_string){bytes, n_all + in[i].n};
    }
    return OB_OK;
}

/* Fill(shape): attribute value in the shape that the input holds. */
static ob_status fill_shape(ob_operator_call *call) {
    size_t n;
    const ob_dim *sizes = call->host->input_integers(call, 0, &n);
    if (!sizes) return call->host->set_output(call, 0, OB_NONE, OB_RANK_UNKNOWN, NULL);
    return call->host->set_output(call, 0, OB_NONE, (int32_t)n, sizes);
}
static ob_status fill_run(ob_operator_call *call) {
    size_t n;
    const float *values = call->host->attribute_reals(call, "values", &n);
    const int64_t *pick = call->host->attribute_ints(call, "pick", &(size_t){0});
    int64_t count = 1;
    for (int32_t i = 0; i < call->outputs[0].rank; i++) count *= call->outputs[0].dims[i];
    for (int64_t i = 0; i < count; i++) ((float *)call->outputs[0].data)[i] = values[pick[0] % (int64_t)n];
    return OB_OK;
}

/* Sum(x0, ...): of the variadic operands that are given, batch axes broadcast by the shape rule. */
static ob_status sum_shape(ob_operator_call *call) {
    uint32_t inputs[8], n = 0;
    for (uint32_t i = 0; i < call->n_inputs && n < 8; i++)
        if (call->host->input_given(call, i)) inputs[n++] = i;
    ob_broadcast_result result;
    ob_status status = call->host->broadcast(call, inputs, n, &result);
    return status != OB_OK ? status : call->host->set_output(call, 0, OB_FLOAT, result.rank, result.dims);
}
static void sum_loop(char *const *at, const int64_t *strides, int64_t n, const void *parameters) {
    uint32_t n_in = *(const uint32_t *)parameters;
    for (int64_t i = 0; i < n; i++) {
        float sum = 0;
        for (uint32_t k = 0; k < n_in; k++) sum += *(const float *)(at[k] + i * strides[k]);
        *(float *)(at[n_in] + i * strides[n_in]) = sum;
    }
}
static ob_status sum_run(ob_operator_call *call) {
    ob_view inputs[8], wide;
    for (uint32_t i = 0; i < call->n_inputs; i++) { /* uses the host's view functions, like a kernel that contains its loops */
        ob_status status =
            call->host->view_broadcast(call, &call->inputs[i], call->outputs[0].rank, call->outputs[0].dims, &inputs[i]);
        if (status != OB_OK) return status;
    }
    ob_status status =
        call->host->view_init(call, &wide, call->outputs[0].data, OB_FLOAT, call->outputs[0].rank, call->outputs[0].dims);
    if (status != OB_OK) return status;
    return call->host->for_each(call, inputs, call->n_inputs, &wide, 1, sum_loop, &call->n_inputs);
}

/* Three(a, b?, c?): the sum of those that are given; broadcasts. */
static ob_status three_run(ob_operator_call *call) {
    ob_view inputs[3];
    uint32_t n = 0;
    for (uint32_t i = 0; i < call->n_inputs; i++)
        if (call->inputs[i].dtype != OB_NONE) inputs[n++] = call->inputs[i];
    return call->host->for_each(call, inputs, n, call->outputs, 1, sum_loop, &n);
}

/* Second(a, b?): b if it is given, otherwise a, shifted by the number of elements; one task for each element. */
typedef struct second {
    const float *from;
    float *to;
    int64_t n;
} second;
static void second_task(void *context, int64_t begin, int64_t end) {
    second *s = context;
    for (int64_t i = begin; i < end; i++) s->to[i] = s->from[i] + (float)s->n;
}
static ob_status second_run(ob_operator_call *call) {
    bool given = call->n_inputs > 1 && call->inputs[1].dtype != OB_NONE;
    second s = {call->inputs[given].data, call->outputs[0].data, call->inputs[0].dims[0]};
    return call->host->parallel(call, s.n, 1, second_task, &s);
}

static const float default_values[] = {1, 2, 3};
static const int64_t default_pick[] = {4};
static const char *const default_tags[] = {"<", "-"};
static const ob_operator_attribute fill_attributes[] = {
    {.name = "values", .kind = OB_ATTRIBUTE_REALS, .list = default_values, .n = 3},
    {.name = "pick", .kind = OB_ATTRIBUTE_INTS, .list = default_pick, .n = 1}};
static const ob_operator_attribute tag_attributes[] = {{.name = "tags", .kind = OB_ATTRIBUTE_TEXTS, .list = default_tags, .n = 2},
                                                       {.name = "end", .kind = OB_ATTRIBUTE_TEXT}};

#define HEAD(text, version) .struct_bytes = sizeof(ob_operator), .domain = "test", .name = text, .since = version
#define COUNT(name, version, flag)                                                                                               \
    {                                                                                                                            \
        HEAD(name, version), .signature = "i>i", .flags = flag, .state_bytes = sizeof(void *), .user = &counted,                 \
                             .shape = like_input, .plan = count_plan, .run = count_run, .release = count_release                 \
    }

static const ob_operator rows[] = {
    COUNT("Count", 1, OB_OPERATOR_VARIES),
    COUNT("Count", 3, OB_OPERATOR_VARIES),
    COUNT("CountOnce", 1, 0),
    {HEAD("Positive", 1), .signature = "f>f", .flags = OB_OPERATOR_DATA_SHAPE, .shape = open_shape, .run = positive_run},
    {HEAD("Tag", 1), .signature = "s>s", .attributes = tag_attributes, .n_attributes = 2, .shape = like_input, .run = tag_run},
    {HEAD("Fill", 1), .signature = "i>f", .attributes = fill_attributes, .n_attributes = 2, .shape = fill_shape, .run = fill_run},
    {HEAD("Sum", 1), .signature = "f*>f", .flags = OB_OPERATOR_STRIDED, .shape = sum_shape, .run = sum_run},
    {HEAD("Three", 1), .signature = "ff?f?>f", .flags = OB_OPERATOR_BROADCASTS | OB_OPERATOR_STRIDED | OB_OPERATOR_IN_PLACE,
     .run = three_run},
    {HEAD("Second", 1), .signature = "ff?>f", .shape = like_input, .run = second_run},
};
static const ob_operator_library library = {OB_OPERATOR_ABI, sizeof library, "own", "1.0", rows, sizeof rows / sizeof rows[0]};

static ob_operators *own_registry(void) {
    ob_operators *operators = new_registry();
    ob_error error;
    if (ob_operators_add(operators, &library, &error) != OB_OK) fail_msg("%s", error.message);
    return operators;
}

/* ---- Running ---- */

static ob_model *model_of(const char *body, const ob_operators *operators) {
    char text[2000];
    snprintf(text, sizeof text,
             "<ir_version: 8, opset_import: [\"\" : 17, \"test\" : 1, \"example.edge\" : 1, \"test.cpp\" : 1]>\n%s", body);
    return model_of_text(text, operators);
}

/* Runs the body on float input x of n elements (n -1: no inputs), once optimised and once not, and expects `n_out` floats. */
static void expect_floats(const ob_operators *operators, const char *body, const float *x, int64_t n, const float *expected,
                          int64_t n_out) {
    for (int optimize = 0; optimize < 2; optimize++) {
        ob_model *model = model_of(body, operators);
        ob_session_config config;
        ob_session *session = NULL;
        ob_error error;
        ob_view in, out = {0};
        ob_session_config_init(&config);
        config.optimize = optimize;
        if (ob_session_create(model, &config, &session, &error) != OB_OK) fail_msg("%s", error.message);
        float none;
        if (n >= 0) assert_int_equal(ob_view_init(&in, n ? (void *)(uintptr_t)x : &none, OB_FLOAT, 1, &n), OB_OK);
        if (ob_session_run(session, &in, n >= 0, &out, 1, &error) != OB_OK) fail_msg("%s", error.message);
        assert_int_equal(ob_view_count(&out), n_out);
        for (int64_t i = 0; i < n_out; i++) assert_float_equal(((float *)out.data)[i], expected[i], 1e-6);
        ob_session_close(&session);
        ob_model_close(&model);
    }
}

static void example_operators_compute(void **state) {
    (void)state;
    if (!libraries_can_be_loaded()) skip();
    ob_operators *operators = registry_of_file(LIBRARY_FILE("edge_operators"));
    const float x[] = {-4, -1, 0, 2, 9, 5};
    const char *leaky = "g (float[N] x) => (float[N] y) <float[1] b = {1}> { y = example.edge.LeakyAdd (x, b) }";
    const char *sharp = "g (float[N] x) => (float[N] y) <float b = {0}> {\n"
                        "  y = example.edge.LeakyAdd <slope: float = 1.0, limit: float = 3.0> (x, b) }";
    const float of_leaky[] = {-0.03f, 0, 1, 3, 6, 6}, of_sharp[] = {-3, -1, 0, 2, 3, 3};
    expect_floats(operators, leaky, x, 6, of_leaky, 6);
    expect_floats(operators, leaky, x, 1, of_leaky, 1);
    expect_floats(operators, leaky, x, 0, of_leaky, 0);
    expect_floats(operators, sharp, x, 6, of_sharp, 6);
    const char *frames = "g (float[N] x) => (float[M, 2] y) { y = example.edge.Frames <size: int = 2, step: int = 3> (x) }";
    const float of_frames[] = {-4, -1, 2, 9};
    expect_floats(operators, frames, x, 6, of_frames, 4);
    expect_floats(operators, frames, x, 5, of_frames, 4);
    expect_floats(operators, frames, x, 4, of_frames, 2);
    expect_floats(operators, frames, x, 2, of_frames, 2);
    /* No rows at all, each long enough. */
    expect_floats(operators,
                  "g (float[N] x) => (float[A, B, C] y) <int64[2] s = {0, 7}> {\n  r = Expand (x, s)\n"
                  "  y = example.edge.Frames <size: int = 2> (r) }",
                  x, 1, NULL, 0);
    ob_operators_close(&operators);
}

/* The header as C++, and a table that `release` frees. */
static void operator_in_cpp(void **state) {
    (void)state;
    ob_operators *operators = new_registry();
    ob_error error;
    if (ob_operators_load(operators, LIBRARY_FILE("plain_cpp"), &error) != OB_OK) {
        ob_operators_close(&operators);
        print_message("skipped: no C++ compiler, or no dlopen\n");
        skip();
    }
    const float x[] = {-1, 0, 2}, cubes[] = {-1, 0, 8}, line[] = {0, 1, 3};
    expect_floats(operators, "g (float[N] x) => (float[N] y) { y = test.cpp.Polynomial <c: floats = [0.0, 0.0, 0.0, 1.0]> (x) }",
                  x, 3, cubes, 3);
    expect_floats(operators, "g (float[N] x) => (float[N] y) { y = test.cpp.Polynomial <c: floats = [1.0, 1.0]> (x) }", x, 3,
                  line, 3);
    expect_floats(operators, "g (float[N] x) => (float[N] y) { y = test.cpp.Polynomial (x) }", x, 3, x, 3);
    ob_operators_close(&operators);
}

static void shapes_from_data_and_contents(void **state) {
    (void)state;
    ob_operators *operators = own_registry();
    const float x[] = {1, -2, 3, 0, 5}, positive[] = {1, 3, 5}, sums[] = {2, 6, 10}, shifted[] = {4, 6, 8},
                twos[] = {2, 2, 2, 2, 2}, nines[] = {9, 9};
    const char *body = "g (float[N] x) => (float[M] y) { y = test.Positive (x) }";
    expect_floats(operators, body, x, 5, positive, 3);
    expect_floats(operators, body, x + 1, 1, NULL, 0);
    expect_floats(operators, body, x, 0, NULL, 0);
    expect_floats(operators, "g (float[N] x) => (float[M] y) { p = test.Positive (x)\n y = Add (p, p) }", x, 5, sums, 3);
    expect_floats(operators, "g (float[N] x) => (float[M] y) { p = test.Positive (x)\n y = test.Second (p) }", x, 5, shifted, 3);
    expect_floats(operators, "g (float[N] x) => (float[M] y) { s = Shape (x)\n y = test.Fill (s) }", x, 5, twos, 5);
    expect_floats(operators,
                  "g (float[N] x) => (float[M] y) <int64[1] s = {2}> {\n y = test.Fill <values: floats = [7.0, 9.0], pick: ints "
                  "= [3]> (s) }",
                  x, 5, nines, 2);
    ob_operators_close(&operators);
}

static void optional_and_repeated_operands(void **state) {
    (void)state;
    ob_operators *operators = own_registry();
    const float x[] = {1, 2, 3}, alone[] = {4, 5, 6}, other[] = {13, 13, 13}, sum[] = {12, 14, 16}, one[] = {2, 4, 6};
    expect_floats(operators, "g (float[N] x) => (float[N] y) { y = test.Second (x) }", x, 3, alone, 3);
    expect_floats(operators, "g (float[N] x) => (float[N] y) <float[3] b = {10, 10, 10}> { y = test.Second (x, b) }", x, 3, other,
                  3);
    expect_floats(operators, "g (float[N] x) => (float[N] y) <float b = {10}> { y = test.Sum (x, b, x) }", x, 3, sum, 3);
    expect_floats(operators, "g (float[N] x) => (float[N] y) { y = test.Sum (x, x) }", x, 3, one, 3);
    char found[300];
    ob_model *model = model_of("g (float[3] x, float[2] z) => (float[N] y) { y = test.Sum (x, z) }", operators);
    assert_string_equal(first_error_of(model, found, sizeof found), "OB0101 axis 0: 3 does not broadcast with 2");
    ob_model_close(&model);
    ob_operators_close(&operators);
}

static void omitted_operands_do_not_broadcast(void **state) {
    (void)state;
    ob_operators *operators = own_registry();
    const float x[] = {1, 2, 3}, sum[] = {11, 12, 13};
    const char *body = "g (float[N] x) => (float[N] y) <float[1] c = {10}> { y = test.Three (x, , c) }";
    expect_floats(operators, body, x, 3, sum, 3);
    ob_model *model = model_of(body, operators);
    char found[300];
    assert_string_equal(first_error_of(model, found, sizeof found), "");
    ob_rewrite_stats stats = {0};
    ob_error error;
    if (ob_rewrite(model, OB_FORM_BROADCAST, NULL, &stats, &error) != OB_OK) fail_msg("%s", error.message);
    assert_int_equal(stats.n_inserted, 1);
    ob_view in, out;
    float y[3];
    assert_int_equal(ob_view_init(&in, (void *)(uintptr_t)x, OB_FLOAT, 1, (int64_t[]){3}), OB_OK);
    if (run_once(model, &in, 1, y, sizeof y, &out, &error) != OB_OK) fail_msg("%s", error.message);
    for (int i = 0; i < 3; i++) assert_float_equal(y[i], sum[i], 0);
    ob_model_close(&model);
    ob_operators_close(&operators);
}

static void strings_are_made(void **state) {
    (void)state;
    ob_operators *operators = own_registry();
    ob_model *model = model_of(
        "g (string[N] x) => (string[N] y) { t = test.Tag (x)\n y = test.Tag <tags: strings = [\"a\"], end: string = \"!\"> (t) }",
        operators);
    ob_session *session = NULL;
    ob_error error;
    ob_string words[] = {{"one", 3}, {NULL, 0}};
    ob_view in, out = {0};
    assert_int_equal(ob_view_init(&in, words, OB_STRING, 1, (int64_t[]){2}), OB_OK);
    if (ob_session_create(model, NULL, &session, &error) != OB_OK) fail_msg("%s", error.message);
    for (int i = 0; i < 2; i++) {
        if (ob_session_run(session, &in, 1, &out, 1, &error) != OB_OK) fail_msg("%s", error.message);
        const ob_string *made = out.data;
        assert_int_equal(made[0].n, 7);
        assert_memory_equal(made[0].data, "a!<-one", 7);
        assert_int_equal(made[1].n, 4);
        assert_memory_equal(made[1].data, "a!<-", 4);
        out = (ob_view){0};
    }
    ob_session_close(&session);
    ob_model_close(&model);
    ob_operators_close(&operators);
}

/* Runs three times on constants: results that vary are computed each time, the others once; every plan is released. */
static void constants_are_folded_unless_they_vary(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int64_t opset, first, third;
    } cases[] = {{"CountOnce", 1, 1001, 1001},
                 {"Count", 1, 1001, 1003},
                 {"Count", 2, 1001, 1003},
                 {"Count", 3, 3001, 3003},
                 {"Count", 9, 3001, 3003}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        counted = (counts){0};
        ob_operators *operators = own_registry();
        char text[400];
        snprintf(text, sizeof text,
                 "<ir_version: 8, opset_import: [\"\" : 17, \"test\" : %d]>\ng () => (int64[2] y) <int64[2] c = {0, 0}> { y = "
                 "test.%s (c) }",
                 (int)cases[i].opset, cases[i].name);
        ob_model *model = model_of_text(text, operators);
        ob_session *session = NULL;
        ob_error error;
        if (ob_session_create(model, NULL, &session, &error) != OB_OK) fail_msg("%s", error.message);
        int64_t results[3];
        for (int k = 0; k < 3; k++) {
            ob_view out = {0};
            if (ob_session_run(session, NULL, 0, &out, 1, &error) != OB_OK) fail_msg("%s", error.message);
            results[k] = ((int64_t *)out.data)[1];
        }
        assert_int_equal(results[0], cases[i].first);
        assert_int_equal(results[2], cases[i].third);
        ob_session_close(&session);
        assert_true(counted.plans > 0);
        assert_int_equal(counted.plans, counted.releases);
        ob_model_close(&model);
        ob_operators_close(&operators);
    }
}

/* In a branch, in a local function with an attribute of the caller, and in a model whose function has the operator's name. */
static void inside_subgraphs_and_functions(void **state) {
    (void)state;
    ob_operators *operators = own_registry();
    const float x[] = {1, -2, 3}, fives[] = {5, 5, 5}, doubled[] = {2, -4, 6};
    char found[300];
    ob_model *model = model_of("g (bool c, float[3] x) => (float[3] y) {\n"
                               "  y = If (c) <then_branch = a () => (float[N] u) { u = test.Second (x) },\n"
                               "              else_branch = b () => (float[N] v) { v = test.Count (x) }>\n}",
                               operators);
    assert_string_equal(first_error_of(model, found, sizeof found), "OB0604 operand 0 is float, which Count-1 does not take");
    ob_model_close(&model);
    model =
        model_of_text("<ir_version: 8, opset_import: [\"\" : 17, \"test\" : 1, \"local\" : 1]>\n"
                      "g (float[N] x) => (float[M] y) { s = Shape (x)\n y = local.five <v: floats = [5.0], k: ints = [0]> (s) }\n"
                      "<domain: \"local\", opset_import: [\"\" : 17, \"test\" : 1]>\n"
                      "five <v, k> (s) => (r) { r = test.Fill <values: floats = @v, pick: ints = @k> (s) }",
                      operators);
    ob_view in, out;
    ob_error error;
    float y[3];
    assert_int_equal(ob_view_init(&in, (void *)(uintptr_t)x, OB_FLOAT, 1, (int64_t[]){3}), OB_OK);
    assert_string_equal(first_error_of(model, found, sizeof found), "");
    if (run_once(model, &in, 1, y, sizeof y, &out, &error) != OB_OK) fail_msg("%s", error.message);
    for (int i = 0; i < 3; i++) assert_float_equal(y[i], fives[i], 0);
    ob_model_close(&model);
    model = model_of_text("<ir_version: 8, opset_import: [\"\" : 17, \"test\" : 1]>\n"
                          "g (float[N] x) => (float[N] y) { y = test.Second (x) }\n"
                          "<domain: \"test\", opset_import: [\"\" : 17]>\nSecond (a) => (b) { b = Add (a, a) }",
                          operators);
    if (run_once(model, &in, 1, y, sizeof y, &out, &error) != OB_OK) fail_msg("%s", error.message);
    for (int i = 0; i < 3; i++) assert_float_equal(y[i], doubled[i], 0);
    ob_model_close(&model);
    ob_operators_close(&operators);
}

/* A registry attached and removed; a clone keeps it; a version of the domain older than any row. */
static void attached_to_models(void **state) {
    (void)state;
    ob_operators *operators = own_registry();
    ob_model *model = model_of("g (float[N] x) => (float[N] y) { y = test.Second (x) }", operators), *clone = NULL;
    ob_session *session = NULL;
    ob_error error;
    assert_int_equal(ob_model_clone(model, &clone, &error), OB_OK);
    assert_int_equal(ob_session_create(clone, NULL, &session, &error), OB_OK);
    ob_session_close(&session);
    ob_model_close(&clone);
    assert_int_equal(ob_model_set_operators(model, NULL), OB_OK);
    assert_int_equal(ob_session_create(model, NULL, &session, &error), OB_E_UNSUPPORTED);
    assert_string_equal(error.message, "unknown operator of test");
    assert_null(session);
    assert_int_equal(ob_model_set_operators(model, operators), OB_OK);
    assert_int_equal(ob_session_create(model, NULL, &session, &error), OB_OK);
    ob_session_close(&session);
    ob_model_close(&model);
    /* Names of a registry do not hide built-in ones of the same name elsewhere. */
    model = model_of("g (float[N] x) => (float[N] y) { y = Sum (x, x) }", operators);
    assert_int_equal(ob_session_create(model, NULL, &session, &error), OB_OK);
    ob_session_close(&session);
    ob_model_close(&model);
    ob_operators_close(&operators);
    const ob_operator later = {HEAD("Later", 5), .signature = "f>f", .shape = like_input, .run = second_run};
    const ob_operator_library one = {OB_OPERATOR_ABI, sizeof one, "later", "1.0", &later, 1};
    operators = new_registry();
    assert_int_equal(ob_operators_add(operators, &one, &error), OB_OK);
    model = model_of("g (float[N] x) => (float[N] y) { y = test.Later (x) }", operators);
    assert_int_equal(ob_session_create(model, NULL, &session, &error), OB_E_UNSUPPORTED);
    assert_string_equal(error.message, "no such operator in version 1 of test");
    ob_model_close(&model);
    ob_operators_close(&operators);
}

/* Work shared by several threads gives the same result; results may use the memory of an operand. */
static void threads_and_memory(void **state) {
    (void)state;
    ob_operators *operators = own_registry();
    ob_model *model = model_of("g (float[N] x) => (float[N] y) { t = test.Second (x)\n y = test.Second (t) }", operators);
    ob_session_config config;
    ob_session *session = NULL;
    ob_error error;
    enum { N = 5000 };
    static float x[N];
    ob_session_config_init(&config);
    config.n_threads = 3;
    ob_status status = ob_session_create(model, &config, &session, &error);
    if (status == OB_E_UNSUPPORTED) { /* built without threads */
        config.n_threads = 1;
        status = ob_session_create(model, &config, &session, &error);
    }
    assert_int_equal(status, OB_OK);
    ob_view in, out = {0};
    for (int i = 0; i < N; i++) x[i] = (float)i;
    assert_int_equal(ob_view_init(&in, x, OB_FLOAT, 1, (int64_t[]){N}), OB_OK);
    if (ob_session_run(session, &in, 1, &out, 1, &error) != OB_OK) fail_msg("%s", error.message);
    for (int i = 0; i < N; i++) assert_float_equal(((float *)out.data)[i], (float)(i + 2 * N), 0);
    ob_session_close(&session);
    ob_model_close(&model);
    ob_operators_close(&operators);
}

/* One plan and its state, run by two threads at once; and a run takes no memory from the allocator. */
typedef struct gate {
    bool shut;
} gate;
static void *gate_alloc(void *context, size_t n_bytes) {
    assert_false(((gate *)context)->shut);
    return malloc(n_bytes);
}
static void *gate_realloc(void *context, void *block, size_t old_bytes, size_t new_bytes) {
    (void)old_bytes;
    assert_false(((gate *)context)->shut);
    return realloc(block, new_bytes);
}
static void gate_free(void *context, void *block, size_t n_bytes) {
    (void)context, (void)n_bytes;
    free(block);
}

typedef struct shift {
    ob_worker *worker;
    float first;
    int n_wrong;
} shift;

static void *run_shifts(void *context) {
    shift *s = context;
    float x[3], y[3];
    ob_view in, out;
    for (int i = 0; i < 2000; i++) {
        for (int k = 0; k < 3; k++) x[k] = s->first + (float)(i + k);
        s->n_wrong += ob_view_init(&in, x, OB_FLOAT, 1, (int64_t[]){3}) != OB_OK;
        s->n_wrong += ob_view_init(&out, y, OB_FLOAT, 1, (int64_t[]){3}) != OB_OK;
        s->n_wrong += ob_worker_run(s->worker, &in, 1, &out, 1, NULL) != OB_OK;
        for (int k = 0; k < 3; k++) s->n_wrong += y[k] != 2 * x[k] + 13; /* (x + 10 + x) + 3 */
    }
    return NULL;
}

static void several_threads_run_one_plan(void **state) {
    (void)state;
    ob_operators *operators = own_registry();
    ob_model *model = model_of(
        "g (float[3] x) => (float[3] y) <float[1] c = {10}> { t = test.Three (x, c, x)\n y = test.Second (t) }", operators);
    gate g = {false};
    const ob_allocator allocator = {gate_alloc, gate_realloc, gate_free, &g};
    ob_session_config config;
    ob_session *session = NULL;
    ob_error error;
    ob_session_config_init(&config);
    config.allocator = &allocator;
    if (ob_session_create(model, &config, &session, &error) != OB_OK) fail_msg("%s", error.message);
    float x[3] = {0}, y[3];
    ob_view in, out;
    assert_int_equal(ob_view_init(&in, x, OB_FLOAT, 1, (int64_t[]){3}), OB_OK);
    assert_int_equal(ob_view_init(&out, y, OB_FLOAT, 1, (int64_t[]){3}), OB_OK);
    assert_int_equal(ob_session_prepare(session, &in, 1, &error), OB_OK);
    shift shifts[2] = {{.first = 0}, {.first = 5000}};
    for (int i = 0; i < 2; i++)
        if (ob_worker_create(session, NULL, &shifts[i].worker, &error) != OB_OK) fail_msg("%s", error.message);
    assert_int_equal(ob_session_run(session, &in, 1, &out, 1, &error), OB_OK);
    g.shut = true;
    assert_int_equal(ob_session_run(session, &in, 1, &out, 1, &error), OB_OK);
    assert_float_equal(y[2], 13, 0);
    pthread_t other;
    assert_int_equal(pthread_create(&other, NULL, run_shifts, &shifts[0]), 0);
    run_shifts(&shifts[1]);
    assert_int_equal(pthread_join(other, NULL), 0);
    assert_int_equal(shifts[0].n_wrong + shifts[1].n_wrong, 0);
    g.shut = false;
    for (int i = 0; i < 2; i++) ob_worker_close(&shifts[i].worker);
    ob_session_close(&session);
    ob_model_close(&model);
    ob_operators_close(&operators);
}

static void results_take_operands_memory(void **state) {
    (void)state;
    if (!libraries_can_be_loaded()) skip();
    ob_operators *operators = registry_of_file(LIBRARY_FILE("edge_operators"));
    ob_model *model =
        model_of("g (float[8] x) => (float[8] y) <float b = {1}> {\n r = Relu (x)\n s = example.edge.LeakyAdd (r, b)\n"
                 " y = Relu (s) }",
                 operators);
    ob_session *session = NULL;
    ob_error error;
    float x[8] = {-5, -1, 0, 1, 2, 3, 4, 9};
    ob_view in, out = {0};
    ob_session_memory memory;
    assert_int_equal(ob_view_init(&in, x, OB_FLOAT, 1, (int64_t[]){8}), OB_OK);
    assert_int_equal(ob_session_create(model, NULL, &session, &error), OB_OK);
    if (ob_session_run(session, &in, 1, &out, 1, &error) != OB_OK) fail_msg("%s", error.message);
    ob_session_get_memory(session, &memory);
    assert_int_equal(memory.n_in_place, 2);
    const float expected[8] = {1, 1, 1, 2, 3, 4, 5, 6};
    for (int i = 0; i < 8; i++) assert_float_equal(((float *)out.data)[i], expected[i], 1e-6);
    ob_session_close(&session);
    ob_model_close(&model);
    ob_operators_close(&operators);
}

/* Symbolic sizes, and the explicit form: the broadcast of a library's operator is made explicit and implicit again. */
static void checked_and_rewritten(void **state) {
    (void)state;
    if (!libraries_can_be_loaded()) skip();
    ob_operators *operators = registry_of_file(LIBRARY_FILE("edge_operators"));
    static const ob_form forms[] = {OB_FORM_BROADCAST, OB_FORM_FUNCTION, OB_FORM_EXPAND};
    for (size_t i = 0; i < 3; i++) {
        ob_model *model = model_of("g (float[B, S] x, float[C, 3] z) => (float[O, P, Q] y) {\n"
                                   "  f = example.edge.Frames <size: int = 3, step: int = 2> (x)\n"
                                   "  y = example.edge.LeakyAdd <limit: float = 100.0> (f, z)\n}",
                                   operators);
        float x[14], z[3] = {0, -20, 1}, before[9], after[9];
        ob_view in[2], out;
        ob_error error;
        for (int k = 0; k < 14; k++) x[k] = (float)k;
        assert_int_equal(ob_view_init(&in[0], x, OB_FLOAT, 2, (int64_t[]){1, 7}), OB_OK);
        assert_int_equal(ob_view_init(&in[1], z, OB_FLOAT, 2, (int64_t[]){1, 3}), OB_OK);
        if (run_once(model, in, 2, before, sizeof before, &out, &error) != OB_OK) fail_msg("%s", error.message);
        ob_rewrite_stats stats = {0};
        if (ob_rewrite(model, forms[i], NULL, &stats, &error) != OB_OK) fail_msg("%s", error.message);
        assert_true(stats.n_inserted > 0);
        if (run_once(model, in, 2, after, sizeof after, &out, &error) != OB_OK) fail_msg("%s", error.message);
        assert_int_equal(out.rank, 3);
        assert_int_equal(out.dims[1], 3);
        assert_memory_equal(before, after, sizeof before);
        if (ob_rewrite(model, OB_FORM_IMPLICIT, NULL, &stats, &error) != OB_OK) fail_msg("%s", error.message);
        assert_true(stats.n_removed > 0);
        ob_model_close(&model);
    }
    ob_model *model = model_of("g (float[B, S] x, float[C, 3] z) => (float[O, P, Q] y) {\n"
                               "  f = example.edge.Frames <size: int = 3, step: int = 2> (x)\n"
                               "  y = example.edge.LeakyAdd (f, z)\n}",
                               operators);
    ob_report *report = NULL;
    ob_error error;
    assert_int_equal(ob_check(model, NULL, &report, &error), OB_OK);
    static const char *const conditions[] = {"S >= 3", "C = ceil(S/2) - 1 or C = 1 or ceil(S/2) - 1 = 1"};
    assert_int_equal(ob_report_condition_count(report), 2);
    for (size_t i = 0; i < 2; i++) {
        ob_condition_info info;
        assert_int_equal(ob_report_condition(report, i, &info), OB_OK);
        assert_string_equal(info.text, conditions[i]);
    }
    ob_value_info value;
    bool seen = false;
    for (size_t i = 0; i < ob_report_value_count(report); i++) {
        assert_int_equal(ob_report_value(report, i, &value), OB_OK);
        if (strcmp(value.name, "f") != 0) continue;
        seen = true;
        assert_string_equal(value.type, "float[B,ceil(S/2) - 1,3]");
    }
    assert_true(seen);
    ob_report_close(&report);
    ob_model_close(&model);
    ob_operators_close(&operators);
}

int main(int argc, char **argv) {
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(example_operators_compute),
        cmocka_unit_test(operator_in_cpp),
        cmocka_unit_test(shapes_from_data_and_contents),
        cmocka_unit_test(optional_and_repeated_operands),
        cmocka_unit_test(omitted_operands_do_not_broadcast),
        cmocka_unit_test(strings_are_made),
        cmocka_unit_test(constants_are_folded_unless_they_vary),
        cmocka_unit_test(inside_subgraphs_and_functions),
        cmocka_unit_test(attached_to_models),
        cmocka_unit_test(threads_and_memory),
        cmocka_unit_test(several_threads_run_one_plan),
        cmocka_unit_test(results_take_operands_memory),
        cmocka_unit_test(checked_and_rewritten),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
