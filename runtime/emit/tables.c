/* The tables of one plan: places of memory, values, steps. */
#include <string.h>

#include "core/base/error.h"
#include "core/graph/types.h"
#include "onnx_broadcast/ahead.h"
#include "ops/kernel/common.h"
#include "ops/kernel/conversion.h"
#include "ops/table/op.h"
#include "passes/check/names.h"
#include "runtime/emit/emitter.h"
#include "runtime/run/cells.h"
#include "runtime/session.h"

/* The bytes that a layout addresses, relative to its first element. */
static void find_extent(const ob_layout *layout, int64_t *low, int64_t *high) {
    *low = 0;
    *high = (int64_t)ob_dtype_size(layout->dtype);
    for (int32_t a = 0; a < layout->rank; a++) {
        const int64_t span = (layout->sizes[a] - 1) * layout->sizes[layout->rank + a];
        if (layout->sizes[a] == 0) *high = 0;
        if (span < 0)
            *low += span;
        else if (*high)
            *high += span;
    }
    if (*high == 0) *low = 0;
}

static uint32_t add_place(ob_emitted_plan *t, uint32_t kind, uint64_t at) {
    ob__text_printf(&t->places, "{%u, %lluu}, ", kind, (unsigned long long)at);
    return t->n_places++;
}

ob_status ob__emit_place(ob_emitted_plan *t, const ob_buffer *buffer, uint32_t *place) {
    static const uint32_t kinds[] = {[OB_BUFFER_ARENA] = OB_AHEAD_ARENA,
                                     [OB_BUFFER_OUTPUT] = OB_AHEAD_OUTPUT,
                                     [OB_BUFFER_INPUT] = OB_AHEAD_INPUT,
                                     [OB_BUFFER_MOVING] = OB_AHEAD_ARENA}; /* until its control step sets it */
    uint32_t *known = &t->place_of[buffer->number];
    if (*known == UINT32_MAX) {
        const bool is_indexed = buffer->kind == OB_BUFFER_OUTPUT || buffer->kind == OB_BUFFER_INPUT;
        *known = add_place(t, kinds[buffer->kind],
                           is_indexed                        ? buffer->index
                           : buffer->kind == OB_BUFFER_ARENA ? buffer->offset
                                                             : 0);
    }
    *place = *known;
    OB_FAIL_IF(*place >= UINT16_MAX, t->e->error, OB_E_LIMIT, "written plans have less than 65,535 blocks of memory");
    return OB_OK;
}

/* A constant has a place for each range of addresses. */
static ob_status find_constant(ob_emitted_plan *t, const ob_slot *slot, uint32_t *place, int64_t *offset) {
    int64_t low, high;
    find_extent(slot->layout, &low, &high);
    if (high == 0 || !slot->buffer->constant) {
        *place = OB_AHEAD_NOWHERE;
        *offset = 0;
        return OB_OK;
    }
    const char *at = slot->buffer->constant + slot->offset + low;
    ob_emitted_constant *c = ob__emit_constant(t->e, at, (uint64_t)(high - low), (uint32_t)ob__number_width(slot->layout->dtype));
    OB_FAIL_IF(!c, t->e->error, OB_E_MEMORY, "no memory for the text");
    *offset = at - c->at - low;
    if (c->n_plans != t->number + 1) { /* two sets of sizes may have one plan */
        c->n_plans = t->number + 1;
        c->place = add_place(t, OB_AHEAD_CONSTANT, c->number);
    }
    *place = c->place;
    return OB_OK;
}

ob_status ob__emit_address(ob_emitted_plan *t, const ob_slot *slot, uint32_t *place, int64_t *offset) {
    if (slot->buffer->kind == OB_BUFFER_CONST)
        OB_TRY(find_constant(t, slot, place, offset));
    else {
        OB_TRY(ob__emit_place(t, slot->buffer, place));
        *offset = slot->offset;
    }
    OB_FAIL_IF(*offset > INT32_MAX || *offset < INT32_MIN || *place > UINT16_MAX, t->e->error, OB_E_LIMIT,
               "written plans have less than 2 GiB and 65,535 blocks of memory");
    return OB_OK;
}

static ob_status put_sizes(ob_emitted_plan *t, const ob_layout *layout) {
    for (int32_t a = 0; a < 2 * layout->rank; a++) {
        const int64_t size = layout->sizes[a];
        OB_FAIL_IF(size > INT32_MAX || size < INT32_MIN, t->e->error, OB_E_LIMIT,
                   "a tensor with a size or stride of %lld: written plans have less than 2 GiB", (long long)size);
        ob__text_printf(&t->sizes, "%lld, ", (long long)size);
    }
    t->n_sizes += 2 * (uint32_t)layout->rank;
    return OB_OK;
}

/* is_read false: the kernel has the operand in another form. */
static ob_status put_value(ob_emitted_plan *t, const ob_slot *slot, bool is_read) {
    uint32_t place = OB_AHEAD_NOWHERE;
    int64_t offset = 0;
    t->n_values++;
    if (!slot) {
        ob__text_printf(&t->values, "{%u, 0, 0, 0, 0}, ", OB_AHEAD_NOWHERE);
        return OB_OK;
    }
    const ob_layout *layout = slot->layout;
    if (is_read || slot->buffer->kind != OB_BUFFER_CONST) OB_TRY(ob__emit_address(t, slot, &place, &offset));
    ob__text_printf(&t->values, "{%u, %d, %d, %lld, %u}, ", place, (int)layout->dtype, (int)layout->rank, (long long)offset,
                    t->n_sizes);
    return put_sizes(t, layout);
}

/* The expression of its prepared constants. */
static ob_status put_prepared(ob_emitted_plan *t, const ob_step *step, const char **expression) {
    ob_emitter *e = t->e;
    *expression = "0";
    if (!step->prepared) return OB_OK;
    uint32_t numbers[OB_PREPARED_MAX];
    for (uint32_t i = 0; i < step->needs->n_prepared; i++) {
        const ob_prepare_request *request = &step->needs->prepared[i];
        if (request->width == 0) return ob__emit_refuse(e, "a constant in its kernel's own form");
        ob_emitted_constant *c = ob__emit_constant(e, step->prepared[i], request->n_bytes, request->width);
        OB_FAIL_IF(!c, e->error, OB_E_MEMORY, "no memory for the text");
        numbers[i] = c->number;
    }
    *expression = ob__emit_printf(e, "%s_p%u_%u", e->options->name, t->number, t->n_steps);
    ob__text_printf(&e->objects, "static const void *const %s[%d] = {", *expression, OB_PREPARED_MAX);
    for (uint32_t i = 0; i < step->needs->n_prepared; i++)
        ob__text_printf(&e->objects, "%s%s_c%u", i ? ", " : "", e->options->name, numbers[i]);
    ob__text_puts(&e->objects, "};\n");
    return OB_OK;
}

static bool is_replaced(const ob_step *step, uint32_t input) {
    if (!step->needs) return false; /* a copy */
    for (uint32_t i = 0; i < step->needs->n_prepared; i++)
        if (step->needs->prepared[i].input == input && step->needs->prepared[i].replaces) return true;
    return false;
}

static ob_status note_conversions(ob_emitted_plan *t, const ob_kernel_needs *needs) {
    if (needs->n_conversions > OB_CONVERSIONS_MAX) return ob__emit_refuse(t->e, "too many conversions of elements");
    for (uint32_t i = 0; i < needs->n_conversions; i++) {
        const uint8_t from = needs->conversions[i].from, to = needs->conversions[i].to;
        if (t->converts[from][to]) continue;
        t->converts[from][to] = true;
        const ob_conversion found = ob__find_conversion((ob_dtype)from, (ob_dtype)to, true);
        if (found.n_steps < 0) continue; /* the kernel says so when it needs it */
        ob__text_printf(&t->conversions, "    {%u, %u, %d, {", from, to, found.n_steps);
        for (int k = 0; k < 2; k++) {
            const char *step = k < found.n_steps ? ob__emit_function(t->e, "conversion", (void (*)(void))found.steps[k]) : "0";
            if (!step) return t->e->error->code;
            ob__text_printf(&t->conversions, "%s%s", k ? ", " : "", step);
        }
        ob__text_puts(&t->conversions, "}},\n");
        t->n_conversions++;
    }
    return OB_OK;
}

static ob_status put_kernel(ob_emitted_plan *t, const ob_step *step, const char **run, const char **state) {
    ob_emitter *e = t->e;
    const ob_kernel *kernel = step->kernel;
    if (!kernel->run_name || (kernel->state_bytes && !kernel->state))
        return ob__emit_refuse(e, "its kernel, `%s`, has no written form", kernel->name);
    const bool is_plain = kernel->plain_name && step->needs->scratch_bytes == 0 && step->needs->n_conversions == 0;
    *run = is_plain ? kernel->plain_name : kernel->run_name;
    ob__emit_declaration(e, *run, true);
    OB_TRY(note_conversions(t, step->needs));
    *state = kernel->state ? ob__emit_struct(e, kernel->state, step->state, 1) : "0";
    return *state ? OB_OK : e->error ? e->error->code : OB_E_UNSUPPORTED;
}

static ob_status refuse_dynamic(ob_emitter *e, const ob_node *node) {
    if (node->op->kernel->flags & OB_KERNEL_CONTROL)
        return ob__emit_refuse(e, "sizes in its subgraphs depend on data, or change between iterations");
    for (uint32_t i = 0; i < node->n_inputs + node->n_outputs; i++) {
        const ob_value *value = i < node->n_inputs ? node->inputs[i] : node->outputs[i - node->n_inputs];
        if (value && ob__is_cell_type(&ob__fact(&e->session->facts, value)->type))
            return ob__emit_refuse(e, "sequences, optionals and maps");
    }
    return ob__emit_refuse(e, "the size of its result depends on data");
}

static ob_status put_step(ob_emitted_plan *t, const ob_step *step) {
    ob_emitter *e = t->e;
    const char *run = "0", *state = "0", *prepared;
    const uint32_t values = t->n_values;
    e->node = step->node;
    if (step->kind == OB_STEP_IN_PLACE) return OB_OK;
    for (uint32_t i = 0; i < step->n_in + step->n_out; i++)
        if (step->slots[i] && step->slots[i]->layout->dtype == OB_STRING) return ob__emit_refuse(e, "strings");
    if (step->kind == OB_STEP_DYNAMIC) return refuse_dynamic(e, step->node);
    if (step->kind == OB_STEP_CONTROL)
        OB_TRY(ob__emit_control(t, step, &run, &state));
    else if (step->kind == OB_STEP_COPY) {
        run = "ob__run_copy";
        ob__emit_declaration(e, run, true);
    } else
        OB_TRY(put_kernel(t, step, &run, &state));
    OB_TRY(put_prepared(t, step, &prepared));
    for (uint32_t i = 0; i < step->n_in + step->n_out; i++)
        OB_TRY(put_value(t, step->slots[i], i >= step->n_in || !is_replaced(step, i)));
    ob__text_printf(&t->steps, "    {%s, %s, %s, %u, %u, %u, %u, %llu},\n", run, state, prepared, values, step->n_in,
                    step->n_others, step->n_out, (unsigned long long)step->lanes);
    t->n_steps++;
    const uint32_t n_views = step->n_in + step->n_out;
    if (n_views > e->most_views) e->most_views = n_views;
    return OB_OK;
}

ob_status ob__emit_subplan(ob_emitted_plan *t, const ob_subplan *subplan) {
    for (const ob_step *step = *subplan->begin; step && step->number < subplan->end; step = ob__step_after(step))
        OB_TRY(put_step(t, step));
    return OB_OK;
}

static ob_status put_all(ob_emitted_plan *t) {
    ob_emitter *e = t->e;
    const ob_plan *plan = t->plan;
    const char *name = e->options->name;
    OB_TRY(ob__emit_subplan(t, &plan->main));
    const uint32_t n_steps = t->n_steps;
    OB_TRY(ob__emit_bodies(t));
    e->node = plan->rest ? plan->rest->nodes[0] : NULL;
    if (plan->rest) return ob__emit_refuse(e, "the sizes that it reads depend on data");
    for (uint32_t i = 0; i < e->session->model->graph->n_outputs; i++) {
        const ob_value *value = e->session->model->graph->outputs[i];
        if (plan->outputs[i].slot) continue;
        if (ob__is_cell_type(&ob__fact(&e->session->facts, value)->type))
            return ob__emit_refuse(e, "output %s is a sequence, an optional or a map", value->name);
        return ob__emit_refuse(e, "the size of output %s depends on data", value->name);
    }
    const uint64_t bytes = plan->memory.arena_bytes + plan->memory.scratch_bytes;
    OB_FAIL_IF(bytes > INT32_MAX, e->error, OB_E_LIMIT, "the work memory has %llu bytes: written plans have less than 2 GiB",
               (unsigned long long)bytes);
    if (bytes > e->arena_bytes) e->arena_bytes = bytes;
    if (t->n_places > e->most_places) e->most_places = t->n_places;
    const struct {
        const char *type, *what;
        const ob_text *text;
    } parts[] = {{"int32_t", "sizes", &t->sizes},          {"ob_ahead_place", "places", &t->places},
                 {"ob_ahead_value", "values", &t->values}, {NULL, NULL, &t->controls}, /* definitions */
                 {"ob_ahead_step", "steps", &t->steps},    {"ob_ahead_conversion", "conversions", &t->conversions}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!parts[i].type) {
            ob__text_append(&e->plans, parts[i].text->n ? parts[i].text->data : "", parts[i].text->n);
            continue;
        }
        ob__text_printf(&e->plans, "static const %s %s_%s%u[] = {\n", parts[i].type, name, parts[i].what, t->number);
        const char *none = i == 0 ? "0" : "{0}"; /* C has no empty arrays */
        ob__text_puts(&e->plans, parts[i].text->n ? parts[i].text->data : none);
        ob__text_puts(&e->plans, "\n};\n");
        if (parts[i].text->failed) return ob__fail(e->error, OB_E_MEMORY, "no memory for the text");
    }
    ob__text_printf(&e->plans,
                    "static const ob_ahead_plan %s_plan%u = {%s_steps%u, %s_values%u, %s_sizes%u, %s_places%u, %s_constants, "
                    "%s_conversions%u, %u, %u, %u, %u, %u, %llu, %s_ARENA_ALIGN};\n",
                    name, t->number, name, t->number, name, t->number, name, t->number, name, t->number, name, name, t->number,
                    n_steps, t->n_places, t->n_conversions, e->session->n_inputs, e->session->model->graph->n_outputs,
                    (unsigned long long)plan->memory.arena_bytes, name);
    return OB_OK;
}

ob_status ob__emit_plan(ob_emitter *e, const ob_plan *plan, uint32_t number) {
    ob_emitted_plan t = {.e = e, .plan = plan, .number = number};
    t.place_of = OB_ARENA_ARRAY(&e->arena, uint32_t, plan->n_buffers + 1);
    OB_FAIL_IF(!t.place_of, e->error, OB_E_MEMORY, "no memory for the text");
    for (uint32_t i = 0; i < plan->n_buffers; i++) t.place_of[i] = UINT32_MAX;
    t.waiting_end = &t.waiting;
    ob_text *texts[] = {&t.sizes, &t.places, &t.values, &t.controls, &t.steps, &t.conversions};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) ob__text_init(texts[i], &e->arena.allocator);
    const ob_status status = put_all(&t);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) ob__text_release(texts[i]);
    return status;
}
