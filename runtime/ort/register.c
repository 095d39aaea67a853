/* RegisterCustomOps: the one symbol that the plugin exports.
 *
 * ONNX Runtime calls it for each SessionOptions and keeps a pointer to the domain. Nothing tells the plugin when the last session
 * is gone. So a domain and its operators live as long as this library is loaded: made at the first registration with an ONNX
 * Runtime, released when the library is unloaded. This is the only state outside of kernels. */
#define _GNU_SOURCE /* dladdr */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ort/plugin.h"

/* ---- The operators' properties ---- */

static const ob__ort_row *const rows[] = {&ob__ort_broadcast, &ob__ort_broadcast_in_dim};
enum { N_ROWS = sizeof rows / sizeof rows[0], N_OPERATORS = N_ROWS + OB__ORT_FUSED };

static const char *ORT_API_CALL get_name(const OrtCustomOp *op) {
    return ((const ob__ort_operator *)(const void *)op)->name;
}
static const char *ORT_API_CALL get_provider(const OrtCustomOp *op) {
    (void)op;
    return NULL; /* the processor */
}
/* One variadic input and one variadic output of any type serve every operand. */
static size_t ORT_API_CALL get_count(const OrtCustomOp *op) {
    (void)op;
    return 1;
}
static ONNXTensorElementDataType ORT_API_CALL get_type(const OrtCustomOp *op, size_t index) {
    (void)op, (void)index;
    return ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
}
static OrtCustomOpInputOutputCharacteristic ORT_API_CALL get_characteristic(const OrtCustomOp *op, size_t index) {
    (void)op, (void)index;
    return INPUT_OUTPUT_VARIADIC;
}
static OrtMemType ORT_API_CALL get_memory_type(const OrtCustomOp *op, size_t index) {
    (void)op, (void)index;
    return OrtMemTypeDefault;
}
static int ORT_API_CALL get_least(const OrtCustomOp *op) {
    (void)op;
    return 1;
}
static int ORT_API_CALL get_homogeneity(const OrtCustomOp *op) {
    (void)op;
    return 0;
}
static int ORT_API_CALL get_version(const OrtCustomOp *op) {
    (void)op;
    return 1;
}

/* The API's callback for outputs that may reuse the memory of an input has no operator argument: one function for each row.
 * ONNX Runtime reuses memory only if no other node reads the input and both have the same known shape and type. */
#define SHARED(name, row)                                                                                                        \
    static size_t ORT_API_CALL name(int **inputs, int **outputs) {                                                               \
        *inputs = *outputs = (row).shared;                                                                                       \
        return (row).n_shared;                                                                                                   \
    }
SHARED(broadcast_shared, ob__ort_broadcast)
SHARED(broadcast_in_dim_shared, ob__ort_broadcast_in_dim)

static void ORT_API_CALL release_shared(int *inputs, int *outputs) {
    (void)inputs, (void)outputs; /* static */
}

/* number: part of the name, or 0. */
static void init_operator(ob__ort_operator *op, const OrtApi *api, const ob__ort_later *later, uint32_t version,
                          const ob__ort_row *row, unsigned number) {
    memset(op, 0, sizeof *op);
    op->api = api;
    op->later = *later;
    op->row = row;
    if (number)
        snprintf(op->name, sizeof op->name, "%s_%u", row->name, number);
    else
        snprintf(op->name, sizeof op->name, "%s", row->name);
    op->base.version = version;
    op->base.GetName = get_name;
    op->base.GetExecutionProviderType = get_provider;
    op->base.GetInputType = op->base.GetOutputType = get_type;
    op->base.GetInputTypeCount = op->base.GetOutputTypeCount = get_count;
    op->base.GetInputCharacteristic = op->base.GetOutputCharacteristic = get_characteristic;
    op->base.GetInputMemoryType = get_memory_type;
    op->base.GetVariadicInputMinArity = op->base.GetVariadicOutputMinArity = get_least;
    op->base.GetVariadicInputHomogeneity = op->base.GetVariadicOutputHomogeneity = get_homogeneity;
    op->base.CreateKernelV2 = ob__ort_kernel_create;
    op->base.KernelComputeV2 = ob__ort_kernel_run;
    op->base.KernelDestroy = ob__ort_kernel_destroy;
    op->base.InferOutputShapeFn = ob__ort_infer;
    op->base.GetStartVersion = op->base.GetEndVersion = get_version;
    if (row->n_shared == 0) return;
    op->base.GetMayInplace = row == &ob__ort_broadcast ? broadcast_shared : broadcast_in_dim_shared;
    op->base.ReleaseMayInplace = release_shared;
}

/* ---- Domains ---- */

/* More than one only when a process holds several ONNX Runtimes. */
enum { MAX_RUNTIMES = 8 };

static struct {
    const OrtApi *api;
    OrtCustomOpDomain *domain;
    void(ORT_API_CALL *release)(OrtCustomOpDomain *);
    ob__ort_operator operators[N_OPERATORS];
} registered[MAX_RUNTIMES];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Under the lock. */
static OrtStatus *domain_of(const OrtApi *api, const ob__ort_later *later, uint32_t version, OrtCustomOpDomain **out) {
    size_t i = 0;
    while (i < MAX_RUNTIMES && registered[i].api && registered[i].api != api) i++;
    if (i == MAX_RUNTIMES) return api->CreateStatus(ORT_FAIL, "onnx_broadcast: too many different ONNX Runtimes in one process");
    if (!registered[i].api) {
        OrtCustomOpDomain *domain = NULL;
        OB__ORT_TRY(api->CreateCustomOpDomain("onnx_broadcast", &domain));
        for (unsigned k = 0; k < N_OPERATORS; k++) {
            init_operator(&registered[i].operators[k], api, later, version, k < N_ROWS ? rows[k] : &ob__ort_fused_row,
                          k < N_ROWS ? 0 : k - N_ROWS + 1);
            OrtStatus *status = api->CustomOpDomain_Add(domain, &registered[i].operators[k].base);
            if (status) {
                api->ReleaseCustomOpDomain(domain);
                return status;
            }
        }
        registered[i].domain = domain;
        registered[i].release = api->ReleaseCustomOpDomain;
        registered[i].api = api;
    }
    *out = registered[i].domain;
    return NULL;
}

/* Not when ONNX Runtime was unloaded before. */
__attribute__((destructor)) static void release_domains(void) {
    for (size_t i = 0; i < MAX_RUNTIMES && registered[i].api; i++) {
        void *code;
        Dl_info there;
        memcpy(&code, &registered[i].release, sizeof code);
        if (dladdr(code, &there)) registered[i].release(registered[i].domain);
    }
}

/* ---- Registration ---- */

/* Asking for an API that is not there makes ONNX Runtime write to stderr, so its version text ("1.N.x": API N) is looked at
 * first. */
static uint32_t newest_of(const OrtApiBase *base) {
    const char *text = base->GetVersionString ? base->GetVersionString() : NULL;
    unsigned long newest = text && strncmp(text, "1.", 2) == 0 ? strtoul(text + 2, NULL, 10) : 0;
    return newest > 0 && newest < 1000 ? (uint32_t)newest : ORT_API_VERSION;
}

/* The newest API that both sides know, or NULL. */
static const OrtApi *common_api(const OrtApiBase *base, uint32_t newest, uint32_t *version) {
    for (uint32_t v = newest < ORT_API_VERSION ? newest : ORT_API_VERSION; v >= OB__ORT_API_OLDEST; v--) {
        const OrtApi *api = base->GetApi(v);
        *version = v;
        if (api) return api;
    }
    return NULL;
}

static OrtStatus *too_old(const OrtApiBase *base) {
    const OrtApi *api = base->GetApi(1);
    if (!api) return NULL; /* nothing to make a status with; the operators stay unknown and the model is refused */
    char message[160];
    snprintf(message, sizeof message, "onnx_broadcast needs ONNX Runtime 1.%d or newer, this is %.40s", OB__ORT_API_OLDEST,
             base->GetVersionString ? base->GetVersionString() : "of unknown version");
    return api->CreateStatus(ORT_NOT_IMPLEMENTED, message);
}

__attribute__((visibility("default"))) OrtStatus *ORT_API_CALL RegisterCustomOps(OrtSessionOptions *options,
                                                                                 const OrtApiBase *base);

OrtStatus *ORT_API_CALL RegisterCustomOps(OrtSessionOptions *options, const OrtApiBase *base) {
    uint32_t version = 0, newest = newest_of(base);
    const OrtApi *api = common_api(base, newest, &version);
    if (!api) return too_old(base);
    ob__ort_later later = ob__ort_later_of(newest >= OB__ORT_LATER ? base->GetApi(OB__ORT_LATER) : NULL);
    OrtCustomOpDomain *domain = NULL;
    pthread_mutex_lock(&lock);
    OrtStatus *status = domain_of(api, &later, version, &domain);
    pthread_mutex_unlock(&lock);
    return status ? status : api->AddCustomOpDomain(options, domain);
}
