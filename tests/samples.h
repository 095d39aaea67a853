/* Samples: a line of text for every operator, as a model of one node in a chosen element type.
 *
 * The samples are in ops/FAMILY/samples.txt. A line is for one operator or several. The first line that matches is used; if it
 * fails, the next ones are tried:
 *
 *     NAME[, NAME...] [FIRST][-][LAST] | OPERANDS | ATTRIBUTES | NODES
 *
 * FIRST and LAST are opsets; a name of another domain includes the domain. Operands are separated by ";". "[2,3]" is a tensor of
 * small numbers, of the type in the row's signature; "[]" has rank 0; "[2]{1,2}" is a constant; "float[2]" has that type,
 * regardless of the row; "-" is omitted; a name is a result of NODES, which come before the operator. "=> N" after the operands:
 * only N outputs. Attributes have ONNX's text form. In attributes and NODES, $T is the number and @T the name of the type of
 * letter T in the signature, and %T is an element of that type. */
#ifndef OB_TESTS_SAMPLES_H
#define OB_TESTS_SAMPLES_H

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/graph/types.h"
#include "onnx_broadcast/onnx_broadcast.h"
#include "ops/kernel/common.h"
#include "ops/table/op.h"

enum { MAX_OUTPUTS = 24, MAX_FIELD = 4096, LETTERS = 4 };

/* ---- Samples ---- */

typedef struct sample {
    char *names, *operands, *attributes, *nodes;
    int64_t first, last;
    uint32_t n_outputs; /* 0: all outputs of the signature */
    bool used;
    struct sample *next;
} sample;

static sample *samples;
static int n_errors; /* messages are printed */

static inline char *trimmed(char *s) {
    while (isspace((unsigned char)*s)) s++;
    for (size_t n = strlen(s); n > 0 && isspace((unsigned char)s[n - 1]); n--) s[n - 1] = '\0';
    return s;
}

static inline char *next_field(char **rest, char separator) {
    char *field = *rest;
    if (!field) return (char *)"";
    *rest = strchr(field, separator);
    if (*rest) *(*rest)++ = '\0';
    return trimmed(field);
}

static inline bool read_opsets(sample *s) {
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

/* "=> N" after the operands. */
static inline void read_outputs(sample *s) {
    char *arrow = strstr(s->operands, "=>");
    if (!arrow) return;
    *arrow = '\0';
    s->operands = trimmed(s->operands);
    s->n_outputs = (uint32_t)strtoul(arrow + 2, NULL, 10);
}

static inline void *must(void *memory) {
    if (memory) return memory;
    fprintf(stderr, "no memory\n");
    exit(2);
}

static inline void read_samples(const char *path) {
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

static inline void read_folders(const char *source) {
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

static inline bool names_it(const char *names, const char *name) {
    size_t length = strlen(name);
    for (const char *at = names; (at = strstr(at, name)); at++)
        if ((at == names || at[-1] == ' ' || at[-1] == ',') && (at[length] == ',' || at[length] == '\0')) return true;
    return false;
}

/* The operator's next sample after `before`, or its first one for NULL. */
static inline const sample *find_sample(const ob_op *op, const sample *before) {
    char name[200];
    snprintf(name, sizeof name, "%s%s%s", op->domain, op->domain[0] ? "." : "", op->name);
    for (sample *s = before ? before->next : samples; s; s = s->next)
        if (op->since >= s->first && op->since <= s->last && names_it(s->names, name)) {
            s->used = true;
            return s;
        }
    return NULL;
}

/* ---- A sample as a model ---- */

typedef struct cell_case {
    const ob_op *op;
    const sample *s;
    ob_dtype types[LETTERS]; /* of 'T', 'U', 'V', 'W' */
} cell_case;

/* The bits of 1 in a float of one or two bytes. */
static inline unsigned code_of_one(ob_dtype type) {
    const float one = 1;
    uint8_t byte = 0;
    uint16_t word = 0;
    if (ob_dtype_size(type) == 2)
        (void)ob__convert(&word, type, &one, OB_FLOAT, 1, NULL);
    else
        (void)ob__convert(&byte, type, &one, OB_FLOAT, 1, NULL);
    return word | byte;
}

/* The number 1 in a list of the text form; narrow floats are written as their bits. */
static inline void put_element(ob_text *to, ob_dtype type) {
    if (type == OB_STRING)
        ob__text_puts(to, "\"1\"");
    else if (type == OB_FLOAT || type == OB_DOUBLE)
        ob__text_puts(to, "1.0");
    else if (type == OB_COMPLEX64 || type == OB_COMPLEX128)
        ob__text_puts(to, "1, 0");
    else
        ob__text_printf(to, "%u", ob__dtype_is_float(type) ? code_of_one(type) : 1);
}

/* `from` with $T, @T and %T replaced. */
static inline void append_with_types(ob_text *to, const char *from, const cell_case *c) {
    for (; *from; from++) {
        bool is_type = strchr("$@%", *from) && from[1] >= 'T' && from[1] < 'T' + LETTERS;
        if (!is_type) {
            ob__text_append(to, from, 1);
            continue;
        }
        ob_dtype type = c->types[from[1] - 'T'];
        if (*from == '$')
            ob__text_printf(to, "%d", (int)type);
        else if (*from == '@')
            ob__text_puts(to, ob_dtype_name(type));
        else
            put_element(to, type);
        from++;
    }
}

static inline ob_dtype operand_type(const cell_case *c, uint32_t index) {
    bool homogeneous;
    char letter = ob__op_input_letter(c->op, index, &homogeneous);
    if (letter >= 'T' && letter < 'T' + LETTERS) return c->types[letter - 'T'];
    ob_types types = ob__op_input_types(c->op, index);
    if (types >> OB_FLOAT & 1) return OB_FLOAT;
    for (int type = 1; type < OB_DTYPE_COUNT; type++)
        if (types >> type & 1) return (ob_dtype)type;
    return OB_FLOAT;
}

/* Writes the inputs, the constants and the node's list of operand names. */
static inline void write_operands(const cell_case *c, ob_text *inputs, ob_text *constants, ob_text *names) {
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
        bool scalar = bracket[1] == ']'; /* a scalar is a type without brackets in the text form */
        if (!scalar) ob__text_append(to, bracket, contents ? (size_t)(contents - bracket) : strlen(bracket));
        ob__text_printf(to, " i%u", i);
        if (contents) ob__text_printf(to, " = %s", contents);
        ob__text_printf(names, "i%u", i);
    }
    free(all);
}

/* 0 to LETTERS - 1 for output `index`, else -1. */
static inline int output_letter(const ob_op *op, uint32_t index) {
    const char *at = strchr(op->signature, '>') + 1;
    for (uint32_t i = 0; *at; at++) {
        if (strchr("?*~", *at)) continue;
        if (i++ == index || at[1] == '*') return *at >= 'T' && *at < 'T' + LETTERS ? *at - 'T' : -1;
    }
    return -1;
}

static inline bool mentions(const char *text, char letter) {
    for (; *text; text++)
        if (strchr("$@%", *text) && text[1] == letter) return true;
    return false;
}

/* Does the sample itself give the type of the letter? */
static inline bool decides(const cell_case *c, int letter) {
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

static inline uint32_t count_outputs(const cell_case *c) {
    const ob_op *op = c->op;
    uint32_t n = 0;
    if (c->s->n_outputs) return c->s->n_outputs;
    while (n < MAX_OUTPUTS && ob__op_output_types(op, n)) n++;
    return op->out_max == INT16_MAX || n == 0 ? 1 : n;
}

static inline void write_model(const cell_case *c, ob_text *text) {
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

/* The types that a letter may have in this row, tensors only. */
static inline ob_types types_of(const ob_op *op, int letter) {
    return op->types[letter] & ((UINT64_C(1) << OB_DTYPE_COUNT) - 1);
}

/* The type of the other letters while one is tried: a type that most operators accept. */
static inline ob_dtype usual_type(ob_types types) {
    static const ob_dtype order[] = {OB_FLOAT, OB_INT64, OB_UINT8, OB_BOOL, OB_STRING};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (types >> order[i] & 1) return order[i];
    for (int type = 1; type < OB_DTYPE_COUNT; type++)
        if (types >> type & 1) return (ob_dtype)type;
    return OB_NONE;
}

/* The case of an operator with types that most operators accept; false: it has no sample. */
static inline bool usual_case(const ob_op *op, cell_case *out) {
    *out = (cell_case){.op = op, .s = find_sample(op, NULL)};
    for (int letter = 0; letter < LETTERS; letter++) out->types[letter] = usual_type(types_of(op, letter));
    return out->s;
}

#endif
