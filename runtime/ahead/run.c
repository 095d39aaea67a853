/* Runs the tables of an emitted model. Of runtime/, such a model links only this folder. */
#include "runtime/ahead/run.h"

#include <string.h>

#include "ops/kernel/common.h"
#include "ops/kernel/conversion.h"

/* False: its elements are not aligned as the kernels need them. */
static bool place_view(const ob_ahead_plan *plan, char *const *bases, const ob_ahead_value *value, ob_view *view) {
    const int32_t *sizes = plan->sizes + value->sizes;
    view->data = value->place == OB_AHEAD_NOWHERE || !bases[value->place] ? NULL : bases[value->place] + value->offset;
    view->dtype = (ob_dtype)value->dtype;
    view->rank = value->rank;
    for (int32_t a = 0; a < value->rank; a++) {
        view->dims[a] = sizes[a];
        view->strides[a] = sizes[value->rank + a];
    }
    const size_t size = ob_dtype_size(view->dtype), align = size > 8 ? 8 : size;
    return align <= 1 || (uintptr_t)view->data % align == 0;
}

static ob_conversion find_conversion(const ob_conversions *all, ob_dtype from, ob_dtype to) {
    const ob_ahead_conversion *rows = all->rows;
    for (uint32_t i = 0; i < all->n_rows; i++)
        if (rows[i].from == (uint8_t)from && rows[i].to == (uint8_t)to)
            return (ob_conversion){rows[i].n_steps, {(obk_convert)rows[i].steps[0], (obk_convert)rows[i].steps[1]}, OB_FLOAT};
    return (ob_conversion){.n_steps = -1};
}

static ob_status run_step(const ob_ahead_state *r, const ob_ahead_step *step) {
    const ob_ahead_plan *plan = r->plan;
    ob_view *views = r->views;
    for (uint32_t i = 0; i < (uint32_t)step->n_in + step->n_out; i++)
        if (!place_view(plan, r->bases, &plan->values[step->values + i], &views[i])) return OB_E_ARGUMENT;
    const ob_conversions conversions = {find_conversion, plan->conversions, plan->n_conversions};
    ob_ahead_call call = {.args = {.n_in = (uint32_t)step->n_in - step->n_others,
                                   .n_out = step->n_out,
                                   .in = views,
                                   .others = views + step->n_in - step->n_others,
                                   .out = views + step->n_in,
                                   .state = (void *)(uintptr_t)step->state,
                                   .scratch = r->scratch,
                                   .lanes = r->scratch + step->lane,
                                   .conversions = &conversions},
                          .run = r};
    if (step->prepared) memcpy(call.args.prepared, step->prepared, sizeof call.args.prepared);
    return step->run(&call.args, NULL);
}

ob_status ob__ahead_steps(const ob_ahead_state *r, uint32_t begin, uint32_t end) {
    for (uint32_t i = begin; i < end; i++) OB_TRY(run_step(r, &r->plan->steps[i]));
    return OB_OK;
}

ob_status ob_ahead_run(const ob_ahead_plan *plan, const void *const *inputs, void *const *outputs, void *arena, ob_view *views,
                       char **bases) {
    if (!plan || !inputs || !outputs || !arena || !views || !bases) return OB_E_ARGUMENT;
    if ((uintptr_t)arena % plan->align != 0) return OB_E_ARGUMENT;
    for (uint32_t i = 0; i < plan->n_places; i++) {
        const ob_ahead_place *place = &plan->places[i];
        switch (place->kind) {
        case OB_AHEAD_ARENA: bases[i] = (char *)arena + place->at; break;
        case OB_AHEAD_INPUT: bases[i] = (char *)(uintptr_t)inputs[place->at]; break;
        case OB_AHEAD_OUTPUT: bases[i] = outputs[place->at]; break;
        default: bases[i] = (char *)(uintptr_t)plan->constants[place->at];
        }
    }
    const ob_ahead_state run = {plan, bases, (char *)arena + plan->scratch, views};
    return ob__ahead_steps(&run, 0, plan->n_steps);
}
