/* The names in a body and their values. */
#include <string.h>

#include "core/base/error.h"
#include "ops/body/read.h"

ob_body_name *ob__body_find_name(const ob_body_reader *r, const char *name) {
    for (uint32_t i = 0; i < r->n_names; i++)
        if (strcmp(r->names[i].name, name) == 0) return &r->names[i];
    return NULL;
}

ob_status ob__body_add_name(ob_body_reader *r, const char *name, ob_body_name **out) {
    if (r->n_names == OB_BODY_NAMES) return ob__body_wrong(r, "too many names");
    *out = &r->names[r->n_names++];
    memcpy((*out)->name, name, strlen(name) + 1);
    (*out)->input = (*out)->output = -1;
    return OB_OK;
}

ob_status ob__body_take_attribute(ob_body_reader *r, const ob_body_attribute **out) {
    char name[OB_BODY_NAME + 1];
    OB_TRY(ob__body_expect(r, "@"));
    OB_TRY(ob__body_take_name(r, name));
    for (uint32_t i = 0; i < r->n_attributes; i++)
        if (strcmp(r->attributes[i].name, name) == 0) {
            *out = &r->attributes[i];
            return OB_OK;
        }
    return ob__body_wrong(r, "an attribute that is not declared");
}

/* The value of an attribute: a number or a list. If it is missing, its default; without one, a term without value and literal. */
ob_status ob__body_attribute_term(const ob_body_reader *r, const ob_body_attribute *attribute, ob_term *out) {
    const ob_attribute *given = ob__node_attribute(r->writer.call, attribute->name);
    *out = attribute->otherwise;
    if (!given) return OB_OK;
    switch (given->type) {
    case OB_ATTR_INT: *out = ob__whole_term(given->u.i); return OB_OK;
    case OB_ATTR_FLOAT: *out = (ob_term){.is_literal = true, .number = (double)given->u.f}; return OB_OK;
    case OB_ATTR_FLOATS: *out = (ob_term){.is_literal = true, .reals = given->u.floats, .n = given->n}; return OB_OK;
    case OB_ATTR_INTS: *out = (ob_term){.is_literal = true, .list = given->u.ints, .n = given->n}; return OB_OK;
    default: *out = (ob_term){0}; return OB_OK;
    }
}

const char *ob__body_attribute_text(const ob_body_reader *r, const ob_body_attribute *attribute) {
    return ob__node_string(r->writer.call, attribute->name, attribute->text);
}

/* After an opening bracket: the number of the call's operand with that name; -1: omitted or unknown. */
static ob_status take_operand(ob_body_reader *r, int32_t *out) {
    char name[OB_BODY_NAME + 1];
    OB_TRY(ob__body_expect(r, "("));
    OB_TRY(ob__body_take_name(r, name));
    const ob_body_name *known = ob__body_find_name(r, name);
    if (!known || known->input < 0) return ob__body_wrong(r, "expected an operand");
    bool given = (uint32_t)known->input < r->writer.call->n_inputs && r->writer.call->inputs[known->input];
    *out = given ? known->input : -1;
    return OB_OK;
}

static ob_status must_know(const ob_body_reader *r, int32_t operand, bool known, const char *what) {
    OB_FAIL_IF(!r->skips && operand >= 0 && !known, r->writer.error, OB_E_UNSUPPORTED,
               "its body needs the %s of operand %d, which is not known", what, operand);
    return OB_OK;
}

ob_status ob__body_operand_rank(ob_body_reader *r, int64_t *out) {
    int32_t i = -1;
    OB_TRY(take_operand(r, &i));
    *out = i < 0 ? -1 : r->in_types[i].shape.rank;
    OB_TRY(must_know(r, i, *out != OB_RANK_UNKNOWN, "rank"));
    return ob__body_expect(r, ")");
}

ob_status ob__body_operand_type(ob_body_reader *r, int64_t *out) {
    int32_t i = -1;
    OB_TRY(take_operand(r, &i));
    *out = i < 0 ? OB_NONE : r->in_types[i].dtype;
    OB_TRY(must_know(r, i, *out != OB_NONE, "type"));
    return ob__body_expect(r, ")");
}

ob_status ob__body_operand_size(ob_body_reader *r, int64_t *out) {
    int32_t i;
    ob_term axis;
    OB_TRY(take_operand(r, &i));
    OB_TRY(ob__body_expect(r, ","));
    OB_TRY(ob__body_take_number(r, &axis));
    const ob_shape *shape = i < 0 ? NULL : &r->in_types[i].shape;
    ob_dim size = shape && axis.is_whole && axis.whole < shape->rank ? shape->dims[axis.whole] : OB_DIM_UNKNOWN;
    *out = ob_dim_is_const(size) ? size : 0;
    OB_TRY(must_know(r, i, ob_dim_is_const(size) && size != OB_DIM_UNKNOWN, "sizes"));
    return ob__body_expect(r, ")");
}

static ob_status take_axis(ob_body_reader *r, int64_t rank, int64_t *out) {
    ob_term axis;
    OB_TRY(ob__body_expect(r, ","));
    bool negative = ob__body_take(r, "-");
    OB_TRY(ob__body_take_number(r, &axis));
    *out = negative ? rank - axis.whole : axis.whole;
    return !r->skips && (*out < 0 || *out >= rank) ? ob__body_wrong(r, "no axis of the operand") : OB_OK;
}

ob_status ob__body_moved_axes(ob_body_reader *r, ob_term *out) {
    int32_t i = -1;
    int64_t from, to, *list = OB_ARENA_ARRAY(r->writer.scratch, int64_t, OB_BODY_LIST);
    if (!list) return OB_E_MEMORY;
    OB_TRY(take_operand(r, &i));
    int64_t rank = i < 0 ? 0 : r->in_types[i].shape.rank;
    OB_TRY(must_know(r, i, rank >= 0 && rank <= OB_BODY_LIST, "rank"));
    OB_TRY(take_axis(r, rank, &from));
    OB_TRY(take_axis(r, rank, &to));
    *out = (ob_term){.is_literal = true, .list = list};
    int64_t other = 0; /* all axes except `from`, in order */
    for (int64_t k = 0; k < rank && !r->skips; k++) {
        other += other == from && k != to;
        list[out->n++] = k == to ? from : other++;
    }
    return ob__body_expect(r, ")");
}

ob_status ob__body_inverse(ob_body_reader *r, ob_term *out) {
    const ob_body_attribute *attribute = NULL;
    ob_term perm;
    int64_t *list = OB_ARENA_ARRAY(r->writer.scratch, int64_t, OB_BODY_LIST);
    if (!list) return OB_E_MEMORY;
    OB_TRY(ob__body_expect(r, "("));
    OB_TRY(ob__body_take_attribute(r, &attribute));
    OB_TRY(ob__body_attribute_term(r, attribute, &perm));
    *out = (ob_term){.is_literal = true, .list = list};
    bool fits = perm.list && perm.n <= OB_BODY_LIST;
    for (uint32_t i = 0; fits && i < perm.n; i++) fits = perm.list[i] >= 0 && perm.list[i] < perm.n;
    OB_FAIL_IF(!fits && !r->skips, r->writer.error, OB_E_MODEL, "attribute %s does not number the axes", attribute->name);
    for (uint32_t i = 0; fits && i < perm.n; i++) list[perm.list[i]] = i;
    out->n = fits ? perm.n : 0;
    return ob__body_expect(r, ")");
}

/* A number, or an attribute that is a number. */
static ob_status take_element(ob_body_reader *r, ob_term *out) {
    const ob_body_attribute *attribute = NULL;
    if (!ob__body_next_is(r, "@")) return ob__body_take_number(r, out);
    OB_TRY(ob__body_take_attribute(r, &attribute));
    OB_TRY(ob__body_attribute_term(r, attribute, out));
    OB_FAIL_IF(!out->is_whole && !r->skips, r->writer.error, OB_E_MODEL, "attribute %s must be a whole number", attribute->name);
    return OB_OK;
}

ob_status ob__body_take_list(ob_body_reader *r, ob_term *out) {
    int64_t *list = OB_ARENA_ARRAY(r->writer.scratch, int64_t, OB_BODY_LIST);
    if (!list) return OB_E_MEMORY;
    *out = (ob_term){.is_literal = true, .list = list};
    OB_TRY(ob__body_expect(r, "["));
    while (!ob__body_take(r, "]")) {
        ob_term number = {0};
        bool negative = ob__body_take(r, "-");
        OB_TRY(take_element(r, &number));
        if ((!number.is_whole && !r->skips) || out->n == OB_BODY_LIST)
            return ob__body_wrong(r, "expected a short list of integers");
        list[out->n++] = negative ? -number.whole : number.whole;
        if (!ob__body_take(r, ",") && !ob__body_next_is(r, "]")) return ob__body_wrong(r, "] is missing");
    }
    return OB_OK;
}
