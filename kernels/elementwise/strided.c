#include "kernels/elementwise/strided.h"

#include <string.h>

void obk_strided_append(obk_strided *shape, int64_t size, int64_t stride) {
    shape->n_elems *= size;
    if (size == 1) return;
    int32_t last = shape->rank - 1;
    if (last >= 0 && shape->strides[last] == stride * size) {
        shape->dims[last] *= size;
        shape->strides[last] = stride;
        return;
    }
    shape->dims[shape->rank] = size;
    shape->strides[shape->rank++] = stride;
}

bool obk_strided_is_dense(const obk_strided *shape, size_t elem_bytes) {
    return shape->rank == 0 || (shape->rank == 1 && shape->strides[0] == (int64_t)elem_bytes);
}

/* m elements, source_stride apart, each written n times (splat), or n = 1 (gather). Inlined so that each width is a constant. */
static inline __attribute__((always_inline)) void spread_of(char *target, const char *source, size_t width, int64_t m,
                                                            int64_t source_stride, int64_t n) {
    for (int64_t i = 0; i < m; i++) {
        char value[16];
        memcpy(value, source + i * source_stride, width);
        for (int64_t j = 0; j < n; j++) memcpy(target + j * (int64_t)width, value, width);
        target += n * (int64_t)width;
    }
}

static inline __attribute__((always_inline)) void scatter_of(char *target, const char *source, size_t width, int64_t n,
                                                             int64_t target_stride) {
    for (int64_t i = 0; i < n; i++) memcpy(target + i * target_stride, source + i * (int64_t)width, width);
}

static void spread(char *target, const char *source, size_t elem_bytes, int64_t m, int64_t source_stride, int64_t n) {
    switch (elem_bytes) {
    case 1: spread_of(target, source, 1, m, source_stride, n); break;
    case 2: spread_of(target, source, 2, m, source_stride, n); break;
    case 4: spread_of(target, source, 4, m, source_stride, n); break;
    case 8: spread_of(target, source, 8, m, source_stride, n); break;
    default: spread_of(target, source, 16, m, source_stride, n); break;
    }
}

static void scatter(char *target, const char *source, size_t elem_bytes, int64_t n, int64_t target_stride) {
    switch (elem_bytes) {
    case 1: scatter_of(target, source, 1, n, target_stride); break;
    case 2: scatter_of(target, source, 2, n, target_stride); break;
    case 4: scatter_of(target, source, 4, n, target_stride); break;
    case 8: scatter_of(target, source, 8, n, target_stride); break;
    default: scatter_of(target, source, 16, n, target_stride); break;
    }
}

/* Repeats the first n_bytes of target, `times` times in all. */
static void replicate(char *target, size_t n_bytes, int64_t times) {
    size_t total = n_bytes * (size_t)times, done = n_bytes;
    while (done < total) {
        size_t n = done < total - done ? done : total - done;
        memcpy(target + done, target, n);
        done += n;
    }
}

static void gather_row(char *target, const char *source, size_t elem_bytes, int64_t n, int64_t stride) {
    if (stride == (int64_t)elem_bytes)
        memcpy(target, source, (size_t)n * elem_bytes);
    else if (stride == 0)
        spread(target, source, elem_bytes, 1, 0, n);
    else
        spread(target, source, elem_bytes, n, stride, 1);
}

/* Returns the end of the written elements. */
static char *gather_level(char *target, const char *source, size_t elem_bytes, const obk_strided *shape, int32_t level,
                          obk_repeat repeat_4) {
    int64_t n = shape->dims[level], stride = shape->strides[level];
    if (level == shape->rank - 1) {
        gather_row(target, source, elem_bytes, n, stride);
        return target + n * (int64_t)elem_bytes;
    }
    if (stride == 0) {
        char *end = gather_level(target, source, elem_bytes, shape, level + 1, repeat_4);
        replicate(target, (size_t)(end - target), n);
        return target + (end - target) * n;
    }
    if (level == shape->rank - 2 && shape->strides[level + 1] == 0) {
        if (repeat_4 && elem_bytes == 4 && stride == 4 && (uintptr_t)source % 4 == 0)
            repeat_4(target, source, n, shape->dims[level + 1]);
        else
            spread(target, source, elem_bytes, n, stride, shape->dims[level + 1]);
        return target + n * shape->dims[level + 1] * (int64_t)elem_bytes;
    }
    for (int64_t i = 0; i < n; i++) target = gather_level(target, source + i * stride, elem_bytes, shape, level + 1, repeat_4);
    return target;
}

void obk_gather_strided(char *target, const char *source, size_t elem_bytes, const obk_strided *shape, obk_repeat repeat_4) {
    if (shape->rank == 0)
        memcpy(target, source, elem_bytes);
    else
        gather_level(target, source, elem_bytes, shape, 0, repeat_4);
}

static const char *unpack_level(char *target, const char *source, size_t elem_bytes, const obk_strided *shape, int32_t level) {
    int64_t n = shape->dims[level], stride = shape->strides[level];
    if (level < shape->rank - 1) {
        for (int64_t i = 0; i < n; i++) source = unpack_level(target + i * stride, source, elem_bytes, shape, level + 1);
        return source;
    }
    if (stride == (int64_t)elem_bytes)
        memcpy(target, source, (size_t)n * elem_bytes);
    else
        scatter(target, source, elem_bytes, n, stride);
    return source + n * (int64_t)elem_bytes;
}

void obk_scatter_strided(char *target, const char *source, size_t elem_bytes, const obk_strided *shape) {
    if (shape->rank == 0)
        memcpy(target, source, elem_bytes);
    else
        unpack_level(target, source, elem_bytes, shape, 0);
}

void obk_copy_row(char *target, const char *source, int64_t step, int64_t n, size_t elem_bytes) {
    if (target != source) gather_row(target, source, elem_bytes, n, step);
}
