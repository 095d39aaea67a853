/* Numbers of any element type, drawn, stored and loaded: for tests over all types. */
#ifndef TESTS_NUMBERS_H
#define TESTS_NUMBERS_H

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "byte_order.h"
#include "kernels/convert/narrow.h"
#include "onnx_broadcast/onnx_broadcast.h"

static uint64_t seed = 7;

static inline uint32_t draw(uint32_t n) {
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 33) % n;
}

/* Floats in `f`, integers and bool in `i` (the bits of a uint64). */

typedef struct number {
    long double f;
    int64_t i;
} number;

typedef struct type_facts {
    bool is_float, is_signed;
    int bits;
    double epsilon; /* tolerance of one operation, relative */
} type_facts;

static inline type_facts facts_of(ob_dtype dtype) {
    switch (dtype) {
    case OB_FLOAT: return (type_facts){true, true, 32, 4e-7};
    case OB_DOUBLE: return (type_facts){true, true, 64, 1e-15};
    case OB_FLOAT16: return (type_facts){true, true, 16, 1.0 / 1024};
    case OB_BFLOAT16: return (type_facts){true, true, 16, 1.0 / 128};
    case OB_INT8: return (type_facts){false, true, 8, 0};
    case OB_INT16: return (type_facts){false, true, 16, 0};
    case OB_INT32: return (type_facts){false, true, 32, 0};
    case OB_INT64: return (type_facts){false, true, 64, 0};
    case OB_UINT16: return (type_facts){false, false, 16, 0};
    case OB_UINT32: return (type_facts){false, false, 32, 0};
    case OB_UINT64: return (type_facts){false, false, 64, 0};
    default: return (type_facts){false, false, 8, 0};
    }
}

static inline const obk_f8 *f8_of(ob_dtype dtype) {
    switch (dtype) {
    case OB_FLOAT8E4M3FN: return &obk_e4m3fn;
    case OB_FLOAT8E4M3FNUZ: return &obk_e4m3fnuz;
    case OB_FLOAT8E5M2: return &obk_e5m2;
    case OB_FLOAT8E5M2FNUZ: return &obk_e5m2fnuz;
    default: return NULL;
    }
}

/* The least and the greatest integer of a type. */
static inline int64_t least(type_facts t) {
    return t.is_signed ? (int64_t)((uint64_t)-1 << (t.bits - 1)) : 0;
}
static inline uint64_t greatest(type_facts t) {
    return t.is_signed ? ~(uint64_t)least(t) : t.bits == 64 ? UINT64_MAX : (UINT64_C(1) << t.bits) - 1;
}

static inline int64_t wrap(int64_t value, type_facts t) {
    if (t.bits == 64) return value;
    uint64_t low = (uint64_t)value & ((UINT64_C(1) << t.bits) - 1);
    return t.is_signed && low >> (t.bits - 1) ? (int64_t)(low | ~UINT64_C(0) << t.bits) : (int64_t)low;
}

static inline number load(ob_dtype dtype, const void *memory, int64_t i) {
    number x = {0, 0};
    const char *p = (const char *)memory + i * (int64_t)ob_dtype_size(dtype);
    union {
        float f;
        double d;
        uint16_t h;
    } u;
    uint64_t integer = 0;
    size_t size = ob_dtype_size(dtype) > 8 ? 8 : ob_dtype_size(dtype);
    memcpy(&u, p, size);
    memcpy((char *)&integer + (is_big_endian() ? 8 - size : 0), p, size);
    switch (dtype) {
    case OB_FLOAT: x.f = (long double)u.f; break;
    case OB_DOUBLE: x.f = (long double)u.d; break;
    case OB_FLOAT16: x.f = (long double)obk_f16_to_f32(u.h); break;
    case OB_BFLOAT16: x.f = (long double)obk_bf16_to_f32(u.h); break;
    default:
        if (f8_of(dtype))
            x.f = (long double)obk_f8_to_f32((uint8_t)integer, f8_of(dtype));
        else {
            type_facts t = facts_of(dtype);
            x.i = wrap((int64_t)integer, t);
            x.f = t.is_signed ? (long double)x.i : (long double)(uint64_t)x.i;
        }
    }
    return x;
}

static inline void store(ob_dtype dtype, void *memory, int64_t i, number x) {
    char *p = (char *)memory + i * (int64_t)ob_dtype_size(dtype);
    float f = (float)x.f;
    double d = (double)x.f;
    uint16_t h = dtype == OB_FLOAT16 ? obk_f32_to_f16(f) : obk_f32_to_bf16(f);
    uint8_t b = f8_of(dtype) ? obk_f32_to_f8(f, f8_of(dtype), false) : (uint8_t)x.i;
    switch (dtype) {
    case OB_FLOAT: memcpy(p, &f, 4); break;
    case OB_DOUBLE: memcpy(p, &d, 8); break;
    case OB_FLOAT16:
    case OB_BFLOAT16: memcpy(p, &h, 2); break;
    default:
        if (ob_dtype_size(dtype) == 1)
            memcpy(p, &b, 1);
        else
            memcpy(p, (const char *)&x.i + (is_big_endian() ? 8 - ob_dtype_size(dtype) : 0), ob_dtype_size(dtype));
    }
}

static inline number draw_number(ob_dtype dtype) {
    number x = {0, 0};
    type_facts t = facts_of(dtype);
    if (dtype == OB_BOOL) {
        x.i = draw(2);
    } else if (t.is_float || f8_of(dtype)) {
        static const double special[] = {0, -0.0, 1, -1, 0.5, -0.5, 2, 3, -3, 1e-3, 1e-7, 1e30, -1e30, 6e-8, 65504, 448};
        switch (draw(5)) {
        case 0: x.f = (long double)special[draw(sizeof special / sizeof special[0])]; break;
        case 1: {
            uint32_t which = draw(3);
            x.f = which == 0 ? (long double)INFINITY : which == 1 ? -(long double)INFINITY : (long double)NAN;
            break;
        }
        case 2: x.f = ((long double)draw(2001) - 1000) / 7; break;
        default: x.f = ((long double)draw(2001) - 1000) / 250; break;
        }
    } else {
        switch (draw(4)) {
        case 0: x.i = least(t); break;
        case 1: x.i = (int64_t)greatest(t); break;
        case 2: x.i = (int64_t)draw(20) - (t.is_signed ? 10 : 0); break;
        default: x.i = wrap((int64_t)((uint64_t)draw(UINT32_MAX) << 32 | draw(UINT32_MAX)), t); break;
        }
    }
    return x;
}

/* One axis. */
static inline void make_view(ob_view *view, void *data, ob_dtype dtype, int64_t n) {
    assert_int_equal(ob_view_init(view, data, dtype, 1, &n), OB_OK);
}

#endif
