/* The comparison of contracts after every rewriting. Passes are made to do wrong edits, and the result must be as if they had
 * not touched the operator. The passes are correct for every known model, so only injected faults test the comparison. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/text.h"
#include "onnx_broadcast/onnx_broadcast.h"
#include "passes/pipeline.h"
#include "passes/rewrite/patch.h"
#include "passes/rewrite/rewriting.h"

enum { MAX_EDITS = 2 };

/* Node `node` reads `value` as its operand `index`; value NULL: the node is removed. */
typedef struct edit {
    const char *node;
    uint32_t index;
    const char *value;
} edit;

typedef struct fault {
    const char *name;
    ob_form form;
    const char *pass;   /* the pass after which it is injected */
    const char *victim; /* the operator whose rewriting is made wrong */
    edit edits[MAX_EDITS];
} fault;

#define HEAD                                                                                                                     \
    "<ir_version: 10, opset_import: [\"\" : 17]>\n"                                                                              \
    "g (float[N] a, float[M] b, float[K] c, bool[K] k, float[5,L] d, float[L] e)\n"                                              \
    "=> (float[] y, float[] z, float[] u, float[] v, float[5,L] f)\n<int64[1] three = {3}> {\n"                                  \
    "  h = Compress (c, k)\n  u = Neg (h)\n  v = Neg (c)\n  r = Shape (d)\n  f = Expand (e, r)\n"

/* A model to make explicit, and one to make implicit; `product` shows that the rest of the model is rewritten. */
static const char *const models[] = {
    HEAD "  w = Add (three, three)\n  [sum] y = Add (a, b)\n  [product] z = Mul (d, e)\n}\n",
    HEAD "  s = Shape (b)\n  [stretch] x = Expand (a, s)\n  [sum] y = Add (x, b)\n  q = Shape (c)\n"
         "  [spread] p = Expand (e, q)\n  [other] o = Add (p, b)\n  [product] z = Mul (d, f)\n}\n",
};

static const fault faults[] = {
    {"broadcast_loses_an_operand", OB_FORM_BROADCAST, "insert_broadcast", "sum", {{"sum_broadcast", 1, "a"}}},
    {"broadcast_takes_another_operand", OB_FORM_BROADCAST, "insert_broadcast", "sum", {{"sum_broadcast", 1, "c"}}},
    {"broadcast_of_a_size_from_data", OB_FORM_BROADCAST, "insert_broadcast", "sum", {{"sum_broadcast", 1, "h"}}},
    {"broadcast_of_a_wrong_shape",
     OB_FORM_BROADCAST,
     "insert_broadcast",
     "product",
     {{"product", 1, "d"}, {"product", 0, "three"}}},
    {"broadcast_is_not_read", OB_FORM_BROADCAST, "insert_broadcast", "sum", {{"sum", 0, "a"}, {"sum", 1, "a"}}},
    {"call_loses_an_operand", OB_FORM_FUNCTION, "lower_function", "sum", {{"sum_broadcast", 1, "a"}}},
    {"call_takes_another_operand", OB_FORM_FUNCTION, "lower_function", "sum", {{"sum_broadcast", 1, "c"}}},
    {"call_of_a_size_from_data", OB_FORM_FUNCTION, "lower_function", "sum", {{"sum_broadcast", 1, "h"}}},
    {"call_is_not_read", OB_FORM_FUNCTION, "lower_function", "sum", {{"sum", 0, "a"}, {"sum", 1, "a"}}},
    {"expand_loses_an_operand",
     OB_FORM_EXPAND,
     "lower_expand",
     "sum",
     {{"sum_broadcast_shape", 0, "a"}, {"sum_broadcast_2", 0, "a"}}},
    {"expand_takes_another_operand", OB_FORM_EXPAND, "lower_expand", "sum", {{"sum_broadcast_shape", 0, "c"}}},
    {"expand_to_a_number", OB_FORM_EXPAND, "lower_expand", "sum", {{"sum_broadcast", 1, "three"}}},
    {"expand_of_a_size_from_data", OB_FORM_EXPAND, "lower_expand", "sum", {{"sum_broadcast_shape", 0, "h"}}},
    {"expand_is_not_read", OB_FORM_EXPAND, "lower_expand", "sum", {{"sum", 0, "a"}, {"sum", 1, "a"}}},
    {"implicit_drops_a_condition", OB_FORM_IMPLICIT, "implicit", "other", {{"other", 0, "e"}, {"spread", 0, NULL}}},
    {"implicit_takes_another_operand", OB_FORM_IMPLICIT, "implicit", "sum", {{"sum", 1, "c"}}},
    {"implicit_of_a_size_from_data", OB_FORM_IMPLICIT, "implicit", "sum", {{"sum", 1, "h"}}},
};
enum { N_FAULTS = sizeof faults / sizeof *faults };

/* How the fault is injected: like a pass that records its edits, like one that does not, or not at all. */
typedef enum telling { TELLS, SILENT, HONEST } telling;

typedef struct planter {
    ob_work work;
    ob_rewriting rewriting;
    const fault *fault;
    telling telling;
    uint32_t n_planted;
    bool failed;
} planter;

static ob_node *find_node(const ob_model *model, const char *name) {
    ob_node *node = model->graph->first;
    while (node && strcmp(node->name, name) != 0) node = node->next;
    return node;
}

static ob_value *find_value(const ob_model *model, const char *name) {
    const ob_graph *graph = model->graph;
    for (uint32_t i = 0; i < graph->n_inputs; i++)
        if (strcmp(graph->inputs[i]->name, name) == 0) return graph->inputs[i];
    for (uint32_t i = 0; i < graph->n_initializers; i++)
        if (strcmp(graph->initializers[i]->name, name) == 0) return graph->initializers[i];
    for (const ob_node *node = graph->first; node; node = node->next)
        if (strcmp(node->outputs[0]->name, name) == 0) return node->outputs[0];
    return NULL;
}

/* Like a pass: protected operators are not changed, and the journal records the changes. */
static ob_status plant(void *context, const char *pass, const ob_model *model) {
    planter *p = context;
    if (p->telling == HONEST || strcmp(pass, p->fault->pass) != 0) return OB_OK;
    const ob_node *victim = find_node(model, p->fault->victim);
    if (ob__stays(&p->rewriting.keeping, victim)) return OB_OK;
    for (int i = 0; i < MAX_EDITS && p->fault->edits[i].node; i++) {
        const ob_node *node = find_node(model, p->fault->edits[i].node);
        if (!node || ob__stays(&p->rewriting.keeping, node)) return OB_OK;
    }
    ob_patch patch;
    ob__patch_init(&patch, p->work.model, &p->rewriting.journal);
    for (int i = 0; i < MAX_EDITS && p->fault->edits[i].node; i++) {
        const edit *e = &p->fault->edits[i];
        ob_node *node = find_node(model, e->node);
        ob_value *value = e->value ? find_value(model, e->value) : NULL;
        p->failed |= !node || (e->value && !value);
        if (p->failed) break;
        if (value)
            ob__patch_input(&patch, node, e->index, value);
        else
            ob__patch_remove(&patch, node);
        if (p->telling == TELLS) ob__touch(&p->rewriting.keeping, node);
    }
    if (p->telling == TELLS) ob__touch(&p->rewriting.keeping, victim);
    ob_status status = ob__patch_apply(&patch, p->work.error);
    ob__patch_release(&patch);
    p->n_planted++;
    return status;
}

static ob_status to_text(void *context, const void *bytes, size_t n) {
    ob__text_append(context, bytes, n);
    return ((ob_text *)context)->failed ? OB_E_MEMORY : OB_OK;
}

/* The operator is protected from the beginning. */
static ob_status leave_victim(void *context, const char *pass, const ob_model *model) {
    const planter *p = context;
    if (strcmp(pass, "sound") == 0) p->rewriting.keeping.stays[find_node(model, p->fault->victim)->id] = true;
    return OB_OK;
}

static ob_status leave_everything(void *context, const char *pass, const ob_model *model) {
    planter *p = context;
    (void)model;
    if (strcmp(pass, "sound") == 0) p->rewriting.keeping.all_stay = true;
    return OB_OK;
}

static ob_model *load(const fault *f) {
    const char *source = models[f->form == OB_FORM_IMPLICIT];
    ob_model *model = NULL;
    ob_error error;
    ob_error_clear(&error);
    if (ob_model_load_memory(source, strlen(source), "model", NULL, &model, &error) != OB_OK) fail_msg("%s", error.message);
    return model;
}

static void write_model(const ob_model *model, ob_text *text) {
    assert_int_equal(ob_model_write(model, OB_FORMAT_TEXT, to_text, text, NULL), OB_OK);
}

/* Like ob_rewrite, with a hook that may edit; text is the model afterwards. */
static void rewrite(planter *p, ob_pass_hook hook, bool *all_stayed, ob_text *text) {
    static const int goals[] = {OB_GOAL_BROADCAST, OB_GOAL_FUNCTION, OB_GOAL_EXPAND, OB_GOAL_IMPLICIT};
    ob_model *model = load(p->fault);
    ob_facts facts;
    ob_findings findings;
    ob_error error;
    ob_error_clear(&error);
    ob__facts_init(&facts, NULL);
    ob__findings_init(&findings, NULL);
    p->work =
        (ob_work){.model = model, .facts = &facts, .findings = &findings, .after_pass = hook, .context = p, .error = &error};
    p->rewriting = (ob_rewriting){.work = &p->work, .goal = goals[p->fault->form]};
    ob__journal_init(&p->rewriting.journal, NULL);
    ob__keeping_init(&p->rewriting.keeping, NULL);
    ob_status status = ob__run_pipeline(&p->work, &p->rewriting);
    if (status != OB_OK) fail_msg("%s: %s", p->fault->name, error.message);
    *all_stayed = p->rewriting.keeping.all_stay;
    if (*all_stayed)
        assert_int_equal(p->rewriting.stats.n_inserted + p->rewriting.stats.n_lowered + p->rewriting.stats.n_removed, 0);
    write_model(model, text);
    ob__keeping_release(&p->rewriting.keeping);
    ob__journal_release(&p->rewriting.journal);
    ob__findings_release(&findings);
    ob__facts_release(&facts);
    ob_model_close(&model);
}

static void with_fault(const fault *f, telling how, const ob_text *wanted, const ob_text *was) {
    planter p = {.fault = f, .telling = how};
    bool all_stayed;
    ob_text text;
    ob__text_init(&text, NULL);
    rewrite(&p, plant, &all_stayed, &text);
    assert_false(p.failed);
    assert_true(p.n_planted > 0);
    /* The definition of Broadcast states the requirements for all of its calls; and an edit that a pass does not record cannot
     * be found by name. */
    if (all_stayed && (how == SILENT || f->form == OB_FORM_FUNCTION))
        assert_string_equal(text.data, was->data);
    else
        assert_string_equal(text.data, wanted->data);
    ob__text_release(&text);
}

static void the_comparison_saves_the_model(void **state) {
    const fault *f = *state;
    ob_text was, right, wanted;
    bool all_stayed;
    ob__text_init(&was, NULL);
    ob__text_init(&right, NULL);
    ob__text_init(&wanted, NULL);
    planter p = {.fault = f, .telling = HONEST};
    rewrite(&p, leave_everything, &all_stayed, &was);
    assert_true(all_stayed);
    rewrite(&p, plant, &all_stayed, &right);
    assert_false(all_stayed);
    rewrite(&p, leave_victim, &all_stayed, &wanted);
    assert_false(all_stayed);
    assert_string_not_equal(wanted.data, was.data);
    with_fault(f, TELLS, &wanted, &was);
    with_fault(f, SILENT, &wanted, &was);
    ob__text_release(&wanted);
    ob__text_release(&right);
    ob__text_release(&was);
}

/* The node that stretches an operand of `sum` is protected: then `sum` continues to read it. */
static ob_status leave_stretch(void *context, const char *pass, const ob_model *model) {
    const planter *p = context;
    if (strcmp(pass, "sound") == 0) p->rewriting.keeping.stays[find_node(model, "stretch")->id] = true;
    return OB_OK;
}

static void what_stretches_may_stay(void **state) {
    (void)state;
    static const fault f = {"", OB_FORM_IMPLICIT, "implicit", "sum", {{0}}};
    ob_text wanted, text;
    bool all_stayed;
    ob__text_init(&wanted, NULL);
    ob__text_init(&text, NULL);
    planter p = {.fault = &f, .telling = HONEST};
    rewrite(&p, leave_victim, &all_stayed, &wanted);
    rewrite(&p, leave_stretch, &all_stayed, &text);
    assert_string_equal(text.data, wanted.data);
    ob__text_release(&text);
    ob__text_release(&wanted);
}

int main(void) {
    struct CMUnitTest tests[N_FAULTS + 1] = {cmocka_unit_test(what_stretches_may_stay)};
    for (size_t i = 0; i < N_FAULTS; i++)
        tests[i + 1] =
            (struct CMUnitTest){faults[i].name, the_comparison_saves_the_model, NULL, NULL, (void *)(uintptr_t)&faults[i]};
    return _cmocka_run_group_tests("rewrite_net", tests, N_FAULTS + 1, NULL, NULL);
}
