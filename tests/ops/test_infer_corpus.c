/* Inference compared with recorded runs: every model of the corpora with inputs and outputs. Facts inferred only from the types
 * and small contents of the inputs must agree with the outputs, and a valid model must not have an error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "corpus.h"
#include "onnx_broadcast/tensor_file.h"
#include "ops/infer/infer.h"
#include "ops/library/resolve.h"
#include "ops/table/op.h"
#include "passes/check/propagate.h"

enum { MAX_INPUTS = 64, MAX_SETS = 4 };

typedef struct tally {
    size_t n_models, n_outputs, n_known, n_ranked, n_wrong, n_errors, n_conditions;
} tally;

static tally totals; /* corpus_each_model uses its context as a counter */

typedef enum form {
    DECLARED, /* the unchanged model */
    RECORDED, /* types and contents of the recorded inputs, without the model's declarations */
    SYMBOLIC, /* the same with a symbol for every size */
    SHARED,   /* the same with one symbol for all equal sizes */
    N_FORMS
} form;

static const char *const form_names[N_FORMS] = {"as declared", "with the recorded inputs", "with symbolic sizes",
                                                "with shared symbolic sizes"};

/* ---- Recorded tensors ---- */

typedef struct record {
    ob_file_tensor files[MAX_INPUTS];
    ob_given_input given[MAX_INPUTS];
    ob_tensor tensors[MAX_INPUTS];
    ob_binding bindings[MAX_INPUTS * 8];
    ob_dim dims[MAX_INPUTS][OB_MAX_RANK]; /* symbols in place of sizes */
    size_t n, n_bindings;
} record;

static bool read_tensor(const char *set, const char *kind, size_t i, ob_file_tensor *out) {
    char path[1200];
    snprintf(path, sizeof path, "%s/%s_%zu.pb", set, kind, i);
    return ob_tensor_file_read(path, NULL, out, NULL) == OB_OK;
}

static void bind(record *r, const ob_shape *declared, const ob_view *view) {
    for (int32_t axis = 0; axis < declared->rank && declared->rank == view->rank; axis++)
        if (ob_dim_is_term(declared->dims[axis]) && r->n_bindings < sizeof r->bindings / sizeof r->bindings[0])
            r->bindings[r->n_bindings++] = (ob_binding){declared->dims[axis], view->dims[axis]};
}

/* Sizes become symbols, except 1, which a rule may depend on. */
static void symbolize(ob_model *model, record *r, size_t i, form how) {
    ob_type *type = &r->given[i].type;
    for (int32_t axis = 0; axis < type->shape.rank; axis++) {
        char name[32];
        int64_t size = type->shape.dims[axis];
        if (how == SHARED)
            snprintf(name, sizeof name, "size_%lld", (long long)size);
        else
            snprintf(name, sizeof name, "in%zu_%d", i, axis);
        r->dims[i][axis] = size == 1 ? 1 : ob_dim_symbol(model->dims, name);
        if (size != 1 && r->n_bindings < sizeof r->bindings / sizeof r->bindings[0])
            r->bindings[r->n_bindings++] = (ob_binding){r->dims[i][axis], size};
    }
    type->shape.dims = r->dims[i];
}

static bool read_inputs(ob_model *model, const char *set, form how, ob_arena *arena, record *r) {
    const ob_graph *graph = model->graph;
    memset(r, 0, sizeof *r);
    size_t file = 0;
    for (uint32_t i = 0; i < graph->n_inputs && r->n < MAX_INPUTS; i++) {
        const ob_value *input = graph->inputs[i];
        if (input->data) continue;
        if (!read_tensor(set, "input", file++, &r->files[r->n])) return false;
        const ob_view *view = &r->files[r->n].view;
        ob_tensor *tensor = &r->tensors[r->n];
        *tensor = (ob_tensor){
            .dtype = view->dtype, .rank = view->rank, .dims = view->dims, .n_elems = ob_view_count(view), .data = view->data};
        ob_given_input *given = &r->given[r->n++];
        given->input = input;
        given->type = (ob_type){.kind = OB_TYPE_TENSOR, .dtype = view->dtype, .shape = {view->rank, view->dims}};
        if (view->dtype == OB_FLOAT || view->dtype == OB_DOUBLE)
            given->content = (ob_content){0};
        else
            assert_int_equal(ob__content_of_tensor(tensor, arena, &given->content), OB_OK);
        if (how == SYMBOLIC || how == SHARED)
            symbolize(model, r, r->n - 1, how);
        else
            bind(r, &input->declared.shape, view);
    }
    return true;
}

static void release(record *r) {
    for (size_t i = 0; i < MAX_INPUTS; i++) ob_file_tensor_release(&r->files[i]);
}

/* ---- Comparison ---- */

/* Counts and compares one output; terms are evaluated as far as the inputs bind their symbols. */
static void compare(const ob_model *model, const char *path, form how, const ob_value *output, const ob_facts *facts,
                    const ob_view *actual, const record *r) {
    const ob_type *type = &ob__fact(facts, output)->type;
    totals.n_outputs++;
    /* ONNX 1.12 recorded bfloat16 as its bits. */
    ob_dtype recorded = type->dtype == OB_BFLOAT16 && actual->dtype == OB_UINT16 ? OB_BFLOAT16 : actual->dtype;
    bool wrong = (type->kind != OB_TYPE_UNKNOWN && type->kind != OB_TYPE_TENSOR && type->kind != OB_TYPE_OPTIONAL) ||
                 (type->kind == OB_TYPE_TENSOR && type->dtype != OB_NONE && type->dtype != recorded);
    bool known = type->kind == OB_TYPE_TENSOR && type->shape.rank >= 0;
    totals.n_ranked += known;
    if (known && type->shape.rank != actual->rank) wrong = true;
    for (int32_t axis = 0; known && !wrong && axis < actual->rank; axis++) {
        int64_t size;
        ob_dim dim = ob__as_claimed(facts, model->dims, type->shape.dims[axis]); /* the claims of these models are right */
        if (ob_dim_eval(model->dims, dim, r->bindings, r->n_bindings, &size) != OB_OK)
            known = false;
        else if (size != actual->dims[axis])
            wrong = true;
    }
    totals.n_known += known && !wrong;
    if (!wrong) return;
    totals.n_wrong++;
    printf("%s: %s: output %s is inferred as %s[", path, form_names[how], output->name, ob_dtype_name(type->dtype));
    for (int32_t axis = 0; axis < type->shape.rank; axis++) {
        char text[64];
        ob_dim_format(model->dims, type->shape.dims[axis], text, sizeof text);
        printf("%s%s", axis ? ", " : "", text);
    }
    printf("] and runs as %s[", ob_dtype_name(actual->dtype));
    for (int32_t axis = 0; axis < actual->rank; axis++) printf("%s%lld", axis ? ", " : "", (long long)actual->dims[axis]);
    printf("]\n");
}

static void count_errors(const char *path, form how, const ob_findings *findings) {
    for (uint32_t i = 0; i < findings->n; i++) {
        const ob_finding *finding = &findings->items[i];
        if (finding->severity < OB_SEVERITY_ERROR) continue;
        totals.n_errors++;
        printf("%s: %s: %s: %s (%s)\n", path, form_names[how], ob__finding_row(finding->id)->name, finding->message,
               finding->node ? finding->node->op_type : "");
    }
}

/* The model ran with these sizes, so every condition that the sizes decide holds. */
static void check_conditions(const ob_model *model, const char *path, form how, const ob_facts *facts, const record *r) {
    for (uint32_t i = 0; i < facts->n_conditions; i++) {
        bool holds;
        const ob_condition *condition = &facts->conditions[i].condition;
        if (ob__guard_eval(model->dims, facts->conditions[i].guard, r->bindings, r->n_bindings) != OB_TRUE) continue;
        if (ob_condition_eval(model->dims, condition, r->bindings, r->n_bindings, &holds) != OB_OK) continue;
        totals.n_conditions++;
        if (holds) continue;
        char text[200];
        ob_condition_format(model->dims, condition, text, sizeof text);
        totals.n_wrong++;
        printf("%s: %s: the condition %s does not hold (%s)\n", path, form_names[how], text,
               facts->conditions[i].node ? facts->conditions[i].node->op_type : "");
    }
}

/* One propagation and its comparison with one set of recorded tensors. */
static void check_set(ob_model *model, const char *path, const char *set, form how) {
    ob_facts facts;
    ob_findings findings;
    ob_arena arena;
    static record r;
    ob__arena_init(&arena, NULL);
    ob__facts_init(&facts, NULL);
    ob__findings_init(&findings, NULL);
    bool readable = read_inputs(model, set, how, &arena, &r);
    ob_propagate_options options = {.ignore_declared = how != DECLARED};
    if (how != DECLARED && readable) {
        options.inputs = r.given;
        options.n_inputs = r.n;
    }
    if (how == DECLARED || readable) {
        assert_int_equal(ob__propagate(model, &options, &facts, &findings), OB_OK);
        count_errors(path, how, &findings);
        check_conditions(model, path, how, &facts, &r);
    }
    for (uint32_t i = 0; readable && i < model->graph->n_outputs; i++) {
        ob_file_tensor actual;
        if (!read_tensor(set, "output", i, &actual)) continue;
        const ob_value *output = model->graph->outputs[i];
        compare(model, path, how, output, &facts, &actual.view, &r);
        ob_file_tensor_release(&actual);
    }
    release(&r);
    ob__findings_release(&findings);
    ob__facts_release(&facts);
    ob__arena_release(&arena);
}

static void check_model(void *context, const char *path) {
    ++*(size_t *)context;
    ob_model *model;
    ob_error error;
    if (ob_model_load(path, NULL, &model, &error) != OB_OK) return; /* tested by test_load */
    assert_int_equal(ob__model_resolve_ops(model), OB_OK);
    totals.n_models++;
    for (int i = 0; i < MAX_SETS; i++) {
        char set[1100];
        struct stat info;
        snprintf(set, sizeof set, "%.*s/test_data_set_%d", (int)(strrchr(path, '/') - path), path, i);
        if (stat(set, &info) != 0) break;
        for (int how = 0; how < N_FORMS; how++) check_set(model, path, set, (form)how);
    }
    ob_model_close(&model);
}

static void inference_agrees_with_recorded_runs(void **state) {
    (void)state;
    if (corpus_each_model(check_model) == 0) skip();
    printf("%zu models, %zu outputs: %zu with a known rank, %zu fully known, %zu wrong; %zu false errors; %zu conditions\n",
           totals.n_models, totals.n_outputs, totals.n_ranked, totals.n_known, totals.n_wrong, totals.n_errors,
           totals.n_conditions);
    assert_int_equal(totals.n_wrong, 0);
    assert_int_equal(totals.n_errors, 0);
    assert_true(totals.n_known * 100 >= totals.n_outputs * 90);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(inference_agrees_with_recorded_runs)};
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
