/* LabelEncoder 1, 2, 4 and CategoryMapper 1: each element is looked up and replaced by another. OneHotEncoder 1: each element
 * becomes a row of zeros with a single one. */
#include "core/base/arena.h"
#include "core/graph/types.h"
#include "ops/kernel/common.h"
#include "ops/kernel/conversion.h"
#include "ops/kernel/members.h"
#include "ops/ml/keys.h"
#include "ops/ml/score.h"
#include "ops/table/attributes.h"
#include "ops/table/op.h"

/* ---- LabelEncoder, CategoryMapper ---- */

typedef struct lookup {
    ob_ml_keys keys;
    ob_ml_labels values; /* a value for each key, followed by the default */
} lookup;

static const ob_member lookup_members[] = {OB_NESTED(lookup, keys, &ob__ml_keys_struct),
                                           OB_NESTED(lookup, values, &ob__ml_labels_struct)};
static const ob_struct lookup_struct = OB_STRUCT(lookup, lookup_members);

/* The values, followed by the default for elements without a key. */
static ob_status add_default(const ob_kernel_site *site, const ob_ml_lookup *l, ob_ml_labels *out, ob_error *error) {
    const size_t width = ob_dtype_size(l->values.dtype), n = l->values.n;
    char *values = ob__tail(site, n + 1, width);
    if (!values) return ob__fail(error, OB_E_MEMORY, "no memory for values");
    if (l->values.at && n) memcpy(values, l->values.at, n * width);
    for (size_t i = 0; !l->values.at && i < n; i++) ((int64_t *)(void *)values)[i] = (int64_t)i;
    *out = (ob_ml_labels){l->values.dtype, (uint32_t)n + 1, values};
    if (out->dtype == OB_STRING) {
        memcpy(values + n * width, &l->text, sizeof l->text);
        return ob__ml_keep_labels(site, out, error);
    }
    const bool real = ob__dtype_is_real(out->dtype);
    return ob__convert(values + n * width, out->dtype, real ? (const void *)&l->real : &l->number, real ? OB_DOUBLE : OB_INT64, 1,
                       error);
}

static ob_status lookup_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    lookup *k = args->state;
    ob_ml_lookup l;
    (void)needs;
    OB_TRY(ob__check_type(site, args, 0, error));
    OB_TRY(ob__ml_read_lookup(site->node, site->op->since, args->in[0].dtype, &l, error));
    if (!l.keys.at && l.keys.n) {
        int64_t *positions = ob__tail(site, l.keys.n, sizeof *positions);
        if (!positions) return ob__fail(error, OB_E_MEMORY, "no memory for keys");
        for (uint32_t i = 0; i < l.keys.n; i++) positions[i] = i;
        l.keys.at = positions;
    }
    OB_TRY(ob__ml_keys(site, &l.keys, l.as_numbers, l.equal, &k->keys, error));
    return add_default(site, &l, &k->values, error);
}

/* Copies the values at these places, one after the other. */
static void put(char *to, const char *values, const uint32_t *places, int64_t n, size_t width) {
    if (width == 4)
        for (int64_t i = 0; i < n; i++) memcpy(to + 4 * i, values + 4 * (size_t)places[i], 4);
    else if (width == 8)
        for (int64_t i = 0; i < n; i++) memcpy(to + 8 * i, values + 8 * (size_t)places[i], 8);
    else
        for (int64_t i = 0; i < n; i++) memcpy(to + (size_t)i * width, values + (size_t)places[i] * width, width);
}

OB_RUN(ob__run_ml_lookup) {
    enum { TOGETHER = 256 };
    const lookup *k = args->state;
    const ob_view *in = &args->in[0], *out = &args->out[0];
    ob_ml_labels values;
    uint32_t places[TOGETHER];
    OB_TRY(ob__ml_own_labels(args, &k->values, &values, error));
    const size_t from = ob_dtype_size(in->dtype), to = ob_dtype_size(out->dtype);
    const int64_t n = ob__count(in);
    for (int64_t i = 0; i < n && !ob__stopped(args->threads); i += TOGETHER) {
        const int64_t some = n - i < TOGETHER ? n - i : TOGETHER;
        ob__ml_find_all(&k->keys, (const char *)in->data + (size_t)i * from, some, values.n - 1, places);
        put((char *)out->data + (size_t)i * to, values.at, places, some, to);
    }
    return OB_OK;
}

const ob_kernel ob__kernel_ml_lookup = {
    .name = "ml_lookup", .state_bytes = sizeof(lookup), .state = &lookup_struct, .plan = lookup_plan, OB_RUNS(ob__run_ml_lookup)};

/* ---- OneHotEncoder ---- */

typedef struct one_hot {
    ob_ml_keys keys;
    uint32_t n;
    bool zeros;
} one_hot;

static const ob_member one_hot_members[] = {OB_NESTED(one_hot, keys, &ob__ml_keys_struct), OB_VALUE(one_hot, n),
                                            OB_VALUE(one_hot, zeros)};
static const ob_struct one_hot_struct = OB_STRUCT(one_hot, one_hot_members);

static ob_status one_hot_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    one_hot *o = args->state;
    ob_ml_labels list;
    OB_TRY(ob__check_type(site, args, 0, error));
    OB_TRY(ob__ml_either(site->node, "cats_int64s", "cats_strings", &list, error));
    OB_FAIL_IF((list.dtype == OB_STRING) != (args->in[0].dtype == OB_STRING), error, OB_E_TYPE,
               "categories are of %s, elements of %s", ob_dtype_name(list.dtype), ob_dtype_name(args->in[0].dtype));
    o->n = list.n;
    if (args->in[0].dtype != OB_STRING) ob__need_conversion(needs, args->in[0].dtype, OB_INT64);
    o->zeros = ob__attribute_flag(site->node, "zeros");
    OB_FAIL_IF(ob__count(&args->out[0]) != ob__count(&args->in[0]) * (int64_t)o->n, error, OB_E_SHAPE, "result of another size");
    return ob__ml_keys(site, &list, true, OB_ML_LAST, &o->keys, error);
}

OB_RUN(ob__run_ml_one_hot) {
    const one_hot *o = args->state;
    const ob_view *in = &args->in[0];
    const size_t width = ob_dtype_size(in->dtype);
    const int64_t n = ob__count(in);
    float *y = args->out[0].data;
    if (n > 0) memset(y, 0, (size_t)n * o->n * sizeof *y);
    for (int64_t i = 0; i < n && (i % 4096 || !ob__stopped(args->threads)); i++, y += o->n) {
        const void *element = (const char *)in->data + (size_t)i * width;
        int64_t number = 0;
        if (in->dtype == OB_INT64)
            memcpy(&number, element, sizeof number);
        else if (in->dtype != OB_STRING)
            OB_TRY(ob__convert_in_run(args, &number, OB_INT64, element, in->dtype, 1, error));
        const uint32_t at = ob__ml_find(&o->keys, in->dtype == OB_STRING ? element : &number, o->n);
        OB_FAIL_IF(at == o->n && !o->zeros, error, OB_E_ARGUMENT, "element %lld is in no category", (long long)i);
        if (at < o->n) y[at] = 1;
    }
    return OB_OK;
}

const ob_kernel ob__kernel_ml_one_hot = {.name = "ml_one_hot",
                                         .state_bytes = sizeof(one_hot),
                                         .state = &one_hot_struct,
                                         .plan = one_hot_plan,
                                         OB_RUNS(ob__run_ml_one_hot)};
