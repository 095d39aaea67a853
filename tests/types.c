/* usage: types SOURCE [--bless] [--verbose]. Runs a sample of every row of the operator table with every element type that its
 * text lists, and compares the types that ran with the page docs/types.md; --bless writes it. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "onnx_broadcast/onnx_broadcast.h"
#include "ops/body/body.h"
#include "ops/kernel/common.h"
#include "ops/kernel/kernel.h"
#include "samples.h"

enum { MAX_OPERANDS = 24, ELEMENT_BYTES = 16 };

/* ---- Running it ---- */

/* 1, 2, 3, 1 ...; strings are their digits. Types without a conversion from numbers hold zeros. */
static void *make_elements(const ob_view *view) {
    static const ob_string digits[] = {{"1", 1}, {"2", 1}, {"3", 1}};
    int64_t n = ob_view_count(view);
    float *numbers = must(malloc(((size_t)n + 1) * sizeof *numbers));
    char *elements = must(calloc((size_t)n + 1, ELEMENT_BYTES));
    for (int64_t i = 0; i < n; i++) {
        numbers[i] = (float)(i % 3 + 1);
        if (view->dtype == OB_STRING) ((ob_string *)(void *)elements)[i] = digits[i % 3];
    }
    if (view->dtype != OB_STRING) ob__convert(elements, view->dtype, numbers, OB_FLOAT, n, NULL);
    free(numbers);
    return elements;
}

static ob_status run_session(ob_session *session, const cell_case *c, ob_error *error) {
    ob_view inputs[MAX_OPERANDS], outputs[MAX_OUTPUTS] = {0};
    const ob_cell *cells[MAX_OUTPUTS];
    size_t n = ob_session_input_count(session), n_outputs = ob_session_output_count(session);
    ob_status status = OB_OK;
    size_t made = 0;
    for (; made < n && status == OB_OK; made++) {
        status = ob_session_input_view(session, made, NULL, &inputs[made], error);
        if (status == OB_OK) inputs[made].data = make_elements(&inputs[made]);
    }
    if (status == OB_OK) status = ob_session_run_cells(session, inputs, NULL, n, outputs, cells, n_outputs, error);
    for (size_t i = 0; i < n_outputs && status == OB_OK; i++) {
        ob_types allowed = ob__op_output_types(c->op, (uint32_t)i);
        int letter = output_letter(c->op, (uint32_t)i);
        if (letter >= 0 && decides(c, letter)) allowed = UINT64_C(1) << c->types[letter];
        if (outputs[i].dtype == OB_NONE || allowed >> outputs[i].dtype & 1) continue;
        snprintf(error->message, sizeof error->message, "output %zu is of type %s", i, ob_dtype_name(outputs[i].dtype));
        status = OB_E_TYPE;
    }
    for (size_t i = 0; i < made; i++) free(inputs[i].data);
    return status;
}

static ob_status run_case(const cell_case *c, bool verbose, ob_error *error) {
    ob_text text;
    ob_model *model = NULL;
    ob_session *session = NULL;
    ob_load_options options;
    ob__text_init(&text, NULL);
    write_model(c, &text);
    ob_error_clear(error);
    ob_load_options_init(&options);
    options.format = OB_FORMAT_TEXT;
    ob_status status = ob_model_load_memory(text.data, text.n, "sample", &options, &model, error);
    if (status == OB_OK) status = ob_session_create(model, NULL, &session, error);
    if (status == OB_OK) status = run_session(session, c, error);
    if (status != OB_OK && verbose) printf("%s%s\n", text.data, error->message);
    ob_session_close(&session);
    ob_model_close(&model);
    ob__text_release(&text);
    return status;
}

/* The first sample determines the result, unless another one runs: attributes may depend on the type. */
static ob_status run_samples(cell_case *c, bool verbose, ob_error *error) {
    const sample *first = c->s;
    ob_status status = run_case(c, verbose, error);
    for (const sample *s = find_sample(c->op, first); s && status != OB_OK; s = find_sample(c->op, s)) {
        ob_error other;
        c->s = s;
        if (run_case(c, verbose, &other) == OB_OK) status = OB_OK;
    }
    c->s = first;
    return status;
}

/* ---- Rows ---- */

/* The types of a letter that do not run; n_run counts those that do. */
static ob_types refused_types(cell_case *c, int letter, int *n_run, bool verbose) {
    ob_types refused = 0, types = types_of(c->op, letter);
    ob_dtype usual = c->types[letter];
    for (int type = 1; type < OB_DTYPE_COUNT; type++) {
        ob_error error;
        if (!(types >> type & 1)) continue;
        c->types[letter] = (ob_dtype)type;
        ob_status status = run_samples(c, verbose, &error);
        if (status == OB_OK) ++*n_run;
        if (status == OB_E_UNSUPPORTED) refused |= UINT64_C(1) << type;
        const bool repeats = status != OB_OK && strncmp(error.message, c->op->name, strlen(c->op->name)) == 0;
        if (!repeats && (status == OB_OK || status == OB_E_UNSUPPORTED)) continue;
        printf("%s-%d, %c = %s: %s\n", c->op->name, c->op->since, 'T' + letter, ob_dtype_name((ob_dtype)type), error.message);
        n_errors++;
    }
    c->types[letter] = usual;
    return refused;
}

static void print_row(ob_text *page, const ob_op *op, bool verbose) {
    cell_case c;
    bool has_sample = usual_case(op, &c);
    const char *by = op->deprecated ? "deprecated" : ob__has_kernel(op) ? "kernel" : ob__body_of(op) ? "body" : "no";
    ob__text_printf(page, "| %s%s%s | %d | %s |", op->domain, op->domain[0] ? "." : "", op->name, op->since, by);
    if (op->deprecated || (!ob__has_kernel(op) && !ob__body_of(op))) {
        ob__text_puts(page, " | |\n");
        return;
    }
    if (!has_sample) {
        printf("%s%s%s-%d runs and has no sample\n", op->domain, op->domain[0] ? "." : "", op->name, op->since);
        n_errors++;
        return;
    }
    ob_text refused;
    int n_run = 0, n_letters = 0;
    ob__text_init(&refused, NULL);
    ob__text_puts(&refused, "");
    for (int letter = 0; letter < LETTERS; letter++) {
        if (!types_of(op, letter) || !decides(&c, letter)) continue;
        n_letters++;
        ob_types types = refused_types(&c, letter, &n_run, verbose);
        for (int type = 1; type < OB_DTYPE_COUNT; type++)
            if (types >> type & 1) ob__text_printf(&refused, " %c=%s", 'T' + letter, ob_dtype_name((ob_dtype)type));
    }
    ob_error error;
    if (n_letters == 0 && run_case(&c, verbose, &error) != OB_OK) {
        printf("%s-%d: %s\n", op->name, op->since, error.message);
        n_errors++;
    }
    if (n_letters) ob__text_printf(page, " %d", n_run);
    ob__text_printf(page, " |%s |\n", refused.data);
    ob__text_release(&refused);
}

static bool same_file(const char *path, const ob_text *page) {
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    size_t n = 0;
    int byte;
    while ((byte = fgetc(file)) != EOF && n < page->n && (unsigned char)page->data[n] == byte) n++;
    fclose(file);
    return byte == EOF && n == page->n;
}

static void write_page(const char *path, const ob_text *page) {
    FILE *file = fopen(path, "wb");
    if (file && fwrite(page->data, 1, page->n, file) == page->n && fclose(file) == 0) return;
    perror(path);
    n_errors++;
}

int main(int argc, char **argv) {
    bool bless = false, verbose = false;
    char path[PATH_MAX];
    ob_text page;
    for (int i = 2; i < argc; i++) {
        bless = bless || strcmp(argv[i], "--bless") == 0;
        verbose = verbose || strcmp(argv[i], "--verbose") == 0;
    }
    if (argc < 2) return 2;
    read_folders(argv[1]);
    ob__text_init(&page, NULL);
    ob__text_puts(&page, "# Element types\n\n"
                         "Written by `build/tests/types . --bless`, which runs a sample of every row (`ops/*/samples.txt`) with "
                         "every element type\n"
                         "that the specification lists for it; do not edit. T, U, V, W are the type constraints of the row in "
                         "`ops/*/family.def`,\n"
                         "in the order of its signature. The fourth column counts the types that run, over all type "
                         "constraints; it is empty if\n"
                         "the specification fixes every type. The fifth names the types that are refused.\n\n"
                         "| operator | since | runs as | types that run | types that do not |\n"
                         "|---|---:|---|---:|---|\n");
    for (size_t i = 0; i < ob__op_count(); i++) print_row(&page, ob__op_at(i), verbose);
    for (const sample *s = samples; s; s = s->next)
        if (!s->used) printf("no operator has the sample of %s\n", s->names), n_errors++;
    snprintf(path, sizeof path, "%s/docs/types.md", argv[1]);
    if (bless && !n_errors)
        write_page(path, &page);
    else if (!n_errors && !same_file(path, &page))
        printf("docs/types.md is stale: ./dev docs\n"), n_errors++;
    ob__text_release(&page);
    printf("%d errors\n", n_errors);
    return n_errors ? 1 : 0;
}
