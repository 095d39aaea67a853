/* The state of planning: for runtime/plan/ only. */
#ifndef OB_RUNTIME_PLAN_BUILDER_H
#define OB_RUNTIME_PLAN_BUILDER_H

#include "ops/control/params.h"
#include "passes/check/propagate.h"
#include "runtime/plan/plan.h"
#include "runtime/session.h"
#include "runtime/support.h"

typedef struct ob_captured {
    ob_buffer *buffer;
    struct ob_captured *next;
} ob_captured;

/* The origin of a value. */
typedef enum ob_source {
    OB_SOURCE_PLAN = 0, /* a step with a place for it, or a constant */
    OB_SOURCE_STEP,     /* a dynamic step: its size is known after the step */
    OB_SOURCE_REST      /* a node that waits for such a size */
} ob_source;

typedef struct ob_builder {
    ob_session *session;
    const ob_part *part; /* NULL: the main graph */
    const ob_value *const *entries;
    const ob_value *const *results;
    uint32_t n_entries, n_results;
    ob_plan *plan;
    ob_arena scratch;      /* freed at the end of planning */
    const ob_facts *facts; /* for these inputs: own_facts, or those of the session if no size is open */
    ob_facts own_facts;
    const ob_view *inputs;
    struct ob_room *room;         /* full views for the current node, in blocks: most of a view is capacity */
    uint32_t n_room;              /* in use */
    const ob_layout *layouts[64]; /* by hash: recent layouts, for sharing */
    uint8_t *sources;             /* by value id: ob_source */
    ob_node **waiting;            /* nodes that wait for a size */
    uint32_t n_waiting, waiting_capacity;
    const ob_node **put_off; /* nodes that widen weights, until something reads them; NULL: planned */
    uint32_t n_put_off, put_off_capacity;
    bool *doubtful; /* by node id: a node of a body that would fail for these sizes if the body ran; NULL: none */
    uint32_t n_steps;
    uint32_t depth;               /* number of subplans around the current node */
    struct ob_captured *captured; /* buffers of outer subplans that inner ones use, up to the outermost subplan */
    ob_survey *survey;            /* nodes that cannot run; NULL: none so far */
    struct ob_join *joins;        /* the last one first */
    uint32_t n_joins;
    ob_error *error;
} ob_builder;

/* Rank and all sizes known, element type known. */
bool ob__is_static_type(const ob_type *type);

/* runtime/plan/infer.c: fills b->facts; E_SHAPE, E_TYPE ... as the first error says. */
ob_status ob__infer_shapes(ob_builder *b);
/* The type of input i, and its elements if they are few integers. */
ob_status ob__give_input(ob_builder *b, uint32_t i, bool with_content, ob_given_input *out);
/* runtime/plan/substitute.c: the same for the main graph, from the facts for all sizes. *done false: it has to be inferred. */
ob_status ob__substitute(ob_builder *b, ob_findings *findings, bool *done);

/* runtime/plan/slots.c */
/* n empty views, valid until the current node is planned; NULL: no memory. */
ob_view *ob__some_views(ob_builder *b, uint32_t n);
/* The view's layout, for the plan; NULL: no memory. */
const ob_layout *ob__new_layout(ob_builder *b, const ob_view *view);
/* The slot as a view without data. */
static inline void ob__slot_view(const ob_slot *slot, ob_view *out) {
    ob__layout_view(slot->layout, NULL, out);
}
ob_status ob__new_buffer(ob_builder *b, ob_buffer_kind kind, uint32_t index, uint64_t n_bytes, ob_buffer **out);
/* A slot without a value. view->data is not used. */
ob_status ob__make_slot(ob_builder *b, ob_buffer *buffer, int64_t offset, const ob_view *view, ob_slot **out);
/* Sets the place of `value`; adds its reads to those of the buffer. */
ob_status ob__new_slot(ob_builder *b, const ob_value *value, ob_buffer *buffer, int64_t offset, const ob_view *view);
ob_status ob__new_const_slot(ob_builder *b, const ob_value *value, const ob_view *view);
/* The slot of an operand; constants get theirs on first use. *out NULL: a dynamic value, or an omitted one. */
ob_status ob__find_slot(ob_builder *b, const ob_node *reader, const ob_value *value, ob_slot **out);
/* Slots are set by the caller. NULL: no memory. */
ob_step *ob__new_step(ob_builder *b, ob_step_kind kind, const ob_node *node, uint32_t n_in, uint32_t n_out);
/* Appends the step; all of its buffers are alive at its number. */
ob_status ob__append_step(ob_builder *b, ob_step *step);
ob_status ob__keep_until(ob_builder *b, ob_buffer *buffer, uint32_t step);
/* A step that copies a slot to a buffer with that layout: *out, a new slot. */
ob_status ob__add_copy(ob_builder *b, const ob_node *node, const ob_slot *from, ob_buffer *to, const ob_view *layout,
                       ob_slot **out);
ob_status ob__bytes_of(ob_builder *b, const ob_node *node, const ob_view *view, uint64_t *n_bytes);
/* After the last node: graph outputs get separate contiguous memory. */
ob_status ob__place_outputs(ob_builder *b);

/* runtime/plan/plan_node.c */
ob_status ob__plan_node(ob_builder *b, const ob_node *node);
/* The nodes of a graph that run, in order. */
ob_status ob__plan_graph(ob_builder *b, const ob_graph *graph);

/* runtime/plan/group.c: plans the nodes as one step, or one by one if these sizes or types need that. */
ob_status ob__plan_group(ob_builder *b, const ob_group *group);

/* runtime/plan/join.c */
/* Notes that operands of the step, just appended, may be computed in the memory of its result. */
ob_status ob__note_join(ob_builder *b, ob_step *step);
/* True if the result of such a step is in the buffer, and its operands have further readers: they can share memory unless a
 * result takes it. */
bool ob__has_read_operands(const ob_buffer *buffer);
/* At the end: gives such operands their places, unless the plan would need more memory. */
ob_status ob__join_places(ob_builder *b);
/* After ob__settle_places: steps whose operands all have such places are not run. */
void ob__skip_joined(ob_builder *b);

/* runtime/plan/wait.c */
/* Nodes that read a tensor of unknown size are planned when the size is known. Other nodes that read results of dynamic steps
 * are dynamic steps too. */
ob_status ob__must_wait(const ob_builder *b, const ob_node *node, bool *wait);
ob_status ob__let_wait(ob_builder *b, ob_node *node);
ob_status ob__plan_dynamic(ob_builder *b, const ob_node *node);
/* After the last node: the waiting nodes become a part. */
ob_status ob__plan_rest(ob_builder *b);

/* runtime/plan/static.c */
/* True if all shapes of the node and its bodies are known, and every node of the bodies can be planned. */
bool ob__node_is_static(const ob_builder *b, const ob_node *node);
/* 0 or 1 if the condition is known during planning, otherwise -1. */
int ob__known_truth(const ob_builder *b, const ob_value *value);
/* The numbers of iterations and sequences from the shapes; false if operands disagree. A Loop without stacked results has no
 * bound. */
bool ob__count_trips(const ob_builder *b, const ob_node *node, const ob_loop_params *params, int64_t *trips, int64_t *batches);
/* No iteration: the shapes of the body are not tested, so it must not be planned. */
bool ob__never_iterates(const ob_builder *b, const ob_node *node, const ob_loop_params *params);

/* runtime/plan/control.c: *done false: a shape depends on the run, and nothing is planned. */
ob_status ob__plan_control(ob_builder *b, const ob_node *node, bool *done);
/* After the slots: writes the tables of a control step. */
ob_status ob__settle_control(ob_arena *arena, ob_control *control);
/* runtime/plan/settle.c: at the end: resolves shared places, so that every place is final. */
ob_status ob__settle_places(ob_builder *b);

#endif
