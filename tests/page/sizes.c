/* sizes N SEED MODEL...: the verdict of ob_report_contract_holds() on N random sets of sizes for each model, as JSON lines
 * {"sizes":{"batch":3},"holds":1,"clause":null}; before them a line with the model's report. For tests/page/contract.test.mjs,
 * which compares the verdict of the HTML report. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "onnx_broadcast/onnx_broadcast.h"

enum { MAX_SYMBOLS = 64, MAX_NAME = 200 };

typedef struct symbols {
    char text[MAX_SYMBOLS][MAX_NAME], name[MAX_SYMBOLS][MAX_NAME]; /* as in terms, and as it is */
    size_t n;
} symbols;

static uint64_t state;

static uint64_t next(void) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return state >> 33;
}

static int64_t random_size(const int64_t *sizes, size_t n) {
    switch (next() % 8) {
    case 0:
    case 1: return (int64_t)(next() % 4);
    case 2: return n ? sizes[next() % n] : 1;
    case 3: return n ? sizes[next() % n] * (int64_t)(next() % 3) % 100000 : 7;
    case 4: return (int64_t)(next() % 16) * 32;
    case 5: return (int64_t)(next() % 20000);
    case 6: return next() % 16 ? (int64_t)(next() % 12) : INT64_C(1) << (next() % 62);
    default: return (int64_t)(next() % 70);
    }
}

static ob_status print(void *context, const void *bytes, size_t n) {
    (void)context;
    for (size_t i = 0; i < n; i++)
        if (((const char *)bytes)[i] != '\n') putchar(((const char *)bytes)[i]);
    return OB_OK;
}

static void add_symbol(symbols *list, const ob_dims *dims, ob_dim symbol) {
    char text[MAX_NAME];
    if (list->n == MAX_SYMBOLS || ob_dim_format(dims, symbol, text, sizeof text) >= sizeof text) return;
    if (strpbrk(text, "?\"\\")) return; /* without a name; quoted names: those are tests of their own */
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->text[i], text) == 0) return;
    strcpy(list->text[list->n], text);
    strcpy(list->name[list->n++], text);
}

static void try_sizes(const ob_report *report, const symbols *list) {
    ob_named_size sizes[MAX_SYMBOLS];
    int64_t numbers[MAX_SYMBOLS];
    ob_truth holds;
    size_t clause;
    for (size_t i = 0; i < list->n; i++) numbers[i] = random_size(numbers, i);
    const size_t n = next() % 32 ? list->n : list->n / 2; /* sometimes sizes are missing */
    for (size_t i = 0; i < n; i++) sizes[i] = (ob_named_size){list->name[i], numbers[i]};
    if (ob_report_contract_holds(report, sizes, n, &holds, &clause) != OB_OK) exit(2);
    printf("{\"sizes\":{");
    for (size_t i = 0; i < n; i++) printf("%s\"%s\":\"%" PRId64 "\"", i ? "," : "", list->text[i], numbers[i]);
    printf("},\"holds\":%d,\"clause\":", (int)holds);
    if (clause == SIZE_MAX)
        printf("null}\n");
    else
        printf("%zu}\n", clause);
}

static int try_model(const char *file, size_t n) {
    ob_model *model = NULL;
    ob_report *report = NULL;
    ob_error error;
    symbols list = {.n = 0};
    if (ob_model_load(file, NULL, &model, &error) != OB_OK || ob_check(model, NULL, &report, &error) != OB_OK) {
        fprintf(stderr, "%s: %s\n", file, error.message);
        ob_model_close(&model);
        return 1;
    }
    const ob_contract_info contract = ob_report_contract(report);
    for (size_t i = 0; i < contract.n_clauses + contract.n_limits; i++) {
        ob_clause_info info;
        if (ob_report_clause(report, i, &info) != OB_OK) exit(2);
        for (size_t k = 0; k < info.n_symbols; k++) add_symbol(&list, ob_report_dims(report), info.symbols[k]);
    }
    if (contract.n_clauses + contract.n_limits > 0) {
        if (ob_report_to_json(report, NULL, print, NULL, &error) != OB_OK) exit(2);
        putchar('\n');
        for (size_t i = 0; i < n; i++) try_sizes(report, &list);
    }
    ob_report_close(&report);
    ob_model_close(&model);
    return 0;
}

int main(int argc, char **argv) {
    if (argc < 4) return 2;
    const size_t n = strtoull(argv[1], NULL, 10);
    state = strtoull(argv[2], NULL, 10);
    int unread = 0;
    for (int i = 3; i < argc; i++) unread += try_model(argv[i], n);
    return unread == argc - 3 ? 2 : 0;
}
