/* Operands whose elements decide whether a run is refused: indices, lengths, labels. */
#include "model_text.h"

enum { MAX_TEXT = 2000 };

typedef struct asked {
    const char *what; /* inputs => outputs { nodes } */
    ob_contract_status status;
    const char *reason; /* of the first that is unverified; NULL: none */
} asked;

static void check_asked(const asked *row) {
    char text[MAX_TEXT];
    snprintf(text, sizeof text, "<ir_version: 10, opset_import: [\"\": 22, \"ai.onnx.ml\": 5, \"com.microsoft\": 1]> g %s",
             row->what);
    ob_model *model = read_text(text);
    ob_report *report = check_model(model);
    const ob_contract_info contract = ob_report_contract(report);
    ob_unverified_info first = {.reason = ""};
    (void)ob_report_unverified(report, 0, &first);
    if (contract.status != row->status || strcmp(first.reason, row->reason ? row->reason : "") != 0)
        fail_msg("%s: %s, %s", row->what, ob_contract_status_name(contract.status), first.reason);
    ob_report_close(&report);
    ob_model_close(&model);
}

static void check_all(const asked *rows, size_t n) {
    for (size_t i = 0; i < n; i++) check_asked(&rows[i]);
}

static void places_of_unpooling(void **state) {
    (void)state;
    static const asked rows[] = {
        {"(float[1,1,2,2] x, float[1,1,2,2] f) => (float[1,1,4,4] y) { i = ArgMax <axis = 0> (f) "
         "y = MaxUnpool <kernel_shape = [2,2], strides = [2,2]> (x, i) }",
         OB_CONTRACT_COMPLETE, NULL},
        {"(float[1,1,2,2] x) => (float[1,1,4,4] y) { i = Constant <value = int64[1,1,2,2]{0,1,14,15}> () "
         "y = MaxUnpool <kernel_shape = [2,2], strides = [2,2]> (x, i) }",
         OB_CONTRACT_COMPLETE, NULL},
        {"(float[1,1,2,2] x) => (float[1,1,4,4] y) { i = Constant <value = int64[1,1,2,2]{0,1,14,16}> () "
         "y = MaxUnpool <kernel_shape = [2,2], strides = [2,2]> (x, i) }",
         OB_CONTRACT_CONTRADICTORY, NULL},
        {"(float[1,1,2,2] x) => (float[1,1,4,4] y) { i = Constant <value = int64[1,1,2,2]{0,-1,14,15}> () "
         "y = MaxUnpool <kernel_shape = [2,2], strides = [2,2]> (x, i) }",
         OB_CONTRACT_CONTRADICTORY, NULL},
        {"(float[1,1,2,2] x, float[1,1,2,2] f) => (float[1,1,4,4] y) { i = Cast <to = 7> (f) "
         "y = MaxUnpool <kernel_shape = [2,2], strides = [2,2]> (x, i) }",
         OB_CONTRACT_PARTIAL, "indices depend on data"},
        /* a result that is smaller than what indices count over */
        {"(float[1,1,2,2] x) => (float[1,1,3,4] y) { i = Constant <value = int64[1,1,2,2]{0,1,2,3}> () "
         "s = Constant <value = int64[4]{1,1,3,4}> () y = MaxUnpool <kernel_shape = [2,2], strides = [2,2]> (x, i, s) }",
         OB_CONTRACT_PARTIAL, "indices depend on data"},
        /* nothing is placed */
        {"(float[1,0,2,2] x, float[1,0,2,2] f) => (float[1,0,4,4] y) { i = Cast <to = 7> (f) "
         "y = MaxUnpool <kernel_shape = [2,2], strides = [2,2]> (x, i) }",
         OB_CONTRACT_COMPLETE, NULL},
    };
    check_all(rows, sizeof rows / sizeof *rows);
}

static void images_of_regions(void **state) {
    (void)state;
    static const asked rows[] = {
        {"(float[2,3,8,8] x, float[3,4] r) => (y) { i = Constant <value = int64[3]{0,1,0}> () y = RoiAlign (x, r, i) }",
         OB_CONTRACT_COMPLETE, NULL},
        {"(float[2,3,8,8] x, float[3,4] r) => (y) { i = Constant <value = int64[3]{0,2,0}> () y = RoiAlign (x, r, i) }",
         OB_CONTRACT_CONTRADICTORY, NULL},
        {"(float[2,3,8,8] x, float[3,4] r) => (y) { i = Constant <value = int64[3]{0,-1,0}> () y = RoiAlign (x, r, i) }",
         OB_CONTRACT_CONTRADICTORY, NULL},
        {"(float[2,3,8,8] x, float[3,4] r, float[3] f) => (y) { i = Cast <to = 7> (f) y = RoiAlign (x, r, i) }",
         OB_CONTRACT_PARTIAL, "the images of regions depend on data"},
        {"(float[2,3,8,8] x, float[0,4] r, float[0] f) => (y) { i = Cast <to = 7> (f) y = RoiAlign (x, r, i) }",
         OB_CONTRACT_COMPLETE, NULL},
        {"(float[2,0,8,8] x, float[3,4] r, float[3] f) => (y) { i = Cast <to = 7> (f) y = RoiAlign (x, r, i) }",
         OB_CONTRACT_COMPLETE, NULL},
        {"(float[2,3,8,8] x, float[3,5] r) => (y) { y = MaxRoiPool <pooled_shape = [2,2]> (x, r) }", OB_CONTRACT_PARTIAL,
         "the images of regions depend on data"},
        {"(float[2,3,8,8] x, float[0,5] r) => (y) { y = MaxRoiPool <pooled_shape = [2,2]> (x, r) }", OB_CONTRACT_COMPLETE, NULL},
    };
    check_all(rows, sizeof rows / sizeof *rows);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(places_of_unpooling), cmocka_unit_test(images_of_regions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
