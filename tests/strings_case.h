/* One node run by a session on operands written as text: "2,3: a|b||d|e|f" has the sizes 2 and 3, and six elements. */
#ifndef OB_TESTS_STRINGS_CASE_H
#define OB_TESTS_STRINGS_CASE_H

#include <stdlib.h>

#include "model_text.h"

enum { TC_ELEMENTS = 512, TC_TEXT = 8192 };

/* A tensor of strings, int64, int32 or floats. */
typedef struct text_tensor {
    ob_view view;
    char text[TC_TEXT];
    union {
        ob_string strings[TC_ELEMENTS];
        int64_t ints[TC_ELEMENTS];
        int32_t narrow[TC_ELEMENTS];
        float floats[TC_ELEMENTS];
    } u;
} text_tensor;

static inline void tc_read(text_tensor *t, ob_dtype dtype, const char *text) {
    int64_t dims[OB_MAX_RANK], count = 1, n = 0;
    int32_t rank = 0;
    const char *begin = strchr(text, ':');
    assert_non_null(begin);
    for (char *at = (char *)(uintptr_t)text; at < begin; at += *at == ',') dims[rank++] = strtol(at, &at, 10);
    for (int32_t i = 0; i < rank; i++) count *= dims[i];
    snprintf(t->text, sizeof t->text, "%s", begin[1] == ' ' ? begin + 2 : begin + 1);
    for (char *at = t->text; n < count; n++) {
        size_t length = strcspn(at, "|");
        if (dtype == OB_STRING) t->u.strings[n] = (ob_string){at, length};
        if (dtype == OB_INT64) t->u.ints[n] = strtol(at, NULL, 10);
        if (dtype == OB_INT32) t->u.narrow[n] = (int32_t)strtol(at, NULL, 10);
        if (dtype == OB_FLOAT) t->u.floats[n] = strtof(at, NULL);
        at += length + (at[length] == '|');
    }
    assert_int_equal(ob_view_init(&t->view, &t->u, dtype, rank, dims), OB_OK);
}

static inline void tc_write(const ob_view *view, char text[TC_TEXT]) {
    int n = 0;
    int64_t count = ob_view_count(view);
    for (int32_t i = 0; i < view->rank; i++) n += snprintf(text + n, 32, "%s%lld", i ? "," : "", (long long)view->dims[i]);
    n += snprintf(text + n, 32, ":%s", count ? " " : "");
    assert_true(ob_view_is_contiguous(view));
    for (int64_t i = 0; i < count; i++) {
        const ob_string *string = (const ob_string *)view->data + i;
        size_t room = TC_TEXT - (size_t)n;
        n += snprintf(text + n, room, "%s", i ? "|" : "");
        room = TC_TEXT - (size_t)n;
        switch (view->dtype) {
        case OB_STRING: n += snprintf(text + n, room, "%.*s", (int)string->n, string->n ? string->data : ""); break;
        case OB_INT64: n += snprintf(text + n, room, "%lld", (long long)((const int64_t *)view->data)[i]); break;
        case OB_FLOAT: n += snprintf(text + n, room, "%g", (double)((const float *)view->data)[i]); break;
        case OB_BOOL:
        case OB_UINT8: n += snprintf(text + n, room, "%d", ((const uint8_t *)view->data)[i]); break;
        default: fail_msg("an output of %s", ob_dtype_name(view->dtype));
        }
        if (n >= TC_TEXT) fail_msg("a result of more than %d bytes", TC_TEXT);
    }
}

/* Runs `node`, operands x, y and results p, q, r, s of these types, each "" or "string[N,M]". NULL results are not compared.
 * Returns the status; `message` is the session's message. */
static inline ob_status tc_run(const char *node, const text_tensor *in, size_t n_in, char results[][TC_TEXT], size_t n_out,
                               ob_error *error) {
    static const char *const types[] = {[OB_STRING] = "string", [OB_INT64] = "int64", [OB_INT32] = "int32", [OB_FLOAT] = "float"};
    char text[4096];
    int n = snprintf(text, sizeof text, "<ir_version: 10, opset_import: [\"\" : 22]>\ng (");
    for (size_t i = 0; i < n_in; i++) {
        n += snprintf(text + n, sizeof text - (size_t)n, "%s%s[", i ? ", " : "", types[in[i].view.dtype]);
        for (int32_t k = 0; k < in[i].view.rank; k++)
            n += snprintf(text + n, sizeof text - (size_t)n, "%s%c%d", k ? "," : "", 'A' + (int)i, (int)k);
        n += snprintf(text + n, sizeof text - (size_t)n, "] %c", 'x' + (int)i);
    }
    n += snprintf(text + n, sizeof text - (size_t)n, ") => (");
    for (size_t i = 0; i < n_out; i++) n += snprintf(text + n, sizeof text - (size_t)n, "%s%c", i ? ", " : "", 'p' + (int)i);
    n += snprintf(text + n, sizeof text - (size_t)n, ")\n{ %s }\n", node);
    assert_true(n < (int)sizeof text);
    ob_model *model = read_text(text);
    ob_session *session = NULL;
    ob_view views[2], out[4] = {{0}};
    for (size_t i = 0; i < n_in; i++) views[i] = in[i].view;
    ob_status status = ob_session_create(model, NULL, &session, error);
    for (int round = 0; round < 2 && status == OB_OK; round++) {
        memset(out, 0, sizeof out);
        status = ob_session_run(session, views, n_in, out, n_out, error);
    }
    for (size_t i = 0; i < n_out && status == OB_OK; i++) tc_write(&out[i], results[i]);
    ob_session_close(&session);
    ob_model_close(&model);
    return status;
}

#endif
