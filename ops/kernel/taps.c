#include "ops/kernel/taps.h"
#include "kernels/sample/sample.h"

#include "ops/kernel/common.h"

ob_status ob__need_taps(ob_kernel_needs *needs, int64_t n_taps, bool is_double, ob_error *error) {
    OB_TRY(ob__need_lanes(needs, n_taps * OBK_SAMPLE_POINTS, sizeof(int32_t), error));
    return ob__need_lanes(needs, n_taps * OBK_SAMPLE_POINTS, is_double ? sizeof(double) : sizeof(float), error);
}

ob_tap_table ob__take_taps(char **memory, int64_t n_taps, bool is_double) {
    ob_tap_table table = {.is_double = is_double, .n_taps = (int32_t)n_taps};
    table.offsets = ob__take(memory, n_taps * OBK_SAMPLE_POINTS, sizeof(int32_t));
    table.weights = ob__take(memory, n_taps * OBK_SAMPLE_POINTS, is_double ? sizeof(double) : sizeof(float));
    return table;
}

static inline void put(const ob_tap_table *table, int32_t t, int32_t p, bool inside, int64_t offset, double weight) {
    const int32_t at = t * OBK_SAMPLE_POINTS + p;
    table->offsets[at] = inside ? (int32_t)offset : 0;
    if (table->is_double)
        ((double *)table->weights)[at] = inside ? weight : 0;
    else
        ((float *)table->weights)[at] = inside ? (float)weight : 0;
}

static void put_of_two(const ob_tap_table *table, int32_t p, const ob_axis_taps *row, const ob_axis_taps *column, int64_t n,
                       double factor) {
    for (int32_t i = 0, t = 0; i < row->n; i++) {
        const double weight = factor * row->weight[i];
        for (int32_t k = 0; k < column->n; k++)
            put(table, t++, p, row->index[i] >= 0 && column->index[k] >= 0, row->index[i] * n + column->index[k],
                weight * column->weight[k]);
    }
}

void ob__put_taps(const ob_tap_table *table, int32_t p, int32_t rank, const ob_axis_taps *axes, const int64_t *dims,
                  double factor) {
    int32_t which[OB_MAX_RANK] = {0};
    if (rank == 2) {
        put_of_two(table, p, &axes[0], &axes[1], dims[1], factor);
        return;
    }
    for (int32_t t = 0; t < table->n_taps; t++) {
        int64_t offset = 0;
        double weight = factor;
        bool inside = true;
        for (int32_t a = 0; a < rank; a++) {
            inside = inside && axes[a].index[which[a]] >= 0;
            offset = offset * dims[a] + axes[a].index[which[a]];
            weight *= axes[a].weight[which[a]];
        }
        put(table, t, p, inside, offset, weight);
        for (int32_t a = rank - 1; a >= 0 && ++which[a] == axes[a].n; a--) which[a] = 0;
    }
}
