/* The stack that the library uses: each model is loaded, checked, made a session and run in threads whose stacks are filled
 * with a pattern before; the overwritten part was used. With every model on the machine, a sample of every row of the operator
 * table, and deeply nested models, which must run in a thread with the 128 KiB of musl. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/base/sanitizer.h"
#include "corpus.h"
#include "ones.h"
#include "onnx_broadcast/onnx_broadcast.h"
#include "samples.h"

enum { STACK_BYTES = 1 << 19, PAINT = 0xA5, LARGEST_FILE = 64 << 20, MOST_VALUES = 64, MOST_THREADS = 8 };
/* The limits in docs/embedding.md. */
enum { CHECK_BYTES = 32 << 10, RUN_BYTES = 16 << 10 };
enum { N_THREADS = 2 };

#if !defined(OB_ASAN) && !OB_HAS_FEATURE(thread_sanitizer) && !defined(__SANITIZE_THREAD__) && defined(__OPTIMIZE__)
#define IS_MEASURED 1
#else
#define IS_MEASURED 0
#endif

/* ---- Painted stacks ---- */

static unsigned char *new_stack(void) {
    unsigned char *stack = aligned_alloc(4096, STACK_BYTES);
    assert_non_null(stack);
    memset(stack, PAINT, STACK_BYTES);
    return stack;
}

static size_t used_of(const unsigned char *stack) {
    size_t n = 0;
    while (n < STACK_BYTES && stack[n] == PAINT) n++;
    return STACK_BYTES - n;
}

/* The library starts the threads of pools: in this program on painted stacks, if `paints`. */
static bool paints;
static unsigned char *pool_stacks[MOST_THREADS];
static size_t n_pool_stacks;

#if IS_MEASURED
typedef int (*create_function)(pthread_t *thread, const pthread_attr_t *attributes, void *(*work)(void *), void *context);

__attribute__((visibility("default"))) int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                                                          void *(*work)(void *), void *context) {
    create_function create;
    void *found = dlsym(RTLD_NEXT, "pthread_create");
    memcpy(&create, &found, sizeof create);
    if (!paints || n_pool_stacks == MOST_THREADS) return create(thread, attributes, work, context);
    pthread_attr_t own;
    unsigned char *stack = pool_stacks[n_pool_stacks++] = new_stack();
    pthread_attr_init(&own);
    pthread_attr_setstack(&own, stack, STACK_BYTES);
    int failed = create(thread, &own, work, context);
    pthread_attr_destroy(&own);
    return failed;
}
#endif

/* Bytes of a painted stack that the work has changed. */
static size_t used_by(void *(*work)(void *context), void *context) {
    unsigned char *stack = new_stack();
    pthread_attr_t attributes;
    pthread_t thread;
    assert_int_equal(pthread_attr_init(&attributes), 0);
    assert_int_equal(pthread_attr_setstack(&attributes, stack, STACK_BYTES), 0);
    assert_int_equal(pthread_create(&thread, &attributes, work, context), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);
    size_t used = used_of(stack);
    free(stack);
    return used;
}

static void *nothing(void *context) {
    return context;
}

/* ---- What is measured ---- */

typedef enum part { LOAD, CHECK, CREATE, FIRST_RUN, RUN, WORKER, POOL, PARTS } part;
static const char *const part_names[] = {"load",      "check",        "create a session", "run first",
                                         "run again", "run a worker", "help a run"};
static const size_t limits[] = {CHECK_BYTES, CHECK_BYTES, CHECK_BYTES, RUN_BYTES, RUN_BYTES, RUN_BYTES, RUN_BYTES};

typedef struct most {
    size_t bytes, n;
    char what[1100];
} most;

static most tops[PARTS], tops_of_libraries[PARTS]; /* no limit is promised for PCRE2 and similar libraries */
static bool calls_libraries;
static size_t own_bytes; /* the stack of a thread without work */
static bool verbose;

static void note(part p, size_t used, const char *what) {
    most *top = calls_libraries ? &tops_of_libraries[p] : &tops[p];
    used = used > own_bytes ? used - own_bytes : 0;
    top->n++;
    if (verbose && used > limits[p] * 3 / 4) print_message("%zu %s: %s\n", used, part_names[p], what);
    if (used <= top->bytes) return;
    top->bytes = used;
    snprintf(top->what, sizeof top->what, "%s", what);
}

typedef struct job {
    const char *path; /* or */
    const char *text;
    size_t n_text;
    ob_model_format format; /* of the text */
    ob_model *model;
    ob_session *session;
    ob_worker *worker;
    ob_view inputs[MOST_VALUES], outputs[MOST_VALUES];
    size_t n_in, n_out;
    ob_status status;
} job;

static void *load(void *context) {
    job *j = context;
    ob_load_options options;
    ob_load_options_init(&options);
    if (j->text) options.format = j->format;
    j->status = j->path ? ob_model_load(j->path, NULL, &j->model, NULL)
                        : ob_model_load_memory(j->text, j->n_text, "sample", &options, &j->model, NULL);
    return NULL;
}

static void *check(void *context) {
    job *j = context;
    ob_report *report = NULL;
    j->status = ob_check(j->model, NULL, &report, NULL);
    for (size_t i = 0; j->status == OB_OK && i < ob_report_finding_count(report); i++) {
        ob_finding_info finding;
        j->status = ob_report_finding(report, i, &finding);
    }
    for (size_t i = 0; j->status == OB_OK && i < ob_report_contract(report).n_clauses; i++) {
        ob_clause_info clause;
        j->status = ob_report_clause(report, i, &clause);
    }
    ob_report_close(&report);
    return NULL;
}

static void *create(void *context) {
    job *j = context;
    ob_session_config config;
    ob_session_config_init(&config);
    config.n_threads = N_THREADS;
    config.max_memory = UINT64_C(1) << 30;
    config.max_run_ns = UINT64_C(10000000000);
    paints = true;
    j->status = ob_session_create(j->model, &config, &j->session, NULL);
    paints = false;
    return NULL;
}

static void *run(void *context) {
    job *j = context;
    memset(j->outputs, 0, sizeof j->outputs);
    j->status = ob_session_run(j->session, j->inputs, j->n_in, j->outputs, j->n_out, NULL);
    return NULL;
}

static void *run_worker(void *context) {
    job *j = context;
    memset(j->outputs, 0, sizeof j->outputs);
    j->status = ob_worker_run(j->worker, j->inputs, j->n_in, j->outputs, j->n_out, NULL);
    return NULL;
}

static void measure_runs(job *j, const char *what) {
    size_t used = used_by(run, j);
    if (j->status != OB_OK) return; /* sizes or contents that the model refuses */
    note(FIRST_RUN, used, what);
    note(RUN, used_by(run, j), what);
    if (ob_worker_create(j->session, NULL, &j->worker, NULL) != OB_OK) return;
    note(WORKER, used_by(run_worker, j), what);
    ob_worker_close(&j->worker);
}

static void measure(job *j, const char *what) {
    size_t used = used_by(load, j);
    if (j->status == OB_OK) {
        note(LOAD, used, what);
        note(CHECK, used_by(check, j), what);
        used = used_by(create, j);
        calls_libraries = j->status == OB_OK && has_libraries(j->model->graph);
    }
    if (j->status == OB_OK) {
        note(CREATE, used, what);
        j->n_out = ob_session_output_count(j->session);
        if (j->n_out <= MOST_VALUES && make_ones(j->session, MOST_VALUES, j->inputs, &j->n_in)) measure_runs(j, what);
        for (size_t i = 0; i < MOST_VALUES; i++) free(j->inputs[i].data);
    }
    ob_session_close(&j->session);
    for (size_t i = 0; i < n_pool_stacks; i++) {
        note(POOL, used_of(pool_stacks[i]), what);
        free(pool_stacks[i]);
    }
    n_pool_stacks = 0;
    ob_model_close(&j->model);
    calls_libraries = false;
}

static void measure_file(void *count, const char *path) {
    struct stat info;
    static job j;
    ++*(size_t *)count;
    if (stat(path, &info) != 0 || info.st_size > LARGEST_FILE) return;
    memset(&j, 0, sizeof j);
    j.path = path;
    measure(&j, path);
}

static void tell_and_judge(const size_t *allowed) {
    for (int p = 0; p < PARTS; p++)
        print_message("%zu times, at most %zu bytes of stack to %s (%s)\n", tops[p].n, tops[p].bytes, part_names[p],
                      tops[p].what);
    most *other = &tops_of_libraries[RUN];
    print_message("%zu times, at most %zu bytes where other libraries do the work (%s)\n", other->n, other->bytes, other->what);
    for (int p = 0; p < PARTS && IS_MEASURED; p++) {
        assert_true(tops[p].n > 10);
        assert_true(tops[p].bytes <= allowed[p]);
    }
    memset(tops, 0, sizeof tops);
    memset(tops_of_libraries, 0, sizeof tops_of_libraries);
}

static void models(void **state) {
    (void)state;
    assert_true(corpus_each_model(measure_file) > 10);
    tell_and_judge(limits);
}

static void rows_of_operators(void **state) {
    (void)state;
    read_folders(OB_SOURCE_DIR);
    for (size_t i = 0; i < ob__op_count(); i++) {
        static job j;
        cell_case c;
        ob_text text;
        char what[200];
        if (!usual_case(ob__op_at(i), &c)) continue;
        ob__text_init(&text, NULL);
        write_model(&c, &text);
        memset(&j, 0, sizeof j);
        j.text = text.data;
        j.n_text = text.n;
        j.format = OB_FORMAT_TEXT;
        snprintf(what, sizeof what, "%s-%d", c.op->name, (int)c.op->since);
        measure(&j, what);
        ob__text_release(&text);
    }
    tell_and_judge(limits);
}

/* ---- What nests ---- */

/* Musl gives a thread 128 KiB, of which the host's frames use a part. */
enum { NESTED_BYTES = 112 << 10 };
static const size_t nested[] = {NESTED_BYTES, NESTED_BYTES, NESTED_BYTES, NESTED_BYTES, NESTED_BYTES, NESTED_BYTES, RUN_BYTES};

static void begin_text(ob_text *text) {
    ob__text_init(text, NULL);
    ob__text_puts(text, "<ir_version: 10, opset_import: [\"\" : 21, \"own\" : 1]>\n");
}

/* Nested branches; each negates the condition. */
static void write_branches(ob_text *text, int depth, bool with_loops) {
    begin_text(text);
    ob__text_puts(text, "g (bool c, float[N] x, int64 n) => (y) {\n");
    for (int i = 0; i < depth; i++) {
        const char *result = i == 0 ? "y" : "r";
        char name[20];
        snprintf(name, sizeof name, i == 0 ? "%s" : "%s%d", result, i);
        if (with_loops && i % 2)
            ob__text_printf(
                text,
                "%s = Loop (n, c, x) <body = b%d (int64 t%d, bool k%d, float[N] s%d) => (o%d, r%d) {\n o%d = Identity (k%d)\n",
                name, i, i, i, i, i, i + 1, i, i);
        else
            ob__text_printf(text,
                            "d%d = Not (%s)\n%s = If (d%d) <else_branch = e%d () => (z%d) { z%d = Relu (x) }, then_branch = b%d "
                            "() => (r%d) {\n",
                            i, "c", name, i, i, i, i, i, i + 1);
    }
    ob__text_printf(text, "r%d = Add (x, x)\n", depth);
    for (int i = 0; i < depth; i++) ob__text_puts(text, "}>\n");
    ob__text_puts(text, "}\n");
}

/* Each function calls the next one. */
static void write_functions(ob_text *text, int depth) {
    begin_text(text);
    ob__text_puts(text, "g (float[N] x) => (y) { y = own.f0 (x) }\n");
    for (int i = 0; i < depth; i++)
        ob__text_printf(
            text,
            "<domain: \"own\", opset_import: [\"\" : 21, \"own\" : 1]>\nf%d (a) => (b) { t = Relu (a)\n b = own.f%d (t) }\n", i,
            i + 1);
    ob__text_printf(text, "<domain: \"own\", opset_import: [\"\" : 21]>\nf%d (a) => (b) { b = Add (a, a) }\n", depth);
}

/* Sizes that are computed and compared in a long chain; then a branch that depends on them. */
static void write_conditions(ob_text *text, int depth) {
    begin_text(text);
    ob__text_puts(
        text,
        "g (float[N,M] x) => (y) {\n s = Shape (x)\n zero = Constant <value_int = 0> ()\n one = Constant <value_int = 1> ()\n"
        " n = Gather (s, zero)\n m = Gather (s, one)\n c0 = Greater (n, m)\n v0 = Identity (n)\n");
    for (int i = 0; i < depth; i++)
        ob__text_printf(text, " v%d = %s (v%d, m)\n l%d = Less (v%d, n)\n k%d = Not (c%d)\n c%d = %s (k%d, l%d)\n", i + 1,
                        i % 3 == 0   ? "Max"
                        : i % 3 == 1 ? "Mul"
                                     : "Mod",
                        i, i, i + 1, i, i, i + 1, i % 2 ? "And" : "Or", i, i);
    ob__text_printf(
        text, " y = If (c%d) <then_branch = t () => (a) { a = Add (x, x) }, else_branch = e () => (b) { b = Relu (x) }>\n}\n",
        depth);
}

static void write_chain(ob_text *text, int depth) {
    begin_text(text);
    ob__text_puts(text, "g (float[N] x) => (y) {\n v0 = Relu (x)\n");
    for (int i = 0; i < depth; i++) ob__text_printf(text, " v%d = Add (v%d, x)\n", i + 1, i);
    ob__text_printf(text, " y = Neg (v%d)\n}\n", depth);
}

/* Nested messages in protobuf's text format and in JSON. */
static void write_messages(ob_text *text, int depth, bool is_json) {
    ob__text_init(text, NULL);
    ob__text_puts(text, is_json ? "{\"graph\": {" : "graph {");
    for (int i = 0; i < depth; i++)
        ob__text_puts(text,
                      is_json ? "\"node\": [{\"attribute\": [{\"name\": \"a\", \"g\": {" : "node { attribute { name: 'a' g {");
    for (int i = 0; i < depth; i++) ob__text_puts(text, is_json ? "}}]}]" : "} } }");
    ob__text_puts(text, is_json ? "}}" : "}");
}

static void measure_text(ob_text *text, const char *what) {
    static job j;
    memset(&j, 0, sizeof j);
    j.text = text->data;
    j.n_text = text->n;
    j.format = OB_FORMAT_TEXT;
    measure(&j, what);
    ob__text_release(text);
}

/* Valid models or not. */
static void measure_messages(ob_text *text, ob_model_format format, const char *what) {
    static job j;
    memset(&j, 0, sizeof j);
    j.text = text->data;
    j.n_text = text->n;
    j.format = format;
    note(LOAD, used_by(load, &j), what);
    ob_model_close(&j.model);
    ob__text_release(text);
}

static void nested_models(void **state) {
    (void)state;
    static const int depths[] = {1, 2, 8, 16, 24, 31, 32, 33, 40, 48, 63, 64, 65, 100};
    char what[100];
    ob_text text;
    for (size_t i = 0; i < sizeof depths / sizeof *depths; i++) {
        const int depth = depths[i];
        for (int loops = 0; loops < 2; loops++) {
            write_branches(&text, depth, loops);
            snprintf(what, sizeof what, "%d branches%s", depth, loops ? " and loops" : "");
            measure_text(&text, what);
        }
        for (int n = depth; n <= 100 * depth; n *= 100) {
            write_functions(&text, n);
            snprintf(what, sizeof what, "%d functions", n);
            measure_text(&text, what);
        }
        for (int json = 0; json < 2; json++) {
            write_messages(&text, depth, json);
            snprintf(what, sizeof what, "%d messages of %s", depth, json ? "JSON" : "protobuf text");
            measure_messages(&text, json ? OB_FORMAT_JSON : OB_FORMAT_PROTOBUF_TEXT, what);
        }
        write_conditions(&text, 4 * depth);
        snprintf(what, sizeof what, "conditions of %d steps", 4 * depth);
        measure_text(&text, what);
        write_chain(&text, 100 * depth);
        snprintf(what, sizeof what, "a chain of %d nodes", 100 * depth);
        measure_text(&text, what);
    }
    tell_and_judge(nested);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(models), cmocka_unit_test(rows_of_operators),
                                       cmocka_unit_test(nested_models)};
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    verbose = argc > 2;
    own_bytes = used_by(nothing, NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
