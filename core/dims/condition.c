/* Conditions on dimensions: deciding, testing, writing. */
#include "core/base/error.h"
#include "core/dims/algebra.h"
#include "core/dims/scratch.h"

/* ---- Deciding ---- */

static ob_truth either(ob_truth a, ob_truth b) {
    return a == OB_TRUE || b == OB_TRUE ? OB_TRUE : a == OB_FALSE && b == OB_FALSE ? OB_FALSE : OB_UNDECIDED;
}

static bool is_plain(const ob_dims *pool, ob_dim d) {
    ob_dim_kind kind = ob_dim_get_kind(pool, d);
    return kind == OB_DIM_KIND_CONST || kind == OB_DIM_KIND_SYMBOL || kind == OB_DIM_KIND_UNKNOWN;
}

static ob_truth decide_equal(const ob_dims *pool, ob_dim a, ob_dim b) {
    if (ob_dim_is_const(a) && ob_dim_is_const(b)) return a == b ? OB_TRUE : OB_FALSE;
    if (a == b) return a != OB_DIM_UNKNOWN ? OB_TRUE : OB_UNDECIDED;
    if (is_plain(pool, a) && is_plain(pool, b)) {
        /* The usual case, different symbols or a symbol and a number: bounds decide as much as the difference. */
        int64_t a_low, a_high, b_low, b_high;
        ob_dim_bounds(pool, a, &a_low, &a_high);
        ob_dim_bounds(pool, b, &b_low, &b_high);
        return a_low > b_high || a_high < b_low ? OB_FALSE : OB_UNDECIDED;
    }
    return ob__terms_equal(pool, a, b);
}

/* Is every member of a a member of the broadcast term b? Then b is by its making a size to which a broadcasts. */
static bool is_part(const ob_dims *pool, ob_dim a, ob_dim b) {
    if (ob_dim_get_kind(pool, b) != OB_DIM_KIND_BCAST || !ob__term(pool, a)) return false;
    uint32_t n_parts, n_members, k = 0;
    const ob_dim *parts = ob__bcast_members(pool, &a, &n_parts), *members = ob__bcast_members(pool, &b, &n_members);
    for (uint32_t i = 0; i < n_parts; i++) {
        while (k < n_members && members[k] < parts[i]) k++;
        if (k == n_members || members[k] != parts[i]) return false;
    }
    return true;
}

static ob_truth decide_broadcast_to(const ob_dims *pool, ob_dim a, ob_dim b) {
    if (a == 1 || is_part(pool, a, b)) return OB_TRUE;
    return either(decide_equal(pool, a, b), decide_equal(pool, a, 1));
}

/* Of a number above 1. */
static ob_truth decide_multiple_of(const ob_dims *pool, ob_dim a, int64_t divisor) {
    if (ob_dim_is_const(a)) return a % divisor == 0 ? OB_TRUE : OB_FALSE;
    return ob__terms_divisible(pool, a, divisor);
}

static ob_truth decide_at_least(const ob_dims *pool, ob_dim a, ob_dim b) {
    if (a == b && a != OB_DIM_UNKNOWN) return OB_TRUE;
    if (ob_dim_is_const(a) && ob_dim_is_const(b)) return a >= b ? OB_TRUE : OB_FALSE;
    return ob__terms_at_least(pool, a, b);
}

static ob_truth decide(const ob_dims *pool, const ob_condition *condition) {
    ob_dim a = condition->a, b = condition->b;
    switch (condition->kind) {
    case OB_COND_EQUAL: return decide_equal(pool, a, b);
    case OB_COND_BROADCAST:
        if (b == 1 || is_part(pool, b, a)) return OB_TRUE;
        return either(decide_broadcast_to(pool, a, b), decide_equal(pool, b, 1));
    case OB_COND_BROADCAST_TO: return decide_broadcast_to(pool, a, b);
    case OB_COND_DIVISIBLE:
        if (!ob_dim_is_const(b)) return ob__term(pool, b) ? ob__terms_divisible(pool, a, b) : OB_UNDECIDED;
        if (b <= 0) return OB_FALSE;
        if (b == 1) return OB_TRUE;
        return decide_multiple_of(pool, a, b);
    case OB_COND_AT_LEAST: return decide_at_least(pool, a, b);
    }
    return OB_UNDECIDED;
}

ob_truth ob_condition_decide(const ob_dims *pool, const ob_condition *condition) {
    if (!condition) return OB_UNDECIDED;
    ob_dims_reading reading;
    ob__dims_read_begin(&reading, pool);
    ob_truth truth = decide(reading.pool, condition);
    ob__dims_read_end(&reading);
    return truth;
}

ob_truth ob__condition_assumed(const ob_dims *pool, const ob_condition *condition) {
    ob_truth truth = ob_condition_decide(pool, condition);
    const ob_size_ranges *ranges = ob__assumed_ranges(pool);
    return truth != OB_UNDECIDED || !ranges ? truth : ob__terms_assumed(pool, condition, ranges);
}

/* ---- Testing ---- */

ob_status ob_condition_eval(const ob_dims *pool, const ob_condition *condition, const ob_binding *bindings, size_t n_bindings,
                            bool *holds) {
    if (!condition || !holds) return OB_E_ARGUMENT;
    int64_t a, b;
    ob_status status = ob_dim_eval(pool, condition->a, bindings, n_bindings, &a);
    if (status == OB_OK) status = ob_dim_eval(pool, condition->b, bindings, n_bindings, &b);
    if (status == OB_E_SHAPE) {
        *holds = false;
        return OB_OK;
    }
    OB_TRY(status);
    switch (condition->kind) {
    case OB_COND_EQUAL: *holds = a == b; return OB_OK;
    case OB_COND_BROADCAST: *holds = a == b || a == 1 || b == 1; return OB_OK;
    case OB_COND_BROADCAST_TO: *holds = a == b || a == 1; return OB_OK;
    case OB_COND_DIVISIBLE: *holds = b > 0 && a % b == 0; return OB_OK;
    case OB_COND_AT_LEAST: *holds = a >= b; return OB_OK;
    }
    return OB_E_ARGUMENT;
}

/* ---- Writing ---- */

static void write_pair(ob_writer *writer, const ob_dims *pool, ob_dim a, const char *relation, ob_dim b) {
    ob__write_dim(writer, pool, a);
    ob__write(writer, relation);
    ob__write_dim(writer, pool, b);
}

typedef struct alternative {
    ob_dim a, b;
} alternative;

static void write_alternatives(ob_writer *writer, const ob_dims *pool, const alternative *alternatives, size_t n) {
    size_t n_written = 0;
    for (size_t i = 0; i < n; i++) {
        ob_dim a = alternatives[i].a, b = alternatives[i].b;
        if (decide_equal(pool, a, b) == OB_FALSE) continue;
        bool repeated = false;
        for (size_t k = 0; k < i; k++) repeated |= alternatives[k].a == a && alternatives[k].b == b;
        if (repeated) continue;
        if (n_written++ > 0) ob__write(writer, " or ");
        write_pair(writer, pool, a, " = ", b);
    }
    if (n_written == 0) write_pair(writer, pool, alternatives[0].a, " = ", alternatives[0].b); /* none can hold */
}

static void write_condition(ob_writer *writer, const ob_dims *pool, const ob_condition *condition) {
    ob_dim a = condition->a, b = condition->b;
    bool two_way = condition->kind == OB_COND_BROADCAST;
    switch (condition->kind) {
    case OB_COND_DIVISIBLE:
        ob__write_factor(writer, pool, a);
        ob__write(writer, " % ");
        ob__write_factor(writer, pool, b);
        ob__write(writer, " = 0");
        break;
    case OB_COND_AT_LEAST: write_pair(writer, pool, a, " >= ", b); break;
    default:
        if (ob_dim_is_const(a) && condition->kind != OB_COND_BROADCAST_TO) { /* "N = 5", not "5 = N" */
            ob_dim swapped = a;
            a = b;
            b = swapped;
        }
        if (condition->kind == OB_COND_EQUAL) {
            write_pair(writer, pool, a, " = ", b);
        } else if (ob_dim_is_const(b)) {
            const alternative alternatives[2] = {{a, 1}, {a, b}};
            bool possible = decide_equal(pool, a, 1) != OB_FALSE;
            write_alternatives(writer, pool, alternatives + !possible, 1u + possible);
        } else {
            const alternative alternatives[3] = {{a, b}, {a, 1}, {b, 1}};
            write_alternatives(writer, pool, alternatives, two_way ? 3 : 2);
        }
    }
}

size_t ob_condition_format(const ob_dims *pool, const ob_condition *condition, char *text, size_t n_bytes) {
    ob_writer writer = {text, text ? n_bytes : 0, 0};
    if (condition) {
        ob_dims_reading reading;
        ob__dims_read_begin(&reading, pool);
        write_condition(&writer, reading.pool, condition);
        ob__dims_read_end(&reading);
    }
    return ob__writer_end(&writer);
}
