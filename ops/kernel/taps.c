#include "ops/kernel/taps.h"

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

void ob__put_taps(const ob_tap_table *table, int32_t p, int32_t rank, const ob_axis_taps *axes, const int64_t *dims,
                  double factor) {
    int32_t which[OB_MAX_RANK] = {0};
    for (int32_t t = 0; t < table->n_taps; t++) {
        int64_t offset = 0;
        double weight = factor;
        bool inside = true;
        for (int32_t a = 0; a < rank; a++) {
            inside = inside && axes[a].index[which[a]] >= 0;
            offset = offset * dims[a] + axes[a].index[which[a]];
            weight *= axes[a].weight[which[a]];
        }
        table->offsets[t * OBK_SAMPLE_POINTS + p] = inside ? (int32_t)offset : 0;
        if (table->is_double)
            ((double *)table->weights)[t * OBK_SAMPLE_POINTS + p] = inside ? weight : 0;
        else
            ((float *)table->weights)[t * OBK_SAMPLE_POINTS + p] = inside ? (float)weight : 0;
        for (int32_t a = rank - 1; a >= 0 && ++which[a] == axes[a].n; a--) which[a] = 0;
    }
}

ob_axis_taps ob__linear_taps(double at, int64_t n) {
    ob_axis_taps taps = {.n = 2, .index = {-1, -1}};
    if (!(at > -1 && at < (double)n)) {
        if (at != at) taps = (ob_axis_taps){.n = 2, .index = {0, 0}, .weight = {at, at}};
        return taps;
    }
    double low = floor(at);
    taps.index[0] = (int64_t)low;
    taps.index[1] = (int64_t)low + 1 < n ? (int64_t)low + 1 : -1;
    taps.weight[0] = 1 - (at - low);
    taps.weight[1] = at - low;
    return taps;
}
