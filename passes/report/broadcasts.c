/* The report's broadcasts, one by one. */
#include "core/base/error.h"
#include "core/base/integers.h"
#include "core/dims/terms.h"
#include "passes/check/names.h"
#include "passes/report/report.h"

ob_dim ob__copied_bytes(ob_dims *dims, const ob_facts *facts, const ob_node *node, const ob_group *group) {
    ob_dim total = 0;
    for (uint32_t i = 0; i < group->n; i++) {
        bool stretched = group->result.rank == OB_RANK_UNKNOWN;
        for (int32_t axis = 0; axis < group->result.rank && !stretched; axis++) stretched = ob__group_stretched(group, i, axis);
        if (!stretched || group->inputs[i] == OB_NOT_AN_INPUT) continue;
        if (group->result.rank == OB_RANK_UNKNOWN) return OB_DIM_UNKNOWN;
        size_t n_bytes = ob_dtype_size(ob__fact(facts, node->inputs[group->inputs[i]])->type.dtype);
        if (n_bytes == 0) return OB_DIM_UNKNOWN;
        ob_dim product = (ob_dim)n_bytes;
        for (int32_t axis = 0; axis < group->result.rank; axis++) {
            bool own = axis >= group->result.rank - group->n_fixed_axes; /* matrix axes are the operand's own */
            ob_dim size = own ? ob__group_dim(group, i, axis) : group->result.dims[axis];
            if (ob_dim_is_const(product) && ob_dim_is_const(size)) {
                product = ob__mul_sat_i64(product, size);
                if (product > OB_DIM_CONST_MAX) product = OB_DIM_CONST_MAX;
            } else {
                product = ob_dim_mul(dims, product, size);
            }
        }
        if (ob_dim_is_const(total) && ob_dim_is_const(product))
            total = product > OB_DIM_CONST_MAX - total ? OB_DIM_CONST_MAX : total + product;
        else
            total = ob_dim_add(dims, total, product);
    }
    return total;
}

size_t ob_report_broadcast_count(const ob_report *report) {
    return report->summary.n_broadcasts;
}

static const char *rule_name(const ob_group *group) {
    switch (group->kind) {
    case OB_BCAST_MULTI: return "multidirectional";
    case OB_BCAST_LEGACY: return "opset 1-6";
    case OB_BCAST_UNI: return "one way";
    case OB_BCAST_BATCH: return "batch dimensions";
    case OB_BCAST_EXPAND: return "expand";
    case OB_BCAST_REPEAT:
    case OB_BCAST_NONE: break;
    }
    return "none";
}

ob_status ob_report_broadcast(ob_report *report, size_t index, ob_broadcast_info *out) {
    if (index >= report->summary.n_broadcasts) return OB_E_NOT_FOUND;
    const ob_called *called = report->broadcasts[index].called;
    const ob_node *node = report->broadcasts[index].node;
    const ob_facts *facts = ob__call_view_at(&report->view, called);
    ob_arena *arena = &report->broadcast_texts;
    ob__arena_restart(arena);
    ob_group *group = OB_ARENA_NEW(arena, ob_group);
    bool found = false;
    if (!group) return OB_E_MEMORY;
    ob__dims_restart(report->model->dims);
    OB_TRY(ob__group_of(facts, report->model->dims, node, arena, group, &found));
    if (!found) return OB_E_NOT_FOUND;
    const char **names = OB_ARENA_ARRAY(arena, const char *, group->n);
    uint64_t *stretched = OB_ARENA_ARRAY(arena, uint64_t, group->n);
    const char *path = ob__called_path(node->graph, called, arena);
    if (!names || !stretched || !path) return OB_E_MEMORY;
    bool fits = ob__group_fits(group);
    for (uint32_t i = 0; i < group->n; i++) {
        bool target = group->inputs[i] == OB_NOT_AN_INPUT;
        names[i] = target ? "(target shape)" : ob__report_name(report, node->inputs[group->inputs[i]]->name, arena);
        if (!names[i]) return OB_E_MEMORY;
        for (int32_t axis = 0; fits && axis < group->result.rank && axis < 64; axis++)
            if (ob__group_stretched(group, i, axis)) stretched[i] |= UINT64_C(1) << axis;
    }
    const ob_value *first = node->outputs[0];
    ob_dim bytes = fits ? ob__copied_bytes(report->model->dims, facts, node, group) : OB_DIM_UNKNOWN;
    if (ob_dims_status(report->model->dims) == OB_E_MEMORY) return OB_E_MEMORY;
    const char *label = ob__report_name(report, ob__node_label(node), arena);
    const char *op_type = ob__report_name(report, node->op_type, arena);
    const char *domain = ob__report_name(report, node->domain, arena);
    if (!label || !op_type || !domain) return OB_E_MEMORY;
    *out = (ob_broadcast_info){.node = label,
                               .op_type = op_type,
                               .domain = domain,
                               .path = path,
                               .rule = rule_name(group),
                               .n_operands = group->n,
                               .names = names,
                               .operands = group->shapes,
                               .result = fits ? group->result : (ob_shape){OB_RANK_UNKNOWN, NULL},
                               .fits = fits,
                               .n_fixed_axes = group->n_fixed_axes,
                               .stretched = stretched,
                               .dtype = first ? ob__fact(facts, first)->type.dtype : OB_NONE,
                               .copied_bytes = bytes,
                               .n_calls = ob__n_calls(called)};
    return OB_OK;
}
