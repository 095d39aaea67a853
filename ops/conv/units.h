/* A convolution cut into units of work, by shapes alone. */
#ifndef OB_OPS_CONV_UNITS_H
#define OB_OPS_CONV_UNITS_H

#include "core/base/integers.h"
#include "kernels/conv/conv.h"
#include "ops/kernel/kernel.h"

typedef struct ob_conv_units {
    obk_conv k;                 /* of one group */
    int64_t groups;             /* of each image */
    int64_t channels;           /* of a group, which may be pairs in k */
    int64_t n_planes, n_blocks; /* images times groups; blocks of each */
    int64_t n_parts, part_maps; /* parts of the maps */
    int64_t n_each, n;          /* units (a part of a block) of a chunk, and of all */
} ob_conv_units;

typedef struct ob_conv_unit {
    int64_t plane, group, block, first, end; /* maps first .. end of the group */
} ob_conv_unit;

/* The window and numbers of Conv, ConvInteger or QLinearConv, whose inputs `w` and `bias` (-1: none) they are. E_SHAPE for sizes
 * that do not fit, E_ARGUMENT for attributes. */
ob_status ob__plan_conv(const ob_kernel_site *site, const ob_kernel_args *args, uint32_t w, int bias, ob_conv_units *units,
                        ob_error *error);
/* How planes are laid out and cut, elements being `width` bytes as they are computed, once k.channels is what the loops see.
 * `apart`: results lie in memory of the lane first, those of a unit of about the size of what is read for them. Not for results
 * without elements. */
ob_status ob__cut_conv(const ob_kernel_site *site, int64_t width, bool apart, ob_conv_units *units, ob_error *error);

static inline int64_t ob__conv_chunks(const ob_conv_units *u) {
    return ob__ceil_div(u->n, u->n_each);
}
static inline int64_t ob__conv_units_end(const ob_conv_units *u, int64_t chunk) {
    return (chunk + 1) * u->n_each < u->n ? (chunk + 1) * u->n_each : u->n;
}
ob_conv_unit ob__conv_unit(const ob_conv_units *units, int64_t i);
/* Results of the largest unit. */
int64_t ob__conv_most_results(const ob_conv_units *units);

#endif
