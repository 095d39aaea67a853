/* C of the module onnx_broadcast._native, behind the declarations of glue.cdef. Only the stable interface of Python is used. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- Cancelling ---- */

typedef struct ob_python_watch {
    void *context;
    int64_t next_ns;
    bool stop;
} ob_python_watch;

static bool ob_python_poll(void *context);

static bool ob_python_cancelled(void *context) {
    ob_python_watch *watch = context;
    enum { EVERY_NS = 50000000 };
    struct timespec now;
    if (__atomic_load_n(&watch->stop, __ATOMIC_RELAXED)) return true;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const int64_t ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    if (ns < watch->next_ns) return false;
    watch->next_ns = ns + EVERY_NS;
    if (ob_python_poll(watch->context)) __atomic_store_n(&watch->stop, true, __ATOMIC_RELAXED);
    return __atomic_load_n(&watch->stop, __ATOMIC_RELAXED);
}

static ob_status ob_python_after_pass(void *watch, const char *pass, const ob_model *model) {
    (void)pass, (void)model;
    return ob_python_cancelled(watch) ? OB_E_CANCELLED : OB_OK;
}

/* ---- DLPack ---- */

typedef struct {
    int32_t device_type, device_id;
} ob_python_device;
typedef struct {
    uint8_t code, bits;
    uint16_t lanes;
} ob_python_dltype;
typedef struct ob_python_dltensor {
    void *data;
    ob_python_device device;
    int32_t ndim;
    ob_python_dltype dtype;
    int64_t *shape, *strides;
    uint64_t byte_offset;
} ob_python_dltensor;
typedef struct ob_python_managed {
    ob_python_dltensor tensor;
    void *context;
    void (*deleter)(struct ob_python_managed *self);
} ob_python_managed;
typedef struct ob_python_managed_versioned {
    uint32_t major, minor;
    void *context;
    void (*deleter)(struct ob_python_managed_versioned *self);
    uint64_t flags;
    ob_python_dltensor tensor;
} ob_python_managed_versioned;

static void ob_python_release(void *context);

static void delete_managed(ob_python_managed *self) {
    ob_python_release(self->context);
    free(self);
}

static void delete_versioned(ob_python_managed_versioned *self) {
    ob_python_release(self->context);
    free(self);
}

static void fill_tensor(ob_python_dltensor *tensor, int64_t *sizes, void *data, ob_python_dltype dtype, int32_t rank,
                        const int64_t *shape, const int64_t *strides) {
    if (rank > 0) {
        memcpy(sizes, shape, (size_t)rank * sizeof *sizes);
        memcpy(sizes + rank, strides, (size_t)rank * sizeof *sizes);
    }
    *tensor = (ob_python_dltensor){
        .data = data, .device = {1, 0}, .ndim = rank, .dtype = dtype, .shape = sizes, .strides = sizes + rank};
}

static void *ob_python_export(bool versioned, uint64_t flags, void *data, ob_python_dltype dtype, int32_t rank,
                              const int64_t *shape, const int64_t *strides, void *context) {
    const size_t n_sizes = (size_t)rank * 2 * sizeof(int64_t);
    if (versioned) {
        ob_python_managed_versioned *out = malloc(sizeof *out + n_sizes);
        if (!out) return NULL;
        out->major = 1, out->minor = 0;
        out->context = context, out->deleter = delete_versioned, out->flags = flags;
        fill_tensor(&out->tensor, (int64_t *)(out + 1), data, dtype, rank, shape, strides);
        return out;
    }
    ob_python_managed *out = malloc(sizeof *out + n_sizes);
    if (!out) return NULL;
    out->context = context, out->deleter = delete_managed;
    fill_tensor(&out->tensor, (int64_t *)(out + 1), data, dtype, rank, shape, strides);
    return out;
}

static void ob_python_consumed(bool versioned, void *managed) {
    if (versioned) {
        ob_python_managed_versioned *self = managed;
        if (self->deleter) self->deleter(self);
    } else {
        ob_python_managed *self = managed;
        if (self->deleter) self->deleter(self);
    }
}

/* A capsule that nobody consumed still has its first name. An exception that is on its way stays. */
static void destroy_capsule(PyObject *capsule) {
    PyObject *kind, *value, *trace;
    PyErr_Fetch(&kind, &value, &trace);
    if (PyCapsule_IsValid(capsule, "dltensor"))
        ob_python_consumed(false, PyCapsule_GetPointer(capsule, "dltensor"));
    else if (PyCapsule_IsValid(capsule, "dltensor_versioned"))
        ob_python_consumed(true, PyCapsule_GetPointer(capsule, "dltensor_versioned"));
    PyErr_Restore(kind, value, trace);
}

static void *ob_python_destructor(void) {
    return (void *)destroy_capsule;
}
