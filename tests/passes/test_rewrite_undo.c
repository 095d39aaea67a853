/* Rewriting succeeds or leaves the model unchanged: after any failure of memory, and if the form is not possible. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "failing.h"
#include "model_text.h"
#include "passes/rewrite/definitions.h"
#include "passes/rewrite/patch.h"

/* Inserts, lowers, removes and raises; initializers, imports, functions, attributes, subgraphs. */
static const char *const models[] = {
    "<ir_version: 8, opset_import: [\"\" : 17]>\n"
    "g (float[N,3] a, float[4,3] b, float[4] c, float[3] d) => (float[] y, float[] z) {\n"
    "  [fc] y = Gemm <transB = 1> (a, b, c)\n  [add_1] z = Add (a, d)\n}\n",
    "<ir_version: 3, opset_import: [\"\" : 6]>\n"
    "g (float[2,3] a, float[3] b, float[2,3] c) => (float[2,3] y) {\n"
    "  s = Add <broadcast = 1, axis = 1> (a, b)\n  y = Gemm <broadcast = 1> (s, c, b)\n}\n",
    "<ir_version: 3, opset_import: [\"\" : 6]>\n"
    "g (float[2,3] a, float[3] b) => (float[2,3] y) {\n  y = Add <broadcast = 1> (a, b)\n}\n",
    "<ir_version: 8, opset_import: [\"\" : 17, \"onnx_broadcast\" : 1, \"own\" : 1]>\n"
    "g (float[N,3] a, float[3] b, bool c) => (float[] y, float[] z)\n<int64[2] t = {1, 3}, float[1,3] w = {1.0, 2.0, 3.0}> {\n"
    "  p, q = onnx_broadcast.Broadcast (a, b)\n  r = Mul (p, q)\n  e = Expand (w, t)\n  u = Add (r, e)\n"
    "  y = If (c) <then_branch = t1 () => (float[] v) { v = Sub (u, b) }, else_branch = e1 () => (float[] x) { x = Neg (u) }>\n"
    "  z = own.f (a, b)\n}\n"
    "<domain: \"own\", opset_import: [\"\" : 17]>\nf (p, q) => (r) { r = Max (p, q) }\n"};
enum { N_MODELS = sizeof models / sizeof *models };

static ob_model *load(size_t which, const ob_allocator *allocator) {
    return read_model(models[which], strlen(models[which]), OB_FORMAT_TEXT, allocator);
}

/* Every allocation of the rewriting fails in turn. The model is then unchanged, and the next rewriting gives the same result as
 * without the failure. */
static void fail_in_turn(failing *f, const ob_allocator *allocator, size_t which, ob_form form, bool from_then_on) {
    ob_text was, wanted, text;
    ob_error error;
    ob__text_init(&was, NULL);
    ob__text_init(&wanted, NULL);
    ob__text_init(&text, NULL);
    ob_model *model = load(which, allocator);
    write_model(model, OB_FORMAT_TEXT, &was);
    ob_status right = ob_rewrite(model, form, NULL, NULL, &error);
    write_model(model, OB_FORMAT_TEXT, &wanted);
    if (right != OB_OK) assert_string_equal(wanted.data, was.data);
    ob_model_close(&model);
    for (size_t at = 0;; at++) {
        model = load(which, allocator);
        arm(f, at, from_then_on);
        ob_status status = ob_rewrite(model, form, NULL, NULL, &error);
        bool failed = f->failed;
        f->armed = false;
        write_model(model, OB_FORMAT_TEXT, &text);
        if (status == OB_E_MEMORY)
            assert_string_equal(text.data, was.data);
        else
            assert_int_equal(status, right);
        if (status != OB_OK) status = ob_rewrite(model, form, NULL, NULL, &error);
        assert_int_equal(status, right);
        write_model(model, OB_FORMAT_TEXT, &text);
        assert_string_equal(text.data, wanted.data);
        ob_model_close(&model);
        if (!failed) break;
    }
    ob__text_release(&text);
    ob__text_release(&wanted);
    ob__text_release(&was);
}

static void want_of_memory_changes_nothing(void **state) {
    (void)state;
    failing f = {0};
    const ob_allocator allocator = failing_allocator(&f);
    for (size_t which = 0; which < N_MODELS; which++)
        for (int form = 0; form < OB_FORM_COUNT; form++) {
            fail_in_turn(&f, &allocator, which, (ob_form)form, false);
            fail_in_turn(&f, &allocator, which, (ob_form)form, true);
        }
    assert_int_equal(f.n_alive, 0);
}

static ob_status stop_after(void *context, const char *pass, const ob_model *model) {
    (void)model;
    return strcmp(pass, context) == 0 ? OB_E_CANCELLED : OB_OK;
}

/* A hook that ends the rewriting after any of its passes. */
static void a_stop_changes_nothing(void **state) {
    (void)state;
    ob_text was, text;
    ob_error error;
    ob__text_init(&was, NULL);
    ob__text_init(&text, NULL);
    for (size_t which = 0; which < N_MODELS; which++)
        for (int form = 0; form < OB_FORM_COUNT; form++)
            for (size_t pass = 0; pass < ob_pass_count(); pass++) {
                ob_model *model = load(which, NULL);
                ob_pass_info info = ob_pass_at(pass);
                const ob_rewrite_options options = {.after_pass = stop_after, .context = (void *)(uintptr_t)info.name};
                write_model(model, OB_FORMAT_TEXT, &was);
                if (ob_rewrite(model, (ob_form)form, &options, NULL, &error) != OB_OK) {
                    write_model(model, OB_FORMAT_TEXT, &text);
                    assert_string_equal(text.data, was.data);
                }
                ob_model_close(&model);
            }
    ob__text_release(&text);
    ob__text_release(&was);
}

/* ---- One patch ---- */

static const char every_edit[] =
    "<ir_version: 3, opset_import: [\"\" : 6, \"onnx_broadcast\" : 1]>\n"
    "g (float[2,3] a, float[3] w = {1.0, 2.0, 3.0}) => (float[2,3] y) <float[3] v = {4.0, 5.0, 6.0}> {\n"
    "  [first] s = Add <broadcast = 1, axis = 1> (a, w)\n  [second] t = Mul <broadcast = 1> (s, v)\n"
    "  [last] y = Neg (t)\n}\n";

/* One edit of every kind. */
static void edit_all(ob_patch *patch) {
    ob_graph *graph = patch->model->graph;
    ob_node *first = graph->first, *second = first->next, *last = second->next;
    const int64_t numbers[] = {1, 2};
    ob_value *result = ob__patch_value(patch, graph, "result");
    ob_node *made = ob__patch_node(patch, graph, second, "", "Abs", 1, 1);
    if (made) {
        made->inputs[0] = first->outputs[0];
        made->outputs[0] = result;
    }
    ob__patch_initializer(patch, graph, "numbers", numbers, 2);
    ob__patch_input(patch, last, 0, result);
    ob__patch_remove(patch, second);
    ob__patch_remove_initializer(patch, second->inputs[1]);
    ob__patch_int_attribute(patch, first, "axis", 0);
    ob__patch_int_attribute(patch, first, "another", 7);
    ob__patch_remove_attribute(patch, first, "broadcast");
    ob__patch_import(patch, NULL, "own", 1);
    ob__patch_raise_opset(patch, "", 7);
    ob__patch_add_function(patch, ob__define_broadcast(patch->model, "Broadcast", 2, 8));
    ob__patch_ir_version(patch, 8);
    ob__patch_tidy_domain(patch, "onnx_broadcast");
}

static void a_patch_is_applied_as_a_whole_or_not_at_all(void **state) {
    (void)state;
    failing f = {0};
    const ob_allocator allocator = failing_allocator(&f);
    ob_text was, text;
    ob_error error;
    ob__text_init(&was, NULL);
    ob__text_init(&text, NULL);
    size_t n_failed = 0;
    for (size_t at = 0; at < 100000; at++) {
        ob_model *model = read_model(every_edit, strlen(every_edit), OB_FORMAT_TEXT, &allocator);
        write_model(model, OB_FORMAT_TEXT, &was);
        ob_journal journal;
        ob_patch patch;
        ob__journal_init(&journal, &allocator);
        ob__patch_init(&patch, model, &journal);
        uint32_t n_values = model->n_values;
        edit_all(&patch);
        assert_false(patch.failed);
        uint32_t n_nodes = model->n_nodes, n_made = model->n_values;
        model->arena.end = model->arena.next; /* the next allocation needs a new block */
        journal.arena.end = journal.arena.next;
        arm(&f, at, false);
        ob_status status = ob__patch_apply(&patch, &error);
        bool failed = f.failed;
        f.armed = false;
        if (status != OB_OK) {
            assert_int_equal(status, OB_E_MEMORY);
            n_failed++;
            write_model(model, OB_FORMAT_TEXT, &text);
            assert_string_equal(text.data, was.data);
            assert_true(model->n_nodes == n_nodes && model->n_values == n_made);
        } else {
            write_model(model, OB_FORMAT_TEXT, &text);
            assert_string_not_equal(text.data, was.data);
        }
        ob__journal_undo(&journal, NULL);
        write_model(model, OB_FORMAT_TEXT, &text);
        assert_string_equal(text.data, was.data);
        assert_int_equal(model->n_nodes, n_nodes);
        assert_int_equal(model->n_values, n_values);
        ob__patch_release(&patch);
        ob__journal_release(&journal);
        ob_model_close(&model);
        if (!failed) break;
    }
    assert_true(n_failed >= 2);
    ob__text_release(&text);
    ob__text_release(&was);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(want_of_memory_changes_nothing), cmocka_unit_test(a_stop_changes_nothing),
                                       cmocka_unit_test(a_patch_is_applied_as_a_whole_or_not_at_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
