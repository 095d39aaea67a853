#include "ops/kernel/epilogue.h"

#include "core/base/integers.h"
#include "ops/kernel/common.h"

enum { PIECE_BYTES = 8192, ROWS_BYTES = 16384 };

/* The distance of the operand's elements along an axis of the result. */
static int64_t stride_along(const ob_view *operand, const ob_view *out, int32_t axis) {
    const int32_t own = operand->rank - out->rank + axis;
    return own < 0 || operand->dims[own] == 1 ? 0 : operand->strides[own];
}

static bool broadcasts(const ob_view *operand, const ob_view *out) {
    if (ob__count(operand) == 1) return true; /* a bound of Clip: any number of axes */
    for (int32_t a = 1; a <= operand->rank; a++) {
        const int64_t dim = operand->dims[operand->rank - a];
        if (dim != 1 && (a > out->rank || dim != out->dims[out->rank - a])) return false;
    }
    return true;
}

/* False: the columns are neither one element nor as dense as those of the result. */
static bool find_step(const ob_view *operand, const ob_view *out, int32_t n_columns, int64_t *step) {
    const int64_t width = (int64_t)ob_dtype_size(operand->dtype);
    int64_t dense = width;
    bool any = false, all = true;
    for (int32_t a = out->rank - 1; a >= out->rank - n_columns; a--) {
        if (out->dims[a] == 1) continue;
        const int64_t stride = stride_along(operand, out, a);
        any |= stride != 0;
        all &= stride == dense;
        dense *= out->dims[a];
    }
    *step = any ? width : 0;
    return all || !any;
}

/* Loops do not accept scalars only, and functions of rows no scalars. */
static bool has_vectors(const obk_program *program, const int64_t *steps) {
    for (uint32_t s = 0; s < program->n_steps; s++) {
        const obk_program_step *step = &program->steps[s];
        bool any = false;
        for (uint32_t k = 0; k < step->n_in; k++) {
            const obk_program_input *in = &step->in[k];
            const bool is_vector =
                in->from == OBK_FROM_REGISTER || (in->from == OBK_FROM_OPERAND && (in->index == 0 || steps[in->index - 1] != 0));
            any |= is_vector;
            if (step->whole_rows && !is_vector) return false;
        }
        if (!any && !step->per_row) return false;
    }
    return true;
}

/* Joins neighbouring axes of the rows where this holds for all operands. strides: [n_others][n_axes]. Returns the number of axes
 * that remain. */
static int32_t join_axes(int64_t *dims, int64_t *strides, uint32_t n_others, int32_t n_axes) {
    int32_t n = 0;
    for (int32_t a = 0; a < n_axes; a++) {
        if (dims[a] == 1) continue;
        bool joins = n > 0;
        for (uint32_t k = 0; k < n_others && joins; k++) {
            const int64_t *of = strides + (int64_t)k * n_axes;
            joins = of[n - 1] == of[a] * dims[a];
        }
        dims[joins ? n - 1 : n] = joins ? dims[n - 1] * dims[a] : dims[a];
        for (uint32_t k = 0; k < n_others; k++)
            strides[(int64_t)k * n_axes + (joins ? n - 1 : n)] = strides[(int64_t)k * n_axes + a];
        n += !joins;
    }
    return n;
}

ob_status ob__make_epilogue(const ob_kernel_site *site, const obk_program *program, const ob_view *others, uint32_t n_others,
                            const ob_view *out, int32_t n_columns, const ob_epilogue **epilogue, ob_error *error) {
    const int32_t n_axes = out->rank - n_columns;
    *epilogue = NULL;
    if ((out->dtype != OB_FLOAT && out->dtype != OB_DOUBLE && out->dtype != OB_INT32) || n_axes < 0) return OB_OK;
    ob_epilogue *e = ob__tail(site, 1, sizeof *e);
    const size_t n_strides = ((size_t)n_others + 1) * (size_t)(n_axes + 1);
    int64_t *dims = ob__tail(site, n_strides, sizeof *dims), *steps = ob__tail(site, (uint64_t)n_others + 1, sizeof *steps);
    OB_FAIL_IF(!e || !dims || !steps, error, OB_E_MEMORY, "no memory for a plan");
    int64_t *strides = dims + n_axes + 1;
    for (int32_t a = 0; a < n_axes; a++) dims[a] = out->dims[a];
    for (uint32_t k = 0; k < n_others; k++) {
        if (!broadcasts(&others[k], out) || !find_step(&others[k], out, n_columns, &steps[k])) return OB_OK;
        for (int32_t a = 0; a < n_axes; a++) strides[(int64_t)k * n_axes + a] = stride_along(&others[k], out, a);
    }
    if (!has_vectors(program, steps)) return OB_OK;
    const int32_t joined = join_axes(dims, strides, n_others, n_axes);
    for (uint32_t k = 0; k < n_others; k++)
        memmove(strides + (int64_t)k * joined, strides + (int64_t)k * n_axes, (size_t)joined * sizeof *strides);
    const int64_t width = (int64_t)ob_dtype_size(out->dtype), largest = program->largest > width ? program->largest : width;
    const int64_t row_bytes = ob__round_up(program->row * largest, 64);
    const int64_t most = program->row == 0 ? PIECE_BYTES : row_bytes > ROWS_BYTES ? row_bytes : ROWS_BYTES;
    const int64_t n = ob__count(out) > 0 ? ob__count(out) : 1,
                  register_bytes = n < most / largest ? ob__round_up(n * largest, 64) : most;
    *e = (ob_epilogue){.program = program,
                       .n_others = n_others,
                       .n_axes = joined,
                       .dims = dims,
                       .strides = strides,
                       .steps = steps,
                       .width = width,
                       .piece = register_bytes / largest,
                       .register_bytes = register_bytes};
    *epilogue = e;
    return OB_OK;
}

size_t ob__epilogue_bytes(const ob_epilogue *epilogue) {
    return epilogue ? (size_t)epilogue->program->n_registers * (size_t)epilogue->register_bytes : 0;
}

/* The offset of a row in operand k, and the row's index along the last axis. */
static int64_t row_offset(const ob_epilogue *e, uint32_t k, int64_t row) {
    const int64_t *strides = e->strides + (int64_t)k * e->n_axes;
    int64_t offset = 0;
    for (int32_t a = e->n_axes - 1; a >= 0; a--) {
        offset += row % e->dims[a] * strides[a];
        row /= e->dims[a];
    }
    return offset;
}

/* Rows that follow each other along the last axis. */
static void apply_rows(const ob_epilogue_call *call, const char *from, int64_t from_row, int64_t row, int64_t rows,
                       int64_t column, int64_t n) {
    const ob_epilogue *e = call->plan;
    char *p[OBK_PROGRAM_OPERANDS + 1], *q[OBK_PROGRAM_OPERANDS + 1];
    int64_t step[OBK_PROGRAM_OPERANDS + 1], down[OBK_PROGRAM_OPERANDS + 1];
    const uint32_t last = e->n_others + 1;
    p[0] = (char *)(uintptr_t)from;
    p[last] = call->y + row * call->y_row + column * e->width;
    step[0] = step[last] = e->width;
    down[0] = from_row;
    down[last] = call->y_row;
    for (uint32_t k = 0; k < e->n_others; k++) {
        step[k + 1] = e->steps[k];
        down[k + 1] = e->n_axes > 0 ? e->strides[(int64_t)k * e->n_axes + e->n_axes - 1] : 0;
        p[k + 1] =
            (char *)(uintptr_t)call->others[k].data + row_offset(e, k, call->row + row) + (call->column + column) * step[k + 1];
    }
    const int64_t wide = n < e->piece ? n : e->piece, high = e->piece / wide;
    for (int64_t i = 0; i < rows; i += high)
        for (int64_t j = 0; j < n; j += wide) {
            for (uint32_t k = 0; k <= last; k++) q[k] = p[k] + i * down[k] + j * step[k];
            obk_program_run(e->program, last, q, step, ob__least(n - j, wide), down, ob__least(rows - i, high), call->registers,
                            e->register_bytes);
        }
}

static void apply(const obk_epilogue *epilogue, const void *from, int64_t from_row, int64_t row, int64_t rows, int64_t column,
                  int64_t n) {
    const ob_epilogue_call *call = (const ob_epilogue_call *)(const void *)epilogue;
    const int64_t length = call->plan->n_axes > 0 ? call->plan->dims[call->plan->n_axes - 1] : 1;
    for (int64_t i = 0; i < rows && n > 0;) {
        const int64_t some = ob__least(rows - i, length - (call->row + row + i) % length);
        apply_rows(call, (const char *)from + i * from_row, from_row, row + i, some, column, n);
        i += some;
    }
}

ob_epilogue_call ob__epilogue_at(const ob_epilogue *plan, const ob_kernel_args *args, int64_t row, int64_t column, void *y,
                                 int64_t y_row, void *registers) {
    return (ob_epilogue_call){.base = {apply},
                              .plan = plan,
                              .others = args->others,
                              .row = row,
                              .column = column,
                              .y = y,
                              .y_row = y_row,
                              .registers = registers};
}
