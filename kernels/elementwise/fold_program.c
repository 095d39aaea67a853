/* Loops of two operands as chains. */
#include "core/base/error.h"
#include "kernels/elementwise/iteration_layout.h"
#include "kernels/elementwise/program.h"
#include "kernels/kernels.h"

ob_status obk_fold_program(const obk_iteration_spec *from, uint32_t n_in, uint8_t size, ob_arena *arena, const obk_program **out,
                           ob_error *error) {
    const obk_forms *forms = OBK_LOOPS(form);
    const obk_link_form *form = from->loop ? forms->find(from->loop) : NULL;
    *out = NULL;
    if (!form || form->n_in != 2 || n_in < 2 || n_in > OBK_PROGRAM_OPERANDS || (!from->fold && n_in != 2) ||
        from->in_convert[0] || from->out_convert || (from->finish && !forms->find(from->finish)))
        return OB_OK;
    const uint32_t n_steps = n_in - 1 + (from->finish != NULL);
    obk_program *made = ob__arena_alloc(arena, sizeof *made + n_steps * sizeof made->steps[0]);
    OB_FAIL_IF(!made, error, OB_E_MEMORY, "no memory for a plan");
    int32_t reads[OBK_PROGRAM_STEPS][3];
    *made = (obk_program){.n_steps = n_steps, .n_registers = 1, .largest = size, .chains = OBK_LOOPS(chain)};
    for (uint32_t s = 0; s < n_steps; s++) {
        const bool first = s == 0, last = s + 1 == n_steps, finishes = s + 1 == n_in;
        obk_program_step *step = &made->steps[s];
        *step = (obk_program_step){.loop = finishes ? from->finish : from->loop,
                                   .params = from->params,
                                   .params_type = from->params_type,
                                   .n_in = 2,
                                   .out = last ? OBK_PROGRAM_RESULT : 0,
                                   .out_size = size};
        step->in[0].from = first ? OBK_FROM_OPERAND : OBK_FROM_REGISTER;
        step->in[1] = finishes ? (obk_program_input){.from = OBK_FROM_SCALAR, .size = size, .scalar = from->finish_operand}
                               : (obk_program_input){.from = OBK_FROM_OPERAND, .index = (uint8_t)(s + 1)};
        reads[s][0] = (int32_t)s - 1;
        reads[s][1] = -1;
    }
    obk_program_join(made, (const int32_t(*)[3])reads);
    if (n_steps == 1) made->steps[0].joined = 1;
    *out = made;
    return OB_OK;
}
