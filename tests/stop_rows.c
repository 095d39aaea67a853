/* usage: stop_rows SOURCE [OPERATOR [--all]]. Every row of the operator table on large operands, with max_run_ns of 0.2 s: a step
 * that continues for more than 0.5 s of processor time is an error, and so is a step that does not check for 0.3 s whether to
 * stop. Processor time, because the machine may have other work.
 *
 * Operands are those of the row's sample (tests/samples.h), enlarged: all sizes above 1 together, each size alone at all its
 * places, and the first axis of the first operand. Calls that cannot be enlarged in this way, or take long for other reasons, are
 * lines of tests/stop_rows.txt in the form of samples, run unchanged. A row without a large case is an error unless it is
 * `excused`. Rows with the same name, rule, kernel and sample count as one. */
#include <time.h>

#include "core/graph/graph.h"
#include "ops/body/body.h"
#include "ops/kernel/kernel.h"
#include "samples.h"

enum { MAX_OPERANDS = 24, LARGE_BYTES = 96 << 20, ELEMENT_BYTES = 16, MAX_SIZES = 16 };
static const uint64_t LIMIT_NS = 200000000, MOST_NS = 500000000, APART_NS = 300000000;
static const int64_t volumes[] = {LARGE_BYTES, LARGE_BYTES / 8, LARGE_BYTES / 128, LARGE_BYTES / 4096};
enum { VOLUMES = sizeof volumes / sizeof *volumes };

static bool verbose;
static size_t n_runs, n_stopped, n_rows;

/* The elements of operands: read only, so all operands share them. */
static void *zeros, *reals, *wide_reals, *texts;

static void fill_operands(void) {
    static char text[] = "12";
    zeros = must(calloc(1, LARGE_BYTES));
    reals = must(malloc(LARGE_BYTES));
    wide_reals = must(malloc(LARGE_BYTES));
    texts = must(malloc(LARGE_BYTES));
    uint32_t x = 1;
    for (size_t i = 0; i < LARGE_BYTES / sizeof(float); i++) {
        x ^= x << 13, x ^= x >> 17, x ^= x << 5;
        ((float *)reals)[i] = (float)(x >> 8) * 0x1p-24F;
        if (i % 2 == 0) ((double *)wide_reals)[i / 2] = (double)x * 0x1p-32;
        if (i % 4 == 0) ((ob_string *)texts)[i / 4] = (ob_string){text, 2};
    }
}

static void *operand_data(ob_dtype dtype) {
    return dtype == OB_FLOAT ? reals : dtype == OB_DOUBLE ? wide_reals : dtype == OB_STRING ? texts : zeros;
}

static uint64_t processor_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The time of the last check, and the longest time between two checks. */
typedef struct questions {
    uint64_t last, apart;
} questions;

static bool ask(void *context) {
    questions *q = context;
    const uint64_t now = processor_ns();
    if (now - q->last > q->apart) q->apart = now - q->last;
    q->last = now;
    return false;
}

/* ---- Enlarged operands ---- */

/* Which sizes grow: all above 1, those equal to `size`, or the first axis of the first operand. */
typedef struct growth {
    enum { GROW_ALL, GROW_SIZE, GROW_FIRST } kind;
    int64_t size, factor;
} growth;

/* Copies a field with its sizes grown; returns the number of elements, 0 for a constant or a name. */
static double grow_field(const char *field, bool first, const growth *g, ob_text *to) {
    const char *bracket = strchr(field, '[');
    double n = 1;
    if (!bracket || strchr(field, '{')) {
        ob__text_puts(to, field);
        return 0;
    }
    ob__text_append(to, field, (size_t)(bracket - field));
    ob__text_puts(to, "[");
    char *at = (char *)(uintptr_t)bracket + 1;
    for (int axis = 0; *at != ']'; axis++) {
        int64_t size = strtoll(at, &at, 10);
        const bool grows = g->kind == GROW_ALL ? size > 1 : g->kind == GROW_SIZE ? size == g->size : first && axis == 0;
        if (grows) size *= g->factor;
        n *= (double)size;
        ob__text_printf(to, axis ? ",%lld" : "%lld", (long long)size);
        if (*at == ',') at++;
    }
    ob__text_puts(to, "]");
    return n;
}

/* The elements of the largest operand. */
static double grow(const char *operands, const growth *g, ob_text *to) {
    char *all = must(strdup(operands)), *rest = all[0] ? all : NULL;
    double most = 0;
    ob__text_puts(to, "");
    for (int i = 0; rest; i++) {
        const char *field = next_field(&rest, ';');
        if (i > 0) ob__text_puts(to, "; ");
        const double n = grow_field(field, i == 0, g, to);
        if (n > most) most = n;
    }
    free(all);
    return most;
}

/* The largest factor at which no operand exceeds this number of elements; 0: nothing grows. */
static int64_t factor_for(const char *operands, growth g, double most) {
    int64_t low = 1, high = INT64_C(1) << 28;
    while (low + 1 < high) {
        ob_text unread;
        ob__text_init(&unread, NULL);
        g.factor = low + (high - low) / 2;
        if (grow(operands, &g, &unread) <= most)
            low = g.factor;
        else
            high = g.factor;
        ob__text_release(&unread);
    }
    return low + 1 == INT64_C(1) << 28 ? 0 : low;
}

/* ---- One call ---- */

static const char *growth_text(const growth *g, char text[64]) {
    if (!g) return "as it stands";
    if (g->kind == GROW_ALL) snprintf(text, 64, "all sizes times %lld", (long long)g->factor);
    if (g->kind == GROW_SIZE) snprintf(text, 64, "sizes of %lld times %lld", (long long)g->size, (long long)g->factor);
    if (g->kind == GROW_FIRST) snprintf(text, 64, "the first axis times %lld", (long long)g->factor);
    return text;
}

static ob_status run(ob_session *session, ob_error *error) {
    ob_view inputs[MAX_OPERANDS] = {0}, outputs[MAX_OUTPUTS] = {0};
    const ob_cell *cells[MAX_OUTPUTS];
    const size_t n = ob_session_input_count(session);
    for (size_t i = 0; i < n; i++) {
        ob_status status = ob_session_input_view(session, i, NULL, &inputs[i], error);
        if (status != OB_OK) return status;
        if ((double)ob_view_count(&inputs[i]) * (double)ob_dtype_size(inputs[i].dtype) > LARGE_BYTES) return OB_E_LIMIT;
        inputs[i].data = operand_data(inputs[i].dtype);
    }
    return ob_session_run_cells(session, inputs, NULL, n, outputs, cells, ob_session_output_count(session), error);
}

/* Did it run, or was it stopped? Then it counts as a case. */
static bool try(const cell_case *c, const growth *g) {
    const ob_op *op = c->op;
    ob_model *model = NULL;
    ob_session *session = NULL;
    ob_load_options options;
    ob_session_config config;
    ob_error error;
    ob_text text;
    questions q = {0, 0};
    char how[64];
    ob_load_options_init(&options);
    options.format = OB_FORMAT_TEXT;
    ob_session_config_init(&config);
    config.max_run_ns = LIMIT_NS;
    config.max_memory = UINT64_C(1) << 30;
    config.cancelled = ask;
    config.context = &q;
    ob__text_init(&text, NULL);
    write_model(c, &text);
    ob_status status = ob_model_load_memory(text.data, text.n, "sample", &options, &model, &error);
    const uint64_t begin = processor_ns();
    uint64_t end = q.last = begin;
    bool created = false;
    if (status == OB_OK) {
        status = ob_session_create(model, &config, &session, &error);
        end = processor_ns();
        created = status == OB_OK;
        if (created && end - begin <= MOST_NS) {
            const uint64_t again = q.last = processor_ns();
            status = run(session, &error);
            end = begin + (processor_ns() - again);
        }
        ask(&q);
    }
    const bool stopped = status == OB_E_LIMIT && strstr(error.message, "max_run_ns") != NULL;
    const bool late = end - begin > MOST_NS || q.apart > APART_NS, is_case = status == OB_OK || stopped || late;
    n_runs += is_case;
    n_stopped += stopped;
    if (late || (verbose && (is_case || g == NULL))) {
        printf("%s%s%s-%d, %s, %s: %.3f s, %.3f s apart%s%s%s\n", op->domain, op->domain[0] ? "." : "", op->name, op->since,
               growth_text(g, how), created ? "run" : "creation", (double)(end - begin) / 1e9, (double)q.apart / 1e9,
               stopped ? ", stopped" : "", is_case ? "" : ": ", is_case ? "" : error.message);
        fflush(stdout);
    }
    if (late) n_errors++;
    if (!is_case && g == NULL) n_errors++;
    ob_session_close(&session);
    ob_model_close(&model);
    ob__text_release(&text);
    return is_case;
}

/* The largest volume that is accepted: a larger one may be refused for lack of memory. */
static bool try_growth(const cell_case *c, growth g) {
    int64_t before = 0;
    for (int i = 0; i < VOLUMES; i++) {
        ob_text operands;
        g.factor = factor_for(c->s->operands, g, (double)(volumes[i] / ELEMENT_BYTES * 2));
        if (g.factor <= 1 || g.factor == before) continue;
        before = g.factor;
        ob__text_init(&operands, NULL);
        grow(c->s->operands, &g, &operands);
        sample changed = *c->s;
        changed.operands = operands.data;
        cell_case larger = *c;
        larger.s = &changed;
        const bool is_case = try(&larger, &g);
        ob__text_release(&operands);
        if (is_case) return true;
    }
    return false;
}

/* The sizes above 1 that occur in operands other than constants. */
static int sizes_of(const char *operands, int64_t sizes[MAX_SIZES]) {
    char *all = must(strdup(operands)), *rest = all[0] ? all : NULL;
    int n = 0;
    while (rest) {
        char *at = strchr(next_field(&rest, ';'), '[');
        if (!at || strchr(at, '{')) continue;
        for (at++; *at && *at != ']'; at += *at == ',') {
            const int64_t size = strtoll(at, &at, 10);
            int k = 0;
            while (k < n && sizes[k] != size) k++;
            if (size > 1 && k == n && n < MAX_SIZES) sizes[n++] = size;
        }
    }
    free(all);
    return n;
}

/* ---- Rows ---- */

/* Lines of stop_rows.txt come first. */
static const sample *last_large;

/* Rows without a large case, and the reasons. */
static const struct {
    const char *names, *reason;
} excused[] = {
    {"Shape, Size, SequenceEmpty, SequenceLength, OptionalHasElement", "reads and copies no element"},
    {"SequenceErase", "what is left in the sequence is held, not copied"},
    {"Constant, GivenTensorFill", "the result lies in the model, and is only handed on"},
    {"ImageDecoder", "images are files: tests/ops/test_image_limits.c stops every decoder at every question"},
    {"ai.onnx.ml.DictVectorizer, ai.onnx.ml.CastMap", "a sample cannot hold a map of more entries than it writes down"},
    {"ai.onnx.preview.training.Gradient", "is written out as other operators"},
};

static bool is_excused(const ob_op *op) {
    char name[200];
    snprintf(name, sizeof name, "%s%s%s", op->domain, op->domain[0] ? "." : "", op->name);
    for (size_t i = 0; i < sizeof excused / sizeof *excused; i++)
        if (names_it(excused[i].names, name)) return true;
    return false;
}

static bool is_large(const sample *s) {
    for (const sample *at = samples; at; at = at->next) {
        if (at == s) return true;
        if (at == last_large) return false;
    }
    return false;
}

static bool try_sample(const cell_case *c) {
    if (last_large && is_large(c->s)) return try(c, NULL);
    int64_t sizes[MAX_SIZES];
    const int n = sizes_of(c->s->operands, sizes);
    bool any = try_growth(c, (growth){.kind = GROW_ALL});
    for (int i = 0; i < n && n > 1; i++) any |= try_growth(c, (growth){.kind = GROW_SIZE, .size = sizes[i]});
    any |= try_growth(c, (growth){.kind = GROW_FIRST});
    return any;
}

static void try_row(const ob_op *op) {
    bool any = is_excused(op), plain = false;
    cell_case c;
    usual_case(op, &c);
    for (const sample *s = c.s; s; s = find_sample(op, s)) {
        const bool large = last_large && is_large(s);
        if (!large && plain) break; /* the other samples are for other types */
        plain = !large;
        c.s = s;
        any |= try_sample(&c);
    }
    n_rows++;
    if (any) return;
    printf("%s%s%s-%d has no large case\n", op->domain, op->domain[0] ? "." : "", op->name, op->since);
    n_errors++;
}

/* A newer row covers the same code. */
static bool is_repeated(const ob_op *op, size_t index) {
    for (size_t i = index + 1; i < ob__op_count(); i++) {
        const ob_op *other = ob__op_at(i);
        if (strcmp(op->name, other->name) == 0 && strcmp(op->domain, other->domain) == 0 && op->kernel == other->kernel &&
            op->infer == other->infer && !other->deprecated && find_sample(op, NULL) == find_sample(other, NULL))
            return true;
    }
    return false;
}

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/tests/stop_rows.txt", argv[1]);
    read_samples(path);
    for (const sample *s = samples; s; s = s->next) last_large = s;
    read_folders(argv[1]);
    fill_operands();
    verbose = argc > 2;
    for (size_t i = 0; i < ob__op_count(); i++) {
        const ob_op *op = ob__op_at(i);
        if ((argc > 2 && strcmp(op->name, argv[2]) != 0 && strcmp("ALL", argv[2]) != 0) || op->deprecated) continue;
        if (!ob__has_kernel(op) && !ob__body_of(op)) continue;
        if (argc > 3 || !is_repeated(op, i)) try_row(op);
    }
    printf("%zu rows, %zu runs, %zu stopped, %d errors\n", n_rows, n_runs, n_stopped, n_errors);
    return n_errors ? 1 : 0;
}
