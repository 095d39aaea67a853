/* The k greatest of n keys, which all differ, to the front, the greatest first. Parameters: FN, K, LESS(a, b). */
static void OBK_CAT(FN, _sink)(K *heap, int64_t at, int64_t n) {
    const K item = heap[at];
    for (int64_t child = 2 * at + 1; child < n; child = 2 * at + 1) {
        child += child + 1 < n && LESS(heap[child + 1], heap[child]);
        if (LESS(item, heap[child])) break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = item;
}

/* The first k become a heap whose root is the least of the k greatest. */
static void FN(void *all, int64_t n, int64_t k) {
    K *keys = all;
    for (int64_t i = k / 2 - 1; i >= 0; i--) OBK_CAT(FN, _sink)(keys, i, k);
    K least = keys[0];
    for (int64_t i = k; i < n; i++) {
        if (LESS(keys[i], least)) continue;
        keys[0] = keys[i];
        OBK_CAT(FN, _sink)(keys, 0, k);
        least = keys[0];
    }
    for (int64_t last = k - 1; last > 0; last--) {
        const K item = keys[0];
        keys[0] = keys[last];
        keys[last] = item;
        OBK_CAT(FN, _sink)(keys, 0, last);
    }
}
#undef FN
#undef K
#undef LESS
