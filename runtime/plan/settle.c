/* The end of planning: places that others share become their own. */
#include "core/base/error.h"
#include "runtime/plan/builder.h"

/* Links the buffer and those between with the root directly: chains may be long. */
static void shorten(ob_buffer *buffer) {
    ob_buffer *root = ob__buffer_root(buffer);
    uint64_t shift = ob__buffer_shift(buffer);
    while (buffer != root) {
        ob_buffer *next = buffer->same_as;
        const uint64_t own = buffer->shift;
        buffer->same_as = root;
        buffer->shift = shift;
        shift -= own;
        buffer = next;
    }
}

ob_status ob__settle_places(ob_builder *b) {
    for (ob_buffer *buffer = b->plan->buffers; buffer; buffer = buffer->next) shorten(buffer);
    for (ob_slot *slot = b->plan->all_slots; slot; slot = slot->next) {
        slot->offset += (int64_t)ob__buffer_shift(slot->buffer);
        slot->buffer = ob__buffer_root(slot->buffer);
    }
    for (ob_step *step = b->plan->steps; step; step = step->next)
        if (step->control) OB_TRY(ob__settle_control(&b->plan->arena, step->control));
    return OB_OK;
}
