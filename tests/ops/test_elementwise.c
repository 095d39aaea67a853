/* Every elementwise operator version in every type that ops.def lists for it, compared with a scalar reference in long double
 * and 64-bit integers: special values, odd lengths, shifted pointers, scalar operands, in place, every instruction set. */
#include <stdio.h>
#include <stdlib.h>

#include "kernels/kernels.h"
#include "numbers.h"
#include "ops/kernel/kernel.h"
#include "ops/table/op.h"

enum { MAX_N = 1031 };

OB_KERNEL(unary);
OB_KERNEL(binary);
OB_KERNEL(variadic);
OB_KERNEL(mean);
OB_KERNEL(where);
OB_KERNEL(clip);
OB_KERNEL(prelu);

/* ---- The reference ---- */

typedef struct call {
    const char *name;
    ob_dtype in, second; /* second: of operand 1, which may have another type */
    const ob_option *options;
    size_t n_options;
    int since;
} call;

static long double real_option(const call *c, const char *name, float otherwise) {
    for (size_t i = 0; i < c->n_options; i++)
        if (strcmp(c->options[i].name, name) == 0) return (long double)c->options[i].real;
    return (long double)otherwise;
}

static int64_t int_option(const call *c, const char *name, int64_t otherwise) {
    for (size_t i = 0; i < c->n_options; i++)
        if (strcmp(c->options[i].name, name) == 0) return c->options[i].integer;
    return otherwise;
}

static bool text_option(const call *c, const char *name, const char *value) {
    for (size_t i = 0; i < c->n_options; i++)
        if (strcmp(c->options[i].name, name) == 0) return strcmp(c->options[i].text, value) == 0;
    return false;
}

static bool is(const call *c, const char *name) {
    return strcmp(c->name, name) == 0;
}

static long double softplus(long double x) {
    return (x > 0 ? x : 0) + log1pl(expl(-fabsl(x)));
}

/* Operators of one operand on floats; *scale is the magnitude of intermediate results, to which errors are relative. */
static long double unary_float(const call *c, long double x, long double *scale) {
    *scale = 0;
    if (is(c, "Abs")) return fabsl(x);
    if (is(c, "Neg")) return -x;
    if (is(c, "Ceil")) return ceill(x);
    if (is(c, "Floor")) return floorl(x);
    if (is(c, "Round")) return rintl(x);
    if (is(c, "Sqrt")) return sqrtl(x);
    if (is(c, "Exp")) return expl(x);
    if (is(c, "Log")) return logl(x);
    if (is(c, "Sin")) return sinl(x);
    if (is(c, "Cos")) return cosl(x);
    if (is(c, "Tan")) return tanl(x);
    if (is(c, "Asin")) return asinl(x);
    if (is(c, "Acos")) return acosl(x);
    if (is(c, "Atan")) return atanl(x);
    if (is(c, "Sinh")) return sinhl(x);
    if (is(c, "Cosh")) return coshl(x);
    if (is(c, "Tanh")) return tanhl(x);
    if (is(c, "Asinh")) return asinhl(x);
    if (is(c, "Acosh")) return acoshl(x);
    if (is(c, "Atanh")) return atanhl(x);
    if (is(c, "Sigmoid")) {
        *scale = 1e-31L; /* results below the normal numbers may be 0 */
        return 1 / (1 + expl(-x));
    }
    if (is(c, "Relu")) return x < 0 ? 0 : x;
    if (is(c, "Erf")) return erfl(x);
    if (is(c, "Reciprocal")) return 1 / x;
    if (is(c, "Sign")) return x > 0 ? 1 : x < 0 ? -1 : x != x ? x : 0;
    if (is(c, "Elu")) return x < 0 ? real_option(c, "alpha", 1) * expm1l(x) : x;
    if (is(c, "Selu")) {
        bool first = c->since < 6;
        long double alpha = real_option(c, "alpha", first ? 1.6732f : 1.67326319217681884765625f),
                    gamma = real_option(c, "gamma", first ? 1.0507f : 1.05070102214813232421875f);
        return x > 0 ? gamma * x : gamma * (alpha * expm1l(x));
    }
    if (is(c, "LeakyRelu")) return x < 0 ? real_option(c, "alpha", 0.01f) * x : x;
    if (is(c, "ThresholdedRelu")) return x > real_option(c, "alpha", 1) ? x : 0;
    if (is(c, "HardSigmoid")) {
        long double t = real_option(c, "alpha", 0.2f) * x + real_option(c, "beta", 0.5f);
        *scale = 1;
        return t < 0 ? 0 : t > 1 ? 1 : t;
    }
    if (is(c, "HardSwish")) {
        long double t = x / 6 + 0.5L;
        *scale = fabsl(x) < 4 ? fabsl(x) : 0;
        return x * (t < 0 ? 0 : t > 1 ? 1 : t);
    }
    if (is(c, "Celu")) {
        long double alpha = real_option(c, "alpha", 1);
        return x > 0 ? x : alpha * expm1l(x / alpha);
    }
    if (is(c, "Softplus")) return softplus(x);
    if (is(c, "Softsign")) return x / (1 + fabsl(x));
    if (is(c, "Shrink")) {
        long double lambda = real_option(c, "lambd", 0.5f), bias = real_option(c, "bias", 0);
        *scale = fabsl(bias);
        return x < -lambda ? x + bias : x > lambda ? x - bias : x != x ? 0 : 0;
    }
    if (is(c, "Mish")) {
        *scale = 1e-31L;
        return x * tanhl(softplus(x));
    }
    if (is(c, "Gelu")) {
        *scale = fabsl(x);
        if (text_option(c, "approximate", "tanh"))
            return 0.5L * x * (1 + tanhl(0.79788456080286535588L * (x + 0.044715L * x * x * x)));
        return 0.5L * x * (1 + erfl(x / sqrtl(2)));
    }
    if (is(c, "Swish")) {
        *scale = 1e-29L;
        return x / (1 + expl(-real_option(c, "alpha", 1) * x));
    }
    long double alpha = real_option(c, "alpha", 1), beta = real_option(c, "beta", is(c, "Affine") ? 0 : 1);
    if (is(c, "Affine")) {
        *scale = fabsl(beta);
        return alpha * x + beta;
    }
    if (is(c, "ScaledTanh")) return alpha * tanhl(beta * x);
    if (is(c, "ParametricSoftplus")) { /* the product's rounding is an absolute error in the exponent */
        long double result = alpha * softplus(beta * x);
        *scale = fabsl(result) * fminl(fabsl(x), 1000);
        return result;
    }
    fail_msg("no reference for %s", c->name);
    return 0;
}

static int64_t unary_int(const call *c, number x, type_facts t) {
    if (is(c, "Abs")) return x.i < 0 && t.is_signed ? (int64_t)(0 - (uint64_t)x.i) : x.i;
    if (is(c, "Neg")) return (int64_t)(0 - (uint64_t)x.i);
    if (is(c, "Relu")) return x.i < 0 ? 0 : x.i;
    if (is(c, "Sign")) return x.i == 0 ? 0 : t.is_signed && x.i < 0 ? -1 : 1;
    if (is(c, "Erf")) return (int64_t)erf((double)x.f);
    if (is(c, "Not")) return !x.i;
    if (is(c, "BitwiseNot")) return ~x.i;
    if (is(c, "Shrink")) {
        long double ignored, result = (long double)(double)unary_float(c, (long double)(double)x.f, &ignored);
        long double low = (long double)least(t), high = (long double)greatest(t);
        return result >= high  ? (int64_t)greatest(t)
               : result <= low ? least(t)
               : result < 0    ? (int64_t)result
                               : (int64_t)(uint64_t)result;
    }
    fail_msg("no reference for %s", c->name);
    return 0;
}

static long double binary_float(const call *c, long double a, long double b) {
    if (is(c, "Add") || is(c, "Sum")) return a + b;
    if (is(c, "Sub")) return a - b;
    if (is(c, "Mul")) return a * b;
    if (is(c, "Div")) return a / b;
    if (is(c, "Pow")) return powl(a, b);
    if (is(c, "Mod")) return fmodl(a, b);
    if (is(c, "PRelu")) return a < 0 ? a * b : a;
    if (is(c, "Max")) return a != a ? a : b != b ? b : a > b ? a : b;
    if (is(c, "Min")) return a != a ? a : b != b ? b : a < b ? a : b;
    if (is(c, "Mean")) return (a + b) / 2;
    fail_msg("no reference for %s", c->name);
    return 0;
}

static int compare(number a, number b, type_facts t) {
    if (t.is_signed) return (a.i > b.i) - (a.i < b.i);
    return ((uint64_t)a.i > (uint64_t)b.i) - ((uint64_t)a.i < (uint64_t)b.i);
}

static bool comparison(const call *c, number a, number b, type_facts t, bool *result) {
    bool less, equal;
    if (t.is_float)
        less = a.f < b.f, equal = a.f == b.f;
    else
        less = compare(a, b, t) < 0, equal = a.i == b.i;
    bool unordered = t.is_float && (a.f != a.f || b.f != b.f);
    if (is(c, "Equal"))
        *result = equal;
    else if (is(c, "Less"))
        *result = less;
    else if (is(c, "LessOrEqual"))
        *result = less || equal;
    else if (is(c, "Greater"))
        *result = !unordered && !less && !equal;
    else if (is(c, "GreaterOrEqual"))
        *result = !unordered && !less;
    else if (is(c, "And"))
        *result = a.i && b.i;
    else if (is(c, "Or"))
        *result = a.i || b.i;
    else if (is(c, "Xor"))
        *result = !a.i != !b.i;
    else
        return false;
    return true;
}

static int64_t divide(number a, number b, type_facts t, bool remainder, bool floored) {
    if (b.i == 0) return 0;
    if (!t.is_signed) return (int64_t)(remainder ? (uint64_t)a.i % (uint64_t)b.i : (uint64_t)a.i / (uint64_t)b.i);
    if (b.i == -1) return remainder ? 0 : (int64_t)(0 - (uint64_t)a.i);
    int64_t rest = a.i % b.i;
    if (!remainder) return a.i / b.i;
    return floored && rest && (rest < 0) != (b.i < 0) ? rest + b.i : rest;
}

static int64_t power(int64_t base, int64_t exponent) {
    if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent & 1 ? -1 : 1) : 0;
    uint64_t result = 1;
    if (base == 0 || base == 1) return exponent == 0 ? 1 : base;
    if (base == -1) return exponent & 1 ? -1 : 1;
    if (base % 2 == 0 && exponent > 64) return 0;
    for (uint64_t square = (uint64_t)base; exponent; exponent /= 2, square *= square)
        if (exponent % 2) result *= square;
    return (int64_t)result;
}

static int64_t binary_int(const call *c, number a, number b, type_facts t) {
    uint64_t x = (uint64_t)a.i, y = (uint64_t)b.i;
    if (is(c, "Add") || is(c, "Sum")) return (int64_t)(x + y);
    if (is(c, "Sub")) return (int64_t)(x - y);
    if (is(c, "Mul")) return (int64_t)(x * y);
    if (is(c, "Div")) return divide(a, b, t, false, false);
    if (is(c, "Mod")) return divide(a, b, t, true, int_option(c, "fmod", 0) == 0);
    if (is(c, "Max")) return compare(a, b, t) > 0 ? a.i : b.i;
    if (is(c, "Min")) return compare(a, b, t) < 0 ? a.i : b.i;
    if (is(c, "PRelu")) return t.is_signed && a.i < 0 ? (int64_t)(x * y) : a.i;
    if (is(c, "BitwiseAnd")) return a.i & b.i;
    if (is(c, "BitwiseOr")) return a.i | b.i;
    if (is(c, "BitwiseXor")) return a.i ^ b.i;
    if (is(c, "BitShift")) return y >= (uint64_t)t.bits ? 0 : (int64_t)(text_option(c, "direction", "LEFT") ? x << y : x >> y);
    fail_msg("no reference for %s", c->name);
    return 0;
}

/* ---- Comparing ---- */

static void judge(const call *c, ob_dtype out, number got, long double expected, long double scale, number a, number b) {
    type_facts t = facts_of(out);
    number rounded = {0, 0};
    unsigned char memory[16];
    store(out, memory, 0, (number){.f = expected});
    rounded = load(out, memory, 0);
    bool fine;
    if (rounded.f != rounded.f)
        fine = got.f != got.f;
    else if (isinf(rounded.f))
        fine = got.f == rounded.f || (!isinf(expected) && fabsl(got.f) > fabsl(expected) * 0.99L);
    else {
        long double tiny = out == OB_FLOAT ? 1e-44L : out == OB_FLOAT16 ? 6e-8L : out == OB_BFLOAT16 ? 1e-40L : 1e-322L;
        long double error = fabsl(got.f - rounded.f);
        fine = error <= (long double)t.epsilon * (fabsl(rounded.f) + scale) + tiny;
        /* the largest numbers may round up to infinity */
        if (isinf(got.f)) fine = (got.f > 0) == (expected > 0) && fabsl(expected) > (out == OB_FLOAT16 ? 65000.0L : 3e38L);
    }
    if (!fine)
        fail_msg("%s of %s on %s: %.20Lg, %.20Lg gives %.20Lg, expected %.20Lg", c->name, ob_dtype_name(c->in),
                 ob__kernels_level_name(), a.f, b.f, got.f, rounded.f);
}

static void judge_int(const call *c, ob_dtype out, number got, int64_t expected, number a, number b) {
    expected = wrap(expected, facts_of(out));
    if (got.i != expected)
        fail_msg("%s of %s on %s: %lld, %lld (%Lg, %Lg) gives %lld, expected %lld", c->name, ob_dtype_name(c->in),
                 ob__kernels_level_name(), (long long)a.i, (long long)b.i, a.f, b.f, (long long)got.i, (long long)expected);
}

static void judge_pow(const call *c, number a, number b, number got) {
    type_facts base = facts_of(c->in), exponent = facts_of(c->second);
    if (base.is_float) {
        judge(c, c->in, got, powl(a.f, b.f), 0, a, b);
    } else if (!exponent.is_float) {
        judge_int(c, c->in, got, power(a.i, b.i), a, b);
    } else {
        long double exact = powl((long double)(double)a.f, b.f);
        long double high = (long double)greatest(base), low = (long double)least(base);
        if (exact != exact)
            judge_int(c, c->in, got, 0, a, b);
        else if (exact >= high)
            judge_int(c, c->in, got, (int64_t)greatest(base), a, b);
        else if (exact <= low)
            judge_int(c, c->in, got, least(base), a, b);
        else
            assert_true(fabsl((long double)got.i - truncl(exact)) <= 1 + fabsl(exact) * 1e-14L);
    }
}

static void judge_element(const call *c, int n_in, ob_dtype out, number a, number b, number got) {
    type_facts t = facts_of(c->in);
    bool result;
    long double scale = 0;
    if (is(c, "IsNaN"))
        judge_int(c, out, got, a.f != a.f, a, b);
    else if (is(c, "IsInf"))
        judge_int(c, out, got, isinf(a.f) && int_option(c, a.f > 0 ? "detect_positive" : "detect_negative", 1), a, b);
    else if (is(c, "Pow"))
        judge_pow(c, a, b, got);
    else if (n_in == 2 && comparison(c, a, b, t, &result))
        judge_int(c, out, got, result, a, b);
    else if (n_in == 1 && t.is_float) {
        long double expected = unary_float(c, a.f, &scale);
        judge(c, out, got, expected, scale, a, b);
    } else if (n_in == 1)
        judge_int(c, out, got, unary_int(c, a, t), a, b);
    else if (t.is_float)
        judge(c, out, got, binary_float(c, a.f, b.f), is(c, "Mean") ? fabsl(a.f) : 0, a, b);
    else
        judge_int(c, out, got, binary_int(c, a, b, t), a, b);
}

/* ---- Running ---- */

/* One call on n elements; scalar: bit k says that operand k has one element only. */
static void check_call(const ob_op *op, const call *c, int n_in, int64_t n, unsigned scalar, bool in_place) {
    static _Alignas(64) char memory[2][(MAX_N + 8) * 8], result[(MAX_N + 8) * 8];
    ob_view in[2], out;
    for (int k = 0; k < n_in; k++) {
        ob_dtype dtype = k == 0 ? c->in : c->second;
        char *data = memory[k] + (n % 3) * (int64_t)ob_dtype_size(dtype); /* aligned to the element only */
        int64_t size = scalar & 1u << k ? 1 : n;
        for (int64_t i = 0; i < size; i++) store(dtype, data, i, draw_number(dtype));
        /* beyond 2^53 the parity of an exponent is lost in double */
        if (k == 1 && is(c, "Pow") && facts_of(c->in).is_float && facts_of(dtype).bits == 64 && !facts_of(dtype).is_float)
            for (int64_t i = 0; i < size; i++)
                store(dtype, data, i, (number){.i = (int64_t)draw(1u << 30) - (facts_of(dtype).is_signed ? 1 << 29 : 0)});
        make_view(&in[k], data, dtype, size);
    }
    ob_error error;
    ob_error_clear(&error);
    ob_status status = ob_elementwise_output(op->name, op->since, in, (size_t)n_in, c->options, c->n_options, &out, &error);
    if (status != OB_OK) fail_msg("%s-%d of %s: %s", op->name, op->since, ob_dtype_name(c->in), error.message);
    static char copies[2][sizeof memory[0]];
    memcpy(copies, memory, sizeof memory);
    size_t n_bytes = (size_t)n * ob_dtype_size(out.dtype);
    memset(result, 0x5A, sizeof result);
    out.data = in_place ? in[0].data : result + 64;
    status = ob_elementwise(op->name, op->since, in, (size_t)n_in, c->options, c->n_options, &out, &error);
    if (status != OB_OK) fail_msg("%s-%d of %s: %s", op->name, op->since, ob_dtype_name(c->in), error.message);
    for (int64_t i = 0; i < n; i++) {
        number x[2] = {{0, 0}, {0, 0}};
        for (int k = 0; k < n_in; k++)
            x[k] = load(in[k].dtype, copies[k] + ((char *)in[k].data - memory[k]), scalar & 1u << k ? 0 : i);
        judge_element(c, n_in, out.dtype, x[0], x[1], load(out.dtype, out.data, i));
    }
    if (!in_place) {
        assert_memory_equal(memory, copies, sizeof memory);
        for (size_t i = 0; i < 64; i++) assert_int_equal(result[i], 0x5A);
        for (size_t i = 64 + n_bytes; i < sizeof result; i++) assert_int_equal(result[i], 0x5A);
    }
}

static void check_all_forms(const ob_op *op, const call *c, int n_in) {
    static const int64_t lengths[] = {0, 1, 2, 7, 31, 64, 259};
    bool multi = op->broadcast == OB_BCAST_MULTI;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        check_call(op, c, n_in, lengths[i], 0, false);
        if (n_in == 2 && multi) {
            check_call(op, c, n_in, lengths[i], 1, false);
            check_call(op, c, n_in, lengths[i], 2, false);
        }
        check_call(op, c, n_in, lengths[i], 0,
                   ob_dtype_size(c->in) == ob_dtype_size(ob__op_output_types(op, 0) & OB_T(BOOL) ? OB_BOOL : c->in));
    }
}

/* Options to try for an operator: at least one set. */
typedef struct option_set {
    const char *op;
    ob_option options[2];
    size_t n;
} option_set;

static const option_set option_sets[] = {
    {"LeakyRelu", {{"alpha", OB_OPTION_REAL, 0, 0.3f, NULL}}, 1},
    {"Elu", {{"alpha", OB_OPTION_REAL, 0, 0.7f, NULL}}, 1},
    {"Celu", {{"alpha", OB_OPTION_REAL, 0, 2.5f, NULL}}, 1},
    {"Selu", {{"alpha", OB_OPTION_REAL, 0, 2, NULL}, {"gamma", OB_OPTION_REAL, 0, 3, NULL}}, 2},
    {"ThresholdedRelu", {{"alpha", OB_OPTION_REAL, 0, 0.25f, NULL}}, 1},
    {"HardSigmoid", {{"alpha", OB_OPTION_REAL, 0, 0.5f, NULL}, {"beta", OB_OPTION_REAL, 0, 0.6f, NULL}}, 2},
    {"Shrink", {{"lambd", OB_OPTION_REAL, 0, 1.5f, NULL}, {"bias", OB_OPTION_REAL, 0, 1.5f, NULL}}, 2},
    {"Swish", {{"alpha", OB_OPTION_REAL, 0, 0.5f, NULL}}, 1},
    {"Affine", {{"alpha", OB_OPTION_REAL, 0, 0.5f, NULL}, {"beta", OB_OPTION_REAL, 0, 0.75f, NULL}}, 2},
    {"ScaledTanh", {{"alpha", OB_OPTION_REAL, 0, 0.5f, NULL}, {"beta", OB_OPTION_REAL, 0, 0.75f, NULL}}, 2},
    {"ParametricSoftplus", {{"alpha", OB_OPTION_REAL, 0, 0.5f, NULL}, {"beta", OB_OPTION_REAL, 0, 0.75f, NULL}}, 2},
    {"IsInf", {{"detect_positive", OB_OPTION_INT, 0, 0, NULL}}, 1},
    {"IsInf", {{"detect_negative", OB_OPTION_INT, 0, 0, NULL}}, 1},
    {"Gelu", {{"approximate", OB_OPTION_TEXT, 0, 0, "tanh"}}, 1},
    {"Mod", {{"fmod", OB_OPTION_INT, 1, 0, NULL}}, 1},
    {"BitShift", {{"direction", OB_OPTION_TEXT, 0, 0, "LEFT"}}, 1},
    {"BitShift", {{"direction", OB_OPTION_TEXT, 0, 0, "RIGHT"}}, 1},
};

static bool needs_options(const call *c) {
    return is(c, "BitShift") || (is(c, "Mod") && facts_of(c->in).is_float);
}

static void check_options(const ob_op *op, call *c, int n_in) {
    if (!needs_options(c)) check_all_forms(op, c, n_in);
    for (size_t i = 0; i < sizeof option_sets / sizeof option_sets[0]; i++) {
        if (!is(c, option_sets[i].op)) continue;
        c->options = option_sets[i].options;
        c->n_options = option_sets[i].n;
        check_all_forms(op, c, n_in);
        c->options = NULL;
        c->n_options = 0;
    }
}

static void check_rows(const struct ob_kernel *kernel, int n_in) {
    size_t n_rows = 0;
    for (size_t i = 0; i < ob__op_count(); i++) {
        const ob_op *op = ob__op_at(i);
        if (op->kernel != kernel) continue;
        n_rows++;
        for (int dtype = 1; dtype < OB_DTYPE_COUNT; dtype++) {
            if (!(ob__op_input_types(op, 0) & UINT64_C(1) << dtype) || dtype == OB_STRING) continue;
            bool mixed = strncmp(op->signature, "TU", 2) == 0;
            for (int second = 1; second < OB_DTYPE_COUNT; second++) {
                if (n_in == 1 || !mixed ? second != dtype : !(ob__op_input_types(op, 1) & UINT64_C(1) << second)) continue;
                call c = {op->name, (ob_dtype)dtype, (ob_dtype)second, NULL, 0, op->since};
                for (unsigned isa = 0; isa < 2; isa++) {
                    ob__kernels_limit(isa ? ~0u : 0);
                    check_options(op, &c, n_in);
                }
            }
        }
    }
    ob__kernels_limit(~0u);
    assert_true(n_rows > 3);
}

static void unary_rows(void **state) {
    (void)state;
    check_rows(&ob__kernel_unary, 1);
}
static void binary_rows(void **state) {
    (void)state;
    check_rows(&ob__kernel_binary, 2);
}
static void variadic_rows(void **state) {
    (void)state;
    check_rows(&ob__kernel_variadic, 2);
    check_rows(&ob__kernel_mean, 2);
}
static void prelu_rows(void **state) {
    (void)state;
    check_rows(&ob__kernel_prelu, 2);
}

/* ---- Where, Clip: types by rows, values bit for bit ---- */

static void where_rows(void **state) {
    (void)state;
    for (size_t row = 0; row < ob__op_count(); row++) {
        const ob_op *op = ob__op_at(row);
        if (op->kernel != &ob__kernel_where) continue;
        for (int dtype = 1; dtype < OB_DTYPE_COUNT; dtype++) {
            if (!(op->types[0] & UINT64_C(1) << dtype)) continue;
            size_t size = ob_dtype_size((ob_dtype)dtype);
            for (unsigned form = 0; form < 16; form++) {
                ob__kernels_limit(form & 8 ? ~0u : 0);
                _Alignas(16) unsigned char c[37], x[37 * 16], y[37 * 16], z[37 * 16 + 1];
                ob_view in[3], out;
                for (size_t i = 0; i < sizeof c; i++) c[i] = (unsigned char)draw(2);
                for (size_t i = 0; i < sizeof x; i++) x[i] = (unsigned char)draw(256), y[i] = (unsigned char)draw(256);
                if ((form & 7) == 7) form |= 0;
                make_view(&in[0], c, OB_BOOL, form & 1 ? 1 : 37);
                make_view(&in[1], x, (ob_dtype)dtype, form & 2 ? 1 : 37);
                make_view(&in[2], y, (ob_dtype)dtype, form & 4 ? 1 : 37);
                int64_t n = (form & 7) == 7 ? 1 : 37;
                make_view(&out, z, (ob_dtype)dtype, n);
                z[(size_t)n * size] = 0x5A;
                assert_int_equal(ob_elementwise("Where", op->since, in, 3, NULL, 0, &out, NULL), OB_OK);
                for (size_t i = 0; i < (size_t)n; i++) {
                    const unsigned char *from =
                        c[form & 1 ? 0 : i] ? x + (form & 2 ? 0 : i) * size : y + (form & 4 ? 0 : i) * size;
                    assert_memory_equal(z + i * size, from, size);
                }
                assert_int_equal(z[(size_t)n * size], 0x5A);
            }
        }
    }
    ob__kernels_limit(~0u);
}

/* Bounds that are omitted. */
static long double greatest_finite(ob_dtype dtype) {
    return dtype == OB_DOUBLE    ? (long double)DBL_MAX
           : dtype == OB_FLOAT   ? (long double)FLT_MAX
           : dtype == OB_FLOAT16 ? 65504
                                 : 0x1.fep127L;
}

static void check_clip(const ob_op *op, ob_dtype dtype, bool low_given, bool high_given) {
    enum { N = 75 };
    _Alignas(16) unsigned char x[N * 8], z[N * 8], low[8], high[8];
    type_facts t = facts_of(dtype);
    number a, b;
    do a = draw_number(dtype);
    while (a.f != a.f);
    do b = draw_number(dtype);
    while (b.f != b.f);
    store(dtype, low, 0, a);
    store(dtype, high, 0, b);
    a = load(dtype, low, 0);
    b = load(dtype, high, 0);
    for (int64_t i = 0; i < N; i++) store(dtype, x, i, draw_number(dtype));
    ob_view in[3], out;
    int64_t none = 1;
    make_view(&in[0], x, dtype, N);
    assert_int_equal(ob_view_init(&in[1], low, dtype, 0, &none), OB_OK);
    assert_int_equal(ob_view_init(&in[2], high, dtype, 0, &none), OB_OK);
    if (!low_given) in[1] = (ob_view){.dtype = OB_NONE};
    if (!high_given) in[2] = (ob_view){.dtype = OB_NONE};
    make_view(&out, z, dtype, N);
    ob_option options[2] = {{"min", OB_OPTION_REAL, 0, (float)a.f, NULL}, {"max", OB_OPTION_REAL, 0, (float)b.f, NULL}};
    bool attributes = op->since < 11;
    const ob_option *first = low_given ? options : options + 1;
    if (attributes) a.f = (long double)options[0].real, b.f = (long double)options[1].real;
    size_t n_options = attributes ? (size_t)low_given + high_given : 0;
    assert_int_equal(ob_elementwise("Clip", op->since, in, attributes ? 1 : 3, first, n_options, &out, NULL), OB_OK);
    for (int64_t i = 0; i < N; i++) {
        number value = load(dtype, x, i), got = load(dtype, z, i);
        if (t.is_float) {
            long double least = low_given ? a.f : -greatest_finite(dtype), most = high_given ? b.f : greatest_finite(dtype);
            if (value.f < least) value.f = least;
            if (value.f > most) value.f = most;
            unsigned char rounded[8];
            store(dtype, rounded, 0, value);
            value = load(dtype, rounded, 0);
            assert_true(got.f == value.f || (got.f != got.f && value.f != value.f));
        } else {
            if (low_given && compare(value, a, t) < 0) value = a;
            if (high_given && compare(value, b, t) > 0) value = b;
            assert_int_equal(got.i, value.i);
        }
    }
}

static void clip_rows(void **state) {
    (void)state;
    for (size_t row = 0; row < ob__op_count(); row++) {
        const ob_op *op = ob__op_at(row);
        if (op->kernel != &ob__kernel_clip) continue;
        for (int dtype = 1; dtype < OB_DTYPE_COUNT; dtype++) {
            if (!(op->types[0] & UINT64_C(1) << dtype)) continue;
            for (unsigned i = 0; i < 32; i++) {
                ob__kernels_limit(i & 4 ? ~0u : 0);
                check_clip(op, (ob_dtype)dtype, i & 1, i & 2);
            }
        }
    }
    ob__kernels_limit(~0u);
}

int main(int argc, char **argv) {
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unary_rows), cmocka_unit_test(binary_rows), cmocka_unit_test(variadic_rows),
        cmocka_unit_test(prelu_rows), cmocka_unit_test(where_rows),  cmocka_unit_test(clip_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
