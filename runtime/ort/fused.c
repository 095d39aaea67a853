/* Fused_1, Fused_2 ...: a group of nodes that this project's executor computes in one step (docs/onnxruntime.md).
 *
 * The attribute `program` is the group as a model in ONNX's text form. Its inputs are named x0, x1 ...: input xK is operand K of
 * the node. Operands that the program does not name are constants that it holds itself. A kernel has one session. For each
 * set of shapes it has a plan with workers, one for each thread that runs the kernel at the same time. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "onnx_broadcast/machine.h"
#include "onnx_broadcast/model.h"
#include "onnx_broadcast/session.h"
#include "onnx_broadcast/worker.h"
#include "ort/plugin.h"

/* MOST_AXES: of all operands. MOST_PLANS: shapes that a kernel remembers. MEMORY: in bytes, for the
 * session and its plans; results and the memory of runs are not counted. */
enum {
    MOST_OPERANDS = 16,
    MOST_AXES = 128,
    MOST_PLANS = 16,
    MOST_THREADS = 64,
    ALIGNMENT = 64,
    PROGRAM_BYTES = 1 << 20,
    MEMORY = 1 << 28
};

/* One run at a time. */
typedef struct runner {
    struct runner *next;
    ob_worker *worker;
    void *memory;                        /* of the worker, lent */
    const ob__ort_kernel *kernel;        /* during a run */
    const OrtKernelContext *context;     /* during a run */
    ob_view output;                      /* sizes and strides of the plan */
    ob_view inputs[/* kernel's n_in */]; /* the same; their data during a run */
} runner;

typedef struct plan {
    struct plan *next;
    runner *idle;      /* not in a run */
    uint32_t n_active; /* runners in a run */
    bool dropped;      /* freed when no runner is active */
    ob_view inputs[];
} plan;

struct ob__ort_fused {
    pthread_mutex_t lock; /* for all that follows `n_in` */
    char *program;
    size_t n_in;
    size_t operand[MOST_OPERANDS]; /* of the node, for each input of the session */
    ob_model *model;
    ob_session *session;
    plan *plans; /* the one that was used last comes first */
};

/* An operand of a run, as ONNX Runtime shows it. */
typedef struct given {
    ob_dtype dtype;
    int32_t rank;
    const int64_t *dims;
    void *data;
} given;

/* ---- Making a kernel ---- */

static OrtStatus *read_program(const ob__ort_kernel *kernel, const OrtKernelInfo *info, ob__ort_fused *fused) {
    const OrtApi *api = kernel->api;
    size_t n = 0;
    OrtStatus *status = api->KernelInfoGetAttribute_string(info, "program", NULL, &n);
    if (status) api->ReleaseStatus(status);
    if (status || n == 0) return ob__ort_failf(kernel, OB_E_MODEL, "it has no attribute 'program'");
    if (n > PROGRAM_BYTES) return ob__ort_failf(kernel, OB_E_LIMIT, "its program has more than %d bytes", PROGRAM_BYTES);
    fused->program = malloc(n + 1);
    if (!fused->program) return ob__ort_failf(kernel, OB_E_MEMORY, "out of memory for its program");
    OB__ORT_TRY(api->KernelInfoGetAttribute_string(info, "program", fused->program, &n));
    fused->program[n] = '\0';
    return NULL;
}

/* Calls part(work, index) for each index below n_parts, in the threads of ONNX Runtime. */
static void share(void *pool, void (*part)(void *work, size_t index), size_t n_parts, void *work) {
    const runner *r = pool;
    const OrtApi *api = r->kernel->api;
    OrtStatus *status = api->KernelContext_ParallelFor(r->context, part, n_parts, 0, work);
    if (!status) return;
    api->ReleaseStatus(status); /* it was not begun */
    for (size_t i = 0; i < n_parts; i++) part(work, i);
}

static bool is_whole_bytes(ob_dtype dtype) {
    return dtype != OB_NONE && dtype != OB_STRING && ob_dtype_file_bits(dtype) >= 8;
}

/* The operand with the number in the name of the session's input i. */
static OrtStatus *find_operand(const ob__ort_kernel *kernel, ob__ort_fused *fused, size_t i) {
    ob_session_value value;
    char *end = NULL;
    if (!ob_session_input(fused->session, i, &value)) return ob__ort_failf(kernel, OB_E_INTERNAL, "input %zu is gone", i);
    const bool digit = value.name[0] == 'x' && value.name[1] >= '0' && value.name[1] <= '9';
    const unsigned long number = digit ? strtoul(value.name + 1, &end, 10) : 0;
    if (!digit || *end || number >= kernel->n_inputs)
        return ob__ort_failf(kernel, OB_E_MODEL, "input '%.40s' of its program is none of the %zu operands", value.name,
                             kernel->n_inputs);
    if (!is_whole_bytes(value.dtype))
        return ob__ort_failf(kernel, OB_E_UNSUPPORTED, "input '%.40s' of its program has the element type %s", value.name,
                             ob_dtype_name(value.dtype));
    fused->operand[i] = number;
    return NULL;
}

static OrtStatus *open_session(const ob__ort_kernel *kernel, ob__ort_fused *fused) {
    ob_error error;
    ob_session_config config;
    ob_session_config_init(&config);
    const int n_threads = ob_machine_processors();
    config.n_threads = n_threads < MOST_THREADS ? n_threads : MOST_THREADS;
    config.share = share;
    config.external_data = false;
    config.caller_memory = true;
    config.max_memory = MEMORY;
    config.max_plans = 1; /* workers keep the others */
    ob_load_options options;
    ob_load_options_init(&options);
    options.format = OB_FORMAT_TEXT;
    error.code = ob_model_load_memory(fused->program, strlen(fused->program), "program", &options, &fused->model, &error);
    if (error.code == OB_OK) error.code = ob_session_create(fused->model, &config, &fused->session, &error);
    if (error.code != OB_OK)
        return ob__ort_failf(kernel, error.code, "its program: %s",
                             error.message[0] ? error.message : ob_status_text(error.code));
    fused->n_in = ob_session_input_count(fused->session);
    const size_t n_out = ob_session_output_count(fused->session);
    if (n_out != 1 || kernel->n_outputs != 1)
        return ob__ort_failf(kernel, OB_E_MODEL, "its program has %zu outputs, the node %zu: both need one", n_out,
                             kernel->n_outputs);
    if (fused->n_in == 0 || fused->n_in > MOST_OPERANDS)
        return ob__ort_failf(kernel, OB_E_LIMIT, "its program has %zu inputs, not 1 to %d", fused->n_in, MOST_OPERANDS);
    for (size_t i = 0; i < fused->n_in; i++) OB__ORT_TRY(find_operand(kernel, fused, i));
    return NULL;
}

static OrtStatus *create(ob__ort_kernel *kernel, const OrtKernelInfo *info) {
    ob__ort_fused *fused = calloc(1, sizeof *fused);
    if (!fused) return ob__ort_failf(kernel, OB_E_MEMORY, "out of memory");
    if (pthread_mutex_init(&fused->lock, NULL) != 0) {
        free(fused);
        return ob__ort_failf(kernel, OB_E_MEMORY, "no mutex");
    }
    kernel->fused = fused; /* destroyed with the kernel, also after a failure */
    OB__ORT_TRY(read_program(kernel, info, fused));
    return open_session(kernel, fused);
}

/* ---- Plans, under the lock ---- */

static void free_runner(runner *r) {
    ob_worker_close(&r->worker);
    free(r->memory);
    free(r);
}

static void free_plan(plan *p) {
    while (p->idle) {
        runner *r = p->idle;
        p->idle = r->next;
        free_runner(r);
    }
    free(p);
}

static void destroy(ob__ort_kernel *kernel) {
    ob__ort_fused *fused = kernel->fused;
    if (!fused) return;
    while (fused->plans) {
        plan *p = fused->plans;
        fused->plans = p->next;
        free_plan(p);
    }
    ob_session_close(&fused->session);
    ob_model_close(&fused->model);
    pthread_mutex_destroy(&fused->lock);
    free(fused->program);
    free(fused);
}

static bool fits(const ob_view *view, const given *g) {
    if (view->dtype != g->dtype || view->rank != g->rank) return false;
    for (int32_t a = 0; a < g->rank; a++)
        if (view->dims[a] != g->dims[a]) return false;
    return true;
}

/* The plan for these shapes, moved to the front; NULL: none. */
static plan *find_plan(ob__ort_fused *fused, const given *operands) {
    for (plan **at = &fused->plans; *at; at = &(*at)->next) {
        plan *p = *at;
        size_t i = 0;
        while (i < fused->n_in && fits(&p->inputs[i], &operands[i])) i++;
        if (i < fused->n_in) continue;
        *at = p->next;
        p->next = fused->plans;
        return fused->plans = p;
    }
    return NULL;
}

static void drop_old_plans(ob__ort_fused *fused) {
    size_t n = 0;
    plan **at = &fused->plans;
    while (*at && n < MOST_PLANS - 1) at = &(*at)->next, n++;
    while (*at) {
        plan *p = *at;
        *at = p->next;
        if (p->n_active > 0)
            p->dropped = true;
        else
            free_plan(p);
    }
}

static ob_status new_plan(ob__ort_fused *fused, const given *operands, plan **out, ob_error *error) {
    plan *p = calloc(1, sizeof *p + fused->n_in * sizeof *p->inputs);
    ob_status status = p ? OB_OK : OB_E_MEMORY;
    for (size_t i = 0; i < fused->n_in && status == OB_OK; i++)
        status = ob_view_init(&p->inputs[i], operands[i].data, operands[i].dtype, operands[i].rank, operands[i].dims);
    if (status == OB_OK) status = ob_session_prepare(fused->session, p->inputs, fused->n_in, error);
    if (status != OB_OK) {
        free(p);
        return status;
    }
    drop_old_plans(fused);
    p->next = fused->plans;
    *out = fused->plans = p;
    return OB_OK;
}

static ob_status new_runner(ob__ort_fused *fused, const plan *p, runner **out, ob_error *error) {
    const size_t n_bytes = fused->n_in * sizeof *p->inputs;
    ob_session_memory need;
    runner *r = calloc(1, sizeof *r + n_bytes);
    if (!r) return OB_E_MEMORY;
    memcpy(r->inputs, p->inputs, n_bytes);
    ob_worker_config config;
    ob_worker_config_init(&config);
    config.caller_memory = true;
    config.share_pool = r;
    ob_status status = ob_session_prepare(fused->session, r->inputs, fused->n_in, error);
    if (status == OB_OK) status = ob_worker_create(fused->session, &config, &r->worker, error);
    if (status == OB_OK) status = ob_worker_output(r->worker, 0, &r->output);
    if (status == OB_OK) {
        ob_worker_get_memory(r->worker, &need);
        const size_t size = ((size_t)need.work_bytes + ALIGNMENT) / ALIGNMENT * ALIGNMENT;
        if (need.work_bytes > SIZE_MAX / 2) status = OB_E_LIMIT;
        if (status == OB_OK && need.work_bytes > 0) {
            r->memory = aligned_alloc(ALIGNMENT, size);
            status = r->memory ? ob_worker_set_memory(r->worker, r->memory, size, error) : OB_E_MEMORY;
        }
    }
    if (status == OB_OK)
        *out = r;
    else
        free_runner(r);
    return status;
}

/* error is set, or has another code than the result. */
static ob_status take_runner(ob__ort_fused *fused, const given *operands, plan **p, runner **out, ob_error *error) {
    ob_error_clear(error);
    *p = find_plan(fused, operands);
    if (!*p) {
        ob_status status = new_plan(fused, operands, p, error);
        if (status != OB_OK) return status;
    }
    *out = (*p)->idle;
    if (*out)
        (*p)->idle = (*out)->next;
    else {
        ob_status status = new_runner(fused, *p, out, error);
        if (status != OB_OK) return status;
    }
    (*p)->n_active++;
    return OB_OK;
}

static void give_back(ob__ort_fused *fused, plan *p, runner *r) {
    pthread_mutex_lock(&fused->lock);
    r->next = p->idle;
    p->idle = r;
    if (--p->n_active == 0 && p->dropped) free_plan(p);
    pthread_mutex_unlock(&fused->lock);
}

/* ---- A run ---- */

/* Operand i of the session. dims: OB_MAX_RANK, for an ONNX Runtime that has no reference to them. */
static OrtStatus *get_operand(const ob__ort_kernel *kernel, const OrtKernelContext *context, size_t i, int64_t *dims,
                              given *out) {
    const OrtApi *api = kernel->api;
    const size_t index = kernel->fused->operand[i];
    const OrtValue *value = NULL;
    ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
    size_t rank = 0;
    OB__ORT_TRY(api->KernelContext_GetInput(context, index, &value));
    if (!value) return ob__ort_failf(kernel, OB_E_MODEL, "operand %zu is left out", index);
    if (kernel->later.shape_reference) {
        OB__ORT_TRY(kernel->later.shape_reference(value, &type, &out->dims, &rank));
    } else {
        OB__ORT_TRY(ob__ort_shape_of(kernel, value, index, dims, &rank, &type));
        out->dims = dims;
    }
    if (rank > OB_MAX_RANK) return ob__ort_failf(kernel, OB_E_LIMIT, "operand %zu has rank %zu", index, rank);
    out->rank = (int32_t)rank;
    out->dtype = ob__ort_dtype(type);
    if (!is_whole_bytes(out->dtype))
        return ob__ort_failf(kernel, OB_E_TYPE, "operand %zu: element type %d of ONNX Runtime", index, (int)type);
    /* The API has no other name for reading; the operand is not written. */
    return api->GetTensorMutableData((OrtValue *)(uintptr_t)value, &out->data);
}

static OrtStatus *compute(const ob__ort_kernel *kernel, OrtKernelContext *context, runner *r, const given *operands) {
    const OrtApi *api = kernel->api;
    const size_t n_in = kernel->fused->n_in;
    OrtValue *value = NULL;
    ob_error error;
    ob_view out = r->output;
    OB__ORT_TRY(api->KernelContext_GetOutput(context, 0, out.dims, (size_t)out.rank, &value));
    if (!value || ob_view_count(&out) == 0) return NULL; /* it is not requested, or it is empty */
    OB__ORT_TRY(api->GetTensorMutableData(value, &out.data));
    for (size_t i = 0; i < n_in; i++) r->inputs[i].data = operands[i].data;
    r->kernel = kernel;
    r->context = context;
    error.code = ob_worker_run(r->worker, r->inputs, n_in, &out, 1, &error);
    return error.code == OB_OK ? NULL : ob__ort_fail(kernel, &error);
}

static OrtStatus *get_operands(const ob__ort_kernel *kernel, const OrtKernelContext *context, int64_t *dims, given *operands) {
    int32_t n_axes = 0;
    for (size_t i = 0; i < kernel->fused->n_in; i++) {
        OB__ORT_TRY(get_operand(kernel, context, i, dims + n_axes, &operands[i]));
        n_axes += operands[i].rank;
        if (n_axes > MOST_AXES) return ob__ort_failf(kernel, OB_E_LIMIT, "its operands have more than %d axes", MOST_AXES);
    }
    return NULL;
}

static OrtStatus *take(const ob__ort_kernel *kernel, const given *operands, plan **p, runner **r) {
    ob__ort_fused *fused = kernel->fused;
    ob_error error;
    pthread_mutex_lock(&fused->lock);
    ob_status status = take_runner(fused, operands, p, r, &error);
    pthread_mutex_unlock(&fused->lock);
    if (status == OB_OK) return NULL;
    if (error.code != status) ob_error_clear(&error);
    error.code = status;
    return ob__ort_fail(kernel, &error);
}

static OrtStatus *run(const ob__ort_kernel *kernel, OrtKernelContext *context) {
    given operands[MOST_OPERANDS];
    int64_t dims[MOST_AXES + OB_MAX_RANK];
    plan *p = NULL;
    runner *r = NULL;
    OB__ORT_TRY(get_operands(kernel, context, dims, operands));
    OB__ORT_TRY(take(kernel, operands, &p, &r));
    OrtStatus *failure = compute(kernel, context, r, operands);
    give_back(kernel->fused, p, r);
    return failure;
}

const ob__ort_row ob__ort_fused_row = {.name = "Fused", .create = create, .run = run, .destroy = destroy};
