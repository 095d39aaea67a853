#include "check_jobs.h"

#include <pthread.h>
#include <stdlib.h>

static const char tool[] = "onnx-broadcast-check";

void check_file(const settings *s, const char *path, ob_pass_hook after_pass, void *context, checked *out) {
    ob_check_options options = s->check;
    *out = (checked){.model = NULL};
    if (read_model(tool, path, s->operators, &s->assumed_opsets, s->verbose, 0, &out->model, &out->error) != OB_OK) return;
    options.after_pass = after_pass;
    options.context = context;
    if (s->baseline.accepted) {
        out->baseline_model = baseline_name(&s->baseline, path);
        if (!out->baseline_model) {
            out->error.code = OB_E_MEMORY;
            return;
        }
    }
    if (s->baseline.read) {
        options.baseline = s->baseline.accepted;
        options.baseline_model = out->baseline_model;
    }
    const ob_status status = ob_check(out->model, &options, &out->report, &out->error);
    if (status != OB_OK && out->error.code == OB_OK) out->error.code = status;
}

void checked_release(checked *c) {
    ob_report_close(&c->report);
    ob_model_close(&c->model);
    free(c->baseline_model);
    c->baseline_model = NULL;
}

/* Models that are ready but not taken use memory: threads stop this far ahead. */
enum { AHEAD = 2 /* files for each thread */ };

struct jobs {
    const settings *s;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t n_begun, n_taken, n_ahead;
    bool ended;
    checked *slots; /* n_ahead: file i is in slot i % n_ahead */
    bool *ready;
    size_t n_threads;
    pthread_t threads[];
};

static void *work(void *context) {
    jobs *j = context;
    pthread_mutex_lock(&j->lock);
    for (;;) {
        while (!j->ended && j->n_begun < j->s->n_files && j->n_begun >= j->n_taken + j->n_ahead)
            pthread_cond_wait(&j->changed, &j->lock);
        if (j->ended || j->n_begun == j->s->n_files) break;
        const size_t i = j->n_begun++;
        pthread_mutex_unlock(&j->lock);
        check_file(j->s, j->s->files[i], NULL, NULL, &j->slots[i % j->n_ahead]);
        pthread_mutex_lock(&j->lock);
        j->ready[i % j->n_ahead] = true;
        pthread_cond_broadcast(&j->changed);
    }
    pthread_mutex_unlock(&j->lock);
    return NULL;
}

jobs *jobs_start(const settings *s, size_t n_threads) {
    jobs *j = calloc(1, sizeof *j + n_threads * sizeof *j->threads);
    if (!j) return NULL;
    j->s = s;
    j->n_ahead = n_threads * AHEAD;
    j->slots = calloc(j->n_ahead, sizeof *j->slots);
    j->ready = calloc(j->n_ahead, sizeof *j->ready);
    pthread_mutex_init(&j->lock, NULL);
    pthread_cond_init(&j->changed, NULL);
    while (j->slots && j->ready && j->n_threads < n_threads && pthread_create(&j->threads[j->n_threads], NULL, work, j) == 0)
        j->n_threads++;
    if (j->n_threads > 0) return j;
    jobs_end(j);
    return NULL;
}

void jobs_take(jobs *j, size_t i, checked *out) {
    pthread_mutex_lock(&j->lock);
    while (!j->ready[i % j->n_ahead]) pthread_cond_wait(&j->changed, &j->lock);
    *out = j->slots[i % j->n_ahead];
    j->slots[i % j->n_ahead] = (checked){.model = NULL};
    j->ready[i % j->n_ahead] = false;
    j->n_taken = i + 1;
    pthread_cond_broadcast(&j->changed);
    pthread_mutex_unlock(&j->lock);
}

void jobs_end(jobs *j) {
    if (!j) return;
    pthread_mutex_lock(&j->lock);
    j->ended = true;
    pthread_cond_broadcast(&j->changed);
    pthread_mutex_unlock(&j->lock);
    for (size_t i = 0; i < j->n_threads; i++) pthread_join(j->threads[i], NULL);
    for (size_t i = 0; j->slots && i < j->n_ahead; i++) checked_release(&j->slots[i]);
    pthread_cond_destroy(&j->changed);
    pthread_mutex_destroy(&j->lock);
    free(j->slots);
    free(j->ready);
    free(j);
}
