/* Boxes that overlap. */
#ifndef OB_KERNELS_BOXES_H
#define OB_KERNELS_BOXES_H

#include <stdbool.h>
#include <stdint.h>

/* Corners, low before high, and the area between them. */
typedef struct obk_box {
    float y1, x1, y2, x2, area;
} obk_box;
/* Many of them, side by side: arrays of at least n elements, rounded up to OBK_BOXES_BLOCK. */
typedef struct obk_box_list {
    float *y1, *x1, *y2, *x2, *area;
} obk_box_list;

enum { OBK_BOXES_BLOCK = 16 };

typedef struct obk_boxes {
    /* True when the intersection over the union of the box and one of the first n is above the threshold. Boxes without an area,
     * and what is NaN, overlap nothing. What lies behind the first n, up to a block, is read: its areas are 0. */
    bool (*overlaps)(const obk_box *box, const obk_box_list *list, int64_t n, float threshold);
} obk_boxes;

#endif
