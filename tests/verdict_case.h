/* Compares two answers for a node with given shapes: does the checker find an error, and does a session refuse to run it?
 *
 * A row names an operator and valid operands as a pattern, in the notation of infer_case.h: "f[N,C,H]; f[M,C,K]; f[M]?". A
 * capital letter is a size that is drawn for each trial, "4H" is a multiple of one. An operand with "?" is sometimes omitted.
 * Then some operands get a different size or type, one axis more or fewer, or different contents. Operands with contents
 * ("i[2]={3,1}") are initializers, the others inputs of constant shape. Both answers must agree in every trial. */
#ifndef OB_TESTS_VERDICT_CASE_H
#define OB_TESTS_VERDICT_CASE_H

#include "infer_case.h"

#include "build_model.h"
#include "onnx_broadcast/check.h"
#include "onnx_broadcast/session.h"

typedef struct verdict_row {
    const char *op_type;
    int64_t opset;
    uint32_t n_outputs;
    const char *operands, *attributes;
} verdict_row;

enum { VERDICT_OPERANDS = 14, VERDICT_RANK = 8, VERDICT_ELEMS = 16 };

/* A size of the pattern: a number, or a multiple of a letter, plus or minus a number. */
typedef struct verdict_size {
    int64_t factor;
    char letter; /* 0: none */
    int64_t more;
} verdict_size;

typedef struct verdict_operand {
    bool given;
    ob_dtype dtype;
    int32_t rank;
    verdict_size pattern[VERDICT_RANK], elem_pattern[VERDICT_ELEMS];
    int64_t dims[VERDICT_RANK];
    int64_t n_elems; /* of contents; -1: an input of the model */
    int64_t elems[VERDICT_ELEMS];
} verdict_operand;

typedef struct verdict_trial {
    const verdict_row *row;
    uint64_t seed;
    uint32_t n;
    verdict_operand operands[VERDICT_OPERANDS];
    char attributes[256];
    int64_t sizes[26];
} verdict_trial;

typedef struct verdict_tally {
    uint64_t n_sound, n_refused, n_unsupported, n_differ;
} verdict_tally;

/* ---- Drawing ---- */

static inline uint32_t draw(verdict_trial *t, uint32_t below) {
    t->seed = t->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(t->seed >> 33) % below;
}

static inline int64_t draw_size(verdict_trial *t) {
    static const int64_t likely[] = {0, 1, 1, 2, 2, 3, 3, 4};
    return likely[draw(t, sizeof likely / sizeof likely[0])];
}

static inline int64_t verdict_size_of(const verdict_trial *t, verdict_size size) {
    return size.letter ? size.factor * t->sizes[size.letter - 'A'] + size.more : size.factor;
}

/* "3", "N", "4N", "N-2" */
static inline verdict_size read_pattern_size(const char **at) {
    bool number = **at == '-' || (**at >= '0' && **at <= '9');
    char *end;
    verdict_size size = {number ? strtoll(*at, &end, 10) : 1, 0, 0};
    if (number) *at = end;
    if (**at >= 'A' && **at <= 'Z') size.letter = *(*at)++;
    if (size.letter && (**at == '+' || **at == '-')) {
        size.more = strtoll(*at, &end, 10);
        *at = end;
    }
    return size;
}

static inline int64_t read_pattern_sizes(const char **at, verdict_size *out, int64_t most) {
    int64_t n = 0;
    char close = *(*at)++ == '[' ? ']' : '}';
    while (**at != close) {
        assert_true(n < most);
        out[n++] = read_pattern_size(at);
        if (**at == ',') ++*at;
    }
    ++*at;
    return n;
}

/* The numbers of the pattern at the trial's sizes. */
static inline void resolve_operand(const verdict_trial *t, verdict_operand *o) {
    for (int32_t a = 0; a < o->rank; a++) o->dims[a] = verdict_size_of(t, o->pattern[a]);
    for (int64_t i = 0; i < o->n_elems; i++) o->elems[i] = verdict_size_of(t, o->elem_pattern[i]);
}

static inline void draw_operands(verdict_trial *t) {
    t->n = 0;
    for (const char *at = t->row->operands; *at; at += strspn(at, "; ")) {
        assert_true(t->n < VERDICT_OPERANDS);
        verdict_operand *o = &t->operands[t->n++];
        memset(o, 0, sizeof *o);
        o->n_elems = -1;
        if (*at == '-') {
            at++;
            continue;
        }
        const char *letter = strchr(type_letters, *at++);
        assert_non_null(letter);
        o->given = true;
        o->dtype = letter_types_[letter - type_letters];
        o->rank = (int32_t)read_pattern_sizes(&at, o->pattern, VERDICT_RANK);
        if (*at == '=') {
            at++;
            o->n_elems = read_pattern_sizes(&at, o->elem_pattern, VERDICT_ELEMS);
        }
        resolve_operand(t, o);
        if (*at != '?') continue;
        at++;
        o->given = draw(t, 4) != 0;
    }
}

/* Single letters become their sizes. */
static inline void draw_attributes(verdict_trial *t) {
    char *to = t->attributes;
    for (const char *at = t->row->attributes; *at;) {
        bool alone = at > t->row->attributes && *at >= 'A' && *at <= 'Z' && strchr("=[,", at[-1]) && strchr(",] ", at[1]);
        if (alone)
            to += sprintf(to, "%d", (int)t->sizes[*at++ - 'A']);
        else
            *to++ = *at++;
    }
    *to = '\0';
}

static inline void change_operand(verdict_trial *t) {
    verdict_operand *o = &t->operands[draw(t, t->n)];
    if (!o->given) return;
    uint32_t what = draw(t, 10);
    if (what == 9) { /* another type; inference follows contents of some types only */
        if (o->n_elems < 0) o->dtype = letter_types_[draw(t, sizeof letter_types_ / sizeof letter_types_[0])];
        return;
    }
    if (o->n_elems > 0 && what < 3) {
        uint32_t i = draw(t, (uint32_t)o->n_elems);
        o->elem_pattern[i] = (verdict_size){(int64_t)draw(t, 9) - 3, 0, 0};
    } else if (what < 5 && o->rank > 0) { /* another size */
        uint32_t axis = draw(t, (uint32_t)o->rank);
        o->pattern[axis] = (verdict_size){draw_size(t), 0, 0};
    } else if (what < 7 && o->rank > 0) { /* one axis fewer */
        int32_t axis = (int32_t)draw(t, (uint32_t)o->rank--);
        memmove(&o->pattern[axis], &o->pattern[axis + 1], (size_t)(o->rank - axis) * sizeof *o->pattern);
    } else if (o->rank + 1 < VERDICT_RANK) { /* one axis more */
        int32_t axis = (int32_t)draw(t, (uint32_t)++o->rank);
        memmove(&o->pattern[axis + 1], &o->pattern[axis], (size_t)(o->rank - 1 - axis) * sizeof *o->pattern);
        o->pattern[axis] = (verdict_size){what == 7 ? 1 : draw_size(t), 0, 0};
    }
    resolve_operand(t, o);
}

/* Contents get the number of elements of the shape; additional ones equal the first. */
static inline bool fit_contents(const verdict_trial *t, verdict_operand *o) {
    int64_t n = 1;
    for (int32_t a = 0; a < o->rank; a++) n *= o->dims[a];
    if (o->n_elems < 0 || !o->given) return true;
    if (n > VERDICT_ELEMS) return false;
    for (int64_t i = o->n_elems; i < n; i++) o->elem_pattern[i] = o->n_elems ? o->elem_pattern[0] : (verdict_size){0, 0, 0};
    o->n_elems = n;
    resolve_operand(t, o);
    return true;
}

/* ---- The model and its data ---- */

/* Ones avoid division by zero and indices beyond an axis of size 2; where contents must be small, 0. */
static inline void write_element(ob_dtype dtype, char *to, int64_t i, int64_t value) {
    static const ob_string text = {"1", 1};
    size_t width = ob_dtype_size(dtype);
    float single = (float)value;
    double real = (double)value;
    uint16_t half = value == 1 ? 0x3c00 : 0;
    to += (size_t)i * width;
    switch (dtype) {
    case OB_FLOAT: memcpy(to, &single, width); break;
    case OB_DOUBLE: memcpy(to, &real, width); break;
    case OB_FLOAT16: memcpy(to, &half, width); break;
    case OB_STRING: memcpy(to, &text, width); break;
    default: memcpy(to, &value, width); break; /* on a little-endian machine: the low bytes */
    }
}

static inline void *make_data(ob_model *model, const verdict_operand *o) {
    int64_t n = 1;
    for (int32_t a = 0; a < o->rank; a++) n *= o->dims[a];
    char *data = ob__arena_alloc(&model->arena, (size_t)(n ? n : 1) * ob_dtype_size(o->dtype));
    assert_non_null(data);
    bool index = o->dtype == OB_INT64 || o->dtype == OB_INT32;
    for (int64_t i = 0; i < n; i++) write_element(o->dtype, data, i, o->n_elems >= 0 ? o->elems[i] : index ? 0 : 1);
    return data;
}

/* The row's node in the main graph, with its outputs; the caller adds the operands. */
static inline ob_node *new_row_node(ob_model *model, const verdict_row *row, uint32_t n_inputs) {
    const char *colon = strchr(row->op_type, ':');
    char domain[64] = "";
    if (colon) {
        snprintf(domain, sizeof domain, "%.*s", (int)(colon - row->op_type), row->op_type);
        assert_true(ob__model_set_opset(model, domain, 1));
    }
    ob_node *node = ob__node_new(model->graph, NULL, domain, colon ? colon + 1 : row->op_type, n_inputs, row->n_outputs);
    assert_non_null(node);
    for (uint32_t i = 0; i < row->n_outputs; i++) {
        char name[16];
        snprintf(name, sizeof name, "y%u", i);
        ob__node_set_output(node, i, ob__value_new(model->graph, name));
        new_output(model, node->outputs[i]);
    }
    return node;
}

static inline void set_row_attributes(ob_node *node, const char *attributes) {
    for (const char *at = attributes; *at;) {
        size_t length = strcspn(at, " ");
        parse_attribute(node, at, length);
        at += length + strspn(at + length, " ");
    }
}

static inline ob_model *make_verdict_model(const verdict_trial *t, ob_view *inputs, size_t *n_inputs) {
    ob_model *model = new_model(t->row->opset);
    ob_node *node = new_row_node(model, t->row, t->n);
    *n_inputs = 0;
    for (uint32_t i = 0; i < t->n; i++) {
        const verdict_operand *o = &t->operands[i];
        char name[16], sizes[VERDICT_RANK * 24] = "";
        if (!o->given) continue;
        snprintf(name, sizeof name, "x%u", i);
        for (int32_t a = 0; a < o->rank; a++) sprintf(sizes + strlen(sizes), "%s%lld", a ? " " : "", (long long)o->dims[a]);
        void *data = make_data(model, o);
        if (o->n_elems >= 0) {
            node->inputs[i] = new_weight(model, ob__intern(model, name, strlen(name)), o->dtype, o->rank, o->dims, data);
            continue;
        }
        node->inputs[i] = new_input(model, name, o->dtype, sizes);
        assert_int_equal(ob_view_init(&inputs[*n_inputs], data, o->dtype, o->rank, o->dims), OB_OK);
        ++*n_inputs;
    }
    set_row_attributes(node, t->attributes);
    return model;
}

/* ---- Both answers ---- */

static inline size_t checker_errors(ob_model *model, char *message, size_t n_bytes) {
    ob_report *report = NULL;
    ob_error error;
    if (ob_check(model, NULL, &report, &error) != OB_OK) fail_msg("%s", error.message);
    size_t n = ob_report_get_summary(report).n_errors;
    message[0] = '\0';
    for (size_t i = 0; i < ob_report_finding_count(report); i++) {
        ob_finding_info finding;
        assert_int_equal(ob_report_finding(report, i, &finding), OB_OK);
        if (finding.severity == OB_SEVERITY_ERROR) snprintf(message, n_bytes, "%s %s", finding.id, finding.message);
    }
    ob_report_close(&report);
    return n;
}

static inline ob_status session_answer(const ob_model *model, bool optimize, const ob_view *inputs, size_t n_inputs,
                                       ob_error *error) {
    ob_session_config config;
    ob_session *session = NULL;
    ob_view outputs[VERDICT_OPERANDS] = {{0}};
    ob_session_config_init(&config);
    config.optimize = optimize;
    ob_status status = ob_session_create(model, &config, &session, error);
    if (status == OB_OK) status = ob_session_run(session, inputs, n_inputs, outputs, model->graph->n_outputs, error);
    ob_session_close(&session);
    return status;
}

static inline void print_trial(const verdict_trial *t) {
    printf("%s-%d (", t->row->op_type, (int)t->row->opset);
    for (uint32_t i = 0; i < t->n; i++) {
        const verdict_operand *o = &t->operands[i];
        printf("%s%s", i ? "; " : "", o->given ? "" : "-");
        if (!o->given) continue;
        printf("%s[", ob_dtype_name(o->dtype));
        for (int32_t a = 0; a < o->rank; a++) printf("%s%lld", a ? "," : "", (long long)o->dims[a]);
        printf("]");
        for (int64_t k = 0; k < o->n_elems; k++) printf("%s%lld", k ? "," : "={", (long long)o->elems[k]);
        if (o->n_elems > 0) printf("}");
    }
    printf(") %s\n", t->attributes);
}

static inline bool answers_agree(const verdict_trial *t, verdict_tally *tally) {
    ob_view inputs[VERDICT_OPERANDS];
    size_t n_inputs;
    char message[600];
    ob_model *model = make_verdict_model(t, inputs, &n_inputs);
    bool finds = checker_errors(model, message, sizeof message) > 0, agree = true;
    for (int optimize = 0; optimize < 2; optimize++) {
        ob_error error;
        ob_status status = session_answer(model, optimize, inputs, n_inputs, &error);
        bool refuses = status != OB_OK && status != OB_E_UNSUPPORTED;
        if (status == OB_E_UNSUPPORTED)
            tally->n_unsupported++;
        else if (refuses)
            tally->n_refused++;
        else
            tally->n_sound++;
        if (refuses == finds || (finds && status == OB_E_UNSUPPORTED)) continue;
        if (agree) {
            print_trial(t);
            printf("  checker: %s\n  session: %d %s\n", finds ? message : "sound", (int)status,
                   status == OB_OK ? "runs" : error.message);
        }
        agree = false;
    }
    ob_model_close(&model);
    return agree;
}

static inline void run_verdict_row(const verdict_row *row, uint32_t n_trials, verdict_tally *tally) {
    verdict_trial t = {.row = row, .seed = 20240607};
    verdict_tally own = {0};
    for (uint32_t trial = 0; trial < n_trials; trial++) {
        for (int letter = 0; letter < 26; letter++) t.sizes[letter] = draw(&t, 6) ? 1 + draw(&t, 3) : 0;
        draw_operands(&t);
        draw_attributes(&t);
        for (uint32_t n = draw(&t, 4); n > 0; n--) change_operand(&t);
        bool fits = true;
        for (uint32_t i = 0; i < t.n; i++) fits = fits && fit_contents(&t, &t.operands[i]);
        if (fits && !answers_agree(&t, &own)) own.n_differ++;
    }
    if (own.n_sound == 0 || own.n_refused == 0) {
        printf("%s-%d: %llu trials ran, %llu were refused: the row shows nothing\n", row->op_type, (int)row->opset,
               (unsigned long long)own.n_sound, (unsigned long long)own.n_refused);
        own.n_differ++;
    }
    if (own.n_differ) printf("%s-%d: %llu differ\n", row->op_type, (int)row->opset, (unsigned long long)own.n_differ);
    tally->n_sound += own.n_sound;
    tally->n_refused += own.n_refused;
    tally->n_unsupported += own.n_unsupported;
    tally->n_differ += own.n_differ;
}

#endif
