/* Random models: the analysis of independence against runs of a batch of 3 and of its elements alone.
 *
 *     random_batches --count MODELS [--seed S]     half of them around a batch (below), half from gen.h
 *     random_batches --case SEED                   prints one model, its answers and its runs
 *
 * Errors: an output differs although the analysis proves independence, or no output differs in any run although it refutes it.
 * Floats may differ by 1e-3 of the greatest number of their tensor, since sums of another number of rows may be added in another
 * order, and later nodes enlarge the roundings. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "onnx_broadcast/onnx_broadcast.h"
#include "ops/kernel/common.h"
/* which names a type `value` */
#include "gen.h"

enum { BATCH = 3, MOST = 32, TRIES = 6, TEXT = 60000, VALUES = 40 };

/* ---- Models around a batch: inputs (B, 4) and (B, T, 4) ---- */

typedef struct made {
    char name[12];
    int rank;
    char dims[5]; /* B, T, or a digit */
} made;

typedef struct maker_state {
    uint64_t random;
    char text[TEXT];
    size_t n_text;
    made values[VALUES];
    int n_values, n_names;
} maker_state;

static uint32_t pick(maker_state *m, uint32_t n) {
    return stream_random(&m->random) % n;
}

static void say(maker_state *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(maker_state *m, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    m->n_text += (size_t)vsnprintf(m->text + m->n_text, TEXT - m->n_text, format, arguments);
    va_end(arguments);
}

static const made *some(maker_state *m) {
    const int late = m->n_values > 4 && pick(m, 3) ? m->n_values - 4 : 0;
    return &m->values[late + (int)pick(m, (uint32_t)(m->n_values - late))];
}

static const char *next_name(maker_state *m) {
    static char name[12];
    snprintf(name, sizeof name, "v%d", m->n_names++);
    return name;
}

static void keep_made(maker_state *m, const char *name, int rank, const char *dims) {
    if (m->n_values == VALUES || rank > 4) return;
    made *v = &m->values[m->n_values++];
    snprintf(v->name, sizeof v->name, "%s", name);
    v->rank = rank;
    snprintf(v->dims, sizeof v->dims, "%s", dims);
}

/* A constant vector of integers. */
static const char *integers(maker_state *m, const char *list) {
    static char names[4][12];
    static int at;
    char *name = names[at++ % 4];
    snprintf(name, 12, "%s", next_name(m));
    say(m, "  %s = Constant <value_ints = [%s]> ()\n", name, list);
    return name;
}

/* Floats of that shape, without zeros. */
static const char *floats(maker_state *m, int rank, const int *dims) {
    static char names[4][12];
    static int at;
    char *name = names[at++ % 4];
    int n = 1;
    snprintf(name, 12, "%s", next_name(m));
    say(m, "  %s = Constant <value = float%s", name, rank ? "[" : "");
    for (int i = 0; i < rank; i++) say(m, "%s%d", i ? "," : "", dims[i]), n *= dims[i];
    say(m, "%s {", rank ? "]" : "");
    for (int i = 0; i < n; i++) say(m, "%s%d.%d", i ? "," : "", pick(m, 2) ? -1 : 1, (int)pick(m, 9) + 1);
    say(m, "}> ()\n");
    return name;
}

static void same_shape(maker_state *m, const made *x, const char *format) {
    char dims[5];
    memcpy(dims, x->dims, sizeof dims);
    const int rank = x->rank;
    const char *name = next_name(m);
    say(m, "  %s = ", name);
    say(m, format, x->name); // NOLINT
    keep_made(m, name, rank, dims);
}

static void make_unary(maker_state *m) {
    static const char *const forms[] = {"Tanh (%s)\n", "Neg (%s)\n",      "Sigmoid (%s)\n",
                                        "Relu (%s)\n", "Identity (%s)\n", "Abs (%s)\n"};
    same_shape(m, some(m), forms[pick(m, 6)]);
}

static void make_binary(maker_state *m) {
    static const char *const names[] = {"Add", "Sub", "Mul", "Max"};
    const made *x = some(m), *y = some(m);
    for (int i = 0; i < 20 && strcmp(x->dims, y->dims) != 0; i++) y = some(m);
    if (strcmp(x->dims, y->dims) != 0) y = x;
    char form[80];
    snprintf(form, sizeof form, "%s (%%s, %s)\n", names[pick(m, 4)], y->name);
    same_shape(m, x, form);
}

/* A constant that is added along some axes: 1, 4, or as many as a batch of 3 has. */
static void make_constant(maker_state *m) {
    static const char *const names[] = {"Add", "Sub", "Mul", "Div"};
    const made *x = some(m);
    int dims[4];
    for (int i = 0; i < x->rank; i++)
        dims[i] = x->dims[i] >= '1' && x->dims[i] <= '9' && pick(m, 2) ? x->dims[i] - '0'
                  : x->dims[i] == 'B' && pick(m, 8) == 0               ? 3
                                                                       : 1;
    char form[80];
    const made copy = *x;
    const char *constant = floats(m, copy.rank, dims);
    snprintf(form, sizeof form, "%s (%%s, %s)\n", names[pick(m, 4)], constant);
    same_shape(m, &copy, form);
}

static void make_axis_form(maker_state *m) {
    static const char *const forms[] = {"Softmax <axis = %d> (%%s)\n", "LpNormalization <axis = %d> (%%s)\n",
                                        "LogSoftmax <axis = %d> (%%s)\n"};
    const made x = *some(m);
    char form[80];
    if (!x.rank) return;
    snprintf(form, sizeof form, forms[pick(m, 3)], (int)pick(m, (uint32_t)x.rank)); // NOLINT
    same_shape(m, &x, form);
}

static void make_running(maker_state *m) {
    const made x = *some(m);
    char axis[16], form[60];
    if (!x.rank) return;
    snprintf(axis, sizeof axis, "%d", (int)pick(m, (uint32_t)x.rank));
    const char *constant = integers(m, axis);
    snprintf(form, sizeof form, "CumSum (%%s, %s)\n", constant);
    same_shape(m, &x, form);
}

static void make_reduction(maker_state *m) {
    static const char *const names[] = {"ReduceMean", "ReduceMax", "ReduceL2", "ReduceSumSquare"};
    const made x = *some(m);
    if (!x.rank) return;
    const int axis = (int)pick(m, (uint32_t)x.rank), keep = (int)pick(m, 2);
    char dims[5] = "";
    int rank = 0;
    for (int i = 0; i < x.rank; i++)
        if (i != axis || keep) dims[rank++] = i == axis ? '1' : x.dims[i];
    const char *name = next_name(m);
    say(m, "  %s = %s <axes = [%d], keepdims = %d> (%s)\n", name, names[pick(m, 4)], axis, keep, x.name);
    keep_made(m, name, rank, dims);
}

static void make_product(maker_state *m) {
    const made x = *some(m);
    if (x.rank < 2 || x.dims[x.rank - 1] != '4') return;
    const char *w = floats(m, 2, (const int[]){4, 4});
    char form[80];
    snprintf(form, sizeof form, "MatMul (%%s, %s)\n", w);
    same_shape(m, &x, form);
}

/* Scores of each row with each other, as in attention. */
static void make_attention(maker_state *m) {
    const made x = *some(m);
    if (x.rank < 2 || x.dims[x.rank - 1] != '4') return;
    static const char *const turns[] = {"", "", "1, 0", "0, 2, 1", "0, 1, 3, 2"};
    char turned[12], scores[12], weights[12];
    snprintf(turned, sizeof turned, "%s", next_name(m));
    say(m, "  %s = Transpose <perm = [%s]> (%s)\n", turned, turns[x.rank], x.name);
    snprintf(scores, sizeof scores, "%s", next_name(m));
    say(m, "  %s = MatMul (%s, %s)\n", scores, x.name, turned);
    snprintf(weights, sizeof weights, "%s", next_name(m));
    say(m, "  %s = Softmax <axis = -1> (%s)\n", weights, scores);
    char form[80];
    snprintf(form, sizeof form, "MatMul (%s, %%s)\n", weights);
    same_shape(m, &x, form);
}

static void make_transpose(maker_state *m) {
    const made x = *some(m);
    if (x.rank < 2) return;
    int order[4] = {0, 1, 2, 3};
    const int a = (int)pick(m, (uint32_t)x.rank), b = (int)pick(m, (uint32_t)x.rank), t = order[a];
    order[a] = order[b];
    order[b] = t;
    char dims[5] = "";
    const char *name = next_name(m);
    say(m, "  %s = Transpose <perm = [", name);
    for (int i = 0; i < x.rank; i++) say(m, "%s%d", i ? ", " : "", order[i]), dims[i] = x.dims[order[i]];
    say(m, "]> (%s)\n", x.name);
    keep_made(m, name, x.rank, dims);
}

/* Axes 0 and 1 are joined, something is computed, and they are divided again with the sizes of a Shape. */
static void make_joined(maker_state *m) {
    const made x = *some(m);
    if (x.rank != 3 || x.dims[2] != '4') return;
    char shape[12], joined[12], worked[12];
    snprintf(shape, sizeof shape, "%s", next_name(m));
    say(m, "  %s = Shape (%s)\n", shape, x.name);
    const char *target = integers(m, "-1, 4");
    snprintf(joined, sizeof joined, "%s", next_name(m));
    say(m, "  %s = Reshape (%s, %s)\n", joined, x.name, target);
    snprintf(worked, sizeof worked, "%s", next_name(m));
    if (pick(m, 3) == 0)
        say(m, "  %s = Softmax <axis = 0> (%s)\n", worked, joined);
    else {
        const char *w = floats(m, 2, (const int[]){4, 4});
        say(m, "  %s = MatMul (%s, %s)\n", worked, joined, w);
    }
    const char *name = next_name(m);
    say(m, "  %s = Reshape (%s, %s)\n", name, worked, shape);
    keep_made(m, name, 3, x.dims);
}

/* The last axis is divided, or an axis of 1 is added. */
static void make_divided(maker_state *m) {
    const made x = *some(m);
    if (x.rank < 1 || x.rank > 3 || x.dims[x.rank - 1] != '4') return;
    static const char *const targets[] = {"", "2, 2", "0, 2, 2", "0, 0, 2, 2"};
    const char *target = integers(m, targets[x.rank]);
    char dims[5] = "";
    memcpy(dims, x.dims, (size_t)x.rank);
    dims[x.rank - 1] = dims[x.rank] = '2';
    const char *name = next_name(m);
    say(m, "  %s = Reshape (%s, %s)\n", name, x.name, target);
    keep_made(m, name, x.rank + 1, dims);
}

static void make_axis_of_one(maker_state *m) {
    const made x = *some(m);
    if (x.rank > 3) return;
    char list[16], dims[6] = "";
    const int axis = (int)pick(m, (uint32_t)x.rank + 1);
    snprintf(list, sizeof list, "%d", axis);
    memcpy(dims, x.dims, (size_t)axis);
    dims[axis] = '1';
    memcpy(dims + axis + 1, x.dims + axis, (size_t)(x.rank - axis));
    const char *constant = integers(m, list), *name = next_name(m);
    say(m, "  %s = Unsqueeze (%s, %s)\n", name, x.name, constant);
    keep_made(m, name, x.rank + 1, dims);
}

static void make_gather(maker_state *m) {
    const made x = *some(m);
    if (!x.rank) return;
    const int axis = (int)pick(m, (uint32_t)x.rank);
    char dims[5] = "", index[12];
    int rank = 0;
    for (int i = 0; i < x.rank; i++)
        if (i != axis) dims[rank++] = x.dims[i];
    snprintf(index, sizeof index, "%s", next_name(m));
    say(m, "  %s = Constant <value_int = 0> ()\n", index);
    const char *name = next_name(m);
    say(m, "  %s = Gather <axis = %d> (%s, %s)\n", name, axis, x.name, index);
    keep_made(m, name, rank, dims);
}

/* The size of the batch, in several ways. */
static void make_size(maker_state *m) {
    const made x = *some(m);
    if (x.rank != 2 || x.dims[0] != 'B' || x.dims[1] != '4') return;
    char shape[12], size[12], zero[12];
    snprintf(zero, sizeof zero, "%s", integers(m, "0"));
    snprintf(shape, sizeof shape, "%s", next_name(m));
    say(m, "  %s = Shape (%s)\n", shape, x.name);
    snprintf(size, sizeof size, "%s", next_name(m));
    say(m, "  %s = Gather (%s, %s)\n", size, shape, zero);
    char form[80], extra[12], more[12];
    snprintf(extra, sizeof extra, "%s", next_name(m));
    const uint32_t way = pick(m, 5);
    if (way == 0) { /* as a number */
        say(m, "  %s = Cast <to = 1> (%s)\n", extra, size);
        snprintf(form, sizeof form, "%s (%%s, %s)\n", pick(m, 2) ? "Add" : "Div", extra);
    } else if (way == 1) { /* a table */
        const char *table = floats(m, 2, (const int[]){5, 4});
        say(m, "  %s = Slice (%s, %s, %s)\n", extra, table, zero, size);
        snprintf(form, sizeof form, "Add (%%s, %s)\n", extra);
    } else if (way == 2) { /* equal rows */
        say(m, "  %s = ConstantOfShape <value = float[1] {2.0}> (%s)\n", extra, shape);
        snprintf(form, sizeof form, "Mul (%%s, %s)\n", extra);
    } else if (way == 3) { /* a stretched row */
        const char *row = floats(m, 2, (const int[]){1, 4});
        say(m, "  %s = Expand (%s, %s)\n", extra, row, shape);
        snprintf(form, sizeof form, "Add (%%s, %s)\n", extra);
    } else { /* places */
        char start[12], step[12], scalar[12], range[12], cast[12];
        snprintf(start, sizeof start, "%s", next_name(m));
        say(m, "  %s = Constant <value_int = 0> ()\n", start);
        snprintf(step, sizeof step, "%s", next_name(m));
        say(m, "  %s = Constant <value_int = 1> ()\n", step);
        snprintf(scalar, sizeof scalar, "%s", next_name(m));
        say(m, "  %s = Squeeze (%s, %s)\n", scalar, size, zero);
        snprintf(range, sizeof range, "%s", next_name(m));
        say(m, "  %s = Range (%s, %s, %s)\n", range, start, scalar, step);
        snprintf(cast, sizeof cast, "%s", next_name(m));
        say(m, "  %s = Cast <to = 1> (%s)\n", cast, range);
        snprintf(more, sizeof more, "%s", integers(m, "1"));
        say(m, "  %s = Unsqueeze (%s, %s)\n", extra, cast, more);
        snprintf(form, sizeof form, "Add (%%s, %s)\n", extra);
    }
    same_shape(m, &x, form);
}

static void make_twice(maker_state *m) {
    const made x = *some(m);
    if (!x.rank) return;
    const int axis = (int)pick(m, (uint32_t)x.rank);
    if (x.dims[axis] != '4' && x.dims[axis] != '2') return;
    char dims[5];
    memcpy(dims, x.dims, sizeof dims);
    dims[axis] = (char)(2 * (x.dims[axis] - '0') + '0');
    const char *name = next_name(m);
    say(m, "  %s = Concat <axis = %d> (%s, %s)\n", name, axis, x.name, x.name);
    keep_made(m, name, x.rank, dims);
}

static void make_norm(maker_state *m) {
    const made x = *some(m);
    if (!x.rank || x.dims[x.rank - 1] != '4') return;
    const char *scale = floats(m, 1, (const int[]){4});
    char form[80];
    snprintf(form, sizeof form, "LayerNormalization (%%s, %s)\n", scale);
    same_shape(m, &x, form);
}

static char *make_model(uint64_t seed) {
    static void (*const makers[])(maker_state *) = {
        make_unary,     make_binary,    make_constant, make_axis_form, make_running,     make_reduction, make_product,
        make_attention, make_transpose, make_joined,   make_divided,   make_axis_of_one, make_gather,    make_size,
        make_twice,     make_norm,      make_unary,    make_binary,    make_product,     make_size};
    maker_state *m = calloc(1, sizeof *m);
    char *text = malloc(2 * TEXT);
    if (!m || !text) exit(2);
    m->random = seed * UINT64_C(0x9E3779B97F4A7C15) + 7;
    stream_random(&m->random);
    keep_made(m, "x", 2, "B4");
    if (pick(m, 2)) keep_made(m, "y", 3, "BT4");
    const int n_inputs = m->n_values;
    for (uint32_t i = 1 + pick(m, 9); i > 0; i--) makers[pick(m, sizeof makers / sizeof makers[0])](m);
    if (m->n_values == n_inputs) same_shape(m, &m->values[0], "Neg (%s)\n");
    snprintf(text, 2 * TEXT, "<ir_version: 8, opset_import: [\"\" : 17]>\ng (float[B,4] x%s) => (%s)\n{\n%s}\n",
             n_inputs > 1 ? ", float[B,T,4] y" : "", m->values[m->n_values - 1].name, m->text);
    free(m);
    return text;
}

/* ---- Runs ---- */

typedef enum outcome { NOT_RUN, EQUAL, DIFFERENT } outcome;

static ob_status open_at(const ob_model *model, const char *symbol, int64_t n, const char names[][64], const int64_t *sizes,
                         size_t n_names, ob_session **out) {
    ob_named_size dims[MOST];
    ob_session_config config;
    ob_session_config_init(&config);
    config.dims = dims;
    config.max_memory = 64 << 20;
    for (size_t i = 0; i < n_names; i++)
        dims[config.n_dims++] = (ob_named_size){names[i], strcmp(names[i], symbol) ? sizes[i] : n};
    return ob_session_create(model, &config, out, NULL);
}

static void fill_view(ob_view *view, uint64_t *random) {
    const int64_t n = ob_view_count(view);
    for (int64_t i = 0; i < n; i++) {
        const float number =
            view->dtype == OB_FLOAT ? (float)(stream_random(random) % 2001) / 1000 - 1 : (float)(stream_random(random) % 2);
        (void)ob__convert((char *)view->data + (size_t)i * ob_dtype_size(view->dtype), view->dtype, &number, OB_FLOAT, 1, NULL);
    }
}

static double element(const ob_view *v, int64_t i) {
    double x = 0;
    (void)ob__convert(&x, OB_DOUBLE, (const char *)v->data + (size_t)i * ob_dtype_size(v->dtype), v->dtype, 1, NULL);
    return x;
}

/* Whether part i of the batch is `one`, if the axis has `groups` groups of BATCH parts. */
static bool part_is(const ob_view *batch, const ob_view *one, int32_t axis, int64_t groups, int64_t i) {
    int64_t before = axis < 0 ? 1 : groups, after = axis < 0 ? ob_view_count(one) : one->dims[axis] / groups;
    double scale = 1;
    for (int32_t k = 0; k < axis; k++) before *= one->dims[k];
    for (int32_t k = axis + 1; axis >= 0 && k < one->rank; k++) after *= one->dims[k];
    for (int64_t k = 0; k < ob_view_count(one); k++)
        if (fabs(element(one, k)) > scale && !isinf(element(one, k))) scale = fabs(element(one, k));
    for (int64_t b = 0; b < before; b++)
        for (int64_t k = 0; k < after; k++) {
            const double want = element(one, b * after + k), got = element(batch, axis < 0 ? k : (b * BATCH + i) * after + k);
            if (!(got == want || (isnan(got) && isnan(want)) || fabs(got - want) <= 1e-3 * scale)) return false;
        }
    return true;
}

static int32_t axis_of(const ob_view *batch, const ob_view *one) {
    int32_t found = -1;
    if (batch->rank != one->rank || batch->dtype != one->dtype) return -2;
    for (int32_t k = 0; k < one->rank; k++) {
        if (batch->dims[k] == one->dims[k]) continue;
        if (found >= 0 || batch->dims[k] != BATCH * one->dims[k]) return -2;
        found = k;
    }
    return found;
}

static bool output_is_equal(const ob_view *batch, ob_view *const *ones, size_t at) {
    const int32_t axis = axis_of(batch, &ones[0][at]);
    const int64_t most = axis < 0 ? 1 : ones[0][at].dims[axis];
    if (axis == -2) return false;
    if (ob_view_count(batch) == 0) return true;
    for (int64_t groups = 1; groups <= most; groups++) {
        bool fits = axis < 0 || ones[0][at].dims[axis] % groups == 0;
        for (int64_t i = 0; i < BATCH && fits; i++)
            fits = axis_of(batch, &ones[i][at]) == axis && part_is(batch, &ones[i][at], axis, groups, i);
        if (fits) return true;
    }
    return false;
}

static outcome run_at(const ob_model *model, const char *symbol, const char names[][64], const int64_t *sizes, size_t n_names,
                      uint64_t seed) {
    ob_session *whole = NULL, *single[BATCH] = {NULL};
    ob_view inputs[MOST] = {0}, outputs[MOST] = {0}, results[BATCH][MOST] = {0}, *ones[BATCH];
    outcome out = NOT_RUN;
    bool fine = open_at(model, symbol, BATCH, names, sizes, n_names, &whole) == OB_OK;
    const size_t n = fine ? ob_session_input_count(whole) : 0, n_out = fine ? ob_session_output_count(whole) : 0;
    fine = fine && n <= MOST && n_out <= MOST;
    for (size_t i = 0; i < n && fine; i++) {
        fine = ob_session_input_view(whole, i, NULL, &inputs[i], NULL) == OB_OK && inputs[i].dtype != OB_STRING;
        if (fine) inputs[i].data = malloc((size_t)ob_view_count(&inputs[i]) * ob_dtype_size(inputs[i].dtype) + 1);
        if (fine) fill_view(&inputs[i], &seed);
    }
    fine = fine && ob_session_run(whole, inputs, n, outputs, n_out, NULL) == OB_OK;
    for (int64_t k = 0; k < BATCH && fine; k++) {
        ob_view parts[MOST];
        char *owned[MOST] = {NULL};
        ones[k] = results[k];
        fine = open_at(model, symbol, 1, names, sizes, n_names, &single[k]) == OB_OK;
        for (size_t i = 0; i < n && fine; i++) {
            parts[i] = inputs[i];
            ob_view like;
            fine = ob_session_input_view(single[k], i, NULL, &like, NULL) == OB_OK;
            const int32_t axis = fine ? axis_of(&inputs[i], &like) : -1;
            fine = fine && axis != -2;
            if (axis < 0) continue;
            const size_t width = ob_dtype_size(like.dtype);
            int64_t before = 1, after = 1;
            for (int32_t d = 0; d < axis; d++) before *= like.dims[d];
            for (int32_t d = axis + 1; d < like.rank; d++) after *= like.dims[d];
            owned[i] = malloc((size_t)(before * after) * width + 1);
            for (int64_t b = 0; b < before && owned[i]; b++)
                memcpy(owned[i] + (size_t)(b * after) * width, (char *)inputs[i].data + (size_t)((b * BATCH + k) * after) * width,
                       (size_t)after * width);
            parts[i] = like;
            parts[i].data = owned[i];
        }
        fine = fine && ob_session_run(single[k], parts, n, results[k], n_out, NULL) == OB_OK;
        for (size_t i = 0; i < n; i++) free(owned[i]);
    }
    if (fine) {
        out = EQUAL;
        for (size_t i = 0; i < n_out; i++)
            if (outputs[i].dtype != OB_NONE && outputs[i].dtype != OB_STRING && !output_is_equal(&outputs[i], ones, i))
                out = DIFFERENT;
    }
    for (size_t i = 0; i < n && i < MOST; i++) free(inputs[i].data);
    ob_session_close(&whole);
    for (int k = 0; k < BATCH; k++) ob_session_close(&single[k]);
    return out;
}

/* ---- Judging ---- */

typedef struct tally {
    uint64_t n_models, n_questions, n[3], n_run[3], n_differs[3], n_wrong;
} tally;

static size_t read_symbols(const ob_model *model, char names[][64]) {
    ob_session *session = NULL;
    ob_session_value info;
    size_t n = 0;
    if (ob_session_create(model, NULL, &session, NULL) != OB_OK) return 0;
    for (size_t i = 0; ob_session_input(session, i, &info); i++)
        for (int32_t axis = 0; axis < info.shape.rank; axis++) {
            if (ob_dim_is_const(info.shape.dims[axis])) continue;
            char name[64];
            size_t k = 0;
            ob_dim_format(ob_session_dims(session), info.shape.dims[axis], name, sizeof name);
            while (k < n && strcmp(names[k], name) != 0) k++;
            if (k == n && n < MOST) memcpy(names[n++], name, sizeof name);
        }
    ob_session_close(&session);
    return n;
}

static void judge_symbol(const ob_model *model, const char names[][64], size_t n, const char *symbol, uint64_t seed, bool prints,
                         tally *t) {
    ob_independence *is = NULL;
    if (ob_independence_check(model, symbol, 0, &is, NULL) != OB_OK) return;
    t->n_questions++;
    t->n[is->verdict]++;
    bool ran = false, differs = false;
    for (int k = 0; k < TRIES && !differs; k++) {
        static const int64_t choices[] = {2, 4, 1, 3, 5, 2};
        int64_t sizes[MOST];
        uint64_t random = seed + (uint64_t)k;
        for (size_t i = 0; i < n; i++) sizes[i] = k < 3 ? choices[k] : choices[stream_random(&random) % 6];
        const outcome o = run_at(model, symbol, names, sizes, n, seed + 77u * (uint64_t)k);
        ran = ran || o != NOT_RUN;
        differs = o == DIFFERENT;
    }
    t->n_run[is->verdict] += ran;
    t->n_differs[is->verdict] += differs;
    const bool wrong =
        ran && (is->verdict == OB_INDEPENDENCE_PROVED ? differs : is->verdict == OB_INDEPENDENCE_REFUTED && !differs);
    t->n_wrong += wrong;
    if (wrong || prints)
        printf("%s%llu: along %s: %s (%s, %s at %s), runs: %s\n", wrong ? "WRONG " : "", (unsigned long long)seed, symbol,
               ob_independence_verdict_name(is->verdict), ob_mixing_name(is->mixing), is->reason, is->node,
               !ran      ? "none"
               : differs ? "differ"
                         : "equal");
    ob_independence_close(&is);
}

static void judge_seed(uint64_t seed, bool prints, tally *t) {
    static gen g;
    static stream choices;
    char names[MOST][64];
    ob_model *model = NULL;
    ob_load_options options;
    ob_load_options_init(&options);
    options.format = OB_FORMAT_TEXT;
    stream_fill(&choices, seed);
    char *text = seed % 2 ? make_model(seed) : gen_model(&g, &choices, &plain_spelling);
    if (prints) puts(text);
    t->n_models++;
    if (ob_model_load_memory(text, strlen(text), "random", &options, &model, NULL) == OB_OK) {
        const size_t n = read_symbols(model, names);
        for (size_t i = 0; i < n; i++) judge_symbol(model, (const char(*)[64])names, n, names[i], seed, prints, t);
    } else if (seed % 2) {
        printf("%llu: the model cannot be read\n%s\n", (unsigned long long)seed, text);
        t->n_wrong++;
    }
    ob_model_close(&model);
    free(text);
}

int main(int argc, char **argv) {
    uint64_t count = 0, seed = 1, one = 0;
    tally t = {0};
    for (int i = 1; i + 1 < argc; i += 2) {
        const uint64_t number = strtoull(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--count") == 0) count = number;
        if (strcmp(argv[i], "--seed") == 0) seed = number;
        if (strcmp(argv[i], "--case") == 0) one = number;
    }
    if (one) return judge_seed(one, true, &t), 0;
    for (uint64_t i = 0; i < count; i++) judge_seed(seed + i, false, &t);
    printf("%llu models, %llu questions\n", (unsigned long long)t.n_models, (unsigned long long)t.n_questions);
    for (int verdict = 0; verdict < 3; verdict++)
        printf("%-8s %6llu, of these %llu ran, %llu differ\n", ob_independence_verdict_name((ob_independence_verdict)verdict),
               (unsigned long long)t.n[verdict], (unsigned long long)t.n_run[verdict], (unsigned long long)t.n_differs[verdict]);
    /* Enough of each answer, or the test would prove nothing. */
    const bool enough = t.n_run[OB_INDEPENDENCE_PROVED] > count / 20 && t.n_run[OB_INDEPENDENCE_REFUTED] > count / 100;
    if (count && !enough) printf("too few questions were answered\n");
    printf("%llu contradictions\n", (unsigned long long)t.n_wrong);
    return t.n_wrong || (count && !enough) ? 1 : 0;
}
