/* Broadcasting on plain C arrays, without any model: the algebra of shapes, views, loops over N operands, the elementwise
 * operators, assignment in place, XLA's explicit mapping, and an error.
 *
 *     $ cc -std=c11 -o plain_arrays main.c $(pkg-config --cflags --libs onnx_broadcast)
 *     $ ./plain_arrays */
#include <onnx_broadcast/onnx_broadcast.h>

#include <inttypes.h>
#include <stdio.h>

#define TRY(call) /* the steps below end at the first failure, main prints it */                                                 \
    do {                                                                                                                         \
        ob_status status_ = (call);                                                                                              \
        if (status_ != OB_OK) return status_;                                                                                    \
    } while (0)
#define DIMS(...) ((const int64_t[]){__VA_ARGS__})

static void print_floats(const char *label, const float *data, size_t n) {
    printf("%s:", label);
    for (size_t i = 0; i < n; i++) printf(" %.1f", (double)data[i]);
    printf("\n");
}

static void print_result(const char *label, const ob_dims *pool, const ob_broadcast_result *result) {
    char text[128];
    ob_shape_format(pool, &(ob_shape){result->rank, result->dims}, text, sizeof text);
    printf("%s gives %s\n", label, text);
}

static void print_view(const char *label, const ob_view *view) {
    printf("%s: %s", label, ob_dtype_name(view->dtype));
    for (int32_t i = 0; i < view->rank; i++) printf(" %" PRId64 " (stride %" PRId64 ")", view->dims[i], view->strides[i]);
    printf("\n");
}

/* Sizes are dims: an array of numbers is a shape. */
static ob_status shapes_of_numbers(ob_error *error) {
    const ob_shape shapes[] = {{4, DIMS(8, 1, 6, 1)}, {3, DIMS(7, 1, 5)}, {0, NULL}};
    ob_broadcast_result result;
    TRY(ob_broadcast_shapes(shapes, 3, NULL, NULL, NULL, &result, error));
    print_result("[8,1,6,1] with [7,1,5] with a scalar", NULL, &result);
    return OB_OK;
}

static ob_status print_condition(void *context, const ob_condition *condition, size_t operand, int32_t axis) {
    char text[128];
    ob_condition_format(context, condition, text, sizeof text);
    printf("  holds only if, operand %zu, axis %" PRId32 ": %s\n", operand, axis, text);
    return OB_OK;
}

/* Symbols are in a pool. Undecided requirements are returned as conditions. */
static ob_status shapes_of_symbols(ob_error *error) {
    ob_dims *pool = NULL;
    TRY(ob_dims_create(NULL, &pool));
    ob_dim n = ob_dim_symbol(pool, "N"), twice = ob_dim_mul(pool, n, 2);
    const ob_shape shapes[] = {{3, DIMS(twice, 1, n)}, {2, DIMS(4, 5)}};
    ob_broadcast_result result;
    ob_status status = ob_broadcast_shapes(shapes, 2, pool, print_condition, pool, &result, error);
    if (status == OB_OK) print_result("[2*N,1,N] with [4,5]", pool, &result);
    ob_dims_destroy(&pool);
    return status;
}

/* A broadcast operand is a view with stride 0; no element is copied. */
static ob_status views(ob_error *error) {
    float row[3] = {1, 2, 3};
    uint8_t column[2] = {10, 20};
    ob_view of_row, of_column, stretched, both[2];
    TRY(ob_view_init(&of_row, row, OB_FLOAT, 1, DIMS(3)));
    TRY(ob_view_init(&of_column, column, OB_UINT8, 2, DIMS(2, 1)));
    TRY(ob_view_broadcast(&of_row, 3, DIMS(4, 2, 3), &stretched, error));
    print_view("row to [4,2,3]", &stretched);
    /* ONNX's N-ary Broadcast: each view keeps its type, all get the common shape */
    TRY(ob_view_broadcast_all((ob_view[]){of_row, of_column}, 2, both, error));
    print_view("both, row", &both[0]);
    print_view("both, column", &both[1]);
    /* XLA's mapping: the position of each dimension, here the row's only one at dimension 0 */
    TRY(ob_view_broadcast_in_dim(&of_row, DIMS(0), 1, 2, DIMS(3, 2), &stretched, error));
    print_view("row in dimension 0 of [3,2]", &stretched);
    return OB_OK;
}

/* out = a * x + b in one pass: inputs first, the output last, one byte stride each. */
static void multiply_add(char *const *p, const int64_t *strides, int64_t n, const void *parameters) {
    (void)parameters;
    for (int64_t i = 0; i < n; i++) {
        const float *a = (const float *)(p[0] + i * strides[0]), *x = (const float *)(p[1] + i * strides[1]);
        const float *b = (const float *)(p[2] + i * strides[2]);
        *(float *)(p[3] + i * strides[3]) = *a * *x + *b;
    }
}

static ob_status own_loop(ob_error *error) {
    float a[2] = {10, 100}, x[6] = {1, 2, 3, 4, 5, 6}, b[3] = {0, 0.5f, 1}, y[6];
    ob_view in[3], out;
    TRY(ob_view_init(&in[0], a, OB_FLOAT, 2, DIMS(2, 1)));
    TRY(ob_view_init(&in[1], x, OB_FLOAT, 2, DIMS(2, 3)));
    TRY(ob_view_init(&in[2], b, OB_FLOAT, 1, DIMS(3)));
    TRY(ob_view_init(&out, y, OB_FLOAT, 2, DIMS(2, 3)));
    TRY(ob_for_each(in, 3, &out, 1, multiply_add, NULL, NULL, error));
    print_floats("a * x + b", y, 6);
    return OB_OK;
}

/* ONNX's operators by name: run directly, or planned once and run many times. */
static ob_status operators(ob_error *error) {
    float x[4] = {-2, -1, 3, 8}, limit[1] = {2}, y[4];
    ob_view in[2], out;
    TRY(ob_view_init(&in[0], x, OB_FLOAT, 1, DIMS(4)));
    TRY(ob_view_init(&in[1], limit, OB_FLOAT, 1, DIMS(1)));
    TRY(ob_elementwise_output("Min", 0, in, 2, NULL, 0, &out, error)); /* type and shape of the result */
    out.data = y;
    ob_elementwise_plan *plan = NULL;
    TRY(ob_elementwise_create("Min", 0, in, 2, NULL, 0, &out, NULL, &plan, error));
    ob_status status = ob_elementwise_run(plan, in, &out, error);
    if (status == OB_OK) print_floats("Min(x, 2)", y, 4);
    limit[0] = 0;
    if (status == OB_OK) status = ob_elementwise_run(plan, in, &out, error); /* the same shapes, other numbers */
    if (status == OB_OK) print_floats("Min(x, 0)", y, 4);
    ob_elementwise_destroy(&plan);
    const ob_option alpha = {.name = "alpha", .kind = OB_OPTION_REAL, .real = 0.5f};
    if (status == OB_OK) status = ob_elementwise("LeakyRelu", 0, in, 1, &alpha, 1, &in[0], error); /* in place */
    if (status == OB_OK) print_floats("LeakyRelu(x), in place", x, 4);
    return status;
}

/* x[...] = a stretches a, never x. If a does not fit, the error tells the place, and x does not change. */
static ob_status assignment(ob_error *error) {
    float x[6] = {0}, a[3] = {7, 8, 9};
    ob_view of_x, three, two;
    TRY(ob_view_init(&of_x, x, OB_FLOAT, 2, DIMS(2, 3)));
    TRY(ob_view_init(&three, a, OB_FLOAT, 1, DIMS(3)));
    TRY(ob_view_init(&two, a, OB_FLOAT, 1, DIMS(2)));
    TRY(ob_view_assign(&of_x, &three, error));
    print_floats("x[...] = a", x, 6);
    if (ob_view_assign(&of_x, &two, error) != OB_E_SHAPE) return OB_E_INTERNAL;
    printf("x[...] = two elements: %s\n", error->message); /* also as error->axis */
    return OB_OK;
}

int main(void) {
    ob_status (*const steps[])(ob_error *) = {shapes_of_numbers, shapes_of_symbols, views, own_loop, operators, assignment};
    ob_error error;
    ob_error_clear(&error);
    ob_status status = OB_OK;
    for (size_t i = 0; i < sizeof steps / sizeof *steps && status == OB_OK; i++) status = steps[i](&error);
    if (status != OB_OK) fprintf(stderr, "plain_arrays: %s\n", error.message[0] ? error.message : ob_status_text(status));
    return status == OB_OK ? 0 : 1;
}
