/* The tables of If, Loop and Scan. Their bodies stand behind the steps around them, so that a run of the outer steps does not
 * meet them. */
#include "runtime/ahead/control.h"
#include "core/base/error.h"
#include "runtime/emit/emitter.h"
#include "runtime/session.h"

ob_status ob__emit_control(ob_emitted_plan *t, const ob_step *step, const char **run, const char **state) {
    ob_emitted_control *c = OB_ARENA_NEW(&t->e->arena, ob_emitted_control);
    OB_FAIL_IF(!c, t->e->error, OB_E_MEMORY, "no memory for the text");
    *c = (ob_emitted_control){step, t->n_controls++, NULL};
    *t->waiting_end = c;
    t->waiting_end = &c->next;
    *run = "ob__run_control_step";
    ob__emit_declaration(t->e, *run, true);
    *state = ob__emit_printf(t->e, "&%s_control%u_%u", t->e->options->name, t->number, c->number);
    OB_FAIL_IF(!*state, t->e->error, OB_E_MEMORY, "no memory for the text");
    return OB_OK;
}

/* ---- Places ---- */

static ob_status put_place(ob_emitted_plan *t, const ob_buffer *buffer) {
    uint32_t place;
    if (!buffer) {
        ob__text_puts(&t->controls, "OB_AHEAD_NONE");
        return OB_OK;
    }
    OB_TRY(ob__emit_place(t, buffer, &place));
    ob__text_printf(&t->controls, "%u", place);
    return OB_OK;
}

static ob_status put_at(ob_emitted_plan *t, const ob_slot *slot) {
    uint32_t place = OB_AHEAD_NOWHERE;
    int64_t offset = 0;
    if (slot) OB_TRY(ob__emit_address(t, slot, &place, &offset));
    if (place == OB_AHEAD_NOWHERE)
        ob__text_puts(&t->controls, "{0, OB_AHEAD_NONE}");
    else
        ob__text_printf(&t->controls, "{%lld, %u}", (long long)offset, place);
    return OB_OK;
}

/* ---- Tables ---- */

static void begin_array(ob_emitted_plan *t, const char *type, const char *what, uint32_t control) {
    ob__text_printf(&t->controls, "static const %s %s_%s%u_%u[] = {\n", type, t->e->options->name, what, t->number, control);
}

static ob_status put_carried(ob_emitted_plan *t, const ob_emitted_control *c) {
    const ob_control *control = c->step->control;
    if (control->n_carried == 0) return OB_OK;
    begin_array(t, "ob_ahead_carried", "carried", c->number);
    for (uint32_t i = 0; i < control->n_carried; i++) {
        const ob_carried *carried = &control->carried[i];
        ob__text_puts(&t->controls, "    {");
        OB_TRY(put_at(t, carried->initial));
        ob__text_printf(&t->controls, ", %lld, %llu, ", (long long)carried->initial_step, (unsigned long long)carried->n_bytes);
        OB_TRY(put_place(t, carried->in));
        ob__text_puts(&t->controls, ", ");
        OB_TRY(put_place(t, carried->out));
        ob__text_puts(&t->controls, ", {");
        OB_TRY(put_place(t, carried->areas[0]));
        ob__text_puts(&t->controls, ", ");
        OB_TRY(put_place(t, carried->areas[1]));
        ob__text_puts(&t->controls, "}},\n");
    }
    ob__text_puts(&t->controls, "};\n");
    return OB_OK;
}

static ob_status put_sliced(ob_emitted_plan *t, const ob_emitted_control *c, const char *what, const ob_sliced *sliced,
                            const ob_ahead_sliced *table, uint32_t n) {
    if (n == 0) return OB_OK;
    begin_array(t, "ob_ahead_sliced", what, c->number);
    for (uint32_t i = 0; i < n; i++) {
        ob__text_puts(&t->controls, "    {");
        if (sliced[i].operand)
            OB_TRY(put_at(t, sliced[i].operand));
        else {
            ob__text_puts(&t->controls, "{0, ");
            OB_TRY(put_place(t, ob__buffer_root(sliced[i].result)));
            ob__text_puts(&t->controls, "}");
        }
        ob__text_printf(&t->controls, ", %lld, %lld, %lld, %lld, ", (long long)table[i].start, (long long)table[i].step,
                        (long long)table[i].batch_step, (long long)table[i].n_bytes);
        OB_TRY(put_place(t, sliced[i].slice));
        ob__text_puts(&t->controls, "},\n");
    }
    ob__text_puts(&t->controls, "};\n");
    return OB_OK;
}

static void put_array(ob_emitted_plan *t, const ob_emitted_control *c, const char *what, uint32_t n) {
    if (n == 0)
        ob__text_puts(&t->controls, "0, ");
    else
        ob__text_printf(&t->controls, "%s_%s%u_%u, ", t->e->options->name, what, t->number, c->number);
}

static ob_status put_control(ob_emitted_plan *t, const ob_emitted_control *c, const uint32_t *bodies) {
    const ob_control *control = c->step->control;
    const ob_slot *const read[] = {control->condition, control->trips, control->lengths, control->again};
    OB_TRY(put_carried(t, c));
    OB_TRY(put_sliced(t, c, "scanned", control->scanned, control->table.scanned, control->n_scanned));
    OB_TRY(put_sliced(t, c, "stacked", control->stacked, control->table.stacked, control->n_stacked));
    ob__text_printf(&t->controls, "static const ob_ahead_control %s_control%u_%u = {", t->e->options->name, t->number, c->number);
    put_array(t, c, "carried", control->n_carried);
    put_array(t, c, "scanned", control->n_scanned);
    put_array(t, c, "stacked", control->n_stacked);
    ob__text_printf(&t->controls, "%u, %u, %u, ", control->n_carried, control->n_scanned, control->n_stacked);
    OB_TRY(put_place(t, control->counter));
    for (size_t i = 0; i < sizeof read / sizeof *read; i++) {
        ob__text_puts(&t->controls, ", ");
        OB_TRY(put_at(t, read[i]));
    }
    ob__text_printf(&t->controls, ", INT64_C(%lld), INT64_C(%lld), %d, {%u, %u, %u}};\n", (long long)control->n_trips,
                    (long long)control->n_batches, control->is_loop, bodies[0], bodies[1], bodies[2]);
    return OB_OK;
}

ob_status ob__emit_bodies(ob_emitted_plan *t) {
    for (const ob_emitted_control *c = t->waiting; c; c = c->next) {
        const ob_control *control = c->step->control;
        uint32_t bodies[3] = {t->n_steps, 0, 0};
        for (int k = 0; k < 2; k++) {
            if (k == 0 || !control->is_loop) OB_TRY(ob__emit_subplan(t, &control->subplans[k]));
            bodies[k + 1] = t->n_steps;
        }
        t->e->node = c->step->node;
        OB_TRY(put_control(t, c, bodies));
    }
    return OB_OK;
}
