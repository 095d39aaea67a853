/* Compares products of matrices, one thread: a session with exact numerics, one with relaxed numerics, OpenBLAS called directly,
 * and ONNX Runtime if its library is given.
 *
 *     products [--runtime LIBRARY] [--rounds R] [--milliseconds M] [--inputs] [--double] [M,N,K]...
 *
 * Each is MatMul of [M,K] by [K,N]; B is a constant, as weights are, or with --inputs an input. Without sizes: 256 to 4096 cubed
 * and the Gemm of VGG-19. All take turns in every round. The output is GFLOP/s of the best round, then of the median one. OB_ISA
 * and OPENBLAS_CORETYPE choose instructions. OpenBLAS must be libopenblas.so.0 without threads; with threads set
 * OPENBLAS_NUM_THREADS=1. */
#define _POSIX_C_SOURCE 200809L
#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef OB_BENCH_ONNXRUNTIME
#include "host.h"
#else
#include "onnx_broadcast/onnx_broadcast.h"
#endif

enum { EXACT, RELAXED, OPENBLAS, RUNTIME, N_SIDES, MAX_ROUNDS = 101 };

typedef struct settings {
    const char *runtime;
    int rounds;
    double milliseconds;
    bool inputs, is_double;
} settings;

typedef void (*sgemm_function)(int, int, int, int, int, int, float, const float *, int, const float *, int, float, float *, int);
typedef void (*dgemm_function)(int, int, int, int, int, int, double, const double *, int, const double *, int, double, double *,
                               int);

typedef struct subject {
    int64_t m, n, k;
    void *memory[3]; /* A, B, C */
    ob_view in[2];
    char *bytes; /* of the model */
    size_t n_bytes;
    ob_model *model;
    ob_session *sessions[2];
    sgemm_function sgemm;
    dgemm_function dgemm;
#ifdef OB_BENCH_ONNXRUNTIME
    ort_session theirs;
    OrtValue *inputs[2];
#endif
} subject;

#ifdef OB_BENCH_ONNXRUNTIME
static ort_host host;
#endif

static void give_up(const char *what, const char *why) {
    fprintf(stderr, "products: %s: %s\n", what, why);
    exit(2);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t); /* other processes count less */
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- The sides ---- */

/* The parts of protobuf's wire format that a model of one MatMul needs. */
typedef struct piece {
    uint8_t bytes[512];
    size_t n;
} piece;

static void put_varint(piece *p, uint64_t value) {
    for (; value > 127; value >>= 7) p->bytes[p->n++] = (uint8_t)(value | 128);
    p->bytes[p->n++] = (uint8_t)value;
}

static void put_number(piece *p, unsigned field, int64_t value) {
    put_varint(p, field << 3);
    put_varint(p, (uint64_t)value);
}

/* The first n bytes of something that is `whole` bytes long: the rest must follow. */
static void put_begin(piece *p, unsigned field, const void *bytes, size_t n, size_t whole) {
    put_varint(p, field << 3 | 2);
    put_varint(p, whole);
    if (n) memcpy(p->bytes + p->n, bytes, n);
    p->n += n;
}

static void put_piece(piece *p, unsigned field, const piece *inner) {
    put_begin(p, field, inner->bytes, inner->n, inner->n);
}

static void put_text(piece *p, unsigned field, const char *text) {
    put_begin(p, field, text, strlen(text), strlen(text));
}

/* A value of the graph: a matrix. */
static void put_matrix(piece *graph, unsigned field, const char *name, int64_t type, int64_t rows, int64_t columns) {
    piece info = {.n = 0}, of_type = {.n = 0}, tensor = {.n = 0}, shape = {.n = 0};
    const int64_t sizes[2] = {rows, columns};
    for (int i = 0; i < 2; i++) {
        piece dim = {.n = 0};
        put_number(&dim, 1, sizes[i]);
        put_piece(&shape, 1, &dim);
    }
    put_number(&tensor, 1, type);
    put_piece(&tensor, 2, &shape);
    put_piece(&of_type, 1, &tensor);
    put_text(&info, 1, name);
    put_piece(&info, 2, &of_type);
    put_piece(graph, field, &info);
}

/* c = MatMul(a, b); the elements of b, where it is a constant, come last, and so need no copy on the way. */
static void make_model(const settings *set, subject *s) {
    piece model = {.n = 0}, opset = {.n = 0}, graph = {.n = 0}, node = {.n = 0}, weight = {.n = 0};
    const int64_t type = set->is_double ? 11 : 1;
    const size_t n_weights = set->inputs ? 0 : (size_t)(s->k * s->n) * (set->is_double ? sizeof(double) : sizeof(float));
    put_text(&node, 1, "a");
    put_text(&node, 1, "b");
    put_text(&node, 2, "c");
    put_text(&node, 4, "MatMul");
    put_piece(&graph, 1, &node);
    put_text(&graph, 2, "g");
    put_matrix(&graph, 11, "a", type, s->m, s->k);
    if (set->inputs) put_matrix(&graph, 11, "b", type, s->k, s->n);
    put_matrix(&graph, 12, "c", type, s->m, s->n);
    put_number(&weight, 1, s->k);
    put_number(&weight, 1, s->n);
    put_number(&weight, 2, type);
    put_text(&weight, 8, "b");
    put_begin(&weight, 9, NULL, 0, n_weights);
    if (!set->inputs) put_begin(&graph, 5, weight.bytes, weight.n, weight.n + n_weights);
    put_number(&opset, 2, 13);
    put_number(&model, 1, 8);
    put_piece(&model, 8, &opset);
    put_begin(&model, 7, graph.bytes, graph.n, graph.n + n_weights);
    s->n_bytes = model.n + n_weights;
    s->bytes = malloc(s->n_bytes);
    if (!s->bytes) give_up("memory", "there is not enough");
    memcpy(s->bytes, model.bytes, model.n);
    memcpy(s->bytes + model.n, s->memory[1], n_weights);
    ob_error error;
    if (ob_model_load_memory(s->bytes, s->n_bytes, "products", NULL, &s->model, &error) != OB_OK) give_up("model", error.message);
}

static void open_sessions(const settings *set, subject *s) {
    for (int i = 0; i < 2; i++) {
        ob_session_config config;
        ob_error error;
        ob_session_config_init(&config);
        config.max_memory = UINT64_C(1) << 42;
        config.numerics = i == RELAXED ? OB_NUMERICS_RELAXED : OB_NUMERICS_EXACT;
        if (ob_session_create(s->model, &config, &s->sessions[i], &error) != OB_OK) give_up("session", error.message);
    }
#ifdef OB_BENCH_ONNXRUNTIME
    if (!set->runtime) return;
    ort_options options = {.optimize = true, .n_threads = 1};
    if (!ort_session_open(&host, s->bytes, s->n_bytes, &options, &s->theirs)) give_up("ONNX Runtime", host.error);
    for (int i = 0; i < 1 + set->inputs; i++)
        if (!ort_value_from_view(&host, &s->in[i], &s->inputs[i])) give_up("ONNX Runtime", host.error);
#else
    (void)set;
#endif
}

static void run_openblas(const settings *set, const subject *s) {
    const int m = (int)s->m, n = (int)s->n, k = (int)s->k;
    enum { ROW_MAJOR = 101, AS_IT_IS = 111 };
    if (set->is_double)
        s->dgemm(ROW_MAJOR, AS_IT_IS, AS_IT_IS, m, n, k, 1, s->memory[0], k, s->memory[1], n, 0, s->memory[2], n);
    else
        s->sgemm(ROW_MAJOR, AS_IT_IS, AS_IT_IS, m, n, k, 1, s->memory[0], k, s->memory[1], n, 0, s->memory[2], n);
}

static void run_once(const settings *set, subject *s, int side) {
    if (side == OPENBLAS) {
        run_openblas(set, s);
        return;
    }
#ifdef OB_BENCH_ONNXRUNTIME
    if (side == RUNTIME) {
        OrtValue *out[ORT_MAX_VALUES] = {NULL};
        ort_session *o = &s->theirs;
        if (!ort_ok(&host,
                    host.api->Run(o->session, NULL, (const char *const *)o->input_names, (const OrtValue *const *)s->inputs,
                                  1 + set->inputs, (const char *const *)o->output_names, o->n_outputs, out)))
            give_up("ONNX Runtime", host.error);
        host.api->ReleaseValue(out[0]);
        return;
    }
#endif
    ob_error error;
    ob_view out = {0};
    if (ob_session_run(s->sessions[side], s->in, 1 + set->inputs, &out, 1, &error) != OB_OK) give_up("run", error.message);
}

static bool is_there(const settings *set, const subject *s, int side) {
    return side == OPENBLAS ? s->sgemm && s->dgemm : side == RUNTIME ? set->runtime != NULL : true;
}

/* ---- Measuring ---- */

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double seconds_of(const settings *set, subject *s, int side) {
    double begin = now(), end = begin;
    int n = 0;
    do {
        run_once(set, s, side);
        n++;
        end = now();
    } while (end - begin < set->milliseconds / 1e3);
    return (end - begin) / n;
}

static void measure(const settings *set, subject *s) {
    static double seconds[N_SIDES][MAX_ROUNDS];
    double work = 2 * (double)s->m * (double)s->n * (double)s->k * 1e-9;
    for (int side = 0; side < N_SIDES; side++)
        if (is_there(set, s, side)) run_once(set, s, side);
    for (int round = 0; round < set->rounds; round++)
        for (int side = 0; side < N_SIDES; side++)
            if (is_there(set, s, side)) seconds[side][round] = seconds_of(set, s, side);
    printf("| %lld x %lld x %lld |", (long long)s->m, (long long)s->n, (long long)s->k);
    for (int side = 0; side < N_SIDES; side++) {
        qsort(seconds[side], (size_t)set->rounds, sizeof(double), ascending);
        if (is_there(set, s, side))
            printf(" %.1f, %.1f |", work / seconds[side][0], work / seconds[side][set->rounds / 2]);
        else
            printf(" - |");
    }
    printf("\n");
    fflush(stdout);
}

static void run_row(const settings *set, subject *s) {
    const ob_dtype dtype = set->is_double ? OB_DOUBLE : OB_FLOAT;
    const int64_t counts[3] = {s->m * s->k, s->k * s->n, s->m * s->n};
    for (int i = 0; i < 3; i++) {
        size_t width = ob_dtype_size(dtype);
        s->memory[i] = malloc((size_t)counts[i] * width);
        if (!s->memory[i]) give_up("memory", "there is not enough");
        for (int64_t j = 0; j < counts[i]; j++) {
            double value = (double)(j * 37 % 101 - 50) / 64;
            if (set->is_double)
                ((double *)s->memory[i])[j] = value;
            else
                ((float *)s->memory[i])[j] = (float)value;
        }
    }
    ob_view_init(&s->in[0], s->memory[0], dtype, 2, (int64_t[]){s->m, s->k});
    ob_view_init(&s->in[1], s->memory[1], dtype, 2, (int64_t[]){s->k, s->n});
    make_model(set, s);
    open_sessions(set, s);
    measure(set, s);
#ifdef OB_BENCH_ONNXRUNTIME
    for (int i = 0; i < 2; i++)
        if (s->inputs[i]) host.api->ReleaseValue(s->inputs[i]);
    if (set->runtime) ort_session_close(&s->theirs);
#endif
    for (int i = 0; i < 2; i++) ob_session_close(&s->sessions[i]);
    ob_model_close(&s->model);
    free(s->bytes);
    for (int i = 0; i < 3; i++) free(s->memory[i]);
}

static void open_openblas(subject *s) {
    const char *const files[] = {"/usr/$LIB/openblas-serial/libopenblas.so.0", "libopenblas.so.0"};
    void *library = NULL, *symbols[2] = {NULL};
    for (int i = 0; i < 2 && !library; i++) library = dlopen(files[i], RTLD_NOW | RTLD_LOCAL);
    if (!library) return;
    symbols[0] = dlsym(library, "cblas_sgemm");
    symbols[1] = dlsym(library, "cblas_dgemm");
    memcpy(&s->sgemm, &symbols[0], sizeof symbols[0]);
    memcpy(&s->dgemm, &symbols[1], sizeof symbols[1]);
    char *(*core)(void) = NULL;
    symbols[0] = dlsym(library, "openblas_get_corename");
    memcpy(&core, &symbols[0], sizeof symbols[0]);
    printf("OpenBLAS for %s\n\n", core ? core() : "?");
}

int main(int argc, char **argv) {
    static const int64_t sizes[][3] = {{256, 256, 256},    {512, 512, 512},  {1024, 1024, 1024}, {2048, 2048, 2048},
                                       {4096, 4096, 4096}, {1, 4096, 25088}, {1, 4096, 4096},    {1, 1000, 4096}};
    settings set = {.rounds = 7, .milliseconds = 50};
    subject common = {0};
    int i = 1;
    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
        bool has_value = i + 1 < argc;
        if (strcmp(argv[i], "--inputs") == 0)
            set.inputs = true;
        else if (strcmp(argv[i], "--double") == 0)
            set.is_double = true;
        else if (has_value && strcmp(argv[i], "--runtime") == 0)
            set.runtime = argv[++i];
        else if (has_value && strcmp(argv[i], "--rounds") == 0)
            set.rounds = atoi(argv[++i]);
        else if (has_value && strcmp(argv[i], "--milliseconds") == 0)
            set.milliseconds = atof(argv[++i]);
        else
            give_up(argv[i], "unknown, or without a value");
    }
    if (set.rounds < 1 || set.rounds > MAX_ROUNDS) give_up("--rounds", "1 to 101");
#ifdef OB_BENCH_ONNXRUNTIME
    if (set.runtime && !ort_open(&host, set.runtime)) give_up("ONNX Runtime", host.error);
#else
    set.runtime = NULL;
#endif
    open_openblas(&common);
    printf("| rows x columns x sum | exact | relaxed | OpenBLAS | ONNX Runtime |\n|---|---:|---:|---:|---:|\n");
    for (int row = 0; i < argc ? i + row < argc : row < (int)(sizeof sizes / sizeof *sizes); row++) {
        subject s = common;
        long long given[3] = {0};
        if (i < argc && (sscanf(argv[i + row], "%lld,%lld,%lld", &given[0], &given[1], &given[2]) != 3 || given[0] < 1 ||
                         given[1] < 1 || given[2] < 1))
            give_up(argv[i + row], "not M,N,K");
        s.m = i < argc ? given[0] : sizes[row][0];
        s.n = i < argc ? given[1] : sizes[row][1];
        s.k = i < argc ? given[2] : sizes[row][2];
        run_row(&set, &s);
    }
    return 0;
}
