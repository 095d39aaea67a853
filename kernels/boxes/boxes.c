/* Overlap of boxes. Compiled once for each instruction-set level. */
#include "kernels/boxes/boxes.h"
#include "kernels/level.h"

#define MEMBER boxes
#define ROWS   "kernels/boxes/boxes.def"
#include "kernels/declare.inc.h"

bool OBK_FN(boxes_overlaps)(const obk_box *box, const obk_box_list *list, int64_t n, float threshold) {
    const float y1 = box->y1, x1 = box->x1, y2 = box->y2, x2 = box->x2, area = box->area;
    for (int64_t i = 0; i < n; i += OBK_BOXES_BLOCK) {
        const float *restrict ly1 = list->y1 + i, *restrict lx1 = list->x1 + i, *restrict ly2 = list->y2 + i;
        const float *restrict lx2 = list->x2 + i, *restrict larea = list->area + i;
        int32_t any = 0;
        for (int32_t k = 0; k < OBK_BOXES_BLOCK; k++) {
            const float top = ly1[k] > y1 ? ly1[k] : y1, left = lx1[k] > x1 ? lx1[k] : x1;
            const float bottom = ly2[k] < y2 ? ly2[k] : y2, right = lx2[k] < x2 ? lx2[k] : x2;
            const float height = bottom - top, width = right - left, shared = height * width;
            const float joint = area + larea[k] - shared;
            const int32_t real = (height > 0) & (width > 0) & (shared > 0) & (area > 0) & (larea[k] > 0) & (joint > 0);
            any |= real & (shared / joint > threshold);
        }
        if (any) return true;
    }
    return false;
}

const obk_boxes OBK_TABLE(boxes) = {
#define ROWS "kernels/boxes/boxes.def"
#include "kernels/table.inc.h"
};
