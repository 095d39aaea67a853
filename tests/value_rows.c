/* usage: value_rows. Writes for tests/value_rows.py the calls in the lines of tests/values, a line for each node: domain, name,
 * the opset of its row, attributes, and 1 or 0 for each operand (given) and each result (used). */
#include "value_files.h"

#include "core/graph/graph.h"
#include "ops/library/resolve.h"

static ob_status print_nodes(void *context, ob_graph *graph) {
    (void)context;
    for (const ob_node *node = graph->first; node; node = node->next) {
        if (!node->op) continue;
        printf("%s\t%s\t%d\t", node->op->domain[0] ? node->op->domain : "ai.onnx", node->op->name, node->op->since);
        for (uint32_t i = 0; i < node->n_attributes; i++) printf("%s%s", i ? "," : "", node->attributes[i]->name);
        putchar('\t');
        for (uint32_t i = 0; i < node->n_inputs; i++) putchar(node->inputs[i] ? '1' : '0');
        putchar('\t');
        for (uint32_t i = 0; i < node->n_outputs; i++)
            putchar(node->outputs[i] && strncmp(node->outputs[i]->name, "unused", 6) ? '1' : '0');
        putchar('\n');
    }
    return OB_OK;
}

/* Refused lines have no values. */
static int print_line(char *line, const char *place, void *context) {
    value_case c;
    ob_text text;
    ob_load_options options;
    ob_model *model = NULL;
    (void)place;
    if (!read_case(line, &c) || strncmp(c.results, "refused:", 8) == 0) return 0;
    ob__text_init(&text, NULL);
    write_node(&c, TYPED, &text);
    ob_load_options_init(&options);
    options.format = OB_FORMAT_TEXT;
    bool read = ob_model_load_memory(text.data, text.n, "values", &options, &model, NULL) == OB_OK &&
                ob__model_resolve_ops(model) == OB_OK && ob__model_each_graph(model, print_nodes, context) == OB_OK;
    ob_model_close(&model);
    ob__text_release(&text);
    return !read;
}

int main(void) {
    return visit_lines(NULL, print_line, NULL) == 0 ? 0 : 1;
}
