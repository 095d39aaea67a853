/* usage: types SOURCE [--bless] [--verbose]. Runs a sample of every row of the operator table with every element type that its
 * text lists, and compares what ran with the page docs/types.md; --bless writes it.
 *
 * Samples stand in ops/FAMILY/samples.txt, a line for one operator or several, the first that fits counts, and where
 * it fails the others:
 *
 *     NAME[, NAME...] [FIRST][-][LAST] | OPERANDS | ATTRIBUTES | NODES
 *
 * FIRST and LAST are opsets; a name of another domain is written with it. Operands are separated by ";": [2,3] a tensor of the
 * type that the row has for it, made of small numbers, [] one of rank 0; [2]{1,2} a constant; float[2] one of that type, whatever
 * the row says; "-" is left out; a name is a result of NODES, which stand before the operator; "=> N" behind them: N outputs, not
 * all. Attributes are those of ONNX's text form; in them and in NODES $T is the number and @T the name of the type that T has in
 * the signature, %T an element of it. */
#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "onnx_broadcast/onnx_broadcast.h"
#include "ops/body/body.h"
#include "ops/kernel/common.h"
#include "ops/kernel/kernel.h"
#include "ops/table/op.h"

enum { MAX_OPERANDS = 24, MAX_OUTPUTS = 24, MAX_FIELD = 4096, LETTERS = 4, ELEMENT_BYTES = 16 };

/* ---- Samples ------------------------------------------------------------------------------------------------------------ */

typedef struct sample {
    char *names, *operands, *attributes, *nodes;
    int64_t first, last;
    uint32_t n_outputs; /* 0: all that the signature has */
    bool used;
    struct sample *next;
} sample;

static sample *samples;
static int n_errors;

static char *trimmed(char *s) {
    while (isspace((unsigned char)*s)) s++;
    for (size_t n = strlen(s); n > 0 && isspace((unsigned char)s[n - 1]); n--) s[n - 1] = '\0';
    return s;
}

static char *next_field(char **rest, char separator) {
    char *field = *rest;
    if (!field) return (char *)"";
    *rest = strchr(field, separator);
    if (*rest) *(*rest)++ = '\0';
    return trimmed(field);
}

static bool read_opsets(sample *s) {
    char *last = strrchr(s->names, ' ');
    s->first = 1;
    s->last = INT64_MAX;
    if (!last || !isdigit((unsigned char)last[1])) return true;
    *last++ = '\0';
    s->names = trimmed(s->names);
    s->first = s->last = strtoll(last, &last, 10);
    if (*last == '-') s->last = last[1] ? strtoll(last + 1, &last, 10) : (last++, INT64_MAX);
    return *last == '\0';
}

/* "=> N" behind the operands. */
static void read_outputs(sample *s) {
    char *arrow = strstr(s->operands, "=>");
    if (!arrow) return;
    *arrow = '\0';
    s->operands = trimmed(s->operands);
    s->n_outputs = (uint32_t)strtoul(arrow + 2, NULL, 10);
}

static void *must(void *memory) {
    if (memory) return memory;
    fprintf(stderr, "no memory\n");
    exit(2);
}

static void read_samples(const char *path) {
    static sample **end = &samples;
    static char line[MAX_FIELD];
    FILE *file = fopen(path, "r");
    if (!file) return;
    for (int number = 1; fgets(line, sizeof line, file); number++) {
        char *rest = must(strdup(trimmed(line)));
        if (rest[0] == '#' || rest[0] == '\0') {
            free(rest);
            continue;
        }
        sample *s = must(calloc(1, sizeof *s));
        s->names = next_field(&rest, '|');
        s->operands = next_field(&rest, '|');
        read_outputs(s);
        s->attributes = next_field(&rest, '|');
        s->nodes = next_field(&rest, '|');
        if (!read_opsets(s) || rest) {
            printf("%s:%d: not a sample\n", path, number);
            n_errors++;
        }
        *end = s;
        end = &s->next;
    }
    fclose(file);
}

static void read_folders(const char *source) {
    char path[PATH_MAX];
    struct dirent **entries = NULL;
    snprintf(path, sizeof path, "%s/ops", source);
    int n = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < n; i++) {
        snprintf(path, sizeof path, "%s/ops/%s/samples.txt", source, entries[i]->d_name);
        read_samples(path);
        free(entries[i]);
    }
    free(entries);
}

static bool names_it(const char *names, const char *name) {
    size_t length = strlen(name);
    for (const char *at = names; (at = strstr(at, name)); at++)
        if ((at == names || at[-1] == ' ' || at[-1] == ',') && (at[length] == ',' || at[length] == '\0')) return true;
    return false;
}

/* The next one of the operator behind `before`, the first for NULL. */
static const sample *find_sample(const ob_op *op, const sample *before) {
    char name[200];
    snprintf(name, sizeof name, "%s%s%s", op->domain, op->domain[0] ? "." : "", op->name);
    for (sample *s = before ? before->next : samples; s; s = s->next)
        if (op->since >= s->first && op->since <= s->last && names_it(s->names, name)) {
            s->used = true;
            return s;
        }
    return NULL;
}

/* ---- A sample as a model ------------------------------------------------------------------------------------------------ */

typedef struct cell_case {
    const ob_op *op;
    const sample *s;
    ob_dtype types[LETTERS]; /* of 'T', 'U', 'V', 'W' */
} cell_case;

/* An element as the text form has it in a list. */
static const char *element_text(ob_dtype type) {
    if (type == OB_STRING) return "\"1\"";
    if (type == OB_FLOAT || type == OB_DOUBLE) return "1.0";
    return type == OB_COMPLEX64 || type == OB_COMPLEX128 ? "1, 0" : "1";
}

/* `from` with $T, @T and %T replaced. */
static void append_with_types(ob_text *to, const char *from, const cell_case *c) {
    for (; *from; from++) {
        bool is_type = strchr("$@%", *from) && from[1] >= 'T' && from[1] < 'T' + LETTERS;
        if (!is_type) {
            ob__text_append(to, from, 1);
            continue;
        }
        ob_dtype type = c->types[from[1] - 'T'];
        if (*from == '$')
            ob__text_printf(to, "%d", (int)type);
        else
            ob__text_puts(to, *from == '@' ? ob_dtype_name(type) : element_text(type));
        from++;
    }
}

static ob_dtype operand_type(const cell_case *c, uint32_t index) {
    bool homogeneous;
    char letter = ob__op_input_letter(c->op, index, &homogeneous);
    if (letter >= 'T' && letter < 'T' + LETTERS) return c->types[letter - 'T'];
    ob_types types = ob__op_input_types(c->op, index);
    if (types >> OB_FLOAT & 1) return OB_FLOAT;
    for (int type = 1; type < OB_DTYPE_COUNT; type++)
        if (types >> type & 1) return (ob_dtype)type;
    return OB_FLOAT;
}

/* Inputs, constants and the list of names that the node has. */
static void write_operands(const cell_case *c, ob_text *inputs, ob_text *constants, ob_text *names) {
    char *all = must(strdup(c->s->operands)), *rest = all[0] ? all : NULL;
    for (uint32_t i = 0; rest; i++) {
        char *field = next_field(&rest, ';'), *bracket = strchr(field, '['), *contents = strchr(field, '{');
        if (i > 0) ob__text_puts(names, ", ");
        if (!bracket) {
            if (field[0] != '-') append_with_types(names, field, c);
            continue;
        }
        ob_text *to = contents ? constants : inputs;
        if (to->n) ob__text_puts(to, ", ");
        if (bracket > field)
            ob__text_append(to, field, (size_t)(bracket - field));
        else
            ob__text_puts(to, ob_dtype_name(operand_type(c, i)));
        bool scalar = bracket[1] == ']'; /* in the text form a type without brackets */
        if (!scalar) ob__text_append(to, bracket, contents ? (size_t)(contents - bracket) : strlen(bracket));
        ob__text_printf(to, " i%u", i);
        if (contents) ob__text_printf(to, " = %s", contents);
        ob__text_printf(names, "i%u", i);
    }
    free(all);
}

/* 0 to LETTERS - 1 for output `index`, else -1. */
static int output_letter(const ob_op *op, uint32_t index) {
    const char *at = strchr(op->signature, '>') + 1;
    for (uint32_t i = 0; *at; at++) {
        if (strchr("?*~", *at)) continue;
        if (i++ == index || at[1] == '*') return *at >= 'T' && *at < 'T' + LETTERS ? *at - 'T' : -1;
    }
    return -1;
}

static bool mentions(const char *text, char letter) {
    for (; *text; text++)
        if (strchr("$@%", *text) && text[1] == letter) return true;
    return false;
}

/* The sample says what type the letter is. */
static bool decides(const cell_case *c, int letter) {
    char name = (char)('T' + letter);
    bool homogeneous, decided = mentions(c->s->attributes, name) || mentions(c->s->nodes, name);
    char *all = must(strdup(c->s->operands)), *rest = all[0] ? all : NULL;
    for (uint32_t i = 0; rest; i++) {
        const char *field = next_field(&rest, ';');
        decided = decided || (field[0] == '[' && ob__op_input_letter(c->op, i, &homogeneous) == name);
    }
    free(all);
    return decided;
}

static uint32_t count_outputs(const cell_case *c) {
    const ob_op *op = c->op;
    uint32_t n = 0;
    if (c->s->n_outputs) return c->s->n_outputs;
    while (n < MAX_OUTPUTS && ob__op_output_types(op, n)) n++;
    return op->out_max == INT16_MAX || n == 0 ? 1 : n;
}

static void write_model(const cell_case *c, ob_text *text) {
    const ob_op *op = c->op;
    enum { INPUTS, CONSTANTS, NAMES, OUTPUTS, PARTS };
    ob_text part[PARTS];
    for (int i = 0; i < PARTS; i++) ob__text_init(&part[i], NULL), ob__text_puts(&part[i], "");
    write_operands(c, &part[INPUTS], &part[CONSTANTS], &part[NAMES]);
    for (uint32_t i = 0; i < count_outputs(c); i++) ob__text_printf(&part[OUTPUTS], "%so%u", i ? ", " : "", i);
    const char *dot = op->domain[0] ? "." : "";
    ob__text_printf(text, "<ir_version: 11, opset_import: [");
    if (op->domain[0]) ob__text_printf(text, "\"\" : 21, ");
    ob__text_printf(text, "\"%s\" : %d]>\ng (%s) => (%s)\n", op->domain, op->since, part[INPUTS].data, part[OUTPUTS].data);
    if (part[CONSTANTS].n) ob__text_printf(text, "  <%s>\n", part[CONSTANTS].data);
    ob__text_puts(text, "{\n  ");
    append_with_types(text, c->s->nodes, c);
    ob__text_printf(text, "\n  %s = %s%s%s ", part[OUTPUTS].data, op->domain, dot, op->name);
    if (c->s->attributes[0]) {
        ob__text_puts(text, "<");
        append_with_types(text, c->s->attributes, c);
        ob__text_puts(text, "> ");
    }
    ob__text_printf(text, "(%s)\n}\n", part[NAMES].data);
    for (int i = 0; i < PARTS; i++) ob__text_release(&part[i]);
}

/* ---- Running it --------------------------------------------------------------------------------------------------------- */

/* 1, 2, 3, 1 ...; strings are their digits. Types that nothing converts to hold zeros. */
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

/* The first sample decides, unless another one runs: attributes may depend on the type. */
static ob_status run_samples(cell_case *c, bool verbose, ob_error *error) {
    const sample *first = c->s;
    ob_status status = run_case(c, verbose, error);
    for (const sample *s = find_sample(c->op, first); s && status != OB_OK && status != OB_E_UNSUPPORTED;
         s = find_sample(c->op, s)) {
        ob_error other;
        c->s = s;
        if (run_case(c, verbose, &other) == OB_OK) status = OB_OK;
    }
    c->s = first;
    return status;
}

/* ---- Rows --------------------------------------------------------------------------------------------------------------- */

/* The types that a letter may have in this row, tensors only. */
static ob_types types_of(const ob_op *op, int letter) {
    return op->types[letter] & ((UINT64_C(1) << OB_DTYPE_COUNT) - 1);
}

/* What the others have while one is tried: what most operators take. */
static ob_dtype usual_type(ob_types types) {
    static const ob_dtype order[] = {OB_FLOAT, OB_INT64, OB_UINT8, OB_BOOL, OB_STRING};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (types >> order[i] & 1) return order[i];
    for (int type = 1; type < OB_DTYPE_COUNT; type++)
        if (types >> type & 1) return (ob_dtype)type;
    return OB_NONE;
}

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
        if (status == OB_OK || status == OB_E_UNSUPPORTED) continue;
        printf("%s-%d, %c = %s: %s\n", c->op->name, c->op->since, 'T' + letter, ob_dtype_name((ob_dtype)type), error.message);
        n_errors++;
    }
    c->types[letter] = usual;
    return refused;
}

static void print_row(ob_text *page, const ob_op *op, bool verbose) {
    cell_case c = {.op = op, .s = find_sample(op, NULL)};
    const char *by = ob__has_kernel(op) ? "kernel" : ob__body_of(op) ? "body" : "no";
    ob__text_printf(page, "| %s%s%s | %d | %s |", op->domain, op->domain[0] ? "." : "", op->name, op->since, by);
    if (!ob__has_kernel(op) && !ob__body_of(op)) {
        ob__text_puts(page, " | |\n");
        return;
    }
    if (!c.s) {
        printf("%s%s%s-%d runs and has no sample\n", op->domain, op->domain[0] ? "." : "", op->name, op->since);
        n_errors++;
        return;
    }
    ob_text refused;
    int n_run = 0, n_letters = 0;
    ob__text_init(&refused, NULL);
    ob__text_puts(&refused, "");
    for (int letter = 0; letter < LETTERS; letter++) c.types[letter] = usual_type(types_of(op, letter));
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
    ob__text_puts(&page, "# Element types\n\nWritten by `build/tests/types . --bless`, which runs a sample of every row "
                         "(`ops/*/samples.txt`) with every element "
                         "type that the\nspecification lists for it; do not edit. T, U, V, W are the type constraints of the row "
                         "in `ops/*/family.def`, in the "
                         "order of its signature.\n\n| operator | since | runs as | types that run | types that do not "
                         "|\n|---|---:|---|---:|---|\n");
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
