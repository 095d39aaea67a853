/* The state of planning: for runtime/plan/ only. */
#ifndef OB_RUNTIME_BUILD_H
#define OB_RUNTIME_BUILD_H

#include "runtime/plan/plan.h"

typedef struct ob_builder {
    ob_session *session;
    ob_plan *plan;
    ob_arena scratch; /* dies with the planning */
    ob_facts facts;   /* for these inputs */
    const ob_view *inputs;
    bool *is_dynamic; /* by value id: a result of a dynamic step */
    uint32_t n_steps;
    uint32_t n_unsupported;
    char unsupported[400]; /* the first of them */
    ob_error *error;
} ob_builder;

/* Rank and all sizes known, element type known. */
bool ob__is_static_type(const ob_type *type);

/* runtime/plan/plan_node.c */
ob_status ob__new_buffer(ob_builder *b, ob_buffer_kind kind, uint32_t index, uint64_t n_bytes, ob_buffer **out);
/* Says where `value` lives; adds its reads to the buffer's. view->data is not used. */
ob_status ob__new_slot(ob_builder *b, const ob_value *value, ob_buffer *buffer, int64_t offset, const ob_view *view);
ob_status ob__plan_node(ob_builder *b, const ob_node *node);
/* After the last node: graph outputs get memory of their own, contiguous. */
ob_status ob__place_outputs(ob_builder *b);

#endif
