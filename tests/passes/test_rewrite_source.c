/* An added node carries the source line of the exporter that its consumer has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/graph/graph.h"
#include "model_text.h"

static const char text[] = "<ir_version: 10, opset_import: [\"\" : 17]>\n"
                           "g (float[N,4] x, float[M,1] b, float[4] scale, float[1] one) => (float[] y, float[] z) {\n"
                           "  [add] s = Add (x, b)\n  [norm] y = LayerNormalization (s, one, one)\n"
                           "  [act] z = PRelu (x, scale)\n}\n";

static const ob_key_value of_add[] = {{"pkg.torch.onnx.stack_trace", "File \"model.py\", line 7, in forward"},
                                      {"namespace", "Model/add"}};

static const char of_norm[] = "model.py(9): forward\n";

/* Through a file: the entries are read again. */
static ob_model *written(const ob_model *model) {
    ob_text bytes;
    ob__text_init(&bytes, NULL);
    write_model(model, OB_FORMAT_PROTOBUF, &bytes);
    ob_model *again = read_model(bytes.data, bytes.n, OB_FORMAT_PROTOBUF, NULL);
    ob__text_release(&bytes);
    return again;
}

static ob_model *exported(void) {
    ob_model *model = read_text(text);
    for (ob_node *node = model->graph->first; node; node = node->next) {
        node->origin = NULL; /* written in this form */
        if (strcmp(node->name, "add") == 0) {
            node->metadata = of_add;
            node->n_metadata = 2;
        }
        if (strcmp(node->name, "norm") == 0) node->doc = of_norm;
    }
    ob_model *file = written(model);
    ob_model_close(&model);
    return file;
}

static bool serves(const ob_node *node, const char *consumer) {
    return strncmp(node->name, consumer, strlen(consumer)) == 0;
}

static void expect_source(const ob_node *node) {
    uint32_t n_metadata = serves(node, "add") ? 2 : 0;
    assert_int_equal(node->n_metadata, n_metadata);
    for (uint32_t i = 0; i < n_metadata; i++) {
        assert_string_equal(node->metadata[i].key, of_add[i].key);
        assert_string_equal(node->metadata[i].value, of_add[i].value);
    }
    const char *doc = serves(node, "norm") ? of_norm : "";
    assert_int_equal(strncmp(node->doc, doc, strlen(doc)), 0);
    const char *behind = node->doc + strlen(doc);
    if (behind[0] && behind != node->doc) behind++; /* conditions are on separate lines */
    assert_true(behind[0] == '\0' || strncmp(behind, "holds if ", 9) == 0);
}

static void new_nodes_carry_the_source(void **state) {
    (void)state;
    static const ob_form forms[] = {OB_FORM_BROADCAST, OB_FORM_FUNCTION, OB_FORM_EXPAND};
    static const char *const consumers[] = {"add", "norm", "act"};
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
        ob_error error;
        ob_model *model = exported();
        ob_error_clear(&error);
        if (ob_rewrite(model, forms[k], NULL, NULL, &error) != OB_OK) fail_msg("%s", error.message);
        ob_model *file = written(model);
        unsigned n[] = {0, 0, 0};
        for (const ob_node *node = file->graph->first; node; node = node->next) {
            expect_source(node);
            for (size_t i = 0; i < 3; i++) n[i] += serves(node, consumers[i]);
        }
        for (size_t i = 0; i < 3; i++)
            if (n[i] < 2) fail_msg("form %d: nothing is named after %s", (int)forms[k], consumers[i]);
        assert_int_equal(n[0] + n[1] + n[2], file->graph->n_nodes);
        ob_model_close(&file);
        ob_model_close(&model);
    }
}

/* A long text is not copied to each added node: the file grows only slightly more than for a model with short texts. */
static void long_texts_stay_where_they_are(void **state) {
    (void)state;
    enum { LONG = 1 << 20 };
    char *value = malloc(LONG + 1);
    assert_non_null(value);
    memset(value, 'x', LONG);
    value[LONG] = '\0';
    const ob_key_value entry = {"pkg.torch.onnx.stack_trace", value};
    for (int form = 0; form < OB_FORM_COUNT; form++) {
        ob_model *model = read_text(text);
        for (ob_node *node = model->graph->first; node; node = node->next) {
            node->origin = NULL;
            node->metadata = &entry;
            node->n_metadata = 1;
        }
        ob_model *file = written(model);
        ob_error error;
        if (ob_rewrite(file, (ob_form)form, NULL, NULL, &error) != OB_OK) fail_msg("%s", error.message);
        ob_text bytes;
        ob__text_init(&bytes, NULL);
        write_model(file, OB_FORMAT_PROTOBUF, &bytes);
        assert_in_range(bytes.n, 3 * LONG, 3 * LONG + 20000);
        ob__text_release(&bytes);
        ob_model_close(&file);
        ob_model_close(&model);
    }
    free(value);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(new_nodes_carry_the_source),
                                       cmocka_unit_test(long_texts_stay_where_they_are)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
