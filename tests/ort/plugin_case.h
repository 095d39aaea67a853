/* For tests of the ONNX Runtime plugin: models as text, run with it in the real library, and an oracle by indices. */
#ifndef OB_TESTS_ORT_PLUGIN_CASE_H
#define OB_TESTS_ORT_PLUGIN_CASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "host.h"

static ort_host host;

/* OB_ONNXRUNTIME names another library than that of the build: `./dev versions` tests several. */
static inline int open_host(void **state) {
    (void)state;
    const char *other = getenv("OB_ONNXRUNTIME");
    if (!ort_open(&host, other ? other : OB_ONNXRUNTIME_LIBRARY)) fail_msg("%s", host.error);
    return 0;
}

static inline int close_host(void **state) {
    (void)state;
    ort_close(&host);
    return 0;
}

#define HEADER "<ir_version: 10, opset_import: [\"\" : 21, \"onnx_broadcast\" : 1]>\n"

/* A session with the plugin; graph is the text after the header: "g (float[2] a) => (float[2] z) { ... }". */
static inline ort_session open_graph(const char *graph) {
    ort_session s;
    char *text = malloc(strlen(graph) + sizeof HEADER);
    assert_non_null(text);
    strcpy(text, HEADER);
    strcat(text, graph);
    if (!ort_session_open_text(&host, text, &(ort_options){.plugin = OB_ORT_PLUGIN, .optimize = true}, &s))
        fail_msg("%s\n%s", host.error, text);
    free(text);
    return s;
}

/* The error of a model that must be refused while it is loaded. */
static inline const char *refused_graph(const char *graph) {
    ort_session s;
    char text[4096];
    snprintf(text, sizeof text, "%s%s", HEADER, graph);
    assert_false(ort_session_open_text(&host, text, &(ort_options){.plugin = OB_ORT_PLUGIN, .optimize = true}, &s));
    return host.error;
}

enum { POOL_THREADS = 3 }; /* within an operator */

static inline ob_view view_of(void *data, ob_dtype dtype, int32_t rank, const int64_t *dims) {
    ob_view view;
    assert_int_equal(ob_view_init(&view, data, dtype, rank, dims), OB_OK);
    return view;
}

typedef struct random_source {
    uint32_t state;
} random_source;

static inline uint32_t draw(random_source *r, uint32_t n) {
    r->state = r->state * 1664525u + 1013904223u;
    return (r->state >> 8) % n;
}

/* A contiguous tensor of arbitrary bits that are values of the type. Its memory is one block, data, to be freed. */
static inline ob_view random_view(random_source *r, ob_dtype dtype, int32_t rank, const int64_t *dims) {
    static const char *const words[] = {"", "a", "broadcast", "a text that is too long to be kept in place", "nul\0inside"};
    static const size_t lengths[] = {0, 1, 9, 43, 10};
    char nothing = 0;
    ob_view view = view_of(&nothing, dtype, rank, dims);
    size_t n = (size_t)ob_view_count(&view), n_bytes = n * ob_dtype_size(dtype);
    int bits = ob_dtype_file_bits(dtype);
    view.data = malloc(n_bytes + 1);
    assert_non_null(view.data);
    for (size_t i = 0; dtype == OB_STRING && i < n; i++) {
        uint32_t k = draw(r, 5);
        ((ob_string *)view.data)[i] = (ob_string){words[k], lengths[k]};
    }
    for (size_t i = 0; dtype != OB_STRING && i < n_bytes; i++) {
        int value = (int)draw(r, dtype == OB_BOOL ? 2 : bits < 8 ? 1u << bits : 256);
        if (dtype == OB_INT4) value -= 8;
        ((uint8_t *)view.data)[i] = (uint8_t)value;
    }
    return view;
}

static inline bool same_element(const ob_view *a, int64_t i, const ob_view *b, int64_t k) {
    size_t width = ob_dtype_size(a->dtype);
    const char *x = (const char *)a->data + i * (int64_t)width, *y = (const char *)b->data + k * (int64_t)width;
    if (a->dtype != OB_STRING) return memcmp(x, y, width) == 0;
    ob_string s, t;
    memcpy(&s, x, sizeof s);
    memcpy(&t, y, sizeof t);
    return s.n == t.n && (s.n == 0 || memcmp(s.data, t.data, s.n) == 0);
}

/* The oracle: every element of `out` is that of `in` at the same index, with 0 for stretched axes. Dimension i of `in` is axis
 * axes[i]; both are contiguous. */
static inline void assert_stretched(const ob_view *in, const int64_t *axes, const ob_view *out) {
    assert_int_equal(in->dtype, out->dtype);
    int64_t n = ob_view_count(out);
    for (int64_t i = 0; i < n; i++) {
        int64_t index[OB_MAX_RANK], rest = i, k = 0;
        for (int32_t a = out->rank - 1; a >= 0; a--) {
            index[a] = rest % out->dims[a];
            rest /= out->dims[a];
        }
        for (int32_t d = 0; d < in->rank; d++) k = k * in->dims[d] + (in->dims[d] == 1 ? 0 : index[axes[d]]);
        if (!same_element(in, k, out, i)) fail_msg("element %lld of %s differs", (long long)i, ob_dtype_name(in->dtype));
    }
}

static inline void assert_dims(const ob_view *view, int32_t rank, const int64_t *dims) {
    assert_int_equal(view->rank, rank);
    for (int32_t a = 0; a < rank; a++) assert_int_equal(view->dims[a], dims[a]);
}

#endif
