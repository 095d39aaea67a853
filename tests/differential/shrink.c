#include "shrink.h"

#include <ctype.h>
#include <string.h>

#include "gen.h"
#include "number.h"

/* The view cut to, or repeated to, other sizes. */
static ob_view resized(pool *p, const ob_view *view, int32_t rank, const int64_t *dims) {
    ob_view out = pool_view(p, view->dtype, rank, dims);
    int64_t n = ob_view_count(view);
    size_t size = ob_dtype_size(view->dtype);
    for (int64_t i = 0; n > 0 && i < ob_view_count(&out); i++) {
        int64_t left = i, index = 0, step = 1;
        for (int32_t k = rank - 1, j = view->rank - 1; k >= 0; k--, j--) {
            int64_t at = left % dims[k];
            left /= dims[k];
            if (j >= 0) index += at % view->dims[j] * step, step *= view->dims[j];
        }
        memcpy((char *)out.data + (size_t)i * size, (const char *)view->data + (size_t)(index % n) * size, size);
    }
    return out;
}

/* ---- Cuts: each changes the case, or returns false ---- */

/* Node n becomes inputs. */
static bool cut_node(graph_case *c, uint32_t n) {
    if (c->n_nodes < 2) return false;
    for (uint32_t i = 0; i < c->nodes[n].n_out; i++) {
        int v = c->nodes[n].out[i];
        if (v < 0) continue;
        c->values[v].role = ROLE_INPUT;
        c->values[v].is_output = false;
        if (c->values[v].view.dtype == OB_NONE) return false;
    }
    memmove(&c->nodes[n], &c->nodes[n + 1], (c->n_nodes - n - 1) * sizeof c->nodes[0]);
    c->n_nodes--;
    case_sweep(c);
    int outputs[MAX_VALUES];
    bool used[MAX_VALUES] = {false};
    for (uint32_t m = 0; m < c->n_nodes; m++)
        for (uint32_t i = 0; i < c->nodes[m].n_in; i++)
            if (c->nodes[m].in[i] >= 0) used[c->nodes[m].in[i]] = true;
    for (uint32_t v = 0; v < c->n_values; v++)
        if (c->values[v].role == ROLE_COMPUTED && !used[v]) c->values[v].is_output = true;
    return case_outputs(c, outputs) > 0;
}

static bool cut_attribute(graph_case *c, uint32_t n, uint32_t a) {
    case_node *node = &c->nodes[n];
    if (a >= node->n_attributes) return false;
    memmove(&node->attributes[a], &node->attributes[a + 1], (node->n_attributes - a - 1) * sizeof node->attributes[0]);
    node->n_attributes--;
    return true;
}

/* The signature marks input i as optional. */
static bool is_optional(const ob_op *op, uint32_t i) {
    const char *p = op->signature;
    for (; *p && *p != '>' && i > 0; i--) p += p[1] == '?' ? 2 : 1;
    return *p && p[1] == '?';
}

static bool cut_operand(graph_case *c, uint32_t n, uint32_t i) {
    case_node *node = &c->nodes[n];
    if (i >= node->n_in || node->in[i] < 0) return false;
    node->in[i] = -1;
    while (node->n_in > 0 && node->in[node->n_in - 1] < 0) node->n_in--;
    case_sweep(c);
    return node->n_in >= (uint32_t)node->op->in_min;
}

static bool cut_optional(graph_case *c, uint32_t n, uint32_t i) {
    return is_optional(c->nodes[n].op, i) && cut_operand(c, n, i);
}

static bool cut_role(graph_case *c, uint32_t v, role to) {
    case_value *value = &c->values[v];
    if (value->role == ROLE_COMPUTED || value->role == ROLE_GONE || value->role == to) return false;
    value->role = to;
    return true;
}

static bool cut_symbols(graph_case *c, uint32_t v) {
    bool any = false;
    for (int32_t k = 0; k < c->values[v].view.rank; k++) any = any || c->values[v].symbols[k];
    memset(c->values[v].symbols, 0, sizeof c->values[v].symbols);
    return any;
}

static bool cut_output(graph_case *c, uint32_t v) {
    int outputs[MAX_VALUES];
    if (c->values[v].role != ROLE_COMPUTED || !c->values[v].is_output || case_outputs(c, outputs) < 2) return false;
    c->values[v].is_output = false;
    return true;
}

/* Every size `from` of the leaves, and in shapes and attributes, becomes `to`. */
static bool cut_size(graph_case *c, int64_t from, int64_t to) {
    bool any = false;
    for (uint32_t v = 0; v < c->n_values; v++) {
        case_value *value = &c->values[v];
        if (value->role == ROLE_COMPUTED || value->role == ROLE_GONE) continue;
        if (value->is_parameter) {
            value->view = pool_copy(c->pool, &value->view);
            for (int64_t i = 0; value->view.dtype == OB_INT64 && i < ob_view_count(&value->view); i++)
                if (integer_get(&value->view, i) == from) integer_set(&value->view, i, to);
            continue;
        }
        int64_t dims[OB_MAX_RANK];
        bool here = false;
        for (int32_t k = 0; k < value->view.rank; k++) {
            dims[k] = value->view.dims[k] == from ? to : value->view.dims[k];
            here = here || dims[k] != value->view.dims[k];
        }
        if (here) value->view = resized(c->pool, &value->view, value->view.rank, dims);
        any = any || here;
    }
    return any;
}

/* A leaf of ones. */
static bool cut_contents(graph_case *c, uint32_t v) {
    case_value *value = &c->values[v];
    if (value->role == ROLE_COMPUTED || value->role == ROLE_GONE || value->is_parameter || value->view.dtype == OB_STRING ||
        value->view.dtype == OB_COMPLEX64 || value->view.dtype == OB_COMPLEX128)
        return false;
    bool any = false;
    value->view = pool_copy(c->pool, &value->view);
    for (int64_t i = 0; i < ob_view_count(&value->view); i++) {
        any = any || number_get(&value->view, i) != 1;
        number_set(&value->view, i, 1);
    }
    return any;
}

/* ---- Trying them ---- */

/* Cut number `which` of all; false: no such cut, *more says whether there are further ones. */
static bool try_cut(graph_case *c, int which, bool *more) {
    static const int64_t sizes[][2] = {{40, 9}, {9, 4}, {8, 4}, {7, 3}, {6, 3}, {5, 2}, {4, 2},
                                       {3, 2},  {2, 1}, {3, 1}, {4, 1}, {5, 1}, {0, 1}};
    int n_sizes = (int)(sizeof sizes / sizeof sizes[0]);
    *more = true;
    if (which < MAX_NODES) return (uint32_t)which < c->n_nodes && cut_node(c, c->n_nodes - 1 - (uint32_t)which);
    which -= MAX_NODES;
    if (which < n_sizes) return cut_size(c, sizes[which][0], sizes[which][1]);
    which -= n_sizes;
    if (which < MAX_NODES * MAX_ATTRIBUTES)
        return (uint32_t)which / MAX_ATTRIBUTES < c->n_nodes &&
               cut_attribute(c, (uint32_t)which / MAX_ATTRIBUTES, (uint32_t)which % MAX_ATTRIBUTES);
    which -= MAX_NODES * MAX_ATTRIBUTES;
    if (which < MAX_NODES * MAX_INPUTS)
        return (uint32_t)which / MAX_INPUTS < c->n_nodes &&
               cut_optional(c, (uint32_t)which / MAX_INPUTS, (uint32_t)which % MAX_INPUTS);
    which -= MAX_NODES * MAX_INPUTS;
    uint32_t v = (uint32_t)which / 4;
    if (v >= c->n_values) return *more = false;
    switch (which % 4) {
    case 0: return cut_role(c, v, ROLE_INPUT);
    case 1: return cut_symbols(c, v);
    case 2: return cut_output(c, v);
    default: return cut_contents(c, v);
    }
}

/* The beginning of the sentence, but for names and numbers: it is still the same that is wrong. */
static bool same_words(const char *a, const char *b) {
    for (int n = 0; n < 40 && (*a || *b); n++) {
        while (*a && !isalpha((unsigned char)*a)) a++;
        while (*b && !isalpha((unsigned char)*b)) b++;
        if (*a != *b) return false;
        if (*a) a++, b++;
    }
    return true;
}

void shrink(graph_case *c, verdict *v, const shrink_judge *by, int budget) {
    static graph_case tried;
    bool progress = true;
    while (progress && budget > 0) {
        bool more = true;
        progress = false;
        for (int which = 0; more && budget > 0; which++) {
            tried = *c;
            if (!try_cut(&tried, which, &more)) continue;
            verdict now;
            by->judge(by->context, &tried, &now);
            budget--;
            if (now.kind != v->kind || !same_words(now.what, v->what)) continue;
            *c = tried;
            *v = now;
            progress = true;
        }
    }
}

/* ---- Faults ---- */

static bool mutate_leaf(graph_case *c, rng *r) {
    case_value *value = &c->values[rng_range(r, 0, c->n_values - 1)];
    ob_view *view = &value->view;
    if (value->role == ROLE_COMPUTED || value->role == ROLE_GONE) return false;
    int64_t dims[OB_MAX_RANK], what = rng_range(r, 0, 9);
    memcpy(dims, view->dims, sizeof dims);
    if (what < 5 && view->rank > 0) { /* another size */
        int64_t k = rng_range(r, 0, view->rank - 1), to = rng_range(r, 0, 5);
        if (to == dims[k]) return false;
        dims[k] = to;
        *view = resized(c->pool, view, view->rank, dims);
    } else if (what < 7) { /* another rank */
        if (view->rank > 0 && rng_chance(r, 50)) {
            *view = resized(c->pool, view, view->rank - 1, dims + 1);
        } else {
            memmove(dims + 1, dims, (size_t)view->rank * sizeof *dims);
            dims[0] = rng_range(r, 0, 3);
            *view = resized(c->pool, view, view->rank + 1, dims);
        }
    } else if (what < 9 && value->is_parameter && ob_view_count(view) > 0 && !is_float_type(view->dtype) &&
               view->dtype != OB_STRING) {
        *view = pool_copy(c->pool, view);
        integer_set(view, rng_range(r, 0, ob_view_count(view) - 1), rng_range(r, -7, 7));
    } else { /* another type */
        static const ob_dtype types[] = {OB_FLOAT, OB_INT64, OB_INT32, OB_BOOL, OB_DOUBLE, OB_UINT8, OB_FLOAT16};
        ob_dtype to = types[rng_range(r, 0, 6)];
        if (to == view->dtype || view->dtype == OB_STRING) return false;
        *view = pool_view(c->pool, to, view->rank, dims);
    }
    return true;
}

static bool mutate_attribute(graph_case *c, rng *r) {
    case_node *node = &c->nodes[rng_range(r, 0, c->n_nodes - 1)];
    if (node->n_attributes == 0) return false;
    case_attribute *a = &node->attributes[rng_range(r, 0, node->n_attributes - 1)];
    if (a->type != OB_ATTR_INT && a->type != OB_ATTR_INTS) return false;
    if (a->type == OB_ATTR_INTS && rng_chance(r, 30)) {
        if (a->n > 0 && rng_chance(r, 50))
            a->n--;
        else if (a->n + 1 < MAX_LIST)
            a->ints[a->n++] = rng_range(r, 0, 3);
        return true;
    }
    if (a->n == 0) return false;
    a->ints[rng_range(r, 0, a->n - 1)] = rng_range(r, -7, 9);
    return true;
}

bool mutate(graph_case *c, rng *r) {
    for (uint32_t v = 0; v < c->n_values; v++) {
        memset(c->values[v].symbols, 0, sizeof c->values[v].symbols);
        if (c->values[v].role == ROLE_COMPUTED) c->values[v].view.dtype = OB_NONE; /* no longer known: not declared */
    }
    for (int tries = 0; tries < 40; tries++) {
        int64_t what = rng_range(r, 0, 9);
        if (what < 6   ? mutate_leaf(c, r)
            : what < 9 ? mutate_attribute(c, r)
                       : cut_operand(c, (uint32_t)rng_range(r, 0, c->n_nodes - 1), (uint32_t)rng_range(r, 0, 3)))
            return true;
    }
    return false;
}

bool resize_symbols(graph_case *c, rng *r) {
    int64_t sizes[256];
    bool any = false;
    for (int i = 0; i < 256; i++) sizes[i] = rng_chance(r, 50) ? rng_range(r, 0, 5) : -1;
    for (uint32_t v = 0; v < c->n_values; v++) {
        case_value *value = &c->values[v];
        int64_t dims[OB_MAX_RANK];
        bool here = false;
        if (value->role != ROLE_INPUT) continue;
        for (int32_t k = 0; k < value->view.rank; k++) {
            int64_t size = value->symbols[k] ? sizes[value->symbols[k]] : -1;
            dims[k] = size >= 0 ? size : value->view.dims[k];
            here = here || dims[k] != value->view.dims[k];
        }
        if (here) value->view = resized(c->pool, &value->view, value->view.rank, dims);
        any = any || here;
    }
    return any;
}
