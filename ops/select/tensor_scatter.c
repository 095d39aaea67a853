/* TensorScatter 24: writes an update into a cache along an axis, for each sample of the batch from its index on. In mode
 * circular, it continues at the beginning. Every element type, by width. */
#include "ops/kernel/common.h"
#include "ops/kernel/members.h"
#include "ops/select/params.h"

typedef struct tensor_scatter {
    bool is_circular;
    int64_t n_batch, n_prefixes, n_cache, n_update; /* prefixes: of each sample, blocks before the axis */
    size_t block;                                   /* bytes after the axis */
} tensor_scatter;

static const ob_member tensor_scatter_members[] = {OB_VALUE(tensor_scatter, is_circular), OB_VALUE(tensor_scatter, n_batch),
                                                   OB_VALUE(tensor_scatter, n_prefixes),  OB_VALUE(tensor_scatter, n_cache),
                                                   OB_VALUE(tensor_scatter, n_update),    OB_SIZE(tensor_scatter, block)};
static const ob_struct tensor_scatter_struct = OB_STRUCT(tensor_scatter, tensor_scatter_members);

static ob_status scatter_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    (void)needs;
    tensor_scatter *s = args->state;
    const ob_view *cache = &args->in[0], *update = &args->in[1];
    ob_cache_params params;
    int32_t axis;
    OB_TRY(ob__check_type(site, args, 0, error));
    OB_TRY(ob__read_cache(site->node, &params, error));
    OB_TRY(ob__axis(params.axis, cache->rank, &axis, error));
    OB_FAIL_IF(axis == 0, error, OB_E_ARGUMENT, "axis 0 is the batch");
    OB_FAIL_IF(update->rank != cache->rank, error, OB_E_SHAPE, "ranks %d and %d", cache->rank, update->rank);
    for (int32_t a = 0; a < cache->rank; a++) {
        bool fits = a == axis ? update->dims[a] <= cache->dims[a] : update->dims[a] == cache->dims[a];
        OB_FAIL_IF(!fits, error, OB_E_SHAPE, "axis %d: %lld elements for a cache of %lld", a, (long long)update->dims[a],
                   (long long)cache->dims[a]);
    }
    s->is_circular = params.is_circular;
    s->n_batch = cache->dims[0];
    s->n_prefixes = ob__product(cache->dims, 1, axis);
    s->n_cache = cache->dims[axis];
    s->n_update = update->dims[axis];
    s->block = (size_t)ob__product(cache->dims, axis + 1, cache->rank) * ob_dtype_size(cache->dtype);
    OB_FAIL_IF(ob__given(args, 2) && ob__count(&args->in[2]) != s->n_batch, error, OB_E_SHAPE, "%lld indices for a batch of %lld",
               (long long)ob__count(&args->in[2]), (long long)s->n_batch);
    return OB_OK;
}

OB_RUN(ob__run_tensor_scatter) {
    const tensor_scatter *s = args->state;
    const ob_view *out = &args->out[0];
    const int64_t *starts = ob__given(args, 2) ? args->in[2].data : NULL;
    for (int64_t b = 0; starts && b < s->n_batch; b++) {
        bool fits = s->is_circular || (starts[b] >= 0 && starts[b] <= s->n_cache - s->n_update);
        OB_FAIL_IF(!fits, error, OB_E_ARGUMENT, "%lld elements from index %lld of a cache of %lld", (long long)s->n_update,
                   (long long)starts[b], (long long)s->n_cache);
    }
    if (ob__count(out) == 0) return OB_OK;
    obk_pace pace = ob__pace(args->threads);
    if (out->data != args->in[0].data)
        ob__copy_bytes(out->data, args->in[0].data, (size_t)ob__count(out) * ob_dtype_size(out->dtype), &pace);
    for (int64_t i = 0; i < s->n_batch * s->n_prefixes && s->n_update > 0 && !obk_stops(&pace, 8); i++) {
        const char *from = (const char *)args->in[1].data + (size_t)(i * s->n_update) * s->block;
        char *to = (char *)out->data + (size_t)(i * s->n_cache) * s->block;
        const int64_t index = starts ? starts[i / s->n_prefixes] % s->n_cache : 0, at = index < 0 ? index + s->n_cache : index;
        const int64_t straight = s->n_cache - at < s->n_update ? s->n_cache - at : s->n_update;
        ob__copy_bytes(to + (size_t)at * s->block, from, (size_t)straight * s->block, &pace);
        ob__copy_bytes(to, from + (size_t)straight * s->block, (size_t)(s->n_update - straight) * s->block, &pace);
    }
    return OB_OK;
}

const ob_kernel ob__kernel_tensor_scatter = {.name = "tensor_scatter",
                                             .flags = OB_KERNEL_INPLACE_FIRST,
                                             .state_bytes = sizeof(tensor_scatter),
                                             .plan = scatter_plan,
                                             OB_RUNS(ob__run_tensor_scatter),
                                             .state = &tensor_scatter_struct};
