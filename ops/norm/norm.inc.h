/* Template of norm.c, included once per REAL. */

/* Mean and variance of a dense run, n > 0. */
static void NAME(statistics)(const REAL *x, int64_t n, double *mean, double *variance) {
    double lanes[8] = {0}, sum = 0;
    for (int64_t i = 0; i + 8 <= n; i += 8)
        for (int l = 0; l < 8; l++) lanes[l] += (double)x[i + l];
    for (int64_t i = n / 8 * 8; i < n; i++) sum += (double)x[i];
    for (int l = 0; l < 8; l++) sum += lanes[l];
    *mean = sum / (double)n;
    memset(lanes, 0, sizeof lanes);
    sum = 0;
    for (int64_t i = 0; i + 8 <= n; i += 8)
        for (int l = 0; l < 8; l++) lanes[l] += ((double)x[i + l] - *mean) * ((double)x[i + l] - *mean);
    for (int64_t i = n / 8 * 8; i < n; i++) sum += ((double)x[i] - *mean) * ((double)x[i] - *mean);
    for (int l = 0; l < 8; l++) sum += lanes[l];
    *variance = sum / (double)n;
}

/* ---- BatchNormalization ---- */

/* Population mean and variance of one channel over batch and space. */
static void NAME(channel_statistics)(const norm *n, int64_t channel, double *mean, double *variance) {
    double count = (double)(n->outer * n->inner), sum = 0, squares = 0;
    for (int pass = 0; pass < 2; pass++)
        for (int64_t o = 0; o < n->outer; o++) {
            const REAL *x = (const REAL *)n->x + (o * n->channels + channel) * n->inner;
            for (int64_t i = 0; i < n->inner; i++) {
                if (pass == 0)
                    sum += (double)x[i];
                else
                    squares += ((double)x[i] - sum / count) * ((double)x[i] - sum / count);
            }
        }
    *mean = sum / count;
    *variance = squares / count;
}

static void NAME(batch_factors)(const ob_kernel_args *args, const norm *n, bool training, double momentum, REAL *factor,
                                REAL *offset) {
    const REAL *scale = args->in[1].data, *bias = args->in[2].data, *means = args->in[3].data, *variances = args->in[4].data;
    for (int64_t c = 0; c < n->channels; c++) {
        double mean = (double)means[c], variance = (double)variances[c], s = (double)scale[c], b = (double)bias[c];
        if (training) { /* the outputs may lie on the inputs */
            NAME(channel_statistics)(n, c, &mean, &variance);
            double old_mean = (double)means[c], old_variance = (double)variances[c];
            if (ob__wanted(args, 1)) ((REAL *)args->out[1].data)[c] = (REAL)(old_mean * momentum + mean * (1 - momentum));
            if (ob__wanted(args, 2)) ((REAL *)args->out[2].data)[c] = (REAL)(old_variance * momentum + variance * (1 - momentum));
        }
        double f = s / sqrt(variance + n->epsilon);
        factor[c] = (REAL)f;
        offset[c] = (REAL)(b - mean * f);
    }
}

/* Planes begin .. end: y = x * factor + offset. */
static void NAME(affine)(void *context, int64_t begin, int64_t end) {
    const norm *n = context;
    for (int64_t plane = begin; plane < end; plane++) {
        const REAL *x = (const REAL *)n->x + plane * n->inner;
        REAL *y = (REAL *)n->y + plane * n->inner;
        REAL factor = ((const REAL *)n->factor)[plane % n->channels], offset = ((const REAL *)n->offset)[plane % n->channels];
        for (int64_t i = 0; i < n->inner; i++) y[i] = x[i] * factor + offset;
    }
}

/* ---- InstanceNormalization, GroupNormalization: groups begin .. end over the batch ---- */

static void NAME(groups)(void *context, int64_t begin, int64_t end) {
    const norm *n = context;
    int64_t channels = n->channels / n->groups, count = channels * n->inner;
    for (int64_t g = begin; g < end; g++) {
        const REAL *x = (const REAL *)n->x + g * count;
        REAL *y = (REAL *)n->y + g * count;
        double mean, variance;
        NAME(statistics)(x, count, &mean, &variance);
        double inverse = 1 / sqrt(variance + n->epsilon);
        for (int64_t c = 0; c < channels; c++) {
            int64_t at = (g % n->groups * channels + c) / n->per_scale;
            double f = inverse * (double)((const REAL *)n->scale)[at];
            REAL factor = (REAL)f, offset = (REAL)((double)((const REAL *)n->bias)[at] - mean * f);
            for (int64_t i = c * n->inner; i < (c + 1) * n->inner; i++) y[i] = x[i] * factor + offset;
        }
    }
}

/* ---- LayerNormalization: rows begin .. end ---- */

static void NAME(layers)(void *context, int64_t begin, int64_t end) {
    const norm *n = context;
    for (int64_t row = begin; row < end; row++) {
        const REAL *x = (const REAL *)n->x + row * n->inner;
        REAL *y = (REAL *)n->y + row * n->inner;
        const REAL *scale = n->scale ? (const REAL *)n->scale + row * n->inner * n->scale_step : NULL;
        const REAL *bias = n->bias ? (const REAL *)n->bias + row * n->inner * n->scale_step : NULL;
        double mean = 0, variance = 0;
        if (n->inner > 0) NAME(statistics)(x, n->inner, &mean, &variance);
        if (n->without_mean) {
            variance += mean * mean; /* the mean of squares */
            mean = 0;
        }
        double inverse = 1 / sqrt(variance + n->epsilon);
        REAL shift = (REAL)mean, factor = (REAL)inverse;
        if (n->mean) ((REAL *)n->mean)[row] = shift;
        if (n->inverse) ((REAL *)n->inverse)[row] = factor;
        if (scale && bias)
            for (int64_t i = 0; i < n->inner; i++) y[i] = (x[i] - shift) * factor * scale[i] + bias[i];
        else
            for (int64_t i = 0; i < n->inner; i++) y[i] = (x[i] - shift) * factor * (scale ? scale[i] : 1) + (bias ? bias[i] : 0);
    }
}

/* ---- LpNormalization: vectors begin .. end of `channels` elements that lie `inner` apart ---- */

static void NAME(lengths)(void *context, int64_t begin, int64_t end) {
    const norm *n = context;
    for (int64_t v = begin; v < end; v++) {
        int64_t offset = v / n->inner * n->channels * n->inner + v % n->inner;
        const REAL *x = (const REAL *)n->x + offset;
        REAL *y = (REAL *)n->y + offset;
        double sum = 0;
        for (int64_t i = 0; i < n->channels; i++) {
            double value = (double)x[i * n->inner];
            sum += n->p == 1 ? fabs(value) : value * value;
        }
        double length = n->p == 1 ? sum : sqrt(sum);
        for (int64_t i = 0; i < n->channels; i++) y[i * n->inner] = length != 0 ? (REAL)((double)x[i * n->inner] / length) : 0;
    }
}

/* ---- MeanVarianceNormalization: x is contiguous; one mean and deviation per element of the kept axes ---- */

static void NAME(mean_variance)(const ob_view *view, uint32_t axes, int64_t n_kept, double *mean, double *deviation, REAL *y) {
    const REAL *x = view->data;
    int64_t count = ob__count(view), strides[OB_MAX_RANK], stride = 1;
    for (int32_t a = view->rank - 1; a >= 0; a--) {
        strides[a] = axes >> a & 1 ? 0 : stride;
        if (!(axes >> a & 1)) stride *= view->dims[a];
    }
    for (int64_t k = 0; k < n_kept; k++) mean[k] = deviation[k] = 0;
    if (n_kept == 0) return; /* no elements */
    int64_t n_folded = count / n_kept;
    double folded = (double)n_folded;
    for (int pass = 0; pass < 3; pass++) {
        int64_t index[OB_MAX_RANK] = {0}, k = 0;
        for (int64_t i = 0; i < count; i++) {
            double value = (double)x[i];
            if (pass == 0)
                mean[k] += value / folded;
            else if (pass == 1)
                deviation[k] += (value - mean[k]) * (value - mean[k]) / folded;
            else
                y[i] = (REAL)((value - mean[k]) / (sqrt(deviation[k]) + 1e-9));
            for (int32_t a = view->rank - 1; a >= 0; a--) {
                k += strides[a];
                if (++index[a] < view->dims[a]) break;
                k -= index[a] * strides[a];
                index[a] = 0;
            }
        }
    }
}

#undef REAL
#undef NAME
