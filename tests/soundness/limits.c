#include "limits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "onnx_broadcast/onnx_broadcast.h"

static double now(void) {
    return (double)clock() / CLOCKS_PER_SEC;
}

/* ---- Memory that is counted ---- */

/* No block beyond `most` bytes, and none after `end`, so that an endless check returns. */
typedef struct account {
    uint64_t used, peak, most, n_calls;
    double end;
} account;

static bool admits(account *a, size_t n_bytes) {
    if (++a->n_calls % 256 == 0 && now() > a->end) a->most = 0;
    if (a->used + n_bytes > a->most) return false;
    a->used += n_bytes;
    if (a->used > a->peak) a->peak = a->used;
    return true;
}

static void *counted_alloc(void *context, size_t n_bytes) {
    account *a = context;
    if (!admits(a, n_bytes)) return NULL;
    void *block = malloc(n_bytes);
    if (!block) a->used -= n_bytes;
    return block;
}

static void counted_free(void *context, void *block, size_t n_bytes) {
    account *a = context;
    if (block) a->used -= n_bytes;
    free(block);
}

static void *counted_realloc(void *context, void *block, size_t old_bytes, size_t new_bytes) {
    account *a = context;
    if (!admits(a, new_bytes)) return NULL;
    void *grown = realloc(block, new_bytes);
    a->used -= grown ? block ? old_bytes : 0 : new_bytes;
    return grown;
}

/* ---- One model ---- */

/* The whole contract of a report. */
static ob_status read_report(ob_report *report, usage *out) {
    ob_contract_info info = ob_report_contract(report);
    ob_status status = OB_OK;
    out->is_partial = info.status == OB_CONTRACT_PARTIAL;
    for (size_t i = 0; i < ob_report_finding_count(report) && status == OB_OK; i++) {
        ob_finding_info finding;
        status = ob_report_finding(report, i, &finding);
    }
    for (size_t i = 0; i < info.n_clauses && status == OB_OK; i++) {
        ob_clause_info clause;
        status = ob_report_clause(report, i, &clause);
    }
    for (size_t i = 0; i < info.n_unverified && status == OB_OK; i++) {
        ob_unverified_info entry;
        status = ob_report_unverified(report, i, &entry);
        if (status == OB_OK && strstr(entry.reason, "too complex")) out->is_given_up = true;
    }
    return status;
}

bool usage_of(const char *text, const usage *most, usage *out, char message[400]) {
    double start = now();
    account a = {.most = most->n_bytes, .end = start + 4 * most->seconds};
    const ob_allocator allocator = {counted_alloc, counted_realloc, counted_free, &a};
    ob_model *model = NULL;
    ob_report *report = NULL;
    ob_error error;
    const ob_load_options options = {.allocator = &allocator};
    ob_error_clear(&error);
    memset(out, 0, sizeof *out);
    ob_status status = ob_model_load_memory(text, strlen(text), "random", &options, &model, &error);
    if (status == OB_OK) status = ob_check(model, NULL, &report, &error);
    if (status == OB_OK) status = read_report(report, out);
    ob_report_close(&report);
    ob_model_close(&model);
    out->seconds = now() - start;
    out->n_bytes = a.peak;
    bool late = out->seconds > most->seconds;
    if (status != OB_OK || late || a.used)
        snprintf(message, 400, "%.2f s, %.1f MB%s: %.250s", out->seconds, (double)a.peak / 1e6,
                 a.used ? ", not all given back" : "", status != OB_OK ? error.message : "");
    return status == OB_OK && !late && !a.used;
}
