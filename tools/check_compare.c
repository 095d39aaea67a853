/* onnx-broadcast-check --compare OLD NEW. */
#include "check_compare.h"

static const char tool[] = "onnx-broadcast-check";

enum { SHOWN_OF_A_KIND = 5 };

static void print_change(const printer *out, const ob_change *change) {
    set_colour(out, change->breaking ? COLOUR_RED : COLOUR_NONE);
    fputs(change->breaking ? "  breaking: " : "  ", out->file);
    set_colour(out, COLOUR_NONE);
    if (change->kind == OB_CHANGE_FINDING) fprintf(out->file, "%s ", change->after[0] ? "new" : "resolved");
    print_escaped(out->file, change->kind == OB_CHANGE_FINDING ? change->name : change->text);
    if (change->kind == OB_CHANGE_FINDING) {
        fputs(" ", out->file);
        print_escaped(out->file, change->after[0] ? change->after : change->before);
    }
    putc('\n', out->file);
}

static void print_comparison(const printer *out, const settings *s, const ob_comparison *comparison) {
    const ob_comparison_info info = ob_comparison_get_info(comparison);
    const size_t n = ob_comparison_change_count(comparison);
    print_escaped(out->file, s->files[0]);
    fputs(" -> ", out->file);
    print_escaped(out->file, s->files[1]);
    fprintf(out->file, ": contract %s; %zu change%s", ob_relation_name(info.contract), n, plural(n));
    if (info.n_breaking) fprintf(out->file, ", %zu breaking", info.n_breaking);
    putc('\n', out->file);
    size_t n_shown = 0, n_of_kind = 0;
    for (size_t i = 0; i < n; i++) {
        const ob_change change = ob_comparison_change(comparison, i);
        const ob_change next = ob_comparison_change(comparison, i + 1);
        n_of_kind++;
        if (change.breaking || s->telling.list != LIST_NOTHING || n_shown < SHOWN_OF_A_KIND) {
            print_change(out, &change);
            n_shown++;
        }
        if (i + 1 < n && next.kind == change.kind && next.breaking == change.breaking) continue;
        if (n_of_kind > n_shown) fprintf(out->file, "  and %zu more of this kind; --list shows all\n", n_of_kind - n_shown);
        n_shown = n_of_kind = 0;
    }
}

static int print_result(const settings *s, const ob_comparison *comparison) {
    if (s->format == OB_REPORT_JSON) {
        if (ob_comparison_to_json(comparison, write_to_stdout, NULL, NULL) != OB_OK) return EXIT_MISUSED;
        putchar('\n');
    } else {
        const printer out = printer_for(stdout);
        print_comparison(&out, s, comparison);
    }
    return ob_comparison_get_info(comparison).compatible ? EXIT_CLEAN : EXIT_ERRORS;
}

int compare_models(const settings *s) {
    checked models[2] = {{.model = NULL}, {.model = NULL}};
    ob_comparison *comparison = NULL;
    int status = EXIT_CLEAN;
    for (size_t i = 0; i < 2; i++) {
        check_file(s, s->files[i], NULL, NULL, &models[i]);
        if (models[i].report) continue;
        complain_error(tool, s->files[i], &models[i].error);
        status = EXIT_MISUSED;
    }
    if (status == EXIT_CLEAN) {
        ob_error error;
        if (ob_compare(models[0].report, models[1].report, &comparison, &error) == OB_OK) {
            status = print_result(s, comparison);
        } else {
            complain_error(tool, NULL, &error);
            status = EXIT_MISUSED;
        }
    }
    ob_comparison_close(&comparison);
    for (size_t i = 0; i < 2; i++) checked_release(&models[i]);
    return status;
}
