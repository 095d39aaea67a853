/* The conditions on values as a C function over the data of inputs. */
#include <string.h>

#include "core/dims/terms.h"
#include "passes/contract/bounds.h"
#include "passes/report/guard.h"

/* Helpers for values; all are used if there is a condition. */
static const char helpers[] =
    "/* Stores element i as an integer in *v. Returns 0 if it is not one. */\n"
    "static int obg_element(const void *data, int type, int64_t i, int64_t *v) {\n"
    "    double x;\n"
    "    switch (type) {\n"
    "    case 2: *v = ((const uint8_t *)data)[i]; return 1;\n"
    "    case 3: *v = ((const int8_t *)data)[i]; return 1;\n"
    "    case 4: *v = ((const uint16_t *)data)[i]; return 1;\n"
    "    case 5: *v = ((const int16_t *)data)[i]; return 1;\n"
    "    case 6: *v = ((const int32_t *)data)[i]; return 1;\n"
    "    case 7: *v = ((const int64_t *)data)[i]; return 1;\n"
    "    case 12: *v = ((const uint32_t *)data)[i]; return 1;\n"
    "    case 1: x = (double)((const float *)data)[i]; break;\n"
    "    default: x = ((const double *)data)[i];\n"
    "    }\n"
    "    if (!(x > -9.0e18 && x < 9.0e18)) return 0;\n"
    "    *v = (int64_t)x;\n"
    "    return 1;\n"
    "}\n"
    "/* Are all elements from first to end - 1 between low and high? 0 no, 1 yes, 2 unknown */\n"
    "static int obg_within(const void *data, int type, int rank, const obg_value *dims, const obg_value *first,\n"
    "                      const obg_value *end, obg_value low, obg_value high) {\n"
    "    int64_t at[OBG_RANK], index, v;\n"
    "    int a, none = 0;\n"
    "    for (a = 0; a < rank; a++) {\n"
    "        if (dims[a].bad || first[a].bad || end[a].bad || first[a].v < 0 || end[a].v > dims[a].v) return 2;\n"
    "        if (first[a].v >= end[a].v) none = 1;\n"
    "        at[a] = first[a].v;\n"
    "    }\n"
    "    if (none) return 1;\n"
    "    if (low.bad || high.bad) return 2;\n"
    "    for (;;) {\n"
    "        index = 0;\n"
    "        for (a = 0; a < rank; a++) index = index * dims[a].v + at[a];\n"
    "        if (!obg_element(data, type, index, &v) || v < low.v || v > high.v) return 0;\n"
    "        for (a = rank - 1; a >= 0 && ++at[a] == end[a].v; a--) at[a] = first[a].v;\n"
    "        if (a < 0) return 1;\n"
    "    }\n"
    "}\n";

/* Used where conditions have guards. */
static const char guard_helpers[] =
    "static int obg_and(int a, int b) {\n    return a == 0 || b == 0 ? 0 : a == 2 || b == 2 ? 2 : 1;\n}\n"
    "static int obg_is_positive(obg_value p) {\n    return p.bad ? (p.bad == 1 ? 0 : 2) : p.v >= 1;\n}\n\n";

/* ---- The inputs ---- */

/* Is bound `index` the first of its input? */
static bool is_first(const ob_contract *contract, uint32_t index) {
    for (uint32_t i = 0; i < index; i++)
        if (contract->bounds[i].bound.input == contract->bounds[index].bound.input) return false;
    return true;
}

static uint32_t place_of(const ob_contract *contract, uint32_t index) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < index; i++) {
        if (contract->bounds[i].bound.input == contract->bounds[index].bound.input) return n;
        n += is_first(contract, i);
    }
    return n;
}

static uint32_t n_inputs(const ob_contract *contract) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < contract->n_bounds; i++) n += is_first(contract, i);
    return n;
}

/* ---- The body ---- */

static void list_terms(ob_guard_body *g, const char *name, const ob_dim *terms, int32_t n) {
    ob__text_printf(&g->body, "        const obg_value %s[] = {", name);
    for (int32_t i = 0; i < n; i++) {
        ob__text_puts(&g->body, i ? ", " : "");
        ob__guard_operand(g, terms[i]);
    }
    ob__text_puts(&g->body, n > 0 ? "};\n" : "obg_number(0)};\n");
}

static void require_all(ob_guard_body *g, const ob_dim *terms, int32_t n) {
    for (int32_t i = 0; i < n; i++) ob__guard_require(g, terms[i]);
}

/* The caller's data for an input must have the input's type and size at these sizes. */
static void check_input(ob_guard_body *g, const ob_type *type, uint32_t place) {
    ob_text *body = &g->body;
    ob__text_printf(body, "    if (types[%u] != %d || counts[%u] < 0 || (counts[%u] > 0 && !data[%u])) return -3;\n", place,
                    (int)type->dtype, place, place, place);
    if (type->shape.rank < 0) return;
    g->uses |= OB_GUARD_MUL;
    require_all(g, type->shape.dims, type->shape.rank);
    ob__text_puts(body, "    n = obg_number(1);\n");
    for (int32_t axis = 0; axis < type->shape.rank; axis++) {
        ob__text_puts(body, "    n = obg_mul(n, ");
        ob__guard_operand(g, type->shape.dims[axis]);
        ob__text_puts(body, ");\n");
    }
    ob__text_printf(body, "    if (n.bad || n.v != counts[%u]) return -3;\n", place);
}

static void write_end(ob_guard_body *g, ob_dim end, const char *otherwise) {
    if (end == OB_DIM_UNKNOWN)
        ob__text_printf(&g->body, "obg_number(%s)", otherwise);
    else
        ob__guard_operand(g, end);
}

/* The part as a box of the input's axes, all of it as one axis. */
static void write_box(ob_guard_body *g, const ob_bound *b, const ob_type *type, uint32_t place) {
    if (b->first) {
        list_terms(g, "dims", type->shape.dims, type->shape.rank);
        list_terms(g, "first", b->first, type->shape.rank);
        list_terms(g, "end", b->end, type->shape.rank);
    } else {
        ob__text_printf(&g->body,
                        "        const obg_value dims[] = {obg_number(counts[%u])}, first[] = {obg_number(0)},\n"
                        "                        end[] = {obg_number(counts[%u])};\n",
                        place, place);
    }
    ob__text_printf(&g->body, "        holds = obg_within(data[%u], %d, %d, dims, first, end, ", place, (int)type->dtype,
                    b->first ? (int)type->shape.rank : 1);
    write_end(g, b->lowest, "INT64_MIN");
    ob__text_puts(&g->body, ", ");
    write_end(g, b->highest, "INT64_MAX");
    ob__text_puts(&g->body, ");\n");
}

static void write_bound(ob_guard_body *g, const ob_facts *facts, uint32_t index) {
    const ob_contract_bound *bound = &g->contract->bounds[index];
    const ob_bound *b = &bound->bound;
    const ob_type *type = &ob__fact(facts, b->input)->type;
    ob_text text;
    ob__text_init(&text, &g->body.allocator);
    ob__bound_write(&text, g->dims, facts, bound, b->input->name);
    g->failed |= text.failed;
    if (b->lowest != OB_DIM_UNKNOWN) ob__guard_require(g, b->lowest);
    if (b->highest != OB_DIM_UNKNOWN) ob__guard_require(g, b->highest);
    require_all(g, bound->guards, (int32_t)bound->n_guards);
    if (b->first) {
        require_all(g, type->shape.dims, type->shape.rank);
        require_all(g, b->first, type->shape.rank);
        require_all(g, b->end, type->shape.rank);
    }
    ob__text_puts(&g->body, "    asked = 1;\n");
    for (uint32_t i = 0; i < bound->n_guards; i++) {
        ob__text_puts(&g->body, "    asked = obg_and(asked, obg_is_positive(");
        ob__guard_operand(g, bound->guards[i]);
        ob__text_puts(&g->body, "));\n");
    }
    ob__text_puts(&g->body, "    if (asked == 2) all = -1;\n    if (asked == 1) {\n");
    write_box(g, b, type, place_of(g->contract, index));
    ob__text_puts(&g->body, "        if (holds == 0) {\n            if (condition) *condition = \"");
    ob__guard_escaped(&g->body, text.data ? text.data : "", text.n);
    ob__text_printf(&g->body, "\";\n            return %u;\n        }\n        if (holds == 2) all = -1;\n    }\n", index + 1);
    ob__text_release(&text);
}

void ob__guard_values(ob_guard_body *g, const ob_facts *facts) {
    const ob_contract *contract = g->contract;
    if (contract->n_bounds == 0) return;
    g->uses |= OB_GUARD_VALUE;
    ob__guard_symbols(g);
    for (uint32_t i = 0; i < contract->n_bounds; i++)
        if (is_first(contract, i)) check_input(g, &ob__fact(facts, contract->bounds[i].bound.input)->type, place_of(contract, i));
    for (uint32_t i = 0; i < contract->n_bounds && !g->failed; i++) write_bound(g, facts, i);
}

/* ---- The file ---- */

void ob__guard_values_declare(ob_text *file, const char *name) {
    ob__text_printf(file,
                    "int %s_values(const int64_t *sizes, const void *const *data, const int *types, const int64_t *counts,\n"
                    "    const char **condition);\n"
                    "/* The number of inputs that it reads. */\n"
                    "int %s_inputs(void);\n"
                    "/* The name of input `index`, or NULL, and ONNX's number of its element type, or 0. */\n"
                    "const char *%s_input(int index);\n"
                    "int %s_input_type(int index);\n",
                    name, name, name, name);
}

static bool has_guards(const ob_contract *contract) {
    for (uint32_t i = 0; i < contract->n_bounds; i++)
        if (contract->bounds[i].n_guards) return true;
    return false;
}

static void write_inputs(ob_text *file, const ob_contract *contract, const ob_facts *facts, const char *name) {
    ob__text_printf(file, "\nint %s_inputs(void) {\n    return %u;\n}\n\n", name, n_inputs(contract));
    for (int type = 0; type < 2; type++) {
        ob__text_printf(file,
                        type ? "int %s_input_type(int index) {\n    switch (index) {\n"
                             : "const char *%s_input(int index) {\n    switch (index) {\n",
                        name);
        for (uint32_t i = 0; i < contract->n_bounds; i++) {
            const ob_value *input = contract->bounds[i].bound.input;
            if (!is_first(contract, i)) continue;
            ob__text_printf(file, "    case %u: return ", place_of(contract, i));
            if (type) {
                ob__text_printf(file, "%d;\n", (int)ob__fact(facts, input)->type.dtype);
                continue;
            }
            ob__text_puts(file, "\"");
            ob__guard_escaped(file, input->name, strlen(input->name));
            ob__text_puts(file, "\";\n");
        }
        ob__text_puts(file, "    default: return 0;\n    }\n}\n\n");
    }
}

void ob__guard_values_write(ob_text *file, const ob_guard_body *g, const ob_facts *facts, const char *name) {
    const ob_contract *contract = g->contract;
    write_inputs(file, contract, facts, name);
    if (contract->n_bounds) {
        ob__text_printf(file, "#define OBG_RANK %d\n", OB_MAX_RANK);
        ob__text_puts(file, helpers);
        ob__text_puts(file, has_guards(contract) ? guard_helpers : "\n");
    }
    ob__text_printf(file,
                    "int %s_values(const int64_t *sizes, const void *const *data, const int *types, const int64_t *counts,\n"
                    "    const char **condition) {\n",
                    name);
    if (contract->n_bounds == 0) {
        ob__text_puts(file, "    (void)sizes;\n    (void)data;\n    (void)types;\n    (void)counts;\n"
                            "    if (condition) *condition = 0;\n    return 0;\n}\n");
        return;
    }
    ob__text_puts(file, "    int all = 0, asked, holds;\n    obg_value n = obg_number(0);\n    (void)n;\n"
                        "    if (condition) *condition = 0;\n");
    if (contract->n_inputs)
        ob__text_printf(file,
                        "    for (asked = 0; asked < %u; asked++)\n"
                        "        if (sizes[asked] < 0 || sizes[asked] > OBG_MOST) return -3;\n",
                        contract->n_inputs);
    else
        ob__text_puts(file, "    (void)sizes;\n");
    if (g->body.n) ob__text_append(file, g->body.data, g->body.n);
    ob__text_puts(file, "    return all;\n}\n");
}
