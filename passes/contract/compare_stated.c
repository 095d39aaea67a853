/* Compares the contract stated in a model's metadata with the computed one. */
#include <string.h>

#include "core/base/error.h"
#include "passes/check/work.h"
#include "passes/contract/stated.h"

enum { MOST_ASKED = 64 }; /* limit of questions to the solver */

typedef struct claimed {
    ob_work *work;
    const ob_contract *found;
    ob_arena arena;
    ob_stated stated;
    ob_stated own; /* the contract that was found, as it would be stated */
} claimed;

/* more: a clause, the message of an error, or "". */
static ob_status tell(const claimed *c, const char *what, const char *more) {
    ob__findings_add(c->work->findings, OB0504, "the file's metadata %s%s%.300s", what, more[0] ? ": " : "", more);
    return c->work->findings->arena.failed ? OB_E_MEMORY : OB_OK;
}

/* The first of `goals` that does not follow from `given`, as far as that can be shown; n: all do. */
static ob_status first_that_is_new(claimed *c, const ob_stated *given, const ob_stated *goals, uint32_t *out) {
    ob_map lines;
    ob_clause *asked = OB_ARENA_ARRAY(&c->arena, ob_clause, MOST_ASKED);
    uint32_t index[MOST_ASKED], n = 0;
    ob_truth truths[MOST_ASKED];
    if (!asked) return OB_E_MEMORY;
    ob__map_init(&lines, &c->arena);
    for (uint32_t i = 0; i < given->n_clauses; i++)
        if (!ob__map_insert_borrowed(&lines, given->lines[i], strlen(given->lines[i]))) return OB_E_MEMORY;
    *out = goals->n_clauses;
    for (uint32_t i = 0; i < goals->n_clauses; i++) {
        if (ob__map_find(&lines, goals->lines[i], strlen(goals->lines[i]))) continue;
        if (n == MOST_ASKED) {
            *out = i;
            break;
        }
        asked[n] = goals->clauses[i];
        index[n++] = i;
    }
    if (n > 0) OB_TRY(ob__implied_all(c->work->model->dims, given->clauses, given->n_clauses, asked, n, &c->arena, truths));
    for (uint32_t i = n; i-- > 0;)
        if (truths[i] != OB_TRUE) *out = index[i];
    return OB_OK;
}

/* The first condition on values of `goals` that is not in `given`, compared as text; NULL: none.
 */
static ob_status first_new_value(claimed *c, const ob_stated *given, const ob_stated *goals, const char **out) {
    ob_map lines;
    ob__map_init(&lines, &c->arena);
    *out = NULL;
    for (uint32_t i = 0; i < given->n_values; i++)
        if (!ob__map_insert_borrowed(&lines, given->values[i], strlen(given->values[i]))) return OB_E_MEMORY;
    for (uint32_t i = 0; i < goals->n_values && !*out; i++)
        if (!ob__map_find(&lines, goals->values[i], strlen(goals->values[i]))) *out = goals->values[i];
    return OB_OK;
}

/* *Reports that they differ. */
static ob_status compare_values(claimed *c, bool *told) {
    const char *line;
    *told = true;
    OB_TRY(first_new_value(c, &c->own, &c->stated, &line));
    if (line) return tell(c, "states a condition on values that the model does not have", line);
    OB_TRY(first_new_value(c, &c->stated, &c->own, &line));
    if (line && c->stated.speaks_of_values && c->stated.n_left_out == 0)
        return tell(c, "omits a condition on values of the model", line);
    *told = false;
    return OB_OK;
}

static ob_status compare(claimed *c) {
    bool told;
    uint32_t at;
    const ob_stated *stated = &c->stated, *own = &c->own;
    if (stated->status == OB_CONTRACT_CONTRADICTORY || own->status == OB_CONTRACT_CONTRADICTORY)
        return stated->status == own->status ? OB_OK : tell(c, "states a different contract", "");
    OB_TRY(first_that_is_new(c, own, stated, &at));
    if (at < stated->n_clauses) return tell(c, "states a clause that the model's contract does not have", stated->lines[at]);
    OB_TRY(first_that_is_new(c, stated, own, &at));
    if (at < own->n_clauses && stated->n_left_out == 0) return tell(c, "omits a clause of the model's contract", own->lines[at]);
    OB_TRY(compare_values(c, &told));
    if (told) return OB_OK;
    if (stated->status == OB_CONTRACT_COMPLETE && own->status != OB_CONTRACT_COMPLETE)
        return tell(c, "states a complete contract, but the model's contract is partial", "");
    return OB_OK;
}

static ob_status judge(claimed *c, const char *text) {
    ob_dims *dims = c->work->model->dims;
    const char *own;
    ob_error error;
    ob_error_clear(&error);
    OB_TRY(ob__stated_text(c->work->model->dims, c->work->facts, c->found, &c->arena, &own));
    if (strcmp(own, text) == 0) return OB_OK;
    ob_status status = ob__stated_read(text, dims, true, &c->arena, &c->stated, &error);
    if (status == OB_E_MEMORY) return status;
    if (status != OB_OK) return tell(c, "states a contract that cannot be read", error.message);
    OB_TRY(ob__stated_read(own, dims, true, &c->arena, &c->own, NULL));
    return compare(c);
}

ob_status ob__contract_compare_stated(ob_work *work, const ob_contract *contract) {
    const ob_propagate_options *given = work->given;
    const char *text = ob_model_metadata(work->model, OB_CONTRACT_KEY);
    /* With sizes or assumptions of the user another contract was requested. */
    if (!text || work->n_assumed || (given && (given->n_bindings || given->n_inputs))) return OB_OK;
    claimed c = {.work = work, .found = contract};
    ob__arena_init(&c.arena, &work->model->arena.allocator);
    return ob__arena_finish(&c.arena, judge(&c, text));
}
