/* Fixes for clauses that a constant size causes, as in N = 8 or (N*T) % 8 = 0: the size of an input takes the place of the
 * constant. The batch size of an export is the usual case. A constant is replaced if it stands at the place of the axis, or if it
 * is the only one with that number. Linear in the nodes that require the clause, within limits. */
#include <string.h>

#include "core/base/error.h"
#include "core/dims/terms.h"
#include "ops/table/op.h"
#include "passes/check/fix.h"
#include "passes/check/work.h"
#include "passes/contract/contract.h"

enum { MOST_SYMBOLS = 4, MOST_STEPS = 64, DEPTH = 3, MOST_INPUTS = 64 };

/* A size of the clause: the symbol, an axis of an input that has it, and the constant that it must equal. */
typedef struct wanted_size {
    ob_dim symbol;
    const ob_value *input;
    int32_t axis;
    int64_t number; /* -1: not known, the clause has several symbols */
} wanted_size;

typedef struct proposal {
    ob_work *work;
    ob_finding *finding;
    wanted_size sizes[MOST_SYMBOLS];
    uint32_t n_sizes, n_steps;
    bool failed;
} proposal;

static bool find_input(const proposal *p, wanted_size *size) {
    const ob_graph *graph = p->work->model->graph;
    for (uint32_t i = 0; i < graph->n_inputs && i < MOST_INPUTS; i++) {
        const ob_shape *shape = &ob__fact(p->work->facts, graph->inputs[i])->type.shape;
        for (int32_t axis = 0; axis < shape->rank; axis++) {
            if (shape->dims[axis] != size->symbol) continue;
            size->input = graph->inputs[i];
            size->axis = axis;
            return true;
        }
    }
    return false;
}

/* The number c of a literal N - c = 0 with one symbol; -1: it has another form. */
static int64_t number_in(const proposal *p, const ob_literal *literal) {
    ob_dims *dims = p->work->model->dims;
    const ob_dim more = ob_dim_add(dims, literal->p, p->sizes[0].symbol); /* of c - N */
    if (ob_dim_is_const(more) && more >= 0) return more;
    const ob_dim less = ob_dim_sub(dims, p->sizes[0].symbol, literal->p);
    return ob_dim_is_const(less) && less >= 0 ? less : -1;
}

/* The sizes of the clause; false: it does not compare them with a constant. "N = 8 or N = 1" is N = 8 for this purpose. */
static bool read_clause(proposal *p, const ob_solved_clause *clause) {
    const ob_dims *dims = p->work->model->dims;
    int64_t number = -1;
    if (clause->n == 0 || clause->n > 2 || clause->n_guard) return false;
    ob_dim symbols[MOST_SYMBOLS];
    ob_symbol_list list = {.at = symbols, .capacity = MOST_SYMBOLS};
    ob__symbols_add(&list, dims, clause->literals[0].p);
    if (list.is_full || list.n == 0) return false;
    for (p->n_sizes = 0; p->n_sizes < list.n; p->n_sizes++)
        p->sizes[p->n_sizes] = (wanted_size){.symbol = symbols[p->n_sizes], .number = -1};
    for (uint32_t i = 0; i < p->n_sizes; i++)
        if (!find_input(p, &p->sizes[i])) return false;
    if (clause->n == 1 && clause->literals[0].kind == OB_LITERAL_DIVIDES) return ob_dim_is_const(clause->literals[0].q);
    if (clause->n == 1 && p->n_sizes > 1) return clause->literals[0].kind == OB_LITERAL_ZERO;
    if (p->n_sizes > 1) return false;
    for (uint32_t i = 0; i < clause->n; i++) {
        if (clause->literals[i].kind != OB_LITERAL_ZERO) return false;
        const int64_t c = number_in(p, &clause->literals[i]);
        if (c < 1 || (number > 1 && c > 1)) return false;
        if (c > number) number = c;
    }
    p->sizes[0].number = number;
    return true;
}

/* A list of constant sizes. */
static const ob_content *sizes_at(const proposal *p, const ob_node *node, uint32_t operand) {
    const ob_fact *fact = ob__fact(p->work->facts, node->inputs[operand]);
    const ob_content *content = &fact->content;
    const uint32_t bit = operand < 31 ? operand : 31;
    if (!node->op || !(node->op->reads >> bit & 1) || !node->inputs[operand] || !content->elems) return NULL;
    if (fact->type.kind != OB_TYPE_TENSOR || fact->type.dtype != OB_INT64 || content->n == 0 || content->n > OB_MAX_RANK)
        return NULL;
    for (uint32_t i = 0; i < content->n; i++)
        if (!ob_dim_is_const(content->elems[i])) return NULL;
    return content;
}

/* The element that the size replaces, or -1. *guess: another one could be meant. */
static int32_t element_for(const wanted_size *size, const ob_content *content, bool *guess) {
    const int32_t at = size->axis;
    int32_t found = -1;
    uint32_t n = 0;
    for (uint32_t i = 0; i < content->n; i++)
        if (content->elems[i] == size->number) {
            if (n++ == 0) found = (int32_t)i;
        }
    const int64_t there = (uint32_t)at < content->n ? content->elems[at] : -1;
    const bool in_place = size->number < 0 ? there >= 2 : there == size->number;
    *guess = !in_place && n > 1;
    if (in_place) return at;
    return size->number >= 2 ? found : -1;
}

static void add_steps(proposal *p, const ob_node *node, uint32_t operand, const ob_content *content) {
    int32_t elements[MOST_SYMBOLS];
    bool guesses[MOST_SYMBOLS];
    for (uint32_t i = 0; i < p->n_sizes; i++) {
        elements[i] = element_for(&p->sizes[i], content, &guesses[i]);
        if (elements[i] < 0 && p->n_sizes == 1) return;
    }
    for (uint32_t i = 0; i < p->n_sizes && p->n_steps < MOST_STEPS; i++) {
        if (elements[i] < 0) continue;
        ob_fix fix = ob__fix(OB_FIX_KIND_SIZE, node);
        fix.operand = (int32_t)operand;
        fix.other = elements[i];
        fix.value = p->sizes[i].input;
        fix.axis = p->sizes[i].axis;
        fix.is_guess = guesses[i];
        for (uint32_t k = 0; k < p->finding->n_fixes; k++) {
            const ob_fix *made = &p->finding->fixes[k];
            if (made->node == node && made->operand == fix.operand && made->other == fix.other) return;
        }
        if (!ob__fix_add(p->work->findings, p->finding, &fix)) p->failed = true;
        p->n_steps++;
    }
}

/* Constant sizes of the node, or of the nodes that make its operands. */
static void look(proposal *p, const ob_node *node, int depth) {
    const uint32_t n_before = p->n_steps;
    for (uint32_t i = 0; i < node->n_inputs && i < MOST_INPUTS; i++) {
        const ob_content *content = node->inputs[i] ? sizes_at(p, node, i) : NULL;
        if (content) add_steps(p, node, i, content);
    }
    for (uint32_t i = 0; i < node->n_inputs && i < MOST_SYMBOLS && depth > 0 && p->n_steps == n_before; i++) {
        const ob_value *value = node->inputs[i];
        if (value && value->producer && !value->graph->function) look(p, value->producer, depth - 1);
    }
}

ob_status ob__propose_sizes(ob_work *work, const ob_solved_clause *clause, ob_finding *finding) {
    proposal p = {.work = work, .finding = finding};
    const ob_facts *facts = work->facts;
    if (!read_clause(&p, clause)) return OB_OK;
    for (uint32_t i = 0; i < clause->n_origins && p.n_steps < MOST_STEPS && !p.failed; i++) {
        if (clause->origins[i] >= facts->n_conditions) continue;
        const ob_node *node = facts->conditions[clause->origins[i]].node;
        if (node && !node->graph->function) look(&p, node, DEPTH);
    }
    return p.failed ? OB_E_MEMORY : OB_OK;
}
