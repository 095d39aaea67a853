#include "runtime/pool.h"

#include <stdbool.h>

#ifdef OB_HAVE_THREADS
#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "core/base/log.h"
#include "onnx_broadcast/allocator.h"

enum { POOL_SPIN_NS = 100000, SMALL_RUN_NS = 100000, STACK_BYTES = 1 << 20, CACHE_LINE = 64, MOST_TILES = 128 };

/* ---- The state of a pool in one word ---- */

/* The number of threads inside the job, the number of sleeping threads, flags, and the number of the job. The word changes as a
 * whole, so a thread that changes it sees at once whether another must be woken. The job number may wrap around: a thread that
 * mistakes a new job for its last one stays out of it, and nobody waits for it. */
#define INSIDE_ONE ((uint64_t)1)
#define INSIDE     ((uint64_t)0xffff)
#define ASLEEP_ONE ((uint64_t)1 << 16)
#define ASLEEP     ((uint64_t)0xffff << 16)
#define OPEN       ((uint64_t)1 << 32) /* the job may be entered */
#define REST       ((uint64_t)1 << 33) /* who has nothing to do sleeps at once */
#define QUIT       ((uint64_t)1 << 34)
#define WAITING    ((uint64_t)1 << 35) /* the caller sleeps until nobody is inside */
#define JOB_ONE    ((uint64_t)1 << 36)
#define JOB        (~(JOB_ONE - 1))

/* Tiles first .. end - 1 are not taken yet. The owner takes the first one, other threads the last one. */
typedef struct seat {
    _Alignas(CACHE_LINE) atomic_uint_fast64_t range; /* first << 32 | end */
    ob_pool *pool;
    pthread_t thread;
} seat;

/* The control word of the floating-point unit: rounding, and the treatment of denormals. A thread has that of its creation; the
 * host may have changed its own since, and a tile must not compute otherwise for being another thread's. */
#if defined(__x86_64__) || defined(__SSE__)
typedef unsigned int control_word;
static control_word read_control(void) {
    return __builtin_ia32_stmxcsr() & ~0x3fu; /* without the exceptions that were raised */
}
static void write_control(control_word word) {
    __builtin_ia32_ldmxcsr(word);
}
#elif defined(__aarch64__)
typedef uint64_t control_word;
static control_word read_control(void) {
    control_word word;
    __asm__ volatile("mrs %0, fpcr" : "=r"(word));
    return word;
}
static void write_control(control_word word) {
    __asm__ volatile("msr fpcr, %0" : : "r"(word));
}
#else
typedef int control_word;
static control_word read_control(void) {
    return fegetround();
}
static void write_control(control_word word) {
    fesetround(word);
}
#endif

/* Which way is faster for runs of one kind: with the threads or alone. If processors are far apart, what one has written takes
 * the other long to read, and small steps are slower when they are shared. No step can tell beforehand, so both ways are tried.
 */
typedef struct trial {
    const void *kind;
    uint64_t best_ns[2]; /* of this period: [true] alone */
    uint32_t run, period;
    bool alone;   /* the preferred way */
    bool counts;  /* the current run */
    bool current; /* its way */
} trial;

enum { TRIED = 3, FIRST_PERIOD = 16, LAST_PERIOD = 1024, LONG_NS = 2000000 };

static void start_period(trial *t, uint32_t period) {
    t->best_ns[0] = t->best_ns[1] = UINT64_MAX;
    t->run = 0;
    t->period = period;
}

static void start_trial(trial *t, const void *kind) {
    start_period(t, FIRST_PERIOD);
    t->kind = kind;
    t->alone = t->counts = t->current = false;
}

/* The first runs of a period go the preferred way, some the other way, and the rest the faster one. Long runs have threads. */
static void next_run(trial *t) {
    const bool other = t->run >= TRIED && t->run < 2 * TRIED && t->best_ns[t->alone] < LONG_NS;
    t->current = other ? !t->alone : t->alone;
}

static void end_run(trial *t, uint64_t ns) {
    if (ns < t->best_ns[t->current]) t->best_ns[t->current] = ns;
    t->run++;
    if (t->run == 2 * TRIED && t->best_ns[!t->alone] < t->best_ns[t->alone]) {
        t->alone = !t->alone;
        t->period = FIRST_PERIOD;
    }
    if (t->run >= t->period) start_period(t, t->period < LAST_PERIOD ? 2 * t->period : t->period);
    t->counts = t->current = false;
}

struct ob_pool {
    _Alignas(CACHE_LINE) atomic_uint_fast64_t state;
    /* The job: written while no thread is inside. */
    _Alignas(CACHE_LINE) void (*task)(void *context, int64_t begin, int64_t end);
    void *context;
    int64_t n, tile;
    control_word control;        /* of the caller */
    bool begun;                  /* the run has had a job, or has woken the threads for one */
    bool shares;                 /* the last run had a job */
    bool alone;                  /* the threads are in another process; as of the beginning of the run */
    bool close;                  /* the run began soon after the last one */
    bool small;                  /* its jobs are not worth waking anybody for */
    uint64_t work_ns;            /* of all threads, in the jobs of this run */
    uint64_t expected_ns;        /* the same of the last run, and of those that it followed closely */
    uint64_t begun_ns, ended_ns; /* of the last run that had a job */
    trial trial;
    uint64_t alone_until; /* of ob__now_ns: no help is worth having before */
    pid_t process;
    int n_seats; /* the first is the caller's */
    pthread_mutex_t mutex;
    pthread_cond_t work, done;
    seat seats[];
};

/* ---- Waiting ---- */

static void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static bool is_new_job(uint64_t state, uint64_t known) {
    return state & OPEN && (state & JOB) != known;
}

static bool nobody_inside(uint64_t state, uint64_t known) {
    (void)known;
    return !(state & INSIDE);
}

/* True once `wanted` is; false when the time is over, or at once when somebody sets one of the flags `leave`. */
static bool spin(ob_pool *pool, bool (*wanted)(uint64_t state, uint64_t known), uint64_t known, uint64_t leave) {
    enum { POLLS_PER_LOOK = 32 }; /* at the clock */
    uint64_t start = 0;
    for (unsigned polls = 1;; polls++) {
        uint64_t state = atomic_load_explicit(&pool->state, memory_order_acquire);
        if (wanted(state, known)) return true;
        if (state & leave) return false;
        relax();
        if (polls % POLLS_PER_LOOK) continue;
        uint64_t now = ob__now_ns();
        if (start == 0) start = now;
        if (now - start > POOL_SPIN_NS) return false;
    }
}

/* Waits for a job after the last one that this thread knows, open or over, and notes its number. Even if it is over, more jobs
 * will come soon, and a polling thread need not be woken. */
static void sleep_until_job(ob_pool *pool, uint64_t *known) {
    pthread_mutex_lock(&pool->mutex);
    uint64_t state = atomic_fetch_add_explicit(&pool->state, ASLEEP_ONE, memory_order_acq_rel);
    if (!is_new_job(state, *known)) {
        *known = state & JOB;
        while (!(state & QUIT) && (state & JOB) == *known) {
            pthread_cond_wait(&pool->work, &pool->mutex);
            state = atomic_load_explicit(&pool->state, memory_order_acquire);
        }
    }
    atomic_fetch_sub_explicit(&pool->state, ASLEEP_ONE, memory_order_acq_rel);
    pthread_mutex_unlock(&pool->mutex);
}

/* A thread that is counted as asleep holds the mutex until it can be signalled. */
static void wake_workers(ob_pool *pool, uint64_t n_asleep, int64_t most) {
    pthread_mutex_lock(&pool->mutex);
    pthread_mutex_unlock(&pool->mutex);
    if ((int64_t)n_asleep <= most && n_asleep > 1)
        pthread_cond_broadcast(&pool->work);
    else
        for (int64_t i = 0; i < most && i < (int64_t)n_asleep; i++) pthread_cond_signal(&pool->work);
}

/* ---- Working ---- */

static bool take(seat *s, bool from_the_end, int64_t *tile) {
    uint64_t range = atomic_load_explicit(&s->range, memory_order_relaxed);
    for (;;) {
        uint64_t first = range >> 32, end = range & UINT32_MAX;
        if (first >= end) return false;
        uint64_t left = from_the_end ? first << 32 | (end - 1) : (first + 1) << 32 | end;
        if (!atomic_compare_exchange_weak_explicit(&s->range, &range, left, memory_order_relaxed, memory_order_relaxed)) continue;
        *tile = (int64_t)(from_the_end ? end - 1 : first);
        return true;
    }
}

static void do_tile(const ob_pool *pool, int64_t tile) {
    int64_t begin = tile * pool->tile, left = pool->n - begin;
    pool->task(pool->context, begin, left < pool->tile ? pool->n : begin + pool->tile);
}

static void do_tiles(ob_pool *pool, int own) {
    int64_t tile;
    while (take(&pool->seats[own], false, &tile)) do_tile(pool, tile);
    for (int i = 1; i < pool->n_seats; i++) {
        seat *other = &pool->seats[(own + i) % pool->n_seats];
        while (take(other, true, &tile)) do_tile(pool, tile);
    }
}

static void help(ob_pool *pool, int own) {
    control_word control = read_control();
    if (control != pool->control) write_control(pool->control);
    do_tiles(pool, own);
    if (control != pool->control) write_control(control);
}

static void *work(void *argument) {
    seat *s = argument;
    ob_pool *pool = s->pool;
    uint64_t known = 0;
    for (;;) {
        uint64_t state = atomic_load_explicit(&pool->state, memory_order_acquire);
        if (state & QUIT) return NULL;
        if (!is_new_job(state, known)) {
            if (!spin(pool, is_new_job, known, REST | QUIT)) sleep_until_job(pool, &known);
            continue;
        }
        if (!atomic_compare_exchange_strong_explicit(&pool->state, &state, state + INSIDE_ONE, memory_order_acq_rel,
                                                     memory_order_acquire))
            continue;
        known = state & JOB;
        help(pool, (int)(s - pool->seats));
        state = atomic_fetch_sub_explicit(&pool->state, INSIDE_ONE, memory_order_acq_rel);
        if (state & WAITING && (state & INSIDE) == INSIDE_ONE) {
            pthread_mutex_lock(&pool->mutex);
            pthread_mutex_unlock(&pool->mutex);
            pthread_cond_signal(&pool->done);
        }
    }
}

/* ---- The caller ---- */

/* `open` 0: a job that is over already. Sleeping threads come to poll for the next one. */
static uint64_t next_job(ob_pool *pool, uint64_t state, uint64_t open) {
    uint64_t next;
    do next = ((state & JOB) + JOB_ONE) | open | (state & ASLEEP);
    while (!atomic_compare_exchange_weak_explicit(&pool->state, &state, next, memory_order_release, memory_order_relaxed));
    return next;
}

/* A helper that loses its processor inside a tile delays the job for as long as the system decides, so on a loaded machine
 * several threads are slower than one. After such a wait the caller works alone for PATIENCE times its length, so that waiting
 * is a small part of the total. */
static void judge(ob_pool *pool, uint64_t start, uint64_t own_end) {
    enum { PATIENCE = 10, LONGEST_NS = 1000000000 };
    uint64_t now = ob__now_ns(), own = own_end - start, waited = now - own_end;
    if (waited <= own + POOL_SPIN_NS) return;
    uint64_t pause = waited - own < LONGEST_NS / PATIENCE ? (waited - own) * PATIENCE : LONGEST_NS;
    pool->alone_until = now + pause;
    atomic_fetch_or_explicit(&pool->state, REST, memory_order_relaxed);
}

static void wait_for_helpers(ob_pool *pool) {
    if (spin(pool, nobody_inside, 0, 0)) return;
    pthread_mutex_lock(&pool->mutex);
    uint64_t state = atomic_fetch_or_explicit(&pool->state, WAITING, memory_order_acq_rel);
    while (!nobody_inside(state, 0)) {
        pthread_cond_wait(&pool->done, &pool->mutex);
        state = atomic_load_explicit(&pool->state, memory_order_acquire);
    }
    atomic_fetch_and_explicit(&pool->state, ~WAITING, memory_order_relaxed);
    pthread_mutex_unlock(&pool->mutex);
}

/* Before the first job of a run. Runs that follow each other closely are like one: threads keep polling between them. They do so
 * for no longer than a run took, so that polling takes at most half of their time. */
static void begin(ob_pool *pool, uint64_t now) {
    const uint64_t pause = now - pool->ended_ns;
    pool->begun = true;
    pool->close = pause < POOL_SPIN_NS && pause < pool->ended_ns - pool->begun_ns;
    pool->begun_ns = now;
    pool->expected_ns = pool->work_ns + (pool->close ? pool->expected_ns : 0);
    pool->small = pool->expected_ns < SMALL_RUN_NS;
    pool->work_ns = 0;
    pool->alone = getpid() != pool->process;
    if (pool->trial.counts) next_run(&pool->trial);
}

/* Waking a thread takes the caller some microseconds, and the thread comes some tens of microseconds later. A run with less
 * work is faster without it. The work is estimated from the last run. */
static bool is_better_alone(const ob_pool *pool, uint64_t state, uint64_t now) {
    return pool->alone || pool->trial.current || now < pool->alone_until || (state & ASLEEP && pool->small);
}

void ob__pool_run(void *of, int64_t n, int64_t grain, void (*task)(void *context, int64_t begin, int64_t end), void *context) {
    ob_pool *pool = of;
    /* By n and grain alone, as everything that shared work is cut by; enough of them that an interrupted thread does not hold
     * up the others, not so many that handing them out takes time. */
    int64_t tile = n / MOST_TILES;
    if (tile < grain) tile = grain;
    if (tile < 1) tile = 1;
    int64_t n_tiles = n / tile + (n % tile != 0);
    uint64_t state = atomic_load_explicit(&pool->state, memory_order_acquire);
    if (n_tiles <= 1 || state & (OPEN | INSIDE)) { /* the last: within a task */
        if (n > 0) task(context, 0, n);
        return;
    }
    uint64_t start = ob__now_ns();
    if (!pool->begun) begin(pool, start);
    if (is_better_alone(pool, state, start)) {
        task(context, 0, n);
        pool->work_ns += ob__now_ns() - start;
        return;
    }
    pool->task = task;
    pool->context = context;
    pool->n = n;
    pool->tile = tile;
    pool->control = read_control();
    for (int i = 0; i < pool->n_seats; i++) {
        uint64_t first = (uint64_t)(n_tiles * i / pool->n_seats), end = (uint64_t)(n_tiles * (i + 1) / pool->n_seats);
        atomic_store_explicit(&pool->seats[i].range, first << 32 | end, memory_order_relaxed);
    }
    state = next_job(pool, state, OPEN);
    if (state & ASLEEP) wake_workers(pool, (state & ASLEEP) / ASLEEP_ONE, n_tiles - 1);
    do_tiles(pool, 0);
    state = atomic_fetch_and_explicit(&pool->state, ~OPEN, memory_order_acq_rel);
    uint64_t own_end = ob__now_ns();
    pool->work_ns += (own_end - start) * (uint64_t)pool->n_seats;
    if (nobody_inside(state, 0)) return;
    wait_for_helpers(pool);
    judge(pool, start, own_end);
}

void ob__pool_wake(ob_pool *pool, const void *kind) {
    if (kind != pool->trial.kind) start_trial(&pool->trial, kind);
    pool->trial.counts = kind != NULL;
    if (!pool->shares) return;
    uint64_t now = ob__now_ns(), state = atomic_load_explicit(&pool->state, memory_order_relaxed);
    begin(pool, now);
    if (!(state & ASLEEP) || is_better_alone(pool, state, now)) return;
    next_job(pool, state, 0);
    wake_workers(pool, (state & ASLEEP) / ASLEEP_ONE, pool->n_seats - 1);
}

void ob__pool_rest(ob_pool *pool) {
    pool->shares = pool->begun && pool->work_ns > 0;
    if (!pool->begun) return;
    pool->begun = false;
    pool->ended_ns = ob__now_ns();
    if (!pool->alone && (!pool->close || pool->trial.current)) atomic_fetch_or_explicit(&pool->state, REST, memory_order_relaxed);
    if (pool->trial.counts) end_run(&pool->trial, pool->ended_ns - pool->begun_ns);
}

/* ---- Start and stop ---- */

size_t ob__pool_bytes(int n_threads) {
    return sizeof(ob_pool) + (size_t)n_threads * sizeof(seat);
}

/* Signals are for the threads of the host: ours block them. */
static bool start_thread(seat *s, const pthread_attr_t *attributes) {
    sigset_t all, own;
    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &own) != 0) return false;
    int failed = pthread_create(&s->thread, attributes, work, s);
    pthread_sigmask(SIG_SETMASK, &own, NULL);
    return failed == 0;
}

/* Many threads may take all address space that the process is allowed to have: room for the session's memory is held back. */
static void start_threads(ob_pool *pool, int n_threads) {
    enum { MANY = 64, ROOM_BYTES = 8 << 20 };
    const ob_allocator *allocator = ob_allocator_default();
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return;
    void *room = n_threads > MANY ? allocator->alloc(allocator->context, ROOM_BYTES) : NULL;
    if (pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0)
        while (pool->n_seats < n_threads && start_thread(&pool->seats[pool->n_seats], &attributes)) pool->n_seats++;
    pthread_attr_destroy(&attributes);
    if (room) allocator->free(allocator->context, room, ROOM_BYTES);
}

int ob__pool_start(ob_pool *pool, int n_threads) {
    atomic_init(&pool->state, REST);
    pool->process = getpid();
    pool->work_ns = SMALL_RUN_NS; /* until it is known */
    start_trial(&pool->trial, NULL);
    pool->n_seats = 1;
    for (int i = 0; i < n_threads; i++) {
        atomic_init(&pool->seats[i].range, 0);
        pool->seats[i].pool = pool;
    }
    if (pthread_mutex_init(&pool->mutex, NULL) != 0) return 1;
    if (pthread_cond_init(&pool->work, NULL) == 0) {
        if (pthread_cond_init(&pool->done, NULL) == 0) {
            start_threads(pool, n_threads);
            if (pool->n_seats > 1) return pool->n_seats;
            pthread_cond_destroy(&pool->done);
        }
        pthread_cond_destroy(&pool->work);
    }
    pthread_mutex_destroy(&pool->mutex);
    return 1;
}

void ob__pool_stop(ob_pool *pool) {
    if (pool->n_seats == 1 || getpid() != pool->process) return;
    atomic_fetch_or_explicit(&pool->state, QUIT, memory_order_acq_rel);
    pthread_mutex_lock(&pool->mutex);
    pthread_cond_broadcast(&pool->work);
    pthread_mutex_unlock(&pool->mutex);
    for (int i = 1; i < pool->n_seats; i++) pthread_join(pool->seats[i].thread, NULL);
    pthread_cond_destroy(&pool->done);
    pthread_cond_destroy(&pool->work);
    pthread_mutex_destroy(&pool->mutex);
}

#endif
