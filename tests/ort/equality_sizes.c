/* Inputs made up for combinations of sizes of a model's symbols. */
#include "equality.h"

enum { MAX_SYMBOLS = 4, MAX_ELEMENTS = 1 << 16 };

static const int64_t sizes[] = {0, 1, 2, 3, 7};
enum { N_SIZES = sizeof sizes / sizeof *sizes };

typedef struct symbols {
    ob_binding items[MAX_SYMBOLS];
    size_t n;
    bool too_many;
} symbols;

static bool collect_symbol(void *context, ob_dim symbol) {
    symbols *s = context;
    for (size_t i = 0; i < s->n; i++)
        if (s->items[i].symbol == symbol) return true;
    if (s->n == MAX_SYMBOLS)
        s->too_many = true;
    else
        s->items[s->n++].symbol = symbol;
    return !s->too_many;
}

/* The same numbers in every run: floats in -2 .. 2, integers 1 .. 5, bools of both kinds, strings of a few letters. */
static void fill(ob_view *view, uint32_t *seed) {
    static const ob_string words[] = {{"", 0}, {"b", 1}, {"onnx", 4}, {"b\xc3\xa9", 3}};
    for (int64_t i = 0; i < ob_view_count(view); i++) {
        uint32_t r = (*seed = *seed * 1664525u + 1013904223u) >> 8;
        float f = (float)((double)r / (1 << 24) * 4.0 - 2.0);
        double d = (double)f;
        int64_t n = 1 + r % 5;
        uint8_t *at = (uint8_t *)view->data + (size_t)i * ob_dtype_size(view->dtype);
        switch (view->dtype) {
        case OB_FLOAT: memcpy(at, &f, sizeof f); break;
        case OB_DOUBLE: memcpy(at, &d, sizeof d); break;
        case OB_FLOAT16: memcpy(at, &(uint16_t){(uint16_t)(0x3800 + r % 2048)}, 2); break; /* 0.5 .. 2 */
        case OB_BOOL: *at = (uint8_t)(r & 1); break;
        case OB_STRING: memcpy(at, &words[r % 4], sizeof *words); break;
        default: memcpy(at, &n, ob_dtype_size(view->dtype)); break; /* little-endian integers */
        }
    }
}

/* The inputs as the checker knows them: also of models that our executor does not take. */
static size_t find_inputs(ob_report *report, ob_value_info *inputs) {
    size_t n = 0;
    for (size_t i = 0; i < ob_report_value_count(report); i++) {
        ob_value_info value;
        if (ob_report_value(report, i, &value) != OB_OK || strcmp(value.kind, "input") != 0 || value.path[0]) continue;
        if (n == ORT_MAX_VALUES || value.shape.rank == OB_RANK_UNKNOWN || ob_dtype_size(value.dtype) == 0) return 0;
        inputs[n++] = value;
    }
    return n;
}

static bool visit_sizes(const ob_dims *pool, const ob_value_info *values, size_t n, const symbols *s, size_visitor visit,
                        void *context) {
    static ob_string blocks[ORT_MAX_VALUES][MAX_ELEMENTS]; /* the widest element */
    ob_view inputs[ORT_MAX_VALUES];
    uint32_t seed = 1;
    for (size_t i = 0; i < n; i++) {
        int64_t dims[OB_MAX_RANK] = {0};
        for (int32_t k = 0; k < values[i].shape.rank; k++)
            if (ob_dim_eval(pool, values[i].shape.dims[k], s->items, s->n, &dims[k]) != OB_OK) return false;
        if (ob_view_init(&inputs[i], blocks[i], values[i].dtype, values[i].shape.rank, dims) != OB_OK) return false;
        if (ob_view_count(&inputs[i]) > MAX_ELEMENTS) return false;
        fill(&inputs[i], &seed);
    }
    visit(context, inputs, n);
    return true;
}

size_t each_size(const char *path, size_visitor visit, void *context) {
    static ob_value_info inputs[ORT_MAX_VALUES];
    ob_model *model = NULL;
    ob_report *report = NULL;
    symbols s = {0};
    size_t n = 0, n_visits = 0, n_combinations = 1;
    if (ob_model_load(path, NULL, &model, NULL) == OB_OK && ob_check(model, NULL, &report, NULL) == OB_OK)
        n = find_inputs(report, inputs);
    const ob_dims *pool = report ? ob_report_dims(report) : NULL;
    for (size_t i = 0; i < n; i++)
        for (int32_t k = 0; k < inputs[i].shape.rank; k++) ob_dim_symbols(pool, inputs[i].shape.dims[k], collect_symbol, &s);
    for (size_t i = 0; i < s.n; i++) n_combinations *= N_SIZES;
    for (size_t at = 0; n > 0 && s.n > 0 && !s.too_many && at < n_combinations; at++) {
        size_t rest = at;
        for (size_t i = 0; i < s.n; i++, rest /= N_SIZES) s.items[i].size = sizes[rest % N_SIZES];
        n_visits += visit_sizes(pool, inputs, n, &s, visit, context);
    }
    ob_report_close(&report);
    ob_model_close(&model);
    return n_visits;
}
