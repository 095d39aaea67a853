/* Times elementwise calls and the memory limit for bench/run.py: commands on standard input, one line of answer each.
 *
 *   array NAME TYPE SHAPE            an input with values in 0.5 .. 1.5 (bool: mixed, integers: 1 .. 9);
 *                                    SHAPE is 2x3x4, or "scalar"
 *   call OP RESULT OPERAND...        appends a call to the case; RESULT is made if it is new
 *   model PATH OPERAND...            appends a run of a model's session instead; its inputs in order
 *   moves READ WRITE                 the bytes that the case must move: the memory limit
 *   time MILLISECONDS                one round: answers "OURS LIMIT", medians in nanoseconds
 *   print RESULT                     the result's elements as text, for run.py to compare
 *   clear                            forgets the case
 */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "memory_limit.h"
#include "onnx_broadcast/onnx_broadcast.h"

enum { MAX_ARRAYS = 32, MAX_CALLS = 32, MAX_OPERANDS = 8, MAX_WORDS = 16, MAX_SAMPLES = 4096 };

typedef struct array {
    char name[32];
    ob_view view;
} array;

typedef struct call {
    ob_elementwise_plan *plan; /* or a session */
    ob_session *session;
    ob_model *model;
    ob_view in[MAX_OPERANDS], out;
    size_t n_in;
} call;

static array arrays[MAX_ARRAYS];
static call calls[MAX_CALLS];
static size_t n_arrays, n_calls;
static memory_limit limit;

static void die(const char *what, const char *detail) {
    fprintf(stderr, "bench_elementwise: %s: %s\n", what, detail);
    exit(2);
}

static uint64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static array *find_array(const char *name) {
    for (size_t i = 0; i < n_arrays; i++)
        if (strcmp(arrays[i].name, name) == 0) return &arrays[i];
    die("no such array", name);
    return NULL;
}

static void *allocate(size_t n_bytes) {
    void *memory = bench_allocate(n_bytes);
    if (!memory) die("memory", "not enough");
    return memory;
}

/* The same numbers in run.py. */
static void fill(const ob_view *view) {
    int64_t n = ob_view_count(view);
    uint32_t x = 12345;
    for (int64_t i = 0; i < n; i++) {
        x = x * 1664525u + 1013904223u;
        uint32_t bits = x >> 16;
        switch (view->dtype) {
        case OB_FLOAT: ((float *)view->data)[i] = 0.5f + (float)bits / 65536; break;
        case OB_FLOAT16: ((uint16_t *)view->data)[i] = (uint16_t)(0x3800 + bits % 1024); break; /* 0.5 .. 1 */
        case OB_INT8: ((int8_t *)view->data)[i] = (int8_t)(bits % 9 + 1); break;
        case OB_INT64: ((int64_t *)view->data)[i] = bits % 9 + 1; break;
        case OB_BOOL: ((uint8_t *)view->data)[i] = bits & 1; break;
        default: die("type", ob_dtype_name(view->dtype));
        }
    }
}

static void parse_shape(char *text, int32_t *rank, int64_t *dims) {
    *rank = 0;
    if (strcmp(text, "scalar") == 0) return;
    for (char *size = strtok(text, "x"); size && *rank < OB_MAX_RANK; size = strtok(NULL, "x"))
        dims[(*rank)++] = strtoll(size, NULL, 10);
}

static array *add_array(const char *name, ob_dtype dtype, int32_t rank, const int64_t *dims) {
    if (n_arrays == MAX_ARRAYS) die("too many arrays", name);
    array *a = &arrays[n_arrays++];
    snprintf(a->name, sizeof a->name, "%s", name);
    ob_view shape;
    if (ob_view_init(&shape, a, dtype, rank, dims) != OB_OK) die("shape", name);
    size_t n_bytes = (size_t)ob_view_count(&shape) * ob_dtype_size(dtype);
    ob_view_init(&a->view, allocate(n_bytes), dtype, rank, dims);
    return a;
}

static void add_call(char **words, size_t n) {
    if (n_calls == MAX_CALLS || n - 3 > MAX_OPERANDS) die("too many calls", words[1]);
    call *c = &calls[n_calls++];
    memset(c, 0, sizeof *c);
    for (size_t i = 3; i < n; i++) c->in[c->n_in++] = find_array(words[i])->view;
    ob_error error;
    ob_error_clear(&error);
    ob_view out;
    if (ob_elementwise_output(words[1], 0, c->in, c->n_in, NULL, 0, &out, &error) != OB_OK) die(words[1], error.message);
    array *result = NULL;
    for (size_t i = 0; i < n_arrays; i++)
        if (strcmp(arrays[i].name, words[2]) == 0) result = &arrays[i];
    if (!result) result = add_array(words[2], out.dtype, out.rank, out.dims);
    c->out = result->view;
    if (ob_elementwise_create(words[1], 0, c->in, c->n_in, NULL, 0, &c->out, NULL, &c->plan, &error) != OB_OK)
        die(words[1], error.message);
}

static void add_model(char **words, size_t n) {
    if (n_calls == MAX_CALLS || n - 2 > MAX_OPERANDS) die("too many calls", words[1]);
    call *c = &calls[n_calls++];
    memset(c, 0, sizeof *c);
    for (size_t i = 2; i < n; i++) c->in[c->n_in++] = find_array(words[i])->view;
    ob_error error;
    ob_error_clear(&error);
    if (ob_model_load(words[1], NULL, &c->model, &error) != OB_OK) die(words[1], error.message);
    if (ob_session_create(c->model, NULL, &c->session, &error) != OB_OK) die(words[1], error.message);
}

static void run_case(void) {
    ob_error error;
    ob_error_clear(&error);
    for (size_t i = 0; i < n_calls; i++) {
        call *c = &calls[i];
        ob_view out = {0};
        ob_status status = c->plan ? ob_elementwise_run(c->plan, c->in, &c->out, &error)
                                   : ob_session_run(c->session, c->in, c->n_in, &out, 1, &error);
        if (status != OB_OK) die("run", error.message);
        if (c->session) c->out = out;
    }
}

static void run_limit(void) {
    memory_limit_run(&limit);
}

static int compare(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The median time of one execution; short ones are timed several at a time. */
static double median_time(void (*run)(void), uint64_t budget_ns) {
    static uint64_t samples[MAX_SAMPLES];
    run();
    uint64_t start = now(), n = 1;
    run();
    uint64_t once = now() - start;
    if (once < 20000) n = 20000 / (once + 1) + 1;
    size_t n_samples = 0;
    uint64_t end = now() + budget_ns;
    do {
        uint64_t begin = now();
        for (uint64_t i = 0; i < n; i++) run();
        samples[n_samples++] = now() - begin;
    } while (n_samples < MAX_SAMPLES && (n_samples < 3 || now() < end));
    qsort(samples, n_samples, sizeof samples[0], compare);
    return (double)samples[n_samples / 2] / (double)n;
}

static void print_result(const char *name) {
    const ob_view *view = n_calls && calls[n_calls - 1].session ? &calls[n_calls - 1].out : &find_array(name)->view;
    int64_t n = ob_view_count(view);
    for (int64_t i = 0; i < n; i += n / 100 + 1) {
        double value = 0;
        float f;
        ob_view one = {.data = (char *)view->data + i * (int64_t)ob_dtype_size(view->dtype), .dtype = view->dtype};
        ob_view as_float = {.data = &f, .dtype = OB_FLOAT};
        ob_option to = {"to", OB_OPTION_INT, OB_FLOAT, 0, NULL};
        if (ob_elementwise("Cast", 0, &one, 1, &to, 1, &as_float, NULL) != OB_OK) die("print", name);
        value = (double)f;
        printf("%.9g ", value);
    }
    printf("\n");
}

static void clear(void) {
    for (size_t i = 0; i < n_calls; i++) {
        ob_elementwise_destroy(&calls[i].plan);
        ob_session_close(&calls[i].session);
        ob_model_close(&calls[i].model);
    }
    for (size_t i = 0; i < n_arrays; i++) free(arrays[i].view.data);
    n_calls = n_arrays = 0;
    memory_limit_release(&limit);
}

static void execute(char **words, size_t n) {
    const char *command = words[0];
    if (strcmp(command, "array") == 0 && n == 4) {
        int32_t rank;
        int64_t dims[OB_MAX_RANK];
        parse_shape(words[3], &rank, dims);
        fill(&add_array(words[1], ob_dtype_from_name(words[2]), rank, dims)->view);
        printf("ok\n");
    } else if (strcmp(command, "call") == 0 && n >= 4) {
        add_call(words, n);
        printf("ok\n");
    } else if (strcmp(command, "model") == 0 && n >= 3) {
        add_model(words, n);
        printf("ok\n");
    } else if (strcmp(command, "moves") == 0 && n == 3) {
        memory_limit_release(&limit);
        if (!memory_limit_init(&limit, strtoull(words[1], NULL, 10), strtoull(words[2], NULL, 10))) die("memory", "not enough");
        printf("ok\n");
    } else if (strcmp(command, "time") == 0 && n == 2) {
        uint64_t budget = strtoull(words[1], NULL, 10) * 1000000;
        double ours = median_time(run_case, budget), least = median_time(run_limit, budget);
        printf("%.1f %.1f\n", ours, least);
    } else if (strcmp(command, "print") == 0 && n == 2) {
        run_case();
        print_result(words[1]);
    } else if (strcmp(command, "clear") == 0) {
        clear();
        printf("ok\n");
    } else {
        die("unknown command", command);
    }
    fflush(stdout);
}

int main(void) {
    char line[4096], *words[MAX_WORDS];
    while (fgets(line, sizeof line, stdin)) {
        size_t n = 0;
        for (char *word = strtok(line, " \n"); word && n < MAX_WORDS; word = strtok(NULL, " \n")) words[n++] = word;
        if (n) execute(words, n);
    }
    clear();
    return 0;
}
