/* The buffer that a session needs, found by making and running it in buffers. */
#include <stdint.h>
#include <string.h>

#include "core/base/error.h"
#include "runtime/plan/plan.h"
#include "runtime/session.h"

typedef struct request {
    const ob_model *model;
    const ob_session_config *config;
    const ob_view *inputs; /* NULL: as declared */
    size_t n_inputs;
    const ob_allocator *outer;
} request;

enum { RUNS = 3 }; /* the second and third take the place of results of the one before */

static bool has_data(const ob_view *inputs, size_t n_inputs) {
    for (size_t i = 0; i < n_inputs; i++)
        if (!inputs[i].data && ob_view_count(&inputs[i]) != 0) return false;
    return true;
}

/* Whether runs allocate, and how much depends on their data. */
static bool allocates(const ob_session *session) {
    if (session->current->memory.n_dynamic > 0 || session->has_cells) return true;
    for (uint32_t i = 0; i < session->facts.n_facts; i++)
        if (session->facts.facts[i].type.dtype == OB_STRING) return true;
    return false;
}

static ob_status run_planned(const request *r, ob_session *session, const ob_view *inputs, ob_error *error) {
    const bool can_run = r->inputs && has_data(inputs, r->n_inputs);
    if (allocates(session)) {
        OB_FAIL_IF(r->config->caller_memory, error, OB_E_UNSUPPORTED,
                   "runs allocate as their data demand, which is not known beforehand with caller_memory");
        OB_FAIL_IF(!can_run, error, OB_E_ARGUMENT, "runs allocate as their data demand: the inputs must have data");
    }
    for (int i = 0; i < RUNS && can_run && !r->config->caller_memory; i++)
        OB_TRY(ob_session_run(session, inputs, r->n_inputs, NULL, 0, error));
    return OB_OK;
}

static ob_status plan_and_run(const request *r, ob_session *session, ob_error *error) {
    OB_FAIL_IF(session->has_cells, error, OB_E_UNSUPPORTED, "inputs and outputs must be tensors");
    const ob_view *inputs = r->inputs;
    ob_view *declared = NULL;
    const size_t n = session->n_inputs, n_bytes = n * sizeof *declared;
    ob_status status = OB_OK;
    if (!inputs && n > 0) {
        inputs = declared = r->outer->alloc(r->outer->context, n_bytes);
        OB_FAIL_IF(!declared, error, OB_E_MEMORY, "out of memory");
        memset(declared, 0, n_bytes);
        for (size_t i = 0; i < n && status == OB_OK; i++) status = ob_session_input_view(session, i, NULL, &declared[i], error);
    }
    if (status == OB_OK) status = ob_session_prepare(session, inputs, r->inputs ? r->n_inputs : n, error);
    if (status == OB_OK) status = run_planned(r, session, inputs, error);
    if (declared) r->outer->free(r->outer->context, declared, n_bytes);
    return status;
}

static ob_status try_in(const request *r, void *buffer, size_t n_bytes, ob_fixed_memory *memory, ob_error *error) {
    const ob_allocator allocator = ob_fixed_allocator(memory, buffer, n_bytes);
    ob_session_config config = *r->config;
    ob_session *session = NULL;
    config.allocator = &allocator;
    ob_status status = ob_session_create(r->model, &config, &session, error);
    if (status == OB_OK) status = plan_and_run(r, session, error);
    ob_session_close(&session);
    return status;
}

ob_status ob_session_memory_bytes(const ob_model *model, const ob_session_config *config, const ob_view *inputs, size_t n_inputs,
                                  size_t *n_bytes, ob_error *error) {
    enum { FIRST = 64 * 1024, ALIGNED = 16 };
    ob_session_config standard;
    ob_session_config_init(&standard);
    if (!config) config = &standard;
    ob_error_clear(error);
    OB_FAIL_IF(!n_bytes || (n_inputs && !inputs), error, OB_E_ARGUMENT, "inputs and n_bytes must not be NULL");
    OB_FAIL_IF(config->struct_bytes != sizeof *config, error, OB_E_ARGUMENT,
               "the configuration was not made by ob_session_config_init");
    OB_FAIL_IF(config->n_threads > 1, error, OB_E_ARGUMENT, "a session in one buffer has one thread, not %d", config->n_threads);
    const request r = {model, config, inputs, n_inputs, config->allocator ? config->allocator : ob_allocator_default()};
    for (size_t n = FIRST;; n *= 2) {
        OB_FAIL_IF(n > SIZE_MAX / 4, error, OB_E_MEMORY, "no buffer is large enough");
        unsigned char *buffer = r.outer->alloc(r.outer->context, n + ALIGNED);
        OB_FAIL_IF(!buffer, error, OB_E_MEMORY, "out of memory for a buffer of %zu bytes", n);
        ob_fixed_memory memory;
        ob_status status = try_in(&r, buffer + (ALIGNED - (uintptr_t)buffer % ALIGNED) % ALIGNED, n, &memory, error);
        r.outer->free(r.outer->context, buffer, n + ALIGNED);
        if (memory.refused) continue; /* also where something else was done instead */
        if (status == OB_OK) *n_bytes = memory.reached;
        return status;
    }
}
