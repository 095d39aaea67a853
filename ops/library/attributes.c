/* Attributes of a library's operators: compared with the row's table, and read by the library. */
#include <string.h>

#include "ops/library/library.h"

enum { ANY_PHASE = OB_PHASE_SHAPE | OB_PHASE_PLAN | OB_PHASE_RUN };

static ob_attribute_type type_of(ob_attribute_kind kind) {
    switch (kind) {
    case OB_ATTRIBUTE_INT: return OB_ATTR_INT;
    case OB_ATTRIBUTE_REAL: return OB_ATTR_FLOAT;
    case OB_ATTRIBUTE_TEXT: return OB_ATTR_STRING;
    case OB_ATTRIBUTE_INTS: return OB_ATTR_INTS;
    case OB_ATTRIBUTE_REALS: return OB_ATTR_FLOATS;
    case OB_ATTRIBUTE_TEXTS: return OB_ATTR_STRINGS;
    }
    return OB_ATTR_UNDEFINED;
}

static const char *kind_text(ob_attribute_kind kind) {
    static const char *const texts[] = {
        "", "a whole number", "a float", "a string", "a list of whole numbers", "a list of floats", "a list of strings"};
    return texts[kind];
}

static const ob_operator_attribute *find_entry(const ob_operator *row, const char *name) {
    for (size_t i = 0; i < row->n_attributes; i++)
        if (strcmp(row->attributes[i].name, name) == 0) return &row->attributes[i];
    return NULL;
}

bool ob__library_attributes_fit(ob_infer *infer, const ob_operator *row, bool *open) {
    const ob_node *node = infer->node;
    *open = false;
    bool fit = true;
    for (uint32_t i = 0; i < node->n_attributes; i++) {
        const ob_attribute *attribute = node->attributes[i];
        const ob_operator_attribute *entry = find_entry(row, attribute->name);
        *open |= attribute->ref != NULL;
        if (!entry)
            ob__problem(infer, OB0602, -1, -1, "%s-%d has no attribute %.100s", row->name, (int)row->since, attribute->name);
        else if (!attribute->ref && attribute->type != type_of(entry->kind))
            ob__problem(infer, OB0602, -1, -1, "attribute %s of %s-%d must be %s", entry->name, row->name, (int)row->since,
                        kind_text(entry->kind));
        else
            continue;
        fit = false;
    }
    for (size_t i = 0; i < row->n_attributes; i++) {
        const ob_operator_attribute *entry = &row->attributes[i];
        if (!entry->required || ob__node_attribute(node, entry->name)) continue;
        ob__problem(infer, OB0602, -1, -1, "%s-%d needs the attribute %s", row->name, (int)row->since, entry->name);
        fit = false;
    }
    return fit;
}

/* The entry of the row's table, if the library asks for an attribute that it declared. *given: the node's attribute of that kind,
 * or NULL. */
static const ob_operator_attribute *look_up(ob_operator_call *call, const char *name, int kind, const char *function,
                                            const ob_attribute **given) {
    *given = NULL;
    ob_library_call *c = ob__library_call_of(call, ANY_PHASE, function);
    if (!c) return NULL;
    const ob_operator_attribute *entry = name ? find_entry(c->op->row, name) : NULL;
    if (!entry) {
        ob__library_misbehaves(c, "reads the attribute %.*s, which is not in its table", OB_OPERATOR_MAX_NAME,
                               name ? name : "NULL");
        return NULL;
    }
    if (kind && (int)entry->kind != kind) {
        ob__library_misbehaves(c, "reads the attribute %s with %s, but it is %s", entry->name, function, kind_text(entry->kind));
        return NULL;
    }
    const ob_attribute *attribute = ob__node_attribute(c->node, name);
    if (attribute && !attribute->ref && attribute->type == type_of(entry->kind)) *given = attribute;
    return entry;
}

bool ob__host_attribute_given(ob_operator_call *call, const char *name) {
    const ob_attribute *given;
    look_up(call, name, 0, "attribute_given", &given);
    return given != NULL;
}

int64_t ob__host_attribute_int(ob_operator_call *call, const char *name) {
    const ob_attribute *given;
    const ob_operator_attribute *entry = look_up(call, name, OB_ATTRIBUTE_INT, "attribute_int", &given);
    return given ? given->u.i : entry ? entry->integer : 0;
}

float ob__host_attribute_real(ob_operator_call *call, const char *name) {
    const ob_attribute *given;
    const ob_operator_attribute *entry = look_up(call, name, OB_ATTRIBUTE_REAL, "attribute_real", &given);
    return given ? given->u.f : entry ? entry->real : 0;
}

const char *ob__host_attribute_text(ob_operator_call *call, const char *name) {
    const ob_attribute *given;
    const ob_operator_attribute *entry = look_up(call, name, OB_ATTRIBUTE_TEXT, "attribute_text", &given);
    return given && given->u.s.data ? given->u.s.data : !given && entry && entry->text ? entry->text : "";
}

/* The entries of a list: from the node, or the default. */
static const void *list_of(const ob_operator_attribute *entry, const ob_attribute *given, const void *list, size_t *n) {
    size_t none;
    if (!n) n = &none;
    *n = 0;
    if (!entry) return NULL;
    *n = given ? given->n : entry->n;
    return *n == 0 ? NULL : given ? list : entry->list;
}

const int64_t *ob__host_attribute_ints(ob_operator_call *call, const char *name, size_t *n) {
    const ob_attribute *given;
    const ob_operator_attribute *entry = look_up(call, name, OB_ATTRIBUTE_INTS, "attribute_ints", &given);
    return list_of(entry, given, given ? given->u.ints : NULL, n);
}

const float *ob__host_attribute_reals(ob_operator_call *call, const char *name, size_t *n) {
    const ob_attribute *given;
    const ob_operator_attribute *entry = look_up(call, name, OB_ATTRIBUTE_REALS, "attribute_reals", &given);
    return list_of(entry, given, given ? given->u.floats : NULL, n);
}

const char *ob__host_attribute_text_at(ob_operator_call *call, const char *name, size_t index) {
    const ob_attribute *given;
    const ob_operator_attribute *entry = look_up(call, name, OB_ATTRIBUTE_TEXTS, "attribute_text_at", &given);
    if (given) return index < given->n ? given->u.strings[index].data : NULL;
    return entry && index < entry->n ? ((const char *const *)entry->list)[index] : NULL;
}
