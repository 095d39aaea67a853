/* A stated contract, as a host and the checker read it from a file: a verdict or a message, the same twice; an additional size
 * never turns an exclusion into an admission; and a model that states the contract has the same check as one without. */
#include <string.h>

#include "fuzz.h"

static const ob_named_size sizes[] = {{"N", 3},     {"M", 1}, {"batch", 0}, {"length", 7}, {"x[0]", 3},
                                      {"x[1]", 12}, {"H", 5}, {"W", 224},   {"K", 1}};
enum { N_SIZES = sizeof sizes / sizeof sizes[0] };

static bool is_documented(ob_status status) {
    return status == OB_OK || status == OB_E_CONDITION || status == OB_E_FORMAT || status == OB_E_LIMIT;
}

static void test_sizes(const char *text) {
    bool excluded = false, admitted = false;
    for (size_t n = 0; n <= N_SIZES; n++) {
        ob_truth truth = OB_FALSE, again = OB_FALSE;
        ob_error error;
        ob_status status = ob_contract_check(text, sizes, n, &truth, &error);
        FUZZ_MUST(is_documented(status), "%s: %s", ob_status_text(status), error.message);
        FUZZ_MUST(status == OB_OK ? truth != OB_FALSE : error.message[0] && truth == OB_FALSE, "%s", ob_status_text(status));
        FUZZ_MUST(ob_contract_check(text, sizes, n, &again, NULL) == status && truth == again, "another verdict");
        FUZZ_MUST(!excluded || status == OB_E_CONDITION, "excluded with fewer sizes");
        FUZZ_MUST(!admitted || truth == OB_TRUE, "admitted with fewer sizes");
        excluded |= status == OB_E_CONDITION;
        admitted |= truth == OB_TRUE;
    }
}

static ob_contract_info check(const ob_model *model) {
    ob_model *copy = NULL;
    ob_report *report = NULL;
    ob_error error;
    ob_status status = ob_model_clone(model, &copy, &error);
    if (status == OB_OK) status = ob_check(copy, NULL, &report, &error);
    FUZZ_MUST(status == OB_OK, "%s: %s", ob_status_text(status), error.message);
    ob_contract_info info = ob_report_contract(report);
    ob_report_close(&report);
    ob_model_close(&copy);
    return info;
}

/* In the metadata of a model, where the text form can hold it. */
static void check_model(const char *text) {
    static const char head[] = "<ir_version: 8, opset_import: [\"\" : 17]",
                      key[] = ", metadata_props: [\"" OB_CONTRACT_KEY "\": \"",
                      body[] = "> g (float[N,?] x, float[M,3] y) => (float[K,H] z) { z = Add (x, y) }";
    size_t n = strlen(text), n_whole = 0;
    char *whole = malloc(sizeof head + sizeof key + 2 * n + 4 + sizeof body);
    ob_model *model = NULL;
    FUZZ_MUST(whole, "no memory");
    for (const char *at = head; *at; at++) whole[n_whole++] = *at;
    for (const char *at = key; *at; at++) whole[n_whole++] = *at;
    for (const char *at = text; *at; at++) {
        if (*at == '"' || *at == '\\') whole[n_whole++] = '\\';
        whole[n_whole++] = *at;
    }
    whole[n_whole++] = '"';
    whole[n_whole++] = ']';
    memcpy(whole + n_whole, body, sizeof body);
    if (ob_model_load_memory(whole, n_whole + sizeof body - 1, "stated", NULL, &model, NULL) == OB_OK) {
        const char *stated = ob_model_metadata(model, OB_CONTRACT_KEY);
        FUZZ_MUST(stated && strcmp(stated, text) == 0, "the metadata hold something else");
        ob_contract_info info = check(model);
        FUZZ_MUST(info.status == OB_CONTRACT_COMPLETE && info.n_clauses == 2 && info.n_conditions == 2, "%zu clauses of %zu",
                  info.n_clauses, info.n_conditions);
    }
    ob_model_close(&model);
    free(whole);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n) {
    char *text = malloc(n + 1);
    FUZZ_MUST(text, "no memory");
    if (n) memcpy(text, data, n);
    text[n] = '\0';
    test_sizes(text);
    check_model(text);
    free(text);
    return 0;
}
