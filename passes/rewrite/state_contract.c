/* Writes the contract of a rewritten model into its metadata. */
#include <string.h>

#include "core/base/error.h"
#include "passes/contract/stated.h"
#include "passes/rewrite/rewriting.h"

/* Of the model as it is, where no comparison has made it. */
static ob_status text_of_model(ob_rewriting *rewriting, const char **out) {
    const ob_allocator *allocator = &rewriting->work->model->arena.allocator;
    const ob_propagate_options options = {.solved = true};
    ob_facts facts;
    ob_contract contract;
    ob__facts_init(&facts, allocator);
    ob__contract_init(&contract, allocator);
    ob_status status = ob__propagate(rewriting->work->model, &options, &facts, NULL);
    if (status == OB_OK) status = ob__contract_make(rewriting->work->model, &facts, NULL, 0, &contract);
    if (status == OB_OK)
        status = ob__stated_text(rewriting->work->model->dims, &facts, &contract, &rewriting->keeping.arena, out);
    ob__contract_release(&contract);
    ob__facts_release(&facts);
    return status;
}

/* In place of the first entry with the key; others with it go. */
static ob_status set_entry(ob_model *model, const char *value, ob_journal *journal) {
    ob_key_value *entries = OB_ARENA_ARRAY(&model->arena, ob_key_value, (size_t)model->n_metadata + 1);
    ob_key_value own = {ob__intern(model, OB_CONTRACT_KEY, strlen(OB_CONTRACT_KEY)),
                        ob__arena_strndup(&model->arena, value, strlen(value))};
    if (!entries || !own.key || !own.value || !ob__journal_save(journal, &model->metadata, sizeof model->metadata) ||
        !ob__journal_save(journal, &model->n_metadata, sizeof model->n_metadata))
        return OB_E_MEMORY;
    uint32_t n = 0;
    bool placed = false;
    for (uint32_t i = 0; i < model->n_metadata; i++) {
        bool is_own = strcmp(model->metadata[i].key, OB_CONTRACT_KEY) == 0;
        if (is_own && placed) continue;
        entries[n++] = is_own ? own : model->metadata[i];
        placed |= is_own;
    }
    if (!placed) entries[n++] = own;
    model->metadata = entries;
    model->n_metadata = n;
    return OB_OK;
}

/* Do both texts state the same clauses, in any order of clauses and alternatives? The order depends on the order in which terms
 * were made, which may change when the model is read again. */
static ob_status states_the_same(ob_model *model, const char *a, const char *b, bool *same) {
    ob_dims *dims = NULL;
    ob_arena arena;
    ob_stated stated[2];
    ob__arena_init(&arena, &model->arena.allocator);
    ob_status status = ob_dims_create(&model->arena.allocator, &dims);
    *same = false;
    if (status == OB_OK) status = ob__stated_read(a, dims, false, &arena, &stated[0], NULL);
    if (status == OB_OK) status = ob__stated_read(b, dims, false, &arena, &stated[1], NULL);
    if (status == OB_OK) status = ob__stated_equal(dims, &stated[0], &stated[1], &arena, same);
    ob_dims_destroy(&dims);
    ob__arena_release(&arena);
    return status == OB_E_MEMORY ? status : OB_OK; /* an unreadable text is replaced */
}

ob_status ob__pass_state_contract(ob_rewriting *rewriting) {
    const char *text = rewriting->keeping.contract_text;
    if (!text) OB_TRY(text_of_model(rewriting, &text));
    const char *old = ob_model_metadata(rewriting->work->model, OB_CONTRACT_KEY);
    bool same = old && strcmp(old, text) == 0;
    if (old && !same) OB_TRY(states_the_same(rewriting->work->model, old, text, &same));
    return same ? OB_OK : set_entry(rewriting->work->model, text, &rewriting->journal);
}
