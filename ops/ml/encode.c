/* LabelEncoder 1, 2, 4 and CategoryMapper 1: each element is looked up and gives another; OneHotEncoder 1: a row of zeros with a
 * one. */
#include "core/arena.h"
#include "ops/kernel/common.h"
#include "ops/ml/keys.h"
#include "ops/ml/score.h"

/* ---- LabelEncoder, CategoryMapper ---- */

typedef struct lookup {
    ob_ml_keys keys;
    ob_ml_labels values; /* one for each key, and behind them what others give */
} lookup;

/* Lists as an operator names them, values with room for one more. */
typedef struct lists {
    ob_ml_labels keys, values;
    ob_string text; /* the value of other elements: one of these */
    int64_t number;
    double real;
    bool as_numbers;
    ob_ml_equal equal;
} lists;

static ob_status read_list(const ob_node *node, const char *const names[4], ob_ml_labels *out, ob_error *error) {
    const ob_tensor *tensor = ob__ml_tensor(node, names[3]);
    const ob_ml_reals reals = ob__ml_floats(node, names[1]);
    uint32_t n_ints, n_strings;
    const int64_t *ints = ob__node_ints(node, names[0], &n_ints);
    const ob_string *strings = ob__ml_strings(node, names[2], &n_strings);
    const int given = (n_ints > 0) + (reals.n > 0) + (n_strings > 0) + (tensor != NULL);
    OB_FAIL_IF(given != 1, error, OB_E_ARGUMENT, "one of %s, %s, %s and %s is needed, and only one", names[0], names[1], names[2],
               names[3]);
    *out = n_ints    ? (ob_ml_labels){OB_INT64, n_ints, ints}
           : reals.n ? (ob_ml_labels){OB_FLOAT, reals.n, reals.at}
                     : (ob_ml_labels){OB_STRING, n_strings, strings};
    if (!tensor) return OB_OK;
    OB_FAIL_IF(tensor->n_elems > INT32_MAX || (tensor->n_elems > 0 && !tensor->data), error, OB_E_ARGUMENT,
               "attribute %s has no elements in this file", names[3]);
    *out = (ob_ml_labels){tensor->dtype, (uint32_t)tensor->n_elems, tensor->data};
    return OB_OK;
}

static ob_status read_default_tensor(const ob_node *node, lists *l, ob_error *error) {
    const ob_tensor *tensor = ob__ml_tensor(node, "default_tensor");
    int64_t number = 0;
    if (!tensor) return OB_OK;
    OB_FAIL_IF(tensor->dtype != l->values.dtype || tensor->n_elems != 1 || !tensor->data, error, OB_E_ARGUMENT,
               "attribute default_tensor is not one element of %s", ob_dtype_name(l->values.dtype));
    if (tensor->dtype == OB_STRING) {
        memcpy(&l->text, tensor->data, sizeof l->text);
        return OB_OK;
    }
    if (tensor->dtype == OB_FLOAT || tensor->dtype == OB_DOUBLE)
        return ob__convert(&l->real, OB_DOUBLE, tensor->data, tensor->dtype, 1, error);
    OB_TRY(ob__convert(&number, OB_INT64, tensor->data, tensor->dtype, 1, error));
    l->number = number;
    return OB_OK;
}

static ob_status read_lists(const ob_kernel_site *site, ob_dtype from, lists *l, ob_error *error) {
    static const char *const keys[4] = {"keys_int64s", "keys_floats", "keys_strings", "keys_tensor"}, *const values[4] = {
                                                                                                          "values_int64s",
                                                                                                          "values_floats",
                                                                                                          "values_strings",
                                                                                                          "values_tensor"};
    const ob_node *node = site->node;
    const bool categories = strcmp(node->op_type, "CategoryMapper") == 0;
    const char *unused = ob__node_string(node, "default_string", "_Unused");
    *l = (lists){.text = {unused, strlen(unused)},
                 .number = ob__node_int(node, "default_int64", -1),
                 .real = (double)ob__node_float(node, "default_float", -0.0f)};
    const ob_attribute *text = ob__node_attribute(node, "default_string");
    if (text && text->type == OB_ATTR_STRING && !text->ref) l->text = text->u.s;
    if (!categories && site->op->since >= 2) {
        l->as_numbers = site->op->since >= 4;
        l->equal = site->op->since >= 4 ? OB_ML_LAST : OB_ML_FIRST;
        OB_TRY(read_list(node, keys, &l->keys, error));
        OB_TRY(read_list(node, values, &l->values, error));
        return read_default_tensor(node, l, error);
    }
    /* Strings with integers, those of LabelEncoder 1 being their positions. */
    ob_ml_labels strings = {.dtype = OB_STRING}, ints = {.dtype = OB_INT64};
    strings.at = ob__ml_strings(node, categories ? "cats_strings" : "classes_strings", &strings.n);
    ints.at = ob__node_ints(node, "cats_int64s", &ints.n);
    if (!categories) {
        int64_t *positions = ob__tail(site, strings.n, sizeof *positions);
        if (!positions) return ob__fail(error, OB_E_MEMORY, "no memory for keys");
        for (uint32_t i = 0; i < strings.n; i++) positions[i] = i;
        ints = (ob_ml_labels){OB_INT64, strings.n, positions};
    }
    l->equal = categories ? OB_ML_LAST : OB_ML_FIRST;
    l->keys = from == OB_STRING ? strings : ints;
    l->values = from == OB_STRING ? ints : strings;
    return OB_OK;
}

/* The values and behind them the one for other elements. */
static ob_status add_default(const ob_kernel_site *site, const lists *l, ob_ml_labels *out, ob_error *error) {
    const size_t width = ob_dtype_size(l->values.dtype), n = l->values.n;
    char *values = ob__tail(site, n + 1, width);
    if (!values) return ob__fail(error, OB_E_MEMORY, "no memory for values");
    if (n) memcpy(values, l->values.at, n * width);
    *out = (ob_ml_labels){l->values.dtype, (uint32_t)n + 1, values};
    if (out->dtype == OB_STRING) {
        memcpy(values + n * width, &l->text, sizeof l->text);
        return ob__ml_keep_labels(site, out, error);
    }
    const bool real = out->dtype == OB_FLOAT || out->dtype == OB_DOUBLE;
    return ob__convert(values + n * width, out->dtype, real ? (const void *)&l->real : &l->number, real ? OB_DOUBLE : OB_INT64, 1,
                       error);
}

static ob_status lookup_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    lookup *k = args->state;
    lists l;
    const ob_dtype from = args->in[0].dtype, to = args->out[0].dtype;
    (void)needs;
    OB_TRY(ob__check_type(site, args, 0, error));
    OB_TRY(read_lists(site, from, &l, error));
    OB_FAIL_IF(l.keys.n != l.values.n, error, OB_E_ARGUMENT, "%s: %u keys for %u values", site->node->op_type, l.keys.n,
               l.values.n);
    OB_FAIL_IF(l.keys.dtype != from || l.values.dtype != to, error, OB_E_TYPE,
               "%s: keys of %s and values of %s for elements of %s", site->node->op_type, ob_dtype_name(l.keys.dtype),
               ob_dtype_name(l.values.dtype), ob_dtype_name(from));
    OB_TRY(ob__ml_keys(site, &l.keys, l.as_numbers, l.equal, &k->keys, error));
    return add_default(site, &l, &k->values, error);
}

static inline void put(char *to, const char *from, size_t width) {
    if (width == 4)
        memcpy(to, from, 4);
    else if (width == 8)
        memcpy(to, from, 8);
    else
        memcpy(to, from, width);
}

static ob_status lookup_run(const ob_kernel_args *args, ob_error *error) {
    const lookup *k = args->state;
    const ob_view *in = &args->in[0], *out = &args->out[0];
    ob_ml_labels values;
    OB_TRY(ob__ml_own_labels(args, &k->values, &values, error));
    const size_t from = ob_dtype_size(in->dtype), to = ob_dtype_size(out->dtype);
    const int64_t n = ob__count(in);
    for (int64_t i = 0; i < n && (i % 4096 || !ob__stopped(args->threads)); i++) {
        const uint32_t at = ob__ml_find(&k->keys, (const char *)in->data + (size_t)i * from, values.n - 1);
        put((char *)out->data + (size_t)i * to, (const char *)values.at + at * to, to);
    }
    return OB_OK;
}

const ob_kernel ob__kernel_ml_lookup = {
    .name = "ml_lookup", .state_bytes = sizeof(lookup), .plan = lookup_plan, .run = lookup_run};

/* ---- OneHotEncoder ---- */

typedef struct one_hot {
    ob_ml_keys keys;
    uint32_t n;
    bool zeros;
} one_hot;

static ob_status one_hot_plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    one_hot *o = args->state;
    ob_ml_labels list;
    (void)needs;
    OB_TRY(ob__check_type(site, args, 0, error));
    OB_TRY(ob__ml_either(site->node, "cats_int64s", "cats_strings", &list, error));
    OB_FAIL_IF((list.dtype == OB_STRING) != (args->in[0].dtype == OB_STRING), error, OB_E_TYPE,
               "OneHotEncoder: categories are of %s, elements of %s", ob_dtype_name(list.dtype),
               ob_dtype_name(args->in[0].dtype));
    o->n = list.n;
    o->zeros = ob__node_int(site->node, "zeros", 1) != 0;
    OB_FAIL_IF(ob__count(&args->out[0]) != ob__count(&args->in[0]) * (int64_t)o->n, error, OB_E_SHAPE,
               "OneHotEncoder: result of another size");
    return ob__ml_keys(site, &list, true, OB_ML_LAST, &o->keys, error);
}

static ob_status one_hot_run(const ob_kernel_args *args, ob_error *error) {
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
            OB_TRY(ob__convert(&number, OB_INT64, element, in->dtype, 1, error));
        const uint32_t at = ob__ml_find(&o->keys, in->dtype == OB_STRING ? element : &number, o->n);
        OB_FAIL_IF(at == o->n && !o->zeros, error, OB_E_ARGUMENT, "element %lld is in no category", (long long)i);
        if (at < o->n) y[at] = 1;
    }
    return OB_OK;
}

const ob_kernel ob__kernel_ml_one_hot = {
    .name = "ml_one_hot", .state_bytes = sizeof(one_hot), .plan = one_hot_plan, .run = one_hot_run};
