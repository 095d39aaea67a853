/* Inputs of a run: files; random elements on request. */
#include <stdlib.h>
#include <string.h>

#include "run_parts.h"

/* ---- Files ---- */

/* The input that "NAME=F" names, or -1; *path is F. A file whose name holds '=' works as long as no input is called like its
 * begin. */
static int named_input(const ob_session *session, const char *text, const char **path) {
    for (const char *equals = strchr(text, '='); equals; equals = strchr(equals + 1, '=')) {
        ob_session_value info;
        for (size_t i = 0; ob_session_input(session, i, &info); i++)
            if (strlen(info.name) == (size_t)(equals - text) && strncmp(info.name, text, (size_t)(equals - text)) == 0) {
                *path = equals + 1;
                return (int)i;
            }
    }
    *path = text;
    return -1;
}

static bool is_npy_file(const char *path) {
    char magic[6] = {0};
    FILE *file = fopen(path, "rb");
    bool is_npy = file && fread(magic, 1, sizeof magic, file) == sizeof magic && memcmp(magic, "\x93NUMPY", 6) == 0;
    if (file) fclose(file);
    return is_npy;
}

static void *take(void *context, size_t n_bytes) {
    memory_limit *limit = context;
    if (limit->most && (limit->used > limit->most || n_bytes > limit->most - limit->used)) {
        limit->refused = true;
        return NULL;
    }
    void *block = malloc(n_bytes);
    if (block) limit->used += n_bytes;
    return block;
}

static void give_back(void *context, void *block, size_t n_bytes) {
    memory_limit *limit = context;
    if (block) limit->used -= n_bytes;
    free(block);
}

static void *resize(void *context, void *block, size_t old_bytes, size_t new_bytes) {
    void *moved = take(context, new_bytes);
    if (moved && block) memcpy(moved, block, old_bytes < new_bytes ? old_bytes : new_bytes);
    if (moved) give_back(context, block, old_bytes);
    return moved;
}

exit_code complain_read(const char *path, ob_status status, const ob_error *error, const run_inputs *inputs) {
    if (status == OB_E_MEMORY && inputs->limit.refused)
        complain(TOOL, path, "reading it takes more than %llu bytes: --max-memory raises the limit",
                 (unsigned long long)inputs->limit.most);
    else
        complain_error(TOOL, path, error);
    return status == OB_E_UNSUPPORTED ? EXIT_UNSUPPORTED : status == OB_E_MEMORY ? EXIT_FAILED : EXIT_MISUSED;
}

/* Input `at`, in the form that its type has: a tensor in two, anything else as ONNX's message. */
static exit_code read_file(const char *path, const ob_session *session, size_t at, run_inputs *inputs) {
    ob_session_value info;
    ob_error error;
    ob_error_clear(&error);
    ob_session_input(session, at, &info);
    ob_status status;
    const ob_allocator counted = {take, resize, give_back, &inputs->limit};
    inputs->limit.refused = false;
    if (is_cell_type(info.type))
        status = ob_cell_file_read(path, info.type->kind, &counted, &inputs->cells[at], &error);
    else
        status = (is_npy_file(path) ? ob_npy_read : ob_tensor_file_read)(path, &counted, &inputs->tensors[at], &error);
    inputs->views[at] = inputs->tensors[at].view;
    return status == OB_OK ? EXIT_DONE : complain_read(path, status, &error, inputs);
}

bool input_is_given(const run_inputs *inputs, size_t i) {
    return inputs->views[i].dtype != OB_NONE || inputs->cells[i];
}

void complain_name(const run_options *options, const ob_session *session, const char *where, const char *name) {
    enum { MOST = 8 };
    char list[1200] = "";
    ob_session_value info;
    size_t n = ob_session_input_count(session), order[MOST], n_listed = 0, at = 0;
    unsigned distances[MOST];
    for (size_t i = 0; i < n && ob_session_input(session, i, &info); i++) {
        unsigned distance = name_distance(name, info.name);
        size_t place = n_listed;
        while (place > 0 && distances[place - 1] > distance) place--;
        if (place == MOST) continue;
        if (n_listed < MOST) n_listed++;
        for (size_t k = n_listed - 1; k > place; k--) order[k] = order[k - 1], distances[k] = distances[k - 1];
        order[place] = i, distances[place] = distance;
    }
    for (size_t i = 0; i < n_listed; i++) {
        ob_session_input(session, order[i], &info);
        at += (size_t)snprintf(list + at, sizeof list - at, "%s%.120s", i ? ", " : "", info.name);
    }
    if (n_listed < n) snprintf(list + at, sizeof list - at, " and %zu more", n - n_listed);
    complain(TOOL, options->model, "%s: no input is called %.120s%s; the inputs are: %s", where, name,
             strncmp(where, "--input ", 8) == 0 ? ", and there is no file of that name" : "", n ? list : "none");
}

static bool is_file(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file) fclose(file);
    return file != NULL;
}

/* "NAME=F" without an input NAME or a file NAME=F. */
static void complain_option(const run_options *options, const ob_session *session, const char *text) {
    char where[400], name[128];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, "="), text);
    snprintf(where, sizeof where, "--input %s", text);
    complain_name(options, session, where, name);
}

static exit_code read_files(const run_options *options, const ob_session *session, run_inputs *inputs) {
    size_t next = 0;
    for (size_t i = 0; i < options->n_files; i++) {
        const char *path;
        int named = named_input(session, options->files[i], &path);
        const bool exists = is_file(path);
        if (named < 0 && strchr(path, '=') && !exists && !is_raw_file(path, exists)) {
            complain_option(options, session, path);
            return EXIT_MISUSED;
        }
        if (exists && is_set_file(path) && (named < 0 || !input_is_given(inputs, (size_t)named))) {
            const ob_allocator counted = {take, resize, give_back, &inputs->limit};
            exit_code code = read_set(options, session, path, named, &counted, inputs);
            if (code != EXIT_DONE) return code;
            continue;
        }
        while (named < 0 && next < inputs->n && input_is_given(inputs, next)) next++;
        size_t at = named < 0 ? next : (size_t)named;
        if (at >= inputs->n) {
            complain(TOOL, options->model, "the model takes %zu inputs; --input %s is one too many", inputs->n,
                     options->files[i]);
            return EXIT_MISUSED;
        }
        if (input_is_given(inputs, at)) {
            complain(TOOL, options->model, "--input %s: this input was given before", options->files[i]);
            return EXIT_MISUSED;
        }
        const bool raw = is_raw_file(path, exists) && !is_npy_file(path);
        exit_code code = raw ? read_raw(session, path, exists, at, inputs) : read_file(path, session, at, inputs);
        if (code != EXIT_DONE) return code;
    }
    return EXIT_DONE;
}

/* ---- Random elements ---- */

static uint64_t next_random(uint64_t *state) { /* splitmix64 */
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* A number in [-1, 1). */
static double random_unit(uint64_t *state) {
    return (double)(int64_t)(next_random(state) >> 11) * 0x1p-52 - 1.0;
}

static void fill_float16(uint16_t *elements, int64_t n, uint64_t *state) {
    /* Random sign and mantissa, exponents of 1/16 to 1/2. */
    for (int64_t i = 0; i < n; i++) {
        uint64_t bits = next_random(state);
        elements[i] = (uint16_t)((bits & 0x83ff) | (11 + (bits >> 20) % 4) << 10);
    }
}

static void fill_bfloat16(uint16_t *elements, int64_t n, uint64_t *state) {
    for (int64_t i = 0; i < n; i++) {
        float x = (float)random_unit(state);
        uint32_t bits;
        memcpy(&bits, &x, 4);
        elements[i] = (uint16_t)(bits >> 16);
    }
}

/* Integers are 0 or 1: valid as indices into any axis that is longer than 1, and as sizes. */
static void fill_integers(char *elements, int64_t n, size_t size, uint64_t *state) {
    const uint16_t one = 1;
    bool little_endian = *(const char *)&one != 0;
    memset(elements, 0, (size_t)n * size);
    elements += little_endian ? 0 : size - 1;
    for (int64_t i = 0; i < n; i++) elements[(size_t)i * size] = (char)(next_random(state) & 1);
}

static void fill(ob_view *view, uint64_t *state) {
    int64_t n = ob_view_count(view);
    switch (view->dtype) {
    case OB_FLOAT:
    case OB_COMPLEX64:
        for (int64_t i = 0; i < n * (view->dtype == OB_FLOAT ? 1 : 2); i++) ((float *)view->data)[i] = (float)random_unit(state);
        return;
    case OB_DOUBLE:
    case OB_COMPLEX128:
        for (int64_t i = 0; i < n * (view->dtype == OB_DOUBLE ? 1 : 2); i++) ((double *)view->data)[i] = random_unit(state);
        return;
    case OB_FLOAT16: fill_float16(view->data, n, state); return;
    case OB_BFLOAT16: fill_bfloat16(view->data, n, state); return;
    case OB_STRING: memset(view->data, 0, (size_t)n * sizeof(ob_string)); return;
    default: fill_integers(view->data, n, ob_dtype_size(view->dtype), state); return;
    }
}

/* Says all of them, so that one look is enough. */
static exit_code complain_missing(const run_options *options, const ob_session *session, const run_inputs *inputs) {
    exit_code code = EXIT_DONE;
    ob_session_value info;
    for (size_t i = 0; i < inputs->n && ob_session_input(session, i, &info); i++) {
        bool tensor = !is_cell_type(info.type);
        if (input_is_given(inputs, i) || info.type->kind == OB_TYPE_OPTIONAL) continue;
        complain(TOOL, options->model, "input %s is not given (%s%s%s): --input %s=FILE gives it%s", info.name,
                 tensor                           ? ob_dtype_name(info.dtype)
                 : info.type->kind == OB_TYPE_MAP ? "a map"
                                                  : "a sequence",
                 tensor ? " " : "", tensor ? info.shape_text : "", info.name, tensor ? ", --random makes one" : "");
        code = EXIT_MISUSED;
    }
    return code;
}

/* An optional may be missing. The contents of a sequence or a map cannot be guessed. */
static exit_code leave_out(const run_options *options, const ob_session_value *info, ob_cell **cell) {
    if (info->type->kind != OB_TYPE_OPTIONAL) {
        complain(TOOL, options->model, "input %s is a %s: give it with --input", info->name,
                 info->type->kind == OB_TYPE_MAP ? "map" : "sequence");
        return EXIT_MISUSED;
    }
    if (ob_cell_none(NULL, cell, NULL) == OB_OK) return EXIT_DONE;
    complain(TOOL, options->model, "out of memory");
    return EXIT_FAILED;
}

static exit_code make_up(const run_options *options, const ob_session *session, run_inputs *inputs, size_t i, uint64_t *state) {
    ob_session_value info;
    int64_t dims[OB_MAX_RANK];
    ob_session_input(session, i, &info);
    if (is_cell_type(info.type)) return leave_out(options, &info, &inputs->cells[i]);
    if (info.dtype == OB_NONE || info.shape.rank == OB_RANK_UNKNOWN) {
        complain(TOOL, options->model, "input %s has no declared type or rank: give it with --input", info.name);
        return EXIT_MISUSED;
    }
    for (int32_t k = 0; k < info.shape.rank; k++) {
        char name[128];
        dims[k] = info.shape.dims[k];
        if (ob_dim_is_const(dims[k])) continue;
        ob_dim_format(ob_session_dims(session), info.shape.dims[k], name, sizeof name);
        if (!options->quiet) {
            if (ob_dim_is_named(ob_session_dims(session), info.shape.dims[k]))
                complain(TOOL, options->model, "note: input %s: size 1 is used for %s; --dim %s=SIZE sets it", info.name, name,
                         name);
            else
                complain(TOOL, options->model, "note: input %s: size 1 is used for axis %d, which has no name", info.name, k);
        }
        dims[k] = 1;
    }
    char somewhere;
    ob_view view;
    ob_status status = ob_view_init(&view, &somewhere, info.dtype, info.shape.rank, dims);
    uint64_t n_bytes = status == OB_OK ? (uint64_t)ob_view_count(&view) * ob_dtype_size(info.dtype) : 0;
    if (options->max_memory && n_bytes > options->max_memory) {
        complain(TOOL, options->model,
                 "input %s: %llu bytes of random elements are over the limit of %llu: --max-memory raises it", info.name,
                 (unsigned long long)n_bytes, (unsigned long long)options->max_memory);
        return EXIT_FAILED;
    }
    void *data = status == OB_OK ? malloc((size_t)n_bytes + 1) : NULL;
    inputs->random[i] = data;
    if (!data) {
        complain(TOOL, options->model, "input %s: no memory for shape %s", info.name, info.shape_text);
        return EXIT_FAILED;
    }
    view.data = data;
    fill(&view, state);
    inputs->is_random[i] = true;
    inputs->views[i] = view;
    return EXIT_DONE;
}

exit_code inputs_prepare(const run_options *options, const ob_session *session, run_inputs *inputs) {
    size_t n = ob_session_input_count(session);
    uint64_t state = (uint64_t)options->seed;
    *inputs = (run_inputs){.n = n, .limit = {.most = options->max_memory}};
    inputs->tensors = calloc(n + 1, sizeof *inputs->tensors);
    inputs->is_random = calloc(n + 1, sizeof *inputs->is_random);
    inputs->random = calloc(n + 1, sizeof *inputs->random);
    inputs->views = calloc(n + 1, sizeof *inputs->views);
    inputs->cells = calloc(n + 1, sizeof *inputs->cells);
    if (!inputs->tensors || !inputs->is_random || !inputs->random || !inputs->views || !inputs->cells) {
        complain(TOOL, options->model, "out of memory");
        return EXIT_FAILED;
    }
    exit_code code = read_files(options, session, inputs);
    if (code == EXIT_DONE && !options->random) code = complain_missing(options, session, inputs);
    for (size_t i = 0; i < n && code == EXIT_DONE; i++)
        if (!input_is_given(inputs, i)) code = make_up(options, session, inputs, i, &state);
    return code;
}

void inputs_release(run_inputs *inputs) {
    for (size_t i = 0; i < inputs->n; i++) {
        if (inputs->tensors) ob_file_tensor_release(&inputs->tensors[i]);
        if (inputs->random) free(inputs->random[i]);
        if (inputs->cells) ob_cell_close(&inputs->cells[i]);
    }
    free(inputs->cells);
    free(inputs->tensors);
    free(inputs->random);
    free(inputs->is_random);
    free(inputs->views);
    *inputs = (run_inputs){0};
}
