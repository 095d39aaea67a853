/* Compares the requirements of a rule on open sizes with its verdict on numbers.
 *
 * The letters of a trial of verdict_case.h become symbols, both as sizes and as elements of contents. The node is inferred once
 * with them, which gives conditions, unverified requirements, and results that are terms; then with the numbers of many
 * assignments. At each assignment the conditions must agree with the rule's verdict, and the terms with its sizes. */
#ifndef OB_TESTS_REQUIREMENT_CASE_H
#define OB_TESTS_REQUIREMENT_CASE_H

#include "ops/infer/requirements.h"
#include "ops/library/resolve.h"
#include "verdict_rows.h"

typedef struct requirement_tally {
    uint64_t n_admitted, n_excluded; /* assignments that the conditions admit; assignments that they exclude */
    uint64_t n_open;                 /* refused by the rule, because of an unverified requirement */
    uint64_t n_unverified;           /* symbolic trials that have something unverified */
    uint64_t n_trials;
    uint64_t n_sizes, n_sizes_open; /* sizes of results: terms of the symbols; unknown ones */
    uint64_t n_copied;              /* excluded, but they run: see copies_for_zero */
    uint64_t n_differ;
    unsigned stated[N_VERDICT_ROWS]; /* by row: kinds of requirements, bits of ob_rule_asks */
} requirement_tally;

typedef struct requirement_case {
    verdict_trial trial;
    uint32_t symbolic; /* a bit per letter */
    uint32_t hidden;   /* a bit for each operand with unknown contents */
    uint32_t rankless; /* a bit for each operand of unknown rank */
    ob_dim symbols[26];
    ob_model *model;
    ob_node *node;
    ob_given_input given[VERDICT_OPERANDS];
    size_t n_given;
    uint32_t operand_of[VERDICT_OPERANDS]; /* by given input */
} requirement_case;

/* One inference, with its facts. */
typedef struct inferred {
    ob_facts facts;
    ob_findings findings;
    uint32_t n_errors;
    char error[400];
} inferred;

/* ---- The model ---- */

static inline bool is_letter_of_attributes(const char *attributes, char letter) {
    for (const char *at = attributes; (at = strchr(at, letter)) != NULL; at++)
        if (at > attributes && strchr("=[,", at[-1]) && strchr(",] ", at[1])) return true;
    return false;
}

static inline uint32_t letter_bit(verdict_size size) {
    return size.letter ? UINT32_C(1) << (size.letter - 'A') : 0;
}

/* Letters that may stay open: none of an attribute, and none that gives the number of elements of contents. */
static inline uint32_t possible_letters(const requirement_case *c) {
    uint32_t letters = 0, closed = 0;
    for (uint32_t i = 0; i < c->trial.n; i++) {
        const verdict_operand *o = &c->trial.operands[i];
        for (int32_t a = 0; o->given && a < o->rank; a++) *(o->n_elems >= 0 ? &closed : &letters) |= letter_bit(o->pattern[a]);
        for (int64_t k = 0; o->given && k < o->n_elems; k++) letters |= letter_bit(o->elem_pattern[k]);
    }
    for (char letter = 'A'; letter <= 'Z'; letter++)
        if (is_letter_of_attributes(c->trial.row->attributes, letter)) closed |= UINT32_C(1) << (letter - 'A');
    return letters & ~closed;
}

/* Contents that a rule requires to be initializers. */
static inline bool is_weight(const verdict_operand *o) {
    return o->n_elems >= 0 && o->dtype != OB_INT64 && o->dtype != OB_INT32 && o->dtype != OB_BOOL;
}

static inline void make_requirement_model(requirement_case *c) {
    verdict_trial *t = &c->trial;
    ob_model *model = c->model = new_model(t->row->opset);
    ob_node *node = c->node = new_row_node(model, t->row, t->n);
    c->n_given = 0;
    for (uint32_t i = 0; i < t->n; i++) {
        verdict_operand *o = &t->operands[i];
        char name[16];
        if (!o->given) continue;
        snprintf(name, sizeof name, "x%u", i);
        if (is_weight(o)) {
            node->inputs[i] =
                new_weight(model, ob__intern(model, name, strlen(name)), o->dtype, o->rank, o->dims, make_data(model, o));
            continue;
        }
        node->inputs[i] = new_input(model, name, o->dtype, "");
        c->operand_of[c->n_given] = i;
        c->given[c->n_given++].input = node->inputs[i];
    }
    set_row_attributes(node, t->attributes);
    assert_int_equal(ob__model_resolve_ops(model), OB_OK);
    for (int letter = 0; letter < 26; letter++)
        c->symbols[letter] = ob_dim_symbol(model->dims, (const char[]){(char)('A' + letter), '\0'});
}

static inline ob_dim case_size(const requirement_case *c, verdict_size size, bool open) {
    if (!open || !(c->symbolic & letter_bit(size))) return verdict_size_of(&c->trial, size);
    return ob_dim_add(c->model->dims, ob_dim_mul(c->model->dims, c->symbols[size.letter - 'A'], size.factor), size.more);
}

/* ---- Inference ---- */

/* `open`: the symbolic letters are symbols; otherwise they are the trial's numbers. */
static inline void infer_requirements(requirement_case *c, bool open, inferred *out) {
    for (size_t g = 0; g < c->n_given; g++) {
        const verdict_operand *o = &c->trial.operands[c->operand_of[g]];
        ob_dim *dims = OB_ARENA_ARRAY(&c->model->arena, ob_dim, VERDICT_RANK + VERDICT_ELEMS), *elems = dims + VERDICT_RANK;
        assert_non_null(dims);
        for (int32_t a = 0; a < o->rank; a++) dims[a] = case_size(c, o->pattern[a], open);
        for (int64_t k = 0; k < o->n_elems; k++) elems[k] = case_size(c, o->elem_pattern[k], open);
        ob_given_input *given = &c->given[g];
        bool ranked = !open || !(c->rankless >> c->operand_of[g] & 1);
        given->type = (ob_type){.kind = OB_TYPE_TENSOR, .dtype = o->dtype, .shape = {ranked ? o->rank : OB_RANK_UNKNOWN, dims}};
        given->content = (ob_content){0};
        bool told = o->n_elems >= 0 && !(open && c->hidden >> c->operand_of[g] & 1);
        if (told) given->content = (ob_content){.n = (uint32_t)o->n_elems, .elems = elems};
    }
    const ob_propagate_options options = {.inputs = c->given, .n_inputs = c->n_given};
    ob__facts_init(&out->facts, NULL);
    ob__findings_init(&out->findings, NULL);
    assert_int_equal(ob__propagate(c->model, &options, &out->facts, &out->findings), OB_OK);
    out->n_errors = 0;
    out->error[0] = '\0';
    for (uint32_t i = 0; i < out->findings.n; i++)
        if (out->findings.items[i].severity == OB_SEVERITY_ERROR && out->n_errors++ == 0)
            snprintf(out->error, sizeof out->error, "%.380s", out->findings.items[i].message);
}

static inline void release_inferred(inferred *i) {
    ob__findings_release(&i->findings);
    ob__facts_release(&i->facts);
}

/* ---- Comparing ---- */

static inline size_t case_bindings(const requirement_case *c, ob_binding *bindings) {
    size_t n = 0;
    for (int letter = 0; letter < 26; letter++)
        if (c->symbolic >> letter & 1) bindings[n++] = (ob_binding){c->symbols[letter], c->trial.sizes[letter]};
    return n;
}

/* Do the conditions hold? UNDECIDED if one of them cannot be evaluated. */
static inline ob_truth conditions_hold(const requirement_case *c, const inferred *open, char *text, size_t n_bytes) {
    ob_binding bindings[26];
    size_t n = case_bindings(c, bindings);
    ob_truth all = OB_TRUE;
    for (uint32_t i = 0; i < open->facts.n_conditions; i++) {
        const ob_requirement *r = &open->facts.conditions[i];
        bool holds;
        ob_truth matters = ob__guard_eval(c->model->dims, r->guard, bindings, n);
        if (matters == OB_FALSE) continue;
        if (matters != OB_TRUE || ob_condition_eval(c->model->dims, &r->condition, bindings, n, &holds) != OB_OK) {
            all = OB_UNDECIDED;
            continue;
        }
        if (holds) continue;
        ob_condition_format(c->model->dims, &r->condition, text, n_bytes);
        return OB_FALSE;
    }
    return all;
}

/* Is element k of the operand in the part of the input that the condition restricts? */
static inline bool is_in_part(const requirement_case *c, const ob_bound *bound, const verdict_operand *o, int64_t k,
                              const ob_binding *bindings, size_t n) {
    for (int32_t axis = o->rank; bound->first && axis-- > 0;) {
        int64_t first = 0, end = 0;
        const int64_t at = o->dims[axis] ? k % o->dims[axis] : 0;
        assert_int_equal(ob_dim_eval(c->model->dims, bound->first[axis], bindings, n, &first), OB_OK);
        assert_int_equal(ob_dim_eval(c->model->dims, bound->end[axis], bindings, n, &end), OB_OK);
        if (at < first || at >= end) return false;
        k /= o->dims[axis] ? o->dims[axis] : 1;
    }
    return true;
}

/* Do the numbers of an operand satisfy the condition on values? */
static inline bool elements_hold(const requirement_case *c, const ob_bound *bound, const ob_binding *bindings, size_t n) {
    int64_t lowest = INT64_MIN, highest = INT64_MAX;
    if (bound->lowest != OB_DIM_UNKNOWN)
        assert_int_equal(ob_dim_eval(c->model->dims, bound->lowest, bindings, n, &lowest), OB_OK);
    if (bound->highest != OB_DIM_UNKNOWN)
        assert_int_equal(ob_dim_eval(c->model->dims, bound->highest, bindings, n, &highest), OB_OK);
    for (size_t g = 0; g < c->n_given; g++) {
        const verdict_operand *o = &c->trial.operands[c->operand_of[g]];
        if (c->given[g].input != bound->input) continue;
        for (int64_t k = 0; k < o->n_elems; k++)
            if (is_in_part(c, bound, o, k, bindings, n) && (o->elems[k] < lowest || o->elems[k] > highest)) return false;
    }
    return true;
}

static inline bool values_hold(const requirement_case *c, const inferred *open) {
    ob_binding bindings[26];
    const size_t n = case_bindings(c, bindings);
    for (uint32_t i = 0; i < open->facts.n_bounds; i++) {
        const ob_requirement *r = &open->facts.bounds[i];
        if (ob__guard_eval(c->model->dims, r->guard, bindings, n) == OB_TRUE && !elements_hold(c, r->bound, bindings, n))
            return false;
    }
    return true;
}

static inline void print_pattern(const verdict_size *sizes, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        if (sizes[i].factor != 1 || !sizes[i].letter) printf(" %lld", (long long)sizes[i].factor);
        if (sizes[i].letter) printf("%s%c", sizes[i].factor == 1 ? " " : "", sizes[i].letter);
        if (sizes[i].more) printf("%+lld", (long long)sizes[i].more);
    }
}

static inline void print_case(const requirement_case *c, const inferred *open, const char *what) {
    printf("%s\n  ", what);
    print_trial(&c->trial);
    printf("  open:");
    for (int letter = 0; letter < 26; letter++)
        if (c->symbolic >> letter & 1) printf(" %c=%lld", 'A' + letter, (long long)c->trial.sizes[letter]);
    printf(", contents hidden %x, ranks %x\n", c->hidden, c->rankless);
    for (uint32_t i = 0; i < c->trial.n; i++) {
        const verdict_operand *o = &c->trial.operands[i];
        printf("  operand %u:", i);
        if (o->given) print_pattern(o->pattern, o->rank);
        printf(o->given && o->n_elems >= 0 ? " =" : "");
        if (o->given) print_pattern(o->elem_pattern, o->n_elems);
        printf("\n");
    }
    for (uint32_t i = 0; i < open->facts.n_conditions; i++) {
        char text[200], guard[200] = "";
        const ob_requirement *r = &open->facts.conditions[i];
        ob_condition_format(c->model->dims, &r->condition, text, sizeof text);
        if (r->guard) ob_dim_format(c->model->dims, r->guard->term, guard, sizeof guard);
        printf("  requires %s%s%s\n", text, r->guard ? " where " : "", guard);
    }
    for (uint32_t i = 0; i < open->facts.n_unverified; i++) printf("  unverified: %s\n", open->facts.unverified[i].reason);
    if (open->n_errors) printf("  error: %s\n", open->error);
}

/* Do the terms evaluate to the numbers? An open size may be unknown. */
static inline bool same_sizes(const requirement_case *c, const ob_dim *terms, const ob_dim *numbers, size_t n,
                              requirement_tally *tally) {
    ob_binding bindings[26];
    size_t n_bindings = case_bindings(c, bindings);
    for (size_t i = 0; i < n; i++) {
        int64_t size;
        if (!ob_dim_is_const(numbers[i])) continue;
        if (terms[i] == OB_DIM_UNKNOWN || ob_dim_eval(c->model->dims, terms[i], bindings, n_bindings, &size) != OB_OK) {
            tally->n_sizes_open++;
            continue;
        }
        tally->n_sizes++;
        if (size == numbers[i]) continue;
        char text[200];
        ob_dim_format(c->model->dims, terms[i], text, sizeof text);
        printf("entry %zu is %s, which gives %lld and not %lld\n", i, text, (long long)size, (long long)numbers[i]);
        return false;
    }
    return true;
}

static inline bool same_results(const requirement_case *c, const inferred *open, const inferred *closed,
                                requirement_tally *tally) {
    for (uint32_t i = 0; i < c->node->n_outputs; i++) {
        const ob_fact *terms = ob__fact(&open->facts, c->node->outputs[i]);
        const ob_fact *numbers = ob__fact(&closed->facts, c->node->outputs[i]);
        ob_shape a = terms->type.shape, b = numbers->type.shape;
        if (a.rank >= 0 && b.rank >= 0) {
            if (a.rank != b.rank) {
                printf("rank %d, and %d with numbers\n", a.rank, b.rank);
                return false;
            }
            if (!same_sizes(c, a.dims, b.dims, (size_t)a.rank, tally)) return false;
        }
        ob_content x = terms->content, y = numbers->content;
        if (x.elems && y.elems && (x.n != y.n || !same_sizes(c, x.elems, y.elems, x.n, tally))) return false;
    }
    return true;
}

/* Does a target of Reshape have an open size that is -1 here, or 0 with an operand of unknown rank? The result then has the
 * remaining or the copied size, but a clause requires the size of the target. */
static inline bool copies_for_zero(const requirement_case *c) {
    const verdict_operand *target = &c->trial.operands[1];
    if (strcmp(c->trial.row->op_type, "Reshape") != 0) return false;
    for (int64_t k = 0; k < target->n_elems; k++)
        if ((target->elems[k] == -1 || (target->elems[k] == 0 && c->rankless & 1)) &&
            c->symbolic & letter_bit(target->elem_pattern[k]))
            return true;
    return false;
}

/* False: one answer contradicts the other. */
static inline bool compare_at(requirement_case *c, const inferred *open, requirement_tally *tally) {
    inferred closed;
    char condition[200] = "";
    bool unverified = open->facts.n_unverified > 0, agree = true;
    ob_truth admits = open->n_errors ? OB_FALSE : conditions_hold(c, open, condition, sizeof condition);
    for (uint32_t i = 0; i < c->trial.n; i++) resolve_operand(&c->trial, &c->trial.operands[i]);
    if (admits != OB_FALSE && !values_hold(c, open)) {
        admits = OB_FALSE;
        snprintf(condition, sizeof condition, "a condition on values");
    }
    infer_requirements(c, false, &closed);
    if (closed.n_errors == 0 && admits == OB_FALSE && copies_for_zero(c)) {
        tally->n_copied++;
    } else if (closed.n_errors == 0 && admits == OB_FALSE) {
        print_case(c, open, "runs with these numbers, but is excluded");
        printf("  by %s\n", open->n_errors ? open->error : condition);
        agree = false;
    } else if (closed.n_errors && admits == OB_TRUE && !unverified) {
        print_case(c, open, "fails with these numbers, but is admitted");
        printf("  with numbers: %s\n", closed.error);
        agree = false;
    } else if (closed.n_errors == 0 && !same_results(c, open, &closed, tally)) {
        print_case(c, open, "gives other sizes with numbers");
        agree = false;
    }
    tally->n_admitted += admits == OB_TRUE;
    tally->n_excluded += admits == OB_FALSE;
    tally->n_open += closed.n_errors && admits != OB_FALSE;
    release_inferred(&closed);
    return agree;
}

/* The requirements that the rule states; its row in requirements.def must list all of them. */
static inline bool states_what_is_listed(const requirement_case *c, const inferred *open, unsigned *stated) {
    const ob_rule_asks *asks = ob__rule_asks(c->node->op->infer);
    assert_non_null(asks);
    unsigned kinds = (open->facts.n_unverified ? OB_ASKS_OPEN : 0) | (open->facts.n_bounds ? OB_ASKS_VALUES : 0);
    for (uint32_t i = 0; i < open->facts.n_conditions; i++) kinds |= 1u << open->facts.conditions[i].condition.kind;
    *stated |= kinds;
    if (!(kinds & ~asks->kinds)) return true;
    print_case(c, open, "states what requirements.def does not list");
    return false;
}

static inline void run_requirement_trial(requirement_case *c, requirement_tally *tally) {
    static const int64_t sizes[] = {0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 6, 7, 8, 9, 16};
    enum { ASSIGNMENTS = 24 };
    inferred open;
    bool agree = true;
    make_requirement_model(c);
    infer_requirements(c, true, &open);
    tally->n_trials++;
    tally->n_unverified += open.facts.n_unverified > 0;
    agree = states_what_is_listed(c, &open, &tally->stated[c->trial.row - verdict_rows]);
    for (int k = 0; k < ASSIGNMENTS && agree; k++) {
        for (int letter = 0; letter < 26; letter++)
            if (c->symbolic >> letter & 1) c->trial.sizes[letter] = sizes[draw(&c->trial, sizeof sizes / sizeof sizes[0])];
        agree = compare_at(c, &open, tally);
    }
    tally->n_differ += !agree;
    release_inferred(&open);
    ob_model_close(&c->model);
}

/* Changed sizes may be open too: they get new letters. */
static inline void open_changed_sizes(verdict_trial *t) {
    char letter = 'Z';
    for (uint32_t i = 0; i < t->n; i++)
        for (int32_t a = 0; a < t->operands[i].rank; a++) {
            verdict_size *size = &t->operands[i].pattern[a];
            if (size->letter || t->operands[i].n_elems >= 0 || draw(t, 4)) continue;
            t->sizes[letter - 'A'] = size->factor;
            *size = (verdict_size){1, letter, 0};
            if (letter > 'V') letter--;
        }
}

static inline void run_requirement_row(const verdict_row *row, uint32_t n_trials, requirement_tally *tally) {
    requirement_case c = {.trial = {.row = row, .seed = 20240607}};
    verdict_trial *t = &c.trial;
    uint64_t n_differ = tally->n_differ;
    for (uint32_t trial = 0; trial < n_trials && tally->n_differ < n_differ + 3; trial++) {
        for (int letter = 0; letter < 26; letter++) t->sizes[letter] = draw(t, 6) ? 1 + draw(t, 3) : 0;
        draw_operands(t);
        draw_attributes(t);
        for (uint32_t n = draw(t, 3); n > 0; n--) change_operand(t);
        bool fits = true;
        for (uint32_t i = 0; i < t->n; i++) fits = fits && fit_contents(t, &t->operands[i]);
        if (!fits) continue;
        open_changed_sizes(t);
        for (uint32_t i = 0; i < t->n; i++) resolve_operand(t, &t->operands[i]);
        c.symbolic = possible_letters(&c) & (draw(t, 1u << 16) | draw(t, 1u << 16) << 10);
        c.hidden = draw(t, 4) ? 0 : 1u << draw(t, t->n);
        c.rankless = draw(t, 8) ? 0 : 1u << draw(t, t->n);
        c.hidden |= c.rankless;
        run_requirement_trial(&c, tally);
    }
    if (tally->n_differ > n_differ)
        printf("%s-%d: %llu differ\n", row->op_type, (int)row->opset, (unsigned long long)(tally->n_differ - n_differ));
}

#endif
