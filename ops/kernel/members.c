#include "ops/kernel/members.h"

#include "core/graph/graph.h"
#include "ops/kernel/common.h"
#include "ops/kernel/element.h"
#include "ops/kernel/epilogue.h"
#include "ops/kernel/matrices.h"

/* ---- Lists, elements ---- */

OB_COUNT(ints_count, ob_ints, n)

static const ob_member ints_members[] = {OB_NUMBERS(ob_ints, at, ints_count), OB_VALUE(ob_ints, n), OB_VALUE(ob_ints, given)};
const ob_struct ob__ints_struct = OB_STRUCT(ob_ints, ints_members);

OB_COUNT(kept_count, ob_kept_element, n)
OB_COUNT(kept_width, ob_kept_element, width)

static const ob_member kept_members[] = {OB_ANY_NUMBERS(ob_kept_element, at, kept_count, kept_width),
                                         OB_VALUE(ob_kept_element, n), OB_VALUE(ob_kept_element, width)};
const ob_struct ob__kept_element_struct = OB_STRUCT(ob_kept_element, kept_members);

/* ---- Epilogues ---- */

OB_COUNT(epilogue_axes, ob_epilogue, n_axes)
static int64_t epilogue_strides(const void *owner, uint32_t i) {
    const ob_epilogue *e = owner;
    (void)i;
    return (int64_t)e->n_others * e->n_axes;
}
OB_COUNT(epilogue_others, ob_epilogue, n_others)

static const ob_member epilogue_members[] = {OB_POINTER(ob_epilogue, program, &obk_program_struct, NULL),
                                             OB_VALUE(ob_epilogue, n_others),
                                             OB_VALUE(ob_epilogue, n_axes),
                                             OB_NUMBERS(ob_epilogue, dims, epilogue_axes),
                                             OB_NUMBERS(ob_epilogue, strides, epilogue_strides),
                                             OB_NUMBERS(ob_epilogue, steps, epilogue_others),
                                             OB_VALUE(ob_epilogue, width),
                                             OB_VALUE(ob_epilogue, piece),
                                             OB_VALUE(ob_epilogue, register_bytes)};
const ob_struct ob__epilogue_struct = OB_STRUCT(ob_epilogue, epilogue_members);

/* ---- Matrices ---- */

OB_COUNT(batch_axes, ob_matrices, n_batch)

static const ob_member matrices_members[] = {OB_VALUE(ob_matrices, m),
                                             OB_VALUE(ob_matrices, n),
                                             OB_VALUE(ob_matrices, k),
                                             OB_VALUE(ob_matrices, n_batch),
                                             OB_VALUE(ob_matrices, n_axes),
                                             OB_NUMBERS(ob_matrices, batch, batch_axes),
                                             OB_VALUE(ob_matrices, a.row),
                                             OB_VALUE(ob_matrices, a.column),
                                             OB_NUMBERS(ob_matrices, a.batch, batch_axes),
                                             OB_VALUE(ob_matrices, a.copied),
                                             OB_VALUE(ob_matrices, b.row),
                                             OB_VALUE(ob_matrices, b.column),
                                             OB_NUMBERS(ob_matrices, b.batch, batch_axes),
                                             OB_VALUE(ob_matrices, b.copied),
                                             OB_VALUE(ob_matrices, rows),
                                             OB_VALUE(ob_matrices, columns),
                                             OB_VALUE(ob_matrices, down),
                                             OB_VALUE(ob_matrices, across),
                                             OB_VALUE(ob_matrices, group),
                                             OB_VALUE(ob_matrices, n_chunks),
                                             OB_VALUE(ob_matrices, inner)};
const ob_struct ob__matrices_struct = OB_STRUCT(ob_matrices, matrices_members);
