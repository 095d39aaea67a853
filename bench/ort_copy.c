/* Compares BroadcastInDim of the plugin with ONNX Runtime's own Expand for the same work, and with memcpy of the same bytes.
 *
 *     ort_copy LIBRARY PLUGIN [--rounds R] [--milliseconds M] [--threads N] [--only TEXT] [--type NAME]
 *
 * A model has several nodes of one kind, so that the cost of the call Run itself is the same share of both. The two take turns in
 * every round; the ratio is the median over the rounds. Exit status 1 if a ratio exceeds 1.00 by more than the noise
 * (--tolerance T, in percent, 5 by default). */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <time.h>
#include <unistd.h>

#include "host.h"

enum { MAX_NODES = 32, MAX_ROUNDS = 101 };

typedef struct shape_case {
    const char *name;
    int32_t rank;
    int64_t from[3], to[3];
} shape_case;

typedef struct side {
    ort_session session;
    OrtValue *in[MAX_NODES];
    size_t n;
} side;

typedef struct settings {
    const char *library, *plugin, *only, *type;
    int rounds, threads;
    double milliseconds, tolerance;
} settings;

static ort_host host;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void die(const char *message) {
    fprintf(stderr, "ort_copy: %s\n", message);
    exit(2);
}

/* ---- Models ---- */

static void write_dims(char *text, int32_t rank, const int64_t *dims) {
    text[0] = '\0';
    for (int32_t a = 0; a < rank; a++) sprintf(text + strlen(text), "%s%lld", a ? "," : "", (long long)dims[a]);
}

/* Each node has a separate input with the same tensor, because equal nodes would be computed once. */
static char *model_text(const shape_case *c, const char *type, size_t n, bool ours) {
    char *text = malloc(64 + n * 256), from[64], to[64];
    if (!text) die("out of memory");
    write_dims(from, c->rank, c->from);
    write_dims(to, c->rank, c->to);
    char *at = text + sprintf(text, "<ir_version: 8, opset_import: [\"\" : 14, \"onnx_broadcast\" : 1]>\ng (");
    for (size_t i = 0; i < n; i++) at += sprintf(at, "%s%s[%s] x%zu", i ? ", " : "", type, from, i);
    at += sprintf(at, ") => (");
    for (size_t i = 0; i < n; i++) at += sprintf(at, "%s%s[%s] z%zu", i ? ", " : "", type, to, i);
    at += sprintf(at, ") {\n");
    if (!ours) at += sprintf(at, " shape = Constant <value = int64[%d] {%s}> ()\n", c->rank, to);
    for (size_t i = 0; i < n; i++)
        at += ours ? sprintf(
                         at,
                         " z%zu = onnx_broadcast.BroadcastInDim <broadcast_dimensions: ints = [%s], shape: ints = [%s]> (x%zu)\n",
                         i, c->rank == 2 ? "0,1" : "0,1,2", to, i)
                   : sprintf(at, " z%zu = Expand (x%zu, shape)\n", i, i);
    sprintf(at, "}\n");
    return text;
}

static void open_side(const settings *s, const shape_case *c, ob_dtype dtype, size_t n, bool ours, const ob_view *view,
                      side *out) {
    char *text = model_text(c, ob_dtype_name(dtype), n, ours);
    ort_options options = {.plugin = s->plugin, .optimize = true, .n_threads = s->threads};
    out->n = n;
    if (!ort_session_open_text(&host, text, &options, &out->session)) die(host.error);
    for (size_t i = 0; i < n; i++)
        if (!ort_value_from_view(&host, view, &out->in[i])) die(host.error);
    free(text);
}

static void close_side(side *s) {
    for (size_t i = 0; i < s->n; i++) host.api->ReleaseValue(s->in[i]);
    ort_session_close(&s->session);
}

static void run_side(side *s, OrtValue **out) {
    memset(out, 0, s->n * sizeof *out);
    if (!ort_ok(&host,
                host.api->Run(s->session.session, NULL, (const char *const *)s->session.input_names,
                              (const OrtValue *const *)s->in, s->n, (const char *const *)s->session.output_names, s->n, out)))
        die(host.error);
}

/* ---- Measuring ---- */

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int n) {
    qsort(values, (size_t)n, sizeof *values, ascending);
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

/* Seconds of one Run: the shortest of `n`, for a round is short and the machine may be busy. */
static double time_side(side *s, int n) {
    OrtValue *out[MAX_NODES];
    double best = INFINITY;
    for (int i = 0; i < n; i++) {
        double begin = now();
        run_side(s, out);
        double took = now() - begin;
        if (took < best) best = took;
        for (size_t k = 0; k < s->n; k++) host.api->ReleaseValue(out[k]);
    }
    return best;
}

static double time_memcpy(char *to, const char *from, size_t n_bytes, int n) {
    double best = INFINITY;
    for (int i = 0; i < n; i++) {
        double begin = now();
        memcpy(to, from, n_bytes);
        double took = now() - begin;
        __asm__ volatile("" : : "r"(to) : "memory");
        if (took < best) best = took;
    }
    return best;
}

static bool same_results(side *a, side *b) {
    OrtValue *x[MAX_NODES], *y[MAX_NODES];
    ob_view p, q;
    run_side(a, x);
    run_side(b, y);
    if (!ort_view_from_value(&host, x[a->n - 1], &p) || !ort_view_from_value(&host, y[b->n - 1], &q)) die(host.error);
    size_t n = (size_t)ob_view_count(&p), width = ob_dtype_size(p.dtype);
    bool same = ob_view_count(&q) == (int64_t)n;
    for (size_t i = 0; same && i < n && p.dtype == OB_STRING; i++) {
        ob_string s = ((ob_string *)p.data)[i], t = ((ob_string *)q.data)[i];
        same = s.n == t.n && memcmp(s.data, t.data, s.n) == 0;
    }
    if (same && p.dtype != OB_STRING) same = memcmp(p.data, q.data, n * width) == 0;
    ort_views_free(&p, 1);
    ort_views_free(&q, 1);
    for (size_t k = 0; k < a->n; k++) host.api->ReleaseValue(x[k]), host.api->ReleaseValue(y[k]);
    return same;
}

typedef struct figure {
    double ratio, ours, theirs, limit; /* seconds per node */
} figure;

static figure measure(const settings *s, const shape_case *c, ob_dtype dtype, size_t n_bytes) {
    static double ratios[MAX_ROUNDS], ours[MAX_ROUNDS], theirs[MAX_ROUNDS], limits[MAX_ROUNDS];
    size_t n = n_bytes >= (4u << 20) ? 1 : n_bytes >= (512u << 10) ? 4 : n_bytes >= (32u << 10) ? 16 : MAX_NODES;
    int64_t n_from = c->from[0] * c->from[1] * c->from[2];
    char *data = calloc((size_t)n_from, ob_dtype_size(dtype));
    if (!data) die("out of memory");
    for (int64_t i = 0; i < n_from; i++) {
        if (dtype == OB_STRING)
            ((ob_string *)(void *)data)[i] = (ob_string){"a word" + i % 5, 6 - (size_t)(i % 5)};
        else
            data[(size_t)i * ob_dtype_size(dtype)] = (char)(i * 7 + i / 256);
    }
    ob_view view;
    if (ob_view_init(&view, data, dtype, c->rank, c->from) != OB_OK) die("bad case");
    side a, b;
    open_side(s, c, dtype, n, true, &view, &a);
    open_side(s, c, dtype, n, false, &view, &b);
    if (!same_results(&a, &b)) die("the results differ");
    char *to = malloc(n_bytes), *from = malloc(n_bytes);
    if (!to || !from) die("out of memory");
    memset(to, 1, n_bytes);
    memset(from, 2, n_bytes);
    double once = time_side(&b, 2);
    int repeats = (int)(s->milliseconds * 1e-3 / once) + 1;
    for (int r = 0; r < s->rounds; r++) {
        bool first = r % 2 == 0;
        double x = first ? time_side(&a, repeats) : 0, y = time_side(&b, repeats);
        if (!first) x = time_side(&a, repeats);
        ours[r] = x / (double)n;
        theirs[r] = y / (double)n;
        ratios[r] = x / y;
        limits[r] = time_memcpy(to, from, n_bytes, repeats);
    }
    free(to);
    free(from);
    free(data);
    close_side(&a);
    close_side(&b);
    return (figure){median(ratios, s->rounds), median(ours, s->rounds), median(theirs, s->rounds), median(limits, s->rounds)};
}

/* ---- Cases ---- */

static int64_t power_near(double x) {
    int64_t p = 1;
    while ((double)p * 1.5 < x) p *= 2;
    return p;
}

static size_t make_cases(int64_t n, shape_case *out) {
    int64_t side2 = power_near(sqrt((double)n)), side3 = power_near(cbrt((double)n));
    int64_t rest2 = n / side2, rest3 = n / side3 / side3;
    const shape_case cases[] = {
        {"lead", 2, {1, side2, 1}, {rest2, side2, 1}},           {"trail", 2, {rest2, 1, 1}, {rest2, side2, 1}},
        {"middle", 3, {rest3, 1, side3}, {rest3, side3, side3}}, {"both sides", 3, {1, side3, 1}, {rest3, side3, side3}},
        {"inner 3, lead", 2, {1, 3, 1}, {n / 3, 3, 1}},          {"inner 3, trail", 2, {n / 3, 1, 1}, {n / 3, 3, 1}},
    };
    memcpy(out, cases, sizeof cases);
    return sizeof cases / sizeof cases[0];
}

static const struct {
    const char *name;
    size_t n_bytes;
} sizes[] = {{"4 KiB", 4 << 10}, {"64 KiB", 64 << 10}, {"1 MiB", 1 << 20}, {"16 MiB", 16 << 20}, {"64 MiB", 64 << 20}};
static const ob_dtype types[] = {OB_INT8, OB_INT16, OB_FLOAT, OB_INT64, OB_STRING};
enum { STRING_BYTES = 32 }; /* bytes of an element in ONNX Runtime */

static int run_table(const settings *s) {
    int n_slower = 0;
    printf("\n%d thread%s: time of the plugin / time of Expand; for 4 bytes also the times, and that of memcpy\n\n", s->threads,
           s->threads == 1 ? "" : "s");
    printf("| stretched | result | 1 byte | 2 bytes | 4 bytes | 8 bytes | strings | plugin, us | Expand, us | memcpy, us |\n");
    printf("|---|---|---:|---:|---:|---:|---:|---:|---:|---:|\n");
    for (size_t k = 0; k < 6; k++)
        for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
            char title[64];
            shape_case cases[6];
            make_cases(1 << 20, cases);
            snprintf(title, sizeof title, "%s %s", cases[k].name, sizes[i].name);
            if (s->only && !strstr(title, s->only)) continue;
            printf("| %s | %s |", cases[k].name, sizes[i].name);
            figure four = {0};
            for (size_t t = 0; t < sizeof types / sizeof types[0]; t++) {
                if (s->type && strcmp(s->type, ob_dtype_name(types[t])) != 0) {
                    printf(" |");
                    continue;
                }
                size_t width = types[t] == OB_STRING ? STRING_BYTES : ob_dtype_size(types[t]);
                make_cases((int64_t)(sizes[i].n_bytes / width), cases);
                figure f = measure(s, &cases[k], types[t], sizes[i].n_bytes);
                if (types[t] == OB_FLOAT) four = f;
                bool slower = f.ratio > 1 + s->tolerance / 100;
                n_slower += slower;
                printf(slower ? " **%.2f** |" : " %.2f |", f.ratio);
                fflush(stdout);
            }
            printf(" %.4g | %.4g | %.4g |\n", four.ours * 1e6, four.theirs * 1e6, four.limit * 1e6);
        }
    return n_slower;
}

int main(int argc, char **argv) {
    settings s = {.rounds = 15, .milliseconds = 4, .tolerance = 5};
    for (int i = 1; i < argc; i++) {
        bool more = i + 1 < argc;
        if (more && strcmp(argv[i], "--rounds") == 0)
            s.rounds = atoi(argv[++i]);
        else if (more && strcmp(argv[i], "--milliseconds") == 0)
            s.milliseconds = atof(argv[++i]);
        else if (more && strcmp(argv[i], "--tolerance") == 0)
            s.tolerance = atof(argv[++i]);
        else if (more && strcmp(argv[i], "--threads") == 0)
            s.threads = atoi(argv[++i]);
        else if (more && strcmp(argv[i], "--type") == 0)
            s.type = argv[++i];
        else if (more && strcmp(argv[i], "--only") == 0)
            s.only = argv[++i];
        else if (!s.library)
            s.library = argv[i];
        else if (!s.plugin)
            s.plugin = argv[i];
        else
            die("usage: ort_copy LIBRARY PLUGIN [--rounds R] [--milliseconds M] [--threads N] [--only TEXT] [--type NAME] "
                "[--tolerance PERCENT]");
    }
    if (!s.library || !s.plugin || s.rounds < 1 || s.rounds > MAX_ROUNDS) die("LIBRARY and PLUGIN, and 1 to 101 rounds, please");
    if (!ort_open(&host, s.library)) die(host.error);
    printf("ONNX Runtime %s\n", host.version);
    long n_processors = sysconf(_SC_NPROCESSORS_ONLN);
    int n_slower = 0;
    if (s.threads > 0) {
        n_slower += run_table(&s);
    } else {
        s.threads = 1;
        n_slower += run_table(&s);
        s.threads = n_processors > 1 ? (int)n_processors : 1;
        if (s.threads > 1) n_slower += run_table(&s);
    }
    ort_close(&host);
    printf("\nslower than Expand: %d\n", n_slower);
    return n_slower > 0;
}
