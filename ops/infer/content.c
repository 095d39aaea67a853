/* Contents of constant tensors as terms. */
#include <math.h>
#include <string.h>

#include "core/base/error.h"
#include "core/graph/types.h"
#include "ops/elementwise/params.h"
#include "ops/infer/content.h"
#include "ops/kernel/common.h"
#include "ops/reduce/params.h"
#include "ops/select/params.h"
#include "ops/table/op.h"

/* Floats count only where they are integers that float arithmetic keeps exact. */
static ob_dim integral(double x) {
    return x == floor(x) && fabs(x) <= 16777216.0 ? (ob_dim)x : OB_DIM_UNKNOWN;
}

static bool read_element(const ob_tensor *tensor, int64_t i, ob_dim *out) {
    const char *at = (const char *)tensor->data + (size_t)i * ob_dtype_size(tensor->dtype);
    switch (tensor->dtype) {
    case OB_INT64: {
        int64_t x;
        memcpy(&x, at, sizeof x);
        *out = ob__saturated(x);
        return true;
    }
    case OB_INT32: {
        int32_t x;
        memcpy(&x, at, sizeof x);
        *out = x;
        return true;
    }
    case OB_BOOL: *out = *at != 0; return true;
    case OB_FLOAT: {
        float x;
        memcpy(&x, at, sizeof x);
        *out = integral((double)x);
        return true;
    }
    case OB_DOUBLE: {
        double x;
        memcpy(&x, at, sizeof x);
        *out = integral(x);
        return true;
    }
    case OB_FLOAT16: {
        uint16_t x;
        memcpy(&x, at, sizeof x);
        *out = integral((double)ob__float_from_half(x));
        return true;
    }
    default: return false;
    }
}

/* Beside the elements, some of which are no integers, fractions of all. */
static ob_status add_fractions(const ob_tensor *data, ob_arena *arena, ob_content *out) {
    double values[16];
    bool whole = true;
    for (uint32_t i = 0; i < out->n; i++) {
        const char *at = (const char *)data->data + (size_t)i * ob_dtype_size(data->dtype);
        float x;
        memcpy(data->dtype == OB_FLOAT ? (void *)&x : (void *)&values[i], at, ob_dtype_size(data->dtype));
        if (data->dtype == OB_FLOAT) values[i] = (double)x;
        whole = whole && out->elems[i] != OB_DIM_UNKNOWN;
    }
    if (whole) return OB_OK;
    ob_dim *parts = ob__arena_alloc(arena, out->n * sizeof *parts);
    if (!parts) return OB_E_MEMORY;
    if (ob__fractions_of(values, out->n, parts, &out->denominator)) out->parts = parts;
    return OB_OK;
}

ob_status ob__content_of_tensor(const ob_tensor *data, ob_arena *arena, ob_content *out) {
    *out = (ob_content){0};
    if (!data || !data->data || data->is_external || data->n_elems < 0 || data->n_elems > OB_CONTENT_MAX) return OB_OK;
    bool half = data->dtype == OB_FLOAT16, real = data->dtype == OB_FLOAT || data->dtype == OB_DOUBLE || half;
    if (real && data->n_elems > 16) return OB_OK; /* weights, not sizes */
    if (!real && data->dtype != OB_INT64 && data->dtype != OB_INT32 && data->dtype != OB_BOOL) return OB_OK;
    ob_dim *elems = ob__arena_alloc(arena, (size_t)data->n_elems * sizeof *elems);
    if (!elems) return OB_E_MEMORY;
    for (int64_t i = 0; i < data->n_elems; i++)
        if (!read_element(data, i, &elems[i])) return OB_OK;
    *out = (ob_content){.n = (uint32_t)data->n_elems, .elems = elems};
    return real && !half ? add_fractions(data, arena, out) : OB_OK;
}

bool ob__content_dtype(ob_dtype dtype) {
    return dtype == OB_INT64 || dtype == OB_INT32 || dtype == OB_BOOL || dtype == OB_FLOAT || dtype == OB_DOUBLE;
}

/* A constant that the type cannot hold would wrap or round at run time. */
ob_dim ob__content_within(ob_dim d, ob_dtype dtype) {
    if (!ob_dim_is_const(d)) return d;
    int64_t most = dtype == OB_INT32    ? INT32_MAX
                   : dtype == OB_FLOAT  ? 1 << 24
                   : dtype == OB_DOUBLE ? INT64_C(1) << 53
                                        : INT64_MAX;
    const int64_t least = dtype == OB_INT32 ? INT32_MIN : -most;
    return d > most || d < least ? OB_DIM_UNKNOWN : d;
}

ob_dim ob__content_exact(ob_dim d) {
    return d == OB_DIM_CONST_MAX || d == -OB_DIM_CONST_MAX ? OB_DIM_UNKNOWN : d;
}

/* ---- Elements ---- */

/* Integer division truncates; float division is exact only without remainder. */
static ob_dim divide(ob_infer *infer, ob_dim a, ob_dim b, bool real) {
    if (b == 0 || a == OB_DIM_UNKNOWN || b == OB_DIM_UNKNOWN) return OB_DIM_UNKNOWN;
    if (ob_dim_is_const(a) && ob_dim_is_const(b)) return real && a % b != 0 ? OB_DIM_UNKNOWN : a / b;
    ob_dim exact = ob_dim_div_exact(infer->dims, a, b);
    if (exact != OB_DIM_UNKNOWN || real) return exact;
    return ob__term_truncated(infer, a, b);
}

/* Of floats no divisor is asked to be none of 0. */
static ob_dim modulo(ob_infer *infer, ob_dim a, ob_dim b, bool real) {
    if (b == 0 || a == OB_DIM_UNKNOWN || b == OB_DIM_UNKNOWN) return OB_DIM_UNKNOWN;
    bool of_dividend = ob__mod_of_dividend(infer->node);
    if (ob_dim_is_const(a) && ob_dim_is_const(b)) {
        int64_t remainder = a % b;
        return !of_dividend && remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
    }
    if (!ob__known_at_least(infer, b, 0) || (real && !ob_dim_is_const(b))) return OB_DIM_UNKNOWN;
    ob_dim quotient = of_dividend ? ob__term_truncated(infer, a, b) : ob_dim_quotient(infer->dims, a, b);
    return ob_dim_sub(infer->dims, a, ob_dim_mul(infer->dims, quotient, b));
}

static ob_dim power(ob_infer *infer, ob_dim a, ob_dim b) {
    if (!ob_dim_is_const(b) || b < 0 || b > 62) return OB_DIM_UNKNOWN;
    ob_dim product = 1;
    for (ob_dim i = 0; i < b; i++) product = ob_dim_mul(infer->dims, product, a);
    return product;
}

typedef enum binary {
    ADD,
    SUB,
    MUL,
    DIV,
    MOD,
    POW,
    MAX,
    MIN,
    EQUAL,
    LESS,
    GREATER,
    LESS_OR_EQUAL,
    GREATER_OR_EQUAL,
    AND,
    OR,
    XOR,
    NO_BINARY
} binary;

static binary find_binary(const char *name) {
    static const struct {
        const char *name;
        binary op;
    } names[] = {{"Add", ADD},
                 {"Sub", SUB},
                 {"Mul", MUL},
                 {"Div", DIV},
                 {"Mod", MOD},
                 {"Pow", POW},
                 {"Max", MAX},
                 {"Min", MIN},
                 {"Sum", ADD},
                 {"Equal", EQUAL},
                 {"Less", LESS},
                 {"Greater", GREATER},
                 {"And", AND},
                 {"Or", OR},
                 {"Xor", XOR},
                 {"LessOrEqual", LESS_OR_EQUAL},
                 {"GreaterOrEqual", GREATER_OR_EQUAL}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i].name, name) == 0) return names[i].op;
    return NO_BINARY;
}

static ob_dim compute(ob_infer *infer, binary op, ob_dim a, ob_dim b, bool real) {
    if (op != MAX && op != MIN && (ob__content_exact(a) != a || ob__content_exact(b) != b)) {
        if (op < EQUAL || ob__content_exact(a) == ob__content_exact(b))
            return OB_DIM_UNKNOWN; /* comparing one huge number is fine, two is not */
    }
    switch (op) {
    case ADD: return ob_dim_add(infer->dims, a, b);
    case SUB: return ob_dim_sub(infer->dims, a, b);
    case MUL: return !real && (a == 0 || b == 0) ? 0 : ob_dim_mul(infer->dims, a, b);
    case DIV: return divide(infer, a, b, real);
    case MOD: return modulo(infer, a, b, real);
    case POW: return power(infer, a, b);
    case MAX: return ob__term_max(infer, a, b);
    case MIN: return ob__term_min(infer, a, b);
    case EQUAL: return ob__term_equal(infer, a, b);
    case LESS: return ob__term_not(infer, ob__term_at_least(infer, a, b));
    case GREATER: return ob__term_not(infer, ob__term_at_least(infer, b, a));
    case LESS_OR_EQUAL: return ob__term_at_least(infer, b, a);
    case GREATER_OR_EQUAL: return ob__term_at_least(infer, a, b);
    case AND: return a == 0 || b == 0 ? 0 : ob__term_min(infer, a, b);
    case OR: return a == 1 || b == 1 ? 1 : ob__term_max(infer, a, b);
    case XOR: return ob__term_not(infer, ob__term_equal(infer, a, b));
    case NO_BINARY: break;
    }
    return OB_DIM_UNKNOWN;
}

/* Sums, differences and products wrap around as their terms do: only what else is done with integers needs them to be exact. */
static ob_status apply(ob_infer *infer, binary op, ob_dim *folded, ob_dim b, ob_dtype dtype, int32_t operand) {
    ob_dim a = *folded;
    bool wraps_alike = op == ADD || op == SUB || op == MUL || op == POW;
    if (!wraps_alike) {
        OB_TRY(ob__term_fit(infer, &a, dtype, 0));
        OB_TRY(ob__term_fit(infer, &b, dtype, operand));
    }
    *folded = ob__term_wrapped(compute(infer, op, a, b, ob__dtype_kind(dtype) == OB_KIND_REAL), dtype);
    return OB_OK;
}

/* ---- Whole contents ---- */

/* Row-major position in a constant `from` shape of the element that broadcasts to position `at` of `to`. */
static uint32_t source_position(ob_shape from, ob_shape to, uint32_t at) {
    uint32_t position = 0, step = 1;
    for (int32_t axis = to.rank - 1, k = from.rank - 1; axis >= 0; axis--, k--) {
        uint32_t size = (uint32_t)to.dims[axis], coordinate = at % size;
        at /= size;
        if (k < 0) continue;
        if (from.dims[k] != 1) position += coordinate * step;
        step *= (uint32_t)from.dims[k];
    }
    return position;
}

/* True when the shape is constant, has the content's count, and can be read at every position of `to`. */
static bool readable(const ob_infer *infer, ob_shape shape, ob_content content, ob_shape to) {
    uint32_t count;
    if (!content.elems || !ob__small_count(infer, shape, &count) || count != content.n || shape.rank > to.rank) return false;
    for (int32_t axis = 0; axis < shape.rank; axis++) {
        ob_dim size = shape.dims[axis];
        if (size != 1 && size != to.dims[axis + to.rank - shape.rank]) return false;
    }
    return true;
}

static bool same_shape(ob_shape a, ob_shape b) {
    return a.rank == b.rank && (a.rank <= 0 || memcmp(a.dims, b.dims, (size_t)a.rank * sizeof *a.dims) == 0);
}

static ob_dim element(const ob_infer *infer, uint32_t input, ob_shape to, uint32_t at) {
    return ob__in_content(infer, input).elems[source_position(ob__in_shape(infer, input), to, at)];
}

ob_status ob__content_elementwise(ob_infer *infer) {
    uint32_t n, n_inputs = infer->node->n_inputs;
    bool where = ob__op_is(infer, "Where");
    binary op = find_binary(infer->op->name);
    if ((op == NO_BINARY && !where) || infer->node->n_outputs != 1) return OB_OK;
    ob_shape to = infer->out_types[0].shape;
    ob_dtype dtype = infer->out_types[0].dtype, in_dtype = ob__in_dtype(infer, where ? 1 : 0);
    if (!ob__small_count(infer, to, &n) || !ob__content_dtype(dtype)) return OB_OK;
    for (uint32_t i = 0; i < n_inputs; i++)
        if (infer->op->broadcast == OB_BCAST_LEGACY && !same_shape(ob__in_shape(infer, i), to)) return OB_OK;
    for (uint32_t i = 0; i < n_inputs; i++)
        if (!readable(infer, ob__in_shape(infer, i), ob__in_content(infer, i), to)) return OB_OK;
    bool real = in_dtype == OB_FLOAT || in_dtype == OB_DOUBLE, decides = op >= EQUAL && !where;
    for (uint32_t i = 0; i < n_inputs && real && decides; i++) {
        bool exact;
        OB_TRY(ob__fractions_leave(infer, i, &exact));
        if (!exact) return OB_OK;
    }
    ob_dim *elems = ob__new_dims(infer, n), extent = 0;
    if (!elems) return OB_E_MEMORY;
    for (uint32_t at = 0; at < n; at++) {
        if (where) {
            elems[at] = ob__term_select(infer, element(infer, 0, to, at), element(infer, 1, to, at), element(infer, 2, to, at));
            continue;
        }
        ob_dim folded = element(infer, 0, to, at);
        for (uint32_t i = 1; i < n_inputs; i++) {
            ob_dim other = element(infer, i, to, at);
            OB_TRY(apply(infer, op, &folded, other, in_dtype, (int32_t)i));
            if (real && !decides) extent = ob__extent_with(infer, extent, folded);
            if (real && op == DIV) extent = ob__extent_of_divisor(infer, extent, other);
        }
        elems[at] = ob__content_within(folded, dtype);
    }
    if (extent == OB_DIM_UNKNOWN) return OB_OK;
    infer->out_contents[0] = (ob_content){.n = n, .elems = elems, .extent = extent};
    return OB_OK;
}

ob_status ob__content_stretch(ob_infer *infer, uint32_t input, uint32_t output) {
    uint32_t n;
    ob_shape to = output < infer->node->n_outputs ? infer->out_types[output].shape : (ob_shape){OB_RANK_UNKNOWN, NULL};
    if (!ob__small_count(infer, to, &n) || !readable(infer, ob__in_shape(infer, input), ob__in_content(infer, input), to))
        return ob__range_share(infer, input, output);
    ob_dim *elems = ob__new_dims(infer, n);
    if (!elems) return OB_E_MEMORY;
    for (uint32_t at = 0; at < n; at++) elems[at] = element(infer, input, to, at);
    infer->out_contents[output] = (ob_content){.n = n, .elems = elems};
    return OB_OK;
}

ob_status ob__content_share(ob_infer *infer, uint32_t input, uint32_t output) {
    /* What elements lie between is shared with them. */
    if (output >= infer->node->n_outputs) return OB_OK;
    infer->out_contents[output] = ob__in_content(infer, input);
    infer->out_contents[output].trace = NULL;
    return ob__trace_same(infer, input, output);
}

ob_status ob__content_cast(ob_infer *infer, ob_dtype from, ob_dtype to) {
    ob_content content = ob__in_content(infer, 0);
    if (!content.elems && content.parts) return ob__fractions_cast(infer, from, to);
    if (!content.elems) return ob__range_cast(infer, from, to);
    if (!ob__content_dtype(to) || !ob__content_dtype(from) || !infer->node->n_outputs) return OB_OK;
    bool from_real = ob__dtype_kind(from) == OB_KIND_REAL, to_real = ob__dtype_kind(to) == OB_KIND_REAL;
    bool exact = true;
    if (from_real && !to_real) OB_TRY(ob__fractions_leave(infer, 0, &exact));
    if (!exact) return OB_OK;
    ob_dim *elems = ob__new_dims(infer, content.n), extent = 0;
    if (!elems) return OB_E_MEMORY;
    for (uint32_t i = 0; i < content.n; i++) {
        ob_dim d = content.elems[i];
        if (from == OB_INT64 && to == OB_INT32) { /* the lower half */
            elems[i] = ob__term_wrapped(ob__content_exact(d), to);
            continue;
        }
        OB_TRY(ob__term_fit(infer, &d, from_real ? to : from, 0));
        elems[i] =
            to == OB_BOOL && from != OB_BOOL ? ob__term_not(infer, ob__term_equal(infer, d, 0)) : ob__content_within(d, to);
        if (to_real) extent = ob__extent_with(infer, extent, elems[i]);
    }
    if (extent != OB_DIM_UNKNOWN) infer->out_contents[0] = (ob_content){.n = content.n, .elems = elems, .extent = extent};
    return ob__fractions_cast(infer, from, to);
}

ob_status ob__content_clip(ob_infer *infer) {
    ob_content content = ob__in_content(infer, 0), low = ob__in_content(infer, 1), high = ob__in_content(infer, 2);
    bool has_low = ob__in_given(infer, 1), has_high = ob__in_given(infer, 2);
    if (!content.elems) return ob__range_clip(infer);
    if (ob__since(infer) < 11 || (has_low && low.n != 1) || (has_high && high.n != 1)) return OB_OK;
    if ((has_low && !low.elems) || (has_high && !high.elems)) return OB_OK;
    ob_dim *elems = ob__new_dims(infer, content.n), bounds[2] = {has_low ? low.elems[0] : 0, has_high ? high.elems[0] : 0};
    if (!elems) return OB_E_MEMORY;
    for (uint32_t i = 0; i < 2; i++) OB_TRY(ob__term_fit(infer, &bounds[i], infer->out_types[0].dtype, (int32_t)i + 1));
    for (uint32_t i = 0; i < content.n; i++) {
        ob_dim d = content.elems[i];
        OB_TRY(ob__term_fit(infer, &d, infer->out_types[0].dtype, 0));
        if (has_low) d = ob__term_max(infer, d, bounds[0]);
        if (has_high) d = ob__term_min(infer, d, bounds[1]);
        elems[i] = d;
    }
    return ob__out_content(infer, 0, elems, content.n);
}

/* ---- One operand ---- */

static ob_dim apply_unary(ob_infer *infer, const char *name, ob_dim d) {
    if (d == OB_DIM_UNKNOWN) return d;
    bool lowest_perhaps = d == -OB_DIM_CONST_MAX; /* saturated: the least number has no negative */
    if (lowest_perhaps && (strcmp(name, "Neg") == 0 || strcmp(name, "Abs") == 0)) return OB_DIM_UNKNOWN;
    if (strcmp(name, "Neg") == 0) return ob_dim_sub(infer->dims, 0, d);
    if (strcmp(name, "Abs") == 0) return ob__term_max(infer, d, ob_dim_sub(infer->dims, 0, d));
    if (strcmp(name, "Not") == 0) return ob__term_not(infer, d);
    if (strcmp(name, "Ceil") == 0 || strcmp(name, "Floor") == 0 || strcmp(name, "Round") == 0) return d;
    if (strcmp(name, "Sign") == 0)
        return ob_dim_sub(infer->dims, ob__term_at_least(infer, d, 1), ob__term_at_least(infer, -1, d));
    if (strcmp(name, "Relu") == 0) return ob__term_max(infer, d, 0);
    if (strcmp(name, "Sqrt") == 0 && ob_dim_is_const(d) && d >= 0 && d < (1 << 24)) {
        ob_dim root = (ob_dim)sqrt((double)d);
        return root * root == d ? root : OB_DIM_UNKNOWN;
    }
    return OB_DIM_UNKNOWN;
}

static ob_status cumsum(ob_infer *infer, ob_content content) {
    const ob_running_params params = ob__running_params(infer->node, infer->op);
    if (ob__in_rank(infer, 0) != 1) return OB_OK;
    ob_dim *elems = ob__new_dims(infer, content.n);
    if (!elems) return OB_E_MEMORY;
    ob_dim sum = 0, extent = 0;
    ob_dtype dtype = infer->out_types[0].dtype;
    for (uint32_t i = 0; i < content.n; i++) {
        uint32_t at = params.reverse ? content.n - 1 - i : i;
        ob_dim next = ob_dim_add(infer->dims, sum, ob__content_exact(content.elems[at]));
        next = ob__content_within(ob__term_wrapped(next, dtype), dtype);
        if (ob__dtype_kind(dtype) == OB_KIND_REAL) extent = ob__extent_with(infer, extent, next);
        elems[at] = params.exclusive ? sum : next;
        sum = next;
    }
    if (extent != OB_DIM_UNKNOWN) infer->out_contents[0] = (ob_content){.n = content.n, .elems = elems, .extent = extent};
    return OB_OK;
}

/* Scatters into a vector: ScatterND with indices (k,1), ScatterElements with indices (k). */
static ob_status scatter(ob_infer *infer, ob_content content) {
    uint32_t n;
    const int64_t *indices = ob__in_const_ints(infer, 1, &n);
    ob_content updates = ob__in_content(infer, 2);
    if (ob__in_rank(infer, 0) != 1 || !indices || !updates.elems || updates.n != n ||
        ob__scatter_reduction(infer->node) != OB_REPLACE)
        return OB_OK;
    for (uint32_t i = 0; i < n; i++)
        if (indices[i] < -(int64_t)content.n || indices[i] >= content.n) return OB_OK;
    OB_TRY(ob__out_content(infer, 0, content.elems, content.n));
    ob_dim *elems = ob__new_dims(infer, content.n);
    if (!elems) return OB_E_MEMORY;
    if (content.n) memcpy(elems, content.elems, content.n * sizeof *elems);
    for (uint32_t i = 0; i < n; i++) elems[indices[i] < 0 ? indices[i] + content.n : indices[i]] = updates.elems[i];
    infer->out_contents[0] = (ob_content){.n = content.n, .elems = elems};
    return OB_OK;
}

ob_status ob__content_same(ob_infer *infer) {
    ob_content content = ob__in_content(infer, 0);
    if (!infer->node->n_outputs || !ob__content_dtype(infer->out_types[0].dtype)) return OB_OK;
    ob_dtype dtype = infer->out_types[0].dtype;
    if (ob__op_is(infer, "CumSum")) return cumsum(infer, content);
    if (strncmp(infer->op->name, "Scatter", 7) == 0) return scatter(infer, content);
    if (infer->node->n_inputs != 1) return OB_OK;
    ob_dim *elems = ob__new_dims(infer, content.n);
    if (!elems) return OB_E_MEMORY;
    bool any = content.n == 0;
    for (uint32_t i = 0; i < content.n; i++) {
        ob_dim d = content.elems[i];
        if (!ob__op_is(infer, "Neg")) OB_TRY(ob__term_fit(infer, &d, dtype, 0));
        elems[i] = ob__content_within(ob__term_wrapped(apply_unary(infer, infer->op->name, d), dtype), dtype);
        any = any || elems[i] != OB_DIM_UNKNOWN;
    }
    if (any) infer->out_contents[0] = (ob_content){.n = content.n, .elems = elems};
    return OB_OK;
}
