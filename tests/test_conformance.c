/* `conformance` detects planted errors: a test in ONNX's layout passes, and fails with one thing wrong. */
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model_text.h"
#include "onnx_broadcast/cell.h"
#include "onnx_broadcast/cell_file.h"
#include "onnx_broadcast/tensor_file.h"

/* y and z are tensors, s is a sequence of x. */
static const char model_text[] = "<ir_version: 8, opset_import: [\"\" : 17]>\n"
                                 "g (float[2] x) => (float[2] y, int64[2] z, seq(float[2]) s) {\n"
                                 " y = Neg (x)\n z = Cast <to = 7> (x)\n s = SequenceConstruct (x, x)\n}";

enum { OUTPUTS = 3, SETS = 2 };

typedef struct fault {
    const char *name;
    ob_dtype dtype; /* the declared type of y; its elements are float in any case */
    int32_t rank;
    int64_t dims[2];
    float y[2];
    int64_t z;       /* the last element of it */
    float item;      /* the last element of the last item of s */
    int n_items;     /* of s */
    int n_outputs;   /* files */
    const char *why; /* a part of the message; NULL: passes */
} fault;

#define RIGHT .dtype = OB_FLOAT, .rank = 1, .dims = {2}, .y = {-1, -2}, .z = 2, .item = 2, .n_items = 2, .n_outputs = OUTPUTS

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverride-init"
static const fault faults[] = {
    {RIGHT, .name = "nothing", .why = NULL},
    {RIGHT, .name = "float", .y = {-1, -2.01F}, .why = "output 0: 1 of 2 elements"},
    {RIGHT, .name = "nan", .y = {-1, __builtin_nanf("")}, .why = "output 0: 1 of 2 elements"},
    {RIGHT, .name = "integer", .z = 3, .why = "output 1: 1 of 2 elements"},
    {RIGHT, .name = "shape", .rank = 2, .dims = {1, 2}, .why = "output 0: shape [2], expected [1, 2]"},
    {RIGHT, .name = "size", .dims = {1}, .why = "output 0: shape [2], expected [1]"},
    {RIGHT, .name = "type", .dtype = OB_INT32, .why = "output 0: type float, expected int32"},
    {RIGHT, .name = "last", .item = 3, .why = "output 2: item 1"},
    {RIGHT, .name = "fewer", .n_items = 1, .why = "output 2: a sequence of 2, expected a sequence of 1"},
    {RIGHT, .name = "missing", .n_outputs = 2, .why = "results of 2 outputs are given, the model has 3"},
    {RIGHT, .name = "none", .n_outputs = 0, .why = "results of 0 outputs are given, the model has 3"},
    {RIGHT, .name = "more", .n_outputs = 4, .why = "results of 4 outputs are given, the model has 3"},
};
#pragma GCC diagnostic pop

static const char *const folder = OB_BINARY_DIR "/tests/planted";

static const char *in_set(const char *name, int set, const char *file) {
    static char path[1000];
    snprintf(path, sizeof path, "%s/%s/test_data_set_%d/%s", folder, name, set, file);
    return path;
}

static void write_tensor(const char *path, ob_dtype dtype, int32_t rank, const int64_t *dims, const void *elements) {
    ob_view view;
    ob_error error;
    assert_int_equal(ob_view_init(&view, (void *)(uintptr_t)elements, dtype, rank, dims), OB_OK);
    if (ob_tensor_file_write(path, NULL, &view, &error) != OB_OK) fail_msg("%s", error.message);
}

static void write_sequence(const char *path, int n, float last) {
    ob_cell *items[2] = {NULL}, *list = NULL;
    ob_error error;
    for (int i = 0; i < n; i++) {
        float x[2] = {1, i == n - 1 ? last : 2};
        ob_view view;
        assert_int_equal(ob_view_init(&view, x, OB_FLOAT, 1, (const int64_t[]){2}), OB_OK);
        assert_int_equal(ob_cell_tensor(&view, NULL, &items[i], NULL), OB_OK);
    }
    assert_int_equal(ob_cell_sequence(OB_FLOAT, (const ob_cell *const *)items, (size_t)n, NULL, &list, NULL), OB_OK);
    if (ob_cell_file_write(path, NULL, OB_TYPE_SEQUENCE, list, &error) != OB_OK) fail_msg("%s", error.message);
    for (int i = 0; i < n; i++) ob_cell_close(&items[i]);
    ob_cell_close(&list);
}

/* Only the last data set has the fault. */
static void write_test(const fault *f) {
    char path[1000];
    ob_error error;
    snprintf(path, sizeof path, "%s/%s", folder, f->name);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/%s/model.onnx", folder, f->name);
    ob_model *model = read_text(model_text);
    if (ob_model_save(model, path, OB_FORMAT_PROTOBUF, &error) != OB_OK) fail_msg("%s", error.message);
    ob_model_close(&model);
    for (int set = 0; set < SETS; set++) {
        static const int64_t two[1] = {2};
        const fault *now = set == SETS - 1 ? f : &faults[0];
        const float x[2] = {1, 2};
        const int64_t z[2] = {1, now->z};
        snprintf(path, sizeof path, "%s/%s/test_data_set_%d", folder, f->name, set);
        mkdir(path, 0777);
        for (int i = 0; i < OUTPUTS + 1; i++) {
            char file[30];
            snprintf(file, sizeof file, "output_%d.pb", i);
            unlink(in_set(f->name, set, file));
        }
        write_tensor(in_set(f->name, set, "input_0.pb"), OB_FLOAT, 1, two, x);
        if (now->n_outputs > 0) write_tensor(in_set(f->name, set, "output_0.pb"), now->dtype, now->rank, now->dims, now->y);
        if (now->n_outputs > 1) write_tensor(in_set(f->name, set, "output_1.pb"), OB_INT64, 1, two, z);
        if (now->n_outputs > 2) write_sequence(in_set(f->name, set, "output_2.pb"), now->n_items, now->item);
        if (now->n_outputs > 3) write_tensor(in_set(f->name, set, "output_3.pb"), OB_FLOAT, 1, two, x);
    }
}

static void judge(const char *name, char said[2000], int *status) {
    char command[3000];
    snprintf(command, sizeof command, OB_BINARY_DIR "/tests/conformance %s --list %s/list.txt --only %s", folder, folder, name);
    FILE *pipe = popen(command, "r"); // NOLINT
    assert_non_null(pipe);
    said[fread(said, 1, 1999, pipe)] = '\0';
    *status = pclose(pipe);
}

static void what_is_planted_is_found(void **state) {
    char list[1000];
    (void)state;
    mkdir(folder, 0777);
    snprintf(list, sizeof list, "%s/list.txt", folder);
    FILE *file = fopen(list, "w");
    assert_non_null(file);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) fprintf(file, "%s\n", faults[i].name);
    assert_int_equal(fclose(file), 0);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        char said[2000];
        int status;
        write_test(&faults[i]);
        judge(faults[i].name, said, &status);
        bool right = faults[i].why ? status != 0 && strstr(said, faults[i].why) && strstr(said, "WRONG") : status == 0;
        if (!right) fail_msg("%s: status %d: %s", faults[i].name, status, said);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_planted_is_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
