#include "ops/table/attributes.h"

#include <float.h>
#include <string.h>

#include "core/base/text.h"
#include "ops/table/op.h"
#include "ops/table/select.h"

/* ---- The lists of attributes.def ---- */

#define KIND_INT    OB_ATTR_INT
#define KIND_FLOAT  OB_ATTR_FLOAT
#define KIND_TEXT   OB_ATTR_STRING
#define KIND_INTS   OB_ATTR_INTS
#define KIND_FLOATS OB_ATTR_FLOATS
#define KIND_TEXTS  OB_ATTR_STRINGS
#define KIND_TENSOR OB_ATTR_TENSOR
#define KIND_SPARSE OB_ATTR_SPARSE_TENSOR
#define KIND_GRAPH  OB_ATTR_GRAPH
#define KIND_TYPE   OB_ATTR_TYPE_PROTO

#define LIST(type_, ...) .list = (const type_[]){__VA_ARGS__}, .n = sizeof(const type_[]){__VA_ARGS__} / sizeof(type_)

#define NEEDED(kind_, name_)                                                                                                     \
    { .name = #name_, .type = KIND_##kind_, .needed = true }
#define ONE(kind_, name_)                                                                                                        \
    { .name = #name_, .type = KIND_##kind_, .one = true }
#define OPEN(kind_, name_)                                                                                                       \
    { .name = #name_, .type = KIND_##kind_ }
#define INT(name_, default_)                                                                                                     \
    { .name = #name_, .type = OB_ATTR_INT, .has_default = true, .i = default_ }
#define RANGE(name_, default_, least_, most_)                                                                                    \
    { .name = #name_, .type = OB_ATTR_INT, .has_default = true, .i = default_, .least = least_, .most = most_ }
#define FLAG(name_, default_) RANGE(name_, default_, 0, 1)
#define FLAG_NEEDED(name_)                                                                                                       \
    { .name = #name_, .type = OB_ATTR_INT, .needed = true, .least = 0, .most = 1 }
#define FLOAT(name_, default_)                                                                                                   \
    { .name = #name_, .type = OB_ATTR_FLOAT, .has_default = true, .f = default_ }
#define TEXT(name_, default_)                                                                                                    \
    { .name = #name_, .type = OB_ATTR_STRING, .has_default = true, .text = default_ }
#define WORD(name_, default_, words_)                                                                                            \
    { .name = #name_, .type = OB_ATTR_STRING, .has_default = true, .text = default_, .words = words_ }
#define WORD_NEEDED(name_, words_)                                                                                               \
    { .name = #name_, .type = OB_ATTR_STRING, .needed = true, .words = words_ }
#define INTS(name_, ...)                                                                                                         \
    { .name = #name_, .type = OB_ATTR_INTS, .has_default = true, LIST(int64_t, __VA_ARGS__) }
#define TEXTS(name_, ...)                                                                                                        \
    { .name = #name_, .type = OB_ATTR_STRINGS, .has_default = true, LIST(char *, __VA_ARGS__) }

#define OB_ATTRIBUTES(name_, ...)                                                                                                \
    OB_IF_ATTRIBUTES(name_)                                                                                                      \
    (extern const ob_op_attribute ob__attributes_##name_[];                                                                      \
     const ob_op_attribute ob__attributes_##name_[] = {__VA_ARGS__, {.name = NULL}};)
#include "ops/table/attributes.def"
#undef OB_ATTRIBUTES

extern const ob_op_attribute ob__attributes_none[];
const ob_op_attribute ob__attributes_none[] = {{.name = NULL}};

const ob_op_attribute *ob__op_attribute(const ob_op *op, const char *name) {
    for (const ob_op_attribute *row = op ? op->attributes : NULL; row && row->name; row++)
        if (strcmp(row->name, name) == 0) return row;
    return NULL;
}

/* ---- Reading ---- */

/* row: the entry of the attribute if it has a default, or NULL. */
static const ob_attribute *read(const ob_node *node, const char *name, ob_attribute_type type, const ob_op_attribute **row) {
    const ob_op_attribute *entry = ob__op_attribute(node->op, name);
    *row = entry && entry->type == type && entry->has_default ? entry : NULL;
    if (node->op && node->op->attributes && !entry) return NULL;
    const ob_attribute *given = ob__node_attribute(node, name);
    return given && given->type == type && !given->ref ? given : NULL;
}

int64_t ob__attribute_int_or(const ob_node *node, const char *name, int64_t otherwise) {
    const ob_op_attribute *row;
    const ob_attribute *given = read(node, name, OB_ATTR_INT, &row);
    return given ? given->u.i : row ? row->i : otherwise;
}

int64_t ob__attribute_int(const ob_node *node, const char *name) {
    return ob__attribute_int_or(node, name, 0);
}

float ob__attribute_float_or(const ob_node *node, const char *name, float otherwise) {
    const ob_op_attribute *row;
    const ob_attribute *given = read(node, name, OB_ATTR_FLOAT, &row);
    return given ? given->u.f : row ? row->f : otherwise;
}

float ob__attribute_float(const ob_node *node, const char *name) {
    return ob__attribute_float_or(node, name, 0);
}

const char *ob__attribute_text(const ob_node *node, const char *name) {
    const ob_op_attribute *row;
    const ob_attribute *given = read(node, name, OB_ATTR_STRING, &row);
    if (given && given->u.s.data && (given->u.s.n > 0 || !row || !row->words)) return given->u.s.data;
    return row && row->text ? row->text : "";
}

ob_ints ob__attribute_ints(const ob_node *node, const char *name) {
    static const int64_t none[1] = {0};
    const ob_op_attribute *row;
    const ob_attribute *given = read(node, name, OB_ATTR_INTS, &row);
    if (given) return (ob_ints){given->n ? given->u.ints : none, given->n, true};
    return row ? (ob_ints){row->list, row->n, true} : (ob_ints){0};
}

ob_graph *ob__attribute_graph(const ob_node *node, const char *name) {
    const ob_attribute *attribute = ob__node_attribute(node, name);
    return attribute && attribute->type == OB_ATTR_GRAPH && !attribute->ref ? attribute->u.graph : NULL;
}

const int64_t *ob__attribute_list(const ob_node *node, const char *name, uint32_t *n) {
    const ob_ints list = ob__attribute_ints(node, name);
    *n = list.n;
    return list.at;
}

/* ---- Checking ---- */

static const char *const type_texts[OB_ATTR_COUNT] = {
    [OB_ATTR_UNDEFINED] = "of no type",
    [OB_ATTR_FLOAT] = "a float",
    [OB_ATTR_INT] = "a whole number",
    [OB_ATTR_STRING] = "a string",
    [OB_ATTR_TENSOR] = "a tensor",
    [OB_ATTR_GRAPH] = "a graph",
    [OB_ATTR_FLOATS] = "a list of floats",
    [OB_ATTR_INTS] = "a list of whole numbers",
    [OB_ATTR_STRINGS] = "a list of strings",
    [OB_ATTR_TENSORS] = "a list of tensors",
    [OB_ATTR_GRAPHS] = "a list of graphs",
    [OB_ATTR_SPARSE_TENSOR] = "a sparse tensor",
    [OB_ATTR_SPARSE_TENSORS] = "a list of sparse tensors",
    [OB_ATTR_TYPE_PROTO] = "a type",
    [OB_ATTR_TYPE_PROTOS] = "a list of types",
};

static const char *type_text(ob_attribute_type type) {
    return (unsigned)type < OB_ATTR_COUNT ? type_texts[type] : type_texts[OB_ATTR_UNDEFINED];
}

enum { LONGEST = 40 }; /* the longest name that is compared; no attribute of an operator has a longer one */

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* The edit distance from `a` to `b` (insertions, deletions, replacements), ignoring case; LONGEST if it is certainly large. */
static uint32_t distance(const char *a, const char *b) {
    const size_t n_a = strnlen(a, LONGEST + 1), n_b = strnlen(b, LONGEST + 1);
    uint32_t row[LONGEST + 1];
    if (n_a > LONGEST || n_b > LONGEST) return LONGEST;
    for (uint32_t k = 0; k <= n_b; k++) row[k] = k;
    for (uint32_t i = 1; i <= n_a; i++) {
        uint32_t diagonal = row[0];
        row[0] = i;
        for (uint32_t k = 1; k <= n_b; k++) {
            uint32_t best = diagonal + (lower(a[i - 1]) != lower(b[k - 1]));
            diagonal = row[k];
            if (row[k] + 1 < best) best = row[k] + 1;
            if (row[k - 1] + 1 < best) best = row[k - 1] + 1;
            row[k] = best;
        }
    }
    return row[n_b];
}

/* The attribute of the row that the name was probably meant to be; NULL: no name is similar. */
static const char *nearest(const ob_op *op, const char *name) {
    const size_t n = strnlen(name, LONGEST + 1);
    const char *found = NULL;
    uint32_t least = n < 4 ? 2 : n < 8 ? 3 : 4; /* the distance must be smaller than this */
    for (const ob_op_attribute *row = op->attributes; row->name; row++) {
        const uint32_t d = distance(name, row->name);
        if (d < least) {
            least = d;
            found = row->name;
        }
    }
    return found;
}

/* The last earlier version that has the attribute, or else the first later one; 0: none. */
static int other_version(const ob_op *op, const char *name) {
    int found = 0;
    for (size_t i = 0; i < ob__op_count(); i++) {
        const ob_op *other = ob__op_at(i);
        if (strcmp(other->name, op->name) != 0 || strcmp(other->domain, op->domain) != 0) continue;
        if (!ob__op_attribute(other, name)) continue;
        if (found == 0 || other->since < op->since || found > op->since) found = other->since;
        if (other->since > op->since) break;
    }
    return found;
}

static void say_unknown(const ob_op *op, const char *name, ob_attribute_check *check) {
    const char *near = nearest(op, name);
    const int other = near ? 0 : other_version(op, name);
    size_t n = ob__sentence(check->text, sizeof check->text, "%s has no attribute '%.100s'", op->name, name);
    char *end = check->text + n;
    const size_t room = sizeof check->text - n;
    if (near)
        ob__sentence(end, room, "; did you mean '%s'?", near);
    else if (other)
        ob__sentence(end, room, " in version %d of the operator, only in version %d", op->since, other);
}

static bool has_word(const char *words, const ob_string *word) {
    const size_t n = word->n;
    for (const char *at = words; *at;) {
        const char *end = strchr(at, ' ');
        const size_t length = end ? (size_t)(end - at) : strlen(at);
        if (length == n && memcmp(at, word->data, n) == 0) return true;
        at += length + (end != NULL);
    }
    return false;
}

/* Whether the value is not allowed. */
static bool is_outside(const ob_op_attribute *row, const ob_attribute *given, ob_attribute_check *check) {
    if (row->type == OB_ATTR_INT && row->least != row->most && (given->u.i < row->least || given->u.i > row->most)) {
        ob__sentence(check->text, sizeof check->text, "attribute %s is %lld: it must be %lld %s %lld", row->name,
                     (long long)given->u.i, (long long)row->least, row->most - 1 == row->least ? "or" : "to",
                     (long long)row->most);
        return true;
    }
    if (!row->words || (given->u.s.n == 0 && !row->needed)) return false;
    if (given->u.s.data && has_word(row->words, &given->u.s)) return false;
    ob__sentence(check->text, sizeof check->text, "attribute %s is \"%.80s\": it must be one of %s", row->name,
                 given->u.s.data ? given->u.s.data : "", row->words);
    return true;
}

static bool is_wrong(const ob_node *node, const ob_op *op, const ob_attribute *given, ob_attribute_check *check) {
    if (strncmp(given->name, "__", 2) == 0) return false;
    const ob_op_attribute *row = ob__op_attribute(op, given->name);
    if (!row) {
        say_unknown(op, given->name, check);
        return true;
    }
    if (ob__node_attribute(node, given->name) != given) {
        ob__sentence(check->text, sizeof check->text, "attribute %s is given twice", row->name);
        return true;
    }
    if (given->ref) return false;
    if (given->type != row->type) {
        ob__sentence(check->text, sizeof check->text, "attribute %s is %s: %s needs %s", row->name, type_text(given->type),
                     op->name, type_text(row->type));
        return check->unreadable = true;
    }
    if (!is_outside(row, given, check)) return false;
    return check->unreadable = true;
}

static void write_ones(const ob_op *op, char *names, size_t n_bytes) {
    size_t used = 0;
    names[0] = '\0';
    for (const ob_op_attribute *row = op->attributes; row->name; row++)
        if (row->one) used += ob__sentence(names + used, n_bytes - used, "%s%s", used ? ", " : "", row->name);
}

/* Whether not exactly one of the ONE attributes is given. */
static bool is_not_one(const ob_node *node, const ob_op *op, ob_attribute_check *check) {
    uint32_t n = 0, n_given = 0;
    char names[200];
    for (const ob_op_attribute *row = op->attributes; row->name; row++) {
        if (!row->one) continue;
        n++;
        n_given += ob__node_attribute(node, row->name) != NULL;
    }
    if (n == 0 || n_given == 1) return false;
    write_ones(op, names, sizeof names);
    ob__sentence(check->text, sizeof check->text, "%s needs one of the attributes %s; %u are given", op->name, names, n_given);
    check->unreadable |= n_given == 0;
    return true;
}

bool ob__attribute_problem(const ob_node *node, const ob_op *op, ob_attribute_check *check) {
    if (!op->attributes) return false; /* an operator of a library has its own table */
    while (check->at < node->n_attributes)
        if (is_wrong(node, op, node->attributes[check->at++], check)) return true;
    uint32_t row = check->at - node->n_attributes;
    for (; op->attributes[row].name; row++) {
        check->at++;
        if (!op->attributes[row].needed || ob__node_attribute(node, op->attributes[row].name)) continue;
        ob__sentence(check->text, sizeof check->text, "attribute %s is missing: %s needs it", op->attributes[row].name, op->name);
        return check->unreadable = true;
    }
    if (check->is_done) return false;
    check->is_done = true;
    return is_not_one(node, op, check);
}
