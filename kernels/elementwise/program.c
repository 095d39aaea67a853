#include "kernels/elementwise/program.h"

void obk_program_run(const obk_program *program, uint32_t n_operands, char *const *p, const int64_t *step, int64_t n,
                     const int64_t *row, int64_t rows, char *registers, int64_t register_bytes) {
    uint8_t size[OBK_PROGRAM_REGISTERS] = {0}; /* bytes of an element of each register */
    for (uint32_t s = 0; s < program->n_steps; s++) {
        const obk_program_step *at = &program->steps[s];
        char *q[4];
        int64_t q_step[4], q_row[4];
        for (uint32_t k = 0; k < at->n_in; k++) {
            const obk_program_input *in = &at->in[k];
            switch (in->from) {
            case OBK_FROM_OPERAND:
                q[k] = p[in->index];
                q_step[k] = step[in->index];
                q_row[k] = row[in->index];
                break;
            case OBK_FROM_REGISTER:
                q[k] = registers + in->index * register_bytes;
                q_step[k] = size[in->index];
                q_row[k] = size[in->index] * n;
                break;
            default:
                q[k] = (char *)(uintptr_t)in->scalar;
                q_step[k] = q_row[k] = 0;
                break;
            }
        }
        const bool last = at->out == OBK_PROGRAM_RESULT;
        q[at->n_in] = last ? p[n_operands] : registers + at->out * register_bytes;
        q_step[at->n_in] = at->out_size;
        q_row[at->n_in] = last ? row[n_operands] : at->out_size * n;
        if (!last) size[at->out] = at->out_size;
        at->loop(q, q_step, n, q_row, rows, at->params);
    }
}
