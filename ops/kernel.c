#include "ops/kernel.h"

#include "core/log.h"

/* ---- Stopping ----------------------------------------------------------------------------------------------------- */

enum { ASK_NS = 2000000 };

bool ob__stop_now(const ob_threads *threads) {
    ob_stop *stop = threads ? threads->stop : NULL;
    if (!stop) return false;
    if (stop->status != OB_OK) return true;
    if (stop->deadline_ns && ob__now_ns() >= stop->deadline_ns)
        stop->status = OB_E_LIMIT;
    else if (stop->cancelled && stop->cancelled(stop->context))
        stop->status = OB_E_CANCELLED;
    return stop->status != OB_OK;
}

bool ob__stopped(const ob_threads *threads) {
    ob_stop *stop = threads ? threads->stop : NULL;
    if (!stop || (!stop->cancelled && !stop->deadline_ns)) return false;
    uint64_t now = ob__now_ns();
    if (stop->status == OB_OK && now < stop->next_ns) return false;
    stop->next_ns = now + ASK_NS;
    return ob__stop_now(threads);
}

/* ---- Shared work -------------------------------------------------------------------------------------------------- */

typedef struct part {
    void (*task)(void *context, int64_t begin, int64_t end);
    void *context;
    int64_t first;
} part;

static void run_part(void *context, int64_t begin, int64_t end) {
    const part *p = context;
    p->task(p->context, p->first + begin, p->first + end);
}

static void run(const ob_threads *threads, int64_t n, int64_t grain, void (*task)(void *context, int64_t begin, int64_t end),
                void *context) {
    if (threads && threads->run && threads->n_threads > 1 && n / 2 >= grain)
        threads->run(threads->pool, n, grain, task, context);
    else
        task(context, 0, n);
}

void ob__parallel(const ob_threads *threads, int64_t n, int64_t grain, void (*task)(void *context, int64_t begin, int64_t end),
                  void *context) {
    if (n <= 0) return;
    const ob_stop *stop = threads ? threads->stop : NULL;
    if (!stop || (!stop->cancelled && !stop->deadline_ns)) {
        run(threads, n, grain, task, context);
        return;
    }
    /* Parts that grow until one takes as long as may pass between two questions. */
    int64_t size = grain > 0 ? grain : 1;
    for (int64_t begin = 0; begin < n && !ob__stop_now(threads);) {
        uint64_t start = ob__now_ns();
        part p = {task, context, begin};
        int64_t count = size < n - begin ? size : n - begin;
        run(threads, count, grain, run_part, &p);
        begin += count;
        uint64_t took = ob__now_ns() - start;
        if (took < ASK_NS && size <= INT64_MAX / 2)
            size *= 2;
        else if (took > 2 * (uint64_t)ASK_NS && size / 2 >= grain)
            size /= 2;
    }
}
