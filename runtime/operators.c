/* The operators in use, for a build that has no others. */
#include "core/base/error.h"
#include "ops/table/op.h"
#include "passes/check/facts.h"
#include "runtime/session.h"

enum { BITS = 64 };

static size_t n_words(void) {
    return (ob__op_count() + BITS - 1) / BITS;
}

void ob__session_uses(void *context, const ob_op *op) {
    ob_session *session = context;
    const size_t row = op ? ob__op_index(op) : SIZE_MAX;
    if (row != SIZE_MAX) session->rows[row / BITS] |= UINT64_C(1) << row % BITS;
}

static ob_status note_graph(void *context, ob_graph *graph) {
    for (const ob_node *node = graph->first; node; node = node->next) ob__session_uses(context, node->op);
    return OB_OK;
}

ob_status ob__note_operators(ob_session *session) {
    if (!session->rows) session->rows = OB_ARENA_ARRAY(&session->arena, uint64_t, n_words());
    if (!session->rows) return OB_E_MEMORY;
    return ob__model_each_graph(session->model, note_graph, session);
}

typedef struct listing {
    const ob_session *session;
    uint64_t *types; /* by row */
} listing;

static void add_type(listing *l, size_t row, const ob_value *value) {
    const ob_type *type = value ? &ob__fact(&l->session->facts, value)->type : NULL;
    if (type && type->kind == OB_TYPE_TENSOR && type->dtype != OB_NONE) l->types[row] |= UINT64_C(1) << type->dtype;
}

static ob_status list_graph(void *context, ob_graph *graph) {
    listing *l = context;
    for (const ob_node *node = graph->first; node; node = node->next) {
        const size_t row = node->op ? ob__op_index(node->op) : SIZE_MAX;
        if (row == SIZE_MAX) continue;
        for (uint32_t i = 0; i < node->n_inputs; i++) add_type(l, row, node->inputs[i]);
        for (uint32_t i = 0; i < node->n_outputs; i++) add_type(l, row, node->outputs[i]);
    }
    return OB_OK;
}

ob_status ob_session_each_operator(const ob_session *session, void (*visit)(void *context, const ob_operator_use *use),
                                   void *context, ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!session || !visit, error, OB_E_ARGUMENT, "session and visit must not be NULL");
    ob_arena arena;
    ob__arena_init(&arena, &session->allocator);
    listing l = {session, OB_ARENA_ARRAY(&arena, uint64_t, ob__op_count())};
    ob_status status = l.types ? ob__model_each_graph(session->model, list_graph, &l) : OB_E_MEMORY;
    for (size_t row = 0; status == OB_OK && row < ob__op_count(); row++) {
        const ob_op *op = ob__op_at(row);
        const ob_operator_use use = {op->domain[0] ? op->domain : "ai.onnx", op->name, op->since, l.types[row]};
        if (session->rows[row / BITS] >> row % BITS & 1) visit(context, &use);
    }
    ob__arena_release(&arena);
    return ob__described(error, status, "");
}
