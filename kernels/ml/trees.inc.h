/* Paths through a tree, for one type. Parameters: T, NODE, S. */
#define NAME(name) OBK_CAT3(name, _, S)

/* A test consists of two dependent loads, so LANES rows are interleaved. */
void OBK_FN(NAME(ml_leaves))(uint32_t *leaf, const void *all, obk_tree tree, const void *from, ptrdiff_t stride, ptrdiff_t rows) {
    enum { LANES = 8 };
    const NODE *nodes = all;
    const uint32_t least = tree.least;
    const T *x = from;
    ptrdiff_t row = 0;
    for (; row + LANES <= rows; row += LANES, x += LANES * stride) {
        uint32_t at[LANES], moved;
        for (int i = 0; i < LANES; i++) at[i] = tree.root;
        for (uint32_t step = 0; step < least; step++)
            for (int i = 0; i < LANES; i++) {
                const NODE *node = &nodes[at[i]];
                at[i] = node->child[x[i * stride + node->feature] <= node->value];
            }
        do {
            moved = 0;
            for (int i = 0; i < LANES; i++) {
                const NODE *node = &nodes[at[i]];
                const uint32_t next = node->child[x[i * stride + node->feature] <= node->value];
                moved |= next ^ at[i];
                at[i] = next;
            }
        } while (moved);
        for (int i = 0; i < LANES; i++) leaf[row + i] = at[i];
    }
    for (; row < rows; row++, x += stride) {
        uint32_t at, next = tree.root;
        do {
            at = next;
            next = nodes[at].child[x[nodes[at].feature] <= nodes[at].value];
        } while (next != at);
        leaf[row] = at;
    }
}

void OBK_FN(NAME(ml_add_leaves))(void *scores, const void *all, const uint32_t *leaf, ptrdiff_t rows) {
    T *sum = scores;
    const NODE *nodes = all;
    for (ptrdiff_t i = 0; i < rows; i++) sum[i] += nodes[leaf[i]].value;
}

#undef NAME
#undef T
#undef NODE
#undef S
