/* Compares two checked models. */
#include <string.h>

#include "core/base/error.h"
#include "core/dims/terms.h"
#include "passes/compare/comparing.h"
#include "passes/format/output.h"

const char *ob_change_kind_name(ob_change_kind kind) {
    static const char *const names[] = {"input",   "output",    "contract",     "values",      "broadcast",
                                        "finding", "operators", "weight bytes", "copied bytes"};
    _Static_assert(sizeof names / sizeof *names == OB_CHANGE_KIND_COUNT, "each kind has a name");
    return (unsigned)kind < OB_CHANGE_KIND_COUNT ? names[kind] : "";
}

const char *ob_relation_name(ob_relation relation) {
    static const char *const names[] = {"equal", "wider", "narrower", "neither", "unknown"};
    return (unsigned)relation < sizeof names / sizeof *names ? names[relation] : "";
}

/* ---- Shared by the parts ---- */

ob_status ob__change_add(ob_comparing *c, const ob_change *change) {
    ob_comparison *result = c->result;
    if (result->n_changes == result->capacity) {
        const size_t capacity = result->capacity ? 2 * result->capacity : 16;
        ob_change *changes = OB_ARENA_ARRAY(c->arena, ob_change, capacity);
        if (!changes) return OB_E_MEMORY;
        if (result->n_changes) memcpy(changes, result->changes, result->n_changes * sizeof *changes);
        result->changes = changes;
        result->capacity = capacity;
    }
    result->changes[result->n_changes++] = *change;
    return OB_OK;
}

const ob_type *ob__compared_fact(const ob_comparing *c, int which, const ob_value *value) {
    return &ob__fact(&c->reports[which]->facts, value)->type;
}

const ob_value *ob__compared_find(ob_value *const *values, uint32_t n, const char *name) {
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(values[i]->name, name) == 0) return values[i];
    return NULL;
}

const char *ob__compared_type(ob_comparing *c, int which, const ob_value *value) {
    const ob_type *type = ob__compared_fact(c, which, value);
    const ob_dims *dims = c->reports[which]->model->dims;
    static const char *const kinds[] = {
        [OB_TYPE_UNKNOWN] = "unknown",   [OB_TYPE_TENSOR] = "",           [OB_TYPE_SPARSE_TENSOR] = "sparse ",
        [OB_TYPE_SEQUENCE] = "sequence", [OB_TYPE_OPTIONAL] = "optional", [OB_TYPE_MAP] = "map"};
    ob_text text;
    ob__text_init(&text, &c->result->allocator);
    ob__text_puts(&text, kinds[type->kind]);
    if (type->kind == OB_TYPE_TENSOR || type->kind == OB_TYPE_SPARSE_TENSOR) {
        char size[120];
        ob__text_puts(&text, type->dtype == OB_NONE ? "?" : ob_dtype_name(type->dtype));
        if (type->shape.rank == OB_RANK_UNKNOWN) ob__text_puts(&text, "[...]");
        for (int32_t axis = 0; axis < type->shape.rank; axis++) {
            ob__dim_shown(dims, type->shape.dims[axis], size, sizeof size);
            ob__text_printf(&text, "%s%s", axis ? ", " : "[", type->shape.dims[axis] == OB_DIM_UNKNOWN ? "?" : size);
        }
        if (type->shape.rank > 0) ob__text_puts(&text, "]");
    }
    const char *kept = text.failed ? NULL : ob__arena_strndup(c->arena, text.n ? text.data : "", text.n);
    ob__text_release(&text);
    return kept;
}

/* ---- The whole ---- */

/* Breaking changes first; both parts stay in their order, which is by kind. */
static ob_status sort_changes(ob_comparing *c) {
    ob_comparison *result = c->result;
    ob_change *sorted = OB_ARENA_ARRAY(c->arena, ob_change, result->n_changes);
    size_t n = 0;
    if (result->n_changes && !sorted) return OB_E_MEMORY;
    for (int breaking = 1; breaking >= 0; breaking--) {
        for (size_t i = 0; i < result->n_changes; i++)
            if (result->changes[i].breaking == (breaking == 1)) sorted[n++] = result->changes[i];
        if (breaking) result->info.n_breaking = n;
    }
    result->changes = sorted;
    result->info.compatible = result->info.n_breaking == 0;
    return OB_OK;
}

ob_status ob__comparing_begin(ob_comparing *c, ob_comparison *result, ob_report *before, ob_report *after) {
    *c = (ob_comparing){.result = result, .arena = &result->arena, .reports = {before, after}};
    OB_TRY(ob_dims_create(&result->allocator, &c->dims));
    return ob__compare_places(c);
}

void ob__comparing_end(ob_comparing *c) {
    ob_dims_destroy(&c->dims);
}

static ob_status compare(ob_comparing *c) {
    OB_TRY(ob__compare_signatures(c));
    OB_TRY(ob__compare_contracts(c));
    OB_TRY(ob__compare_values(c));
    OB_TRY(ob__compare_broadcasts(c));
    OB_TRY(ob__compare_findings(c));
    OB_TRY(ob__compare_counts(c));
    return sort_changes(c);
}

ob_status ob_compare(ob_report *before, ob_report *after, ob_comparison **out, ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!before || !after || !out, error, OB_E_ARGUMENT, "ob_compare: reports and out must not be NULL");
    const ob_allocator allocator = before->allocator;
    ob_comparison *result = allocator.alloc(allocator.context, sizeof *result);
    OB_FAIL_IF(!result, error, OB_E_MEMORY, "out of memory");
    *result = (ob_comparison){.allocator = allocator};
    ob__arena_init(&result->arena, &result->allocator);
    result->info.reason = "";
    ob_comparing c;
    ob_status status = ob__comparing_begin(&c, result, before, after);
    if (status == OB_OK) status = compare(&c);
    if (status == OB_OK && ob_dims_status(c.dims) == OB_E_MEMORY) status = OB_E_MEMORY;
    ob__comparing_end(&c);
    if (status != OB_OK) {
        ob_comparison_close(&result);
        return ob__described(error, status, "");
    }
    *out = result;
    return OB_OK;
}

void ob_comparison_close(ob_comparison **comparison) {
    if (!comparison || !*comparison) return;
    ob_comparison *closing = *comparison;
    *comparison = NULL;
    ob__arena_release(&closing->arena);
    const ob_allocator allocator = closing->allocator;
    allocator.free(allocator.context, closing, sizeof *closing);
}

ob_comparison_info ob_comparison_get_info(const ob_comparison *comparison) {
    return comparison ? comparison->info : (ob_comparison_info){.contract = OB_RELATION_UNKNOWN, .reason = ""};
}

size_t ob_comparison_change_count(const ob_comparison *comparison) {
    return comparison ? comparison->n_changes : 0;
}

ob_change ob_comparison_change(const ob_comparison *comparison, size_t index) {
    if (!comparison || index >= comparison->n_changes) return (ob_change){.name = "", .before = "", .after = "", .text = ""};
    return comparison->changes[index];
}

/* ---- JSON ---- */

static void put_witness(ob_output *out, const char *name, const ob_comparison_witness *witness) {
    ob__out_key(out, name);
    if (!witness->clause) {
        ob__out(out, "null");
        return;
    }
    ob__out(out, "{\"sizes\":{");
    for (size_t i = 0; i < witness->n_sizes; i++) {
        if (i) ob__out_char(out, ',');
        ob__out_string(out, witness->sizes[i].name);
        ob__outf(out, ":%lld", (long long)witness->sizes[i].size);
    }
    ob__out_char(out, '}');
    ob__out_field(out, "excluded_by", witness->clause);
    ob__out_char(out, '}');
}

ob_status ob_comparison_to_json(const ob_comparison *comparison, ob_write_sink sink, void *context, ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!comparison || !sink, error, OB_E_ARGUMENT, "ob_comparison_to_json: comparison and sink must not be NULL");
    const ob_comparison_info *info = &comparison->info;
    ob_output out;
    ob__output_init(&out, &comparison->allocator, sink, context);
    ob__outf(&out, "{\"compatible\":%s,\"contract\":{\"relation\":\"%s\"", info->compatible ? "true" : "false",
             ob_relation_name(info->contract));
    ob__out_field(&out, "reason", info->reason);
    put_witness(&out, "only_old", &info->only_old);
    put_witness(&out, "only_new", &info->only_new);
    ob__out(&out, "},\n\"changes\":[");
    for (size_t i = 0; i < comparison->n_changes; i++) {
        const ob_change *change = &comparison->changes[i];
        ob__outf(&out, "%s\n{\"kind\":\"%s\",\"breaking\":%s", i ? "," : "", ob_change_kind_name(change->kind),
                 change->breaking ? "true" : "false");
        ob__out_field(&out, "name", change->name);
        ob__out_field(&out, "before", change->before);
        ob__out_field(&out, "after", change->after);
        ob__out_field(&out, "text", change->text);
        ob__out_char(&out, '}');
    }
    ob__out(&out, "]}");
    return ob__described(error, ob__output_end(&out), "");
}
