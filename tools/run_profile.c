/* The profile of a run: a table by step, and a trace for Chrome's viewer. */
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "compare.h"
#include "run_parts.h"
#include "stop.h"

typedef struct event {
    const char *node, *op_type, *kernel;
    uint64_t start_ns, duration_ns;
    size_t n_bytes;
    char shape[64];
} event;

struct profile {
    event *events;
    size_t n, capacity;
    bool failed;
};

profile *profile_begin(void) {
    return calloc(1, sizeof(profile));
}

void profile_end(profile *p) {
    if (!p) return;
    free(p->events);
    free(p);
}

void profile_reset(profile *p) {
    p->n = 0;
}

void profile_record(void *context, const ob_trace_event *from) {
    profile *p = context;
    event *events = with_room(p->events, &p->capacity, p->n + 1, sizeof *events);
    if (!events) {
        p->failed = true;
        return;
    }
    p->events = events;
    event *e = &p->events[p->n++];
    *e = (event){from->node, from->op_type, from->kernel, from->start_ns, from->duration_ns, from->n_bytes, ""};
    if (from->output && from->output->dtype != OB_NONE) format_type(from->output, e->shape, sizeof e->shape);
}

/* ---- Table ---- */

typedef struct row {
    const event *first;
    size_t n_calls;
    uint64_t total_ns;
} row;

static int compare_steps(const void *a, const void *b) {
    const event *x = *(const event *const *)a, *y = *(const event *const *)b;
    int order = strcmp(x->node, y->node);
    if (order == 0) order = strcmp(x->op_type, y->op_type);
    if (order == 0) order = strcmp(x->shape, y->shape);
    return order;
}

static int slower_first(const void *a, const void *b) {
    const row *x = a, *y = b;
    return (x->total_ns < y->total_ns) - (x->total_ns > y->total_ns);
}

static size_t make_rows(const profile *p, const event **sorted, row *rows) {
    size_t n = 0;
    for (size_t i = 0; i < p->n; i++) sorted[i] = &p->events[i];
    qsort(sorted, p->n, sizeof *sorted, compare_steps);
    for (size_t i = 0; i < p->n; i++) {
        if (n == 0 || compare_steps(&rows[n - 1].first, &sorted[i]) != 0) rows[n++] = (row){sorted[i], 0, 0};
        rows[n - 1].n_calls++;
        rows[n - 1].total_ns += sorted[i]->duration_ns;
    }
    qsort(rows, n, sizeof *rows, slower_first);
    return n;
}

void profile_print(const profile *p, FILE *file) {
    const event **sorted = malloc((p->n + 1) * sizeof *sorted);
    row *rows = malloc((p->n + 1) * sizeof *rows);
    uint64_t total = 0;
    size_t n = sorted && rows && p->n ? make_rows(p, sorted, rows) : 0;
    for (size_t i = 0; i < n; i++) total += rows[i].total_ns;
    fprintf(file, "%10s %6s %7s  %-20s %-16s %-28s %s\n", "ms", "%", "calls", "operator", "kernel", "result", "node");
    for (size_t i = 0; i < n; i++) {
        const event *e = rows[i].first;
        fprintf(file, "%10.4f %6.2f %7zu  %-20s %-16s %-28s %s\n", (double)rows[i].total_ns * 1e-6,
                total ? 100.0 * (double)rows[i].total_ns / (double)total : 0.0, rows[i].n_calls, e->op_type, e->kernel, e->shape,
                e->node);
    }
    fprintf(file, "%10.4f %6.2f %7zu  in %zu steps%s\n", (double)total * 1e-6, 100.0, p->n, n,
            p->failed || (n == 0 && p->n > 0) ? ", incomplete because memory ran out" : "");
    free(sorted);
    free(rows);
}

/* ---- Trace ---- */

static void write_text(FILE *file, const char *text) {
    fputc('"', file);
    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(file, "\\%c", *c);
        else if (*c < ' ')
            fprintf(file, "\\u%04x", *c);
        else
            fputc(*c, file);
    }
    fputc('"', file);
}

static void write_trace(const profile *p, FILE *file) {
    uint64_t begin = p->n ? p->events[0].start_ns : 0;
    fprintf(file, "{\"displayTimeUnit\": \"ns\", \"traceEvents\": [");
    for (size_t i = 0; i < p->n; i++) {
        const event *e = &p->events[i];
        fprintf(file, "%s\n{\"ph\": \"X\", \"pid\": 1, \"tid\": 1, \"cat\": ", i ? "," : "");
        write_text(file, e->op_type);
        fprintf(file, ", \"name\": ");
        write_text(file, e->node[0] ? e->node : e->op_type);
        fprintf(file, ", \"ts\": %.3f, \"dur\": %.3f, \"args\": {\"kernel\": ", (double)(e->start_ns - begin) * 1e-3,
                (double)e->duration_ns * 1e-3);
        write_text(file, e->kernel);
        fprintf(file, ", \"result\": ");
        write_text(file, e->shape);
        fprintf(file, ", \"bytes\": %zu}}", e->n_bytes);
    }
    fprintf(file, "\n]}\n");
}

static ob_status produce_trace(void *context, ob_write_sink sink, void *sink_context, ob_error *error) {
    (void)error;
    char *text = NULL;
    size_t n = 0;
    FILE *file = open_memstream(&text, &n);
    if (!file) return OB_E_MEMORY;
    write_trace(context, file);
    ob_status status = ferror(file) ? OB_E_MEMORY : OB_OK;
    if (fclose(file) != 0) status = OB_E_MEMORY;
    if (status == OB_OK) status = sink(sink_context, text, n);
    free(text);
    return status;
}

ob_status profile_write(profile *p, const char *path, ob_error *error) {
    stop_begin_file(path);
    ob_status status = ob_file_save(path, produce_trace, p, error);
    stop_end_file();
    return status;
}
