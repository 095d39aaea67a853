/* Test data as ONNX lays it out: FOLDER/test_data_set_K/{input,output}_N.pb, data.json beside the model. */
#ifndef OB_TESTS_DATA_SETS_H
#define OB_TESTS_DATA_SETS_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "onnx_broadcast/onnx_broadcast.h"

enum { MAX_TENSORS = 64 };

typedef struct tensors {
    ob_file_tensor items[MAX_TENSORS]; /* all zero if there is a cell */
    ob_cell *cells[MAX_TENSORS];       /* NULL: a tensor */
    size_t n;
} tensors;

static inline void release_tensors(tensors *t) {
    for (size_t i = 0; i < t->n; i++) {
        ob_file_tensor_release(&t->items[i]);
        ob_cell_close(&t->cells[i]);
    }
    t->n = 0;
}

static inline bool is_cell_kind(ob_type_kind kind) {
    return kind == OB_TYPE_SEQUENCE || kind == OB_TYPE_OPTIONAL || kind == OB_TYPE_MAP;
}

/* The session's inputs or outputs determine which files hold tensors; without a session all do. */
static inline ob_status read_values(const char *folder, const char *kind, const ob_session *session, tensors *t,
                                    ob_error *error) {
    char path[9000];
    struct stat file;
    t->n = 0;
    for (size_t i = 0; i < MAX_TENSORS; i++) {
        ob_session_value info = {0};
        bool known = session && (strcmp(kind, "input") == 0 ? ob_session_input : ob_session_output)(session, i, &info);
        snprintf(path, sizeof path, "%s/%s_%zu.pb", folder, kind, i);
        if (stat(path, &file) != 0) return OB_OK;
        t->items[i] = (ob_file_tensor){0};
        t->cells[i] = NULL;
        ob_status status = known && is_cell_kind(info.type->kind)
                               ? ob_cell_file_read(path, info.type->kind, NULL, &t->cells[i], error)
                               : ob_tensor_file_read(path, NULL, &t->items[i], error);
        if (status != OB_OK) return status;
        t->n = i + 1;
    }
    return OB_OK;
}

static inline ob_status read_tensors(const char *folder, const char *kind, tensors *t, ob_error *error) {
    return read_values(folder, kind, NULL, t, error);
}

/* The test data of ONNX 1.12 holds bfloat16 tensors as their bits, in uint16. */
static inline void retype_bfloat16(ob_view *view, ob_dtype wanted) {
    if (wanted == OB_BFLOAT16 && view->dtype == OB_UINT16) view->dtype = OB_BFLOAT16;
}

/* The number of `key` in data.json beside the model, for instance "rtol": 0.01, if the file exists. */
static inline void read_tolerance(const char *folder, const char *key, double *value) {
    char path[7000], text[4096];
    snprintf(path, sizeof path, "%s/data.json", folder);
    FILE *file = fopen(path, "r");
    if (!file) return;
    size_t n = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[n] = '\0';
    const char *at = strstr(text, key);
    if (at) sscanf(at + strlen(key), " : %lf", value);
}

/* "shared:models" is a folder of OB_SHARED, or of ../shared beside the project. */
static inline const char *find_root(const char *text, char *path, size_t n_bytes) {
    if (strncmp(text, "shared:", 7) != 0) return text;
    const char *shared = getenv("OB_SHARED");
    snprintf(path, n_bytes, "%s/%s", shared && *shared ? shared : OB_SOURCE_DIR "/../shared", text + 7);
    return path;
}

#endif
