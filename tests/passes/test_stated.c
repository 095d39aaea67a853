/* The contract that a rewritten model states in its metadata: it is the contract that the checker finds, in every form; reading
 * and editing it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "corpus.h"
#include "model_text.h"
#include "stated_text.h"
#include "variants.h"

#define HEAD      "<ir_version: 8, opset_import: [\"\" : 17]"
#define TWO_SIZES "> g (float[N,3] x, float[M,?] y) => (float[K,L] z) { z = Add(x, y) }"

/* The report's contract, its unverified requirements, and the number of findings that the file states a different contract. */
static void contract_of(ob_model *model, ob_text *text, ob_text *open, size_t *n_differs, size_t *n_clauses) {
    ob_report *report = NULL;
    ob_error error;
    if (ob_check(model, NULL, &report, &error) != OB_OK) fail_msg("%s", error.message);
    assert_true(statement_of(report, text) && open_list_of(report, open));
    *n_differs = 0;
    *n_clauses = ob_report_contract(report).n_clauses;
    for (size_t i = 0; i < ob_report_finding_count(report); i++) {
        ob_finding_info finding;
        assert_int_equal(ob_report_finding(report, i, &finding), OB_OK);
        *n_differs += strcmp(finding.id, "OB0504") == 0;
    }
    ob_report_close(&report);
}

/* ---- Models in every form ---- */

static size_t n_forms, n_with_values, n_with_open, n_wrong;

static void wrong(const char *name, int form, const char *what, const char *is, const char *was) {
    if (n_wrong++ < 20) print_error("%s as %s: %s: %s; before: %s\n", name, ob_form_name((ob_form)form), what, is, was);
}

static void try_form(const ob_model *model, const char *name, int form, const char *was_open) {
    byte_buffer first = {0}, second = {0};
    ob_model *made = NULL, *again = NULL;
    size_t n_differs, n_clauses;
    ob_error error;
    ob_text text, open;
    ob_error_clear(&error);
    ob__text_init(&text, NULL);
    ob__text_init(&open, NULL);
    ob__text_puts(&open, "");
    if (make_variant(model, (ob_form)form, &first, &made, &error) == OB_OK) {
        contract_of(made, &text, &open, &n_differs, &n_clauses);
        const char *stated = ob_model_metadata(made, OB_CONTRACT_KEY);
        if (!stated || strcmp(stated, text.data) != 0) wrong(name, form, "states", stated ? stated : "nothing", text.data);
        if (n_differs) wrong(name, form, "the checker finds another contract", text.data, stated);
        if (strcmp(open.data, was_open) != 0) wrong(name, form, "another list of what nobody could state", open.data, was_open);
        /* The same bytes every time, and after a second rewriting. */
        assert_int_equal(make_variant(made, (ob_form)form, &second, &again, &error), OB_OK);
        if (first.n != second.n || memcmp(first.data, second.data, first.n) != 0)
            wrong(name, form, "other bytes when rewritten again", "", "");
        n_with_values += strstr(text.data, "\nvalues: ") != NULL;
        n_with_open += open.n > 0;
        n_forms++;
    }
    ob__text_release(&open);
    ob__text_release(&text);
    ob_model_close(&again);
    ob_model_close(&made);
    free(first.data);
    free(second.data);
}

static void try_model(void *context, const char *path) {
    ob_model *model = NULL;
    ob_text text, open;
    size_t n_differs, n_clauses;
    ++*(size_t *)context;
    if (ob_model_load(path, NULL, &model, NULL) != OB_OK) return;
    ob__text_init(&text, NULL);
    ob__text_init(&open, NULL);
    ob__text_puts(&open, "");
    contract_of(model, &text, &open, &n_differs, &n_clauses);
    for (int form = 0; form < OB_FORM_COUNT; form++) try_form(model, path, form, open.data);
    ob__text_release(&open);
    ob__text_release(&text);
    ob_model_close(&model);
}

static bool ends_with(const char *text, const char *end) {
    size_t n = strlen(text), k = strlen(end);
    return n > k && strcmp(text + n - k, end) == 0;
}

static void every_form_states_what_is_found(void **state) {
    (void)state;
    corpus_each_model(try_model);
    print_message("%zu rewritten models, %zu with conditions on values, %zu with something that nobody could state\n", n_forms,
                  n_with_values, n_with_open);
    assert_true(n_forms >= 20 && n_with_values > 0 && n_with_open > 0); /* the models of the project always exist */
    assert_int_equal(n_wrong, 0);
}

/* ---- The entry ---- */

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

/* More clauses than a text may have: the omitted ones are counted, and the contract is partial. */
static void what_a_limit_leaves_out_is_counted(void **state) {
    (void)state;
    enum { N = 1100 };
    ob_text text, open;
    size_t n_differs, n_clauses;
    ob__text_init(&text, NULL);
    ob__text_init(&open, NULL);
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
    contract_of(model, &text, &open, &n_differs, &n_clauses); /* although complete, it looks as text like a partial one */
    assert_int_equal(n_clauses, N);
    assert_int_equal(n_differs, 0);
    const ob_named_size sizes[] = {{"N0", 7}, {"N1", 2}, {"N1099", 2}};
    ob_truth truth;
    ob_error error;
    assert_int_equal(ob_contract_check(stated, sizes, 1, &truth, &error), OB_OK);
    assert_int_equal(truth, OB_UNDECIDED);
    assert_int_equal(ob_contract_check(stated, sizes, 2, &truth, &error), OB_E_CONDITION);
    assert_int_equal(ob_contract_check(stated, sizes + 2, 1, &truth, &error), OB_OK); /* omitted */
    ob_model_close(&model);
    ob__text_release(&open);
    ob__text_release(&text);
}

/* ---- Claims ---- */

typedef struct claim_row {
    const char *stated, *message; /* NULL: no finding */
} claim_row;

/* A stated contract proves nothing: the contract is derived from the model. */
static void check_claim(const claim_row *row, const char *graph, size_t n_clauses) {
    char text[1000];
    ob_report *report = NULL;
    ob_finding_info finding = {.id = ""};
    size_t at = 0;
    snprintf(text, sizeof text, HEAD ", metadata_props: [\"onnx_broadcast.contract\": \"%s\"]%s", row->stated, graph);
    ob_model *model = read_text(text);
    assert_int_equal(ob_check(model, NULL, &report, NULL), OB_OK);
    while (ob_report_finding(report, at++, &finding) == OB_OK && strcmp(finding.id, "OB0504") != 0) continue;
    bool told = strcmp(finding.id, "OB0504") == 0;
    if (told != (row->message != NULL)) fail_msg("%s: %s", row->stated, told ? finding.message : "nothing is said");
    if (told && !strstr(finding.message, row->message)) fail_msg("%s", finding.message);
    assert_int_equal(ob_report_contract(report).n_clauses, n_clauses);
    assert_int_equal(ob_report_contract(report).status, OB_CONTRACT_COMPLETE);
    ob_report_close(&report);
    /* With sizes given by the user a different contract is expected. */
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

static void what_a_file_claims_is_compared(void **state) {
    (void)state;
    static const claim_row rows[] = {
        {two_sizes, NULL},
        {"version: 1\nstatus: complete\ny[1] = 3 or y[1] = 1\nM = 1 or N = 1 or M = N\n", NULL}, /* equivalent text */
        {"version: 1\nstatus: partial\nN = M or N = 1 or M = 1\nleft out: 1", NULL},
        {"version: 1\nstatus: complete\nN = M or N = 1 or M = 1\ny[1] in {1, 3}\nN >= 2",
         "states a clause that the model's contract does not have: N >= 2"},
        {"version: 1\nstatus: complete\nN = M or N = 1 or M = 1", "omits a clause of the model's contract: y[1] = 1 or y[1] = 3"},
        {"version: 1\nstatus: contradictory", "states a different contract"},
        {"version: 1\nstatus: complete\nQ = 1",
         "states a contract that cannot be read: line 3: \"Q = 1\", position 1: no size is "
         "called \"Q\""},
        {"version: 3\nstatus: complete", "states a contract that cannot be read: line 1 is not \"version: 1\" or \"version: 2\""},
        {"", "states a contract that cannot be read: line 1 is not \"version: 1\" or \"version: 2\""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) check_claim(&rows[i], TWO_SIZES, 2);
}

#define EMBEDDING "> g (int64[N] ids, float[V,4] t) => (float[N,4] y) { y = Gather (t, ids) }"

static void conditions_on_values_are_stated_and_compared(void **state) {
    (void)state;
    static const char words[] = "version: 2\nstatus: complete\nif N >= 1: V >= 1\nvalues: -V <= ids < V";
    static const claim_row rows[] = {
        {words, NULL},
        {"version: 1\nstatus: complete\nif N >= 1: V >= 1", NULL}, /* without conditions on values */
        {"version: 2\nstatus: partial\nif N >= 1: V >= 1\nleft out: 1", NULL},
        {"version: 2\nstatus: complete\nif N >= 1: V >= 1", "omits a condition on values of the model: -V <= ids < V"},
        {"version: 2\nstatus: complete\nif N >= 1: V >= 1\nvalues: -V <= ids < V\nvalues: ids < 3",
         "states a condition on values that the model does not have: ids < 3"},
        {"version: 1\nstatus: complete\nvalues: ids < 3",
         "cannot be read: line 3: a condition on values needs version 2 and a text"},
    };
    ob_model *model = read_text(HEAD EMBEDDING);
    assert_int_equal(ob_rewrite(model, OB_FORM_EXPAND, NULL, NULL, NULL), OB_OK);
    assert_string_equal(ob_model_metadata(model, OB_CONTRACT_KEY), words);
    ob_model_close(&model);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) check_claim(&rows[i], EMBEDDING, 1);
    const ob_named_size sizes[] = {{"N", 4}, {"V", 7}};
    ob_truth truth = OB_UNDECIDED;
    assert_int_equal(ob_contract_check(words, sizes, 2, &truth, NULL), OB_OK);
    assert_int_equal(truth, OB_TRUE);
}

/* Any name is written on one line. */
static void an_input_of_a_value_may_have_any_name(void **state) {
    (void)state;
    ob_model *model = read_text(HEAD "> g (int64[N] \"a\nversion: \\\"3\", float[V,4] t) => (float[N,4] y) "
                                     "{ y = Gather (t, \"a\nversion: \\\"3\") }");
    assert_int_equal(ob_rewrite(model, OB_FORM_EXPAND, NULL, NULL, NULL), OB_OK);
    const char *stated = ob_model_metadata(model, OB_CONTRACT_KEY);
    assert_true(ends_with(stated, "\nvalues: -V <= \"a\\x0Aversion: \\\"3\" < V"));
    assert_int_equal(ob_contract_check(stated, NULL, 0, NULL, NULL), OB_OK);
    ob_model_close(&model);
}

/* ---- Testing sizes ---- */

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
        {"12 % N = 0", 0, OB_FALSE}, /* 0 is not a divisor */
        {"12 % N = 0", 4, OB_TRUE},
        {"never", 4, OB_FALSE},
        {"N < 4", 4, OB_FALSE},
        {"2 < N", 3, OB_TRUE},
        {"N > 4", 4, OB_FALSE},
        {"N = N + 0 = 4", 4, OB_TRUE},
        {"N = N + 0 = 4", 5, OB_FALSE},
        {"floor(9/N) = 4", 2, OB_TRUE},
        {"floor(9/N) = 4", 3, OB_FALSE},
        {"floor(9/N) <= 4", 0, OB_FALSE},
        {"if floor(9/N) >= 4: N = 2", 2, OB_TRUE},
        {"if floor(9/N) >= 4: N = 2", 1, OB_FALSE},
        {"9 % N = 1 = N - 3", 4, OB_TRUE},
        {"9 % N = 1", 4, OB_TRUE},
        {"9 % N >= 2", 7, OB_TRUE},
        {"9 % N >= 2", 4, OB_FALSE},
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
                                        "version: 1\nstatus: partial\nvalues: x < 3",
                                        "version: 2\nstatus: partial\nvalues: ",
                                        "version: 2\nstatus: partial\nleft out: 1\nvalues: x < 3",
                                        "version: 1\nstatus: partial\nif N = 1 M = 2",
                                        "version: 1\nstatus: partial\nif N in {1}: M = 2",
                                        "version: 1\nstatus: partial\nnever N = 1",
                                        "version: 1\nstatus: partial\nN = 1,",
                                        "version: 1\nstatus: partial\n1 <= N = 2",
                                        "version: 1\nstatus: partial\nN in 1",
                                        "version: 1\nstatus: partial\nN = M = K <= 3",
                                        "version: 1\nstatus: partial\nN = M % 0 = 3",
                                        "version: 1\nstatus: partial\nN in {1",
                                        "version: 1\nstatus: partial\nN % = 1",
                                        "version: 1\nstatus: partial\nfloor(N/M = 1",
                                        "version: 1\nstatus: partial\nfloor(N/2*M) = 1"};
    ob_error error;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (ob_contract_check(texts[i], NULL, 0, NULL, &error) != OB_E_FORMAT || !error.message[0]) fail_msg("%s", texts[i]);
}

/* 5 MB of arbitrary text: E_LIMIT, and no more work than for a text within the limit. */
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

/* A stated contract is read back for any names of sizes. */
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
        cmocka_unit_test(conditions_on_values_are_stated_and_compared),
        cmocka_unit_test(an_input_of_a_value_may_have_any_name),
        cmocka_unit_test(sizes_are_tested),
        cmocka_unit_test(clauses_mean_what_they_say),
        cmocka_unit_test(texts_that_are_none_are_refused),
        cmocka_unit_test(sizes_may_have_any_name),
        cmocka_unit_test(texts_of_any_size_end),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
