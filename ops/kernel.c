#include "ops/kernel.h"

void ob__parallel(const ob_threads *threads, int64_t n, int64_t grain, void (*task)(void *context, int64_t begin, int64_t end),
                  void *context) {
    if (n <= 0) return;
    if (threads && threads->run && threads->n_threads > 1 && n / 2 >= grain)
        threads->run(threads->pool, n, grain, task, context);
    else
        task(context, 0, n);
}
