/* A model with operators of your own: loads their library, checks the model, runs it.
 *
 *     $ cc -std=c11 -o custom_operator main.c $(pkg-config --cflags --libs onnx_broadcast)
 *     $ ./custom_operator front_end.onnxtxt ./edge_operators.so
 *
 * The operators are in edge_operators.c, which is built as a separate shared library. */
#include <onnx_broadcast/onnx_broadcast.h>

#include <inttypes.h>
#include <stdio.h>

/* Everything that must be freed at the end; any pointer may be NULL. */
typedef struct program {
    ob_operators *operators;
    ob_model *model;
    ob_report *report;
    ob_session *session;
} program;

/* The conditions on open sizes, which the operators' shape rules contribute to. */
static ob_status check(program *p, ob_error *error) {
    ob_status status = ob_check(p->model, NULL, &p->report, error);
    if (status != OB_OK) return status;
    ob_report_summary summary = ob_report_get_summary(p->report);
    printf("%zu errors, %zu broadcasts\n", summary.n_errors, summary.n_broadcasts);
    for (size_t i = 0; i < summary.n_conditions; i++) {
        ob_condition_info condition;
        status = ob_report_condition(p->report, i, &condition);
        if (status != OB_OK) return status;
        printf("condition of %s: %s\n", condition.node, condition.text);
    }
    return OB_OK;
}

static ob_status run(program *p, int64_t n_samples, ob_error *error) {
    float samples[16];
    for (int i = 0; i < 16; i++) samples[i] = (float)i;
    ob_view signal, y = {0}; /* data NULL: the session provides the memory */
    ob_status status = ob_view_init(&signal, samples, OB_FLOAT, 2, (int64_t[]){1, n_samples});
    if (status == OB_OK) status = ob_session_run(p->session, &signal, 1, &y, 1, error);
    if (status != OB_OK) return status;
    printf("%" PRId64 " samples give y = float[%" PRId64 ",%" PRId64 ",%" PRId64 "]:\n", n_samples, y.dims[0], y.dims[1],
           y.dims[2]);
    const float *row = (const float *)y.data;
    for (int64_t i = 0; i < y.dims[1]; i++, row += 4)
        printf("  %g %g %g %g\n", (double)row[0], (double)row[1], (double)row[2], (double)row[3]);
    return OB_OK;
}

static ob_status use(program *p, const char *model, const char *library, ob_error *error) {
    ob_status status = ob_operators_create(NULL, &p->operators);
    if (status == OB_OK) status = ob_operators_load(p->operators, library, error);
    for (size_t i = 0; status == OB_OK && i < ob_operators_count(p->operators); i++) {
        ob_operator_info info = ob_operators_at(p->operators, i);
        printf("%s %s has %s.%s, version %d\n", info.library, info.library_version, info.domain, info.name, (int)info.since);
    }
    if (status == OB_OK) status = ob_model_load(model, NULL, &p->model, error);
    if (status == OB_OK) status = ob_model_set_operators(p->model, p->operators);
    if (status == OB_OK) status = check(p, error);
    if (status == OB_OK) status = ob_session_create(p->model, NULL, &p->session, error);
    if (status == OB_OK) status = run(p, 8, error);
    if (status != OB_OK) return status;

    /* Too short for one piece of 4: this breaks the condition of the shape rule. */
    if (run(p, 3, error) != OB_OK) printf("3 samples: %s\n", error->message);
    return OB_OK;
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: custom_operator MODEL LIBRARY\n");
        return 2;
    }
    program p = {0};
    ob_error error;
    ob_error_clear(&error);
    ob_status status = use(&p, argv[1], argv[2], &error);
    if (status != OB_OK) fprintf(stderr, "custom_operator: %s\n", error.message[0] ? error.message : ob_status_text(status));
    ob_session_close(&p.session); /* in the reverse order of creation */
    ob_report_close(&p.report);
    ob_model_close(&p.model);
    ob_operators_close(&p.operators);
    return status == OB_OK ? 0 : 1;
}
