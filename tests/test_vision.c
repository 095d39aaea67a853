/* Operators on images and the boxes in them, against their definitions. */
#include "kernel_case.h"
#include "kernel_levels.h"
#include "session_case.h"

static int pick(int n) {
    return rand() % n;
}

/* ---- NonMaxSuppression ---- */

static float smaller(float a, float b) {
    return a < b ? a : b;
}
static float larger(float a, float b) {
    return a > b ? a : b;
}

/* Corners y, x, y, x, low before high. */
static void corners(const float *box, bool has_center, float out[4]) {
    if (has_center) {
        out[0] = box[1] - box[3] / 2;
        out[1] = box[0] - box[2] / 2;
        out[2] = box[1] + box[3] / 2;
        out[3] = box[0] + box[2] / 2;
    } else {
        for (int k = 0; k < 2; k++) {
            out[k] = smaller(box[k], box[k + 2]);
            out[k + 2] = larger(box[k], box[k + 2]);
        }
    }
}

static bool overlaps_more(const float *one, const float *other, bool has_center, float threshold) {
    float a[4], b[4];
    corners(one, has_center, a);
    corners(other, has_center, b);
    float height = smaller(a[2], b[2]) - larger(a[0], b[0]), width = smaller(a[3], b[3]) - larger(a[1], b[1]);
    if (!(height > 0 && width > 0)) return false;
    float shared = height * width, of_a = (a[2] - a[0]) * (a[3] - a[1]), of_b = (b[2] - b[0]) * (b[3] - b[1]);
    float joint = of_a + of_b - shared;
    return of_a > 0 && of_b > 0 && joint > 0 && shared / joint > threshold;
}

enum { BOXES = 60 };

/* Boxes in order of score, chosen one by one. How many. */
static int64_t choose(const float *boxes, const float *scores, int n, bool has_center, int64_t most, float threshold,
                      const float *least, int64_t *chosen) {
    bool done[BOXES] = {false};
    int64_t n_chosen = 0;
    while (n_chosen < most) {
        int best = -1;
        for (int i = 0; i < n; i++) {
            if (done[i] || (least && !(scores[i] > *least))) continue;
            bool above = best >= 0 && (scores[i] > scores[best] || (isnan(scores[best]) && !isnan(scores[i])));
            if (best < 0 || above) best = i;
        }
        if (best < 0) break;
        done[best] = true;
        bool good = true;
        for (int64_t k = 0; k < n_chosen; k++)
            good = good && !overlaps_more(&boxes[best * 4], &boxes[chosen[k] * 4], has_center, threshold);
        if (good) chosen[n_chosen++] = best;
    }
    return n_chosen;
}

typedef struct nms_operands {
    int n_given; /* of the five */
    int64_t most;
    float threshold, least;
} nms_operands;

static void nms_round(int64_t n_batches, int64_t n_classes, int64_t n_boxes, bool has_center, const nms_operands *o) {
    static float boxes[2 * BOXES * 4], scores[2 * 3 * BOXES];
    for (int64_t i = 0; i < n_batches * n_boxes * 4; i++) boxes[i] = (float)pick(12) / 4;
    for (int64_t i = 0; i < n_batches * n_classes * n_boxes; i++) scores[i] = pick(30) ? (float)(pick(9) - 4) / 8 : NAN;
    ob_model *model = new_model(11);
    ob_value *in[5] = {new_input(model, "boxes", OB_FLOAT, "B N 4"), new_input(model, "scores", OB_FLOAT, "B C N")};
    if (o->n_given > 2) in[2] = new_input(model, "most", OB_INT64, "");
    if (o->n_given > 3) in[3] = new_input(model, "overlap", OB_FLOAT, "1");
    if (o->n_given > 4) in[4] = new_input(model, "least", OB_FLOAT, "");
    ob_value *y = new_node(model, "NonMaxSuppression", "y", o->n_given, in[0], in[1], in[2], in[3], in[4]);
    new_output(model, y);
    if (has_center) assert_true(ob__node_set_int(y->producer, "center_point_box", 1));
    ob_session *session = open_session(model, true);
    ob_view views[5] = {view_of(boxes, OB_FLOAT, 3, (int)n_batches, (int)n_boxes, 4),
                        view_of(scores, OB_FLOAT, 3, (int)n_batches, (int)n_classes, (int)n_boxes),
                        view_of((void *)(uintptr_t)&o->most, OB_INT64, 0),
                        view_of((void *)(uintptr_t)&o->threshold, OB_FLOAT, 1, 1),
                        view_of((void *)(uintptr_t)&o->least, OB_FLOAT, 0)};
    ob_view out = {.dtype = OB_NONE};
    run_ok(session, views, (size_t)o->n_given, &out, 1);
    int64_t row = 0, chosen[BOXES];
    assert_true(out.rank == 2 && out.dims[1] == 3 && out.dtype == OB_INT64);
    for (int64_t i = 0; i < n_batches * n_classes; i++) {
        int64_t n =
            choose(boxes + i / n_classes * n_boxes * 4, scores + i * n_boxes, (int)n_boxes, has_center,
                   o->n_given > 2 ? o->most : 0, o->n_given > 3 ? o->threshold : 0, o->n_given > 4 ? &o->least : NULL, chosen);
        for (int64_t k = 0; k < n; k++, row++) {
            const int64_t *got = (const int64_t *)out.data + row * 3;
            assert_true(row < out.dims[0]);
            assert_int_equal(got[0], i / n_classes);
            assert_int_equal(got[1], i % n_classes);
            assert_int_equal(got[2], chosen[k]);
        }
    }
    assert_int_equal(row, out.dims[0]);
    ob_session_close(&session);
    ob_model_close(&model);
}

static void nms_takes_the_best_boxes(void **state) {
    (void)state;
    srand(131);
    for (int round = 0; round < 60; round++) {
        const nms_operands o = {2 + pick(4), pick(5) ? pick(40) : -1, (float)pick(5) / 4, (float)(pick(5) - 2) / 8};
        nms_round(pick(3), pick(4), pick(6) ? pick(BOXES) : 0, round % 2, &o);
    }
}

static void nms_refuses_a_threshold_outside(void **state) {
    (void)state;
    static const float thresholds[] = {-0.5F, 1.5F, NAN};
    float boxes[4] = {0, 0, 1, 1}, score = 1;
    int64_t most = 1;
    ob_model *model = new_model(11);
    ob_value *in_boxes = new_input(model, "b", OB_FLOAT, "1 1 4"), *in_scores = new_input(model, "s", OB_FLOAT, "1 1 1");
    ob_value *in_most = new_input(model, "m", OB_INT64, ""), *in_threshold = new_input(model, "t", OB_FLOAT, "");
    new_output(model, new_node(model, "NonMaxSuppression", "y", 4, in_boxes, in_scores, in_most, in_threshold));
    ob_session *session = open_session(model, true);
    for (size_t i = 0; i < 3; i++) {
        float threshold = thresholds[i];
        ob_view in[4] = {view_of(boxes, OB_FLOAT, 3, 1, 1, 4), view_of(&score, OB_FLOAT, 3, 1, 1, 1), view_of(&most, OB_INT64, 0),
                         view_of(&threshold, OB_FLOAT, 0)};
        ob_view out = {.dtype = OB_NONE};
        ob_error error;
        if (ob_session_run(session, in, 4, &out, 1, &error) != OB_E_ARGUMENT) fail_msg("%s", error.message);
        assert_non_null(strstr(error.message, "iou_threshold"));
    }
    ob_session_close(&session);
    ob_model_close(&model);
}

/* The loop alone: the one box that overlaps stands anywhere, or is none. */
static void boxes_overlap_on_every_level(void **state) {
    (void)state;
    const obk_table *tables[KL_LEVELS];
    size_t n_levels = kl_levels(tables);
    for (size_t l = 0; l < n_levels; l++)
        for (int64_t n = 0; n <= KL_LONGEST(sizeof(float)); n++)
            for (int64_t hit = -1; hit < n; hit++) {
                const int64_t room = (n + OBK_BOXES_BLOCK - 1) / OBK_BOXES_BLOCK * OBK_BOXES_BLOCK;
                float *array[5];
                for (int k = 0; k < 5; k++) array[k] = calloc((size_t)room + 1, sizeof(float));
                const obk_box box = {0, 0, 2, 2, 4};
                for (int64_t i = 0; i < n; i++) {
                    static const float odd[4][5] = {{5, 5, 6, 6, 1}, {2, 0, 4, 2, 4}, {0, 0, 2, 2, 0}, {NAN, 0, 2, 2, NAN}};
                    for (int k = 0; k < 5; k++) array[k][i] = odd[i % 4][k];
                }
                if (hit >= 0)
                    for (int k = 0; k < 5; k++) array[k][hit] = (const float[]){0, 0, 1, 2, 2}[k];
                const obk_box_list list = {array[0], array[1], array[2], array[3], array[4]};
                assert_int_equal(tables[l]->boxes->overlaps(&box, &list, n, 0.49F), hit >= 0);
                assert_false(tables[l]->boxes->overlaps(&box, &list, n, 0.5F));
                for (int k = 0; k < 5; k++) free(array[k]);
            }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nms_takes_the_best_boxes),
        cmocka_unit_test(nms_refuses_a_threshold_outside),
        cmocka_unit_test(boxes_overlap_on_every_level),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
