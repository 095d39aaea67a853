#include "ops/table/op.h"
#include "core/base/text.h"
#include "ops/table/attributes.h"
#include "ops/table/select.h"

#include <string.h>

#include "core/base/error.h"
#include "kernels/elementwise/elementwise.h"
#include "kernels/reduce/reduce.h"

/* The kernel column for kernels with a loop. */
#define ob__kernel_UNARY(loop_)           ob__kernel_unary
#define ob__kernel_BINARY(loop_)          ob__kernel_binary
#define ob__kernel_SWAPPED(loop_)         ob__kernel_binary
#define ob__kernel_VARIADIC(loop_)        ob__kernel_variadic
#define ob__kernel_QLINEAR_UNARY(loop_)   ob__kernel_qlinear_unary
#define ob__kernel_REDUCE(fold_, finish_) ob__kernel_reduce

#define OB_OP(domain, name, since, in_min, in_max, out_min, out_max, signature, t, u, v, w, broadcast, mark, rule, axes, kernel, \
              attributes)                                                                                                        \
    OB_IF_ROW(name, since)                                                                                                       \
    (OB_RULE(rule); void ob__axes_##axes(struct ob_axes *); OB_KERNEL(kernel);                                                   \
     extern const ob_op_attribute ob__attributes_##attributes[];)
#include "ops/table/ops.def"
#undef OB_OP

#undef ob__kernel_UNARY
#undef ob__kernel_BINARY
#undef ob__kernel_SWAPPED
#undef ob__kernel_VARIADIC
#undef ob__kernel_QLINEAR_UNARY
#undef ob__kernel_REDUCE
#define ob__kernel_UNARY(loop_)           ob__kernel_unary, .loop = {OB_LOOP_UNARY, OBK_U_##loop_}
#define ob__kernel_BINARY(loop_)          ob__kernel_binary, .loop = {OB_LOOP_BINARY, OBK_##loop_}
#define ob__kernel_SWAPPED(loop_)         ob__kernel_binary, .loop = {OB_LOOP_BINARY, OBK_##loop_, .swapped = true}
#define ob__kernel_VARIADIC(loop_)        ob__kernel_variadic, .loop = {OB_LOOP_BINARY, OBK_##loop_}
#define ob__kernel_QLINEAR_UNARY(loop_)   ob__kernel_qlinear_unary, .loop = {OB_LOOP_UNARY, OBK_U_##loop_}
#define ob__kernel_REDUCE(fold_, finish_) ob__kernel_reduce, .loop = {OB_LOOP_REDUCE, OBK_FOLD_##fold_, OBK_FINISH_##finish_}

/* Type sets in ops.def. */
#define FLOATS  (OB_T(FLOAT16) | OB_T(FLOAT) | OB_T(DOUBLE))
#define INTS    (OB_T(INT8) | OB_T(INT16) | OB_T(INT32) | OB_T(INT64))
#define UINTS   (OB_T(UINT8) | OB_T(UINT16) | OB_T(UINT32) | OB_T(UINT64))
#define BF16    OB_T(BFLOAT16)
#define FLOAT8S (OB_T(FLOAT8E4M3FN) | OB_T(FLOAT8E4M3FNUZ) | OB_T(FLOAT8E5M2) | OB_T(FLOAT8E5M2FNUZ))
#define INT4S   (OB_T(INT4) | OB_T(UINT4))
#define FLOAT4  OB_T(FLOAT4E2M1)
#define INT2S   (OB_T(INT2) | OB_T(UINT2))
#define BOOLS   OB_T(BOOL)
#define STRINGS OB_T(STRING)
#define COMPLEX (OB_T(COMPLEX64) | OB_T(COMPLEX128))
#define SEQ     OB_T_SEQUENCE
#define OPT     OB_T_OPTIONAL
#define MAP     OB_T_MAP
#define ANY     ((UINT64_C(1) << OB_DTYPE_COUNT) - 2)

/* Marks in ops.def. */
enum {
    DEPRECATED = 1,
    VARIES = 2,
    SHAPES = 4,
    READS_NONE = 8,
    READS_ALL = 16,
    READS_0 = 32,
    READS_1 = 64,
    READS_2 = 128,
    CENTERS = 256,
    KEEPS = 512
};
#define READS(mark)                                                                                                              \
    ((mark)&READS_NONE  ? 0                                                                                                      \
     : (mark)&READS_ALL ? UINT32_MAX                                                                                             \
     : (mark)&READS_0   ? 1                                                                                                      \
     : (mark)&READS_1   ? 2                                                                                                      \
     : (mark)&READS_2   ? 4                                                                                                      \
                        : OB_READS_REST)

/* The broadcast column in ops.def. */
#define BROADCASTS_NONE   .broadcast = OB_BCAST_NONE
#define BROADCASTS_MULTI  .broadcast = OB_BCAST_MULTI
#define BROADCASTS_EXPAND .broadcast = OB_BCAST_EXPAND
#define BROADCASTS_REPEAT .broadcast = OB_BCAST_REPEAT
#define BROADCASTS_LEGACY .broadcast = OB_BCAST_LEGACY, .stretch = {1, 1, OB_ONTO_FIRST, .asked = true, .placed = true}
#define BROADCASTS_UNI(first_, last_, onto_)                                                                                     \
    .broadcast = OB_BCAST_UNI, .stretch = {.first = first_, .last = last_, .onto = OB_ONTO_##onto_}
#define BROADCASTS_UNI_ASKED(first_, last_, onto_)                                                                               \
    .broadcast = OB_BCAST_UNI, .stretch = {.first = first_, .last = last_, .onto = OB_ONTO_##onto_, .asked = true}
#define BROADCASTS_BATCH(operand_) .broadcast = OB_BCAST_BATCH, .stretch = {.first = operand_, .last = operand_}
#define BROADCASTS_BATCH_SCALED(operand_, from_, end_)                                                                           \
    .broadcast = OB_BCAST_BATCH, .stretch = {.first = operand_, .last = operand_, .scale_from = from_, .scale_end = end_}

/* Links of axes serve analyses, which are in builds with the checker. */
#ifdef OB_LEAVES_OUT_LINKS
#define LINKS(axes) NULL
#else
#define LINKS(axes) ob__axes_##axes
#endif

static const ob_op table[] = {
#define OB_OP(domain_, name_, since_, in_min_, in_max_, out_min_, out_max_, signature_, t, u, v, w, broadcast_, mark_, rule,     \
              axes_, kernel_, attributes_)                                                                                       \
    OB_IF_ROW(name_, since_)                                                                                                     \
    ({.domain = domain_,                                                                                                         \
      .name = #name_,                                                                                                            \
      .since = since_,                                                                                                           \
      .in_min = in_min_,                                                                                                         \
      .in_max = in_max_,                                                                                                         \
      .out_min = out_min_,                                                                                                       \
      .out_max = out_max_,                                                                                                       \
      .signature = signature_,                                                                                                   \
      .types = {t, u, v, w},                                                                                                     \
      BROADCASTS_##broadcast_,                                                                                                   \
      .deprecated = (mark_)&DEPRECATED,                                                                                          \
      .varies = (mark_)&VARIES,                                                                                                  \
      .centers = (mark_)&CENTERS,                                                                                                \
      .shapes = (mark_)&SHAPES,                                                                                                  \
      .keeps = (mark_)&KEEPS,                                                                                                    \
      .reads = READS(mark_),                                                                                                     \
      .infer = ob__infer_##rule,                                                                                                 \
      .axes = LINKS(axes_),                                                                                                      \
      .kernel = &ob__kernel_##kernel_,                                                                                           \
      .attributes = ob__attributes_##attributes_}, )
#include "ops/table/ops.def"
#undef OB_OP
};

enum { N_ROWS = sizeof table / sizeof table[0] };

size_t ob__op_count(void) {
    return N_ROWS;
}

const ob_op *ob__op_at(size_t index) {
    return index < N_ROWS ? &table[index] : NULL;
}

size_t ob__op_index(const ob_op *op) {
    return op >= table && op < table + N_ROWS ? (size_t)(op - table) : SIZE_MAX;
}

int64_t ob__newest_opset(const char *domain) {
    static const struct {
        const char *domain;
        int64_t version;
    } newest[] = {{"", 28}, {"ai.onnx.ml", 5}, {"ai.onnx.preview", 1}, {"ai.onnx.preview.training", 1}};
    for (size_t i = 0; i < sizeof newest / sizeof newest[0]; i++)
        if (strcmp(newest[i].domain, domain) == 0) return newest[i].version;
    return INT64_MAX;
}

bool ob__is_too_new(const ob_graph *graph, const char *domain, char *text, size_t n_bytes) {
    const int64_t ir = graph->model->ir_version, opset = ob__graph_opset(graph, domain), newest = ob__newest_opset(domain);
    if (opset > newest)
        ob__sentence(text, n_bytes, "the model imports opset %lld of %s; the newest known version is %lld", (long long)opset,
                     *domain ? domain : "ai.onnx", (long long)newest);
    else if (ir > OB_NEWEST_IR && newest != INT64_MAX)
        ob__sentence(text, n_bytes, "the file has IR version %lld; the newest known version is %d", (long long)ir, OB_NEWEST_IR);
    else
        return false;
    return true;
}

/* ---- Builds that have only selected operators ---- */

#ifdef OB_SELECTS_OPERATORS
/* The other versions of those operators. */
static const struct {
    const char *domain, *name;
    int since;
} left_out[] = {
#define OB_LEFT_OUT(domain, name, since) {domain, #name, since},
#include "selection/left_out.def"
#undef OB_LEFT_OUT
    {"", "", 0}};

/* Is a version between this one and the opset in force there? */
static bool is_superseded(const ob_op *op, int64_t opset) {
    for (size_t i = 0; i < sizeof left_out / sizeof left_out[0]; i++)
        if (left_out[i].since > op->since && left_out[i].since <= opset && strcmp(left_out[i].name, op->name) == 0 &&
            strcmp(left_out[i].domain, op->domain) == 0)
            return true;
    return false;
}

bool ob__op_is_left_out(const char *domain, const char *name, int64_t opset, char *text, size_t n_bytes) {
    if (ob__op_find(domain, name, opset)) return false;
    ob__sentence(text, n_bytes, "this build has only the operators that OB_OPS names; a line \"%s %s %lld\" there adds it",
                 *domain ? domain : "ai.onnx", name, (long long)opset);
    return true;
}
#else
static bool is_superseded(const ob_op *op, int64_t opset) {
    (void)op, (void)opset;
    return false;
}

bool ob__op_is_left_out(const char *domain, const char *name, int64_t opset, char *text, size_t n_bytes) {
    (void)domain, (void)name, (void)opset, (void)text, (void)n_bytes;
    return false;
}
#endif

const ob_op *ob__op_find(const char *domain, const char *name, int64_t opset) {
    const ob_op *best = NULL;
    for (size_t i = 0; i < N_ROWS; i++) {
        const ob_op *op = &table[i];
        if (opset != 0 && op->since > opset) continue;
        if (best && op->since < best->since) continue;
        if (op->name[0] == name[0] && strcmp(op->name, name) == 0 && strcmp(op->domain, domain) == 0) best = op;
    }
    return best && is_superseded(best, opset) ? NULL : best;
}

/* ---- Signatures ---- */

typedef struct operand {
    char letter;      /* 0: there is no such operand */
    bool homogeneous; /* has the same type as every other operand of that letter */
    bool optional;    /* the operand is optional */
} operand;

/* Operand `index` on one side of a signature. The last one may be variadic. */
static operand find_operand(const char *side, uint32_t index) {
    operand found = {0, true, true};
    for (uint32_t i = 0; *side && *side != '>'; i++) {
        char letter = *side++;
        bool variadic = *side == '*' || *side == '~';
        found.homogeneous = *side != '~';
        found.optional = *side == '?';
        if (variadic || *side == '?') side++;
        if (i == index || variadic) {
            found.letter = letter;
            return found;
        }
    }
    return found;
}

static const char *outputs_of(const char *signature) {
    const char *arrow = strchr(signature, '>');
    return arrow ? arrow + 1 : "";
}

static ob_dtype fixed_dtype(char letter) {
    switch (letter) {
    case 'i': return OB_INT64;
    case 'j': return OB_INT32;
    case 'f': return OB_FLOAT;
    case 'b': return OB_BOOL;
    case 's': return OB_STRING;
    case 'h': return OB_FLOAT16;
    case 'd': return OB_DOUBLE;
    case 'u': return OB_UINT8;
    default: return OB_NONE;
    }
}

static ob_types letter_types(const ob_op *op, char letter) {
    if (letter == 0) return 0;
    if (letter >= 'T' && letter <= 'W') return op->types[letter - 'T'];
    ob_dtype fixed = fixed_dtype(letter);
    return fixed ? UINT64_C(1) << fixed : ~UINT64_C(0);
}

ob_types ob__op_input_types(const ob_op *op, uint32_t index) {
    return letter_types(op, find_operand(op->signature, index).letter);
}

char ob__op_input_letter(const ob_op *op, uint32_t index, bool *homogeneous) {
    operand found = find_operand(op->signature, index);
    *homogeneous = found.homogeneous;
    return found.letter;
}

bool ob__op_input_optional(const ob_op *op, uint32_t index) {
    return find_operand(op->signature, index).optional;
}

ob_types ob__op_output_types(const ob_op *op, uint32_t index) {
    return letter_types(op, find_operand(outputs_of(op->signature), index).letter);
}

bool ob__op_input_shares_type(const ob_op *op, uint32_t index) {
    char letter = find_operand(op->signature, index).letter;
    return letter != 0 && letter == find_operand(outputs_of(op->signature), 0).letter;
}

bool ob__op_output_follows(const ob_op *op, uint32_t index) {
    operand out = find_operand(outputs_of(op->signature), index);
    if (fixed_dtype(out.letter)) return true;
    const char *inputs = op->signature;
    for (uint32_t i = 0; out.homogeneous && inputs[i] != '>'; i++)
        if (inputs[i] == out.letter && inputs[i + 1] != '~') return true;
    return false;
}

ob_dtype ob__op_output_dtype(const ob_op *op, uint32_t index, const ob_dtype *in, uint32_t n_in) {
    operand out = find_operand(outputs_of(op->signature), index);
    ob_dtype fixed = fixed_dtype(out.letter);
    if (fixed) return fixed;
    if (!out.homogeneous || out.letter < 'T' || out.letter > 'W') return OB_NONE;
    for (uint32_t i = 0; i < n_in; i++) {
        operand candidate = find_operand(op->signature, i);
        if (candidate.letter == out.letter && candidate.homogeneous && in[i] != OB_NONE) return in[i];
    }
    return OB_NONE;
}

bool ob__stretch_asked(const ob_node *node, const ob_op *op) {
    return !op->stretch.asked || ob__attribute_flag(node, "broadcast");
}

void ob__product_axis(const ob_node *node, int32_t axis, uint32_t *input, int32_t *input_axis) {
    bool transposed = ob__attribute_flag(node, axis ? "transB" : "transA");
    *input = (uint32_t)axis;
    *input_axis = transposed ? 1 - axis : axis;
}

bool ob__product_shape(const ob_node *node, const ob_shape *operands, ob_dim dims[2]) {
    if (operands[0].rank != 2 || operands[1].rank != 2) return false;
    for (int32_t axis = 0; axis < 2; axis++) {
        uint32_t input;
        int32_t own;
        ob__product_axis(node, axis, &input, &own);
        dims[axis] = operands[input].dims[own];
    }
    return true;
}

static const struct {
    const char *domain, *name, *by;
} replaced[] = {
#define OB_REPLACED(domain, name, by) {domain, #name, by},
#include "ops/table/replaced.def"
#undef OB_REPLACED
};

void ob__op_deprecation(const ob_op *op, char *text, size_t n_bytes) {
    const char *by = NULL;
    for (size_t i = 0; i < sizeof replaced / sizeof replaced[0]; i++)
        if (strcmp(replaced[i].name, op->name) == 0 && strcmp(replaced[i].domain, op->domain) == 0) by = replaced[i].by;
    ob__sentence(text, n_bytes, "deprecated since version %d of %s%s%s", op->since, op->domain[0] ? op->domain : "ai.onnx",
                 by ? ": use " : "", by ? by : "");
}

/* ---- Classes ---- */

static const struct class_row {
    const char *name;
    ob_op_class of;
    const char *exchanged;
} class_rows[] = {
#define OB_CLASS(name_, class_, exchanged_) {#name_, OB_CLASS_##class_, exchanged_},
#include "ops/table/classes.def"
#undef OB_CLASS
};

static const struct class_row *find_class(const ob_op *op) {
    for (size_t i = 0; !op->domain[0] && i < sizeof class_rows / sizeof *class_rows; i++)
        if (strcmp(class_rows[i].name, op->name) == 0) return &class_rows[i];
    return NULL;
}

ob_op_class ob__op_class(const ob_op *op) {
    switch (op->broadcast) {
    case OB_BCAST_EXPAND: return op->domain[0] ? OB_CLASS_COUNT : OB_CLASS_EXPAND;
    case OB_BCAST_BATCH: return OB_CLASS_MATMUL;
    case OB_BCAST_UNI:
        return op->stretch.onto == OB_ONTO_PRODUCT ? OB_CLASS_GEMM
               : op->stretch.onto == OB_ONTO_AXES  ? OB_CLASS_NORM
                                                   : OB_CLASS_PRELU;
    case OB_BCAST_MULTI:
    case OB_BCAST_LEGACY: {
        const struct class_row *row = find_class(op);
        return row ? row->of : OB_CLASS_COUNT;
    }
    default: return OB_CLASS_COUNT;
    }
}

const char *ob__op_class_text(ob_op_class of) {
    static const char *const texts[] = {
#define OB_CLASS_TEXT(name, text) text,
        OB_OP_CLASS_LIST(OB_CLASS_TEXT)
#undef OB_CLASS_TEXT
    };
    return (int)of >= 0 && of < OB_CLASS_COUNT ? texts[of] : "";
}

const char *ob__op_exchanged(const ob_op *op) {
    const struct class_row *row = find_class(op);
    return row ? row->exchanged : NULL;
}
