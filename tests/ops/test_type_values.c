/* Every row of the operator table gives the same numbers with each element type as with the usual one: samples of
 * ops/FAMILY/samples.txt with the operands 1, 2 and 3, which all types except the narrowest can hold. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/graph/cell.h"
#include "ops/body/body.h"
#include "ops/kernel/common.h"
#include "ops/kernel/kernel.h"
#include "samples.h"

enum { MAX_OPERANDS = 24, ELEMENT_BYTES = 16, MOST = 4096 };

typedef struct results {
    size_t n_outputs, n[MAX_OUTPUTS];
    ob_dtype types[MAX_OUTPUTS];
    double *numbers[MAX_OUTPUTS]; /* NULL: not a tensor of numbers */
} results;

static const struct {
    const char *name, *why;
} exempt[] = {
    {"BitwiseNot", "the bits above those of 1, 2 and 3 are the type's"},
    {"LabelEncoder", "what stands for an unknown key is the type's"},
    {"MaxRoiPool", "elements of its constant are codes, where the type is a narrow float"},
    {"OneHot", "elements of its constant are codes, where the type is a narrow float"},
};

static bool is_exempt(const ob_op *op) {
    for (size_t i = 0; i < sizeof exempt / sizeof exempt[0]; i++)
        if (strcmp(exempt[i].name, op->name) == 0) return true;
    return false;
}

/* Types that cannot hold 1, 2 and 3, or are not numbers. */
static bool comparable(ob_dtype type) {
    return type != OB_STRING && type != OB_BOOL && type != OB_INT2 && type != OB_FLOAT8E8M0;
}

static double unit_of(ob_dtype type) {
    switch (type) {
    case OB_DOUBLE:
    case OB_COMPLEX128:
    case OB_FLOAT:
    case OB_COMPLEX64: return 1e-5;
    case OB_FLOAT16: return 4e-3;
    case OB_BFLOAT16: return 3e-2;
    case OB_FLOAT8E4M3FN:
    case OB_FLOAT8E4M3FNUZ: return 0.125;
    case OB_FLOAT8E5M2:
    case OB_FLOAT8E5M2FNUZ: return 0.25;
    case OB_FLOAT4E2M1: return 0.5;
    default: return 0;
    }
}

static void release(results *r) {
    for (size_t i = 0; i < r->n_outputs; i++) free(r->numbers[i]);
    *r = (results){0};
}

/* That of the real part. */
static ob_dtype real_type(ob_dtype type) {
    return type == OB_COMPLEX64 ? OB_FLOAT : type == OB_COMPLEX128 ? OB_DOUBLE : type;
}

static void fill(ob_view *view) {
    static const ob_string digits[] = {{"1", 1}, {"2", 1}, {"3", 1}};
    const int64_t n = ob_view_count(view);
    const size_t width = ob_dtype_size(view->dtype);
    char *elements = must(calloc((size_t)n + 1, ELEMENT_BYTES));
    for (int64_t i = 0; i < n; i++) {
        const float number = (float)(i % 3 + 1);
        if (view->dtype == OB_STRING)
            ((ob_string *)(void *)elements)[i] = digits[i % 3];
        else
            (void)ob__convert(elements + (size_t)i * width, real_type(view->dtype), &number, OB_FLOAT, 1, NULL);
    }
    view->data = elements;
}

static void keep(results *r, size_t i, const ob_view *view) {
    r->types[i] = view->dtype;
    if (view->dtype == OB_NONE || view->dtype == OB_STRING) return;
    r->n[i] = (size_t)ob_view_count(view);
    r->numbers[i] = must(calloc(r->n[i] + 1, sizeof(double)));
    for (size_t k = 0; k < r->n[i]; k++)
        (void)ob__convert(&r->numbers[i][k], OB_DOUBLE, (const char *)view->data + k * ob_dtype_size(view->dtype),
                          real_type(view->dtype), 1, NULL);
}

static ob_status run_case(const cell_case *c, results *r) {
    ob_view inputs[MAX_OPERANDS], outputs[MAX_OUTPUTS] = {0};
    const ob_cell *cells[MAX_OUTPUTS];
    ob_text text;
    ob_error error;
    ob_model *model = NULL;
    ob_session *session = NULL;
    ob_load_options options;
    size_t made = 0, n = 0;
    *r = (results){0};
    ob__text_init(&text, NULL);
    write_model(c, &text);
    ob_load_options_init(&options);
    options.format = OB_FORMAT_TEXT;
    ob_status status = ob_model_load_memory(text.data, text.n, "sample", &options, &model, &error);
    if (status == OB_OK) status = ob_session_create(model, NULL, &session, &error);
    if (status == OB_OK) n = ob_session_input_count(session);
    for (; made < n && status == OB_OK; made++) {
        status = ob_session_input_view(session, made, NULL, &inputs[made], &error);
        if (status == OB_OK) fill(&inputs[made]);
    }
    const size_t n_outputs = status == OB_OK ? ob_session_output_count(session) : 0;
    if (status == OB_OK) status = ob_session_run_cells(session, inputs, NULL, n, outputs, cells, n_outputs, &error);
    if (status == OB_OK) r->n_outputs = n_outputs;
    for (size_t i = 0; i < r->n_outputs; i++) keep(r, i, &outputs[i]);
    for (size_t i = 0; i < made; i++) free(inputs[i].data);
    ob_session_close(&session);
    ob_model_close(&model);
    ob__text_release(&text);
    return status;
}

/* An integer type truncates fractions; a narrow type rounds to its range. */
static bool same_number(double got, double want, ob_dtype result, ob_dtype computed, ob_dtype usual) {
    const double unit = fmax(fmax(unit_of(computed), unit_of(usual)), unit_of(result));
    if (isnan(got) && isnan(want)) return true;
    if (got == want) return true;
    if (ob_dtype_file_bits(result) < 8 && fabs(want) > 3) return true;
    if (unit_of(result) == 0) return fabs(got - want) < 1;
    return fabs(got - want) <= unit * fmax(1, fabs(want));
}

static int compare(const cell_case *c, int letter, ob_dtype usual, const results *want, const results *got) {
    for (size_t i = 0; i < want->n_outputs; i++) {
        if (!want->numbers[i] || !got->numbers[i] || got->types[i] == OB_BOOL || want->types[i] == OB_BOOL) continue;
        if (!comparable(got->types[i]) || !comparable(want->types[i])) continue;
        for (size_t k = 0; k < want->n[i]; k++) {
            if (got->n[i] == want->n[i] &&
                same_number(got->numbers[i][k], want->numbers[i][k], got->types[i], c->types[letter], usual))
                continue;
            print_error("%s-%d, %c = %s: result %zu, element %zu of %zu: %.9g (%s), with %s %.9g (%s)\n", c->op->name,
                        c->op->since, 'T' + letter, ob_dtype_name(c->types[letter]), i, k, got->n[i], got->numbers[i][k],
                        ob_dtype_name(got->types[i]), ob_dtype_name(usual), want->numbers[i][k], ob_dtype_name(want->types[i]));
            return 1;
        }
    }
    return 0;
}

static int check_row(const ob_op *op, int *n_compared) {
    cell_case c;
    results want, got;
    int n_wrong = 0;
    if (op->deprecated || (!ob__has_kernel(op) && !ob__body_of(op)) || is_exempt(op) || !usual_case(op, &c)) return 0;
    if (run_case(&c, &want) != OB_OK) return 0;
    for (int letter = 0; letter < LETTERS; letter++) {
        const ob_dtype usual = c.types[letter];
        const ob_types types = types_of(op, letter);
        if (!types || !decides(&c, letter) || !comparable(usual)) continue;
        for (int type = 1; type < OB_DTYPE_COUNT; type++) {
            if (!(types >> type & 1) || (ob_dtype)type == usual || !comparable((ob_dtype)type)) continue;
            c.types[letter] = (ob_dtype)type;
            if (run_case(&c, &got) == OB_OK) {
                n_wrong += compare(&c, letter, usual, &want, &got);
                ++*n_compared;
            }
            release(&got);
        }
        c.types[letter] = usual;
    }
    release(&want);
    return n_wrong;
}

static void types_compute_the_same(void **state) {
    int n_wrong = 0, n_compared = 0;
    (void)state;
    read_folders(OB_SOURCE_DIR);
    for (size_t i = 0; i < ob__op_count(); i++) n_wrong += check_row(ob__op_at(i), &n_compared);
    print_message("%d calls compared\n", n_compared);
    assert_true(n_compared > 3000);
    assert_int_equal(n_wrong, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(types_compute_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
