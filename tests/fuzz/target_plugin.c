/* The plugin's operators through a table that replaces ONNX Runtime (fake_ort.c): the input's bytes choose operator, operands,
 * attributes and declarations. The results of a run are computed again, one element at a time. */
#include <string.h>

#include "fake_ort.h"
#include "ort/plugin.h"

typedef struct choices {
    const uint8_t *at, *end;
} choices;

/* 0 .. n - 1; 0 at the end of the input. */
static uint32_t choose(choices *c, uint32_t n) {
    return c->at < c->end ? *c->at++ % n : 0;
}

static int64_t choose_number(choices *c) {
    static const int64_t numbers[] = {
        -1,    INT64_MIN,        INT64_MAX,           1 << 20, INT64_C(1) << 31, INT64_C(1) << 62, INT32_MIN,
        65535, OB_DIM_CONST_MAX, OB_DIM_CONST_MAX + 1};
    uint32_t pick = choose(c, 64);
    return pick < 10 ? numbers[pick] : pick % 6;
}

/* ---- Making a node ---- */

static void choose_shape(choices *c, OrtTensorTypeAndShapeInfo *info) {
    static const uint8_t types[] = {1, 1, 2, 7, 7, 8, 9, 10, 11, 13, 15, 16, 17, 21, 22, 23, 0, 24};
    info->type = (ONNXTensorElementDataType)types[choose(c, sizeof types)];
    info->rank = choose(c, 64) == 63 ? 60 + choose(c, 10) : choose(c, 5);
    for (size_t i = 0; i < info->rank; i++) info->dims[i] = info->rank < 10 ? 1 + (int64_t)choose(c, 4) % 4 : 1;
    if (info->rank > 0 && choose(c, 16) == 1) info->dims[choose(c, (uint32_t)info->rank)] = 0;
}

static OrtValue *choose_value(choices *c, const OrtTensorTypeAndShapeInfo *info) {
    OrtValue *value = calloc(1, sizeof *value);
    if (!value) abort();
    value->info = *info;
    size_t n = fake_count(info);
    value->n_bytes = fake_bytes(info);
    for (size_t i = 0; value->n_bytes != SIZE_MAX && i < value->n_bytes; i++) value->bytes[i] = (char)(i * 37 + choose(c, 8));
    for (size_t i = 0; info->type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING && i < n; i++) {
        value->lengths[i] = choose(c, 4);
        memset(value->strings[i], choose(c, 9) == 8 ? 0 : 'a' + (int)(i % 26), value->lengths[i]);
    }
    if (info->type == ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64) {
        int64_t *ints = (int64_t *)(void *)value->bytes;
        for (size_t i = 0; i < n; i++) ints[i] = choose_number(c);
    }
    return value;
}

/* What the model says of a value, true or not. */
static void declare(choices *c, const OrtTensorTypeAndShapeInfo *actual, OrtTensorTypeAndShapeInfo *out) {
    static const char *const names[] = {"N", "M", "N + 1", "", "a b", "?x"};
    *out = *actual;
    if (choose(c, 8) == 7) out->rank = 0; /* as an unknown rank looks */
    for (size_t i = 0; i < out->rank; i++) {
        uint32_t kind = choose(c, 16);
        if (kind > 10) out->dims[i] = -1;
        if (kind > 12) snprintf(out->names[i], sizeof out->names[i], "%s", names[choose(c, 6)]);
        if (kind == 10) out->dims[i] = choose_number(c);
    }
}

static void choose_list(choices *c, OrtOpAttr *out, bool ascending) {
    out->n = choose(c, 8) == 7 ? -1 : choose(c, 64) == 63 ? 60 + (int32_t)choose(c, 10) : (int32_t)choose(c, 5);
    for (int32_t i = 0; i < out->n; i++) out->ints[i] = ascending && choose(c, 8) ? i + (int64_t)choose(c, 2) : choose_number(c);
}

static void choose_node(choices *c, fake_node *node) {
    node->n_inputs = 1 + choose(c, choose(c, 8) == 7 ? FAKE_OPERANDS : 3);
    node->n_outputs = choose(c, 8) ? node->n_inputs : 1 + choose(c, FAKE_OPERANDS);
    memset(node->name, 'n', choose(c, 16) == 15 ? 150 : 3);
    for (size_t i = 0; i < node->n_inputs; i++) {
        OrtTensorTypeAndShapeInfo info = {0};
        if (i > 0 && choose(c, 2)) { /* mostly like the one before */
            info = node->inputs[i - 1] ? node->inputs[i - 1]->info : info;
            if (info.rank > 0 && info.rank < 10) info.dims[choose(c, (uint32_t)info.rank)] = 1;
        } else {
            choose_shape(c, &info);
        }
        declare(c, &info, &node->declared[i]);
        node->no_tensor[i] = choose(c, 64) == 63;
        node->inputs[i] = choose(c, 64) == 63 ? NULL : choose_value(c, &info);
        node->unwanted[i] = choose(c, 16) == 15;
    }
    choose_list(c, &node->broadcast_dimensions, true);
    choose_list(c, &node->shape, false);
}

static void release_node(fake_node *node) {
    for (size_t i = 0; i < FAKE_OPERANDS; i++) {
        free(node->inputs[i]);
        free(node->outputs[i]);
    }
}

/* A program for a fused node: lines that make sense alone or together, or the rest of the input as it is. */
static void choose_program(choices *c, char *text, size_t n_bytes) {
    static const char *const types[] = {"float",   "float[N]", "float[N,M]",  "float[1,N]", "int64[N]",   "float[4]",
                                        "bool[N]", "float[]",  "double[N,M]", "string[N]",  "uint8[N,N]", "int4[N]"};
    static const char *const lines[] = {
        "t = Add (x0, x1)",       "t = Mul (x0, x0)",       "t = Sub (x1, x0)", "t = ReduceMean <axes = [-1]> (x0)",
        "t = Where (x1, x0, x0)", "t = Cast <to = 1> (x0)", "t = Relu (x0)",    "t = Expand (x0, x1)"};
    static const char *const lasts[] = {"y = Neg (t)",      "y = Softmax (t)",   "y = Add (x0, t)", "y = Div (t, x1)",
                                        "y = Identity (t)", "y = Identity (x0)", "y = Shape (t)",   "y = NonZero (t)",
                                        "y = Equal (t, t)", "z = Neg (t)"};
    if (choose(c, 4) == 3) {
        const size_t n = (size_t)(c->end - c->at) < n_bytes ? (size_t)(c->end - c->at) : n_bytes - 1;
        if (n) memcpy(text, c->at, n);
        text[n] = '\0';
        c->at += n;
        return;
    }
    const uint32_t n_inputs = choose(c, 3);
    size_t at = (size_t)snprintf(text, n_bytes, "<ir_version: 8, opset_import: [\"\" : 17]>\np (");
    for (uint32_t i = 0; i <= n_inputs; i++)
        at += (size_t)snprintf(text + at, n_bytes - at, "%s%s x%u", i ? ", " : "", types[choose(c, 12)],
                               choose(c, 32) == 31 ? 40 : (unsigned)i);
    snprintf(text + at, n_bytes - at, ") => (%s) { %s %s }", choose(c, 16) == 15 ? "y, t" : "y", lines[choose(c, 8)],
             lasts[choose(c, 10)]);
}

/* ---- What must come out ---- */

static bool same_element(const OrtValue *a, size_t i, const OrtValue *b, size_t k) {
    if (a->info.type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING)
        return a->lengths[i] == b->lengths[k] && memcmp(a->strings[i], b->strings[k], a->lengths[i]) == 0;
    size_t bits = (size_t)ob_dtype_file_bits((ob_dtype)a->info.type);
    if (bits >= 8) return memcmp(a->bytes + i * bits / 8, b->bytes + k * bits / 8, bits / 8) == 0;
    unsigned mask = (1u << bits) - 1, x = (uint8_t)a->bytes[i * bits / 8], y = (uint8_t)b->bytes[k * bits / 8];
    return (x >> i * bits % 8 & mask) == (y >> k * bits % 8 & mask);
}

/* Dimension i of `from` lies at axes[i] of `to`. */
static void must_be_stretched(const OrtValue *from, const OrtValue *to, const int64_t *axes) {
    size_t n = fake_count(&to->info);
    FUZZ_MUST(n != SIZE_MAX, "a result too large was made");
    for (size_t i = 0; i < n; i++) {
        int64_t index[OB_MAX_RANK];
        size_t left = i, at = 0;
        for (size_t axis = to->info.rank; axis-- > 0; left /= (size_t)to->info.dims[axis])
            index[axis] = (int64_t)(left % (size_t)to->info.dims[axis]);
        for (size_t k = 0; k < from->info.rank; k++) {
            int64_t size = from->info.dims[k];
            at = at * (size_t)size + (size_t)(size == 1 ? 0 : index[axes[k]]);
        }
        FUZZ_MUST(same_element(from, at, to, i), "element %zu is not element %zu of the operand", i, at);
    }
}

/* The common shape, axis by axis from the right; false when there is none. */
static bool common_shape(const fake_node *node, OrtTensorTypeAndShapeInfo *out) {
    memset(out, 0, sizeof *out);
    for (size_t i = 0; i < node->n_inputs; i++) {
        if (!node->inputs[i] || node->inputs[i]->info.rank > OB_MAX_RANK) return false;
        if (node->inputs[i]->info.rank > out->rank) out->rank = node->inputs[i]->info.rank;
    }
    for (size_t axis = 0; axis < out->rank; axis++) {
        int64_t size = 1;
        for (size_t i = 0; i < node->n_inputs; i++) {
            const OrtTensorTypeAndShapeInfo *info = &node->inputs[i]->info;
            if (out->rank - axis > info->rank) continue;
            int64_t own = info->dims[axis - (out->rank - info->rank)];
            if (own != 1 && size != 1 && own != size) return false;
            if (own != 1) size = own;
        }
        out->dims[axis] = size;
    }
    return true;
}

static void look_at_broadcast(const fake_node *node, bool ran) {
    OrtTensorTypeAndShapeInfo whole;
    if (!common_shape(node, &whole)) {
        FUZZ_MUST(!ran, "operands that do not broadcast");
        return;
    }
    for (size_t i = 0; ran && i < node->n_outputs; i++) {
        const OrtValue *from = node->inputs[i], *to = node->outputs[i];
        int64_t axes[OB_MAX_RANK];
        if (!to) continue;
        FUZZ_MUST(to->info.rank == whole.rank && memcmp(to->info.dims, whole.dims, whole.rank * sizeof *whole.dims) == 0,
                  "shape of output %zu", i);
        for (size_t k = 0; k < from->info.rank; k++) axes[k] = (int64_t)(whole.rank - from->info.rank + k);
        must_be_stretched(from, to, axes);
    }
}

static void look_at_in_dim(const fake_node *node, bool ran) {
    if (!ran || !node->outputs[0]) return;
    const OrtValue *from = node->inputs[0], *to = node->outputs[0];
    const OrtOpAttr *axes = &node->broadcast_dimensions;
    FUZZ_MUST(from->info.rank == (size_t)(axes->n < 0 ? 0 : axes->n), "%d axes for rank %zu", axes->n, from->info.rank);
    const int64_t *dims = node->n_inputs > 1 ? (const int64_t *)(const void *)node->inputs[1]->bytes : node->shape.ints;
    size_t rank = node->n_inputs > 1 ? (size_t)node->inputs[1]->info.dims[0] : (size_t)node->shape.n;
    FUZZ_MUST(to->info.rank == rank && memcmp(to->info.dims, dims, rank * sizeof *dims) == 0, "the result's shape");
    for (size_t i = 0; i < from->info.rank; i++) {
        int64_t axis = axes->ints[i];
        FUZZ_MUST(axis >= 0 && axis < (int64_t)rank && (i == 0 || axis > axes->ints[i - 1]), "axis %lld", (long long)axis);
        FUZZ_MUST(from->info.dims[i] == 1 || from->info.dims[i] == dims[axis], "dimension %zu", i);
    }
    must_be_stretched(from, to, axes->ints);
}

/* A size that was told as a number while the model was loaded is the size of the run, where the declarations were true. */
static void look_at_inferred(const fake_node *node) {
    for (size_t i = 0; i < node->n_inputs; i++) {
        const OrtTensorTypeAndShapeInfo *declared = &node->declared[i], *actual = &node->inputs[i]->info;
        if (declared->rank != actual->rank && declared->rank != 0) return;
        for (size_t k = 0; k < declared->rank; k++)
            if (declared->dims[k] != actual->dims[k]) return;
    }
    for (size_t i = 0; i < node->n_outputs; i++) {
        const OrtTensorTypeAndShapeInfo *told = &node->inferred[i];
        if (!node->is_inferred[i] || !node->outputs[i]) continue;
        const OrtTensorTypeAndShapeInfo *real = &node->outputs[i]->info;
        FUZZ_MUST(told->type == real->type && told->rank == real->rank, "output %zu: type %d, rank %zu", i, (int)told->type,
                  told->rank);
        for (size_t k = 0; k < told->rank; k++)
            FUZZ_MUST(told->dims[k] < 0 || told->dims[k] == real->dims[k], "output %zu, axis %zu: %lld", i, k,
                      (long long)told->dims[k]);
    }
}

static void release(OrtStatus *status) {
    if (!status) return;
    FUZZ_MUST(status->text[0] && !strstr(status->text, "internal"), "%s", status->text);
    fake_ort()->ReleaseStatus(status);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    choices c = {data, data + n};
    static fake_node node;
    memset(&node, 0, sizeof node);
    static char program[4096];
    const bool fused = n > 0 && data[0] >= 200;
    bool in_dim = choose(&c, 2);
    ob__ort_operator op = {.api = fake_ort(), .row = in_dim ? &ob__ort_broadcast_in_dim : &ob__ort_broadcast};
    if (fused) {
        op.row = &ob__ort_fused_row;
        choose_program(&c, program, sizeof program);
        node.program = program;
    }
    snprintf(op.name, sizeof op.name, "%s", op.row->name);
    choose_node(&c, &node);
    if (fused && choose(&c, 4)) node.n_outputs = 1;
    release(ob__ort_infer(&op.base, (OrtShapeInferContext *)(void *)&node));
    void *kernel = NULL;
    OrtStatus *status = ob__ort_kernel_create(&op.base, op.api, (const OrtKernelInfo *)(const void *)&node, &kernel);
    FUZZ_MUST(!status == (kernel != NULL), "a kernel and a status");
    release(status);
    if (kernel) {
        status = ob__ort_kernel_run(kernel, (OrtKernelContext *)(void *)&node);
        bool ran = !status;
        release(status);
        if (fused)
            ran = ran && !node.unwanted[0] && node.outputs[0] != NULL;
        else if (in_dim)
            look_at_in_dim(&node, ran);
        else
            look_at_broadcast(&node, ran);
        if (ran && !fused) look_at_inferred(&node);
        ob__ort_kernel_destroy(kernel);
    }
    release_node(&node);
    FUZZ_MUST(fake_alive == 0, "%ld objects left", fake_alive);
    return 0;
}
