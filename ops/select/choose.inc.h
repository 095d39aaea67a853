/* A heap of distinct keys, the least at the front. Parameters: FN, K, LESS(a, b). */
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

static void OBK_CAT(FN, _build)(K *keys, int64_t n, obk_pace *pace) {
    for (int64_t i = n / 2 - 1; i >= 0 && !obk_stops(pace, WORK_OF_SINK); i--) OBK_CAT(FN, _sink)(keys, i, n);
}

/* Sorts the heap, the greatest first. */
static void OBK_CAT(FN, _sort)(K *keys, int64_t n, obk_pace *pace) {
    for (int64_t last = n - 1; last > 0 && !obk_stops(pace, WORK_OF_SINK); last--) {
        const K item = keys[0];
        keys[0] = keys[last];
        keys[last] = item;
        OBK_CAT(FN, _sink)(keys, 0, last);
    }
}
#undef FN
#undef K
#undef LESS
