/* The first run of a session with sizes that it has not seen, beside a run with sizes that it knows, at the smallest sizes that
 * the model admits.
 *
 *     new_sizes [--rounds R] [--least L] [--most X] MODEL...
 *
 * Elements come from test_data_set_0/input_K.pb beside the model, again and again, otherwise they are 0. Open
 * sizes that are not 1 are at least L. The session keeps one
 * plan, and two sets of sizes take turns, so each of their runs plans. They differ in one open size: of the first input that has
 * one that can differ alone, the last. Times are the best of all rounds, of the processor. Models without an open size are left
 * out. Exit status 1 if a run with new sizes takes more than X runs with known sizes, 2 if a model cannot be measured. */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <onnx_broadcast/onnx_broadcast.h>

enum { MAX_INPUTS = 64, MAX_SYMBOLS = 64, MAX_SIZE = 600, MAX_CHOSEN = 4 /* sizes that are chosen apart */ };

typedef struct subject {
    const char *path;
    ob_model *model;
    ob_session *session;
    size_t n_inputs, n_outputs;
    ob_file_tensor files[MAX_INPUTS];
    ob_session_value info[MAX_INPUTS];
    ob_dim symbols[MAX_SYMBOLS];
    size_t n_symbols;
} subject;

typedef struct input_set {
    ob_view views[MAX_INPUTS];
    char text[512];
} input_set;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void give_up(const subject *s, const char *why) {
    fprintf(stderr, "new_sizes: %s: %s\n", s->path, why);
    exit(2);
}

static void note_symbol(subject *s, ob_dim d) {
    for (size_t i = 0; i < s->n_symbols; i++)
        if (s->symbols[i] == d) return;
    if (s->n_symbols < MAX_SYMBOLS) s->symbols[s->n_symbols++] = d;
}

static void open_session(subject *s) {
    ob_error error;
    ob_session_config config;
    ob_session_config_init(&config);
    config.max_plans = 1;
    ob_session_close(&s->session);
    if (ob_session_create(s->model, &config, &s->session, &error) != OB_OK) give_up(s, error.message);
}

static void open_subject(subject *s) {
    ob_error error;
    if (ob_model_load(s->path, NULL, &s->model, &error) != OB_OK) give_up(s, error.message);
    open_session(s);
    s->n_inputs = ob_session_input_count(s->session);
    s->n_outputs = ob_session_output_count(s->session);
    if (s->n_inputs > MAX_INPUTS || s->n_outputs > MAX_INPUTS) give_up(s, "too many inputs or outputs");
    for (size_t i = 0; i < s->n_inputs; i++) {
        char path[4096];
        const char *slash = strrchr(s->path, '/');
        ob_session_input(s->session, i, &s->info[i]);
        snprintf(path, sizeof path, "%.*stest_data_set_0/input_%zu.pb", slash ? (int)(slash + 1 - s->path) : 0, s->path, i);
        if (access(path, R_OK) == 0 && ob_tensor_file_read(path, NULL, &s->files[i], &error) != OB_OK) give_up(s, error.message);
        for (int32_t k = s->info[i].shape.rank; k-- > 0;)
            if (!ob_dim_is_const(s->info[i].shape.dims[k])) note_symbol(s, s->info[i].shape.dims[k]);
    }
}

/* ---- Inputs of given sizes ---- */

static void release(const subject *s, input_set *in) {
    for (size_t i = 0; i < s->n_inputs; i++) free(in->views[i].data);
}

static void fill(const subject *s, size_t i, ob_view *view) {
    const size_t size = ob_dtype_size(view->dtype), n = (size_t)ob_view_count(view);
    const ob_view *file = &s->files[i].view;
    const size_t n_known = file->data && file->dtype == view->dtype ? (size_t)ob_view_count(file) : 0;
    view->data = calloc(n + 1, size);
    if (!view->data) give_up(s, "no memory");
    for (size_t k = 0; k < n && n_known > 0; k++)
        memcpy((char *)view->data + k * size, (const char *)file->data + k % n_known * size, size);
}

static void make_inputs(const subject *s, const int64_t *sizes, input_set *in) {
    memset(in, 0, sizeof *in);
    for (size_t i = 0; i < s->n_inputs; i++) {
        const ob_session_value *info = &s->info[i];
        const ob_shape *shape = &info->shape;
        int64_t dims[OB_MAX_RANK];
        if (shape->rank < 0) give_up(s, "an input of unknown rank");
        for (int32_t k = 0; k < shape->rank; k++) {
            dims[k] = shape->dims[k];
            for (size_t at = 0; at < s->n_symbols; at++)
                if (dims[k] == s->symbols[at]) dims[k] = sizes[at];
        }
        char somewhere;
        if (ob_view_init(&in->views[i], &somewhere, info->dtype, shape->rank, dims) != OB_OK) give_up(s, "an input");
        fill(s, i, &in->views[i]);
        size_t n = strlen(in->text);
        ob_shape known = {shape->rank, dims};
        if (n + 1 < sizeof in->text) ob_shape_format(NULL, &known, in->text + n, sizeof in->text - n);
    }
}

static bool run(const subject *s, const input_set *in) {
    ob_error error;
    ob_view outputs[MAX_INPUTS];
    memset(outputs, 0, sizeof outputs);
    return ob_session_run(s->session, in->views, s->n_inputs, outputs, s->n_outputs, &error) == OB_OK;
}

static bool fits(const subject *s, const int64_t *sizes) {
    input_set in;
    make_inputs(s, sizes, &in);
    const bool good = run(s, &in);
    release(s, &in);
    return good;
}

/* Each size 1 or a common one, as few as possible of them, then each as small as possible. */
static bool find_common(const subject *s, int64_t common, int64_t *sizes) {
    const size_t n = s->n_symbols < MAX_CHOSEN ? s->n_symbols : MAX_CHOSEN;
    for (size_t n_common = 0; n_common <= n; n_common++)
        for (unsigned chosen = 0; chosen < 1u << n; chosen++) {
            if ((size_t)__builtin_popcount(chosen) != n_common) continue;
            for (size_t i = 0; i < s->n_symbols; i++) sizes[i] = i >= n || chosen >> i & 1 ? common : 1;
            if (fits(s, sizes)) return true;
        }
    return false;
}

static void find_smallest(const subject *s, int64_t least, int64_t *sizes) {
    int64_t common = least;
    while (common <= MAX_SIZE && !find_common(s, common, sizes)) common++;
    if (common > MAX_SIZE) give_up(s, "no sizes fit");
    for (size_t i = 0; i < s->n_symbols; i++) {
        const int64_t most = sizes[i];
        for (sizes[i] = most < least ? most : least; sizes[i] < most && !fits(s, sizes); sizes[i]++) {
        }
    }
}

static bool find_other(const subject *s, const int64_t *sizes, int64_t *other) {
    for (size_t i = 0; i < s->n_symbols; i++) {
        memcpy(other, sizes, s->n_symbols * sizeof *sizes);
        for (int64_t step = 1; step <= 32; step++) {
            other[i] = sizes[i] + step;
            if (fits(s, other)) return true;
        }
    }
    return false;
}

static double measure(subject *s, int rounds, int64_t least) {
    int64_t sizes[MAX_SYMBOLS], other[MAX_SYMBOLS];
    input_set in, second;
    find_smallest(s, least, sizes);
    if (!find_other(s, sizes, other)) give_up(s, "no other sizes fit");
    make_inputs(s, sizes, &in);
    make_inputs(s, other, &second);
    open_session(s); /* it has seen no sizes that do not fit */
    double fresh = INFINITY, known = INFINITY;
    for (int i = 0; i < rounds; i++) {
        run(s, &second);
        double begin = now();
        run(s, &in);
        fresh = fmin(fresh, now() - begin);
        for (int k = 0; k < 5; k++) {
            begin = now();
            run(s, &in);
            known = fmin(known, now() - begin);
        }
    }
    const char *end = strrchr(s->path, '/'), *name = end ? end : s->path;
    while (name > s->path && name[-1] != '/') name--;
    printf("| %.*s | %s | %.1f | %.1f | %.1f |\n", (int)(end ? end - name : (ptrdiff_t)strlen(name)), name, in.text, known * 1e6,
           fresh * 1e6, fresh / known);
    fflush(stdout);
    release(s, &in);
    release(s, &second);
    return fresh / known;
}

int main(int argc, char **argv) {
    int rounds = 50, i = 1, over = 0;
    int64_t least = 1;
    double most = INFINITY;
    for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
        if (strcmp(argv[i], "--rounds") == 0) rounds = atoi(argv[i + 1]);
        if (strcmp(argv[i], "--least") == 0) least = atoi(argv[i + 1]);
        if (strcmp(argv[i], "--most") == 0) most = atof(argv[i + 1]);
    }
    if (i >= argc) {
        fprintf(stderr, "usage: new_sizes [--rounds R] [--least L] [--most X] MODEL...\n");
        return 2;
    }
    printf("| model | sizes | known sizes, us | new sizes, us | new / known |\n|---|---|---:|---:|---:|\n");
    for (; i < argc; i++) {
        subject s = {.path = argv[i]};
        open_subject(&s);
        if (s.n_symbols > 0) over += measure(&s, rounds, least) > most;
        for (size_t k = 0; k < s.n_inputs; k++) ob_file_tensor_release(&s.files[k]);
        ob_session_close(&s.session);
        ob_model_close(&s.model);
    }
    return over > 0;
}
