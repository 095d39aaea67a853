/* One problem is one finding: an accident carries the clauses of the contract that it causes, and these have no finding of their
 * own. A clause is caused by an accident if the accident's node requires it along the same axis; along any axis if the operands
 * have different ranks, because then all axes are shifted; or along an axis where a size meets another one while it stands on a
 * different axis of the other operand, as in (N,M,K) + (M,K,N). A node behind the accident may read the size that it made,
 * bcast(N, M): a clause on the same sizes that such a node requires is caused by the accident, too, and so is an output that has
 * this size and is declared with another. Linear in findings and requirements, times a bounded number of accidents. */
#include "core/base/error.h"
#include "core/base/list.h"
#include "core/dims/terms.h"
#include "passes/report/report.h"

enum {
    MOST_AT_NODE = 16,   /* accidents of one node that are looked at */
    MOST_MADE = 32,      /* sizes that accidents make */
    MOST_STEPS = 1 << 22 /* of searches in shapes and terms; then no more conditions are joined */
};

/* A size that an accident made of two others. */
typedef struct made {
    ob_dim size; /* a term; otherwise, as for a symbol that meets 8, only `from` tells */
    const ob_requirement *from;
    uint32_t accident; /* index of its finding */
} made;

typedef struct joining {
    ob_report *report;
    uint32_t *first; /* by node id: 1 + index of the first accident there; 0: none */
    uint32_t *next;  /* by index of a finding: 1 + index of the next accident of the node */
    made made[MOST_MADE];
    uint32_t n_made;
    uint32_t n_steps;
} joining;

static ob_status list_accidents(joining *j, bool *any) {
    const ob_findings *findings = &j->report->findings;
    for (uint32_t i = 0; i < findings->n && !*any; i++)
        *any = findings->items[i].node && ob__finding_is_accident(findings->items[i].id);
    if (!*any) return OB_OK;
    j->first = OB_ARENA_ARRAY(&j->report->arena, uint32_t, j->report->model->n_nodes);
    j->next = OB_ARENA_ARRAY(&j->report->arena, uint32_t, findings->n);
    if (!j->first || !j->next) return OB_E_MEMORY;
    for (uint32_t i = findings->n; i-- > 0;) {
        const ob_finding *finding = &findings->items[i];
        if (!finding->node || !ob__finding_is_accident(finding->id)) continue;
        j->next[i] = j->first[finding->node->id];
        j->first[finding->node->id] = i + 1;
    }
    return OB_OK;
}

/* The size of an operand along an axis of the result, aligned on the right. */
static ob_dim size_at(const ob_shape *shape, int32_t axis, int32_t rank) {
    int32_t own = axis - (rank - shape->rank);
    return own >= 0 && own < shape->rank ? shape->dims[own] : 1;
}

/* Does an operand's size along the axis stand on another axis of another operand? */
static bool crosses(joining *j, const ob_finding *accident, int32_t axis, int32_t rank) {
    for (uint32_t a = 0; a < accident->n_operands; a++) {
        const ob_dim size = size_at(&accident->operands[a], axis, rank);
        if (!ob_dim_is_term(size) || j->n_steps > MOST_STEPS) continue;
        j->n_steps += accident->n_operands * (uint32_t)rank;
        for (uint32_t b = 0; b < accident->n_operands; b++)
            for (int32_t q = 0; b != a && q < rank; q++)
                if (q != axis && size_at(&accident->operands[b], q, rank) == size) return true;
    }
    return false;
}

static bool is_caused(joining *j, const ob_finding *accident, const ob_requirement *requirement) {
    int32_t rank = 0;
    bool shifted = false;
    if (requirement->called != accident->called) return false;
    if (requirement->condition.kind != OB_COND_BROADCAST && requirement->condition.kind != OB_COND_BROADCAST_TO) return false;
    if (requirement->axis < 0 || accident->axis < 0) return false;
    if (requirement->axis == accident->axis) return true;
    for (uint32_t i = 0; i < accident->n_operands; i++) {
        if (accident->operands[i].rank < 1) return false;
        shifted = shifted || accident->operands[i].rank != accident->operands[0].rank;
        if (accident->operands[i].rank > rank) rank = accident->operands[i].rank;
    }
    return shifted || crosses(j, accident, requirement->axis, rank);
}

static ob_status add_clause(ob_findings *findings, ob_finding *accident, uint32_t clause) {
    for (uint32_t i = 0; i < accident->n_caused; i++)
        if (accident->caused[i] == clause) return OB_OK;
    if (accident->n_caused == OB_FINDING_CAUSED) return OB_OK;
    uint32_t *caused = (uint32_t *)(uintptr_t)accident->caused;
    if (!caused) accident->caused = caused = OB_ARENA_ARRAY(&findings->arena, uint32_t, OB_FINDING_CAUSED);
    if (!caused) return OB_E_MEMORY;
    caused[accident->n_caused++] = clause;
    return OB_OK;
}

static ob_status join_requirement(joining *j, const ob_requirement *requirement, uint32_t clause) {
    ob_findings *findings = &j->report->findings;
    uint32_t at = requirement->node ? j->first[requirement->node->id] : 0;
    for (uint32_t n = 0; at && n < MOST_AT_NODE; n++, at = j->next[at - 1])
        if (is_caused(j, &findings->items[at - 1], requirement)) OB_TRY(add_clause(findings, &findings->items[at - 1], clause));
    return OB_OK;
}

/* Equal requirements are chained after the first of them, which is the origin. */
static ob_status join_clause(joining *j, uint32_t number) {
    const ob_contract *contract = &j->report->contract;
    const ob_facts *facts = &j->report->facts;
    const ob_solved_clause *clause = contract->clauses[number];
    for (uint32_t i = 0; i < clause->n_origins && clause->origins[i] < facts->n_conditions; i++)
        for (uint32_t at = clause->origins[i] + 1; at > 0; at = contract->next_alike[at - 1])
            OB_TRY(join_requirement(j, &facts->conditions[at - 1], number));
    return OB_OK;
}

/* ---- Sizes that accidents made ---- */

static void list_made(joining *j) {
    const ob_facts *facts = &j->report->facts;
    for (uint32_t i = 0; i < facts->n_conditions && j->n_made < MOST_MADE; i++) {
        const ob_requirement *r = &facts->conditions[i];
        uint32_t at = r->node && !r->value ? j->first[r->node->id] : 0;
        for (uint32_t n = 0; at && n < MOST_AT_NODE; n++, at = j->next[at - 1])
            if (is_caused(j, &j->report->findings.items[at - 1], r)) break;
        const bool both = at && r->condition.kind == OB_COND_BROADCAST;
        const ob_dim size = both ? ob_dim_bcast(j->report->model->dims, r->condition.a, r->condition.b) : OB_DIM_UNKNOWN;
        if (at) j->made[j->n_made++] = (made){size, r, at - 1};
    }
}

/* Terms are small and shallow. */
static bool contains(joining *j, ob_dim dim, ob_dim part) {
    const ob_term *term = ob__term(j->report->model->dims, dim);
    j->n_steps++;
    if (dim == part) return true;
    if (!term) return false;
    if (term->kind != OB_DIM_KIND_SUM) {
        for (uint32_t i = 0; i < term->n_words; i++)
            if (contains(j, term->words[i], part)) return true;
        return false;
    }
    for (uint32_t i = 1; i < term->n_words; i += 2 + (uint32_t)term->words[i + 1])
        for (uint32_t k = 0; k < (uint32_t)term->words[i + 1]; k++)
            if (contains(j, term->words[i + 2 + k], part)) return true;
    return false;
}

/* Has the clause no other symbols than the condition? */
static bool adds_no_symbol(const ob_dims *dims, const ob_condition *condition, const ob_solved_clause *clause) {
    ob_dim few[4];
    ob_symbol_list list = {.at = few, .capacity = sizeof few / sizeof *few};
    ob__symbols_add(&list, dims, condition->a);
    ob__symbols_add(&list, dims, condition->b);
    const uint32_t n = list.n;
    ob__clause_list_symbols(dims, clause->literals, clause->n, &list);
    return !list.is_full && list.n == n;
}

/* The accident that made a size in the condition of this finding; its index + 1, 0: none. */
static uint32_t maker_of(joining *j, const ob_finding *finding) {
    const ob_dims *dims = j->report->model->dims;
    if (!finding->clause || !finding->condition) return 0;
    for (uint32_t i = 0; i < j->n_made && j->n_steps <= MOST_STEPS; i++) {
        const made *m = &j->made[i];
        const ob_finding *accident = &j->report->findings.items[m->accident];
        if (m->from->node == finding->node || m->from->called != finding->called) continue;
        if (accident->severity < finding->severity || accident->n_caused == OB_FINDING_CAUSED) continue;
        if (!ob_dim_is_term(m->size)) continue;
        if (!contains(j, finding->condition->a, m->size) && !contains(j, finding->condition->b, m->size)) continue;
        if (adds_no_symbol(dims, &m->from->condition, j->report->contract.clauses[finding->clause - 1])) return m->accident + 1;
    }
    return 0;
}

/* Is it about an output whose declaration has another size than an accident made? */
static bool is_declared_otherwise(joining *j, const ob_finding *finding) {
    const ob_shape *declared = finding->value ? &finding->value->declared.shape : NULL;
    if (finding->id != OB0505 || !declared || finding->axis < 0 || finding->axis >= declared->rank) return false;
    const ob_shape *shape = &ob__fact(&j->report->facts, finding->value)->type.shape;
    if (finding->axis >= shape->rank) return false;
    const ob_dim stated = declared->dims[finding->axis], size = shape->dims[finding->axis];
    for (uint32_t i = 0; i < j->n_made && j->n_steps <= MOST_STEPS; i++) {
        const made *m = &j->made[i];
        const ob_condition *c = &m->from->condition;
        if (j->report->findings.items[m->accident].severity < finding->severity) continue;
        if (ob_dim_is_term(m->size) && contains(j, size, m->size)) return true;
        if ((c->a == stated && c->b == size) || (c->b == stated && c->a == size)) return true;
    }
    return false;
}

/* ---- The findings of these clauses ---- */

/* Does an accident of the same node carry the clause of this finding, with no lower severity? */
static bool is_carried(const joining *j, const ob_finding *finding) {
    const ob_findings *findings = &j->report->findings;
    uint32_t at = finding->clause && finding->node ? j->first[finding->node->id] : 0;
    for (uint32_t n = 0; at && n < MOST_AT_NODE; n++, at = j->next[at - 1]) {
        const ob_finding *accident = &findings->items[at - 1];
        if (accident->called != finding->called || accident->severity < finding->severity) continue;
        for (uint32_t i = 0; i < accident->n_caused; i++)
            if (accident->caused[i] == finding->clause - 1) return true;
    }
    return false;
}

ob_status ob__report_join_caused(ob_report *report) {
    joining j = {.report = report};
    ob_findings *findings = &report->findings;
    bool any = false;
    OB_TRY(list_accidents(&j, &any));
    if (!any) return OB_OK;
    for (uint32_t i = 0; i < report->contract.n_clauses; i++) OB_TRY(join_clause(&j, i));
    list_made(&j);
    bool *carried = OB_ARENA_ARRAY(&report->arena, bool, findings->n);
    if (!carried) return OB_E_MEMORY;
    for (uint32_t i = 0; i < findings->n; i++) {
        const uint32_t maker = maker_of(&j, &findings->items[i]);
        carried[i] = maker || is_carried(&j, &findings->items[i]) || is_declared_otherwise(&j, &findings->items[i]);
        if (maker) OB_TRY(add_clause(findings, &findings->items[maker - 1], findings->items[i].clause - 1));
    }
    uint32_t n = 0;
    for (uint32_t i = 0; i < findings->n; i++)
        if (!carried[i]) findings->items[n++] = findings->items[i];
    findings->n = n;
    return OB_OK;
}
