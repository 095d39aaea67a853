/* A run whose plan exists allocates nothing: neither by the session's allocator nor by malloc, on one thread and on two, in the
 * session and in a worker. With a sample of every row of the operator table, and every model on the machine. Two kinds of models
 * allocate while they run and are left out: those whose plan depends on data, which workers refuse, and those that make strings.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "corpus.h"
#include "counting_malloc.h"
#include "ones.h"
#include "onnx_broadcast/onnx_broadcast.h"
#include "samples.h"
#include "session_case.h"

enum { MOST_VALUES = 64, MOST_THREADS = 2, LARGEST_FILE = 64 << 20, RUNS = 2 };

static size_t n_measured, n_that_allocate, n_dynamic, n_of_strings;

typedef struct subject {
    ob_session *session;
    ob_worker *worker; /* NULL: the session itself runs */
    ob_view inputs[MOST_VALUES];
    size_t n_in, n_out;
} subject;

/* True if a result consists of strings that a node has made: their length is known only then. */
static bool makes_strings(const ob_session *session) {
    static const char *const makers[] = {"Cast",         "CastLike",         "CategoryMapper",
                                         "LabelEncoder", "StringNormalizer", "StringConcat"};
    ob_session_value value;
    bool has_strings = false, has_maker = false;
    for (size_t i = 0; ob_session_output(session, i, &value); i++) has_strings |= value.dtype == OB_STRING;
    for (const ob_node *node = session->model->graph->first; node; node = node->next)
        for (size_t i = 0; i < sizeof makers / sizeof *makers; i++)
            has_maker |= node->op && strcmp(node->op->name, makers[i]) == 0;
    return has_strings && has_maker;
}

static ob_status run(const subject *s) {
    ob_view outputs[MOST_VALUES] = {{0}};
    return s->worker ? ob_worker_run(s->worker, s->inputs, s->n_in, outputs, s->n_out, NULL)
                     : ob_session_run(s->session, s->inputs, s->n_in, outputs, s->n_out, NULL);
}

/* Runs that may not allocate; the sizes and contents of ones may be refused. */
static void count_runs(const subject *s, counter *allocator, const char *what, int threads) {
    const size_t before = allocator->n_calls;
    ob_status status = OB_OK;
    n_mallocs = 0;
    counts_mallocs = true;
    for (int i = 0; i < RUNS && status == OB_OK; i++) status = run(s);
    counts_mallocs = false;
    if (status != OB_OK) return;
    n_measured++;
    const size_t calls = allocator->n_calls - before, mallocs = atomic_load(&n_mallocs);
    if (calls == 0 && mallocs == 0) return;
    n_that_allocate++;
    print_message("%s, %d threads, %s: %zu calls of the allocator, %zu of malloc\n", what, threads,
                  s->worker ? "worker" : "session", calls, mallocs);
}

/* The session has its plan and the memory of its results from ob_session_prepare; the worker from its first run. */
static void measure_session(subject *s, counter *allocator, const char *what, int threads) {
    ob_status status = ob_session_prepare(s->session, s->inputs, s->n_in, NULL);
    if (status == OB_OK) status = ob_worker_create(s->session, NULL, &s->worker, NULL);
    n_dynamic += status == OB_E_UNSUPPORTED;
    if (status != OB_OK) return;
    ob_worker *worker = s->worker;
    s->worker = NULL;
    count_runs(s, allocator, what, threads);
    s->worker = worker;
    if (run(s) == OB_OK) count_runs(s, allocator, what, threads);
    ob_worker_close(&s->worker);
}

static void measure(const ob_model *model, const char *what) {
    for (int threads = 1; threads <= MOST_THREADS; threads++) {
        counter c = {0};
        ob_allocator allocator = counting(&c);
        subject s = {0};
        ob_session_config config;
        ob_session_config_init(&config);
        config.allocator = &allocator;
        config.n_threads = threads;
        config.max_memory = UINT64_C(1) << 30;
        config.max_run_ns = UINT64_C(10000000000);
        if (ob_session_create(model, &config, &s.session, NULL) == OB_OK) {
            s.n_out = ob_session_output_count(s.session);
            const bool has_strings = makes_strings(s.session);
            n_of_strings += has_strings;
            if (!has_strings && !has_libraries(s.session->model->graph) && s.n_out <= MOST_VALUES &&
                make_ones(s.session, MOST_VALUES, s.inputs, &s.n_in))
                measure_session(&s, &c, what, threads);
            for (size_t i = 0; i < MOST_VALUES; i++) free(s.inputs[i].data);
        }
        ob_session_close(&s.session);
    }
}

static void tell(const char *of, size_t least) {
    print_message("%s: %zu sessions and workers, %zu that allocate; left out: %zu plans that depend on data, %zu with strings\n",
                  of, n_measured, n_that_allocate, n_dynamic, n_of_strings);
    assert_true(n_measured >= least);
    assert_int_equal(n_that_allocate, 0);
    n_measured = n_that_allocate = n_dynamic = n_of_strings = 0;
}

static void rows_of_operators(void **state) {
    (void)state;
    read_folders(OB_SOURCE_DIR);
    for (size_t i = 0; i < ob__op_count(); i++) {
        cell_case c;
        ob_text text;
        ob_load_options options;
        ob_model *model = NULL;
        char what[200];
        if (!usual_case(ob__op_at(i), &c)) continue;
        ob__text_init(&text, NULL);
        write_model(&c, &text);
        ob_load_options_init(&options);
        options.format = OB_FORMAT_TEXT;
        snprintf(what, sizeof what, "%s-%d", c.op->name, (int)c.op->since);
        if (ob_model_load_memory(text.data, text.n, "sample", &options, &model, NULL) == OB_OK) measure(model, what);
        ob_model_close(&model);
        ob__text_release(&text);
    }
    tell("rows of operators", 500);
}

static void measure_file(void *count, const char *path) {
    struct stat info;
    ob_model *model = NULL;
    ++*(size_t *)count;
    if (stat(path, &info) != 0 || info.st_size > LARGEST_FILE) return;
    if (ob_model_load(path, NULL, &model, NULL) == OB_OK) measure(model, path);
    ob_model_close(&model);
}

static void models(void **state) {
    (void)state;
    assert_true(corpus_each_model(measure_file) > 10);
    tell("models", 20);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_of_operators), cmocka_unit_test(models)};
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
