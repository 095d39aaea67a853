/* Input files of several tensors (.npz, JSON), and raw elements without a header. */
#include <stdlib.h>
#include <string.h>

#include "run_parts.h"

static bool has_ending(const char *text, const char *ending) {
    const size_t n = strlen(text), n_ending = strlen(ending);
    return n >= n_ending && strcmp(text + n - n_ending, ending) == 0;
}

/* ---- Sets of tensors ---- */

bool is_set_file(const char *path) {
    char first[4] = {0};
    FILE *file = fopen(path, "rb");
    size_t n = file ? fread(first, 1, sizeof first, file) : 0;
    if (file) fclose(file);
    if (n == sizeof first && (memcmp(first, "PK\3\4", 4) == 0 || memcmp(first, "PK\5\6", 4) == 0)) return true;
    /* No message begins with the bytes of a bracket or a brace: they would be groups, which ONNX does not use. */
    return n > 0 && (first[0] == '{' || first[0] == '[' || has_ending(path, ".json"));
}

static int find_input(const ob_session *session, const char *name) {
    ob_session_value info;
    for (size_t i = 0; ob_session_input(session, i, &info); i++)
        if (strcmp(info.name, name) == 0) return (int)i;
    return -1;
}

/* The names that numpy.savez gives to arrays without one. */
static bool is_numbered(const char *name) {
    return strncmp(name, "arr_", 4) == 0 && name[4] && name[4 + strspn(name + 4, "0123456789")] == '\0';
}

/* The input for a member of a set, or -1 with a message. `next` is the first place to look for one without a name. */
static int place_of(const run_options *options, const ob_session *session, const run_inputs *inputs, const char *path,
                    const char *name, size_t *next) {
    int at = find_input(session, name);
    if (at < 0 && (!name[0] || is_numbered(name))) {
        while (*next < inputs->n && input_is_given(inputs, *next)) ++*next;
        if (*next < inputs->n) return (int)*next;
        complain(TOOL, options->model, "the model takes %zu inputs; %s has one too many", inputs->n, path);
        return -1;
    }
    if (at < 0) {
        complain_name(options, session, path, name);
    } else if (input_is_given(inputs, (size_t)at)) {
        complain(TOOL, options->model, "%s: input %s was given before", path, name);
        at = -1;
    }
    return at;
}

static exit_code read_member(const ob_session *session, const ob_tensor_set *set, size_t index, const char *path, size_t at,
                             const ob_allocator *allocator, run_inputs *inputs) {
    ob_session_value info;
    ob_error error;
    ob_session_input(session, at, &info);
    if (is_cell_type(info.type)) {
        complain(TOOL, path, "input %s is no tensor: give it as a .pb file", info.name);
        return EXIT_MISUSED;
    }
    inputs->limit.refused = false;
    ob_status status = ob_tensor_set_read(set, index, info.dtype, allocator, &inputs->tensors[at], &error);
    if (status != OB_OK) return complain_read(path, status, &error, inputs);
    inputs->views[at] = inputs->tensors[at].view;
    return EXIT_DONE;
}

/* With NAME=FILE the member of that name, or the only one. */
static exit_code read_one(const run_options *options, const ob_session *session, const ob_tensor_set *set, const char *path,
                          int at, const ob_allocator *allocator, run_inputs *inputs) {
    ob_session_value info;
    ob_session_input(session, (size_t)at, &info);
    size_t n = ob_tensor_set_count(set), index = 0;
    while (n > 1 && index < n && strcmp(ob_tensor_set_name(set, index), info.name) != 0) index++;
    if (index < n) return read_member(session, set, index, path, (size_t)at, allocator, inputs);
    complain(TOOL, options->model, "--input %s=%s: none of the %zu tensors in this file is called %s", info.name, path, n,
             info.name);
    return EXIT_MISUSED;
}

exit_code read_set(const run_options *options, const ob_session *session, const char *path, int named,
                   const ob_allocator *allocator, run_inputs *inputs) {
    ob_tensor_set *set = NULL;
    ob_error error;
    inputs->limit.refused = false;
    ob_status status = ob_tensor_set_open(path, allocator, &set, &error);
    if (status != OB_OK) return complain_read(path, status, &error, inputs);
    exit_code code = EXIT_DONE;
    size_t n = ob_tensor_set_count(set), next = 0;
    if (named >= 0) {
        code = read_one(options, session, set, path, named, allocator, inputs);
    } else if (n > MAX_FILES) {
        complain(TOOL, path, "%zu tensors are more than %d", n, MAX_FILES);
        code = EXIT_MISUSED;
    } else {
        for (size_t i = 0; i < n && code == EXIT_DONE; i++) {
            const int at = place_of(options, session, inputs, path, ob_tensor_set_name(set, i), &next);
            code = at < 0 ? EXIT_MISUSED : read_member(session, set, i, path, (size_t)at, allocator, inputs);
        }
    }
    ob_tensor_set_close(&set);
    return code;
}

/* ---- Raw elements ---- */

typedef struct raw_form {
    ob_dtype dtype;
    int32_t rank;
    int64_t dims[OB_MAX_RANK]; /* -1: open */
} raw_form;

/* "TYPE", or "TYPE[2,3]". */
static bool parse_form(const char *text, raw_form *form) {
    char name[32];
    const size_t n = strcspn(text, "[");
    if (n >= sizeof name) return false;
    memcpy(name, text, n);
    name[n] = '\0';
    *form = (raw_form){.dtype = ob_dtype_from_name(name)};
    if (form->dtype == OB_NONE) return false;
    if (!text[n]) return true;
    for (const char *p = text + n + 1;; p++) {
        char *end;
        if (*p == ']' && form->rank == 0) return p[1] == '\0';
        if (*p < '0' || *p > '9' || form->rank == OB_MAX_RANK) return false;
        const unsigned long long size = strtoull(p, &end, 10);
        if (size > INT64_MAX / 2 || end - p > 18) return false;
        form->dims[form->rank++] = (int64_t)size;
        p = end;
        if (*p == ']') return p[1] == '\0';
        if (*p != ',') return false;
    }
}

/* What the model says about the input. False: a type or rank that it does not state. */
static bool form_of_input(const ob_session_value *info, raw_form *form) {
    *form = (raw_form){.dtype = info->dtype, .rank = info->shape.rank};
    if (info->dtype == OB_NONE || info->shape.rank == OB_RANK_UNKNOWN) return false;
    for (int32_t k = 0; k < form->rank; k++) form->dims[k] = ob_dim_is_const(info->shape.dims[k]) ? info->shape.dims[k] : -1;
    return true;
}

/* The file's size decides the one open size. */
static bool close_form(raw_form *form, uint64_t n_bytes) {
    uint64_t known = ob_dtype_size(form->dtype);
    int32_t open = -1;
    for (int32_t k = 0; k < form->rank; k++) {
        if (form->dims[k] < 0) {
            if (open >= 0) return false;
            open = k;
        } else if (form->dims[k] > 0 && known > UINT64_MAX / (uint64_t)form->dims[k]) {
            return false;
        } else {
            known *= (uint64_t)form->dims[k];
        }
    }
    if (open < 0) return true;
    if (known == 0 || n_bytes % known != 0 || n_bytes / known > INT64_MAX) return false;
    form->dims[open] = (int64_t)(n_bytes / known);
    return true;
}

static bool raw_is_possible(ob_dtype dtype) {
    return dtype != OB_STRING && (size_t)ob_dtype_file_bits(dtype) == 8 * ob_dtype_size(dtype);
}

/* Little-endian bytes in place; true and false become 1 and 0. */
static void to_host(uint8_t *bytes, size_t n, ob_dtype dtype) {
    const uint16_t one = 1;
    const bool little_endian = *(const uint8_t *)&one != 0;
    const size_t unit = ob_dtype_size(dtype) / (dtype == OB_COMPLEX64 || dtype == OB_COMPLEX128 ? 2 : 1);
    for (size_t i = 0; dtype == OB_BOOL && i < n; i++) bytes[i] = bytes[i] != 0;
    for (size_t at = 0; !little_endian && at + unit <= n; at += unit)
        for (size_t k = 0; k < unit / 2; k++) {
            const uint8_t byte = bytes[at + k];
            bytes[at + k] = bytes[at + unit - 1 - k];
            bytes[at + unit - 1 - k] = byte;
        }
}

static uint64_t file_size(FILE *file) {
    if (fseeko(file, 0, SEEK_END) != 0) return UINT64_MAX;
    const off_t n = ftello(file);
    return n < 0 || fseeko(file, 0, SEEK_SET) != 0 ? UINT64_MAX : (uint64_t)n;
}

static exit_code read_open_raw(FILE *file, const char *path, raw_form *form, size_t at, run_inputs *inputs) {
    const uint64_t n_bytes = file_size(file);
    if (n_bytes == UINT64_MAX) {
        complain(TOOL, path, "its size is not known, so it cannot be read as raw elements");
        return EXIT_MISUSED;
    }
    ob_view view;
    char somewhere;
    if (!close_form(form, n_bytes) || ob_view_init(&view, &somewhere, form->dtype, form->rank, form->dims) != OB_OK ||
        (uint64_t)ob_view_count(&view) * ob_dtype_size(form->dtype) != n_bytes) {
        complain(TOOL, path, "%llu bytes do not fit the shape; FILE:TYPE[SIZES] states another, as in x.bin:float[2,3]",
                 (unsigned long long)n_bytes);
        return EXIT_MISUSED;
    }
    if (inputs->limit.most && n_bytes > inputs->limit.most) {
        complain(TOOL, path, "reading it takes more than %llu bytes: --max-memory raises the limit",
                 (unsigned long long)inputs->limit.most);
        return EXIT_FAILED;
    }
    void *data = malloc((size_t)n_bytes + 1);
    inputs->random[at] = data;
    if (!data) {
        complain(TOOL, path, "out of memory for %llu bytes", (unsigned long long)n_bytes);
        return EXIT_FAILED;
    }
    if (fread(data, 1, (size_t)n_bytes, file) != n_bytes) {
        complain(TOOL, path, "cannot be read");
        return EXIT_MISUSED;
    }
    to_host(data, (size_t)n_bytes, form->dtype);
    view.data = data;
    inputs->views[at] = view;
    return EXIT_DONE;
}

/* Where the form begins in "FILE:TYPE[SIZES]", or NULL. */
static const char *form_in(const char *text) {
    const char *colon = strrchr(text, ':');
    raw_form form;
    return colon && parse_form(colon + 1, &form) ? colon : NULL;
}

bool is_raw_file(const char *text, bool exists) {
    return exists ? has_ending(text, ".raw") || has_ending(text, ".bin") : form_in(text) != NULL;
}

exit_code read_raw(const ob_session *session, const char *text, bool exists, size_t at, run_inputs *inputs) {
    const char *colon = exists ? NULL : form_in(text);
    const size_t n = colon ? (size_t)(colon - text) : strlen(text);
    ob_session_value info;
    raw_form form;
    ob_session_input(session, at, &info);
    if (is_cell_type(info.type) || (colon ? !parse_form(colon + 1, &form) : !form_of_input(&info, &form))) {
        complain(TOOL, text, "input %s has no declared type or rank: state them, as in x.bin:float[2,3]", info.name);
        return EXIT_MISUSED;
    }
    if (!raw_is_possible(form.dtype)) {
        complain(TOOL, text, "elements of type %s have no raw form", ob_dtype_name(form.dtype));
        return EXIT_MISUSED;
    }
    char *path = malloc(n + 1);
    if (!path) {
        complain(TOOL, text, "out of memory");
        return EXIT_FAILED;
    }
    memcpy(path, text, n);
    path[n] = '\0';
    FILE *file = fopen(path, "rb");
    exit_code code = EXIT_MISUSED;
    if (file) {
        code = read_open_raw(file, path, &form, at, inputs);
        fclose(file);
    } else {
        complain(TOOL, path, "cannot be opened");
    }
    free(path);
    return code;
}
