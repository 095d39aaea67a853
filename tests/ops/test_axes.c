/* The column "axes" of the operator table against the kernels. Each line of tests/values is run with other operands: with chosen
 * elements along an axis, and with one slice changed. Only those elements of the results may then differ that the links allow.
 * `test_axes NAME` tests the lines of operators whose name contains NAME. */
#include "value_files.h"

#include "core/graph/graph.h"
#include "ops/infer/axes.h"
#include "ops/library/resolve.h"
#include "passes/check/propagate.h"
#include "passes/origin/links.h"

enum { N_KINDS = OB_LINK_PLACE + 1, MOST_LINES = 40, MOST_CHOSEN = 64, MOST_ELEMS = 1024 };

/* Links are computed with all operands as constants, with integers as constants and other operands as inputs, and with inputs
 * only. The sizes of inputs are symbols; equal sizes are one symbol. */
typedef enum mode { ALL_CONSTANT, INTEGERS_CONSTANT, ALL_INPUTS, MODES } mode;

typedef struct tally {
    uint32_t n_lines, n_checks;
    bool no_axes; /* its links name no axis of an operand: Range */
} tally;

static tally *rows;                           /* by index in the table */
static uint64_t n_checked[N_KINDS], n_stated; /* stated: a size that an operand or attribute states was changed */
static const char *planted;                   /* an operator whose links other than SAME are taken for SAME */
static const char *only;

/* ---- Models of one node, whose operands are constants ---- */

typedef struct one_node {
    ob_model *model;
    ob_node *node;
    ob_tensor given[VALUE_MAX]; /* the operands */
} one_node;

static bool load_node(const value_case *c, one_node *out) {
    ob_text text;
    ob_load_options options;
    *out = (one_node){0};
    ob__text_init(&text, NULL);
    write_node(c, WHOLE, &text);
    ob_load_options_init(&options);
    options.format = OB_FORMAT_TEXT;
    const bool read = ob_model_load_memory(text.data, text.n, "axes", &options, &out->model, NULL) == OB_OK &&
                      ob__model_resolve_ops(out->model) == OB_OK;
    ob__text_release(&text);
    if (!read || out->model->graph->n_nodes != 1) return false;
    out->node = out->model->graph->first;
    if (!out->node->op || out->node->n_inputs > VALUE_MAX || out->node->n_outputs > VALUE_MAX) return false;
    for (uint32_t i = 0; i < out->node->n_inputs; i++) {
        const ob_value *value = out->node->inputs[i];
        if (!value) continue;
        if (!value->data || value->data->is_packed || !value->data->data || value->data->n_elems > MOST_ELEMS) return false;
        out->given[i] = *value->data;
    }
    return true;
}

static void set_operand(one_node *m, uint32_t i, const ob_tensor *tensor) {
    ob_value *value = m->node->inputs[i];
    ob_tensor *kept = ob__arena_alloc(&m->model->arena, sizeof *kept);
    int64_t *dims = OB_ARENA_ARRAY(&m->model->arena, int64_t, OB_MAX_RANK);
    assert_true(kept && dims);
    if (tensor->rank) memcpy(dims, tensor->dims, (size_t)tensor->rank * sizeof *dims);
    *kept = *tensor;
    kept->origin = NULL;
    kept->dims = dims;
    value->data = kept;
    value->declared = (ob_type){.kind = OB_TYPE_TENSOR, .dtype = tensor->dtype, .shape = {tensor->rank, dims}};
}

typedef struct results {
    ob_tensor of[VALUE_MAX]; /* rank -1: not a tensor. Data is owned */
    int64_t dims[VALUE_MAX][OB_MAX_RANK];
} results;

static void release_results(results *r) {
    for (uint32_t i = 0; i < VALUE_MAX; i++) free((void *)(uintptr_t)r->of[i].data);
    *r = (results){0};
}

static void keep_result(results *r, uint32_t i, const ob_view *view) {
    r->of[i].rank = -1;
    if (view->dtype == OB_NONE || !ob_view_is_contiguous(view)) return;
    const int64_t n = ob_view_count(view);
    const size_t n_bytes = (size_t)n * ob_dtype_size(view->dtype);
    const ob_string *strings = view->dtype == OB_STRING ? view->data : NULL;
    size_t n_text = 0;
    for (int64_t k = 0; strings && k < n; k++) n_text += strings[k].n;
    char *copy = malloc(n_bytes + n_text + 1), *text = copy + n_bytes;
    assert_non_null(copy);
    if (n_bytes) memcpy(copy, view->data, n_bytes);
    for (int64_t k = 0; strings && k < n; k++) { /* the session owns the bytes of its strings */
        const ob_string own = {text, strings[k].n};
        if (own.n) memcpy(text, strings[k].data, own.n);
        memcpy(copy + (size_t)k * sizeof own, &own, sizeof own);
        text += own.n;
    }
    memcpy(r->dims[i], view->dims, sizeof r->dims[i]);
    r->of[i] = (ob_tensor){.dtype = view->dtype, .rank = view->rank, .dims = r->dims[i], .n_elems = n, .data = copy};
}

/* False: the operator refuses these operands. */
static bool run_with(one_node *m, const ob_tensor *with, results *r) {
    ob_session *session = NULL;
    ob_session_config config;
    ob_view outputs[VALUE_MAX] = {0};
    const ob_cell *cells[VALUE_MAX];
    *r = (results){0};
    for (uint32_t i = 0; i < m->node->n_inputs; i++)
        if (m->node->inputs[i]) set_operand(m, i, &with[i]);
    ob_session_config_init(&config);
    config.constants_in_place = true; /* packed weights may give other bits for another number of rows */
    const ob_view none = {0};
    bool ran = ob_session_create(m->model, &config, &session, NULL) == OB_OK;
    const size_t n = ran ? ob_session_output_count(session) : 0;
    ran = ran && n <= VALUE_MAX && ob_session_run_cells(session, &none, NULL, 0, outputs, cells, n, NULL) == OB_OK;
    size_t at = 0;
    for (uint32_t i = 0; ran && i < m->node->n_outputs; i++) {
        r->of[i].rank = -1;
        if (m->node->outputs[i] && m->node->outputs[i]->is_output && at < n) keep_result(r, i, &outputs[at++]);
    }
    ob_session_close(&session);
    return ran;
}

/* ---- Links ---- */

typedef struct linked {
    ob_link items[512];
    uint32_t n;
} linked;

/* Makes operand i an input whose sizes are symbols. */
static void open_operand(one_node *m, uint32_t i) {
    ob_graph *graph = m->model->graph;
    ob_value *value = m->node->inputs[i], **inputs = OB_ARENA_ARRAY(&m->model->arena, ob_value *, graph->n_inputs + 1);
    ob_dim *dims = OB_ARENA_ARRAY(&m->model->arena, ob_dim, OB_MAX_RANK);
    assert_true(inputs && dims);
    for (int32_t axis = 0; axis < value->data->rank; axis++) {
        char name[24];
        snprintf(name, sizeof name, "s%lld", (long long)value->data->dims[axis]);
        dims[axis] = value->data->dims[axis] < 2 ? value->data->dims[axis] : ob_dim_symbol(m->model->dims, name);
    }
    value->declared.shape = (ob_shape){value->data->rank, dims};
    value->data = NULL;
    value->is_initializer = false;
    value->is_input = true;
    for (uint32_t k = 0; k < graph->n_initializers; k++)
        if (graph->initializers[k] == value) graph->initializers[k] = graph->initializers[--graph->n_initializers];
    if (graph->n_inputs) memcpy(inputs, graph->inputs, graph->n_inputs * sizeof *inputs);
    inputs[graph->n_inputs++] = value;
    graph->inputs = inputs;
}

static bool is_integer(ob_dtype type) {
    return type == OB_INT64 || type == OB_INT32;
}

static void read_links(const value_case *c, mode how, linked *out) {
    one_node m;
    ob_facts facts;
    ob_arena arena;
    ob_links links;
    out->n = 0;
    if (load_node(c, &m)) {
        for (uint32_t i = 0; i < m.node->n_inputs && how != ALL_CONSTANT; i++) {
            bool repeated = false;
            for (uint32_t k = 0; k < i; k++) repeated = repeated || m.node->inputs[k] == m.node->inputs[i];
            if (m.node->inputs[i] && !repeated && (how == ALL_INPUTS || !is_integer(m.given[i].dtype))) open_operand(&m, i);
        }
        ob__facts_init(&facts, NULL);
        ob__arena_init(&arena, NULL);
        assert_int_equal(ob__propagate(m.model, NULL, &facts, NULL), OB_OK);
        assert_int_equal(ob__links_of(m.model, &facts, m.node, &arena, &links), OB_OK);
        assert_true(links.n <= sizeof out->items / sizeof out->items[0]);
        if (links.n) memcpy(out->items, links.items, links.n * sizeof *links.items);
        out->n = links.n;
        ob__arena_release(&arena);
        ob__facts_release(&facts);
    }
    ob_model_close(&m.model);
}

/* ---- Elements ---- */

/* The elements `chosen` along an axis, in new memory. */
static ob_tensor choose(const ob_tensor *from, int32_t axis, const int64_t *chosen, int64_t n, int64_t *dims) {
    const size_t width = ob_dtype_size(from->dtype);
    int64_t before = 1, after = 1;
    memcpy(dims, from->dims, (size_t)from->rank * sizeof *dims);
    dims[axis] = n;
    for (int32_t k = 0; k < axis; k++) before *= from->dims[k];
    for (int32_t k = axis + 1; k < from->rank; k++) after *= from->dims[k];
    const size_t block = (size_t)after * width;
    char *data = calloc((size_t)(before * n) * block + 1, 1);
    assert_non_null(data);
    for (int64_t b = 0; b < before; b++)
        for (int64_t i = 0; i < n; i++)
            if (block)
                memcpy(data + (size_t)(b * n + i) * block,
                       (const char *)from->data + (size_t)(b * from->dims[axis] + chosen[i]) * block, block);
    ob_tensor out = *from;
    out.dims = dims;
    out.n_elems = before * n * after;
    out.data = data;
    return out;
}

static bool is_nan_of(const void *data, ob_dtype dtype) {
    float value;
    if (!ob__dtype_is_float(dtype)) return false;
    (void)ob__convert(&value, OB_FLOAT, data, dtype, 1, NULL);
    return isnan(value);
}

static bool equal_element(const ob_tensor *a, const ob_tensor *b, int64_t i) {
    const size_t width = ob_dtype_size(a->dtype);
    const char *x = (const char *)a->data + (size_t)i * width, *y = (const char *)b->data + (size_t)i * width;
    if (a->dtype == OB_STRING) {
        const ob_string *s = (const void *)x, *t = (const void *)y;
        return s->n == t->n && (s->n == 0 || memcmp(s->data, t->data, s->n) == 0);
    }
    return memcmp(x, y, width) == 0 || (is_nan_of(x, a->dtype) && is_nan_of(y, a->dtype));
}

static bool same_shape(const ob_tensor *a, const ob_tensor *b) {
    return a->rank == b->rank && a->dtype == b->dtype &&
           (a->rank == 0 || memcmp(a->dims, b->dims, (size_t)a->rank * sizeof *a->dims) == 0);
}

/* Floats that differ by a few roundings: sums of another number of rows may be added in another order. */
static bool is_near(const ob_tensor *a, const ob_tensor *b, int64_t i) {
    const size_t width = ob_dtype_size(a->dtype);
    double x, y;
    if (a->dtype != OB_FLOAT && a->dtype != OB_DOUBLE) return false;
    (void)ob__convert(&x, OB_DOUBLE, (const char *)a->data + (size_t)i * width, a->dtype, 1, NULL);
    (void)ob__convert(&y, OB_DOUBLE, (const char *)b->data + (size_t)i * width, b->dtype, 1, NULL);
    return fabs(x - y) <= 1e-5 * fmax(1, fabs(x));
}

static bool same_tensor(const ob_tensor *a, const ob_tensor *b, bool exactly) {
    bool same = same_shape(a, b);
    for (int64_t i = 0; same && i < a->n_elems; i++) same = equal_element(a, b, i) || (!exactly && is_near(a, b, i));
    return same;
}

/* The place of element i along an axis. */
static int64_t place_along(const ob_tensor *t, int64_t i, int32_t axis) {
    for (int32_t k = t->rank - 1; k > axis; k--) i /= t->dims[k];
    return i % t->dims[axis];
}

/* ---- Chosen elements ---- */

typedef struct trial {
    one_node *m;
    const linked *links;
    const results *before;
    const char *place;
    tally *row;
    int n_wrong;
} trial;

static void complain(trial *t, const ob_link *link, const char *text) {
    static const char *const names[] = {"SAME",   "MOVED", "PICKED", "NEAR", "BEFORE", "ALL",
                                        "MERGED", "SPLIT", "LEFT",   "GONE", "SIZED",  "PLACE"};
    t->n_wrong++;
    if (!planted)
        print_error("%s: %s-%d: result %u axis %d, operand %u axis %d, %s: %s\n", t->place, t->m->node->op->name,
                    t->m->node->op->since, link->output, link->axis, link->input, link->input_axis, names[link->kind], text);
}

/* Runs with the elements `chosen` along all axes with a link SAME to the axis of `of`. must: it may not be refused, because no
 * size changes. */
static void try_choice(trial *t, const ob_link *of, const int64_t *chosen, int64_t n, bool must) {
    const ob_tensor *result = &t->before->of[of->output];
    const int64_t size = result->dims[of->axis];
    ob_tensor with[VALUE_MAX];
    int64_t dims[VALUE_MAX][OB_MAX_RANK], want_dims[OB_MAX_RANK];
    bool owned[VALUE_MAX] = {false}, fits = true;
    results after;
    memcpy(with, t->m->given, sizeof with);
    for (uint32_t i = 0; i < t->links->n; i++) {
        const ob_link *link = &t->links->items[i];
        if (link->kind != OB_LINK_SAME || link->output != of->output || link->axis != of->axis) continue;
        const uint32_t p = link->input;
        const int64_t own = t->m->given[p].dims[link->input_axis];
        if (own == 1 && size != 1) continue;
        if (own != size) {
            complain(t, link, "sizes differ");
            fits = false;
            break;
        }
        const ob_tensor from = with[p];
        int64_t from_dims[OB_MAX_RANK];
        memcpy(from_dims, from.dims, (size_t)from.rank * sizeof *from_dims);
        ob_tensor copy = from;
        copy.dims = from_dims;
        with[p] = choose(&copy, link->input_axis, chosen, n, dims[p]);
        if (owned[p]) free((void *)(uintptr_t)from.data);
        owned[p] = true;
    }
    if (fits) {
        const bool ran = run_with(t->m, with, &after);
        if (!ran && must) complain(t, of, "chosen elements are refused");
        if (!ran) n_stated++;
        if (ran && (after.of[of->output].rank != result->rank || after.of[of->output].dims[of->axis] != n)) {
            if (must) complain(t, of, "chosen elements give another shape");
            n_stated++;
        } else if (ran) {
            ob_tensor want = choose(result, of->axis, chosen, n, want_dims);
            if (!same_tensor(&want, &after.of[of->output], must)) complain(t, of, "chosen elements give other results");
            free((void *)(uintptr_t)want.data);
            t->row->n_checks++;
            n_checked[OB_LINK_SAME]++;
        }
        release_results(&after);
    }
    for (uint32_t p = 0; p < VALUE_MAX; p++)
        if (owned[p]) free((void *)(uintptr_t)with[p].data);
}

static void try_choices(trial *t, const ob_link *of) {
    const ob_tensor *result = &t->before->of[of->output];
    int64_t chosen[2 * MOST_CHOSEN], size = result->rank > of->axis ? result->dims[of->axis] : 0;
    if (size > MOST_CHOSEN || result->n_elems > MOST_ELEMS) return;
    for (int64_t i = 0; i < size; i++) chosen[i] = size - 1 - i;
    try_choice(t, of, chosen, size, true);
    for (int64_t i = 0; i < size; i++) chosen[i] = (i + 1) % size;
    try_choice(t, of, chosen, size, true);
    for (int64_t i = 0; i < size; i++) chosen[i] = 0;
    try_choice(t, of, chosen, size, true);
    try_choice(t, of, chosen, 0, false);
    for (int64_t i = 0; i < size && i < 3; i++) {
        chosen[0] = i;
        try_choice(t, of, chosen, 1, false);
    }
    for (int64_t i = 0; i < 2 * size; i++) chosen[i] = i / 2;
    try_choice(t, of, chosen, 2 * size, false);
}

/* ---- A changed slice ---- */

/* Other elements in slice j along an axis; false if the type has no harmless other elements. integers: they are no indices. */
static bool change_slice(const ob_tensor *from, int32_t axis, int64_t j, bool integers, ob_tensor *out) {
    const size_t width = ob_dtype_size(from->dtype), n_bytes = (size_t)from->n_elems * width;
    const bool changes = from->dtype == OB_FLOAT || from->dtype == OB_DOUBLE || from->dtype == OB_UINT8 ||
                         from->dtype == OB_INT8 || (integers && is_integer(from->dtype));
    if (!changes) return false;
    char *data = malloc(n_bytes + 1);
    assert_non_null(data);
    if (n_bytes) memcpy(data, from->data, n_bytes);
    for (int64_t i = 0; i < from->n_elems; i++) {
        char *at = data + (size_t)i * width;
        float number;
        double wide;
        if (place_along(from, i, axis) != j) continue;
        if (from->dtype == OB_FLOAT) {
            memcpy(&number, at, sizeof number);
            number = number * 1.25F + 0.375F;
            memcpy(at, &number, sizeof number);
        } else if (from->dtype == OB_DOUBLE) {
            memcpy(&wide, at, sizeof wide);
            wide = wide * 1.25 + 0.375;
            memcpy(at, &wide, sizeof wide);
        } else
            *at ^= 1;
    }
    *out = *from;
    out->data = data;
    return true;
}

/* The place along the operand's axis that belongs to element i of the result, if the axis of the result is one of several that
 * were merged or split; -1: a link is missing. */
static int64_t place_of_parts(const trial *t, const ob_link *of, int64_t i) {
    const ob_tensor *result = &t->before->of[of->output];
    const bool merged = of->kind == OB_LINK_MERGED;
    int64_t place = merged ? place_along(result, i, of->axis) : 0;
    for (uint32_t k = 0; k < t->links->n; k++) {
        const ob_link *link = &t->links->items[k];
        if (link->kind != of->kind || link->output != of->output || link->input != of->input) continue;
        if (merged && link->axis == of->axis && link->input_axis > of->input_axis)
            place /= t->m->given[of->input].dims[link->input_axis];
        if (!merged && link->input_axis == of->input_axis)
            place = place * result->dims[link->axis] + place_along(result, i, link->axis);
    }
    return merged ? place % t->m->given[of->input].dims[of->input_axis] : place;
}

/* Whether slice j of the operand may reach element i of the result. */
static bool may_reach(const trial *t, const ob_link *link, int64_t i, int64_t j) {
    const ob_tensor *result = &t->before->of[link->output];
    switch (link->kind) {
    case OB_LINK_SAME: return t->m->given[link->input].dims[link->input_axis] == 1 || place_along(result, i, link->axis) == j;
    case OB_LINK_PLACE: return place_along(result, i, link->axis) == j;
    case OB_LINK_MERGED:
    case OB_LINK_SPLIT: return place_of_parts(t, link, i) == j;
    case OB_LINK_SIZED: return false;
    default: return true;
    }
}

/* Changes each slice along the operand's axis in turn. */
static void try_changes(trial *t, const ob_link *link) {
    const ob_tensor *operand = &t->m->given[link->input], *result = &t->before->of[link->output];
    const int64_t size = operand->dims[link->input_axis];
    uint8_t *n_reached = calloc((size_t)result->n_elems + 1, 1);
    bool before = true, after = true; /* only places from j on, or up to j, were reached */
    assert_non_null(n_reached);
    if (link->kind == OB_LINK_LEFT && result->dims[link->axis] != 1) complain(t, link, "the size is not 1");
    for (int64_t j = 0; j < size && size <= MOST_CHOSEN; j++) {
        ob_tensor with[VALUE_MAX], changed;
        results now;
        memcpy(with, t->m->given, sizeof with);
        if (!change_slice(operand, link->input_axis, j, link->input == 0, &changed)) break;
        for (uint32_t p = 0; p < t->m->node->n_inputs; p++)
            if (t->m->node->inputs[p] == t->m->node->inputs[link->input]) with[p] = changed;
        if (run_with(t->m, with, &now) && same_shape(&now.of[link->output], result)) {
            n_checked[link->kind]++;
            t->row->n_checks++;
            for (int64_t i = 0; i < result->n_elems; i++) {
                if (equal_element(result, &now.of[link->output], i)) continue;
                if (n_reached[i] < 2) n_reached[i]++;
                if (!may_reach(t, link, i, j)) {
                    complain(t, link, "a change reaches another element");
                    j = size;
                    break;
                }
                if (link->kind == OB_LINK_BEFORE) {
                    before = before && place_along(result, i, link->axis) >= j;
                    after = after && place_along(result, i, link->axis) <= j;
                }
            }
        }
        release_results(&now);
        free((void *)(uintptr_t)changed.data);
    }
    if (!before && !after) complain(t, link, "changes reach both sides");
    for (int64_t i = 0; i < result->n_elems && link->kind == OB_LINK_MOVED; i++)
        if (n_reached[i] > 1) {
            complain(t, link, "several elements reach one");
            break;
        }
    free(n_reached);
}

/* ---- Lines ---- */

/* The same operand twice cannot be chosen from along two axes. */
static bool repeats_operand(const ob_node *node) {
    for (uint32_t i = 0; i < node->n_inputs; i++)
        for (uint32_t k = 0; k < i; k++)
            if (node->inputs[i] && node->inputs[i] == node->inputs[k]) return true;
    return false;
}

/* An error in a rule: SAME where elements mix, move or are picked. */
static void plant_errors(linked *links) {
    for (uint32_t i = 0; i < links->n; i++)
        if (links->items[i].axis >= 0 && links->items[i].input_axis >= 0 && links->items[i].kind != OB_LINK_LEFT)
            links->items[i].kind = OB_LINK_SAME;
}

static int test_case(const value_case *c, const char *place) {
    static linked links;
    one_node m;
    results before;
    trial t = {.m = &m, .links = &links, .before = &before, .place = place};
    if (load_node(c, &m) && !repeats_operand(m.node) && m.node->op->axes != ob__axes_unknown) {
        size_t at = 0;
        while (at < ob__op_count() && ob__op_at(at) != m.node->op) at++;
        assert_true(at < ob__op_count());
        t.row = &rows[at];
        if (t.row->n_lines < MOST_LINES && run_with(&m, m.given, &before)) {
            t.row->n_lines++;
            for (mode how = ALL_CONSTANT; how < MODES; how++) {
                read_links(c, how, &links);
                if (planted) plant_errors(&links);
                t.row->no_axes = links.n > 0;
                for (uint32_t i = 0; i < links.n; i++) t.row->no_axes = t.row->no_axes && links.items[i].input_axis < 0;
                for (uint32_t i = 0; i < links.n; i++) {
                    const ob_link *link = &links.items[i];
                    if (before.of[link->output].rank < 0 || before.of[link->output].n_elems > MOST_ELEMS) continue;
                    bool first = link->kind == OB_LINK_SAME;
                    for (uint32_t k = 0; k < i; k++)
                        first = first && (links.items[k].kind != OB_LINK_SAME || links.items[k].output != link->output ||
                                          links.items[k].axis != link->axis);
                    if (first) try_choices(&t, link);
                    if (link->input_axis >= 0) try_changes(&t, link);
                }
            }
            release_results(&before);
        }
    }
    ob_model_close(&m.model);
    return t.n_wrong;
}

/* The line at the opset of each row of its operator, since rules differ between versions. */
static int test_line(char *line, const char *place, void *context) {
    value_case c;
    int sum = 0;
    (void)context;
    if (strstr(place, " of ") && !strstr(place, " of float")) return 0; /* one type is enough */
    if (!read_case(line, &c) || is_graph(&c) || strncmp(c.results, "refused:", 8) == 0) return 0;
    const char *dot = strrchr(c.name, '.'), *name = dot ? dot + 1 : c.name;
    if (only && !strstr(name, only)) return 0;
    if (planted && strcmp(name, planted) != 0) return 0;
    for (size_t i = 0; i < ob__op_count(); i++) {
        const ob_op *op = ob__op_at(i);
        const size_t n_domain = dot ? (size_t)(dot - c.name) : 0;
        if (strcmp(op->name, name) != 0 || strlen(op->domain) != n_domain || strncmp(op->domain, c.name, n_domain) != 0) continue;
        c.opset = op->since;
        sum += test_case(&c, place);
    }
    return sum;
}

/* Operators without a rule, and the reason. */
static const struct {
    const char *names, *why;
} without[] = {
    {"If Loop Scan SequenceMap Gradient", "a subgraph or other nodes decide"},
    {"SequenceAt SequenceConstruct SequenceEmpty SequenceErase SequenceInsert SequenceLength SplitToSequence ConcatFromSequence "
     "Optional OptionalGetElement OptionalHasElement ZipMap CastMap DictVectorizer",
     "values other than tensors have no axes"},
    {"RandomNormal RandomUniform RandomNormalLike RandomUniformLike Bernoulli Multinomial", "the results are random"},
    {"Shape Size Constant GivenTensorFill ConstantFill MelWeightMatrix", "no element of an operand is an element of a result"},
    {"NonZero Unique NonMaxSuppression MaxUnpool StringNormalizer", "data decide which elements stay, or where, over all axes"},
    {"DynamicQuantizeLSTM", "one scale is taken for all elements"},
    {"ImageDecoder Crop ImageScaler GRUUnit ATen", "an image file, or an operator that the executor does not run"},
    {"Adagrad Adam Momentum", "groups of operands belong to groups of results"},
};

static bool is_named(const char *names, const char *name) {
    const size_t n = strlen(name);
    for (const char *at = names; (at = strstr(at, name)); at += n)
        if ((at == names || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0')) return true;
    return false;
}

static const char *reason_without(const char *name) {
    for (size_t i = 0; i < sizeof without / sizeof without[0]; i++)
        if (is_named(without[i].names, name)) return without[i].why;
    return NULL;
}

/* The executor has neither a kernel nor a body for them, or this build lacks the library that a kernel needs. */
#ifdef OB_WITH_PCRE2
static const char not_run[] = "Scale DynamicSlice";
#else
static const char not_run[] = "Scale DynamicSlice RegexFullMatch";
#endif

/* Calls that tests/values does not have. An operand without elements gets some. */
static const char *const more[] = {
    "com.microsoft.Gelu 1 | float[2,3] | | z",
    "com.microsoft.QuickGelu 1 | float[2,3] | | z",
    "com.microsoft.FastGelu 1 | float[2,3,4]; float[4] | | z",
    "com.microsoft.BiasGelu 1 | float[2,3,4]; float[4] | | z",
    "com.microsoft.FusedGemm 1 | float[2,3]; float[3,4]; float[4] | activation = \"Relu\" | z",
    "com.microsoft.FusedMatMul 1 | float[2,3,4]; float[2,5,4] | transB = 1 | z",
    "com.microsoft.FusedMatMul 1 | float[3,2,4]; float[5,2,4] | transBatchA = 1, transBatchB = 1, transB = 1 | z",
    "com.microsoft.CDist 1 | float[2,3]; float[4,3] | metric = \"euclidean\" | z",
    "com.microsoft.Inverse 1 | float[2,2,2] | | z",
    "com.microsoft.FusedConv 1 | float[2,2,4,4]; float[3,2,2,2]; float[3]; float[2,3,3,3] | activation = \"Relu\" | z",
    "com.microsoft.FusedConv 1 | float[2,2,3,3]; float[3,2,1,1]; float[3]; float[2,3,3,3] | activation = \"Relu\" | z",
    "com.microsoft.NhwcMaxPool 1 | uint8[2,4,4,2] | kernel_shape = [2, 2] | z",
    "com.microsoft.QLinearAveragePool 1 | uint8[2,2,4,4]; float{0.5}; uint8{1}; float{0.25}; uint8{2} | kernel_shape = [2, 2] | "
    "z",
    "com.microsoft.QLinearReduceMean 1 | uint8[2,3,4]; float{0.5}; uint8{1}; float{0.25}; uint8{2} | axes = [1], keepdims = 1 | "
    "z",
    "com.microsoft.QLinearSoftmax 1 | uint8[2,3,4]; float{0.5}; uint8{1}; float{0.0039}; uint8{0} | axis = 1, opset = 13 | z",
    "SimplifiedLayerNormalization 1 | float[2,3,4]; float[4] | axis = -1 | z",
    "com.microsoft.SkipLayerNormalization 1 | float[2,3,4]; float[3,4]; float[4]; float[4]; float[4] | | z; -; -; z",
    "com.microsoft.SkipSimplifiedLayerNormalization 1 | float[2,3,4]; float[2,3,4]; float[4]; float[4] | | z; -; -; z",
    "com.microsoft.EmbedLayerNormalization 1 | int32[2,3]{0,1,2,3,1,0}; int32[2,3]{0,1,0,1,1,0}; float[4,5]; float[6,5]; "
    "float[2,5]; float[5]; float[5]; int32[2,3]{1,1,0,1,1,1} | | z; z",
    "com.microsoft.EmbedLayerNormalization 1 | int32[2,3]{0,1,2,3,1,0}; -; float[4,5]; float[6,5]; -; float[5]; float[5]; -; "
    "int32[1,3]{2,0,1} | | z; z",
    "com.microsoft.Trilu 1 | float[2,3,4] | | z",
    "com.microsoft.GatherND 1 | float[3,4]; int64[2,1]{0,2} | | z",
    "com.microsoft.QuantizeLinear 1 | float[2,3,4]; float[3]; uint8[3] | axis = 1 | z",
    "com.microsoft.DequantizeLinear 1 | uint8[2,3,4]; float[3]; uint8[3] | axis = 1 | z",
    "com.microsoft.QGemm 1 | uint8[2,3]; float{0.5}; uint8{1}; uint8[3,4]; float[4]; uint8[4]; int32[4] | | z",
    "com.microsoft.DynamicQuantizeMatMul 1 | float[2,3]; uint8[3,4]; float[4]; uint8[4]; float[4] | | z",
    "com.microsoft.MatMulIntegerToFloat 1 | uint8[2,3]; uint8[3,4]; float{0.5}; float[4]; uint8{1}; uint8[4]; float[4] | | z",
    "com.microsoft.MatMulNBits 1 | float[2,16]; uint8[3,1,8]; float[3] | K = 16, N = 3, block_size = 16, bits = 4 | z",
    "com.microsoft.QLinearConv 1 | uint8[2,2,4,4]; float{0.5}; uint8{1}; uint8[3,2,2,2]; float[3]; uint8[3]; float{2}; uint8{3}; "
    "int32[3] | | z",
    "com.microsoft.Attention 1 | float[2,3,4]; float[4,12]; float[12] | num_heads = 2 | z",
    "com.microsoft.Attention 1 | float[2,3,4]; float[4,12]; float[12]; int32[2,3]{1,1,0,1,1,1} | num_heads = 2 | z",
    "onnx_broadcast.Broadcast 1 | float[2,1]; float[3] | | z; z",
    "onnx_broadcast.BroadcastInDim 1 | float[2] | broadcast_dimensions = [1], shape = [3, 2] | z",
    "ai.onnx.ml.Binarizer 1 | float[2,3] | threshold = 0.5 | z",
    "TfIdfVectorizer 9 | int64[2,3]{1,2,1,2,2,3} | mode = \"TF\", min_gram_length = 1, max_gram_length = 1, max_skip_count = 0, "
    "ngram_counts = [0], ngram_indexes = [0, 1], pool_int64s = [1, 2] | z",
    "com.microsoft.Range 1 | int64{1}; int64{7}; int64{2} | | z",
    "Affine 1 | float[2,3] | alpha = 2.0, beta = 1.0 | z",
    "ParametricSoftplus 1 | float[2,3] | alpha = 2.0, beta = 1.0 | z",
    "ScaledTanh 1 | float[2,3] | alpha = 2.0, beta = 1.0 | z",
    "Reshape 14 | float[6,4]; int64[3]{2,3,4} | | z",
    "Reshape 14 | float[2,3,4]; int64[2]{6,4} | | z",
    "Reshape 14 | float[2,3,4]; int64[2]{2,-1} | | z",
    "Reshape 14 | float[2,3,4]; int64[4]{0,0,2,2} | | z",
    "Reshape 14 | float[2,3,4]; int64[3]{4,3,2} | | z",
    "Reshape 14 | float[2,6,4]; int64[3]{4,3,4} | | z",
    "Reshape 14 | float[2,1,3,4]; int64[4]{2,3,1,4} | | z",
    "Reshape 14 | float[4,1,6]; int64[4]{2,2,1,6} | | z",
    "Reshape 14 | float[1,1,4]; int64[2]{1,4} | | z",
    "Flatten 13 | float[2,1,3,2] | axis = 2 | z",
    "Conv 11 | float[2,4,3,3]; float[4,2,1,1]; float[4] | group = 2 | z",
    "Conv 11 | float[2,4,3,3]; float[8,1,2,2]; float[8] | group = 4 | z",
    "Conv 11 | float[2,4,3,3]; float[3,4,1,1]; float[3] | | z",
    "ConvTranspose 11 | float[2,4,3,3]; float[4,1,2,2]; float[4] | group = 4 | z",
    "Slice 13 | float[2,3,4]; int64[3]{0,1,0}; int64[3]{9223372036854775807,3,4} | | z",
    "GatherND 13 | float[2,3,4]; int64[2,2,1]{0,1,2,0} | batch_dims = 1 | z",
    "Einsum 12 | float[2,3]; float[3,4] | equation = \"ij,jk->ki\" | z",
    "Einsum 12 | float[2,3,3]; float[2,3] | equation = \"bii,bi->bi\" | z",
    "Einsum 12 | float[2,3,4]; float[2,4,5] | equation = \"...ij,...jk->...ik\" | z",
};

static void fill_operands(const char *from, ob_text *to) {
    uint32_t seed = 7;
    for (; *from; from++) {
        ob__text_append(to, from, 1);
        if (from[0] != ']' || (from[1] != ';' && from[1] != ' ')) continue;
        const char *open = from;
        while (*open != '[' && *open != '{' && *open != '=') open--;
        if (*open != '[' || open[-1] == ' ') continue; /* a list of an attribute */
        int64_t n = 1;
        for (const char *at = open; at < from; at++)
            if (*at == '[' || *at == ',') n *= strtoll(at + 1, NULL, 10);
        ob__text_puts(to, "{");
        for (int64_t i = 0; i < n; i++, seed = seed * 1103515245U + 12345U) {
            const unsigned number = seed >> 16 & 15;
            if (strncmp(open - 5, "float", 5) == 0)
                ob__text_printf(to, "%s%g", i ? "," : "", (double)number / 4 + 0.25);
            else
                ob__text_printf(to, "%s%u", i ? "," : "", number);
        }
        ob__text_puts(to, "}");
    }
}

static int test_more(void) {
    static char line[VALUE_LINE];
    int sum = 0;
    for (size_t i = 0; i < sizeof more / sizeof more[0]; i++) {
        ob_text text;
        ob__text_init(&text, NULL);
        fill_operands(more[i], &text);
        assert_true(text.n < sizeof line);
        memcpy(line, text.data, text.n + 1);
        sum += test_line(line, more[i], NULL);
        ob__text_release(&text);
    }
    return sum;
}

static void links_hold_for_the_kernels(void **state) {
    (void)state;
    const int n_wrong = test_more() + visit_lines(NULL, test_line, NULL);
    uint32_t n_ruled = 0, n_tested = 0, n_missing = 0;
    for (size_t i = 0; i < ob__op_count(); i++) {
        const ob_op *op = ob__op_at(i);
        const char *why = reason_without(op->name), *dot = op->domain[0] ? "." : "";
        if ((op->axes == ob__axes_unknown) != (why != NULL)) {
            print_error("%s%s%s-%d has %s\n", op->domain, dot, op->name, op->since,
                        why ? "a rule, and a reason to have none" : "neither a rule nor a reason to have none");
            n_missing++;
        }
        if (why) continue;
        n_ruled++;
        n_tested += rows[i].n_checks > 0;
        if (rows[i].n_checks || rows[i].no_axes || op->deprecated || only || is_named(not_run, op->name)) continue;
        print_error("no check of %s%s%s-%d\n", op->domain, dot, op->name, op->since);
        n_missing++;
    }
    print_message("%u of %zu rows have a rule, %u of them were tested;", n_ruled, ob__op_count(), n_tested);
    for (int kind = 0; kind < N_KINDS; kind++) print_message(" %llu", (unsigned long long)n_checked[kind]);
    print_message(" checks by kind, %llu with a stated size\n", (unsigned long long)n_stated);
    assert_int_equal(n_wrong, 0);
    assert_int_equal(n_missing, 0);
}

static void planted_errors_are_found(void **state) {
    static const char *const operators[] = {"Softmax", "CumSum", "Concat", "Trilu", "Slice", "TopK", "MaxPool", "Pad"};
    (void)state;
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
        for (size_t k = 0; k < ob__op_count(); k++) rows[k] = (tally){0};
        planted = operators[i];
        const int n_wrong = visit_lines(NULL, test_line, NULL);
        if (n_wrong == 0) print_error("no error was found in %s\n", planted);
        assert_true(n_wrong > 0);
    }
    planted = NULL;
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(links_hold_for_the_kernels), cmocka_unit_test(planted_errors_are_found)};
    rows = calloc(ob__op_count(), sizeof *rows);
    if (!rows) return 1;
    if (argc > 1) only = argv[1];
    const int status = cmocka_run_group_tests(tests, NULL, NULL);
    free(rows);
    return status;
}
