/* Repeated runs, timed. */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "run_parts.h"

double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void print_text(const char *text) {
    putchar('"');
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            printf("\\%c", *c);
        else if (*c < ' ')
            printf("\\u%04x", *c);
        else
            putchar(*c);
    }
    putchar('"');
}

/* The most memory that this program has had resident. Linux tells it since exec; getrusage counts what the process was before,
 * too. */
static long peak_rss_kib(void) {
    struct rusage usage;
    long kib = -1;
    char line[200];
    FILE *file = fopen("/proc/self/status", "r");
    while (file && kib < 0 && fgets(line, sizeof line, file))
        if (strncmp(line, "VmHWM:", 6) == 0) kib = strtol(line + 6, NULL, 10);
    if (file) fclose(file);
    if (kib >= 0) return kib;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? usage.ru_maxrss : 0;
}

/* Runs at least options->runs times and options->min_seconds long; times of each run in *times. */
static exit_code run_repeatedly(const run_options *options, ob_session *session, const run_inputs *inputs, double **times,
                                size_t *n) {
    size_t capacity = 0;
    ob_error error;
    double begin = 0;
    for (int64_t i = -options->warmup; i < options->runs || now_ms() - begin < options->min_seconds * 1e3; i++) {
        if (i == 0) begin = now_ms();
        double start = now_ms();
        ob_status status = run_once(session, inputs, NULL, &error);
        if (status != OB_OK) {
            complain_error(TOOL, options->model, &error);
            return exit_code_of(error.code);
        }
        double took = now_ms() - start;
        if (i < 0) continue;
        double *room = with_room(*times, &capacity, *n + 1, sizeof *room);
        if (!room) {
            complain(TOOL, options->model, "out of memory");
            return EXIT_FAILED;
        }
        *times = room;
        (*times)[(*n)++] = took;
    }
    return EXIT_DONE;
}

/* The least time that at least `percent` of the sorted times do not exceed. */
static double percentile(const double *times, size_t n, size_t percent) {
    const size_t rank = (n / 100) * percent + ((n % 100) * percent + 99) / 100;
    return times[rank ? rank - 1 : 0];
}

/* Of which inputs the elements were random. */
static const char *random_inputs(const run_inputs *inputs) {
    size_t n = 0;
    for (size_t i = 0; i < inputs->n; i++) n += inputs->is_random[i];
    return n == 0 ? "none" : n == inputs->n ? "all" : "some";
}

exit_code bench(const run_options *options, ob_session *session, const run_inputs *inputs, double load_ms, double create_ms) {
    double *times = NULL, total = 0;
    size_t n = 0;
    exit_code code = run_repeatedly(options, session, inputs, &times, &n);
    if (code == EXIT_DONE && n > 0) {
        qsort(times, n, sizeof *times, by_size);
        for (size_t i = 0; i < n; i++) total += times[i];
        double median = n % 2 ? times[n / 2] : (times[n / 2 - 1] + times[n / 2]) / 2;
        ob_session_memory memory;
        ob_session_get_memory(session, &memory);
        printf("{\"model\": ");
        print_text(options->model);
        printf(", \"runs\": %zu, \"warmup\": %lld, \"threads\": %lld, \"processors\": %d, \"min_ms\": %.6f, \"median_ms\": %.6f, "
               "\"p50_ms\": %.6f, \"p90_ms\": %.6f, \"p99_ms\": %.6f, \"mean_ms\": %.6f, "
               "\"max_ms\": %.6f, \"random_inputs\": \"%s\", \"load_ms\": %.3f, \"create_ms\": %.3f, \"arena_kib\": %.1f, "
               "\"peak_rss_kib\": %ld}\n",
               n, (long long)options->warmup, (long long)options->threads, ob_machine_processors(), times[0], median,
               percentile(times, n, 50), percentile(times, n, 90), percentile(times, n, 99), total / (double)n, times[n - 1],
               random_inputs(inputs), load_ms, create_ms, (double)(memory.arena_bytes + memory.scratch_bytes) / 1024,
               peak_rss_kib());
    }
    free(times);
    return code;
}
