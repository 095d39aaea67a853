/* Plans of a session: the inputs that they are for, their number, their steps, and memory without overlaps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "runtime/memory.h"
#include "runtime/plan/layout.h"
#include "runtime/plan/plan.h"
#include "runtime/run/steps.h"
#include "runtime/weights.h"
#include "session_case.h"

static void test_several_shapes(void **state) {
    (void)state;
    float x[] = {-5, 1, 2, 4, 5, -6};
    ob_model *model = scale_model();
    for (int optimize = 0; optimize < 2; optimize++) {
        ob_session *session = open_session(model, optimize);
        ob_session_memory memory;
        ob_view in = view_of(x, OB_FLOAT, 2, 2, 3), out = {0};
        run_ok(session, &in, 1, &out, 1);
        expect_floats(&out, (float[]){0, 1, 3, 3, 5, 0}, 6);
        in = view_of(x, OB_FLOAT, 2, 1, 3);
        out.data = NULL;
        run_ok(session, &in, 1, &out, 1);
        expect_floats(&out, (float[]){0, 1, 3}, 3);
        in = view_of(NULL, OB_FLOAT, 2, 0, 3);
        out.data = NULL;
        run_ok(session, &in, 1, &out, 1);
        expect_floats(&out, NULL, 0);
        ob_session_get_memory(session, &memory);
        assert_int_equal(memory.n_plans, 3);
        in = view_of(x, OB_FLOAT, 2, 2, 3); /* already planned */
        out.data = NULL;
        run_ok(session, &in, 1, &out, 1);
        ob_session_get_memory(session, &memory);
        assert_int_equal(memory.n_plans, 3);
        assert_int_equal(memory.n_steps, optimize ? 1 : 2); /* one step for both nodes */
        ob_session_close(&session);
    }
    ob_model_close(&model);
}

static void test_plans_are_bounded(void **state) {
    (void)state;
    static float x[3 * 20];
    ob_model *model = scale_model();
    ob_session_config config;
    ob_session *session;
    ob_session_config_init(&config);
    config.max_plans = 3;
    assert_int_equal(ob_session_create(model, &config, &session, NULL), OB_OK);
    for (int round = 0; round < 2; round++)
        for (int n = 0; n < 20; n++) {
            ob_view in = view_of(x, OB_FLOAT, 2, n, 3), out = {0};
            ob_session_memory memory;
            run_ok(session, &in, 1, &out, 1);
            assert_int_equal(out.dims[0], n);
            ob_session_get_memory(session, &memory);
            assert_true(memory.n_plans <= 3);
        }
    ob_session_close(&session);
    ob_model_close(&model);
}

static void test_strided_input(void **state) {
    (void)state;
    float x[] = {1, 4, 2, 5, 3, 6}; /* (3, 2), with a transposed view (2, 3) */
    ob_model *model = scale_model();
    ob_session *session = open_session(model, true);
    ob_view in = view_of(x, OB_FLOAT, 2, 2, 3), out = {0};
    in.strides[0] = 4;
    in.strides[1] = 8;
    run_ok(session, &in, 1, &out, 1);
    expect_floats(&out, (float[]){0, 2, 4, 3, 5, 7}, 6);
    in.strides[0] = 0; /* one row, broadcast */
    out.data = NULL;
    run_ok(session, &in, 1, &out, 1);
    expect_floats(&out, (float[]){0, 2, 4, 0, 2, 4}, 6);
    ob_session_close(&session);
    ob_model_close(&model);
}

static void test_dead_and_constant_nodes(void **state) {
    (void)state;
    float x[] = {1, 2}, c[] = {10, 20};
    ob_model *model = new_model(14);
    ob_value *in_x = new_input(model, "x", OB_FLOAT, "2");
    ob_value *w = new_weight(model, "w", OB_FLOAT, 1, (int64_t[]){2}, c);
    ob_value *folded = new_node(model, "Add", "folded", 2, w, w);
    new_node(model, "Add", "dead", 2, in_x, in_x);
    new_output(model, new_node(model, "Add", "y", 2, in_x, folded));
    for (int optimize = 0; optimize < 2; optimize++) {
        ob_session *session = open_session(model, optimize);
        ob_session_memory memory;
        ob_view in = view_of(x, OB_FLOAT, 1, 2), out = {0};
        run_ok(session, &in, 1, &out, 1);
        expect_floats(&out, (float[]){21, 42}, 2);
        ob_session_get_memory(session, &memory);
        assert_int_equal(memory.n_steps, optimize ? 1 : 3);
        assert_int_equal(memory.n_folded, optimize ? 1 : 0);
        ob_session_close(&session);
    }
    ob_model_close(&model);
}

/* Shape propagation keeps numbers beyond 2^62 only as "huge": results must still be exact. */
static void test_huge_integers_are_exact(void **state) {
    (void)state;
    const int64_t huge[] = {INT64_MAX, INT64_MIN, 5}, sums[] = {INT64_MAX - 7, INT64_MIN + 3, 15}, other[] = {-7, 3, 10};
    ob_model *model = new_model(14);
    ob_value *a = new_weight(model, "a", OB_INT64, 1, (int64_t[]){3}, huge),
             *b = new_weight(model, "b", OB_INT64, 1, (int64_t[]){3}, other);
    new_output(model, new_node(model, "Identity", "same", 1, a));
    new_output(model, new_node(model, "Add", "sum", 2, a, b));
    new_output(model, new_node(model, "Less", "less", 2, b, a));
    for (int optimize = 0; optimize < 2; optimize++) {
        ob_session *session = open_session(model, optimize);
        ob_view out[3] = {0};
        run_ok(session, NULL, 0, out, 3);
        assert_memory_equal(out[0].data, huge, sizeof huge);
        assert_memory_equal(out[1].data, sums, sizeof sums);
        assert_memory_equal(out[2].data, ((bool[]){true, false, false}), 3);
        ob_session_close(&session);
    }
    ob_model_close(&model);
}

/* Broadcasting is a view: Expand to a large shape needs no memory and no step. */
static void test_expand_is_a_view(void **state) {
    (void)state;
    static float x[64], y[64 * 64];
    for (int i = 0; i < 64; i++) x[i] = (float)i;
    ob_model *model = new_model(14);
    ob_value *in_x = new_input(model, "x", OB_FLOAT, "64 1"), *in_y = new_input(model, "y", OB_FLOAT, "64 64");
    ob_value *shape = new_weight(model, "shape", OB_INT64, 1, (int64_t[]){2}, (int64_t[]){64, 64});
    new_output(model, new_node(model, "Add", "z", 2, new_node(model, "Expand", "wide", 2, in_x, shape), in_y));
    for (int optimize = 0; optimize < 2; optimize++) {
        ob_session *session = open_session(model, optimize);
        ob_session_memory memory;
        ob_view in[2] = {view_of(x, OB_FLOAT, 2, 64, 1), view_of(y, OB_FLOAT, 2, 64, 64)}, out = {0};
        run_ok(session, in, 2, &out, 1);
        for (int i = 0; i < 64 * 64; i++) assert_true(((float *)out.data)[i] == x[i / 64]);
        ob_session_get_memory(session, &memory);
        assert_int_equal(memory.n_steps, 1);
        assert_int_equal(memory.n_views, 1);
        assert_int_equal(memory.arena_bytes, 0);
        ob_session_close(&session);
    }
    ob_model_close(&model);
}

/* A shape depends on the elements of an input, so a plan is for these elements. Elements that no shape depends on do not
 * matter. */
static void test_shape_from_input(void **state) {
    (void)state;
    float x[] = {1, 2, 3, 4, 5, 6}, table[] = {10, 20, 30};
    int64_t shape[] = {3, 2}, ids[] = {2, 0};
    ob_model *model = new_model(14);
    ob_value *in_x = new_input(model, "x", OB_FLOAT, "6"), *in_shape = new_input(model, "shape", OB_INT64, "2");
    ob_value *in_ids = new_input(model, "ids", OB_INT64, "2");
    ob_value *weight = new_weight(model, "table", OB_FLOAT, 1, (int64_t[]){3}, table);
    ob_value *matrix = new_node(model, "Reshape", "matrix", 2, in_x, in_shape);
    new_output(model, new_node(model, "Add", "y", 2, matrix, matrix));
    new_output(model, new_node(model, "Gather", "picked", 2, weight, in_ids));
    ob_session *session = open_session(model, true);
    ob_session_memory memory;
    ob_view in[3] = {view_of(x, OB_FLOAT, 1, 6), view_of(shape, OB_INT64, 1, 2), view_of(ids, OB_INT64, 1, 2)}, out[2] = {{0}};
    run_ok(session, in, 3, out, 2);
    assert_int_equal(out[0].dims[0], 3);
    expect_floats(&out[1], (float[]){30, 10}, 2);
    ids[0] = 1; /* the same plan */
    memset(out, 0, sizeof out);
    run_ok(session, in, 3, out, 2);
    expect_floats(&out[1], (float[]){20, 10}, 2);
    ob_session_get_memory(session, &memory);
    assert_int_equal(memory.n_plans, 1);
    assert_int_equal(memory.n_dynamic, 0);
    shape[0] = 1, shape[1] = -1; /* another plan */
    memset(out, 0, sizeof out);
    run_ok(session, in, 3, out, 2);
    assert_int_equal(out[0].dims[0], 1);
    assert_int_equal(out[0].dims[1], 6);
    ob_session_get_memory(session, &memory);
    assert_int_equal(memory.n_plans, 2);
    shape[0] = 4, shape[1] = 2;
    ob_error error;
    assert_int_equal(ob_session_run(session, in, 3, out, 2, &error), OB_E_SHAPE);
    ids[0] = 7; /* the index is wrong: found during the run */
    shape[0] = 3;
    memset(out, 0, sizeof out);
    assert_int_not_equal(ob_session_run(session, in, 3, out, 2, &error), OB_OK);
    assert_string_equal(error.node, "picked");
    ob_session_close(&session);
    ob_model_close(&model);
}

/* A size that every valid target of this length keeps is planned; the run tests that the target keeps it. */
static void a_target_may_not_contradict(void **state) {
    (void)state;
    float x[] = {3}, row[] = {1, 2, 3};
    ob_model *model = new_model(14);
    ob_value *in_x = new_input(model, "x", OB_FLOAT, "1"), *in_row = new_input(model, "row", OB_FLOAT, "3");
    ob_value *target = new_node(model, "Cast", "target", 1, in_x);
    assert_true(ob__node_set_int(target->producer, "to", OB_INT64));
    ob_value *wide = new_node(model, "Expand", "wide", 2, new_node(model, "Add", "twice", 2, in_row, in_row), target);
    new_output(model, new_node(model, "Add", "total", 2, wide, in_row));
    static const float targets[] = {3, 1, 5, 0, 2, -1};
    for (int optimize = 0; optimize < 2; optimize++) {
        ob_session *session = open_session(model, optimize);
        for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
            ob_error error;
            ob_view in[2] = {view_of(x, OB_FLOAT, 1, 1), view_of(row, OB_FLOAT, 1, 3)}, out[1] = {{0}};
            x[0] = targets[i];
            ob_status status = ob_session_run(session, in, 2, out, 1, &error);
            assert_int_equal(status, i < 2 ? OB_OK : OB_E_SHAPE);
            if (i < 2) expect_floats(&out[0], (float[]){3, 6, 9}, 3);
        }
        ob_session_close(&session);
    }
    ob_model_close(&model);
}

/* The target of an Expand is computed from floating-point elements: its shape and the following shapes are determined during
 * the run. */
static void test_dynamic_shapes(void **state) {
    (void)state;
    float x[] = {2, 3}, row[] = {1, 2, 3}, y[6];
    ob_model *model = new_model(14);
    ob_value *in_x = new_input(model, "x", OB_FLOAT, "2"), *in_row = new_input(model, "row", OB_FLOAT, "1 3");
    ob_value *twice = new_node(model, "Add", "twice", 2, in_row, in_row);
    ob_value *target = new_node(model, "Cast", "target", 1, in_x);
    assert_true(ob__node_set_int(target->producer, "to", OB_INT64));
    ob_value *wide = new_node(model, "Expand", "wide", 2, twice, target);
    ob_value *turned = new_node(model, "Transpose", "turned", 1, wide);
    new_output(model, new_node(model, "Add", "total", 2, wide, in_row));
    new_output(model, turned);
    new_output(model, twice);
    for (int optimize = 0; optimize < 2; optimize++) {
        ob_session *session = open_session(model, optimize);
        ob_session_memory memory;
        ob_error error;
        ob_view in[2] = {view_of(x, OB_FLOAT, 1, 2), view_of(row, OB_FLOAT, 2, 1, 3)}, out[3] = {{0}};
        x[0] = 2;
        run_ok(session, in, 2, out, 3);
        expect_floats(&out[0], (float[]){3, 6, 9, 3, 6, 9}, 6);
        expect_floats(&out[1], (float[]){2, 2, 4, 4, 6, 6}, 6);
        expect_floats(&out[2], (float[]){2, 4, 6}, 3);
        x[0] = 1;
        memset(out, 0, sizeof out);
        run_ok(session, in, 2, out, 3);
        assert_int_equal(out[0].dims[0], 1);
        expect_floats(&out[0], (float[]){3, 6, 9}, 3);
        expect_floats(&out[1], (float[]){2, 4, 6}, 3);
        ob_session_get_memory(session, &memory);
        assert_int_equal(memory.n_dynamic, 3);
        assert_int_equal(memory.n_plans, 1);
        memset(out, 0, sizeof out); /* into the caller's memory, which must have the resulting shape */
        out[0] = view_of(y, OB_FLOAT, 2, 2, 3);
        assert_int_equal(ob_session_run(session, in, 2, out, 1, &error), OB_E_SHAPE);
        assert_ptr_equal(out[0].data, y); /* outputs are unchanged */
        assert_int_equal(out[0].dims[0], 2);
        x[0] = 2;
        run_ok(session, in, 2, out, 1);
        assert_ptr_equal(out[0].data, y);
        expect_floats(&out[0], (float[]){3, 6, 9, 3, 6, 9}, 6);
        x[0] = 0;
        memset(out, 0, sizeof out);
        run_ok(session, in, 2, out, 3);
        expect_floats(&out[0], NULL, 0);
        x[1] = 2; /* 3 does not expand to 2 */
        assert_int_equal(ob_session_run(session, in, 2, out, 3, &error), OB_E_SHAPE);
        assert_string_equal(error.node, "wide");
        x[1] = 3;
        ob_session_close(&session);
    }
    ob_model_close(&model);
}

static void test_chain_needs_two_buffers(void **state) {
    (void)state;
    static float x[1000];
    ob_model *model = new_model(14);
    ob_value *value = new_input(model, "x", OB_FLOAT, "1000");
    for (int i = 0; i < 50; i++) {
        char name[20];
        snprintf(name, sizeof name, "r%d", i);
        value = new_node(model, "Relu", name, 1, value);
    }
    new_output(model, value);
    for (int optimize = 0; optimize < 2; optimize++) {
        ob_session *session = open_session(model, optimize);
        ob_session_memory memory;
        ob_view in = view_of(x, OB_FLOAT, 1, 1000), out = {0};
        run_ok(session, &in, 1, &out, 1);
        ob_session_get_memory(session, &memory);
        assert_int_equal(memory.n_steps, optimize ? 4 : 50); /* 16 nodes at most in one step */
        assert_int_equal(memory.n_in_place, optimize ? 3 : 0);
        assert_true(memory.arena_bytes <= (optimize ? 0 : 2 * 4032));
        ob_session_close(&session);
    }
    ob_model_close(&model);
}

/* Buffers that are live at the same time never overlap, with either method of placement. */
static void test_memory_plan_property(void **state) {
    (void)state;
    uint32_t seed = 1;
    for (int round = 0; round < 60; round++) {
        enum { MANY = 3500 };
        static ob_buffer buffers[MANY];
        uint32_t n = round < 58 ? 1 + (uint32_t)round * 3 : MANY; /* the last two use the method for long lists */
        for (uint32_t i = 0; i < n; i++) {
            seed = seed * 1664525 + 1013904223;
            uint32_t length = seed >> 28;
            buffers[i] = (ob_buffer){
                .n_bytes = (seed >> 8) % 1000, .first = i, .last = i + length, .next = i + 1 < n ? &buffers[i + 1] : NULL};
        }
        ob_arena arena;
        uint64_t total;
        ob__arena_init(&arena, NULL);
        assert_int_equal(ob__plan_memory(&arena, buffers, &total), OB_OK);
        for (uint32_t i = 0; i < n; i++) {
            assert_int_equal(buffers[i].offset % 64, 0);
            assert_true(buffers[i].offset + buffers[i].n_bytes <= total);
            for (uint32_t k = i + 1; k < n && k <= buffers[i].last; k++) {
                bool apart = buffers[i].offset + buffers[i].n_bytes <= buffers[k].offset ||
                             buffers[k].offset + buffers[k].n_bytes <= buffers[i].offset;
                assert_true(apart || buffers[i].n_bytes == 0 || buffers[k].n_bytes == 0);
            }
        }
        ob__arena_release(&arena);
    }
}

static uint32_t next_seed(uint32_t *seed) {
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

/* Random graphs of operators that make views, compute in place and stretch. The oracle is a run with separate memory for each
 * value. */
static ob_model *random_model(uint32_t *seed, ob_value **all, uint32_t *n_all) {
    ob_model *model = new_model(14);
    ob_value *shape = new_weight(model, "shape", OB_INT64, 1, (int64_t[]){2}, (int64_t[]){4, 4});
    static const float w[] = {1, 2, 3, 4};
    uint32_t n = 0;
    all[n++] = new_input(model, "x", OB_FLOAT, "4 4");
    all[n++] = new_input(model, "row", OB_FLOAT, "1 4");
    all[n++] = new_weight(model, "column", OB_FLOAT, 2, (int64_t[]){4, 1}, w);
    for (uint32_t i = 0; i < 14; i++) {
        char name[20];
        snprintf(name, sizeof name, "v%u", i);
        ob_value *a = all[next_seed(seed) % n], *b = all[next_seed(seed) % n];
        switch (next_seed(seed) % 9) {
        case 0: all[n++] = new_node(model, "Transpose", name, 1, a); break;
        case 1: all[n++] = new_node(model, "Expand", name, 2, a, shape); break;
        case 2: all[n++] = new_node(model, "Relu", name, 1, a); break;
        case 3: all[n++] = new_node(model, "Identity", name, 1, a); break;
        case 4: all[n++] = new_node(model, "Sub", name, 2, a, b); break;
        case 5: all[n++] = new_node(model, "Mul", name, 2, a, b); break;
        case 6: all[n++] = new_node(model, "Sum", name, 3, a, b, a); break;
        case 7: all[n++] = new_node(model, "Max", name, 2, b, a); break;
        default: all[n++] = new_node(model, "Add", name, 2, a, b); break;
        }
    }
    *n_all = n;
    return model;
}

static void evaluate_plainly(ob_session *session, const ob_view *in, ob_view *values, ob_owned_memory **blocks) {
    ob_error error;
    for (uint32_t i = 0; i < session->n_inputs; i++) values[session->inputs[i]->id] = in[i];
    for (uint32_t i = 0; i < session->model->n_values; i++)
        if (session->constants[i]) ob__layout_view(session->constants[i]->layout, session->constants[i]->data, &values[i]);
    for (const ob_node *node = session->model->graph->first; node; node = node->next) {
        ob_view operands[3] = {{0}}, result;
        ob_owned_memory *spare = NULL;
        for (uint32_t i = 0; i < node->n_inputs; i++) operands[i] = values[node->inputs[i]->id];
        if (ob__execute_node(session, node, operands, &result, NULL, blocks, &spare, NULL, &error) != OB_OK)
            fail_msg("%s", error.message);
        values[node->outputs[0]->id] = result;
    }
}

static void test_random_graphs(void **state) {
    (void)state;
    float x[16], row[4];
    for (int i = 0; i < 16; i++) x[i] = (float)(i % 5) - 2;
    for (int i = 0; i < 4; i++) row[i] = (float)i - 1;
    uint32_t seed = 7;
    for (int round = 0; round < 500; round++) {
        ob_value *all[32];
        uint32_t n_all;
        ob_model *model = random_model(&seed, all, &n_all);
        for (int i = 0; i < 3; i++) new_output(model, all[n_all - 1 - next_seed(&seed) % 8]);
        ob_view in[2] = {view_of(x, OB_FLOAT, 2, 4, 4), view_of(row, OB_FLOAT, 2, 1, 4)}, values[64] = {{0}};
        ob_session *plain = open_session(model, false);
        ob_owned_memory *blocks = NULL;
        evaluate_plainly(plain, in, values, &blocks);
        for (int optimize = 0; optimize < 2; optimize++) {
            ob_session *session = open_session(model, optimize);
            ob_view out[3] = {{0}};
            run_ok(session, in, 2, out, 3);
            memset(out, 0, sizeof out);
            run_ok(session, in, 2, out, 3); /* a second run uses the same memory */
            for (int i = 0; i < 3; i++) {
                const ob_view *want = &values[plain->model->graph->outputs[i]->id];
                float copy[16];
                ob_view flat = *want;
                assert_int_equal(ob_view_init(&flat, copy, OB_FLOAT, want->rank, want->dims), OB_OK);
                assert_int_equal(ob_view_assign(&flat, want, NULL), OB_OK);
                expect_floats(&out[i], copy, ob_view_count(want));
            }
            ob_session_close(&session);
        }
        ob__free_owned(&plain->allocator, &blocks);
        ob_session_close(&plain);
        ob_model_close(&model);
    }
}

int main(int argc, char **argv) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_several_shapes),          cmocka_unit_test(test_plans_are_bounded),
        cmocka_unit_test(test_strided_input),           cmocka_unit_test(test_dead_and_constant_nodes),
        cmocka_unit_test(test_huge_integers_are_exact), cmocka_unit_test(test_expand_is_a_view),
        cmocka_unit_test(test_shape_from_input),        cmocka_unit_test(a_target_may_not_contradict),
        cmocka_unit_test(test_dynamic_shapes),          cmocka_unit_test(test_chain_needs_two_buffers),
        cmocka_unit_test(test_memory_plan_property),    cmocka_unit_test(test_random_graphs),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
