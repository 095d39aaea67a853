/* Operators on images and boxes, compared with their definitions. */
#include "kernel_case.h"
#include "kernel_levels.h"
#include "kernels/boxes/boxes.h"
#include "kernels/kernels.h"
#include "kernels/sample/sample.h"
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

/* Selects boxes one by one in order of score; returns their number. */
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

/* The loop alone: the one overlapping box is at any place, or absent. */
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

/* ---- Values between elements ---- */

static void samples_on_every_level(void **state) {
    (void)state;
    srand(132);
    const obk_table *tables[KL_LEVELS];
    size_t n_levels = kl_levels(tables);
    enum { TAPS = 3, PLANES = 2, ELEMS = 9 };
    static int32_t offsets[TAPS * OBK_SAMPLE_POINTS];
    static float weights[TAPS * OBK_SAMPLE_POINTS];
    static double wide[TAPS * OBK_SAMPLE_POINTS];
    for (size_t l = 0; l < n_levels; l++)
        for (int32_t n = 0; n <= KL_LONGEST(sizeof(float)); n++)
            for (int form = 0; form < 8; form++) {
                const bool adds = form & 1, is_max = form & 2, is_double = form & 4;
                const size_t width = is_double ? sizeof(double) : sizeof(float);
                kl_edges edges = kl_open(1 << 16);
                void *x = kl_in(&edges, (size_t)PLANES * ELEMS * width);
                double before[PLANES][OBK_SAMPLE_POINTS];
                for (int i = 0; i < PLANES * ELEMS; i++) {
                    double value = i % ELEMS == 0 ? HUGE_VAL : pick(9) - 4;
                    if (is_double)
                        ((double *)x)[i] = value;
                    else
                        ((float *)x)[i] = (float)value;
                }
                for (int i = 0; i < TAPS * OBK_SAMPLE_POINTS; i++) { /* the first element is infinite: only without weight */
                    offsets[i] = pick(4) ? 1 + pick(ELEMS - 1) : 0;
                    wide[i] = offsets[i] ? (double)pick(5) / 4 : 0;
                    weights[i] = (float)wide[i];
                }
                kl_out y = kl_out_open((size_t)(PLANES * n) * width, width);
                for (int i = 0; i < PLANES * n; i++) {
                    before[i / n][i % n] = pick(7) - 3;
                    if (is_double)
                        ((double *)(void *)y.data)[i] = before[i / n][i % n];
                    else
                        ((float *)(void *)y.data)[i] = (float)before[i / n][i % n];
                }
                const obk_sampling sampling = {PLANES, ELEMS, n, n, TAPS, offsets, is_double ? (void *)wide : (void *)weights,
                                               adds};
                (is_max ? tables[l]->sample->max : tables[l]->sample->sum)[is_double](y.data, x, &sampling);
                for (int i = 0; i < PLANES * n; i++) {
                    const int c = i / n, p = i % n;
                    double want = adds ? before[c][p] : is_max ? -HUGE_VAL : 0;
                    for (int t = 0; t < TAPS; t++) {
                        const int32_t at = offsets[t * OBK_SAMPLE_POINTS + p];
                        const double weight = wide[t * OBK_SAMPLE_POINTS + p];
                        double value = weight == 0 ? 0
                                                   : weight * (is_double ? ((double *)x)[c * ELEMS + at]
                                                                         : (double)((float *)x)[c * ELEMS + at]);
                        want = !is_max ? want + value : value > want ? value : want;
                    }
                    assert_true((is_double ? ((double *)(void *)y.data)[i] : (double)((float *)(void *)y.data)[i]) == want);
                }
                kl_out_close(&y);
                kl_close(&edges);
            }
}

/* Linear, with zeros outside: the sum of all elements, weighted by their distance to the position. */
static void grid_sample_is_a_sum_of_tents(void **state) {
    (void)state;
    srand(133);
    for (int dtype = 1; dtype < OB_DTYPE_COUNT; dtype++)
        for (int align = 0; align < 2; align++) {
            const bool number = dtype != OB_STRING && dtype != OB_COMPLEX64 && dtype != OB_COMPLEX128;
            if (!kc_takes(ob__op_find("", "GridSample", 0), (ob_dtype)dtype) || !number || dtype == OB_BOOL) continue;
            kernel_case *c = kc_open("GridSample", 22);
            kc_int(c, "align_corners", align);
            enum { D = 2, H = 3, W = 4, POINTS = 70 };
            kc_random(kc_in(c, 0, (ob_dtype)dtype, DIMS(2, 2, D, H, W)), 0, 7);
            ob_view *grid = kc_in(c, 1, dtype == OB_DOUBLE ? OB_DOUBLE : OB_FLOAT, DIMS(2, 1, 1, POINTS, 3));
            for (int64_t i = 0; i < ob__count(grid); i++) kc_set(grid, i, (pick(257) - 128) / 100.0);
            kc_out(c, 0, (ob_dtype)dtype, DIMS(2, 2, 1, 1, POINTS));
            kc_run(c);
            for (int64_t i = 0; i < ob__count(&c->out[0]); i++) {
                const int64_t batch = i / (2 * POINTS), point = batch * POINTS + i % POINTS, dims[3] = {D, H, W};
                double want = 0, at[3];
                for (int a = 0; a < 3; a++) {
                    double x = kc_get(grid, point * 3 + 2 - a);
                    at[a] = align ? (x + 1) / 2 * (double)(dims[a] - 1) : ((x + 1) * (double)dims[a] - 1) / 2;
                }
                for (int64_t e = 0; e < D * H * W; e++) {
                    const int64_t index[3] = {e / (H * W), e / W % H, e % W};
                    double worth = 1;
                    for (int a = 0; a < 3; a++) worth *= fmax(0, 1 - fabs(at[a] - (double)index[a]));
                    want += worth * kc_get(&c->in[0], i / POINTS * D * H * W + e);
                }
                double got = kc_get(&c->out[0], i);
                bool whole = dtype != OB_FLOAT && dtype != OB_DOUBLE && dtype != OB_FLOAT16 && dtype != OB_BFLOAT16;
                if (whole)
                    assert_true(got == floor(want) || fabs(want - rint(want)) < 1e-4);
                else
                    kc_near(got, want, 10 * kc_tolerance((ob_dtype)dtype));
            }
            kc_string(c, "padding_mode", "mirror");
            assert_int_equal(kc_try(c), OB_E_ARGUMENT);
            kc_close(c);
        }
}

enum { GRID_IN = 2 * 3 * 4 * 5, GRID_OUT = 2 * 3 * 30 };

static kernel_case *grid_case(ob_dtype dtype, ob_dtype grid_dtype, const char *mode, const char *padding) {
    kernel_case *c = kc_open("GridSample", 22);
    kc_string(c, "mode", mode);
    kc_string(c, "padding_mode", padding);
    kc_in(c, 0, dtype, DIMS(2, 3, 4, 5));
    ob_view *grid = kc_in(c, 1, grid_dtype, DIMS(2, 5, 6, 2));
    for (int64_t i = 0; i < ob__count(grid); i++) kc_set(grid, i, (double)(i * 37 % 101 - 50) / 32);
    kc_out(c, 0, dtype, DIMS(2, 3, 5, 6));
    return c;
}

/* The parts of complex numbers are sampled separately. */
static void grid_sample_of_complex_numbers(void **state) {
    (void)state;
    static const char *const modes[] = {"nearest", "linear", "cubic"}, *const paddings[] = {"zeros", "border", "reflection"};
    for (int form = 0; form < 18; form++) {
        const bool wide = form / 9;
        const ob_dtype real = wide ? OB_DOUBLE : OB_FLOAT;
        const size_t width = ob_dtype_size(real);
        kernel_case *c = grid_case(wide ? OB_COMPLEX128 : OB_COMPLEX64, real, modes[form % 3], paddings[form / 3 % 3]);
        char *elements = c->in[0].data;
        for (int i = 0; i < 2 * GRID_IN; i++) {
            const double wide_value = i * 29 % 97 / 8.0;
            const float value = (float)wide_value;
            memcpy(elements + (size_t)i * width, wide ? (const void *)&wide_value : (const void *)&value, width);
        }
        kc_run(c);
        for (int part = 0; part < 2; part++) {
            kernel_case *alone = grid_case(real, real, modes[form % 3], paddings[form / 3 % 3]);
            for (int i = 0; i < GRID_IN; i++)
                memcpy((char *)alone->in[0].data + (size_t)i * width, elements + (size_t)(2 * i + part) * width, width);
            kc_run(alone);
            for (int i = 0; i < GRID_OUT; i++)
                assert_memory_equal((char *)c->out[0].data + (size_t)(2 * i + part) * width,
                                    (char *)alone->out[0].data + (size_t)i * width, width);
            kc_close(alone);
        }
        kc_close(c);
    }
}

/* The nearest strings are copied, "" is outside; strings cannot be interpolated. */
static void grid_sample_of_strings(void **state) {
    (void)state;
    kernel_case *c = grid_case(OB_STRING, OB_FLOAT, "nearest", "zeros"),
                *places = grid_case(OB_INT64, OB_FLOAT, "nearest", "zeros");
    static const char letters[GRID_IN + 1];
    int outside = 0;
    for (int i = 0; i < GRID_IN; i++) {
        ((ob_string *)c->in[0].data)[i] = (ob_string){letters + i, 1};
        kc_set(&places->in[0], i, i + 1);
    }
    kc_run(c);
    kc_run(places);
    for (int i = 0; i < GRID_OUT; i++) {
        const int64_t place = (int64_t)kc_get(&places->out[0], i);
        const ob_string got = ((const ob_string *)c->out[0].data)[i];
        assert_int_equal(got.n, place > 0);
        if (place > 0) assert_ptr_equal(got.data, letters + place - 1);
        outside += place == 0;
    }
    assert_in_range(outside, 1, GRID_OUT - 1);
    kc_close(places);
    kc_close(c);
    c = grid_case(OB_STRING, OB_FLOAT, "linear", "zeros");
    assert_int_equal(kc_try(c), OB_E_UNSUPPORTED);
    kc_close(c);
}

/* A filter of one kernel position, integer offsets and a mask: elements times filters. */
static void deform_conv_moves_its_taps(void **state) {
    (void)state;
    srand(134);
    for (int dtype = 1; dtype < OB_DTYPE_COUNT; dtype++) {
        if (!kc_takes(ob__op_find("", "DeformConv", 0), (ob_dtype)dtype)) continue;
        kernel_case *c = kc_open("DeformConv", dtype == OB_BFLOAT16 ? 22 : 19);
        kc_in(c, 0, (ob_dtype)dtype, DIMS(1, 2, 3, 3));
        kc_in(c, 1, (ob_dtype)dtype, DIMS(3, 2, 1, 1));
        kc_in(c, 2, (ob_dtype)dtype, DIMS(1, 4, 3, 3));
        kc_in(c, 3, (ob_dtype)dtype, DIMS(3));
        kc_in(c, 4, (ob_dtype)dtype, DIMS(1, 2, 3, 3));
        for (int i = 0; i < 5; i++) kc_random(&c->in[i], -2, 2);
        kc_int(c, "offset_group", 2);
        kc_out(c, 0, (ob_dtype)dtype, DIMS(1, 3, 3, 3));
        kc_run(c);
        for (int64_t i = 0; i < 27; i++) {
            const int64_t m = i / 9, p = i % 9;
            double want = kc_get(&c->in[3], m);
            for (int64_t ch = 0; ch < 2; ch++) {
                double y = (double)(p / 3) + kc_get(&c->in[2], (2 * ch) * 9 + p),
                       x = (double)(p % 3) + kc_get(&c->in[2], (2 * ch + 1) * 9 + p);
                bool inside = y >= 0 && y < 3 && x >= 0 && x < 3;
                if (inside)
                    want += kc_get(&c->in[1], m * 2 + ch) * kc_get(&c->in[4], ch * 9 + p) *
                            kc_get(&c->in[0], ch * 9 + (int64_t)y * 3 + (int64_t)x);
            }
            kc_near(kc_get(&c->out[0], i), want, kc_tolerance((ob_dtype)dtype));
        }
        kc_in(c, 2, (ob_dtype)dtype, DIMS(1, 2, 3, 3));
        assert_int_equal(kc_try(c), OB_E_SHAPE);
        kc_close(c);
    }
}

/* A region of constant elements has that mean; one outside is 0; another image is refused. */
static void regions_of_images(void **state) {
    (void)state;
    kernel_case *c = kc_open("RoiAlign", 16);
    float *x = kc_in(c, 0, OB_FLOAT, DIMS(2, 1, 8, 8))->data;
    for (int i = 0; i < 128; i++) x[i] = i < 64 ? 3 : 5;
    const float rois[2][4] = {{1, 1, 6, 6}, {40, 40, 50, 50}};
    memcpy(kc_in(c, 1, OB_FLOAT, DIMS(2, 4))->data, rois, sizeof rois);
    kc_in_ints(c, 2, INTS(1, 0));
    kc_int(c, "output_height", 9);
    kc_int(c, "output_width", 9);
    kc_out(c, 0, OB_FLOAT, DIMS(2, 1, 9, 9));
    kc_run(c);
    for (int64_t i = 0; i < 162; i++) kc_near(kc_get(&c->out[0], i), i < 81 ? 5 : 0, 1e-6);
    kc_in_ints(c, 2, INTS(1, 2));
    assert_int_equal(kc_try(c), OB_E_ARGUMENT);
    kc_close(c);
    c = kc_open("MaxRoiPool", 1);
    kc_ints(c, "pooled_shape", INTS(2, 2));
    x = kc_in(c, 0, OB_FLOAT, DIMS(1, 1, 4, 4))->data;
    for (int i = 0; i < 16; i++) x[i] = (float)-i;
    const float region[5] = {0, 1, 1, 2, 3};
    memcpy(kc_in(c, 1, OB_FLOAT, DIMS(1, 5))->data, region, sizeof region);
    kc_out(c, 0, OB_FLOAT, DIMS(1, 1, 2, 2));
    kc_run(c);
    const double want[4] = {-5, -6, -9, -10}; /* rows 1, 2 and 2, 3 of columns 1 and 2 */
    for (int64_t i = 0; i < 4; i++) kc_near(kc_get(&c->out[0], i), want[i], 0);
    kc_close(c);
}

static void unpool_and_cache_refuse_indices_outside(void **state) {
    (void)state;
    kernel_case *c = kc_open("MaxUnpool", 11);
    kc_ints(c, "kernel_shape", INTS(2));
    kc_ints(c, "strides", INTS(2));
    kc_random(kc_in(c, 0, OB_FLOAT, DIMS(1, 1, 2)), 1, 5);
    memcpy(kc_in(c, 1, OB_INT64, DIMS(1, 1, 2))->data, (int64_t[]){1, 2}, 16);
    kc_out(c, 0, OB_FLOAT, DIMS(1, 1, 4));
    kc_run(c);
    for (int64_t i = 0; i < 4; i++) kc_near(kc_get(&c->out[0], i), i == 1 || i == 2 ? kc_get(&c->in[0], i - 1) : 0, 0);
    for (int64_t bad = -1; bad < 5; bad += 5) {
        ((int64_t *)c->in[1].data)[1] = bad;
        assert_int_equal(kc_try(c), OB_E_ARGUMENT);
    }
    kc_close(c);
    c = kc_open("TensorScatter", 24);
    kc_random(kc_in(c, 0, OB_INT8, DIMS(2, 4, 1)), 1, 5);
    kc_random(kc_in(c, 1, OB_INT8, DIMS(2, 3, 1)), 6, 9);
    kc_in_ints(c, 2, INTS(1, 2));
    kc_out(c, 0, OB_INT8, DIMS(2, 4, 1));
    assert_int_equal(kc_try(c), OB_E_ARGUMENT);
    kc_string(c, "mode", "circular");
    kc_run(c);
    for (int64_t i = 0; i < 8; i++) {
        const int64_t from = (i % 4 - (i < 4 ? 1 : 2) + 4) % 4;
        kc_near(kc_get(&c->out[0], i), from < 3 ? kc_get(&c->in[1], i / 4 * 3 + from) : kc_get(&c->in[0], i), 0);
    }
    kc_close(c);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nms_takes_the_best_boxes),
        cmocka_unit_test(nms_refuses_a_threshold_outside),
        cmocka_unit_test(boxes_overlap_on_every_level),
        cmocka_unit_test(samples_on_every_level),
        cmocka_unit_test(grid_sample_is_a_sum_of_tents),
        cmocka_unit_test(grid_sample_of_complex_numbers),
        cmocka_unit_test(grid_sample_of_strings),
        cmocka_unit_test(deform_conv_moves_its_taps),
        cmocka_unit_test(regions_of_images),
        cmocka_unit_test(unpool_and_cache_refuse_indices_outside),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
