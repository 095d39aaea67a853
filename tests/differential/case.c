#include "case.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Memory ---- */

enum { POOL_BLOCK = 1 << 20 };

struct pool_block {
    pool_block *before;
    size_t n_bytes;
    _Alignas(64) unsigned char bytes[];
};

void *pool_alloc(pool *p, size_t n_bytes) {
    size_t n = (n_bytes + 63) / 64 * 64 + 64; /* a zero after the end: element sizes may be read past it */
    if (!p->last || p->last->n_bytes - p->used < n) {
        size_t size = n > POOL_BLOCK ? n : POOL_BLOCK;
        pool_block *block = aligned_alloc(64, (sizeof *block + size + 63) / 64 * 64);
        if (!block) {
            fprintf(stderr, "out of memory\n");
            exit(2);
        }
        *block = (pool_block){.before = p->last, .n_bytes = size};
        p->last = block;
        p->used = 0;
    }
    void *memory = p->last->bytes + p->used;
    p->used += n;
    return memset(memory, 0, n);
}

void pool_free(pool *p) {
    for (pool_block *block = p->last; block;) {
        pool_block *before = block->before;
        free(block);
        block = before;
    }
    *p = (pool){NULL, 0};
}

char *pool_print(pool *p, const char *format, ...) {
    char text[2000];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    size_t n = strlen(text) + 1;
    return memcpy(pool_alloc(p, n), text, n);
}

ob_view pool_view(pool *p, ob_dtype dtype, int32_t rank, const int64_t *dims) {
    ob_view view;
    char somewhere;
    if (ob_view_init(&view, &somewhere, dtype, rank, dims) != OB_OK) {
        fprintf(stderr, "a view cannot be made: %s of rank %d\n", ob_dtype_name(dtype), rank);
        exit(2);
    }
    view.data = pool_alloc(p, (size_t)ob_view_count(&view) * ob_dtype_size(dtype));
    return view;
}

ob_view pool_copy(pool *p, const ob_view *view) {
    ob_view copy = pool_view(p, view->dtype, view->rank, view->dims);
    size_t n = (size_t)ob_view_count(view);
    if (n == 0) return copy;
    memcpy(copy.data, view->data, n * ob_dtype_size(view->dtype));
    if (view->dtype != OB_STRING) return copy;
    ob_string *strings = copy.data;
    for (size_t i = 0; i < n; i++) {
        char *bytes = pool_alloc(p, strings[i].n);
        if (strings[i].n) memcpy(bytes, strings[i].data, strings[i].n);
        strings[i].data = bytes;
    }
    return copy;
}

/* ---- Parts ---- */

int case_add(graph_case *c, role as, const ob_view *view) {
    if (c->n_values == MAX_VALUES) return -1;
    c->values[c->n_values] = (case_value){.role = as, .view = *view};
    return (int)c->n_values++;
}

case_attribute *case_attribute_add(case_node *node, const char *name, ob_attribute_type type) {
    case_attribute *a = &node->attributes[node->n_attributes++];
    *a = (case_attribute){.name = name, .type = type, .n = 1};
    return a;
}

const case_attribute *case_attribute_find(const case_node *node, const char *name) {
    for (uint32_t i = 0; i < node->n_attributes; i++)
        if (strcmp(node->attributes[i].name, name) == 0) return &node->attributes[i];
    return NULL;
}

void case_extract(const graph_case *c, uint32_t node, graph_case *out) {
    *out = (graph_case){.seed = c->seed, .number = c->number, .opset = c->opset, .pool = c->pool, .n_nodes = 1};
    const case_node *from = &c->nodes[node];
    case_node *to = &out->nodes[0];
    *to = *from;
    for (uint32_t i = 0; i < from->n_in; i++) {
        if (from->in[i] < 0) continue;
        uint32_t first = 0; /* the same value twice stays one value */
        while (from->in[first] != from->in[i]) first++;
        if (first < i) {
            to->in[i] = to->in[first];
            continue;
        }
        const case_value *value = &c->values[from->in[i]];
        to->in[i] = case_add(out, value->role == ROLE_COMPUTED ? ROLE_INPUT : value->role, &value->view);
        out->values[to->in[i]].is_parameter = value->is_parameter;
        out->values[to->in[i]].is_tame = value->is_tame;
    }
    for (uint32_t i = 0; i < from->n_out; i++) {
        if (from->out[i] < 0) continue;
        to->out[i] = case_add(out, ROLE_COMPUTED, &c->values[from->out[i]].view);
        out->values[to->out[i]].is_output = true;
    }
}

void case_sweep(graph_case *c) {
    bool used[MAX_VALUES] = {false};
    for (uint32_t n = 0; n < c->n_nodes; n++)
        for (uint32_t i = 0; i < c->nodes[n].n_in; i++)
            if (c->nodes[n].in[i] >= 0) used[c->nodes[n].in[i]] = true;
    for (uint32_t v = 0; v < c->n_values; v++)
        if (c->values[v].role != ROLE_COMPUTED && !used[v]) c->values[v].role = ROLE_GONE;
}

size_t case_inputs(const graph_case *c, ob_view *views) {
    size_t n = 0;
    for (uint32_t v = 0; v < c->n_values; v++)
        if (c->values[v].role == ROLE_INPUT) views[n++] = c->values[v].view;
    return n;
}

size_t case_outputs(const graph_case *c, int *indices) {
    size_t n = 0;
    for (uint32_t v = 0; v < c->n_values; v++)
        if (c->values[v].role == ROLE_COMPUTED && c->values[v].is_output) indices[n++] = (int)v;
    return n;
}

static bool same_element(const ob_view *a, const ob_view *b, size_t i) {
    size_t size = ob_dtype_size(a->dtype);
    if (a->dtype != OB_STRING) return memcmp((const char *)a->data + i * size, (const char *)b->data + i * size, size) == 0;
    const ob_string *x = (const ob_string *)a->data + i, *y = (const ob_string *)b->data + i;
    return x->n == y->n && (x->n == 0 || memcmp(x->data, y->data, x->n) == 0);
}

bool same_bits(const ob_view *a, const ob_view *b) {
    if (a->dtype != b->dtype || a->rank != b->rank) return false;
    for (int32_t i = 0; i < a->rank; i++)
        if (a->dims[i] != b->dims[i]) return false;
    size_t n = (size_t)ob_view_count(a);
    for (size_t i = 0; i < n; i++)
        if (!same_element(a, b, i)) return false;
    return true;
}

/* ---- As text ---- */

typedef struct text {
    char *at;
    size_t n, n_bytes;
} text;

static void put(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void put(text *t, const char *format, ...) {
    if (t->n + 1 >= t->n_bytes) return;
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(t->at + t->n, t->n_bytes - t->n, format, arguments);
    va_end(arguments);
    t->n = n < 0 ? t->n : t->n + (size_t)n < t->n_bytes ? t->n + (size_t)n : t->n_bytes - 1;
}

static void put_value(text *t, const graph_case *c, int index) {
    static const char *const marks[] = {"", "", "=", "~", "!"}; /* by role */
    if (index < 0) {
        put(t, " -");
        return;
    }
    const case_value *value = &c->values[index];
    put(t, " %s%s[", marks[value->role], ob_dtype_name(value->view.dtype));
    for (int32_t k = 0; k < value->view.rank; k++) put(t, "%s%d", k ? "," : "", (int)value->view.dims[k]);
    put(t, "]");
}

static void put_attribute(text *t, const case_attribute *a) {
    bool list = a->type == OB_ATTR_FLOATS || a->type == OB_ATTR_INTS || a->type == OB_ATTR_STRINGS;
    put(t, " %s=%s", a->name, list ? "[" : "");
    for (uint32_t i = 0; i < a->n; i++) {
        if (i) put(t, ",");
        switch (a->type) {
        case OB_ATTR_FLOAT:
        case OB_ATTR_FLOATS: put(t, "%g", (double)a->floats[i]); break;
        case OB_ATTR_INT:
        case OB_ATTR_INTS: put(t, "%lld", (long long)a->ints[i]); break;
        case OB_ATTR_STRING:
        case OB_ATTR_STRINGS: put(t, "%s", a->strings[i]); break;
        default: put(t, "tensor"); break;
        }
    }
    if (list) put(t, "]");
}

void case_describe(const graph_case *c, char *to, size_t n_bytes) {
    text t = {to, 0, n_bytes};
    to[0] = '\0';
    for (uint32_t n = 0; n < c->n_nodes; n++) {
        const case_node *node = &c->nodes[n];
        put(&t, "%s%s-%d", n ? "; " : "", node->op->name, node->op->since);
        for (uint32_t i = 0; i < node->n_in; i++) put_value(&t, c, node->in[i]);
        for (uint32_t i = 0; i < node->n_attributes; i++) put_attribute(&t, &node->attributes[i]);
        put(&t, " ->");
        for (uint32_t i = 0; i < node->n_out; i++) put_value(&t, c, node->out[i]);
    }
}
