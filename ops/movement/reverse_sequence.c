/* ReverseSequence 10: reverses the first elements of each sequence of the batch along the time axis; sequence_lens gives their
 * number. Every element type, by width. */
#include "ops/kernel/common.h"
#include "ops/kernel/members.h"
#include "ops/movement/params.h"

typedef struct reversal {
    bool time_first; /* [time, batch, ...]; otherwise [batch, time, ...] */
    int64_t n_batch, n_time;
    size_t block; /* bytes after these two axes */
} reversal;

static const ob_member reversal_members[] = {OB_VALUE(reversal, time_first), OB_VALUE(reversal, n_batch),
                                             OB_VALUE(reversal, n_time), OB_SIZE(reversal, block)};
static const ob_struct reversal_struct = OB_STRUCT(reversal, reversal_members);

typedef struct job {
    const reversal *r;
    const ob_kernel_args *args;
} job;

static ob_status reverse_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    (void)needs;
    reversal *r = args->state;
    const ob_view *in = &args->in[0], *lengths = &args->in[1];
    ob_reverse_params params;
    OB_TRY(ob__check_type(site, args, 0, error));
    OB_TRY(ob__reverse_params(site->node, &params, error));
    OB_FAIL_IF(in->rank < 2, error, OB_E_SHAPE, "rank %d, at least 2 is needed", in->rank);
    r->time_first = params.time_axis == 0;
    r->n_batch = in->dims[params.batch_axis];
    r->n_time = in->dims[params.time_axis];
    r->block = (size_t)ob__product(in->dims, 2, in->rank) * ob_dtype_size(in->dtype);
    OB_FAIL_IF(lengths->rank != 1 || lengths->dims[0] != r->n_batch, error, OB_E_SHAPE, "%lld lengths for %lld sequences",
               (long long)ob__count(lengths), (long long)r->n_batch);
    return OB_OK;
}

static void copy_steps(void *context, int64_t begin, int64_t end) {
    const job *j = context;
    const reversal *r = j->r;
    const char *from = j->args->in[0].data;
    char *to = j->args->out[0].data;
    const int64_t *lengths = j->args->in[1].data;
    obk_pace pace = ob__pace(j->args->threads);
    for (int64_t i = begin; i < end && !pace.over; i++) {
        int64_t t = r->time_first ? i / r->n_batch : i % r->n_time, b = r->time_first ? i % r->n_batch : i / r->n_time;
        int64_t source = t < lengths[b] ? lengths[b] - 1 - t : t;
        int64_t at = r->time_first ? source * r->n_batch + b : b * r->n_time + source;
        ob__copy_bytes(to + (size_t)i * r->block, from + (size_t)at * r->block, r->block, &pace);
    }
}

OB_RUN(ob__run_reverse_sequence) {
    const reversal *r = args->state;
    const int64_t *lengths = args->in[1].data;
    for (int64_t b = 0; b < r->n_batch; b++)
        OB_FAIL_IF(lengths[b] < 0 || lengths[b] > r->n_time, error, OB_E_ARGUMENT,
                   "sequence %lld has length %lld, outside 0 .. %lld", (long long)b, (long long)lengths[b], (long long)r->n_time);
    if (ob__count(&args->out[0]) == 0) return OB_OK;
    job j = {r, args};
    ob__parallel(args->threads, r->n_batch * r->n_time, (INT64_C(1) << 16) / (int64_t)(r->block + 16) + 1, copy_steps, &j);
    return OB_OK;
}

const ob_kernel ob__kernel_reverse_sequence = {.name = "reverse_sequence",
                                               .state_bytes = sizeof(reversal),
                                               .plan = reverse_plan,
                                               OB_RUNS(ob__run_reverse_sequence),
                                               .state = &reversal_struct};
