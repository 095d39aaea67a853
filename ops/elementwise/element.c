#include "ops/elementwise/element.h"
#include "kernels/take.h"

#include "core/base/error.h"
#include "core/graph/types.h"
#include "ops/kernel/members.h"
#include "ops/table/op.h"

bool ob__element_loop(obk_row row, ob_dtype in, ob_dtype out, uint32_t n_in, obk_iteration_spec *spec) {
    const obk_loop own = obk_take(&row, in);
    spec->loop = own;
    if (!ob__dtype_is_narrow(in)) return own != NULL;
    spec->loop = obk_take(&row, OB_FLOAT);
    for (uint32_t k = 0; k < n_in && k < 3; k++) {
        spec->in_convert[k] = OBK_LOOP(convert, [OB_FLOAT][in]);
        spec->in_loop_dtype[k] = OB_FLOAT;
    }
    if (in == out) {
        spec->out_convert = OBK_LOOP(convert, [out][OB_FLOAT]);
        spec->out_loop_dtype = OB_FLOAT;
    }
    if (!own || spec->fold) return spec->loop != NULL; /* an accumulator is wider than the operands */
    spec->loop = own;                                  /* levels without it take the others */
    for (uint32_t k = 0; k < n_in && k < 3; k++) {
        spec->in_convert[k] = NULL;
        spec->in_loop_dtype[k] = OB_NONE;
    }
    spec->out_convert = NULL;
    spec->out_loop_dtype = OB_NONE;
    return true;
}

static const ob_member element_members[] = {OB_NESTED(ob_element, iteration, &obk_iteration_struct),
                                            OB_UNREAD_TO_END(ob_element, numbers)};
const ob_struct ob__element_struct = OB_STRUCT(ob_element, element_members);

ob_status ob__unsupported_type(const ob_kernel_site *site, ob_dtype dtype, ob_error *error) {
    return ob__fail(error, OB_E_UNSUPPORTED, "version %d has no kernel for element type %s", (int)site->op->since,
                    ob_dtype_name(dtype));
}

ob_status ob__element_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    ob_element *s = args->state;
    ob_element_call call = {.numbers = &s->numbers, .n_in = args->n_in, .in = args->in};
    OB_TRY(site->op->kernel->element(site, args, &call, error));
    call.spec.loops_only = site->loops_only;
    return obk_iteration_plan(&s->iteration, call.in, call.n_in, &args->out[0], &call.spec, site->arena, &needs->lane_bytes,
                              error);
}

ob_status ob__element_run(const ob_kernel_args *args, ob_error *error) {
    (void)error;
    obk_iteration_run(args->state, args->in, &args->out[0], args->threads, args->lanes, args->lane_stride);
    return OB_OK;
}
