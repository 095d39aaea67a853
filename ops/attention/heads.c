#include "ops/attention/heads.h"

#include "ops/attention/params.h"
#include "ops/kernel/members.h"

static const ob_member heads_members[] = {
    OB_VALUE(ob_heads, flat),      OB_VALUE(ob_heads, batch),     OB_VALUE(ob_heads, q_heads), OB_VALUE(ob_heads, kv_heads),
    OB_VALUE(ob_heads, group),     OB_VALUE(ob_heads, n_queries), OB_VALUE(ob_heads, n_keys),  OB_VALUE(ob_heads, n_before),
    OB_VALUE(ob_heads, n_total),   OB_VALUE(ob_heads, size),      OB_VALUE(ob_heads, v_size),  OB_VALUES(ob_heads, mask_strides),
    OB_VALUE(ob_heads, mask_shown)};
const ob_struct ob__heads_struct = OB_STRUCT(ob_heads, heads_members);

ob_status ob__check_dims(const ob_kernel_site *site, const ob_kernel_args *args, uint32_t i, int32_t rank, const int64_t *dims,
                         ob_error *error) {
    const ob_view *x = &args->in[i];
    OB_TRY(ob__check_type(site, args, i, error));
    OB_FAIL_IF(x->rank != rank, error, OB_E_SHAPE, "input %u has rank %d, not %d", i, x->rank, rank);
    for (int32_t a = 0; a < rank; a++)
        OB_FAIL_IF(x->dims[a] != dims[a], error, OB_E_SHAPE, "input %u axis %d is %lld, not %lld", i, a, (long long)x->dims[a],
                   (long long)dims[a]);
    return OB_OK;
}

static ob_status read_flat(const ob_kernel_site *site, const ob_kernel_args *args, ob_heads *h, ob_error *error) {
    const ob_attention_params p = ob__attention_params(site->node);
    const ob_view *in = args->in;
    OB_FAIL_IF(p.q_heads < 1 || p.kv_heads < 1, error, OB_E_MODEL, "operands of rank 3 need q_num_heads and kv_num_heads");
    for (uint32_t i = 0; i < 3; i++) {
        const int64_t n = i ? p.kv_heads : p.q_heads;
        OB_FAIL_IF(in[i].dims[2] % n != 0, error, OB_E_SHAPE, "input %u: %lld heads do not divide %lld elements", i, (long long)n,
                   (long long)in[i].dims[2]);
    }
    h->flat = true;
    h->q_heads = p.q_heads;
    h->kv_heads = p.kv_heads;
    h->n_queries = in[0].dims[1];
    h->n_keys = in[1].dims[1];
    h->size = in[0].dims[2] / p.q_heads;
    h->v_size = in[2].dims[2] / p.kv_heads;
    OB_FAIL_IF(in[1].dims[2] / p.kv_heads != h->size, error, OB_E_SHAPE, "heads of Q have %lld elements, those of K %lld",
               (long long)h->size, (long long)(in[1].dims[2] / p.kv_heads));
    return OB_OK;
}

static void read_full(const ob_kernel_args *args, ob_heads *h) {
    h->q_heads = args->in[0].dims[1];
    h->kv_heads = args->in[1].dims[1];
    h->n_queries = args->in[0].dims[2];
    h->n_keys = args->in[1].dims[2];
    h->size = args->in[0].dims[3];
    h->v_size = args->in[2].dims[3];
}

static ob_status check_keys(const ob_kernel_site *site, const ob_kernel_args *args, const ob_heads *h, ob_error *error) {
    const ob_view *in = args->in;
    const int64_t flat[2][3] = {{h->batch, h->n_keys, in[1].dims[2]}, {h->batch, h->n_keys, in[2].dims[2]}};
    const int64_t full[2][4] = {{h->batch, h->kv_heads, h->n_keys, h->size}, {h->batch, h->kv_heads, h->n_keys, h->v_size}};
    for (uint32_t i = 0; i < 2; i++)
        OB_TRY(ob__check_dims(site, args, i + 1, h->flat ? 3 : 4, h->flat ? flat[i] : full[i], error));
    OB_FAIL_IF(h->kv_heads == 0 ? h->q_heads != 0 : h->q_heads % h->kv_heads != 0, error, OB_E_SHAPE,
               "%lld heads of K do not divide %lld of Q", (long long)h->kv_heads, (long long)h->q_heads);
    return OB_OK;
}

static ob_status read_past(const ob_kernel_site *site, const ob_kernel_args *args, ob_heads *h, ob_error *error) {
    const bool key = ob__given(args, OB_ATTENTION_PAST), value = ob__given(args, OB_ATTENTION_PAST + 1);
    OB_FAIL_IF(key != value, error, OB_E_MODEL, "past_key and past_value must be given together");
    if (key && args->in[OB_ATTENTION_PAST].rank == 4) h->n_before = args->in[OB_ATTENTION_PAST].dims[2];
    const int64_t past[2][4] = {{h->batch, h->kv_heads, h->n_before, h->size}, {h->batch, h->kv_heads, h->n_before, h->v_size}};
    for (uint32_t i = 0; key && i < 2; i++) OB_TRY(ob__check_dims(site, args, OB_ATTENTION_PAST + i, 4, past[i], error));
    h->n_total = h->n_before + h->n_keys;
    if (!ob__given(args, OB_ATTENTION_LENGTHS)) return OB_OK;
    OB_FAIL_IF(key, error, OB_E_MODEL, "nonpad_kv_seqlen does not go with past_key and past_value");
    return ob__check_dims(site, args, OB_ATTENTION_LENGTHS, 1, &h->batch, error);
}

/* The mask broadcasts to the scores. From version 24 on its last axis may be shorter. */
static ob_status read_mask(const ob_kernel_site *site, const ob_kernel_args *args, ob_heads *h, ob_error *error) {
    const int64_t scores[4] = {h->batch, h->q_heads, h->n_queries, h->n_total};
    const ob_view *mask = &args->in[OB_ATTENTION_MASK];
    if (!ob__given(args, OB_ATTENTION_MASK)) return OB_OK;
    OB_TRY(ob__check_type(site, args, OB_ATTENTION_MASK, error));
    OB_FAIL_IF(mask->rank > 4, error, OB_E_SHAPE, "attn_mask has rank %d: it must be at most 4", mask->rank);
    h->mask_shown = h->n_total;
    int64_t stride = 1;
    for (int32_t a = 3, i = mask->rank - 1; i >= 0; a--, i--) {
        const int64_t size = mask->dims[i];
        const bool shorter = a == 3 && site->op->since >= 24 && size < scores[a];
        OB_FAIL_IF(size != 1 && size != scores[a] && !shorter, error, OB_E_SHAPE,
                   "attn_mask axis %d: %lld does not stretch to %lld", i, (long long)size, (long long)scores[a]);
        h->mask_strides[a] = size == 1 ? 0 : stride;
        if (a == 3 && size != 1) h->mask_shown = size;
        stride *= size;
    }
    return OB_OK;
}

ob_status ob__read_heads(const ob_kernel_site *site, const ob_kernel_args *args, ob_heads *h, ob_error *error) {
    const ob_view *in = args->in;
    *h = (ob_heads){0};
    OB_TRY(ob__check_type(site, args, 0, error));
    for (uint32_t i = 0; i < 3; i++)
        OB_FAIL_IF(in[i].rank != in[0].rank || in[i].rank < 3 || in[i].rank > 4, error, OB_E_SHAPE,
                   "input %u has rank %d: Q, K and V must have rank 4, or all rank 3", i, in[i].rank);
    h->batch = in[0].dims[0];
    if (in[0].rank == 3)
        OB_TRY(read_flat(site, args, h, error));
    else
        read_full(args, h);
    OB_TRY(check_keys(site, args, h, error));
    h->group = h->kv_heads > 0 ? h->q_heads / h->kv_heads : 0;
    OB_TRY(read_past(site, args, h, error));
    return read_mask(site, args, h, error);
}

bool ob__heads_gathered(const ob_heads *h, const ob_kernel_args *args, int which) {
    return h->n_before > 0 && !ob__wanted(args, (uint32_t)which + 1);
}

static char *present_at(const ob_heads *h, const ob_kernel_args *args, int which, int64_t head) {
    const int64_t size = which ? h->v_size : h->size;
    return (char *)args->out[which + 1].data + head * h->n_total * size * (int64_t)ob_dtype_size(args->in[which + 1].dtype);
}

/* The new keys or values of a head, with rows `step` elements apart. */
static const char *fresh_at(const ob_heads *h, const ob_kernel_args *args, int which, int64_t head, int64_t *step) {
    const ob_view *from = &args->in[which + 1];
    const int64_t size = which ? h->v_size : h->size, sample = head / h->kv_heads;
    const int64_t first = h->flat ? (sample * h->n_keys * h->kv_heads + head % h->kv_heads) * size : head * h->n_keys * size;
    *step = h->flat ? h->kv_heads * size : size;
    return (const char *)from->data + first * (int64_t)ob_dtype_size(from->dtype);
}

static void gather(const ob_heads *h, const ob_kernel_args *args, int which, int64_t head, char *to) {
    int64_t row;
    const char *fresh = fresh_at(h, args, which, head, &row);
    const int64_t size = which ? h->v_size : h->size, width = (int64_t)ob_dtype_size(args->in[which + 1].dtype);
    if (h->n_before * size > 0) {
        const char *past = args->in[OB_ATTENTION_PAST + which].data;
        memcpy(to, past + head * h->n_before * size * width, (size_t)(h->n_before * size * width));
    }
    for (int64_t i = 0; size > 0 && i < h->n_keys; i++)
        memcpy(to + (h->n_before + i) * size * width, fresh + i * row * width, (size_t)(size * width));
}

void ob__fill_present(const ob_heads *h, const ob_kernel_args *args, int which, int64_t head) {
    gather(h, args, which, head, present_at(h, args, which, head));
}

const void *ob__place_head(const ob_heads *h, const ob_kernel_args *args, int which, int64_t head, void *room, int64_t *step) {
    if (h->n_before == 0) return fresh_at(h, args, which, head, step);
    *step = which ? h->v_size : h->size;
    if (ob__wanted(args, (uint32_t)which + 1)) return present_at(h, args, which, head);
    gather(h, args, which, head, room);
    return room;
}
