/* NonMaxSuppression 10, 11: for each batch and class, the boxes in descending order of scores (equal scores in order of index),
 * without boxes that overlap a better one by more than a threshold. If max_output_boxes_per_class is missing or below 1, no
 * boxes; without a score threshold, all boxes take part. A NaN score is the lowest. */
#include "core/base/integers.h"
#include "kernels/boxes/boxes.h"
#include "kernels/take.h"
#include "ops/kernel/common.h"
#include "ops/select/params.h"

typedef struct nms {
    int64_t n_batches, n_classes, n_boxes;
    bool have_centers;
    const obk_boxes *loops;
} nms;

typedef struct job {
    const nms *s;
    const ob_kernel_args *args;
    int64_t most; /* the greatest number of boxes of a class */
    float overlap, least;
    bool has_least;
    int64_t *counts;  /* for each batch and class */
    uint32_t *chosen; /* n_boxes entries for each batch and class */
} job;

/* The sort key of a box: in the upper half an integer that is smaller for higher scores, in the lower half the index. */
static uint64_t key_of(float score, uint32_t index) {
    uint32_t bits;
    score += 0.0F; /* turns -0 into 0 */
    memcpy(&bits, &score, sizeof bits);
    bits = score != score ? UINT32_MAX : bits >> 31 ? bits : ~bits & 0x7fffffff;
    return (uint64_t)bits << 32 | index;
}

/* A stable sort by the upper half, one byte at a time. The result is in `keys`. False: the run was cancelled. */
static bool sort_keys(uint64_t *keys, uint64_t *spare, int64_t n, obk_pace *pace) {
    enum { WORK_OF_KEY = 4 };
    for (int shift = 32; shift < 64; shift += 8) {
        uint32_t starts[257] = {0}; /* keys hold 32 bits of the index */
        for (int64_t i = 0; i < n; i++) starts[(keys[i] >> shift & 255) + 1]++;
        for (int b = 0; b < 256; b++) starts[b + 1] += starts[b];
        for (int64_t i = 0; i < n; i++) {
            if (obk_stops(pace, WORK_OF_KEY)) return false;
            spare[starts[keys[i] >> shift & 255]++] = keys[i];
        }
        uint64_t *sorted = spare;
        spare = keys;
        keys = sorted;
    }
    return true;
}

static obk_box read_box(const float *from, bool has_center) {
    obk_box box;
    if (has_center) {
        float width = from[2] / 2, height = from[3] / 2;
        box = (obk_box){.y1 = from[1] - height, .x1 = from[0] - width, .y2 = from[1] + height, .x2 = from[0] + width};
    } else {
        bool down = from[0] <= from[2], right = from[1] <= from[3];
        box = (obk_box){.y1 = from[down ? 0 : 2], .x1 = from[right ? 1 : 3], .y2 = from[down ? 2 : 0], .x2 = from[right ? 3 : 1]};
    }
    box.area = (box.x2 - box.x1) * (box.y2 - box.y1);
    return box;
}

static int64_t padded(int64_t n) {
    return ob__round_up(n, OBK_BOXES_BLOCK);
}

static void append(const obk_box_list *list, int64_t i, const obk_box *box) {
    if (i % OBK_BOXES_BLOCK == 0) {
        float *arrays[] = {list->y1, list->x1, list->y2, list->x2, list->area};
        for (int k = 0; k < 5; k++) memset(arrays[k] + i, 0, OBK_BOXES_BLOCK * sizeof(float));
    }
    list->y1[i] = box->y1;
    list->x1[i] = box->x1;
    list->y2[i] = box->y2;
    list->x2[i] = box->x2;
    list->area[i] = box->area;
}

static void one_class(void *context, int64_t chunk, int lane) {
    enum { WORK_OF_BOX = 16 };
    const job *j = context;
    const nms *s = j->s;
    const float *boxes = (const float *)j->args->in[0].data + chunk / s->n_classes * s->n_boxes * 4;
    const float *scores = (const float *)j->args->in[1].data + chunk * s->n_boxes;
    char *memory = ob__lane(j->args->lanes, j->args->lane_stride, lane);
    uint64_t *keys = ob__take(&memory, s->n_boxes, sizeof *keys), *spare = ob__take(&memory, s->n_boxes, sizeof *spare);
    float *arrays[5];
    for (int k = 0; k < 5; k++) arrays[k] = ob__take(&memory, padded(s->n_boxes), sizeof(float));
    const obk_box_list list = {arrays[0], arrays[1], arrays[2], arrays[3], arrays[4]};
    uint32_t *chosen = j->chosen + chunk * s->n_boxes;
    int64_t n = 0, n_chosen = 0;
    for (int64_t i = 0; i < s->n_boxes; i++)
        if (!j->has_least || scores[i] > j->least) keys[n++] = key_of(scores[i], (uint32_t)i);
    obk_pace pace = ob__pace(j->args->threads);
    if (!sort_keys(keys, spare, n, &pace)) return;
    for (int64_t i = 0; i < n && n_chosen < j->most && !obk_stops(&pace, WORK_OF_BOX + n_chosen); i++) {
        uint32_t index = (uint32_t)keys[i];
        const obk_box box = read_box(boxes + (size_t)index * 4, s->have_centers);
        if (s->loops->overlaps(&box, &list, n_chosen, j->overlap)) continue;
        append(&list, n_chosen, &box);
        chosen[n_chosen++] = index;
    }
    j->counts[chunk] = n_chosen;
}

static ob_status nms_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    nms *s = args->state;
    const ob_view *boxes = &args->in[0], *scores = &args->in[1];
    bool fits = boxes->rank == 3 && scores->rank == 3 && boxes->dims[2] == 4 && boxes->dims[0] == scores->dims[0] &&
                boxes->dims[1] == scores->dims[2];
    OB_FAIL_IF(!fits, error, OB_E_SHAPE, "boxes are [batch, box, 4] and scores [batch, class, box]");
    for (uint32_t i = 2; i < 5; i++)
        OB_FAIL_IF(ob__given(args, i) && ob__count(&args->in[i]) != 1, error, OB_E_SHAPE, "input %u is not one element", i);
    *s = (nms){.n_batches = scores->dims[0],
               .n_classes = scores->dims[1],
               .n_boxes = scores->dims[2],
               .have_centers = ob__boxes_have_centers(site->node),
               .loops = OBK_FAMILY(boxes, ->overlaps)};
    OB_FAIL_IF(s->n_boxes > UINT32_MAX, error, OB_E_LIMIT, "%lld boxes", (long long)s->n_boxes);
    if (ob__count(scores) == 0) s->n_boxes = s->n_batches = 0;
    OB_TRY(ob__need_scratch(needs, s->n_batches * s->n_classes, sizeof(int64_t), error));
    OB_TRY(ob__need_scratch(needs, s->n_batches * s->n_classes * s->n_boxes, sizeof(uint32_t), error));
    for (int k = 0; k < 2; k++) OB_TRY(ob__need_lanes(needs, s->n_boxes, sizeof(uint64_t), error));
    for (int k = 0; k < 5; k++) OB_TRY(ob__need_lanes(needs, padded(s->n_boxes), sizeof(float), error));
    return OB_OK;
}

static ob_status write_chosen(const job *j, const ob_kernel_args *args, ob_error *error) {
    const nms *s = j->s;
    int64_t found = 0;
    for (int64_t i = 0; i < s->n_batches * s->n_classes; i++) found += j->counts[i];
    OB_TRY(ob__kernel_output(args, 0, 2, (int64_t[]){found, 3}, error));
    int64_t *to = args->out[0].data;
    for (int64_t i = 0; i < s->n_batches * s->n_classes; i++)
        for (int64_t k = 0; k < j->counts[i]; k++, to += 3) {
            to[0] = i / s->n_classes;
            to[1] = i % s->n_classes;
            to[2] = j->chosen[i * s->n_boxes + k];
        }
    return OB_OK;
}

static ob_status nms_run(const ob_kernel_args *args, ob_error *error) {
    const nms *s = args->state;
    const ob_view *in = args->in;
    char *memory = args->scratch;
    job j = {.s = s, .args = args, .has_least = ob__given(args, 4)};
    j.counts = ob__take(&memory, s->n_batches * s->n_classes, sizeof *j.counts);
    j.chosen = ob__take(&memory, s->n_batches * s->n_classes * s->n_boxes, sizeof *j.chosen);
    if (ob__given(args, 2)) j.most = ((const int64_t *)in[2].data)[0];
    if (ob__given(args, 3)) j.overlap = ((const float *)in[3].data)[0];
    if (ob__given(args, 4)) j.least = ((const float *)in[4].data)[0];
    OB_FAIL_IF(!(j.overlap >= 0 && j.overlap <= 1), error, OB_E_ARGUMENT, "iou_threshold is %g, outside 0 .. 1",
               (double)j.overlap);
    for (int64_t i = 0; i < s->n_batches * s->n_classes; i++) j.counts[i] = 0; /* a cancelled run leaves out classes */
    ob__each_chunk(args->threads, s->n_batches * s->n_classes, one_class, &j);
    return write_chosen(&j, args, error);
}

const ob_kernel ob__kernel_non_max_suppression = {
    .name = "non_max_suppression", .flags = OB_KERNEL_DYNAMIC, .state_bytes = sizeof(nms), .plan = nms_plan, .run = nms_run};
