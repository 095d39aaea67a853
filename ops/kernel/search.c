#include "ops/kernel/search.h"

#include "kernels/take.h"

obk_find ob__find_loop(ob_dtype dtype, int64_t inner) {
    return inner == 1 ? OBK_LOOP(find, ->by_type[dtype]) : OBK_LOOP(find, ->columns[dtype]);
}

typedef struct finding {
    obk_find find;
    const obk_search *search;
    int64_t *indices;
    const void *data;
} finding;

static void find_part(void *context, int64_t begin, int64_t end) {
    const finding *f = context;
    f->find(f->search, f->indices, f->data, begin, end);
}

bool ob__find_all(obk_find find, const obk_search *search, int64_t *indices, const void *data, int64_t n_parts,
                  const ob_threads *threads) {
    enum { ELEMENTS = 1 << 15 };
    finding f = {find, search, indices, data};
    ob__parallel(threads, n_parts, ELEMENTS / search->n + 1, find_part, &f);
    return !ob__stop_now(threads);
}
