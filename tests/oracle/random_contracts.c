/* Checks random models (tests/soundness/gen.h), so that the contracts that the solver makes of them are recorded.
 *
 *     random_contracts COUNT [SEED]     every second model has branches on conditions (guards), a third of them assumptions
 *
 * The last line is the number of models that were checked, and of those with an assumption. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "onnx_broadcast/onnx_broadcast.h"
#include "tests/soundness/gen.h"

static const char *const assumptions[] = {"N >= 2",     "M = 3",      "N % 4 = 0", "K <= 7",     "N = M",
                                          "M >= N + 1", "N * M >= 8", "N != 1",    "K % 32 = 0", "N <= 4 or N % 32 in {0, 31}"};
enum { N_ASSUMPTIONS = sizeof assumptions / sizeof *assumptions };

static ob_status check(ob_model *model, const char *const *assumed, size_t n) {
    ob_check_options options;
    ob_report *report = NULL;
    ob_error error;
    ob_check_options_init(&options);
    options.assumptions = assumed;
    options.n_assumptions = n;
    ob_error_clear(&error);
    ob_status status = ob_check(model, &options, &report, &error);
    ob_report_close(&report);
    return status;
}

/* Models without the assumption's symbols refuse it, and are checked without. */
static ob_status check_text(const char *text, uint64_t seed, unsigned *n_assumed) {
    uint64_t random = seed;
    const char *assumed[2];
    ob_model *model = NULL;
    ob_error error;
    ob_error_clear(&error);
    for (int i = 0; i < 2; i++) assumed[i] = assumptions[stream_random(&random) % N_ASSUMPTIONS];
    ob_status status = ob_model_load_memory(text, strlen(text), "random", NULL, &model, &error);
    const size_t n = 1 + seed / 3 % 2;
    if (status == OB_OK && seed % 3 == 0 && check(model, assumed, n) == OB_OK)
        ++*n_assumed;
    else if (status == OB_OK)
        status = check(model, NULL, 0);
    ob_model_close(&model);
    return status;
}

int main(int argc, char **argv) {
    static gen g;
    if (argc < 2) return 2;
    const uint64_t count = strtoull(argv[1], NULL, 10), first = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    unsigned n_checked = 0, n_assumed = 0;
    for (uint64_t seed = first; seed < first + count; seed++) {
        stream s;
        (seed % 2 ? stream_fill_guards : stream_fill)(&s, seed);
        char *text = gen_model(&g, &s, &plain_spelling);
        const ob_status status = check_text(text, seed, &n_assumed);
        free(text);
        if (status != OB_OK) fprintf(stderr, "seed %llu: %s\n", (unsigned long long)seed, ob_status_text(status));
        n_checked += status == OB_OK;
    }
    printf("%u random models, %u with assumptions\n", n_checked, n_assumed);
    return n_checked != count;
}
