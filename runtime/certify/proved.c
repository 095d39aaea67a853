#include "runtime/certify/proved.h"

#include "core/base/error.h"
#include "passes/compare/classes.h"
#include "passes/compare/same.h"

static void put_lemmas(ob_output *out, uint32_t lemmas) {
    static const char *const names[] = {
#define OB_LEMMA_NAME(name, text) text,
        OB_LEMMA_LIST(OB_LEMMA_NAME)
#undef OB_LEMMA_NAME
    };
    bool any = false;
    ob__out_key(out, "lemmas");
    ob__out_char(out, '[');
    for (uint32_t i = 0; i < OB_LEMMA_COUNT; i++) {
        if (!(lemmas >> i & 1)) continue;
        if (any) ob__out_char(out, ',');
        ob__out_string(out, names[i]);
        any = true;
    }
    ob__out_char(out, ']');
}

static void put_output(ob_output *out, const ob_compared_value *value) {
    static const char *const evidence[] = {
        [OB_SHAPE_OPEN] = "runs only", [OB_SHAPE_TERMS] = "equal terms", [OB_SHAPE_VALUE] = "equal values"};
    ob__out(out, "\n{\"name\":");
    ob__out_string(out, value->name);
    ob__out_field(out, "shape", evidence[value->shape]);
    if (value->shape == OB_SHAPE_OPEN) ob__out_field(out, "why_shape", value->why_shape);
    ob__out_field(out, "elements", value->equal ? "proved" : "runs only");
    if (value->equal)
        put_lemmas(out, value->lemmas);
    else
        ob__out_field(out, "why_elements", value->why);
    ob__out_char(out, '}');
}

/* Counts. */
static void count(const ob_compared_values *values, ob_certificate_info *info) {
    for (size_t i = 0; i < values->n; i++) {
        const ob_compared_value *value = &values->items[i];
        const bool shape = value->shape != OB_SHAPE_OPEN;
        info->n_outputs += value->is_output;
        info->n_output_shapes += value->is_output && shape;
        info->n_output_elements += value->is_output && value->equal;
        info->n_values += !value->is_output;
        info->n_value_shapes += !value->is_output && shape;
        info->n_value_elements += !value->is_output && value->equal;
    }
}

ob_status ob__certify_put_proved(ob_output *out, ob_report *before, ob_report *after, ob_certificate_info *info) {
    ob_compared_values values = {0};
    ob_arena arena;
    ob__arena_init(&arena, ob_allocator_default());
    const ob_status status = ob__compare_main_values(before, after, &arena, &values);
    if (status == OB_OK) {
        count(&values, info);
        ob__out(out, "{\"outputs\":[");
        for (size_t i = 0; i < values.n; i++) {
            if (!values.items[i].is_output) continue;
            if (i) ob__out_char(out, ',');
            put_output(out, &values.items[i]);
        }
        ob__outf(out, "],\n\"inner\":{\"values\":%zu,\"shapes\":%zu,\"elements\":%zu}}", info->n_values, info->n_value_shapes,
                 info->n_value_elements);
    }
    ob__arena_release(&arena);
    return status;
}
