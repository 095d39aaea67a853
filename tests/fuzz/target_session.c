/* Sessions: optimised, plain and rewritten, with the same small inputs. All of them give the same bits. */
#include <string.h>

#include "core/graph/graph.h"
#include "fuzz.h"
#include "tests/variants.h"

enum { MAX_INPUTS = 8, MAX_OUTPUTS = 16, MAX_ELEMS = 2048, MAX_MEMORY = 1 << 20, MAX_MS = 500 };

/* For anything but a tensor the view is all zero; otherwise the cell is NULL. */
typedef struct inputs {
    ob_view views[MAX_INPUTS];
    ob_cell *cells[MAX_INPUTS];
    size_t n;
} inputs;

typedef struct results {
    ob_view views[MAX_OUTPUTS];
    const ob_cell *cells[MAX_OUTPUTS];
} results;

static uint64_t next_random(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

static ob_session *open_session(const ob_model *model, bool optimize, ob_status *status) {
    ob_session_config config;
    ob_session *session = NULL;
    ob_error error;
    ob_session_config_init(&config);
    config.max_memory = MAX_MEMORY;
    config.optimize = optimize;
    config.external_data = false;
    config.max_run_ns = MAX_MS * UINT64_C(1000000); /* a loop may have no end */
    *status = ob_session_create(model, &config, &session, &error);
    FUZZ_MUST(*status == OB_OK || (error.code == *status && error.message[0]), "create: %s, code %s: %s", ob_status_text(*status),
              ob_status_text(error.code), error.message);
    FUZZ_MUST(*status != OB_E_INTERNAL && *status != OB_E_ARGUMENT, "create: %s", error.message);
    return session;
}

/* ---- Inputs ---- */

/* An open size is small, and the same at every place of its term. */
static int64_t size_of(ob_dim dim, uint64_t seed) {
    if (ob_dim_is_const(dim)) return dim;
    uint64_t state = seed ^ (uint64_t)dim;
    next_random(&state);
    return 1 + (int64_t)(next_random(&state) % 4);
}

/* Small whole numbers mostly, as indices and sizes are; elements of any bits now and then. */
static void fill(ob_view *view, size_t n_bytes, uint64_t *state) {
    static const ob_string strings[] = {{"", 0}, {"a", 1}, {"ab", 2}, {"b\0c", 3}};
    int64_t n = ob_view_count(view);
    uint64_t kind = next_random(state) % 8;
    for (size_t i = 0; i < n_bytes && kind == 0 && view->dtype != OB_STRING; i++)
        ((uint8_t *)view->data)[i] = view->dtype == OB_BOOL ? next_random(state) % 2 : (uint8_t)next_random(state);
    for (int64_t i = 0; i < n && (kind > 0 || view->dtype == OB_STRING); i++) {
        int64_t value = (int64_t)(next_random(state) % 7) - (kind < 3 ? 3 : 0);
        switch (view->dtype) {
        case OB_STRING: ((ob_string *)view->data)[i] = strings[next_random(state) % 4]; break;
        case OB_FLOAT: ((float *)view->data)[i] = (float)value / 2; break;
        case OB_DOUBLE: ((double *)view->data)[i] = (double)value / 2; break;
        case OB_INT64: ((int64_t *)view->data)[i] = value; break;
        case OB_INT32: ((int32_t *)view->data)[i] = (int32_t)value; break;
        case OB_BOOL: ((uint8_t *)view->data)[i] = value & 1; break;
        default: memset((char *)view->data + (size_t)i * ob_dtype_size(view->dtype), (int)value, ob_dtype_size(view->dtype));
        }
    }
}

/* False: no tensor of a small size. */
static bool make_tensor(const ob_type *type, uint64_t seed, uint64_t *state, char *memory, ob_view *out) {
    int64_t dims[OB_MAX_RANK], n = 1;
    bool open = type->shape.rank == OB_RANK_UNKNOWN;
    int32_t rank = open ? (int32_t)(next_random(state) % 4) : type->shape.rank;
    if (type->kind != OB_TYPE_TENSOR || type->dtype == OB_NONE || rank > OB_MAX_RANK) return false;
    for (int32_t k = 0; k < rank; k++) {
        dims[k] = size_of(open ? OB_DIM_UNKNOWN : type->shape.dims[k], seed);
        if (dims[k] < 0 || dims[k] > MAX_ELEMS || (n *= dims[k] ? dims[k] : 1) > MAX_ELEMS) return false;
    }
    if (ob_view_init(out, memory, type->dtype, rank, dims) != OB_OK) return false;
    fill(out, (size_t)ob_view_count(out) * ob_dtype_size(type->dtype), state);
    return true;
}

static bool make_cell(const ob_type *type, uint64_t seed, uint64_t *state, int depth, ob_cell **out);

/* None to three items. */
static bool make_list(const ob_type *type, uint64_t seed, uint64_t *state, int depth, ob_cell **out) {
    ob_cell *items[3] = {NULL};
    ob_view keys;
    bool made = true;
    size_t n = next_random(state) % 4;
    const int64_t numbers[] = {5, -1, 7}, dims[] = {(int64_t)n};
    const ob_string names[] = {{"b", 1}, {"", 0}, {"ab", 2}};
    for (size_t i = 0; i < n && made; i++) made = make_cell(type->element, seed, state, depth + 1, &items[i]);
    const ob_cell *const *held = (const ob_cell *const *)items;
    bool by_name = type->dtype == OB_STRING;
    if (made && type->kind == OB_TYPE_SEQUENCE)
        made = ob_cell_sequence(OB_NONE, held, n, NULL, out, NULL) == OB_OK;
    else if (made)
        made = ob_view_init(&keys, (void *)(by_name ? (uintptr_t)names : (uintptr_t)numbers), by_name ? OB_STRING : OB_INT64, 1,
                            dims) == OB_OK &&
               ob_cell_map(&keys, held, n, NULL, out, NULL) == OB_OK;
    for (size_t i = 0; i < n; i++) ob_cell_close(&items[i]);
    return made;
}

static bool make_cell(const ob_type *type, uint64_t seed, uint64_t *state, int depth, ob_cell **out) {
    static _Alignas(64) char memory[MAX_ELEMS * 16];
    ob_view view;
    if (!type || depth > 4) return false;
    if (type->kind == OB_TYPE_OPTIONAL)
        return next_random(state) % 3 == 0 ? ob_cell_none(NULL, out, NULL) == OB_OK
                                           : make_cell(type->element, seed, state, depth + 1, out);
    if (type->kind == OB_TYPE_SEQUENCE || type->kind == OB_TYPE_MAP) return make_list(type, seed, state, depth, out);
    return make_tensor(type, seed, state, memory, &view) && ob_cell_tensor(&view, NULL, out, NULL) == OB_OK;
}

static void release_inputs(inputs *in) {
    for (size_t i = 0; i < MAX_INPUTS; i++) ob_cell_close(&in->cells[i]);
}

/* False: inputs that are not small. */
static bool make_inputs(const ob_session *session, uint64_t seed, inputs *out) {
    static _Alignas(64) char memory[MAX_INPUTS][MAX_ELEMS * 16];
    uint64_t state = seed;
    memset(out, 0, sizeof *out);
    out->n = ob_session_input_count(session);
    if (out->n > MAX_INPUTS) return false;
    for (size_t i = 0; i < out->n; i++) {
        ob_session_value value;
        if (!ob_session_input(session, i, &value)) return false;
        bool made = value.type->kind == OB_TYPE_TENSOR ? make_tensor(value.type, seed, &state, memory[i], &out->views[i])
                                                       : make_cell(value.type, seed, &state, 0, &out->cells[i]);
        if (!made) return false;
    }
    return true;
}

/* ---- Runs ---- */

static ob_status run(ob_session *session, const inputs *in, results *out, size_t n, ob_error *error) {
    memset(out, 0, sizeof *out);
    ob_status status =
        ob_session_run_cells(session, in->views, (const ob_cell *const *)in->cells, in->n, out->views, out->cells, n, error);
    FUZZ_MUST(status == OB_OK || (error->code == status && error->message[0]), "run: %s, code %s: %s", ob_status_text(status),
              ob_status_text(error->code), error->message);
    FUZZ_MUST(status != OB_E_INTERNAL && status != OB_E_NOT_FOUND, "run: %s", error->message);
    return status;
}

static void compare(const ob_view *a, const ob_view *b, size_t index, const char *with) {
    FUZZ_MUST(a->dtype == b->dtype && a->rank == b->rank, "output %zu: %s gives %s of rank %d, plain %s of rank %d", index, with,
              ob_dtype_name(a->dtype), a->rank, ob_dtype_name(b->dtype), b->rank);
    for (int32_t k = 0; k < a->rank; k++)
        FUZZ_MUST(a->dims[k] == b->dims[k], "output %zu: %s, axis %d: %lld, plain %lld", index, with, k, (long long)a->dims[k],
                  (long long)b->dims[k]);
    int64_t n = ob_view_count(a);
    size_t width = ob_dtype_size(a->dtype);
    for (int64_t i = 0; i < n; i++) {
        const char *x = (const char *)a->data + (size_t)i * width, *y = (const char *)b->data + (size_t)i * width;
        if (a->dtype == OB_STRING) {
            const ob_string *s = (const void *)x, *t = (const void *)y;
            FUZZ_MUST(s->n == t->n && (s->n == 0 || memcmp(s->data, t->data, s->n) == 0), "output %zu: %s: string %lld", index,
                      with, (long long)i);
        } else {
            FUZZ_MUST(memcmp(x, y, width) == 0, "output %zu (%s): %s: element %lld", index, ob_dtype_name(a->dtype), with,
                      (long long)i);
        }
    }
}

/* Recursion ends at OB_CELL_MAX_DEPTH. */
static void compare_cells(const ob_cell *a, const ob_cell *b, size_t index, const char *with) {
    ob_view x, y;
    FUZZ_MUST(ob_cell_get_kind(a) == ob_cell_get_kind(b) && ob_cell_count(a) == ob_cell_count(b),
              "output %zu: %s gives kind %d of %zu, plain %d of %zu", index, with, (int)ob_cell_get_kind(a), ob_cell_count(a),
              (int)ob_cell_get_kind(b), ob_cell_count(b));
    if (ob_cell_view(a, &x) && ob_cell_view(b, &y)) compare(&x, &y, index, with);
    if (ob_cell_keys(a, &x) && ob_cell_keys(b, &y)) compare(&x, &y, index, with);
    for (size_t i = 0; i < ob_cell_count(a); i++) compare_cells(ob_cell_at(a, i), ob_cell_at(b, i), index, with);
}

static void compare_all(const results *a, const results *b, size_t n, const char *with) {
    for (size_t i = 0; i < n; i++) {
        FUZZ_MUST(!a->cells[i] == !b->cells[i], "output %zu: %s gives %s", i, with, a->cells[i] ? "a cell" : "a tensor");
        if (a->cells[i])
            compare_cells(a->cells[i], b->cells[i], i, with);
        else
            compare(&a->views[i], &b->views[i], i, with);
    }
}

/* Runs another session beside the plain one, whose outputs are there. It may find its limit sooner. */
static void beside(ob_session *other, const inputs *in, const results *plain, size_t n, const char *with) {
    results out;
    ob_error error;
    FUZZ_MUST(ob_session_input_count(other) == in->n, "%s: %zu inputs", with, ob_session_input_count(other));
    ob_status status = run(other, in, &out, n, &error);
    if (status == OB_E_LIMIT || status == OB_E_UNSUPPORTED) return;
    FUZZ_MUST(status == OB_OK, "%s: %s: %s", with, ob_status_text(status), error.message);
    compare_all(&out, plain, n, with);
    status = run(other, in, &out, n, &error); /* the plan once more */
    if (status == OB_E_LIMIT) return;         /* of time */
    FUZZ_MUST(status == OB_OK, "%s, second run: %s", with, error.message);
    compare_all(&out, plain, n, with);
}

/* The size that the inputs give to a term, -1 when none has it. */
static int64_t known_size(const ob_session *session, const inputs *in, ob_dim dim) {
    ob_session_value value;
    if (ob_dim_is_const(dim)) return dim;
    for (size_t i = 0; i < in->n; i++)
        for (int32_t k = 0; ob_session_input(session, i, &value) && k < value.shape.rank; k++)
            if (value.shape.dims[k] == dim) return in->views[i].dims[k];
    return -1;
}

/* Declared shapes that differ from the computed ones are logged and not used, so a run continues. But a form may depend on them
 * if no other shape is known. */
static bool declared_truly(const ob_model *model, const ob_session *plain, const inputs *in, const ob_view *outputs, size_t n) {
    for (const ob_node *node = model->graph->first; node; node = node->next)
        for (uint32_t i = 0; i < node->n_outputs; i++)
            if (node->outputs[i] && !node->outputs[i]->is_output && node->outputs[i]->declared.shape.rank >= 0) return false;
    for (size_t i = 0; i < n; i++) {
        ob_session_value value;
        if (!ob_session_output(plain, i, &value) || value.shape.rank == OB_RANK_UNKNOWN) continue;
        if (value.shape.rank != outputs[i].rank) return false;
        for (int32_t k = 0; k < value.shape.rank; k++) {
            int64_t size = known_size(plain, in, value.shape.dims[k]);
            if (size >= 0 && size != outputs[i].dims[k]) return false;
        }
    }
    return true;
}

/* The same model in another form. */
static void in_form(const ob_model *model, ob_form form, const inputs *in, const results *plain, size_t n) {
    static byte_buffer buffer;
    ob_model *variant = NULL;
    ob_error error;
    ob_status status;
    buffer.n = 0;
    if (make_variant(model, form, &buffer, &variant, &error) != OB_OK) return;
    ob_session *session = open_session(variant, true, &status);
    FUZZ_MUST(session || status == OB_E_LIMIT || status == OB_E_UNSUPPORTED, "%s: %s", ob_form_name(form),
              ob_status_text(status));
    if (session) beside(session, in, plain, n, ob_form_name(form));
    ob_session_close(&session);
    ob_model_close(&variant);
}

static void run_with(const ob_model *model, ob_session *plain, ob_session *optimised, uint64_t seed, const inputs *in) {
    results out;
    ob_error error;
    size_t n = ob_session_output_count(plain);
    if (run(plain, in, &out, n, &error) != OB_OK) {
        results others;
        if (optimised && ob_session_input_count(optimised) == in->n) run(optimised, in, &others, n, &error);
        return;
    }
    if (optimised) beside(optimised, in, &out, n, "optimised");
    if (declared_truly(model, plain, in, out.views, n)) in_form(model, (ob_form)(seed % OB_FORM_COUNT), in, &out, n);
}

static void run_all(const ob_model *model, ob_session *plain, ob_session *optimised, uint64_t seed) {
    inputs in;
    if (ob_session_output_count(plain) > MAX_OUTPUTS) return;
    if (make_inputs(plain, seed, &in)) run_with(model, plain, optimised, seed, &in);
    release_inputs(&in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    ob_status status, optimised_status;
    ob_model *model = fuzz_load(data, n);
    if (!model) return 0;
    ob_session *optimised = open_session(model, true, &optimised_status);
    ob_session *plain = open_session(model, false, &status);
    if (plain) {
        FUZZ_MUST(optimised || optimised_status == OB_E_LIMIT, "only plain: %s", ob_status_text(optimised_status));
        run_all(model, plain, optimised, fuzz_hash(data, n));
    }
    ob_session_close(&plain);
    ob_session_close(&optimised);
    ob_model_close(&model);
    return 0;
}
