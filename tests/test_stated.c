/* The contract that a rewritten model carries in its metadata: what the checker finds, in every form, and what becomes of it. */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model_text.h"
#include "variants.h"

#define HEAD      "<ir_version: 8, opset_import: [\"\" : 17]"
#define TWO_SIZES "> g (float[N,3] x, float[M,?] y) => (float[K,L] z) { z = Add(x, y) }"

/* The report's clauses in the order and words of the report. */
static void contract_of(ob_model *model, ob_text *text, size_t *n_differs, size_t *n_clauses) {
    ob_report *report = NULL;
    ob_error error;
    if (ob_check(model, NULL, &report, &error) != OB_OK) fail_msg("%s", error.message);
    ob_contract_info info = ob_report_contract(report);
    ob__text_printf(text, "version: 1\nstatus: %s", ob_contract_status_name(info.status));
    for (size_t i = 0; i < info.n_clauses + info.n_limits; i++) {
        ob_clause_info clause;
        assert_int_equal(ob_report_clause(report, i, &clause), OB_OK);
        ob__text_printf(text, "\n%s", clause.text);
    }
    *n_differs = 0;
    *n_clauses = info.n_clauses;
    for (size_t i = 0; i < ob_report_finding_count(report); i++) {
        ob_finding_info finding;
        assert_int_equal(ob_report_finding(report, i, &finding), OB_OK);
        *n_differs += strcmp(finding.id, "OB0504") == 0;
    }
    ob_report_close(&report);
}

/* ---- Models in every form --------------------------------------------------------------------------------------------- */

static size_t try_model(const ob_model *model, const char *name) {
    size_t n_forms = 0, n_differs, n_clauses;
    for (int form = 0; form < OB_FORM_COUNT; form++) {
        byte_buffer first = {0}, second = {0};
        ob_model *made = NULL, *again = NULL;
        ob_error error;
        ob_text text;
        ob_error_clear(&error);
        if (make_variant(model, (ob_form)form, &first, &made, &error) == OB_OK) {
            ob__text_init(&text, NULL);
            contract_of(made, &text, &n_differs, &n_clauses);
            const char *stated = ob_model_metadata(made, OB_CONTRACT_KEY);
            if (!stated || strcmp(stated, text.data) != 0)
                fail_msg("%s as %s: found %s; stated %s", name, ob_form_name((ob_form)form), text.data,
                         stated ? stated : "nothing");
            assert_int_equal(n_differs, 0);
            /* The same bytes every time, and when it is rewritten again. */
            assert_int_equal(make_variant(made, (ob_form)form, &second, &again, &error), OB_OK);
            if (first.n != second.n || memcmp(first.data, second.data, first.n) != 0)
                fail_msg("%s as %s: other bytes when rewritten again", name, ob_form_name((ob_form)form));
            ob__text_release(&text);
            n_forms++;
        }
        ob_model_close(&again);
        ob_model_close(&made);
        free(first.data);
        free(second.data);
    }
    return n_forms;
}

static bool ends_with(const char *text, const char *end) {
    size_t n = strlen(text), k = strlen(end);
    return n > k && strcmp(text + n - k, end) == 0;
}

static size_t try_folder(const char *folder) {
    size_t n_forms = 0;
    DIR *directory = opendir(folder);
    if (!directory) return 0;
    for (const struct dirent *entry = readdir(directory); entry; entry = readdir(directory)) {
        char path[1000];
        ob_model *model = NULL;
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (!ends_with(entry->d_name, ".onnx")) snprintf(path, sizeof path, "%s/%s/model.onnx", folder, entry->d_name);
        if (ob_model_load(path, NULL, &model, NULL) != OB_OK) continue;
        n_forms += try_model(model, path);
        ob_model_close(&model);
    }
    closedir(directory);
    return n_forms;
}

static void every_form_states_what_is_found(void **state) {
    (void)state;
    size_t n = try_folder(OB_SOURCE_DIR "/models");
    assert_true(n >= 20);
    const char *shared = getenv("OB_SHARED");
    char folder[900];
    snprintf(folder, sizeof folder, "%s/models", shared ? shared : OB_SOURCE_DIR "/absent");
    n += try_folder(folder);
    snprintf(folder, sizeof folder, "%s/onnx-tests/light", shared ? shared : OB_SOURCE_DIR "/absent");
    n += try_folder(folder);
    print_message("%zu rewritten models\n", n);
}

/* ---- The entry ------------------------------------------------------------------------------------------------------ */

static const char two_sizes[] = "version: 1\nstatus: complete\nN = M or N = 1 or M = 1\ny[1] in {1, 3}";

static void other_entries_stay(void **state) {
    (void)state;
    ob_model *model = read_text(HEAD ", metadata_props: [\"a\": \"1\", \"onnx_broadcast.contract\": \"old\", \"b\": \"2\","
                                     " \"onnx_broadcast.contract\": \"older\", \"c\": \"3\"]" TWO_SIZES);
    assert_string_equal(ob_model_metadata(model, OB_CONTRACT_KEY), "old");
    assert_int_equal(ob_rewrite(model, OB_FORM_EXPAND, NULL, NULL, NULL), OB_OK);
    assert_string_equal(ob_model_metadata(model, "a"), "1");
    assert_string_equal(ob_model_metadata(model, "b"), "2");
    assert_string_equal(ob_model_metadata(model, "c"), "3");
    assert_null(ob_model_metadata(model, "d"));
    assert_null(ob_model_metadata(model, NULL));
    assert_null(ob_model_metadata(NULL, "a"));
    byte_buffer bytes = {0};
    assert_int_equal(ob_model_write(model, OB_FORMAT_TEXT, append_bytes, &bytes, NULL), OB_OK);
    assert_int_equal(append_bytes(&bytes, "", 1), OB_OK);
    assert_non_null(strstr(bytes.data, "metadata_props: [\"a\": \"1\", \"onnx_broadcast.contract\": \"version: 1\n"));
    assert_non_null(strstr(bytes.data, "\", \"b\": \"2\", \"c\": \"3\"]"));
    free(bytes.data);
    ob_model_close(&model);
}

static ob_status stop_behind(void *context, const char *pass, const ob_model *model) {
    (void)model;
    return strcmp(pass, context) == 0 ? OB_E_CANCELLED : OB_OK;
}

static void a_rewriting_that_fails_leaves_the_entry(void **state) {
    (void)state;
    ob_model *model = read_text(HEAD ", metadata_props: [\"onnx_broadcast.contract\": \"old\"]" TWO_SIZES);
    const ob_rewrite_options options = {.after_pass = stop_behind, .context = (void *)"state_contract"};
    assert_int_equal(ob_rewrite(model, OB_FORM_EXPAND, &options, NULL, NULL), OB_E_CANCELLED);
    assert_string_equal(ob_model_metadata(model, OB_CONTRACT_KEY), "old");
    ob_model_close(&model);
}

/* More clauses than a text may have: those that are left out are counted, and the contract is partial. */
static void what_a_limit_leaves_out_is_counted(void **state) {
    (void)state;
    enum { N = 1100 };
    ob_text text;
    size_t n_differs, n_clauses;
    ob__text_init(&text, NULL);
    ob__text_puts(&text, HEAD "> g (");
    for (int i = 0; i < N; i++) ob__text_printf(&text, "%sfloat[N%d] x%d", i ? ", " : "", i, i);
    ob__text_puts(&text, ", float[7] w) => (float[7] y) {");
    for (int i = 0; i < N; i++) ob__text_printf(&text, " y%d = Add(x%d, w)", i, i);
    ob__text_puts(&text, " y = Identity(w) }");
    ob_model *model = read_text(text.data);
    assert_int_equal(ob_rewrite(model, OB_FORM_BROADCAST, NULL, NULL, NULL), OB_OK);
    const char *stated = ob_model_metadata(model, OB_CONTRACT_KEY);
    assert_non_null(strstr(stated, "status: partial\n"));
    assert_true(ends_with(stated, "\nleft out: 100"));
    assert_true(strlen(stated) <= OB_CONTRACT_TEXT_MAX);
    contract_of(model, &text, &n_differs, &n_clauses); /* complete: but that is what a complete one would look like as text */
    assert_int_equal(n_clauses, N);
    assert_int_equal(n_differs, 0);
    const ob_named_size sizes[] = {{"N0", 7}, {"N1", 2}, {"N1099", 2}};
    ob_truth truth;
    ob_error error;
    assert_int_equal(ob_contract_check(stated, sizes, 1, &truth, &error), OB_OK);
    assert_int_equal(truth, OB_UNDECIDED);
    assert_int_equal(ob_contract_check(stated, sizes, 2, &truth, &error), OB_E_CONDITION);
    assert_int_equal(ob_contract_check(stated, sizes + 2, 1, &truth, &error), OB_OK); /* left out */
    ob_model_close(&model);
    ob__text_release(&text);
}

/* ---- Claims --------------------------------------------------------------------------------------------------------- */

typedef struct claim_row {
    const char *stated, *message; /* NULL: nothing is said */
} claim_row;

static void what_a_file_claims_is_compared(void **state) {
    (void)state;
    static const claim_row rows[] = {
        {two_sizes, NULL},
        {"version: 1\nstatus: complete\ny[1] = 3 or y[1] = 1\nM = 1 or N = 1 or M = N\n", NULL}, /* in other words */
        {"version: 1\nstatus: partial\nN = M or N = 1 or M = 1\nleft out: 1", NULL},
        {"version: 1\nstatus: complete\nN = M or N = 1 or M = 1\ny[1] in {1, 3}\nN >= 2",
         "states a contract with a clause that was not found: N >= 2"},
        {"version: 1\nstatus: complete\nN = M or N = 1 or M = 1",
         "states a contract without a clause that was found: y[1] = 1 or y[1] = 3"},
        {"version: 1\nstatus: contradictory", "states another contract than was found"},
        {"version: 1\nstatus: complete\nQ = 1",
         "states a contract that cannot be read: line 3: \"Q = 1\", position 1: no size is "
         "called \"Q\""},
        {"version: 2\nstatus: complete", "states a contract that cannot be read: line 1 is not \"version: 1\""},
        {"", "states a contract that cannot be read: line 1 is not \"version: 1\""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[1000];
        ob_report *report = NULL;
        ob_finding_info finding = {.id = ""};
        size_t at = 0;
        snprintf(text, sizeof text, HEAD ", metadata_props: [\"onnx_broadcast.contract\": \"%s\"]" TWO_SIZES, rows[i].stated);
        ob_model *model = read_text(text);
        assert_int_equal(ob_check(model, NULL, &report, NULL), OB_OK);
        while (ob_report_finding(report, at++, &finding) == OB_OK && strcmp(finding.id, "OB0504") != 0) continue;
        bool told = strcmp(finding.id, "OB0504") == 0;
        if (told != (rows[i].message != NULL)) fail_msg("%s: %s", rows[i].stated, told ? finding.message : "nothing is said");
        if (told && !strstr(finding.message, rows[i].message)) fail_msg("%s", finding.message);
        /* It proves nothing: the contract is the model's own. */
        assert_int_equal(ob_report_contract(report).n_clauses, 2);
        assert_int_equal(ob_report_contract(report).status, OB_CONTRACT_COMPLETE);
        ob_report_close(&report);
        /* With sizes of the user's own another contract is no surprise. */
        const ob_named_size n = {"N", 1};
        ob_check_options options;
        ob_check_options_init(&options);
        options.dims = &n;
        options.n_dims = 1;
        assert_int_equal(ob_check(model, &options, &report, NULL), OB_OK);
        for (at = 0; ob_report_finding(report, at, &finding) == OB_OK; at++) assert_string_not_equal(finding.id, "OB0504");
        ob_report_close(&report);
        ob_model_close(&model);
    }
}

/* ---- Testing sizes -------------------------------------------------------------------------------------------------- */

static void sizes_are_tested(void **state) {
    (void)state;
    ob_truth truth = OB_UNDECIDED;
    ob_error error;
    const ob_named_size good[] = {{"N", 4}, {"M", 4}, {"y[1]", 3}, {"x[1]", 3}, {"N", 4}};
    assert_int_equal(ob_contract_check(two_sizes, good, 5, &truth, &error), OB_OK);
    assert_int_equal(truth, OB_TRUE);
    assert_int_equal(ob_contract_check(two_sizes, good, 2, &truth, NULL), OB_OK);
    assert_int_equal(truth, OB_UNDECIDED); /* y[1] is not given */
    assert_int_equal(ob_contract_check(two_sizes, NULL, 0, NULL, NULL), OB_OK);
    const ob_named_size bad[] = {{"M", 5}, {"N", 4}, {"y[1]", 2}};
    truth = OB_UNDECIDED;
    assert_int_equal(ob_contract_check(two_sizes, bad, 3, &truth, &error), OB_E_CONDITION);
    assert_int_equal(truth, OB_UNDECIDED); /* untouched */
    assert_string_equal(error.message,
                        "the model's contract excludes these sizes: \"N = M or N = 1 or M = 1\" does not hold: N = 4, M = 5");
    assert_int_equal(ob_contract_check(two_sizes, bad + 2, 1, &truth, &error), OB_E_CONDITION);
    assert_string_equal(error.message, "the model's contract excludes these sizes: \"y[1] in {1, 3}\" does not hold: y[1] = 2");
    const ob_named_size one_ends_the_other[] = {{"N", 2}, {"MN", 23}};
    assert_int_equal(ob_contract_check("version: 1\nstatus: complete\nMN = N\n", one_ends_the_other, 2, &truth, &error),
                     OB_E_CONDITION);
    assert_string_equal(error.message, "the model's contract excludes these sizes: \"MN = N\" does not hold: MN = 23, N = 2");
    const ob_named_size twice[] = {{"N", 4}, {"N", 5}};
    assert_int_equal(ob_contract_check(two_sizes, twice, 2, NULL, &error), OB_E_SHAPE);
    assert_string_equal(error.message, "N is given as 4 and as 5");
    const ob_named_size wrong[] = {{NULL, 4}, {"N", -1}};
    for (size_t i = 0; i < 2; i++) assert_int_equal(ob_contract_check(two_sizes, &wrong[i], 1, NULL, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_contract_check(NULL, good, 1, NULL, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_contract_check(two_sizes, NULL, 1, NULL, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_contract_check("version: 1\nstatus: contradictory", NULL, 0, NULL, NULL), OB_E_CONDITION);
    assert_int_equal(ob_contract_check("version: 1\nstatus: partial", NULL, 0, &truth, NULL), OB_OK);
    assert_int_equal(truth, OB_UNDECIDED);
}

typedef struct text_row {
    const char *clause;
    int64_t n;
    ob_truth truth;
} text_row;

static void clauses_mean_what_they_say(void **state) {
    (void)state;
    static const text_row rows[] = {
        {"N != 4", 4, OB_FALSE},
        {"N != 4", 5, OB_TRUE},
        {"N % 4 != 0", 6, OB_TRUE},
        {"N % 4 != 0", 8, OB_FALSE},
        {"N % 6 in {1, 5}", 11, OB_TRUE},
        {"N % 6 in {1, 5}", 12, OB_FALSE},
        {"(N + 1) % 32 <= 7", 38, OB_TRUE},
        {"(N + 1) % 32 <= 7", 39, OB_FALSE},
        {"1 <= N <= 5 or N = 9", 5, OB_TRUE},
        {"1 <= N <= 5 or N = 9", 6, OB_FALSE},
        {"1 <= N <= 5 or N = 9", 9, OB_TRUE},
        {"if N >= 3: N = 7", 2, OB_TRUE},
        {"if N >= 3: N = 7", 3, OB_FALSE},
        {"if N >= 3 and N % 2 = 0: N = 8 or N = 10", 9, OB_TRUE},
        {"if N >= 3 and N % 2 = 0: N = 8 or N = 10", 12, OB_FALSE},
        {"12 % N = 0", 0, OB_FALSE}, /* 0 divides nothing */
        {"12 % N = 0", 4, OB_TRUE},
        {"never", 4, OB_FALSE},
        {"N < 4", 4, OB_FALSE},
        {"2 < N", 3, OB_TRUE},
        {"N > 4", 4, OB_FALSE},
        {"N = N + 0 = 4", 4, OB_TRUE},
        {"N = N + 0 = 4", 5, OB_FALSE},
        {"N = 7 or N = 2*N - 5 = 5", 5, OB_TRUE},
        {"N = 7 or N = 2*N - 5 = 5", 6, OB_FALSE},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[200];
        const ob_named_size size = {"N", rows[i].n};
        ob_truth truth = OB_FALSE;
        ob_error error;
        snprintf(text, sizeof text, "version: 1\nstatus: complete\n%s", rows[i].clause);
        ob_status status = ob_contract_check(text, &size, 1, &truth, &error);
        if (status != (rows[i].truth == OB_FALSE ? OB_E_CONDITION : OB_OK) || truth != rows[i].truth)
            fail_msg("%s at %lld: %s", rows[i].clause, (long long)rows[i].n, error.message);
    }
}

static void texts_that_are_none_are_refused(void **state) {
    (void)state;
    static const char *const texts[] = {"",
                                        "N = 1",
                                        "version: 1",
                                        "version: 1\n",
                                        "version: 1\nstatus: complete or so",
                                        "version: 1\nstatus: complete\nleft out: 3",
                                        "version: 1\nstatus: partial\nleft out: 0",
                                        "version: 1\nstatus: partial\nleft out: x",
                                        "version: 1\nstatus: partial\nleft out: 3\nN = 1",
                                        "version: 1\nstatus: partial\n\nN = 1",
                                        "version: 1\nstatus: partial\nN",
                                        "version: 1\nstatus: partial\nif N = 1 M = 2",
                                        "version: 1\nstatus: partial\nif N in {1}: M = 2",
                                        "version: 1\nstatus: partial\nnever N = 1",
                                        "version: 1\nstatus: partial\nN = 1,",
                                        "version: 1\nstatus: partial\n1 <= N = 2",
                                        "version: 1\nstatus: partial\nN in 1",
                                        "version: 1\nstatus: partial\nN = M = K <= 3",
                                        "version: 1\nstatus: partial\nN = M % K = 3",
                                        "version: 1\nstatus: partial\nN in {1",
                                        "version: 1\nstatus: partial\nN % M = 1",
                                        "version: 1\nstatus: partial\nN % M <= 1"};
    ob_error error;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (ob_contract_check(texts[i], NULL, 0, NULL, &error) != OB_E_FORMAT || !error.message[0]) fail_msg("%s", texts[i]);
}

/* 5 MB of whatever: E_LIMIT, and no more work than for a text that fits. */
static void texts_of_any_size_end(void **state) {
    (void)state;
    enum { LONG = 5 << 20 };
    static const char *const patterns[] = {"N = 1\n", "((((((((", "if N = 1: ", "N*N*N*M + ", "\n", "\"", "max(N, M, "};
    char *text = malloc(LONG + 1);
    assert_non_null(text);
    for (size_t k = 0; k < sizeof patterns / sizeof *patterns; k++) {
        size_t n = (size_t)snprintf(text, LONG, "version: 1\nstatus: partial\n"), n_pattern = strlen(patterns[k]);
        while (n + n_pattern < LONG) memcpy(text + n, patterns[k], n_pattern), n += n_pattern;
        text[n] = '\0';
        assert_int_equal(ob_contract_check(text, NULL, 0, NULL, NULL), OB_E_LIMIT);
        text[OB_CONTRACT_TEXT_MAX] = '\0';
        ob_status status = ob_contract_check(text, NULL, 0, NULL, NULL);
        assert_true(status == OB_E_FORMAT || status == OB_E_LIMIT);
    }
    free(text);
}

/* A stated contract is read back whatever the sizes are called. */
static void sizes_may_have_any_name(void **state) {
    (void)state;
    static const char *const names[] = {"N",   "or",    "and",  "in",    "is",     "if",        "not",    "never", "mod", "min",
                                        "max", "floor", "ceil", "bcast", "a or b", "if N = 1:", "N:",     "\"",    "\\",  "a\nb",
                                        " ",   "7",     "x[0]", "a = b", "M: ",    "never ",    "{1, 2}", "2*M",   "?1",  "a\"b"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        ob_dims *dims = NULL;
        char clause[200], text[300];
        ob_truth truth;
        ob_error error;
        assert_int_equal(ob_dims_create(NULL, &dims), OB_OK);
        const ob_condition condition = {OB_COND_BROADCAST, ob_dim_symbol(dims, names[i]), ob_dim_symbol(dims, "M")};
        assert_true(ob_condition_format(dims, &condition, clause, sizeof clause) < sizeof clause);
        snprintf(text, sizeof text, "version: 1\nstatus: complete\n%s", clause);
        for (int64_t size = 0; size < 4; size++) {
            const ob_named_size sizes[] = {{names[i], size}, {"M", 3}};
            if (ob_contract_check(text, sizes, 2, &truth, &error) != (size == 1 || size == 3 ? OB_OK : OB_E_CONDITION))
                fail_msg("%s, %lld and 3: %s", clause, (long long)size, error.message);
        }
        ob_dims_destroy(&dims);
    }
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_form_states_what_is_found),
        cmocka_unit_test(other_entries_stay),
        cmocka_unit_test(a_rewriting_that_fails_leaves_the_entry),
        cmocka_unit_test(what_a_limit_leaves_out_is_counted),
        cmocka_unit_test(what_a_file_claims_is_compared),
        cmocka_unit_test(sizes_are_tested),
        cmocka_unit_test(clauses_mean_what_they_say),
        cmocka_unit_test(texts_that_are_none_are_refused),
        cmocka_unit_test(sizes_may_have_any_name),
        cmocka_unit_test(texts_of_any_size_end),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
