/* A build step: checks a model, prints the report, and writes the model with every broadcast made explicit. The exit status is 1
 * if the model has an error, so that the build stops. CMakeLists.txt shows the custom command.
 *
 *     $ cc -std=c11 -o check_in_build main.c $(pkg-config --cflags --libs onnx_broadcast)
 *     $ ./check_in_build good.onnxtxt good_explicit.onnxtxt
 *     $ cat good_explicit.onnxtxt
 *     $ ./check_in_build bad.onnxtxt bad_explicit.onnxtxt */
#include <onnx_broadcast/onnx_broadcast.h>

#include <stdio.h>

static void print_shape(const ob_dims *dims, const char *label, const char *name, const ob_shape *shape) {
    char text[256];
    ob_shape_format(dims, shape, text, sizeof text);
    printf("    %-9s %s%s%s\n", label, name, name[0] ? " " : "", text);
}

/* One line for each finding, in the style of compilers, and the shapes of the operands. */
static ob_status report_findings(const char *path, ob_report *report) {
    for (size_t i = 0; i < ob_report_finding_count(report); i++) {
        ob_finding_info f;
        ob_status status = ob_report_finding(report, i, &f);
        if (status != OB_OK) return status;
        printf("%s: %s: %s%s: %s [%s]\n", path, ob_severity_name(f.severity), f.path, f.node, f.message, f.id);
        for (size_t k = 0; k < f.n_operands; k++)
            print_shape(ob_report_dims(report), "operand", f.operand_names[k], &f.operands[k]);
        if (f.fix[0]) printf("    fix: %s\n", f.fix);
    }
    return OB_OK;
}

/* The model's contract: the conditions on the sizes of a run. */
static ob_status report_conditions(const char *path, ob_report *report) {
    for (size_t i = 0; i < ob_report_condition_count(report); i++) {
        ob_condition_info c;
        ob_status status = ob_report_condition(report, i, &c);
        if (status != OB_OK) return status;
        printf("%s: condition: %s%s: %s\n", path, c.path, c.node, c.text);
    }
    return OB_OK;
}

/* Every node whose operands differ in shape, or may. */
static ob_status report_broadcasts(const char *path, ob_report *report) {
    for (size_t i = 0; i < ob_report_broadcast_count(report); i++) {
        ob_broadcast_info b;
        ob_status status = ob_report_broadcast(report, i, &b);
        if (status != OB_OK) return status;
        printf("%s: broadcast: %s%s (%s), %s\n", path, b.path, b.node, b.op_type, b.rule);
        for (size_t k = 0; k < b.n_operands; k++)
            print_shape(ob_report_dims(report), b.stretched[k] ? "stretched" : "kept", b.names[k], &b.operands[k]);
        if (b.fits) print_shape(ob_report_dims(report), "result", "", &b.result);
    }
    return OB_OK;
}

/* *n_errors: the number of errors; with one the model must not be used. The report borrows the model: close it before the model
 * changes.
 */
static ob_status check(const char *path, ob_model *model, size_t *n_errors, ob_error *error) {
    ob_report *report = NULL;
    ob_status status = ob_check(model, NULL, &report, error);
    if (status == OB_OK) status = report_findings(path, report);
    if (status == OB_OK) status = report_conditions(path, report);
    if (status == OB_OK) status = report_broadcasts(path, report);
    if (status == OB_OK) {
        ob_report_summary sum = ob_report_get_summary(report);
        printf("%s: %zu error(s), %zu warning(s), %zu broadcast(s)\n", path, sum.n_errors, sum.n_warnings, sum.n_broadcasts);
        *n_errors = sum.n_errors;
    }
    ob_report_close(&report);
    return status;
}

static ob_status make_explicit(const char *path, ob_model *model, const char *out, ob_error *error) {
    ob_rewrite_stats stats;
    ob_status status = ob_rewrite(model, OB_FORM_BROADCAST, NULL, &stats, error);
    if (status == OB_OK) status = ob_model_save(model, out, OB_FORMAT_AUTO, error);
    if (status == OB_OK) printf("%s: %zu explicit broadcast(s) written to %s\n", path, stats.n_inserted, out);
    return status;
}

int main(int argc, char **argv) {
    if (argc != 3) {
        fprintf(stderr, "usage: check_in_build MODEL EXPLICIT_MODEL\n");
        return 2;
    }
    ob_model *model = NULL;
    ob_error error;
    ob_error_clear(&error);
    size_t n_errors = 0;
    ob_status status = ob_model_load(argv[1], NULL, &model, &error);
    if (status == OB_OK) status = check(argv[1], model, &n_errors, &error);
    if (status == OB_OK && n_errors == 0) status = make_explicit(argv[1], model, argv[2], &error);
    if (status != OB_OK)
        fprintf(stderr, "check_in_build: %s: %s\n", argv[1], error.message[0] ? error.message : ob_status_text(status));
    ob_model_close(&model);
    return status == OB_OK && n_errors == 0 ? 0 : 1;
}
