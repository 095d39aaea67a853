/* Lack of memory everywhere: each allocation of loading, checking, rewriting, writing, sessions, runs and workers fails in
 * turn, alone and with all after it, over models/, tests/graphs, models of this file and ONNX's node tests. The result is
 * E_MEMORY or correct, the same objects work afterwards, and nothing leaks. `test_allocation PATH...` uses these models
 * instead. */
#include <dirent.h>
#include <stdio.h>
#include <unistd.h>

#include "core/base/sanitizer.h"
#include "data_sets.h"
#include "failing.h"

#define NODE_TESTS "/usr/share/libonnx-testdata/data/node"

#ifdef OB_ASAN
#define N_EACH                                                                                                                   \
    40 /* allocations that fail one by one, before they fail at growing distances: sanitizers take ten times as long             \
        */
#else
#define N_EACH 100
#endif
enum { MAX_INPUTS = 16, INPUT_BYTES = 1 << 16 };

/* ---- The work ---- */

typedef struct subject {
    failing *f;
    ob_allocator allocator;
    const char *name;
    const void *bytes; /* contents of the model; NULL: it has a path */
    size_t n_bytes;
    ob_model *model;
    ob_session *session;
    ob_view inputs[MAX_INPUTS], other_inputs[MAX_INPUTS]; /* other_inputs: inputs with other sizes where sizes are open */
    size_t n_inputs;
    ob_rules rules;
    ob_form form;
    const char *target; /* instead of the form; or NULL */
    ob_model_format format;
    bool optimize;
} subject;

static ob_status load_model(const subject *s, ob_model **out, ob_error *error) {
    ob_load_options options;
    ob_load_options_init(&options);
    options.allocator = &s->allocator;
    return s->bytes ? ob_model_load_memory(s->bytes, s->n_bytes, "test", &options, out, error)
                    : ob_model_load(s->name, &options, out, error);
}

/* The loaded model is compared by writing it, with memory. */
static ob_status load(void *context, digest *made, ob_error *error) {
    subject *s = context;
    ob_model *model = NULL;
    ob_status status = load_model(s, &model, error);
    s->f->armed = false;
    if (status == OB_OK) status = ob_model_write(model, OB_FORMAT_PROTOBUF, digest_sink, made, error);
    ob_model_close(&model);
    return status;
}

static ob_status write_model(void *context, digest *made, ob_error *error) {
    const subject *s = context;
    return ob_model_write(s->model, s->format, digest_sink, made, error);
}

static void digest_origins(digest *made, const char *const *origins, size_t n) {
    for (size_t i = 0; i < n; i++) digest_text(made, origins[i]);
}

static ob_status digest_findings(ob_report *report, digest *made) {
    for (size_t i = 0; i < ob_report_finding_count(report); i++) {
        ob_finding_info info;
        ob_status status = ob_report_finding(report, i, &info);
        if (status != OB_OK) return status;
        const char *const texts[] = {info.id, info.node, info.value, info.path, info.message, info.fix, info.source};
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) digest_text(made, texts[k]);
        digest_number(made, info.severity);
        digest_number(made, info.operand);
        digest_number(made, info.axis);
        for (size_t k = 0; k < info.n_operands; k++) digest_number(made, info.operands[k].rank);
        digest_number(made, info.condition != NULL);
        digest_origins(made, info.origins, info.n_origins);
    }
    return OB_OK;
}

static ob_status digest_broadcasts(ob_report *report, digest *made) {
    char text[400];
    for (size_t i = 0; i < ob_report_broadcast_count(report); i++) {
        ob_broadcast_info info;
        ob_status status = ob_report_broadcast(report, i, &info);
        if (status != OB_OK) return status;
        const char *const texts[] = {info.node, info.path, info.rule};
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) digest_text(made, texts[k]);
        for (size_t k = 0; k < info.n_operands; k++) digest_number(made, (int64_t)info.stretched[k]);
        ob_dim_format(ob_report_dims(report), info.copied_bytes, text, sizeof text);
        digest_text(made, text);
    }
    return OB_OK;
}

/* Numbers of sizes without a name differ between checks of one model, so the text is not compared. */
static ob_status drop(void *context, const void *bytes, size_t n) {
    (void)context, (void)bytes, (void)n;
    return OB_OK;
}

static ob_status digest_values(ob_report *report, digest *made) {
    for (size_t i = 0; i < ob_report_value_count(report); i++) {
        ob_value_info info;
        ob_status status = ob_report_value(report, i, &info);
        if (status != OB_OK) return status;
        const char *const texts[] = {info.name, info.path, info.kind, info.type, info.why_unknown};
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) digest_text(made, texts[k]);
    }
    for (size_t i = 0; i < ob_report_condition_count(report); i++) {
        ob_condition_info info;
        ob_status status = ob_report_condition(report, i, &info);
        if (status != OB_OK) return status;
        digest_text(made, info.text);
        digest_text(made, info.node);
        digest_origins(made, info.origins, info.n_origins);
    }
    return OB_OK;
}

static ob_status check(void *context, digest *made, ob_error *error) {
    const subject *s = context;
    ob_check_options options;
    ob_check_options_init(&options);
    options.rules = s->rules;
    static const char *const targets[] = {"tosa-8k", "webnn", "hls4ml-parallel"};
    options.targets = targets;
    options.n_targets = sizeof targets / sizeof *targets;
    ob_report *report = NULL;
    ob_status status = ob_check(s->model, &options, &report, error);
    if (status != OB_OK) return status;
    ob_report_summary summary = ob_report_get_summary(report);
    digest_bytes(made, &summary, sizeof summary);
    for (size_t i = 0; i < ob_report_target_count(report); i++) {
        ob_target_verdict counts = ob_report_target(report, i);
        digest_bytes(made, &counts, sizeof counts);
    }
    status = digest_findings(report, made);
    if (status == OB_OK) status = digest_broadcasts(report, made);
    if (status == OB_OK) status = digest_values(report, made);
    if (status == OB_OK) status = ob_report_to_json(report, &(ob_report_options){.graph = true}, drop, NULL, error);
    error->code = status; /* these have no error parameter */
    ob_report_close(&report);
    return status;
}

static ob_status rewrite(void *context, digest *made, ob_error *error) {
    const subject *s = context;
    ob_model *copy = NULL;
    ob_rewrite_stats stats = {0};
    ob_status status = ob_model_clone(s->model, &copy, error);
    if (status == OB_OK && s->target)
        status = ob_rewrite_for_target(copy, s->target, NULL, &stats, error);
    else if (status == OB_OK)
        status = ob_rewrite(copy, s->form, NULL, &stats, error);
    digest_bytes(made, &stats, sizeof stats);
    if (status == OB_OK) status = ob_model_write(copy, OB_FORMAT_PROTOBUF, digest_sink, made, error);
    ob_model_close(&copy);
    return status;
}

/* ---- Sessions ---- */

static ob_status create_session(const subject *s, ob_session **out, ob_error *error) {
    ob_session_config config;
    ob_session_config_init(&config);
    config.allocator = &s->allocator;
    config.optimize = s->optimize;
    config.max_plans = 1; /* each change of shapes makes a new plan */
    return ob_session_create(s->model, &config, out, error);
}

static ob_status run_session(const subject *s, ob_session *session, const ob_view *inputs, digest *made, ob_error *error) {
    ob_view outputs[64] = {0};
    size_t n = ob_session_output_count(session);
    if (n > 64) n = 64;
    ob_status status = ob_session_run(session, inputs, s->n_inputs, outputs, n, error);
    for (size_t i = 0; status == OB_OK && i < n; i++) digest_view(made, &outputs[i]);
    return status;
}

static ob_status run_new_session(void *context, digest *made, ob_error *error) {
    const subject *s = context;
    ob_session *session = NULL;
    ob_status status = create_session(s, &session, error);
    if (status == OB_OK) {
        for (size_t i = 0; i < ob_session_output_count(session); i++) {
            ob_session_value value;
            assert_true(ob_session_output(session, i, &value));
            digest_text(made, value.shape_text);
        }
        status = run_session(s, session, s->inputs, made, error);
    }
    ob_session_close(&session);
    return status;
}

static ob_status run_again(void *context, digest *made, ob_error *error) {
    const subject *s = context;
    return run_session(s, s->session, s->inputs, made, error);
}

static ob_status run_other_shapes(void *context, digest *made, ob_error *error) {
    const subject *s = context;
    ob_status status = run_session(s, s->session, s->other_inputs, made, error);
    return status == OB_OK ? run_session(s, s->session, s->inputs, made, error) : status;
}

static ob_status run_worker(void *context, digest *made, ob_error *error) {
    const subject *s = context;
    ob_worker *worker = NULL;
    ob_view outputs[64] = {0};
    size_t n = ob_session_output_count(s->session);
    ob_status status = ob_worker_create(s->session, NULL, &worker, error);
    if (status == OB_OK) status = ob_worker_run(worker, s->inputs, s->n_inputs, outputs, n, error);
    for (size_t i = 0; status == OB_OK && i < n; i++) digest_view(made, &outputs[i]);
    ob_worker_close(&worker);
    return status;
}

static size_t n_models, n_failures, n_run_failures; /* the last: of runs and workers */

/* `what` is for messages. */
static size_t each(subject *s, work do_this, const char *what, const char *how, size_t n_each) {
    char name[1200];
    snprintf(name, sizeof name, "%s: %s %s", s->name, what, how);
    size_t n = fail_each(s->f, do_this, s, name, n_each);
    n_failures += n;
    if (do_this == run_again || do_this == run_worker || do_this == run_other_shapes) n_run_failures += n;
    return n;
}

/* ---- Inputs ---- */

/* Shapes as declared; open sizes as given, an unknown rank becomes 1. Elements are small numbers. */
static bool make_input(const ob_session *session, size_t index, int64_t open_size, void *data, ob_view *view) {
    static const ob_string words[] = {{"one", 3}, {"", 0}, {"three", 5}};
    ob_session_value value;
    int64_t dims[OB_MAX_RANK];
    if (!ob_session_input(session, index, &value) || value.dtype == OB_NONE) return false;
    int32_t rank = value.shape.rank < 0 ? 1 : value.shape.rank;
    for (int32_t i = 0; i < rank; i++)
        dims[i] = value.shape.rank >= 0 && ob_dim_is_const(value.shape.dims[i]) ? value.shape.dims[i] : open_size;
    if (ob_view_init(view, data, value.dtype, rank, dims) != OB_OK) return false;
    int64_t n = ob_view_count(view);
    size_t size = ob_dtype_size(value.dtype);
    if (n < 0 || (uint64_t)n * size > INPUT_BYTES) return false;
    memset(data, 0, (size_t)n * size);
    for (int64_t i = 0; i < n; i++) {
        char *at = (char *)data + (size_t)i * size;
        float number = (float)(i % 5) - 1;
        if (value.dtype == OB_STRING)
            memcpy(at, &words[i % 3], sizeof words[0]);
        else if (value.dtype == OB_FLOAT)
            memcpy(at, &number, sizeof number);
        else
            *at = (char)(value.dtype == OB_DOUBLE || value.dtype == OB_FLOAT16 ? 0 : i % 2);
    }
    return true;
}

static void test_session(subject *s, tensors *given) {
    const char *how = s->optimize ? "optimised" : "plain";
    ob_error error;
    s->n_inputs = 0;
    if (each(s, run_new_session, "session", "without inputs", 20) == 0) return;
    if (create_session(s, &s->session, &error) != OB_OK) return;
    size_t n = ob_session_input_count(s->session);
    char *data = calloc(2 * n + 1, INPUT_BYTES);
    bool possible = n <= MAX_INPUTS && data;
    for (size_t i = 0; possible && i < n; i++) {
        if (given->n == n)
            s->inputs[i] = given->items[i].view;
        else
            possible = make_input(s->session, i, 2, data + 2 * i * INPUT_BYTES, &s->inputs[i]) &&
                       make_input(s->session, i, 3, data + (2 * i + 1) * INPUT_BYTES, &s->other_inputs[i]);
    }
    s->n_inputs = n;
    if (possible) {
        each(s, run_new_session, "session", how, N_EACH);
        if (do_work(run_again, s, s->name).status == OB_OK) {
            each(s, run_again, "run", how, N_EACH);
            each(s, run_worker, "worker", how, N_EACH);
            if (given->n == 0) each(s, run_other_shapes, "other shapes", how, N_EACH);
        }
    }
    ob_session_close(&s->session);
    free(data);
}

/* ---- One model ---- */

/* bytes NULL: `name` is a path. */
static void test_model(const char *name, const void *bytes, size_t n_bytes, tensors *given) {
    failing f = {0};
    subject s = {.f = &f, .allocator = failing_allocator(&f), .name = name, .bytes = bytes, .n_bytes = n_bytes};
    ob_error error;
    each(&s, load, "load", "", N_EACH);
    if (load_model(&s, &s.model, &error) != OB_OK) fail_msg("%s: %s", name, error.message);
    for (int rules = 0; rules < OB_RULES_COUNT; rules++) {
        s.rules = (ob_rules)rules;
        each(&s, check, "check", ob_rules_name(s.rules), N_EACH);
    }
    for (int form = 0; form < OB_FORM_COUNT; form++) {
        s.form = (ob_form)form;
        each(&s, rewrite, "rewrite", ob_form_name(s.form), N_EACH);
    }
    s.target = "stablehlo";
    each(&s, rewrite, "rewrite", s.target, N_EACH);
    const ob_model_format formats[] = {OB_FORMAT_PROTOBUF, OB_FORMAT_TEXT, OB_FORMAT_PROTOBUF_ALIGNED};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        s.format = formats[i];
        each(&s, write_model, "write", i == 1 ? "text" : "protobuf", N_EACH);
    }
    for (int optimize = 0; optimize < 2; optimize++) {
        s.optimize = optimize;
        test_session(&s, given);
    }
    ob_model_close(&s.model);
    if (f.n_alive || f.n_bytes) fail_msg("%s: %zu blocks and %zu bytes were not given back", name, f.n_alive, f.n_bytes);
    n_models++;
}

/* ---- Which models ---- */

static tensors nothing;

static void test_text(const char *name, const char *text) {
    test_model(name, text, strlen(text), &nothing);
}

static const struct {
    const char *name, *text;
} models[] = {
    {"control flow", "<ir_version: 8, opset_import: [\"\" : 17]>\n"
                     "g (float[N,3] x, float[3] b, bool c, int64 trips) => (float[?,?] y, float[?,?] z) {\n"
                     "  y = If (c) <then_branch = t () => (r) { r = Add (x, b) }, else_branch = e () => (q) { q = Mul (x, b) }>\n"
                     "  z = Loop (trips, c, x) <body = l (int64 i, bool k, float[?,?] s) => (bool o, float[?,?] n) {\n"
                     "    o = Identity (k)\n    n = Sub (s, b)\n  }>\n}\n"},
    {"functions", "<ir_version: 8, opset_import: [\"\" : 17, \"own\" : 1]>\n"
                  "g (float[2,N] x, float[N] b) => (float[2,N] y, float[2,N] z) {\n"
                  "  y = own.leaky <slope = 0.5> (x, b)\n  z = own.twice (x, b)\n}\n"
                  "<domain: \"own\", opset_import: [\"\" : 17]>\n"
                  "leaky <slope> (p, q) => (r) { s = LeakyRelu <alpha : float = @slope> (p) r = Add (s, q) }\n"
                  "<domain: \"own\", opset_import: [\"\" : 17, \"own\" : 1]>\n"
                  "twice (p, q) => (r) { s = own.leaky <slope = 0.25> (p, q) r = own.leaky <slope = 2.0> (s, q) }\n"},
    {"strings", "<ir_version: 8, opset_import: [\"\" : 17]>\n"
                "g (string[2,3] x, string[3] b, bool[2,1] c) => (string[2,3] y, string[2,3] z, bool[2,3] e) {\n"
                "  y = Where (c, x, b)\n  w = Constant <value = string[3] {\"a\", \"bc\", \"\"}> ()\n"
                "  z = Where (c, w, x)\n  n = Constant <value = float[3] {1, 2.5, 3}> ()\n  t = Cast <to = 8> (n)\n"
                "  e = Equal (x, t)\n}\n"},
    {"conditions", "<ir_version: 8, opset_import: [\"\" : 17]>\n"
                   "g (float[N,M] x, float[K,M] b, float[M,\"M*2\"] w) => (float[?,?] y, float[?,?] v) {\n"
                   "  s = Add (x, b)\n  y = MatMul (s, w)\n  shape = Shape (x)\n  r = Reshape (y, shape)\n  v = Mul (r, b)\n}\n"},
    {"dynamic", "<ir_version: 8, opset_import: [\"\" : 17]>\n"
                "g (float[5] x, float[1] b) => (int64[1,?] i, float[?] y) {\n"
                "  i = NonZero (x)\n  p = Greater (x, b)\n  k = Compress <axis = 0> (x, p)\n  y = Add (k, b)\n}\n"},
};

static void models_of_this_file(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) test_text(models[i].name, models[i].text);
}

/* The part of the file between "--- input" and the next "---". */
static char *graph_of(const char *path) {
    static const char start[] = "--- input\n", end[] = "\n--- ";
    FILE *file = fopen(path, "r");
    if (!file) return NULL;
    char *text = calloc(1, 1 << 16);
    assert_non_null(text);
    size_t n = fread(text, 1, (1 << 16) - 1, file);
    fclose(file);
    text[n] = '\0';
    char *from = strstr(text, start);
    assert_non_null(from);
    from += sizeof start - 1;
    char *to = strstr(from, end);
    if (to) to[1] = '\0';
    memmove(text, from, strlen(from) + 1);
    return text;
}

static bool has_ending(const char *name, const char *ending) {
    size_t n = strlen(name), m = strlen(ending);
    return n > m && strcmp(name + n - m, ending) == 0;
}

static void each_file(const char *folder, const char *ending, void (*test)(const char *path)) {
    char path[2048];
    DIR *listing = opendir(folder);
    if (!listing) fail_msg("%s cannot be read", folder);
    for (const struct dirent *entry; (entry = readdir(listing));) {
        if (!has_ending(entry->d_name, ending)) continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        test(path);
    }
    closedir(listing);
}

static void test_graph(const char *path) {
    char *text = graph_of(path);
    if (!text) fail_msg("%s cannot be read", path);
    test_text(path, text);
    free(text);
}

static void test_file(const char *path) {
    test_model(path, NULL, 0, &nothing);
}

static void graphs(void **state) {
    (void)state;
    each_file(OB_SOURCE_DIR "/tests/graphs", ".txt", test_graph);
}

static void sample_models(void **state) {
    (void)state;
    each_file(OB_SOURCE_DIR "/models", ".onnx", test_file);
}

/* Weights in a file beside the model. */
static void external_data(void **state) {
    (void)state;
    static const char text[] =
        "<ir_version: 8, opset_import: [\"\" : 17]>\ng (float[2,3] x) => (float[2,3] y)\n"
        "<float[3] b = [\"location\": \"test_allocation.weights\", \"offset\": \"0\", \"length\": \"12\"]>\n"
        "{ y = Add (x, b) }\n";
    static const char path[] = OB_BINARY_DIR "/tests/test_allocation.onnxtxt",
                      weights[] = OB_BINARY_DIR "/tests/test_allocation.weights";
    static const float data[3] = {1, 2, 3};
    FILE *file = fopen(weights, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, sizeof data, 1, file), 1);
    fclose(file);
    file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, sizeof text - 1, 1, file), 1);
    fclose(file);
    test_model(path, NULL, 0, &nothing);
    unlink(path);
    unlink(weights);
}

static const char *const node_tests[] = {"test_add_bcast",
                                         "test_where_example",
                                         "test_if",
                                         "test_if_seq",
                                         "test_if_opt",
                                         "test_loop11",
                                         "test_loop13_seq",
                                         "test_scan_sum",
                                         "test_scan9_sum",
                                         "test_sequence_map_add_2_sequences",
                                         "test_sequence_map_identity_1_sequence_expanded",
                                         "test_identity_sequence",
                                         "test_optional_get_element",
                                         "test_strnormalizer_nostopwords_nochangecase",
                                         "test_tfidfvectorizer_tf_only_bigrams_skip0",
                                         "test_lstm_with_peepholes",
                                         "test_gru_with_initial_bias",
                                         "test_resize_upsample_scales_cubic",
                                         "test_nonzero_example",
                                         "test_compress_0",
                                         "test_unique_not_sorted_without_axis",
                                         "test_conv_with_strides_padding",
                                         "test_convtranspose_pads",
                                         "test_maxpool_2d_dilations",
                                         "test_averagepool_2d_pads",
                                         "test_scatternd_add",
                                         "test_gather_elements_0",
                                         "test_einsum_batch_matmul",
                                         "test_qlinearmatmul_2D",
                                         "test_dynamicquantizelinear_expanded",
                                         "test_layer_normalization_2d_axis0_expanded",
                                         "test_softmax_cross_entropy_mean_3d_expanded",
                                         "test_topk",
                                         "test_pad",
                                         "test_slice_neg",
                                         "test_split_equal_parts_1d",
                                         "test_tile",
                                         "test_range_int32_type_negative_delta_expanded",
                                         "test_cast_FLOAT_to_STRING",
                                         "test_castlike_STRING_to_FLOAT_expanded",
                                         "test_batchnorm_example",
                                         "test_gemm_default_vector_bias",
                                         "test_max_float32",
                                         "test_mod_broadcast",
                                         "test_prelu_broadcast_expanded",
                                         "test_reduce_l2_keep_dims_example",
                                         "test_argmax_keepdims_random",
                                         "test_lrn",
                                         "test_cumsum_2d_axis_1"};

static void test_node(const char *name) {
    char folder[1024], path[1100], data[1100];
    tensors given;
    ob_error error;
    snprintf(folder, sizeof folder, "%s/%s", NODE_TESTS, name);
    snprintf(path, sizeof path, "%s/model.onnx", folder);
    snprintf(data, sizeof data, "%s/test_data_set_0", folder);
    if (access(path, R_OK) != 0) return;
    if (read_tensors(data, "input", &given, &error) != OB_OK) release_tensors(&given);
    test_model(path, NULL, 0, &given);
    release_tensors(&given);
}

static void nodes(void **state) {
    (void)state;
    if (access(NODE_TESTS, R_OK) != 0) {
        printf("skipped: %s is not there\n", NODE_TESTS);
        skip();
    }
    for (size_t i = 0; i < sizeof node_tests / sizeof *node_tests; i++) test_node(node_tests[i]);
}

static void enough_was_tested(void **state) {
    (void)state;
    printf("%zu models, %zu failures, %zu of them in runs and workers\n", n_models, n_failures, n_run_failures);
    assert_true(n_models >= 20 && n_run_failures > 0);
}

static int n_paths;
static char **paths;

static void given_models(void **state) {
    (void)state;
    for (int i = 0; i < n_paths; i++) {
        if (has_ending(paths[i], ".txt"))
            test_graph(paths[i]);
        else if (strchr(paths[i], '/'))
            test_file(paths[i]);
        else
            test_node(paths[i]);
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest given[] = {cmocka_unit_test(given_models)};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_of_this_file), cmocka_unit_test(graphs), cmocka_unit_test(sample_models),
        cmocka_unit_test(external_data),       cmocka_unit_test(nodes),  cmocka_unit_test(enough_was_tested),
    };
    n_paths = argc - 1;
    paths = argv + 1;
    return argc > 1 ? cmocka_run_group_tests(given, NULL, NULL) : cmocka_run_group_tests(tests, NULL, NULL);
}
