/* Splits a convolution into tasks. The split follows from shapes alone, so results do not depend on the number of threads. */
#ifndef OB_OPS_CONV_SPLIT_H
#define OB_OPS_CONV_SPLIT_H

#include "core/base/integers.h"
#include "kernels/conv/conv.h"
#include "ops/kernel/kernel.h"

typedef struct ob_conv_split {
    obk_conv k;                     /* of one group */
    int64_t groups;                 /* of an image */
    int64_t channels;               /* input channels of a group; k.channels may count pairs of them */
    int64_t n_planes, n_blocks;     /* images times groups; blocks of a plane */
    int64_t n_parts, part_channels; /* parts of the output channels of a group */
    int64_t n_each, n;              /* tasks (one part of one block) of a chunk, and of all */
    int64_t width;                  /* bytes of an element during the computation */
    obk_conv_run run;               /* the loops without packed weights */
    /* Vectors along output channels. NULL: `run` computes. Otherwise a part has part_panels panels. */
    const obk_conv_panels *panels;
    int64_t n_panels, part_panels;
    bool winograd;             /* the panels are those of obk_convs.winograd */
    int64_t w_group;           /* elements of the weights of a group, packed or not */
    size_t lane_bytes;         /* that a task needs */
    size_t copies_at, sums_at; /* for panels: where copies and sums lie in this memory */
} ob_conv_split;

typedef struct ob_conv_task {
    int64_t plane, group, block, first, end; /* output channels first .. end of the group */
    int64_t first_panel, end_panel;          /* with panels: the same */
    uint32_t padding;                        /* an element of the padding, for quads; 0 unless the caller sets it */
} ob_conv_task;

extern const struct ob_struct ob__conv_split_struct;

/* Reads the window and the sizes of Conv, ConvInteger or QLinearConv. w, bias: the indices of these inputs; bias -1: none.
 * E_SHAPE for sizes that do not fit, E_ARGUMENT for attributes. */
ob_status ob__plan_conv(const ob_kernel_site *site, const ob_kernel_args *args, uint32_t w, int bias, ob_conv_split *split,
                        ob_error *error);
/* Chooses the loops of `type`, the layout and the split. k.channels must be set: channels, or pairs of them if the loops work on
 * pairs. `packs`: the weights can be packed for panels;
 * `relaxed`: also those of Winograd. `buffered`: results first go to lane memory, so a task's results shall be
 * about as large as its input. Only for results with elements. */
ob_status ob__split_conv(const ob_kernel_site *site, int type, bool packs, bool relaxed, bool buffered, ob_conv_split *split,
                         ob_error *error);

static inline int64_t ob__conv_chunks(const ob_conv_split *split) {
    return ob__ceil_div(split->n, split->n_each);
}
static inline int64_t ob__conv_chunk_end(const ob_conv_split *split, int64_t chunk) {
    return (chunk + 1) * split->n_each < split->n ? (chunk + 1) * split->n_each : split->n;
}
ob_conv_task ob__conv_task(const ob_conv_split *split, int64_t i);
/* Before the first task of a run. */
void ob__start_conv(const ob_conv_split *split, char *lanes, size_t lane_stride, const ob_threads *threads);
/* x, w, bias: all of them. y: the first result of the task's first output channel. lane: of this thread; tasks of one block that
 * follow each other share the block's copy. after: applied to the results, rows are output channels; NULL: none. */
void ob__run_conv_task(const ob_conv_split *split, const ob_conv_task *task, const void *x, const void *w, const void *bias,
                       void *y, const obk_epilogue *after, char *lane, obk_pace *pace);
/* The number of results of the largest task. */
int64_t ob__conv_largest_task(const ob_conv_split *split);

#endif
