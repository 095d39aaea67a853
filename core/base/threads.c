#include "core/base/threads.h"

#include <stdatomic.h>

#include "core/base/integers.h"
#include "core/base/log.h"

/* ---- Stopping ---- */

/* Its address identifies the thread; nothing is stored in it. */
static const void *this_thread(void) {
    static _Thread_local char here;
    return &here;
}

static bool may_stop(const ob_threads *threads) {
    return threads && threads->stop && (threads->stop->cancelled || threads->stop->deadline_ns);
}

bool ob__stop_now(const ob_threads *threads) {
    ob_stop *stop = threads ? threads->stop : NULL;
    if (!stop) return false;
    if (stop->asker != this_thread()) stop->asker = this_thread();
    if (stop->status != OB_OK) return true;
    if (stop->deadline_ns && ob__now_ns() >= stop->deadline_ns)
        stop->status = OB_E_LIMIT;
    else if (stop->cancelled && stop->cancelled(stop->context))
        stop->status = OB_E_CANCELLED;
    return stop->status != OB_OK;
}

bool ob__stopped(const ob_threads *threads) {
    enum { ASK_NS = 2000000 };
    if (!may_stop(threads)) return false;
    ob_stop *stop = threads->stop;
    uint64_t now = ob__now_ns();
    if (stop->status == OB_OK && now < stop->next_ns) return false;
    stop->next_ns = now + ASK_NS;
    return ob__stop_now(threads);
}

bool ob__stopped_inside(const ob_threads *threads) {
    if (!may_stop(threads)) return false;
    ob_stop *stop = threads->stop;
    if (stop->status != OB_OK) return true;
    if (stop->asker == this_thread()) return ob__stopped(threads);
    if (!stop->deadline_ns || ob__now_ns() < stop->deadline_ns) return false;
    stop->status = OB_E_LIMIT;
    return true;
}

static bool stopped_inside(const void *threads) {
    return ob__stopped_inside(threads);
}

obk_pace ob__pace(const ob_threads *threads) {
    return (obk_pace){.stopped = may_stop(threads) ? stopped_inside : NULL, .context = threads};
}

/* ---- Shared work ---- */

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

void ob__parallel_parts(const ob_threads *threads, int64_t n, int64_t grain, int64_t size,
                        void (*task)(void *context, int64_t begin, int64_t end), void *context) {
    if (n <= 0) return;
    if (!may_stop(threads) || n / 2 < size) {
        run(threads, n, grain, task, context);
        return;
    }
    if (threads->run) { /* enough for every thread */
        int64_t least = grain < n / 4 / threads->n_threads ? 4 * grain * threads->n_threads : n;
        size = least > size ? ob__round_up(least, size) : size;
    }
    for (int64_t begin = 0; begin < n && !ob__stop_now(threads);) {
        int64_t left = n - begin, count = left / 2 < size ? left : size; /* the last part is not a small one */
        part p = {task, context, begin};
        run(threads, count, grain, run_part, &p);
        begin += count;
    }
}

void ob__parallel(const ob_threads *threads, int64_t n, int64_t grain, void (*task)(void *context, int64_t begin, int64_t end),
                  void *context) {
    enum { GRAINS_PER_PART = 32 };
    int64_t size = 0;
    if (grain < 1) grain = 1;
    if (__builtin_mul_overflow(grain, (int64_t)GRAINS_PER_PART, &size)) size = n;
    ob__parallel_parts(threads, n, grain, size, task, context);
}

/* ---- Chunks and lanes ---- */

/* Two halves of a number that is read and written at once: as wide as the processor can (cmake/target.cmake). */
#ifdef OB_NO_ATOMIC_64
typedef uint32_t halves;
#else
typedef uint64_t halves;
#endif
enum { HALF = sizeof(halves) * 4 };
#define LOWER_HALF (((halves)1 << HALF) - 1)

/* Chunks first + the upper half of left .. first + its lower half - 1 are not taken yet. The first lane takes the first one,
 * others the last one. So of two lanes each has neighbouring chunks, and about the same ones in the next step, whose operands are
 * then in its own cache. */
typedef struct chunks {
    _Atomic halves left;
    int64_t first;
    void (*task)(void *context, int64_t chunk, int lane);
    void *context;
    const ob_threads *threads;
} chunks;

static bool take(chunks *c, bool from_the_end, int64_t *chunk) {
    halves left = atomic_load_explicit(&c->left, memory_order_relaxed), rest;
    do {
        const halves begin = left >> HALF, end = left & LOWER_HALF;
        if (begin >= end) return false;
        *chunk = c->first + (int64_t)(from_the_end ? end - 1 : begin);
        rest = from_the_end ? left - 1 : left + ((halves)1 << HALF);
    } while (!atomic_compare_exchange_weak_explicit(&c->left, &left, rest, memory_order_relaxed, memory_order_relaxed));
    return true;
}

static void run_lanes(void *context, int64_t begin, int64_t end) {
    chunks *c = context;
    for (int64_t lane = begin; lane < end; lane++)
        for (int64_t chunk; !ob__stopped_inside(c->threads) && take(c, lane > 0, &chunk);) c->task(c->context, chunk, (int)lane);
}

void ob__each_chunk(const ob_threads *threads, int64_t n, void (*task)(void *context, int64_t chunk, int lane), void *context) {
    const int64_t most = LOWER_HALF >> 1;
    const int64_t lanes = ob__lanes(threads);
    if (n <= 0 || ob__stop_now(threads)) return;
    if (lanes == 1 || n == 1) {
        for (int64_t chunk = 0; chunk < n && !ob__stopped(threads); chunk++) task(context, chunk, 0);
        return;
    }
    int64_t first = 0;
    do {
        chunks c = {.first = first, .task = task, .context = context, .threads = threads};
        atomic_init(&c.left, (halves)ob__least(n - first, most));
        threads->run(threads->pool, lanes, 1, run_lanes, &c);
        first += most;
    } while (first < n && !ob__stop_now(threads));
}

typedef struct lane_parts {
    void (*task)(void *context, int64_t begin, int64_t end, int lane);
    void *context;
    int64_t n, size;
} lane_parts;

static void run_lane_part(void *context, int64_t chunk, int lane) {
    const lane_parts *p = context;
    const int64_t begin = chunk * p->size;
    p->task(p->context, begin, p->n - begin < p->size ? p->n : begin + p->size, lane);
}

/* Parts of at least a grain: enough for every lane to come back several times, and for the run to be stopped between them. */
void ob__parallel_lanes(const ob_threads *threads, int64_t n, int64_t grain,
                        void (*task)(void *context, int64_t begin, int64_t end, int lane), void *context) {
    enum { PARTS_PER_LANE = 8, GRAINS_PER_PART = 64 };
    if (n <= 0) return;
    if (grain < 1) grain = 1;
    const int lanes = ob__lanes(threads);
    int64_t most = 0, size = lanes > 1 ? n / lanes / PARTS_PER_LANE : n;
    if (!__builtin_mul_overflow(grain, (int64_t)GRAINS_PER_PART, &most) && size > most) size = most;
    if (size < grain) size = grain;
    if (n / 2 < grain) size = n;
    lane_parts p = {task, context, n, size};
    ob__each_chunk(threads, n / size + (n % size != 0), run_lane_part, &p);
}

ob_threads ob__alone(const ob_threads *threads) {
    return (ob_threads){.n_threads = 1, .stop = threads ? threads->stop : NULL};
}
