/* The real ONNX Runtime for tests, loaded by path. Tensors are passed and returned as ob_view; a failing call returns false and
 * leaves a sentence in ort_host.error.
 *
 *     ort_host host;
 *     ort_session session;
 *     if (!ort_open(&host, OB_ONNXRUNTIME_LIBRARY)) ...host.error...
 *     if (!ort_session_open(&host, bytes, n_bytes, &(ort_options){.optimize = true}, &session)) ...host.error...
 *     ob_view outputs[1];
 *     if (ort_run(&session, inputs, n_inputs, outputs, 1)) ort_views_free(outputs, 1);
 *     ort_session_close(&session);
 *     ort_close(&host);
 */
#ifndef OB_TESTS_ORT_HOST_H
#define OB_TESTS_ORT_HOST_H

#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <onnxruntime_c_api.h>

#include "onnx_broadcast/onnx_broadcast.h"
#include "variants.h"

enum { ORT_MAX_VALUES = 64 };

typedef struct ort_host {
    const OrtApi *api;
    uint32_t api_version; /* of `api`: that of the headers, or the newest that an older library has */
    const char *version;  /* of the library, for instance "1.30.0" */
    OrtEnv *env;
    OrtMemoryInfo *memory;
    OrtAllocator *allocator; /* the default one; not owned */
    char error[2048];
} ort_host;

typedef struct ort_options {
    const char *plugin; /* library of custom operators, or NULL */
    bool optimize;      /* all graph optimisations, or none */
    int n_threads;      /* within an operator; 0: 1 */
    const char *saved;  /* where to write the model that optimisations leave; NULL: nowhere */
} ort_options;

typedef struct ort_session {
    ort_host *host;
    OrtSession *session;
    size_t n_inputs, n_outputs;
    char *input_names[ORT_MAX_VALUES], *output_names[ORT_MAX_VALUES];
} ort_session;

static inline bool ort_fail(ort_host *host, const char *message) {
    snprintf(host->error, sizeof host->error, "%s", message);
    return false;
}

/* True for success; otherwise takes the status and keeps its message. */
static inline bool ort_ok(ort_host *host, OrtStatus *status) {
    if (!status) return true;
    ort_fail(host, host->api->GetErrorMessage(status));
    host->api->ReleaseStatus(status);
    return false;
}

/* ---- The library ---- */

static inline void ORT_API_CALL ort_keep_quiet(void *parameter, OrtLoggingLevel severity, const char *category, const char *id,
                                               const char *location, const char *message) {
    (void)parameter, (void)severity, (void)category, (void)id;
    if (getenv("OB_ORT_LOG")) fprintf(stderr, "%s: %s\n", location, message);
}

/* LeakSanitizer runs at exit, after the library's destructors, and would count their leaks. So it runs once before them; it
 * exists in sanitizer builds only. */
__attribute__((weak)) void __lsan_do_leak_check(void);

static inline void ort_look_for_leaks(void) {
    if (__lsan_do_leak_check) __lsan_do_leak_check();
}

static inline void ort_close(ort_host *host) {
    if (host->memory) host->api->ReleaseMemoryInfo(host->memory);
    if (host->env) host->api->ReleaseEnv(host->env);
    host->memory = NULL;
    host->env = NULL;
    atexit(ort_look_for_leaks); /* the last that is registered is the first that runs */
}

/* The library stays loaded after ort_close, because it cannot be unloaded safely. Its log is dropped unless OB_ORT_LOG is
 * set. */
static inline bool ort_open(ort_host *host, const char *library_path) {
    memset(host, 0, sizeof *host);
    void *library = dlopen(library_path, RTLD_NOW | RTLD_LOCAL);
    if (!library) return ort_fail(host, dlerror());
    const OrtApiBase *(*get_base)(void) = NULL;
    void *symbol = dlsym(library, "OrtGetApiBase");
    if (!symbol) return ort_fail(host, "the library has no OrtGetApiBase");
    memcpy(&get_base, &symbol, sizeof get_base);
    host->version = get_base()->GetVersionString();
    for (uint32_t v = ORT_API_VERSION; v > 0 && !host->api; v--) {
        host->api = get_base()->GetApi(v);
        host->api_version = v;
    }
    if (!host->api) return ort_fail(host, "the library gives no API");
    if (ort_ok(host, host->api->CreateEnvWithCustomLogger(ort_keep_quiet, NULL, ORT_LOGGING_LEVEL_WARNING, "test", &host->env)) &&
        ort_ok(host, host->api->CreateCpuMemoryInfo(OrtArenaAllocator, OrtMemTypeDefault, &host->memory)) &&
        ort_ok(host, host->api->GetAllocatorWithDefaultOptions(&host->allocator)))
        return true;
    ort_close(host);
    return false;
}

/* ---- Sessions ---- */

static inline void ort_session_close(ort_session *s) {
    if (!s->host) return;
    const OrtApi *api = s->host->api;
    for (size_t i = 0; i < s->n_inputs; i++) api->ReleaseStatus(api->AllocatorFree(s->host->allocator, s->input_names[i]));
    for (size_t i = 0; i < s->n_outputs; i++) api->ReleaseStatus(api->AllocatorFree(s->host->allocator, s->output_names[i]));
    if (s->session) api->ReleaseSession(s->session);
    memset(s, 0, sizeof *s);
}

static inline bool ort_set_options(ort_host *host, OrtSessionOptions *options, const ort_options *wanted) {
    const OrtApi *api = host->api;
    GraphOptimizationLevel level = wanted->optimize ? ORT_ENABLE_ALL : ORT_DISABLE_ALL;
    if (!ort_ok(host, api->SetSessionGraphOptimizationLevel(options, level)) ||
        !ort_ok(host, api->SetIntraOpNumThreads(options, wanted->n_threads > 0 ? wanted->n_threads : 1)) ||
        !ort_ok(host, api->SetInterOpNumThreads(options, 1)))
        return false;
    if (wanted->saved && !ort_ok(host, api->SetOptimizedModelFilePath(options, wanted->saved))) return false;
    if (!wanted->plugin) return true;
    if (host->api_version >= 14) return ort_ok(host, api->RegisterCustomOpsLibrary_V2(options, wanted->plugin));
    void *handle = NULL; /* the caller's to unload, not before the sessions are gone: it stays */
    return ort_ok(host, api->RegisterCustomOpsLibrary(options, wanted->plugin, &handle));
}

/* Reads names of inputs without initializers (or of outputs) and their count, which grows as names come. */
static inline bool ort_read_names(ort_session *s, bool inputs) {
    const OrtApi *api = s->host->api;
    size_t n = 0, *count = inputs ? &s->n_inputs : &s->n_outputs;
    if (!ort_ok(s->host, inputs ? api->SessionGetInputCount(s->session, &n) : api->SessionGetOutputCount(s->session, &n)))
        return false;
    if (n > ORT_MAX_VALUES) return ort_fail(s->host, "more inputs or outputs than host.h has room for");
    for (size_t i = 0; i < n; i++, *count = i) {
        char **name = inputs ? &s->input_names[i] : &s->output_names[i];
        if (!ort_ok(s->host, inputs ? api->SessionGetInputName(s->session, i, s->host->allocator, name)
                                    : api->SessionGetOutputName(s->session, i, s->host->allocator, name)))
            return false;
    }
    return true;
}

/* From a model in memory, which ONNX Runtime copies. */
static inline bool ort_session_open(ort_host *host, const void *bytes, size_t n_bytes, const ort_options *wanted,
                                    ort_session *s) {
    memset(s, 0, sizeof *s);
    OrtSessionOptions *options = NULL;
    if (!ort_ok(host, host->api->CreateSessionOptions(&options))) return false;
    s->host = host;
    bool ok = ort_set_options(host, options, wanted) &&
              ort_ok(host, host->api->CreateSessionFromArray(host->env, bytes, n_bytes, options, &s->session)) &&
              ort_read_names(s, true) && ort_read_names(s, false);
    host->api->ReleaseSessionOptions(options);
    if (!ok) ort_session_close(s);
    return ok;
}

static inline bool ort_session_open_model(ort_host *host, const ob_model *model, const ort_options *wanted, ort_session *s) {
    byte_buffer bytes = {0};
    ob_error error;
    bool ok = ob_model_write(model, OB_FORMAT_PROTOBUF, append_bytes, &bytes, &error) == OB_OK || ort_fail(host, error.message);
    ok = ok && ort_session_open(host, bytes.data, bytes.n, wanted, s);
    free(bytes.data);
    return ok;
}

/* From a model as text. */
static inline bool ort_session_open_text(ort_host *host, const char *text, const ort_options *wanted, ort_session *s) {
    ob_model *model = NULL;
    ob_error error;
    bool ok = ob_model_load_memory(text, strlen(text), "text", NULL, &model, &error) == OB_OK || ort_fail(host, error.message);
    ok = ok && ort_session_open_model(host, model, wanted, s);
    ob_model_close(&model);
    return ok;
}

/* ONNX Runtime numbers the types as TensorProto does, but leaves out float8e8m0: the 2-bit ones have its number and the
 * next. */
static inline ob_dtype ort_dtype_from(ONNXTensorElementDataType type) {
    int number = (int)type;
    return (ob_dtype)(number >= (int)OB_FLOAT8E8M0 ? number + 1 : number);
}

static inline bool ort_dtype_to(ort_host *host, ob_dtype dtype, ONNXTensorElementDataType *type) {
    int number = (int)dtype;
    if (dtype == OB_FLOAT8E8M0) return ort_fail(host, "ONNX Runtime has no tensors of float8e8m0");
    *type = (ONNXTensorElementDataType)(number > (int)OB_FLOAT8E8M0 ? number - 1 : number);
    return true;
}

/* The declared element type of an input; OB_NONE: not a tensor. */
static inline ob_dtype ort_input_type(const ort_session *s, size_t index) {
    const OrtApi *api = s->host->api;
    OrtTypeInfo *info = NULL;
    const OrtTensorTypeAndShapeInfo *tensor = NULL;
    ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
    if (!ort_ok(s->host, api->SessionGetInputTypeInfo(s->session, index, &info))) return OB_NONE;
    if (ort_ok(s->host, api->CastTypeInfoToTensorInfo(info, &tensor)) && tensor)
        ort_ok(s->host, api->GetTensorElementType(tensor, &type));
    api->ReleaseTypeInfo(info);
    return ort_dtype_from(type);
}

/* ---- Tensors. ONNX Runtime packs two 4-bit elements per byte, the first in the low bits; a view has one per byte. ---- */

static inline size_t ort_tensor_bytes(ob_dtype dtype, size_t n) {
    int bits = ob_dtype_file_bits(dtype);
    return bits < 8 ? (n * (size_t)bits + 7) / 8 : n * ob_dtype_size(dtype);
}

static inline void ort_pack(ob_dtype dtype, const uint8_t *from, uint8_t *to, size_t n) {
    size_t bits = (size_t)ob_dtype_file_bits(dtype), per_byte = 8 / bits;
    memset(to, 0, ort_tensor_bytes(dtype, n));
    for (size_t i = 0; i < n; i++) to[i / per_byte] |= (uint8_t)((from[i] & ((1u << bits) - 1)) << (i % per_byte * bits));
}

static inline void ort_unpack(ob_dtype dtype, const uint8_t *from, uint8_t *to, size_t n) {
    unsigned bits = (unsigned)ob_dtype_file_bits(dtype), per_byte = 8 / bits, sign = 1u << (bits - 1);
    bool is_signed = dtype == OB_INT4 || dtype == OB_INT2;
    for (size_t i = 0; i < n; i++) {
        unsigned value = (unsigned)from[i / per_byte] >> (i % per_byte * bits) & ((1u << bits) - 1);
        to[i] = (uint8_t)(is_signed ? (value ^ sign) - sign : value);
    }
}

static inline bool ort_set_strings(ort_host *host, OrtValue *value, const ob_view *view) {
    const ob_string *strings = view->data;
    for (size_t i = 0; i < (size_t)ob_view_count(view); i++) {
        char *buffer = NULL;
        if (!ort_ok(host, host->api->GetResizedStringTensorElementBuffer(value, i, strings[i].n, &buffer))) return false;
        if (strings[i].n) memcpy(buffer, strings[i].data, strings[i].n);
    }
    return true;
}

/* A copy of the view, which must be contiguous. */
static inline bool ort_value_from_view(ort_host *host, const ob_view *view, OrtValue **out) {
    const OrtApi *api = host->api;
    size_t n = (size_t)ob_view_count(view);
    OrtValue *value = NULL;
    void *data = NULL;
    ONNXTensorElementDataType type;
    if (!ob_view_is_contiguous(view)) return ort_fail(host, "an input is not contiguous");
    if (!ort_dtype_to(host, view->dtype, &type) ||
        !ort_ok(host, api->CreateTensorAsOrtValue(host->allocator, view->dims, (size_t)view->rank, type, &value)))
        return false;
    bool ok = true;
    if (view->dtype == OB_STRING)
        ok = ort_set_strings(host, value, view);
    else if (n > 0 && (ok = ort_ok(host, api->GetTensorMutableData(value, &data)))) {
        if (ob_dtype_file_bits(view->dtype) < 8)
            ort_pack(view->dtype, view->data, data, n);
        else
            memcpy(data, view->data, ort_tensor_bytes(view->dtype, n));
    }
    if (!ok) api->ReleaseValue(value);
    if (ok) *out = value;
    return ok;
}

/* Frees the results of ort_run and zeroes the views. A string tensor is one block: the elements, then their bytes. */
static inline void ort_views_free(ob_view *views, size_t n) {
    for (size_t i = 0; i < n; i++) free(views[i].data);
    memset(views, 0, n * sizeof *views);
}

static inline bool ort_get_strings(ort_host *host, const OrtValue *value, ob_view *view) {
    size_t n = (size_t)ob_view_count(view), n_bytes = 0;
    if (n > 0 && !ort_ok(host, host->api->GetStringTensorDataLength(value, &n_bytes))) return false;
    ob_string *strings = malloc(n * sizeof *strings + n_bytes + 1);
    size_t *offsets = malloc((n + 1) * sizeof *offsets);
    char *text = strings ? (char *)(strings + n) : NULL;
    bool ok = strings && offsets ? true : ort_fail(host, "out of memory");
    if (ok && n > 0) ok = ort_ok(host, host->api->GetStringTensorContent(value, text, n_bytes, offsets, n));
    for (size_t i = 0; ok && i < n; i++)
        strings[i] = (ob_string){text + offsets[i], (i + 1 < n ? offsets[i + 1] : n_bytes) - offsets[i]};
    free(offsets);
    if (!ok) free(strings);
    if (ok) view->data = strings;
    return ok;
}

/* A view with its own memory, also when it has no elements. */
static inline bool ort_view_from_value(ort_host *host, OrtValue *value, ob_view *out) {
    const OrtApi *api = host->api;
    OrtTensorTypeAndShapeInfo *info = NULL;
    ONNXTensorElementDataType type = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
    size_t rank = 0;
    int64_t dims[OB_MAX_RANK];
    int is_tensor = 0;
    if (!value) return ort_fail(host, "an output has no value");
    if (!ort_ok(host, api->IsTensor(value, &is_tensor))) return false;
    if (!is_tensor) return ort_fail(host, "an output is not a tensor");
    if (!ort_ok(host, api->GetTensorTypeAndShape(value, &info))) return false;
    bool ok = ort_ok(host, api->GetTensorElementType(info, &type)) && ort_ok(host, api->GetDimensionsCount(info, &rank));
    if (ok && rank > OB_MAX_RANK) ok = ort_fail(host, "an output has too high a rank");
    if (ok) ok = ort_ok(host, api->GetDimensions(info, dims, rank));
    api->ReleaseTensorTypeAndShapeInfo(info);
    ob_view view;
    char nothing[1];
    if (ok && ob_view_init(&view, nothing, ort_dtype_from(type), (int32_t)rank, dims) != OB_OK)
        ok = ort_fail(host, "an output has an element type or size that a view cannot have");
    if (!ok) return false;
    if (view.dtype == OB_STRING) {
        ok = ort_get_strings(host, value, &view);
    } else {
        size_t n = (size_t)ob_view_count(&view);
        void *data = NULL;
        view.data = malloc(n * ob_dtype_size(view.dtype) + 1);
        ok = view.data ? ort_ok(host, api->GetTensorMutableData(value, &data)) : ort_fail(host, "out of memory");
        if (ok && n > 0 && ob_dtype_file_bits(view.dtype) < 8)
            ort_unpack(view.dtype, data, view.data, n);
        else if (ok && n > 0)
            memcpy(view.data, data, n * ob_dtype_size(view.dtype));
        if (!ok) free(view.data);
    }
    if (ok) *out = view;
    return ok;
}

/* ---- Running ---- */

/* Inputs in the session's order, contiguous, copied. The first n_outputs results come as views that the caller frees with
 * ort_views_free; on failure they are zero. */
static inline bool ort_run(ort_session *s, const ob_view *inputs, size_t n_inputs, ob_view *outputs, size_t n_outputs) {
    const OrtApi *api = s->host->api;
    OrtValue *in[ORT_MAX_VALUES] = {NULL}, *out[ORT_MAX_VALUES] = {NULL};
    memset(outputs, 0, n_outputs * sizeof *outputs);
    if (n_inputs != s->n_inputs) return ort_fail(s->host, "the model takes another number of inputs");
    if (n_outputs > s->n_outputs) return ort_fail(s->host, "the model has fewer outputs");
    bool ok = true;
    for (size_t i = 0; ok && i < n_inputs; i++) ok = ort_value_from_view(s->host, &inputs[i], &in[i]);
    ok = ok && ort_ok(s->host, api->Run(s->session, NULL, (const char *const *)s->input_names, (const OrtValue *const *)in,
                                        n_inputs, (const char *const *)s->output_names, n_outputs, out));
    for (size_t i = 0; ok && i < n_outputs; i++) ok = ort_view_from_value(s->host, out[i], &outputs[i]);
    if (!ok) ort_views_free(outputs, n_outputs);
    for (size_t i = 0; i < n_inputs; i++)
        if (in[i]) api->ReleaseValue(in[i]);
    for (size_t i = 0; i < n_outputs; i++)
        if (out[i]) api->ReleaseValue(out[i]);
    return ok;
}

#endif
