/* A size given before checking and the same size tested against the contract afterwards give the same answer: the contract of a
 * model at N = 3 admits the same sizes as the contract of the model checked for N = 3. Over all models on the machine. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "corpus.h"
#include "onnx_broadcast/onnx_broadcast.h"

enum { MAX_SYMBOLS = 12, NAME_BYTES = 128, TRIALS = 60, MAX_FIXED = 4 };

static const int64_t borders[] = {0, 1, 2, 3, 4, 5, 7, 8, 16, 31, 32, 33, 64, 80, 512, 513};
static const int64_t fixed_at[] = {3, 1, 32};
enum { N_BORDERS = sizeof borders / sizeof *borders, N_FIXED_AT = sizeof fixed_at / sizeof *fixed_at };

static size_t n_models, n_questions, n_admitted, n_excluded, n_wrong;
static uint64_t seed = 20261122;

static uint64_t next_random(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed * UINT64_C(0x2545F4914F6CDD1D) >> 16;
}

/* The number of open sizes of the model's inputs; 0 if there are none, or more than the limit. */
static size_t find_symbols(ob_report *report, char names[][NAME_BYTES]) {
    const ob_dims *dims = ob_report_dims(report);
    size_t n = 0;
    for (size_t i = 0; i < ob_report_value_count(report); i++) {
        ob_value_info value;
        assert_int_equal(ob_report_value(report, i, &value), OB_OK);
        if (strcmp(value.kind, "input") != 0 || value.path[0]) continue;
        for (int32_t k = 0; k < value.shape.rank; k++) {
            char name[NAME_BYTES];
            if (!ob_dim_is_term(value.shape.dims[k])) continue;
            if (ob_dim_format(dims, value.shape.dims[k], name, sizeof name) >= sizeof name) return 0;
            size_t j = 0;
            while (j < n && strcmp(names[j], name) != 0) j++;
            if (j < n) continue;
            if (n == MAX_SYMBOLS) return 0;
            memcpy(names[n++], name, sizeof name);
        }
    }
    return n;
}

static ob_report *check_for(const char *path, const char *symbol, int64_t size, ob_model **model) {
    const ob_named_size given = {.name = symbol, .size = size};
    ob_report *report = NULL;
    ob_check_options options;
    ob_check_options_init(&options);
    if (symbol) {
        options.dims = &given;
        options.n_dims = 1;
    }
    *model = NULL;
    if (ob_model_load(path, NULL, model, NULL) != OB_OK) return NULL;
    assert_int_equal(ob_check(*model, &options, &report, NULL), OB_OK);
    return report;
}

static void compare(const char *path, const ob_report *general, ob_contract_status general_status, char names[][NAME_BYTES],
                    size_t n, size_t which, int64_t size) {
    ob_model *model;
    ob_report *special = check_for(path, names[which], size, &model);
    assert_non_null(special);
    if (general_status == OB_CONTRACT_COMPLETE && ob_report_contract(special).status == OB_CONTRACT_PARTIAL) {
        print_error("%s: the contract is complete, and partial for %s = %lld\n", path, names[which], (long long)size);
        n_wrong++;
    }
    for (int trial = 0; trial < TRIALS; trial++) {
        ob_named_size all[MAX_SYMBOLS], rest[MAX_SYMBOLS];
        size_t n_rest = 0;
        for (size_t i = 0; i < n; i++) {
            all[i] = (ob_named_size){.name = names[i], .size = i == which ? size : borders[next_random() % N_BORDERS]};
            if (i != which) rest[n_rest++] = all[i];
        }
        ob_truth of_all, of_rest;
        size_t clause;
        assert_int_equal(ob_report_contract_holds(general, all, n, &of_all, &clause), OB_OK);
        assert_int_equal(ob_report_contract_holds(special, rest, n_rest, &of_rest, &clause), OB_OK);
        n_questions++;
        n_admitted += of_all == OB_TRUE;
        n_excluded += of_all == OB_FALSE;
        if (of_all == of_rest || of_all == OB_UNDECIDED || of_rest == OB_UNDECIDED) continue;
        if (n_wrong++ > 20) continue;
        print_error("%s: ", path);
        for (size_t i = 0; i < n; i++) print_error("%s = %lld ", all[i].name, (long long)all[i].size);
        print_error("is %s, and %s when %s is given first\n", of_all == OB_TRUE ? "admitted" : "excluded",
                    of_rest == OB_TRUE ? "admitted" : "excluded", names[which]);
    }
    ob_report_close(&special);
    ob_model_close(&model);
}

static void look_at(void *context, const char *path) {
    size_t *n_seen = context;
    char names[MAX_SYMBOLS][NAME_BYTES];
    ob_model *model;
    ob_report *general = check_for(path, NULL, 0, &model);
    ++*n_seen;
    if (general) {
        ob_contract_info info = ob_report_contract(general);
        size_t n = find_symbols(general, names);
        n_models += n > 0;
        for (size_t i = 0; i < n && i < MAX_FIXED; i++)
            for (int k = 0; k < N_FIXED_AT; k++) compare(path, general, info.status, names, n, i, fixed_at[k]);
    }
    ob_report_close(&general);
    ob_model_close(&model);
}

static void given_before_or_after(void **state) {
    (void)state;
    corpus_each_model(look_at);
    print_message("%zu models with open sizes, %zu questions: %zu admitted, %zu excluded\n", n_models, n_questions, n_admitted,
                  n_excluded);
    assert_int_equal(n_wrong, 0);
    assert_true(n_models > 0 && n_admitted > 0 && n_excluded > 0); /* the models of the project always exist */
}

int main(void) {
    static const struct CMUnitTest tests[] = {cmocka_unit_test(given_before_or_after)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
