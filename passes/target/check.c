/* Compares every node that can broadcast with the rules of the requested deployment targets. Reads facts, adds findings and
 * verdicts; linear in nodes and operands, for each target. */
#include "passes/target/check.h"

#include <string.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "ops/infer/constant.h"
#include "ops/table/attributes.h"
#include "passes/check/called.h"
#include "passes/check/explicit.h"

ob_status ob__targets_take(ob_targets *targets, const ob_check_options *options, ob_arena *arena, ob_error *error) {
    size_t n = options->n_targets;
    OB_FAIL_IF(n > ob_target_count(), error, OB_E_ARGUMENT, "more deployment targets than there are");
    *targets = (ob_targets){.verdicts = OB_ARENA_ARRAY(arena, ob_target_verdict, n),
                            .at = OB_ARENA_ARRAY(arena, ob_target, n),
                            .told = OB_ARENA_ARRAY(arena, ob_target_told, n),
                            .counts_only = options->target_counts_only};
    if (!targets->verdicts || !targets->at || !targets->told) return OB_E_MEMORY;
    for (size_t i = 0; i < n; i++) {
        const char *name = options->targets[i];
        size_t index = ob_target_find(name);
        OB_FAIL_IF(!name, error, OB_E_ARGUMENT, "the name of a deployment target is NULL");
        OB_FAIL_IF(!ob__target_at(index, &targets->at[i]), error, OB_E_NOT_FOUND, "there is no deployment target '%.100s'", name);
        targets->verdicts[i].name = targets->at[i].head->target;
        targets->told[i].rows = OB_ARENA_ARRAY(arena, ob_target_row *, targets->at[i].n_rules + 1);
        if (!targets->told[i].rows) return OB_E_MEMORY;
        for (size_t k = 0; k < i; k++)
            OB_FAIL_IF(targets->at[k].head == targets->at[i].head, error, OB_E_ARGUMENT,
                       "the deployment target '%.100s' is given twice", name);
    }
    targets->n = n;
    return OB_OK;
}

/* ---- A node ---- */

static bool is_constant(const ob_value *value) {
    if (value->producer) return ob__is_constant(value->producer);
    return value->is_initializer && !value->is_input;
}

static int32_t normalized_axes(const ob_node *node, int32_t rank) {
    int64_t axis = ob__attribute_int(node, "axis");
    if (rank == OB_RANK_UNKNOWN) return -1;
    if (axis < 0) axis += rank;
    return axis >= 0 && axis <= rank ? rank - (int32_t)axis : -1;
}

ob_status ob__target_view(const ob_facts *facts, ob_dims *dims, const ob_node *node, ob_arena *arena, ob_target_view *view,
                          bool *found) {
    ob_group *group = &view->group;
    OB_TRY(ob__group_of(facts, dims, node, arena, group, found));
    if (!*found) return OB_OK;
    bool *constants = group->n > OB_GROUP_INLINE ? OB_ARENA_ARRAY(arena, bool, group->n) : view->constants;
    if (!constants) return OB_E_MEMORY;
    ob_target_node *out = &view->node;
    *out = (ob_target_node){.of = node->op ? ob__op_class(node->op) : OB_CLASS_COUNT,
                            .n = group->kind == OB_BCAST_EXPAND ? 1 : group->n,
                            .shapes = group->shapes,
                            .constant = constants,
                            .result = group->result,
                            .n_fixed_axes = group->n_fixed_axes,
                            .n_axes = -1,
                            .old_form = node->op && node->op->stretch.asked};
    for (uint32_t i = 0; i < out->n; i++) constants[i] = is_constant(node->inputs[group->inputs[i]]);
    uint32_t typed = group->inputs[out->of == OB_CLASS_WHERE && out->n > 1 ? 1 : 0];
    if (typed < node->n_inputs) out->dtype = ob__fact(facts, node->inputs[typed])->type.dtype;
    if (out->of == OB_CLASS_NORM) out->n_axes = normalized_axes(node, group->result.rank);
    return OB_OK;
}

/* ---- Sentences ---- */

static const char *effect_sentence(uint8_t effect) {
    static const char *const sentences[] = {
#define OB_EFFECT_SENTENCE(name, text, sentence) sentence,
        OB_EFFECT_LIST(OB_EFFECT_SENTENCE)
#undef OB_EFFECT_SENTENCE
    };
    return sentences[effect];
}

static void add_reason(ob_text *text, const ob_target *target, const ob_target_node *node, const ob_target_issue *issue) {
    const ob_target_rule *rule = issue->rule;
    ob_target_row row;
    ob__target_row(target, rule, &row);
    bool some = issue->holds == OB_UNDECIDED;
    const char *is = some ? "may be" : "is";
    switch (issue->what) {
    case OB_WHAT_OPERATOR: ob__text_printf(text, "it has no operator for %s", ob__op_class_text(node->of)); break;
    case OB_WHAT_OLD_FORM: ob__text_puts(text, "it does not read the broadcasting of opset 1 to 6"); break;
    case OB_WHAT_INPUTS: ob__text_printf(text, "%u operands, at most %s", (unsigned)node->n, row.value); break;
    case OB_WHAT_CONSTANT: ob__text_printf(text, "%s must be constant", row.value); break;
    case OB_WHAT_TYPES: ob__text_printf(text, "it does not accept %s here", ob_dtype_name(node->dtype)); break;
    case OB_WHAT_OPEN: ob__text_puts(text, "sizes are open, and it needs numbers"); break;
    case OB_WHAT_ZERO:
        if (rule->answer == OB_ANSWER_MISHANDLED)
            ob__text_puts(text, some ? "an open size can be 0 where an operand has 1" : "a size of 1 meets 0");
        else
            ob__text_puts(text, some ? "an open size can be 0" : "an operand has a size of 0");
        break;
    case OB_WHAT_RANK: ob__text_printf(text, "%d axes, at most %s", (int)issue->found, row.value); break;
    case OB_WHAT_RANKS:
        ob__text_printf(text, "ranks must be %s; an operand has %d, the result %d", row.value, (int)issue->found,
                        (int)node->result.rank);
        break;
    case OB_WHAT_STRETCH:
        if (rule->answer == OB_STRETCH_BRANCHES)
            ob__text_printf(text, "only the condition %s as large as the result along axis %d", is, (int)issue->axis);
        else
            ob__text_printf(text, "an operand %s stretched along axis %d; it accepts: %s", is, (int)issue->axis, row.value);
        break;
    case OB_WHAT_AXES:
        if (issue->axis >= 0)
            ob__text_printf(text, "an operand %s stretched along axis %d; axes that it accepts: %s", is, (int)issue->axis,
                            row.value);
        else
            ob__text_printf(text, "axes that it accepts to be stretched: %s", row.value);
        break;
    case OB_WHAT_COUNT: break;
    }
}

const char *ob__target_sentence(const ob_target *target, const ob_target_node *node, const ob_target_issue *issue,
                                ob_arena *arena) {
    ob_text text;
    ob__text_init(&text, &arena->allocator);
    ob__text_printf(&text, "%s %s%s: ", target->head->target, effect_sentence(issue->rule->effect),
                    issue->holds == OB_UNDECIDED ? " for some of the open sizes" : "");
    add_reason(&text, target, node, issue);
    const char *copy = text.failed ? NULL : ob__arena_strndup(arena, text.data, text.n);
    ob__text_release(&text);
    return copy;
}

/* ---- Findings ---- */

typedef struct checker {
    ob_work *work;
    ob_targets *targets;
    const ob_facts *facts;
    const ob_called *called;
    const char *path;
    const ob_node *node;
    const ob_target_view *view;
    ob_arena arena; /* scratch */
} checker;

/* The row as a report shows it; each is made once. NULL: out of memory. */
static const ob_target_row *shown_row(checker *c, size_t target, const ob_target_rule *rule) {
    const ob_target *at = &c->targets->at[target];
    ob_target_row **slot = &c->targets->told[target].rows[rule ? (size_t)(rule - at->rules) : at->n_rules];
    if (*slot) return *slot;
    ob_target_row *row = OB_ARENA_NEW(&c->work->findings->arena, ob_target_row);
    if (!row) return NULL;
    if (rule)
        ob__target_row(at, rule, row);
    else
        *row =
            (ob_target_row){.target = at->head->target, .what = "", .effect = OB_EFFECT_UNKNOWN, .confidence = "", .source = ""};
    return *slot = row;
}

static ob_status add_finding(checker *c, ob_finding_id id, ob_severity severity, size_t target, const ob_target_issue *issue,
                             const char *message) {
    ob_findings *findings = c->work->findings;
    const ob_group *group = &c->view->group;
    if (!message) return OB_E_MEMORY;
    ob_finding *finding = ob__findings_add(findings, id, "%s", message);
    if (!finding) return OB_OK; /* over the limit; a lack of memory is sticky */
    if (!c->path) c->path = ob__called_path(c->node->graph, c->called, &findings->arena);
    finding->severity = severity;
    finding->call_path = c->path ? c->path : "";
    finding->called = c->called;
    finding->node = c->node;
    finding->axis = issue ? issue->axis : -1;
    if (issue && issue->operand >= 0 && group->inputs[issue->operand] != OB_NOT_AN_INPUT)
        finding->operand = (int32_t)group->inputs[issue->operand];
    finding->rule = shown_row(c, target, issue ? issue->rule : NULL);
    return finding->rule && ob__finding_set_operands(findings, finding, group->shapes, group->n) ? OB_OK : OB_E_MEMORY;
}

static ob_finding_id id_of_effect(uint8_t effect) {
    static const ob_finding_id ids[] = {
        [OB_EFFECT_NONE] = OB0908,    [OB_EFFECT_SLOW] = OB0906,      [OB_EFFECT_FALLBACK] = OB0905,
        [OB_EFFECT_UNKNOWN] = OB0908, [OB_EFFECT_FAIL] = OB0904,      [OB_EFFECT_REFUSE] = OB0904,
        [OB_EFFECT_ABORT] = OB0903,   [OB_EFFECT_UNDEFINED] = OB0902, [OB_EFFECT_WRONG] = OB0901};
    return ids[effect];
}

/* Issues about the sizes of inputs come once for each target: they would be the same at every node. */
static bool was_told(checker *c, size_t target, const ob_target_issue *issue) {
    ob_target_told *told = &c->targets->told[target];
    bool *flag = issue->what == OB_WHAT_OPEN ? &told->open : &told->zero;
    if (issue->what != OB_WHAT_OPEN && !(issue->what == OB_WHAT_ZERO && issue->holds == OB_UNDECIDED)) return false;
    bool before = *flag;
    *flag = true;
    return before;
}

static ob_status tell(checker *c, size_t target, const ob_target_issue *issue) {
    if (c->targets->counts_only || was_told(c, target, issue)) return OB_OK;
    uint8_t effect = issue->rule->effect;
    bool some = issue->holds == OB_UNDECIDED;
    ob_finding_id id = some ? OB0907 : id_of_effect(effect);
    ob_severity severity = ob__finding_row(id)->severity;
    if (some && effect == OB_EFFECT_SLOW) severity = OB_SEVERITY_NOTE;
    if (!some && effect == OB_EFFECT_UNKNOWN) severity = OB_SEVERITY_WARNING;
    return add_finding(c, id, severity, target, issue,
                       ob__target_sentence(&c->targets->at[target], &c->view->node, issue, &c->arena));
}

/* All questions without an answer in one finding. */
static ob_status tell_unknown(checker *c, size_t target, const ob_target_issue *issues, size_t n) {
    ob_text text;
    if (c->targets->counts_only) return OB_OK;
    ob__text_init(&text, &c->arena.allocator);
    ob__text_printf(&text, "%s: not known:", c->targets->at[target].head->target);
    bool any = false;
    for (size_t i = 0; i < n; i++) {
        if (issues[i].holds != OB_TRUE) continue;
        ob__text_printf(&text, "%s %s", any ? "," : "", ob__what_text(issues[i].what));
        any = true;
    }
    const char *message = text.failed ? NULL : ob__arena_strndup(&c->arena, text.data, text.n);
    ob__text_release(&text);
    return add_finding(c, OB0908, OB_SEVERITY_NOTE, target, NULL, message);
}

static ob_status check_target(checker *c, size_t target) {
    ob_target_issue issues[OB_WHAT_COUNT];
    ob_target_verdict *verdict = &c->targets->verdicts[target];
    size_t n = ob__target_judge(&c->targets->at[target], &c->view->node, issues);
    bool broken = false, some = false, unknown = false;
    ob_effect worst = OB_EFFECT_NONE;
    for (size_t i = 0; i < n; i++) {
        const ob_target_issue *issue = &issues[i];
        unknown |= issue->holds == OB_TRUE;
        if (issue->holds == OB_TRUE) continue;
        some |= issue->holds == OB_UNDECIDED;
        broken |= issue->holds == OB_FALSE;
        if (issue->holds == OB_FALSE && issue->rule->effect > worst) worst = (ob_effect)issue->rule->effect;
        OB_TRY(tell(c, target, issue));
    }
    if (unknown) OB_TRY(tell_unknown(c, target, issues, n));
    verdict->n_nodes++;
    if (broken)
        verdict->n_broken[worst]++;
    else if (some)
        verdict->n_conditional++;
    else if (unknown)
        verdict->n_unknown++;
    else if (c->view->group.plain)
        verdict->n_plain++;
    else
        verdict->n_accepted++;
    if (worst > verdict->worst) verdict->worst = worst;
    return OB_OK;
}

static ob_status check_graph(void *context, ob_graph *graph, const ob_facts *facts, const ob_called *called) {
    checker *c = context;
    ob_target_view view;
    c->facts = facts;
    c->called = called;
    c->path = NULL;
    c->view = &view;
    if (ob__is_explicit_definition(graph)) return OB_OK; /* its calls broadcast */
    for (const ob_node *node = graph->first; node; node = node->next) {
        bool found;
        OB_TRY(ob__target_view(facts, c->work->model->dims, node, &c->arena, &view, &found));
        c->node = node;
        for (size_t i = 0; found && i < c->targets->n; i++) OB_TRY(check_target(c, i));
        ob__arena_restart(&c->arena);
    }
    return OB_OK;
}

ob_status ob__pass_targets(ob_work *work) {
    if (!work->targets) return OB_OK;
    checker c = {.work = work, .targets = work->targets};
    ob_arena arena; /* of the calls: the scratch of nodes starts again */
    ob__arena_init(&c.arena, &work->model->arena.allocator);
    ob__arena_init(&arena, &work->model->arena.allocator);
    ob_call_view view;
    ob_status status = ob__call_view_init(&view, work->facts, &arena);
    if (status == OB_OK) status = ob__each_called(work->model, &view, check_graph, &c);
    status = ob__arena_finish(&arena, status);
    return ob__arena_finish(&c.arena, status);
}
