/* Two operators of domain example.edge, as a shared library that needs only onnx_broadcast's headers and links nothing:
 *
 *     $ cc -std=c11 -shared -fPIC -o edge_operators.so edge_operators.c $(pkg-config --cflags onnx_broadcast)
 *     $ onnx-broadcast-check --op-library edge_operators.so front_end.onnxtxt
 *
 * - LeakyAdd(a, b): s = a + b with broadcasting; s where s > 0, else slope * s; then cut to -limit .. limit.
 * - Frames(signal): cuts the last axis into pieces of `size` elements that begin `step` apart: [..., n] becomes
 *   [..., floor((n - size)/step) + 1, size]. */
#include <onnx_broadcast/operator.h>

#include <string.h>

/* ---- LeakyAdd: broadcasts, so it needs no shape rule; for_each passes one run of elements at a time ---- */

typedef struct leaky_add {
    float slope, limit;
} leaky_add;

static ob_status leaky_add_plan(ob_operator_call *call) {
    leaky_add *state = (leaky_add *)call->state;
    state->slope = call->host->attribute_real(call, "slope");
    state->limit = call->host->attribute_real(call, "limit");
    if (!(state->limit > 0))
        return call->host->fail(call, OB_E_ARGUMENT, -1, -1, "limit is %g, it must be over 0", (double)state->limit);
    return OB_OK;
}

static void leaky_add_loop(char *const *at, const int64_t *strides, int64_t n, const void *parameters) {
    const leaky_add *p = (const leaky_add *)parameters;
    for (int64_t i = 0; i < n; i++) {
        float s = *(const float *)(at[0] + i * strides[0]) + *(const float *)(at[1] + i * strides[1]);
        if (!(s > 0)) s *= p->slope;
        *(float *)(at[2] + i * strides[2]) = s > p->limit ? p->limit : s < -p->limit ? -p->limit : s;
    }
}

static ob_status leaky_add_run(ob_operator_call *call) {
    return call->host->for_each(call, call->inputs, 2, call->outputs, 1, leaky_add_loop, call->state);
}

/* ---- Frames: sizes may be symbols while a model is checked, so they are computed with the host's functions ---- */

static ob_status frames_shape(ob_operator_call *call) {
    const ob_operator_host *host = call->host;
    int64_t size = host->attribute_int(call, "size"), step = host->attribute_int(call, "step");
    if (size < 1 || step < 1) return host->fail(call, OB_E_ARGUMENT, -1, -1, "size and step must be 1 or more");
    ob_shape signal = host->input_shape(call, 0);
    if (signal.rank == OB_RANK_UNKNOWN) return host->set_output(call, 0, OB_NONE, OB_RANK_UNKNOWN, NULL);
    if (signal.rank == 0 || signal.rank >= OB_MAX_RANK)
        return host->fail(call, OB_E_SHAPE, 0, -1, "a signal has 1 to %d axes, not %d", OB_MAX_RANK - 1, signal.rank);

    int32_t last = signal.rank - 1;
    ob_status status = host->require(call, OB_COND_AT_LEAST, signal.dims[last], size, 0, -1);
    if (status != OB_OK) return status;
    ob_dim dims[OB_MAX_RANK];
    for (int32_t i = 0; i < last; i++) dims[i] = signal.dims[i];
    dims[last] = host->add(call, host->floor_div(call, host->sub(call, signal.dims[last], size), step), 1);
    dims[last + 1] = size;
    return host->set_output(call, 0, OB_NONE, last + 2, dims);
}

typedef struct frames {
    const char *from;
    char *to;
    int64_t n_samples, n_frames, step; /* of one row of the signal */
    size_t frame_bytes, sample_bytes;
} frames;

static void frames_task(void *context, int64_t begin, int64_t end) {
    const frames *f = (const frames *)context;
    for (int64_t i = begin; i < end; i++) {
        int64_t row = i / f->n_frames, first = i % f->n_frames * f->step;
        const char *from = f->from + (size_t)(row * f->n_samples + first) * f->sample_bytes;
        memcpy(f->to + (size_t)i * f->frame_bytes, from, f->frame_bytes);
    }
}

static ob_status frames_run(ob_operator_call *call) {
    const ob_view *signal = &call->inputs[0], *out = &call->outputs[0];
    int64_t n = 1;
    for (int32_t i = 0; i < out->rank - 1; i++) n *= out->dims[i];
    size_t sample_bytes = signal->dtype == OB_FLOAT ? sizeof(float) : sizeof(int16_t);
    frames f = {.from = (const char *)signal->data,
                .to = (char *)out->data,
                .n_samples = signal->dims[signal->rank - 1],
                .n_frames = out->dims[out->rank - 2],
                .step = call->host->attribute_int(call, "step"),
                .frame_bytes = (size_t)out->dims[out->rank - 1] * sample_bytes,
                .sample_bytes = sample_bytes};
    return call->host->parallel(call, n, 64, frames_task, &f);
}

/* ---- The table ---- */

static const ob_operator_attribute leaky_add_attributes[] = {
    {.name = "slope", .kind = OB_ATTRIBUTE_REAL, .real = 0.01f},
    {.name = "limit", .kind = OB_ATTRIBUTE_REAL, .real = 6.0f},
};

static const ob_operator_attribute frames_attributes[] = {
    {.name = "size", .kind = OB_ATTRIBUTE_INT, .required = true},
    {.name = "step", .kind = OB_ATTRIBUTE_INT, .integer = 1},
};

static const ob_operator operators[] = {
    {.struct_bytes = sizeof(ob_operator),
     .domain = "example.edge",
     .name = "LeakyAdd",
     .since = 1,
     .signature = "ff>f",
     .attributes = leaky_add_attributes,
     .n_attributes = 2,
     .flags = OB_OPERATOR_BROADCASTS | OB_OPERATOR_STRIDED | OB_OPERATOR_IN_PLACE,
     .state_bytes = sizeof(leaky_add),
     .plan = leaky_add_plan,
     .run = leaky_add_run},
    {.struct_bytes = sizeof(ob_operator),
     .domain = "example.edge",
     .name = "Frames",
     .since = 1,
     .signature = "T>T",
     .types = {OB_OPERATOR_TYPE(OB_FLOAT) | OB_OPERATOR_TYPE(OB_INT16)},
     .attributes = frames_attributes,
     .n_attributes = 2,
     .shape = frames_shape,
     .run = frames_run},
};

static const ob_operator_library library = {
    .abi = OB_OPERATOR_ABI,
    .struct_bytes = sizeof(ob_operator_library),
    .name = "edge",
    .version = "1.0",
    .operators = operators,
    .n_operators = sizeof operators / sizeof operators[0],
};

const ob_operator_library *onnx_broadcast_operators(uint32_t host_abi) {
    return host_abi == OB_OPERATOR_ABI ? &library : NULL;
}
