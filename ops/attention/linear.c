/* LinearAttention 27: each key head has a state matrix that is updated token by token. Types: floats; float16 and bfloat16 are
 * computed as float, and so is the state between tokens. A chunk is one key head of one sample. */
#include "kernels/attention/attention.h"
#include "kernels/take.h"
#include "ops/attention/heads.h"
#include "ops/attention/params.h"
#include "ops/kernel/members.h"

enum { QUERY, KEY, VALUE, PAST, DECAY, BETA };

typedef struct linear_attention {
    int64_t batch, n_tokens, kv_heads, group, key_size, value_size;
    float scale;
    bool fades, corrects;
    void (*run)(const obk_linear_attention *call);
} linear_attention;

static const ob_member linear_attention_members[] = {OB_VALUE(linear_attention, batch),    OB_VALUE(linear_attention, n_tokens),
                                                     OB_VALUE(linear_attention, kv_heads), OB_VALUE(linear_attention, group),
                                                     OB_VALUE(linear_attention, key_size), OB_VALUE(linear_attention, value_size),
                                                     OB_VALUE(linear_attention, scale),    OB_VALUE(linear_attention, fades),
                                                     OB_VALUE(linear_attention, corrects), OB_FUNCTION(linear_attention, run)};
static const ob_struct linear_attention_struct = OB_STRUCT(linear_attention, linear_attention_members);

/* Decay and beta have `last` or `other` elements for each token. */
static ob_status check_rate(const ob_kernel_site *site, const ob_kernel_args *args, uint32_t i, bool needed, int64_t last,
                            int64_t other, ob_error *error) {
    if (!needed) return OB_OK;
    const ob_view *x = &args->in[i], *query = &args->in[QUERY];
    OB_FAIL_IF(!ob__given(args, i), error, OB_E_MODEL, "%s is missing: the update rule needs it", i == DECAY ? "decay" : "beta");
    const int64_t dims[3] = {query->dims[0], query->dims[1], x->rank == 3 && x->dims[2] == other ? other : last};
    return ob__check_dims(site, args, i, 3, dims, error);
}

static ob_status check_operands(const ob_kernel_site *site, const ob_kernel_args *args, const linear_attention *l,
                                const ob_linear_attention_params *p, ob_error *error) {
    const int64_t key[3] = {l->batch, l->n_tokens, args->in[KEY].dims[2]};
    const int64_t value[3] = {l->batch, l->n_tokens, args->in[VALUE].dims[2]};
    const int64_t state[4] = {l->batch, l->kv_heads, l->key_size, l->value_size};
    OB_TRY(ob__check_dims(site, args, KEY, 3, key, error));
    OB_TRY(ob__check_dims(site, args, VALUE, 3, value, error));
    for (uint32_t i = QUERY; i <= VALUE; i++) {
        const int64_t n = i == QUERY ? p->q_heads : p->kv_heads, size = i == VALUE ? l->value_size : l->key_size;
        const int64_t last = args->in[i].dims[2];
        OB_FAIL_IF(last % n != 0 || last / n != size, error, OB_E_SHAPE, "input %u: %lld elements are not %lld heads of %lld", i,
                   (long long)last, (long long)n, (long long)size);
    }
    if (ob__given(args, PAST)) OB_TRY(ob__check_dims(site, args, PAST, 4, state, error));
    OB_TRY(check_rate(site, args, DECAY, l->fades, key[2], l->kv_heads, error));
    return check_rate(site, args, BETA, l->corrects, l->kv_heads, 1, error);
}

static ob_status linear_attention_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs,
                                       ob_error *error) {
    linear_attention *l = args->state;
    const ob_linear_attention_params p = ob__linear_attention_params(site->node);
    const ob_view *query = &args->in[QUERY];
    OB_TRY(ob__check_type(site, args, QUERY, error));
    for (uint32_t i = QUERY; i <= VALUE; i++)
        OB_FAIL_IF(args->in[i].rank != 3, error, OB_E_SHAPE, "input %u has rank %d, not 3", i, args->in[i].rank);
    OB_FAIL_IF(p.q_heads < 1 || p.kv_heads < 1 || p.q_heads % p.kv_heads != 0, error, OB_E_MODEL,
               "q_num_heads %lld, kv_num_heads %lld", (long long)p.q_heads, (long long)p.kv_heads);
    l->batch = query->dims[0];
    l->n_tokens = query->dims[1];
    l->kv_heads = p.kv_heads;
    l->group = p.q_heads / p.kv_heads;
    l->key_size = args->in[KEY].dims[2] / p.kv_heads;
    l->value_size = args->in[VALUE].dims[2] / p.kv_heads;
    l->fades = p.fades;
    l->corrects = p.corrects;
    OB_TRY(check_operands(site, args, l, &p, error));
    l->scale = (float)(p.scale != 0 ? p.scale : 1 / sqrt((double)l->key_size));
    l->run = OBK_LOOP(attention, ->linear);
    OB_TRY(ob__plan_real(args, needs, error));
    return ob__need_lanes(needs, l->key_size + l->value_size, sizeof(float), error);
}

static void one_head(void *context, int64_t chunk, int lane) {
    const ob_kernel_args *args = context;
    const linear_attention *l = args->state;
    const int64_t sample = chunk / l->kv_heads, head = chunk % l->kv_heads, first = sample * l->n_tokens;
    const int64_t state_elems = l->key_size * l->value_size;
    obk_linear_attention c = {.n_tokens = l->n_tokens,
                              .key_size = l->key_size,
                              .value_size = l->value_size,
                              .n_queries = l->group,
                              .query_step = l->kv_heads * l->group * l->key_size,
                              .key_step = l->kv_heads * l->key_size,
                              .value_step = l->kv_heads * l->value_size,
                              .y_step = l->kv_heads * l->group * l->value_size,
                              .corrects = l->corrects,
                              .scale = l->scale};
    c.query = (const float *)args->in[QUERY].data + first * c.query_step + head * l->group * l->key_size;
    c.key = (const float *)args->in[KEY].data + first * c.key_step + head * l->key_size;
    c.value = (const float *)args->in[VALUE].data + first * c.value_step + head * l->value_size;
    c.y = (float *)args->out[0].data + first * c.y_step + head * l->group * l->value_size;
    if (l->fades) {
        c.decay_step = args->in[DECAY].dims[2];
        c.decay_is_one = c.decay_step == l->kv_heads;
        c.decay = (const float *)args->in[DECAY].data + first * c.decay_step + head * (c.decay_is_one ? 1 : l->key_size);
    }
    if (l->corrects) {
        c.beta_step = args->in[BETA].dims[2];
        c.beta = (const float *)args->in[BETA].data + first * c.beta_step + (c.beta_step == 1 ? 0 : head);
    }
    c.state = (float *)args->out[1].data + chunk * state_elems;
    c.room = (float *)(void *)(ob__lane(args->lanes, args->lane_stride, lane));
    if (ob__given(args, PAST))
        memcpy(c.state, (const float *)args->in[PAST].data + chunk * state_elems, (size_t)state_elems * sizeof(float));
    else
        for (int64_t i = 0; i < state_elems; i++) c.state[i] = 0;
    l->run(&c);
}

static ob_status compute(const ob_kernel_args *args, ob_error *error) {
    (void)error;
    const linear_attention *l = args->state;
    ob_kernel_args shared = *args;
    if (!ob__writes_nothing(args)) ob__each_chunk(args->threads, l->batch * l->kv_heads, one_head, &shared);
    return OB_OK;
}

OB_RUN(ob__run_linear_attention) {
    return ob__run_real(args, compute, error);
}

const ob_kernel ob__kernel_linear_attention = {.name = "linear_attention",
                                               .state_bytes = sizeof(linear_attention),
                                               .state = &linear_attention_struct,
                                               .plan = linear_attention_plan,
                                               OB_RUNS(ob__run_linear_attention)};
