/* MelWeightMatrix: triangles side by side on the mel scale, over the bins of a transform of real numbers. */
#include "ops/kernel/common.h"
#include "ops/kernel/conversion.h"
#include "ops/kernel/members.h"
#include "ops/table/attributes.h"

typedef struct mel {
    int64_t bins, bands;
} mel;

static const ob_member mel_members[] = {OB_VALUE(mel, bins), OB_VALUE(mel, bands)};
static const ob_struct mel_struct = OB_STRUCT(mel, mel_members);

/* Reads an operand that must hold one number. */
static ob_status read_number(const ob_kernel_args *args, uint32_t i, double *out, ob_error *error) {
    OB_FAIL_IF(ob__count(&args->in[i]) != 1, error, OB_E_SHAPE, "operand %u is not one element", i);
    return ob__convert_in_run(args, out, OB_DOUBLE, args->in[i].data, args->in[i].dtype, 1, error);
}

static ob_status mel_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    mel *m = args->state;
    const ob_view *y = &args->out[0];
    double one;
    for (uint32_t i = 0; i < 5; i++) {
        OB_TRY(ob__check_type(site, args, i, error));
        ob__need_conversion(needs, args->in[i].dtype, OB_DOUBLE);
    }
    OB_FAIL_IF(y->rank != 2, error, OB_E_SHAPE, "a result of rank %d", y->rank);
    OB_TRY(ob__one(y->dtype, &one, error));
    m->bins = y->dims[0];
    m->bands = y->dims[1];
    ob__need_conversion(needs, OB_DOUBLE, y->dtype);
    return ob__need_scratch(needs, ob__count(y), sizeof(double), error);
}

static ob_status mel_shape(const ob_kernel_site *site, ob_kernel_args *args, ob_error *error) {
    double bands, points;
    OB_TRY(read_number(args, 0, &bands, error));
    OB_TRY(read_number(args, 1, &points, error));
    OB_FAIL_IF(!(bands >= 0 && bands < 0x1p31 && points >= 0 && points < 0x1p31), error, OB_E_ARGUMENT, "%g bands, %g points",
               bands, points);
    args->out[0].rank = 2;
    args->out[0].dims[0] = (int64_t)points / 2 + 1;
    args->out[0].dims[1] = (int64_t)bands;
    args->out[0].dtype = (ob_dtype)ob__attribute_int(site->node, "output_datatype");
    return OB_OK;
}

/* The bin below edge i of bands + 2 edges, evenly spaced in mel. It may lie beyond the last bin. */
static double edge(int64_t i, double low, double step, double points, double rate) {
    const double hertz = 700 * (pow(10, (low + (double)i * step) / 2595) - 1);
    return floor((points + 1) * hertz / rate);
}

static void band(const mel *m, int64_t i, double from, double middle, double to, double *matrix, obk_pace *pace) {
    for (int64_t bin = 0; bin < m->bins && !obk_stops(pace, 4); bin++) {
        const double at = (double)bin;
        double weight = 0;
        if (at >= from && at < middle) weight = (at - from) / (middle - from);
        if (at >= middle && at < to) weight = (to - at) / (to - middle);
        if (at == middle) weight = 1;
        matrix[bin * m->bands + i] = weight;
    }
}

OB_RUN(ob__run_mel_weight_matrix) {
    const mel *m = args->state;
    double operands[5];
    char *scratch = args->scratch;
    for (uint32_t i = 0; i < 5; i++) OB_TRY(read_number(args, i, &operands[i], error));
    const double points = operands[1], rate = operands[2], low = 2595 * log10(1 + operands[3] / 700),
                 high = 2595 * log10(1 + operands[4] / 700), step = (high - low) / (double)(m->bands + 2);
    OB_FAIL_IF(!(rate > 0) || !isfinite(low) || !isfinite(high) || operands[3] > operands[4], error, OB_E_ARGUMENT,
               "bands from %g to %g hertz at %g samples a second", operands[3], operands[4], rate);
    OB_FAIL_IF((double)m->bands != operands[0] || (double)m->bins != floor(points / 2) + 1, error, OB_E_SHAPE,
               "%g bands and %g points do not give a matrix [%lld, %lld]", operands[0], points, (long long)m->bins,
               (long long)m->bands);
    double *matrix = ob__take(&scratch, m->bins * m->bands, sizeof(double));
    obk_pace pace = ob__pace(args->threads);
    for (int64_t i = 0; i < m->bands && !obk_stops(&pace, 64); i++)
        band(m, i, edge(i, low, step, points, rate), edge(i + 1, low, step, points, rate), edge(i + 2, low, step, points, rate),
             matrix, &pace);
    return ob__convert_many(args, args->out[0].data, args->out[0].dtype, matrix, OB_DOUBLE, m->bins * m->bands, error);
}

const ob_kernel ob__kernel_mel_weight_matrix = {.name = "mel_weight_matrix",
                                                .state_bytes = sizeof(mel),
                                                .plan = mel_plan,
                                                OB_RUNS(ob__run_mel_weight_matrix),
                                                .state = &mel_struct,
                                                .shape = mel_shape};
