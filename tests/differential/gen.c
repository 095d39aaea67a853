#include "gen.h"

#include <math.h>
#include <string.h>

#include "number.h"
#include "ops/kernel/kernel.h"
#include "ours.h"

/* ---- Contents ---- */

static double tame_number(gen *g, ob_dtype dtype) {
    if (!is_float_type(dtype)) {
        double highest = type_highest(dtype), most = highest < 9 ? highest : 9;
        int64_t lowest = is_signed_type(dtype) ? (int64_t)(highest < 9 ? -highest - 1 : -9) : 0;
        return (double)pick(g, lowest, (int64_t)most);
    }
    if (chance(g, 60)) return (double)pick(g, -16, 16) / 4;
    return (double)pick(g, -4000000, 4000000) / 1000003;
}

static double wild_number(gen *g, ob_dtype dtype) {
    double highest = type_highest(dtype);
    if (!is_float_type(dtype)) {
        switch (pick(g, 0, 4)) {
        case 0:
            return integer_bits(dtype) == 64 ? (is_signed_type(dtype) ? 0x1.fffffffffffffp62 : 0x1.fffffffffffffp63) : highest;
        case 1: return is_signed_type(dtype) ? -ldexp(1.0, integer_bits(dtype) - 1) : 0;
        case 2: return is_signed_type(dtype) ? -1 : 1;
        default: return tame_number(g, dtype);
        }
    }
    switch (pick(g, 0, 12)) {
    case 0: return (double)NAN;
    case 1: return (double)INFINITY;
    case 2: return -(double)INFINITY;
    case 3: return -0.0;
    case 4: return 0;
    case 5: return highest;
    case 6: return -highest;
    case 7: return type_smallest(dtype);
    case 8: return chance(g, 50) ? 1 : -1;
    case 9: return sqrt(highest);
    default: return tame_number(g, dtype);
    }
}

static double any_number(gen *g, ob_dtype dtype, fill how) {
    switch (how) {
    case FILL_POSITIVE:
        return is_float_type(dtype) ? (double)pick(g, 1, 32) / 8 : (double)pick(g, 1, type_highest(dtype) < 9 ? 1 : 9);
    case FILL_NONZERO: {
        static const int divisors[] = {1, 2, 3, 5, 7, -2, -3};
        return divisors[pick(g, 0, is_signed_type(dtype) || is_float_type(dtype) ? 6 : 4)];
    }
    case FILL_SHIFT: return (double)pick(g, 0, integer_bits(dtype) - 1);
    case FILL_POWER: return (double)pick(g, 0, 3);
    case FILL_WILD: return wild_number(g, dtype);
    default: return tame_number(g, dtype);
    }
}

void fill_view(gen *g, const ob_view *view, fill how) {
    static const char *const texts[] = {"", "a", "bc", "d\xc3\xa9j\xc3\xa0", "a", "Zz 9"};
    int64_t n = ob_view_count(view);
    ob_view parts = *view;
    if (view->dtype == OB_COMPLEX64 || view->dtype == OB_COMPLEX128) {
        parts.dtype = view->dtype == OB_COMPLEX64 ? OB_FLOAT : OB_DOUBLE;
        n *= 2;
    }
    for (int64_t i = 0; i < n; i++) {
        if (view->dtype == OB_STRING) {
            const char *text = texts[pick(g, 0, 5)];
            ((ob_string *)view->data)[i] = (ob_string){text, strlen(text)};
        } else if (view->dtype == OB_BOOL) {
            integer_set(view, i, pick(g, 0, 1));
        } else {
            number_set(&parts, i, any_number(g, parts.dtype, how));
        }
    }
}

static bool is_tame(const ob_view *view) {
    if (view->dtype == OB_STRING || view->dtype == OB_COMPLEX64 || view->dtype == OB_COMPLEX128) return true;
    for (int64_t i = 0; i < ob_view_count(view); i++)
        if (!(fabs(number_get(view, i)) <= 1e4)) return false;
    return true;
}

bool all_in(const gen *g, int value, double lowest, double highest) {
    const ob_view *view = view_at(g, value);
    for (int64_t i = 0; i < ob_view_count(view); i++) {
        double x = number_get(view, i);
        if (!(x >= lowest && x <= highest)) return false;
    }
    return true;
}

/* ---- Values ---- */

bool is_op(const gen *g, const char *name) {
    return strcmp(g->op->name, name) == 0;
}

const ob_view *view_at(const gen *g, int value) {
    return &g->c->values[value].view;
}

ob_dtype pick_type(gen *g, ob_types types) {
    ob_dtype list[OB_DTYPE_COUNT + 4];
    int n = 0;
    for (int dtype = 1; dtype < OB_DTYPE_COUNT; dtype++)
        if (types >> dtype & 1) list[n++] = (ob_dtype)dtype;
    if (types & OB_T(FLOAT) && chance(g, 35)) return OB_FLOAT;
    return n ? list[pick(g, 0, n - 1)] : OB_NONE;
}

int64_t pick_size(gen *g) {
    int64_t what = pick(g, 0, 99);
    return what < 4 ? 0 : what < 24 ? 1 : what < 85 ? pick(g, 2, 5) : what < 97 ? pick(g, 6, 9) : pick(g, 10, 40);
}

int32_t pick_shape(gen *g, int32_t lowest, int32_t highest, int64_t most, int64_t *dims) {
    static const int32_t usual[] = {0, 1, 1, 2, 2, 2, 3, 3, 4, 4, 5, 6};
    int32_t rank = usual[pick(g, 0, 11)];
    if (rank < lowest || rank > highest) rank = (int32_t)pick(g, lowest, highest < 6 ? highest : 6 > lowest ? 6 : lowest);
    int64_t n = 1;
    for (int32_t k = 0; k < rank; k++) {
        dims[k] = pick_size(g);
        if (dims[k] > 0 && n * dims[k] > most) dims[k] = 1;
        if (dims[k] > 0) n *= dims[k];
    }
    return rank;
}

static role pick_role(gen *g, bool parameter) {
    int64_t what = pick(g, 0, 99);
    if (parameter) return what < 55 ? ROLE_WEIGHT : what < 95 ? ROLE_INPUT : ROLE_DEFAULT;
    return what < 62 ? ROLE_INPUT : what < 94 ? ROLE_WEIGHT : ROLE_DEFAULT;
}

int leaf(gen *g, ob_dtype dtype, int32_t rank, const int64_t *dims, fill how) {
    ob_view view = pool_view(g->c->pool, dtype, rank, dims);
    fill_view(g, &view, how);
    int value = case_add(g->c, pick_role(g, false), &view);
    if (value >= 0) g->c->values[value].is_tame = is_tame(&view);
    return value;
}

int leaf_ints(gen *g, ob_dtype dtype, const int64_t *ints, int64_t n) {
    ob_view view = pool_view(g->c->pool, dtype, 1, &n);
    for (int64_t i = 0; i < n; i++) integer_set(&view, i, ints[i]);
    int value = case_add(g->c, pick_role(g, true), &view);
    if (value >= 0) g->c->values[value].is_parameter = g->c->values[value].is_tame = true;
    return value;
}

int leaf_scalar(gen *g, ob_dtype dtype, int32_t rank, double number) {
    ob_view view = pool_view(g->c->pool, dtype, rank, &(int64_t){1});
    number_set(&view, 0, number);
    int value = case_add(g->c, pick_role(g, true), &view);
    if (value >= 0) g->c->values[value].is_parameter = g->c->values[value].is_tame = true;
    return value;
}

static bool suits(const gen *g, const case_value *value, ob_types types, int32_t lowest, int32_t highest) {
    const ob_view *view = &value->view;
    return value->role != ROLE_GONE && !value->is_parameter && view->dtype != OB_NONE && types >> view->dtype & 1 &&
           view->rank >= lowest && view->rank <= highest && (g->wild || value->is_tame) && ob_view_count(view) <= 2000;
}

int take(gen *g, ob_types types, int32_t lowest, int32_t highest) {
    int found[MAX_VALUES], n = 0;
    for (uint32_t v = 0; v < g->c->n_values; v++)
        if (suits(g, &g->c->values[v], types, lowest, highest)) found[n++] = (int)v;
    if (n > 0 && chance(g, 70)) return found[pick(g, n > 4 ? n / 2 : 0, n - 1)];
    int64_t dims[OB_MAX_RANK];
    ob_dtype dtype = pick_type(g, types);
    if (dtype == OB_NONE) return -1;
    int32_t rank = pick_shape(g, lowest, highest, 400, dims);
    return leaf(g, dtype, rank, dims, g->wild && chance(g, 60) ? FILL_WILD : FILL_TAME);
}

int take_input(gen *g, uint32_t index, int32_t lowest, int32_t highest) {
    return take(g, ob__op_input_types(g->op, index), lowest, highest);
}

int32_t joint_shape(gen *g, const ob_view *like, int64_t *dims) {
    int64_t n = ob_view_count(like) > 0 ? ob_view_count(like) : 1;
    int32_t extra = chance(g, 25) ? (int32_t)pick(g, 1, 2) : 0;
    if (like->rank + extra > 7) extra = 0;
    for (int32_t k = 0; k < like->rank + extra; k++) {
        int64_t size = k < extra ? 1 : like->dims[k - extra], wanted = pick_size(g);
        dims[k] = size == 1 && chance(g, 60) && n * wanted <= 3000 ? wanted : size;
        if (size == 1 && dims[k] > 1) n *= dims[k];
    }
    return like->rank + extra;
}

int32_t part_shape(gen *g, int32_t rank, const int64_t *dims, int64_t *out) {
    int32_t cut = chance(g, 40) ? (int32_t)pick(g, 0, rank) : 0;
    int ones = (int)pick(g, 0, 2) * 25;
    for (int32_t k = cut; k < rank; k++) out[k - cut] = chance(g, ones) ? 1 : dims[k];
    return rank - cut;
}

/* ---- Nodes ---- */

void set_in(gen *g, uint32_t index, int value) {
    while (g->node->n_in <= index) g->node->in[g->node->n_in++] = -1;
    g->node->in[index] = value;
}

void set_int(gen *g, const char *name, int64_t value) {
    case_attribute_add(g->node, name, OB_ATTR_INT)->ints[0] = value;
}

void set_float(gen *g, const char *name, double value) {
    case_attribute_add(g->node, name, OB_ATTR_FLOAT)->floats[0] = (float)value;
}

void set_string(gen *g, const char *name, const char *value) {
    case_attribute_add(g->node, name, OB_ATTR_STRING)->strings[0] = value;
}

void set_ints(gen *g, const char *name, const int64_t *ints, int64_t n) {
    case_attribute *a = case_attribute_add(g->node, name, OB_ATTR_INTS);
    a->n = (uint32_t)n;
    for (int64_t i = 0; i < n && i < MAX_LIST; i++) a->ints[i] = ints[i];
}

int64_t pick_axis(gen *g, int32_t rank, bool negative) {
    int64_t axis = pick(g, 0, rank - 1);
    return negative && chance(g, 40) ? axis - rank : axis;
}

int64_t pick_axes(gen *g, int32_t rank, bool negative, int64_t *axes) {
    int64_t n = 0;
    for (int32_t k = 0; k < rank; k++)
        if (chance(g, 50)) axes[n++] = negative && chance(g, 30) ? k - rank : k;
    if (n > 1 && chance(g, 30)) {
        int64_t first = axes[0];
        axes[0] = axes[n - 1];
        axes[n - 1] = first;
    }
    return n;
}

/* ---- Graphs ---- */

bool gen_has_kernel(const ob_op *op) {
    return op->kernel && strcmp(op->kernel->name, "none") != 0;
}

const gen_row *gen_find(const ob_op *op) {
    const gen_row *const tables[] = {gen_elementwise, gen_products, gen_moves, gen_selects, gen_norms, gen_vision, gen_features};
    for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++)
        for (const gen_row *row = tables[t]; row->kernel; row++)
            if (op->kernel && strcmp(row->kernel, op->kernel->name) == 0) return row;
    return NULL;
}

ob_status gen_evaluate(graph_case *c, uint32_t index, ob_error *error) {
    static graph_case alone;
    static run_result result;
    case_extract(c, index, &alone);
    run_case(&alone, c->pool, &(run_options){.optimize = false}, &result);
    if (error) *error = result.error;
    if (result.status != OB_OK) return result.status;
    size_t n = 0;
    for (uint32_t i = 0; i < c->nodes[index].n_out; i++)
        if (c->nodes[index].out[i] >= 0) {
            case_value *value = &c->values[c->nodes[index].out[i]];
            value->view = result.views[n++];
            value->is_tame = is_tame(&value->view);
        }
    return OB_OK;
}

/* One more node; false: it could not be made, and nothing was added. */
static bool add_node(gen *g, const ob_op *op) {
    graph_case *c = g->c;
    const gen_row *row = gen_find(op);
    uint32_t n_values = c->n_values;
    if (!row || c->n_nodes == MAX_NODES || n_values + 24 > MAX_VALUES) return false;
    g->node = &c->nodes[c->n_nodes];
    *g->node = (case_node){.op = op};
    g->op = op;
    g->wild = row->takes_wild && chance(g, 25);
    bool made = row->make(g);
    for (uint32_t i = 0; made && i < g->node->n_in; i++) made = g->node->in[i] >= 0 || i > 0 || op->in_min == 0;
    if (!made) {
        c->n_values = n_values;
        return false;
    }
    if (g->node->n_out == 0) g->node->n_out = 1;
    for (uint32_t i = 0; i < g->node->n_out; i++) {
        bool wanted = g->node->out[i] >= 0;
        g->node->out[i] = wanted ? case_add(c, ROLE_COMPUTED, &(ob_view){.dtype = OB_NONE}) : -1;
    }
    c->n_nodes++;
    return true;
}

static bool is_usable(const ob_op *op, int64_t opset, int64_t highest) {
    int64_t now = op->domain[0] ? case_opset(op->domain) : opset ? opset : highest;
    return gen_has_kernel(op) && !op->deprecated && gen_find(op) && op->since <= now &&
           (!opset || ob__op_find(op->domain, op->name, op->domain[0] ? now : opset) == op);
}

static const ob_op *pick_op(gen *g, int64_t opset, const gen_options *options) {
    for (int tries = 0; tries < 20000; tries++) {
        const ob_op *op = ob__op_at((size_t)pick(g, 0, (int64_t)ob__op_count() - 1));
        if (options->only && !opset && strcmp(op->name, options->only) != 0) continue;
        if (is_usable(op, opset, options->highest_opset)) return op;
    }
    return NULL;
}

/* An opset at which `op` is the version in force; 0: none from 7 on. */
static int64_t pick_opset(gen *g, const ob_op *op, int64_t highest) {
    int64_t lowest = op->since < 7 || op->domain[0] ? 7 : op->since, last = lowest;
    if (op->domain[0]) return pick(g, lowest, highest);
    if (ob__op_find(op->domain, op->name, lowest) != op) return 0;
    while (last < highest && ob__op_find(op->domain, op->name, last + 1) == op) last++;
    return pick(g, lowest, last);
}

static void choose_outputs(gen *g) {
    graph_case *c = g->c;
    bool used[MAX_VALUES] = {false};
    for (uint32_t n = 0; n < c->n_nodes; n++)
        for (uint32_t i = 0; i < c->nodes[n].n_in; i++)
            if (c->nodes[n].in[i] >= 0) used[c->nodes[n].in[i]] = true;
    for (uint32_t v = 0; v < c->n_values; v++)
        if (c->values[v].role == ROLE_COMPUTED) c->values[v].is_output = !used[v] || chance(g, 15);
}

static void choose_symbols(gen *g) {
    graph_case *c = g->c;
    unsigned char next = 60;
    if (!chance(g, 50)) return;
    for (uint32_t v = 0; v < c->n_values; v++)
        for (int32_t k = 0; c->values[v].role == ROLE_INPUT && k < c->values[v].view.rank; k++) {
            int64_t size = c->values[v].view.dims[k];
            if (!chance(g, 60)) continue;
            c->values[v].symbols[k] = chance(g, 60) && size < 50 ? (unsigned char)(size + 1) : next < 250 ? next++ : 0;
        }
}

bool generate(uint64_t seed, uint64_t number, const gen_options *options, pool *p, graph_case *out, int *refused,
              ob_error *error) {
    gen g = {.c = out, .r = rng_make(seed, number)};
    *out = (graph_case){.seed = seed, .number = number, .pool = p};
    *refused = -1;
    const ob_op *first = pick_op(&g, 0, options);
    if (!first || !(out->opset = pick_opset(&g, first, options->highest_opset))) return false;
    int64_t n_wanted = chance(&g, 45) ? 1 : pick(&g, 2, 6);
    for (int tries = 0; out->n_nodes < n_wanted && tries < 30; tries++) {
        uint32_t n_values = out->n_values;
        const ob_op *op = out->n_nodes == 0 ? first : pick_op(&g, out->opset, options);
        if (!op || !add_node(&g, op)) continue;
        if (gen_evaluate(out, out->n_nodes - 1, error) != OB_OK) {
            *refused = (int)out->n_nodes - 1;
            return true;
        }
        const case_node *node = &out->nodes[out->n_nodes - 1];
        bool large = false;
        for (uint32_t i = 0; i < node->n_out; i++)
            large = large || (node->out[i] >= 0 && ob_view_count(&out->values[node->out[i]].view) > MAX_ELEMS);
        if (large) {
            out->n_nodes--;
            out->n_values = n_values;
        }
    }
    choose_outputs(&g);
    choose_symbols(&g);
    return out->n_nodes > 0;
}
