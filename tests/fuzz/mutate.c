#include "mutate.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

static tree_pool pool;

uint64_t mutate_pick(mutator *m, uint64_t n) {
    m->random = m->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return n ? (m->random >> 33) % n : 0;
}

uint64_t mutate_number(mutator *m) {
    static const int64_t numbers[] = {0,  1,  -1, 2,  3,   4,   5,   -2,        7,         8,         16,           64,
                                      65, 31, 32, 63, 127, 128, 255, 256,       1000,      65536,     1 << 20,      INT32_MAX,
                                      -3, 6,  9,  10, 12,  13,  15,  INT32_MIN, INT64_MAX, INT64_MIN, INT64_MAX - 1};
    uint64_t n = mutate_pick(m, sizeof numbers / sizeof numbers[0] + 4);
    switch (n) {
    case 0: return UINT64_C(1) << mutate_pick(m, 64);
    case 1: return (UINT64_C(1) << mutate_pick(m, 64)) - 1;
    case 2: return mutate_pick(m, 30);
    case 3: return UINT64_C(1) << 62;
    default: return (uint64_t)numbers[n - 4];
    }
}

static bool any_field(const tree *field) {
    (void)field;
    return true;
}

tree *mutate_field(mutator *m, bool (*wanted)(const tree *field)) {
    tree *found = NULL;
    uint64_t n = 0;
    if (!wanted) wanted = any_field;
    for (tree *field = m->root; (field = tree_walk(m->root, field));)
        if (wanted(field) && mutate_pick(m, ++n) == 0) found = field;
    return found;
}

tree *mutate_field_of(mutator *m, const ProtobufCMessageDescriptor *type, uint32_t id) {
    tree *found = NULL;
    uint64_t n = 0;
    for (tree *field = m->root; (field = tree_walk(m->root, field));)
        if (field->id == id && field->parent->type == type && mutate_pick(m, ++n) == 0) found = field;
    return found;
}

/* ---- Changes to any message ---- */

static bool is_message(const tree *field) {
    return field->type != NULL;
}

/* One of the fields of `root` that hold a message of this type; of the same number too, for a leaf. */
static tree *alike(mutator *m, tree *root, const tree *to) {
    tree *found = NULL;
    uint64_t n = 0;
    for (tree *field = root; (field = tree_walk(root, field));) {
        bool same = to->type ? field->type == to->type : field->wire == to->wire && field->id == to->id;
        if (same && field != to && mutate_pick(m, ++n) == 0) found = field;
    }
    return found;
}

/* Puts a copy of `from` behind `to`, or in its place. */
static bool splice(mutator *m, tree *to, const tree *from) {
    tree *copy = tree_copy(m->pool, from);
    if (!copy) return false;
    copy->id = to->id;
    tree_insert(to, copy);
    if (mutate_pick(m, 2)) tree_remove(to);
    return true;
}

static bool duplicate_or_move(mutator *m) {
    tree *to = mutate_field(m, mutate_pick(m, 2) ? is_message : NULL);
    tree *from = to ? alike(m, m->root, to) : NULL;
    return from && splice(m, to, mutate_pick(m, 3) ? from : to);
}

static bool exchange(mutator *m) {
    tree *a = mutate_field(m, mutate_pick(m, 2) ? is_message : NULL), *b = a ? alike(m, m->root, a) : NULL;
    for (const tree *up = a; b && up; up = up->parent) b = up == b ? NULL : b; /* not with what it lies in */
    for (const tree *up = b; b && up; up = up->parent) b = up == a ? NULL : b;
    if (!b) return false;
    uint32_t id = a->id;
    tree_swap(a, b);
    b->id = a->id;
    a->id = id;
    return true;
}

static bool drop(mutator *m) {
    tree *field = mutate_field(m, NULL);
    if (field) tree_remove(field);
    return field != NULL;
}

/* libFuzzer's changes, inside one leaf. */
static bool change_leaf(mutator *m) {
    tree *leaf = NULL;
    for (int i = 0; i < 8 && (!leaf || leaf->type); i++) leaf = mutate_field(m, NULL);
    if (!leaf || leaf->type) return false;
    if (leaf->wire != WIRE_BYTES) {
        if (mutate_pick(m, 4) == 0)
            leaf->value += mutate_pick(m, 3) - 1;
        else if (mutate_pick(m, 4) == 0)
            leaf->value ^= UINT64_C(1) << mutate_pick(m, 64);
        else
            leaf->value = mutate_number(m);
        return true;
    }
    size_t n_max = leaf->n + 16;
    uint8_t *bytes = tree_alloc(m->pool, n_max);
    if (!bytes) return false;
    if (leaf->n) memcpy(bytes, leaf->bytes, leaf->n);
    leaf->n = LLVMFuzzerMutate(bytes, leaf->n, n_max);
    leaf->bytes = bytes;
    return true;
}

static bool change(mutator *m) {
    switch (mutate_pick(m, 12)) {
    case 0: return drop(m);
    case 1: return duplicate_or_move(m);
    case 2: return exchange(m);
    case 3:
    case 4: return change_leaf(m);
    default: return mutate_onnx(m);
    }
}

/* ---- libFuzzer's hooks ---- */

static size_t put(tree *root, uint8_t *data, size_t n_max) {
    size_t n = tree_size(root);
    if (n == 0 || n > n_max) return 0;
    uint8_t *copy = tree_alloc(&pool, n); /* leaves still point into data */
    if (!copy) return 0;
    tree_write(root, copy);
    memcpy(data, copy, n);
    return n;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t n_max, unsigned seed) {
    mutator m = {&pool, NULL, seed * UINT64_C(0x9e3779b97f4a7c15) + 1};
    tree_pool_clear(&pool);
    if (mutate_pick(&m, 32) != 0) m.root = tree_parse(&pool, fuzz_root, data, n);
    if (!m.root || !m.root->first) return LLVMFuzzerMutate(data, n, n_max);
    uint64_t n_changes = 1 + mutate_pick(&m, mutate_pick(&m, 3) ? 2 : 6);
    for (uint64_t i = 0, tries = 0; i < n_changes && tries < 4 * n_changes; tries++) i += change(&m);
    size_t n_out = put(m.root, data, n_max);
    return n_out ? n_out : LLVMFuzzerMutate(data, n, n_max);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t n_a, const uint8_t *b, size_t n_b, uint8_t *out, size_t n_max,
                                 unsigned seed) {
    mutator m = {&pool, NULL, seed * UINT64_C(0x9e3779b97f4a7c15) + 7};
    tree_pool_clear(&pool);
    m.root = tree_parse(&pool, fuzz_root, a, n_a);
    tree *other = m.root ? tree_parse(&pool, fuzz_root, b, n_b) : NULL;
    if (!other) return 0;
    for (int i = 0; i < 3; i++) {
        tree *to = mutate_field(&m, is_message), *from = to ? alike(&m, other, to) : NULL;
        if (from) splice(&m, to, from);
        if (mutate_pick(&m, 2)) break;
    }
    return put(m.root, out, n_max);
}
