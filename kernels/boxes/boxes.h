/* Overlap of boxes. */
#ifndef OB_KERNELS_BOXES_H
#define OB_KERNELS_BOXES_H

#include <stdbool.h>
#include <stdint.h>

/* The corners, the lower first, and the area. */
typedef struct obk_box {
    float y1, x1, y2, x2, area;
} obk_box;
/* A list of boxes as arrays, of at least n elements rounded up to OBK_BOXES_BLOCK. */
typedef struct obk_box_list {
    float *y1, *x1, *y2, *x2, *area;
} obk_box_list;

enum { OBK_BOXES_BLOCK = 16 };

typedef struct obk_boxes {
    /* True if the intersection over union of the box with one of the first n is above the threshold. Boxes without an area or
     * with NaN overlap nothing. Elements after the first n are read up to a whole block; their areas must be 0. */
    bool (*overlaps)(const obk_box *box, const obk_box_list *list, int64_t n, float threshold);
} obk_boxes;

#endif
