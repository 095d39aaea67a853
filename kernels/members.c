#include "kernels/members.h"

#include "kernels/conv/conv.h"
#include "kernels/elementwise/elementwise.h"
#include "kernels/elementwise/iteration_layout.h"
#include "kernels/fft/fft.h"
#include "kernels/gemm/gemm.h"
#include "kernels/gemm/integer.h"
#include "kernels/pool/pool.h"
#include "kernels/random/random.h"
#include "kernels/reduce/reduce.h"
#include "kernels/resize/resize.h"

/* ---- Windows ---- */

OB_COUNT(window_rank, obk_window, rank)
OB_COUNT(tiling_rank, obk_tiling, rank)
OB_COUNT(tiling_kernel, obk_tiling, n_kernel)
OB_COUNT(tiling_rows, obk_tiling, n_rows)

static const ob_member axis_members[] = {OB_VALUE(obk_axis, in),     OB_VALUE(obk_axis, out),      OB_VALUE(obk_axis, kernel),
                                         OB_VALUE(obk_axis, stride), OB_VALUE(obk_axis, dilation), OB_VALUE(obk_axis, before),
                                         OB_VALUE(obk_axis, after)};
const ob_struct obk_axis_struct = OB_STRUCT(obk_axis, axis_members);

static const ob_member window_members[] = {
    OB_VALUE(obk_window, rank), OB_POINTER(obk_window, axes, &obk_axis_struct, window_rank), OB_VALUE(obk_window, n_in),
    OB_VALUE(obk_window, n_out), OB_VALUE(obk_window, n_kernel)};
const ob_struct obk_window_struct = OB_STRUCT(obk_window, window_members);

static const ob_member tiling_members[] = {OB_VALUE(obk_tiling, rank),
                                           OB_VALUE(obk_tiling, n_kernel),
                                           OB_VALUE(obk_tiling, block),
                                           OB_VALUE(obk_tiling, n_blocks),
                                           OB_VALUE(obk_tiling, phases),
                                           OB_VALUE(obk_tiling, phase_elems),
                                           OB_VALUE(obk_tiling, elems),
                                           OB_VALUE(obk_tiling, n_flat),
                                           OB_VALUE(obk_tiling, n_rows),
                                           OB_VALUE(obk_tiling, rows_each),
                                           OB_VALUE(obk_tiling, results_each),
                                           OB_VALUE(obk_tiling, inputs_each),
                                           OB_NUMBERS(obk_tiling, pitch, tiling_rank),
                                           OB_NUMBERS(obk_tiling, extent, tiling_rank),
                                           OB_NUMBERS(obk_tiling, axis_phases, tiling_rank),
                                           OB_NUMBERS(obk_tiling, offset, tiling_kernel),
                                           OB_NUMBERS(obk_tiling, row, tiling_rows)};
const ob_struct obk_tiling_struct = OB_STRUCT(obk_tiling, tiling_members);

/* ---- Convolution, pooling ---- */

static int64_t conv_offsets(const void *owner, uint32_t i) {
    const obk_conv *conv = owner;
    (void)i;
    return conv->k_channels * conv->window.n_kernel;
}

static const ob_member conv_members[] = {OB_NESTED(obk_conv, window, &obk_window_struct),
                                         OB_NESTED(obk_conv, tiling, &obk_tiling_struct),
                                         OB_VALUE(obk_conv, tiled),
                                         OB_VALUE(obk_conv, pointwise),
                                         OB_VALUE(obk_conv, channels),
                                         OB_VALUE(obk_conv, out_channels),
                                         OB_VALUE(obk_conv, pitch),
                                         OB_VALUE(obk_conv, y_channel),
                                         OB_VALUE(obk_conv, rows),
                                         OB_VALUE(obk_conv, along),
                                         OB_VALUE(obk_conv, k_channels),
                                         OB_NUMBERS(obk_conv, k_offset, conv_offsets)};
const ob_struct obk_conv_struct = OB_STRUCT(obk_conv, conv_members);

static const ob_member panels_members[] = {OB_VALUE(obk_conv_panels, lanes),          OB_VALUE(obk_conv_panels, widest),
                                           OB_VALUE(obk_conv_panels, along_products), OB_UNREAD(obk_conv_panels, pack),
                                           OB_FUNCTION(obk_conv_panels, lay_out),     OB_FUNCTION(obk_conv_panels, run)};
const ob_struct obk_conv_panels_struct = OB_STRUCT(obk_conv_panels, panels_members);

OB_COUNT(pool_divisors, obk_pool, window.n_out)
OB_COUNT(pool_axes, obk_pool, window.rank)
static int64_t pool_seen(const void *owner, uint32_t i) {
    return ((const obk_pool *)owner)->window.axes[i].out;
}

static const ob_member pool_members[] = {OB_NESTED(obk_pool, window, &obk_window_struct),
                                         OB_NESTED(obk_pool, tiling, &obk_tiling_struct),
                                         OB_VALUE(obk_pool, tiled),
                                         OB_VALUE(obk_pool, kind),
                                         OB_VALUE(obk_pool, p),
                                         OB_VALUE(obk_pool, column_major),
                                         OB_TABLE(obk_pool, n_seen, pool_axes, pool_seen),
                                         OB_NUMBERS(obk_pool, divisors, pool_divisors)};
const ob_struct obk_pool_struct = OB_STRUCT(obk_pool, pool_members);

/* ---- Products ---- */

static const ob_member gemm_members[] = {
    OB_VALUE(obk_gemm, mr),         OB_VALUE(obk_gemm, nr),        OB_VALUE(obk_gemm, panel_k), OB_SIZE(obk_gemm, row_bytes),
    OB_FUNCTION(obk_gemm, product), OB_FUNCTION(obk_gemm, pack_a), OB_UNREAD(obk_gemm, pack_b), OB_FUNCTION(obk_gemm, row)};
const ob_struct obk_gemm_struct = OB_STRUCT(obk_gemm, gemm_members);

static const ob_member integer_gemm_members[] = {OB_VALUE(obk_integer_gemm, nr),          OB_VALUE(obk_integer_gemm, each),
                                                 OB_VALUE(obk_integer_gemm, panel_pairs), OB_FUNCTION(obk_integer_gemm, product),
                                                 OB_FUNCTION(obk_integer_gemm, pack_a),   OB_UNREAD(obk_integer_gemm, pack_b)};
const ob_struct obk_integer_gemm_struct = OB_STRUCT(obk_integer_gemm, integer_gemm_members);

/* ---- Resampling ---- */

static int64_t resize_taps(const void *owner, uint32_t i) {
    const obk_resize_axis *axis = owner;
    (void)i;
    return axis->taps * axis->n_out;
}
static int64_t resize_width(const void *owner, uint32_t i) {
    (void)i;
    return ((const obk_resize_axis *)owner)->wide ? (int64_t)sizeof(double) : (int64_t)sizeof(float);
}

static const ob_member resize_axis_members[] = {OB_VALUE(obk_resize_axis, n_in),
                                                OB_VALUE(obk_resize_axis, n_out),
                                                OB_VALUE(obk_resize_axis, taps),
                                                OB_VALUE(obk_resize_axis, times),
                                                OB_VALUE(obk_resize_axis, rises),
                                                OB_VALUE(obk_resize_axis, wide),
                                                OB_NUMBERS(obk_resize_axis, index, resize_taps),
                                                OB_ANY_NUMBERS(obk_resize_axis, weight, resize_taps, resize_width)};
const ob_struct obk_resize_axis_struct = OB_STRUCT(obk_resize_axis, resize_axis_members);

/* ---- Random numbers, Fourier transforms ---- */

static const ob_member random_key_members[] = {OB_VALUES(obk_random_key, word)};
const ob_struct obk_random_key_struct = OB_STRUCT(obk_random_key, random_key_members);

static int64_t fft_roots(const void *owner, uint32_t i) {
    (void)i;
    return 2 * ((const obk_fft *)owner)->length;
}
static int64_t fft_chirp(const void *owner, uint32_t i) {
    (void)i;
    return 2 * ((const obk_fft *)owner)->n;
}

static const ob_member fft_members[] = {OB_VALUE(obk_fft, n),
                                        OB_VALUE(obk_fft, length),
                                        OB_VALUE(obk_fft, n_factors),
                                        OB_VALUES(obk_fft, factors),
                                        OB_NUMBERS(obk_fft, roots, fft_roots),
                                        OB_NUMBERS(obk_fft, chirp, fft_chirp)};
const ob_struct obk_fft_struct = OB_STRUCT(obk_fft, fft_members);

/* ---- Elementwise ---- */

static const ob_member unary_params_members[] = {OB_VALUE(obk_unary_params, alpha), OB_VALUE(obk_unary_params, beta),
                                                 OB_VALUE(obk_unary_params, gamma), OB_VALUE(obk_unary_params, positive),
                                                 OB_VALUE(obk_unary_params, negative)};
const ob_struct obk_unary_params_struct = OB_STRUCT(obk_unary_params, unary_params_members);

OB_COUNT(nd_rank, obk_nd, rank)
static int64_t nd_strides(const void *owner, uint32_t i) {
    const obk_nd *nd = owner;
    (void)i;
    return (int64_t)nd->rank * (nd->n_inputs + nd->n_outputs);
}

static const ob_member nd_members[] = {
    OB_VALUE(obk_nd, rank),    OB_VALUE(obk_nd, n_inputs),        OB_VALUE(obk_nd, n_outputs),
    OB_VALUE(obk_nd, n_elems), OB_NUMBERS(obk_nd, dims, nd_rank), OB_NUMBERS(obk_nd, strides, nd_strides)};
const ob_struct obk_nd_struct = OB_STRUCT(obk_nd, nd_members);

OB_COUNT(scalar_width, obk_program_input, size)

static const ob_member program_input_members[] = {OB_VALUE(obk_program_input, from), OB_VALUE(obk_program_input, index),
                                                  OB_VALUE(obk_program_input, size),
                                                  OB_ELEMENT(obk_program_input, scalar, scalar_width)};
static const ob_struct program_input_struct = OB_STRUCT(obk_program_input, program_input_members);

static const ob_member program_step_members[] = {
    OB_FUNCTION(obk_program_step, loop),    OB_PARAMS(obk_program_step, params),
    OB_TYPE(obk_program_step, params_type), OB_VALUE(obk_program_step, n_in),
    OB_VALUE(obk_program_step, out),        OB_VALUE(obk_program_step, out_size),
    OB_VALUE(obk_program_step, per_row),    OB_VALUE(obk_program_step, whole_rows),
    OB_VALUE(obk_program_step, joined),     OB_VALUE(obk_program_step, gets),
    OB_ONLY_NULL(obk_program_step, form),   OB_NESTED_ARRAY(obk_program_step, in, &program_input_struct)};
static const ob_struct program_step_struct = OB_STRUCT(obk_program_step, program_step_members);

OB_COUNT(program_steps, obk_program, n_steps)

static const ob_member program_members[] = {OB_VALUE(obk_program, n_steps),
                                            OB_VALUE(obk_program, n_registers),
                                            OB_VALUE(obk_program, largest),
                                            OB_VALUE(obk_program, row),
                                            OB_ONLY_NULL(obk_program, chains),
                                            OB_UNREAD(obk_program, run_chain),
                                            OB_REST(obk_program, steps, &program_step_struct, program_steps)};
const ob_struct obk_program_struct = OB_STRUCT(obk_program, program_members);

static int64_t iteration_operands(const void *owner, uint32_t i) {
    const obk_iteration *b = owner;
    (void)i;
    return (int64_t)b->nd.n_inputs + b->nd.n_outputs;
}
static int64_t fixed_width(const void *owner, uint32_t i) {
    return ((const obk_iteration *)owner)->operands[i].size;
}
static int64_t finish_width(const void *owner, uint32_t i) {
    const obk_iteration *b = owner;
    (void)i;
    return b->operands[b->nd.n_inputs].loop_size;
}

/* Plans that are written as C have aligned operands, so that only a fold into an operand's place needs other blocks. */
static int64_t iteration_adapts(const void *owner, uint32_t i) {
    const obk_iteration *b = owner;
    (void)i;
    return b->fold && b->nd.n_inputs > 1;
}
OB_COUNT(iteration_is_direct, obk_iteration, direct)
static int64_t iteration_has_tiles(const void *owner, uint32_t i) {
    return iteration_adapts(owner, i) || !iteration_is_direct(owner, i);
}
OB_COUNT(iteration_folds, obk_iteration, fold)
static int64_t iteration_gathers(const void *owner, uint32_t i) {
    const obk_iteration *b = owner;
    for (uint32_t k = 0; k < b->nd.n_inputs; k++)
        if (b->operands[k].access != DIRECT) return true;
    return iteration_adapts(owner, i);
}
static int64_t iteration_stores(const void *owner, uint32_t i) {
    const obk_iteration *b = owner;
    return iteration_adapts(owner, i) || b->operands[b->nd.n_inputs].access != DIRECT;
}

static const ob_member iteration_operand_members[] = {
    OB_FUNCTION(obk_iteration_operand, convert), OB_VALUE(obk_iteration_operand, size),
    OB_VALUE(obk_iteration_operand, loop_size), OB_VALUE(obk_iteration_operand, access), OB_VALUE(obk_iteration_operand, tile)};
static const ob_struct iteration_operand_struct = OB_STRUCT(obk_iteration_operand, iteration_operand_members);

static const ob_member iteration_members[] = {OB_NESTED(obk_iteration, nd, &obk_nd_struct),
                                              OB_ONLY_NULL(obk_iteration, short_rows),
                                              OB_UNREAD(obk_iteration, run_short_rows),
                                              OB_FUNCTION(obk_iteration, loop),
                                              OB_POINTER(obk_iteration, program, &obk_program_struct, NULL),
                                              OB_PARAMS(obk_iteration, params),
                                              OB_TYPE(obk_iteration, params_type),
                                              OB_VALUE(obk_iteration, fold),
                                              OB_VALUE(obk_iteration, swap),
                                              OB_FUNCTION(obk_iteration, finish),
                                              OB_ELEMENT(obk_iteration, finish_operand, finish_width),
                                              OB_ELEMENTS(obk_iteration, fixed, fixed_width),
                                              OB_VALUE(obk_iteration, flat),
                                              OB_VALUE(obk_iteration, direct),
                                              OB_VALUE(obk_iteration, stream),
                                              OB_VALUE(obk_iteration, n_tiles),
                                              OB_VALUE(obk_iteration, lanes),
                                              OB_VALUE(obk_iteration, tile_bytes),
                                              OB_VALUE(obk_iteration, axis),
                                              OB_VALUE(obk_iteration, chunk),
                                              OB_VALUE(obk_iteration, inner),
                                              OB_VALUE(obk_iteration, n_blocks),
                                              OB_VALUE(obk_iteration, n_chunks),
                                              OB_POINTER(obk_iteration, operands, &iteration_operand_struct, iteration_operands),
                                              OB_FUNCTION(obk_iteration, repeat_4),
                                              OB_FUNCTION_IF(obk_iteration, direct_range, iteration_is_direct),
                                              OB_FUNCTION_IF(obk_iteration, tiled_range, iteration_has_tiles),
                                              OB_FUNCTION_IF(obk_iteration, fold_block, iteration_folds),
                                              OB_FUNCTION_IF(obk_iteration, gather, iteration_gathers),
                                              OB_FUNCTION_IF(obk_iteration, store, iteration_stores),
                                              OB_FUNCTION_IF(obk_iteration, adapt, iteration_adapts)};
const ob_struct obk_iteration_struct = OB_STRUCT(obk_iteration, iteration_members);

/* ---- Reduction ---- */

static const ob_member reduction_members[] = {OB_VALUE(obk_reduction, fold),
                                              OB_VALUE(obk_reduction, finish),
                                              OB_VALUE(obk_reduction, is_bool),
                                              OB_VALUE(obk_reduction, columns),
                                              OB_VALUE(obk_reduction, inner),
                                              OB_VALUE(obk_reduction, n_kept),
                                              OB_VALUE(obk_reduction, n_reduced),
                                              OB_VALUES(obk_reduction, kept),
                                              OB_VALUES(obk_reduction, kept_strides),
                                              OB_VALUES(obk_reduction, reduced),
                                              OB_VALUES(obk_reduction, reduced_strides),
                                              OB_VALUE(obk_reduction, n_folded)};
const ob_struct obk_reduction_struct = OB_STRUCT(obk_reduction, reduction_members);

static const ob_member search_members[] = {OB_VALUE(obk_search, n), OB_VALUE(obk_search, inner), OB_VALUE(obk_search, smallest),
                                           OB_VALUE(obk_search, last)};
const ob_struct obk_search_struct = OB_STRUCT(obk_search, search_members);

static const ob_member running_members[] = {OB_VALUE(obk_running, n), OB_VALUE(obk_running, inner),
                                            OB_VALUE(obk_running, exclusive), OB_VALUE(obk_running, reverse),
                                            OB_VALUE(obk_running, product)};
const ob_struct obk_running_struct = OB_STRUCT(obk_running, running_members);
