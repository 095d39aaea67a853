/* onnx-broadcast-check: checks every broadcast of a model, reports each, and writes the model in another form. */
#include "check_certify.h"
#include "check_compare.h"
#include "check_cost.h"
#include "check_jobs.h"
#include "stop.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char tool[] = "onnx-broadcast-check";

/* ---- Progress and dumps ---- */

typedef struct watch {
    const settings *s;
    const char *file;
    struct timespec start;
    bool on_terminal, shown, dumped;
} watch;

static void show_progress(watch *w, const char *what) {
    struct timespec now;
    if (!w->on_terminal) return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec - w->start.tv_sec < 1) return;
    fprintf(stderr, "\r\033[K%s: %s ...", tool, what);
    fflush(stderr);
    w->shown = true;
}

/* Of many models: the number of the one that comes next. */
static void show_count(watch *w, size_t i) {
    char text[80];
    snprintf(text, sizeof text, "model %zu of %zu", i + 1, w->s->n_files);
    show_progress(w, text);
}

static void hide_progress(watch *w) {
    if (w->shown) fputs("\r\033[K", stderr);
    w->shown = false;
}

static ob_status after_pass(void *context, const char *pass, const ob_model *model) {
    watch *w = context;
    show_progress(w, pass);
    if (!w->s->dump_after || w->dumped || strcmp(pass, w->s->dump_after) != 0) return OB_OK;
    w->dumped = true;
    hide_progress(w);
    enum { WHOLE_TENSORS = 64 }; /* elements; of larger ones the beginning: a dump is for reading */
    return ob_model_write_text(model, WHOLE_TENSORS, write_to_stdout, NULL, NULL);
}

/* ---- One model ---- */

static void note_left(void *context, const char *node, const char *op_type, const char *reason) {
    const watch *w = context;
    if (!w->s->telling.quiet) complain(tool, w->file, "node \"%s\" (%s) stays as it is: %s", node, op_type, reason);
}

static ob_status save(const char *path, const ob_model *model, ob_model_format format, ob_error *error) {
    stop_begin_file(path);
    ob_status status = ob_model_save(model, path, format, error);
    stop_end_file();
    return status;
}

static ob_status write_output(const settings *s, const ob_model *model, ob_error *error) {
    const ob_model_format format = s->align_weights ? OB_FORMAT_PROTOBUF_ALIGNED : OB_FORMAT_AUTO;
    if (to_stdout(s)) return ob_model_write(model, format, write_to_stdout, NULL, error);
    return s->output ? save(s->output, model, format, error) : OB_OK;
}

/* The nodes that compute sizes need a little memory too: the rewritten model is measured, not only planned. */
static bool is_within_limit(const watch *w, ob_model *model) {
    const settings *s = w->s;
    ob_report *report = NULL;
    ob_error error;
    if (ob_check(model, &s->check, &report, &error) != OB_OK) {
        complain_error(tool, w->file, &error);
        return false;
    }
    ob_cost *cost = cost_within(tool, w->file, "the rewritten model", report, s->max_ram);
    const bool within = cost != NULL;
    ob_cost_close(&cost);
    ob_report_close(&report);
    return within;
}

static int rewrite_model(watch *w, ob_model *model) {
    const settings *s = w->s;
    ob_rewrite_options how = {.after_pass = after_pass,
                              .note = note_left,
                              .context = w,
                              .max_ram = s->max_ram > INT64_MAX ? INT64_MAX : (int64_t)s->max_ram,
                              .cost = s->cost_of_model};
    ob_rewrite_stats stats = {0};
    ob_error error;
    ob_error_clear(&error);
    ob_status status = s->emit_target ? ob_rewrite_for_target(model, s->emit_target, &how, &stats, &error)
                                      : ob_rewrite(model, s->form, &how, &stats, &error);
    hide_progress(w);
    if (status == OB_OK && s->max_ram && !is_within_limit(w, model)) return EXIT_ERRORS;
    if (status == OB_OK) status = write_output(s, model, &error);
    if (status != OB_OK) {
        complain_error(tool, error.code == OB_E_IO ? NULL : w->file, &error);
        return status == OB_E_SHAPE || status == OB_E_TYPE || status == OB_E_MODEL ? EXIT_ERRORS : EXIT_MISUSED;
    }
    if (s->output && !is_file_format(s) && !s->dump_after && !to_stdout(s)) {
        print_escaped(stdout, s->output);
        if (s->emit_target)
            printf(": written for target %s: %zu inserted, %zu initializer%s changed, %zu exchanged", s->emit_target,
                   stats.n_inserted, stats.n_weights, plural(stats.n_weights), stats.n_exchanged);
        else
            printf(": written as %s: %zu inserted, %zu lowered, %zu removed", ob_form_name(s->form), stats.n_inserted,
                   stats.n_lowered, stats.n_removed);
        if (stats.n_functions) printf(", %zu definition%s", stats.n_functions, stats.n_functions == 1 ? "" : "s");
        if (stats.n_left) printf(", %zu left as they were", stats.n_left);
        putchar('\n');
    }
    return EXIT_CLEAN;
}

/* Writes the fixed model even if errors remain: it is never worse than before. */
static int fix_and_write(watch *w, ob_model *model) {
    const settings *s = w->s;
    size_t n_errors = 0, n_warnings = 0;
    ob_error error;
    ob_error_clear(&error);
    const printer out = printer_for(s->fix.diff || is_file_format(s) || to_stdout(s) ? stderr : stdout);
    ob_status status = fix_model(&out, w->file, model, &s->fix, &s->check, &n_errors, &n_warnings, &error);
    hide_progress(w);
    const bool erroneous = n_errors > 0 || (s->telling.werror && n_warnings > 0);
    if (status == OB_OK && s->form_given && !erroneous) return rewrite_model(w, model);
    if (status == OB_OK) status = write_output(s, model, &error);
    if (status != OB_OK) {
        if (error.code == OB_OK)
            complain(tool, w->file, "%s", ob_status_text(status));
        else
            complain_error(tool, error.code == OB_E_IO ? NULL : w->file, &error);
        return EXIT_MISUSED;
    }
    if (s->output && out.file == stdout) {
        print_escaped(stdout, s->output);
        printf(": written%s\n", s->form_given ? " without --emit, because errors remain" : "");
    }
    return erroneous ? EXIT_ERRORS : EXIT_CLEAN;
}

static int write_guard(const settings *s, const char *file, const ob_report *report) {
    ob_error error;
    ob_error_clear(&error);
    stop_begin_file(s->guard);
    ob_status status = save_guard(s->guard, report, &error);
    stop_end_file();
    if (status == OB_OK) return EXIT_CLEAN;
    complain_error(tool, error.code == OB_E_IO ? NULL : file, &error);
    return EXIT_MISUSED;
}

/* A file that could not be checked has an entry in report files too. */
static int not_checked(settings *s, const char *file, const ob_error *error) {
    complain_error(tool, file, error);
    if (s->writer) (void)ob_report_writer_add_unread(s->writer, file, error, NULL);
    return EXIT_MISUSED;
}

static ob_status print_report(settings *s, const char *file, ob_model *model, ob_report *report) {
    if (s->writer) {
        ob_cost *cost = NULL;
        ob_status status = s->cost ? ob_cost_create(report, &cost, NULL) : OB_OK;
        const ob_report_options options = {.file = file,
                                           .independence = (const ob_independence *const *)s->independence.answers,
                                           .n_independence = s->independence.n,
                                           .cost = cost,
                                           .graph = s->graph};
        if (status == OB_OK) status = ob_report_writer_add(s->writer, report, &options, NULL);
        ob_cost_close(&cost);
        return status;
    }
    const bool aside = s->dump_after || to_stdout(s) || s->fix.diff; /* standard output has another use */
    printer out = printer_for(aside ? stderr : stdout);
    telling how = s->telling;
    how.quiet = how.quiet || aside;
    const ob_status status = print_report_text(&out, file, model, report, &how);
    if (status == OB_OK) independence_print(&out, file, &s->independence);
    return status == OB_OK && s->cost ? print_cost(&out, file, report, s->telling.list != LIST_NOTHING) : status;
}

/* Takes the report, which a rewrite of the model would invalidate. */
static int use_checked(settings *s, watch *w, checked *c) {
    const char *file = w->file;
    s->independence.max_nodes = s->check.max_nodes;
    if (!independence_examine(&s->independence, file, c->model)) {
        independence_release(&s->independence);
        return EXIT_MISUSED;
    }
    const ob_status status = print_report(s, file, c->model, c->report);
    bool collected = baseline_collect(tool, &s->baseline, c->baseline_model, file, c->report);
    const bool refuted = independence_is_refuted(&s->independence);
    independence_release(&s->independence);
    ob_report_summary summary = ob_report_get_summary(c->report);
    bool erroneous = summary.n_errors > 0 || (s->telling.werror && summary.n_warnings > 0);
    /* Then nothing is written. Errors of a target alone do not prevent it: another form can be the remedy. */
    bool unsound = summary.n_errors > summary.n_target_errors || (s->telling.werror && summary.n_warnings > 0);
    int guarded = status == OB_OK && s->guard && !unsound ? write_guard(s, file, c->report) : EXIT_CLEAN;
    const bool limited = s->max_ram && !unsound;
    if (limited) s->cost_of_model = cost_within(tool, file, "the model", c->report, s->max_ram);
    ob_report_close(&c->report);
    if (limited && !s->cost_of_model) return EXIT_ERRORS;
    if (status != OB_OK) {
        complain(tool, file, "%s", ob_status_text(status));
        return EXIT_MISUSED;
    }
    if (guarded != EXIT_CLEAN || !collected) return EXIT_MISUSED;
    if (s->fix.wanted) return fix_and_write(w, c->model);
    if (unsound) {
        if (s->guard) complain(tool, file, "has errors: %s is not written", s->guard);
        if (s->output) complain(tool, file, "has errors: %s is not written", s->output);
        return EXIT_ERRORS;
    }
    int rewritten = s->output || (s->dump_after && !w->dumped) ? rewrite_model(w, c->model) : EXIT_CLEAN;
    return rewritten == EXIT_CLEAN && (erroneous || refuted) ? EXIT_ERRORS : rewritten;
}

/* ---- All models ---- */

static int use_file(settings *s, jobs *ahead, size_t i, watch *w, model_row *row) {
    checked c;
    w->file = strcmp(s->files[i], "-") == 0 ? "<stdin>" : s->files[i];
    fflush(stdout);
    if (s->n_files > 1) show_count(w, i);
    if (ahead)
        jobs_take(ahead, i, &c);
    else
        check_file(s, s->files[i], after_pass, w, &c);
    hide_progress(w);
    *row = (model_row){.file = w->file, .unread = !c.report};
    if (c.report) row->summary = ob_report_get_summary(c.report);
    const int status = c.report ? use_checked(s, w, &c) : not_checked(s, w->file, &c.error);
    checked_release(&c);
    return status;
}

static int use_files(settings *s, model_row *rows) {
    int status = EXIT_CLEAN;
    watch w = {.s = s, .on_terminal = isatty(STDERR_FILENO)};
    clock_gettime(CLOCK_MONOTONIC, &w.start);
    const size_t n_threads = (size_t)s->n_jobs < s->n_files ? (size_t)s->n_jobs : s->n_files;
    jobs *ahead = n_threads > 1 && !s->verbose && !s->dump_after ? jobs_start(s, n_threads) : NULL;
    for (size_t i = 0; i < s->n_files; i++) {
        const int one = use_file(s, ahead, i, &w, &rows[i]);
        if (one > status) status = one;
    }
    jobs_end(ahead);
    return status;
}

/* Models that could not be read would lose their entries: there is no baseline then. */
static bool write_baseline(const settings *s, int status) {
    if (status == EXIT_MISUSED) {
        complain(tool, NULL, "not every model was checked: %s is not written", s->baseline.written);
        return false;
    }
    if (!baseline_save(tool, &s->baseline)) return false;
    if (is_file_format(s) || s->dump_after || to_stdout(s)) return true;
    const size_t n = ob_baseline_count(s->baseline.accepted);
    print_escaped(stdout, s->baseline.written);
    printf(": written as baseline of %zu finding%s\n", n, n == 1 ? "" : "s");
    return true;
}

static bool is_file(void *context, const char *path) {
    (void)context;
    return access(path, R_OK) == 0;
}

static int run(settings *s) {
    char folder[4096];
    ob_error error;
    const ob_report_writer_options options = {.source_root = getcwd(folder, sizeof folder), .is_source = is_file};
    if (is_file_format(s) && ob_report_writer_create(s->format, &options, write_to_stdout, NULL, &s->writer, &error) != OB_OK) {
        complain_error(tool, NULL, &error);
        return EXIT_MISUSED;
    }
    model_row *rows = calloc(s->n_files, sizeof *rows);
    if (!rows) {
        complain(tool, NULL, "out of memory");
        return EXIT_MISUSED;
    }
    int status = use_files(s, rows);
    if (s->writer && ob_report_writer_finish(s->writer, &error) != OB_OK) {
        complain_error(tool, NULL, &error);
        status = EXIT_MISUSED;
    }
    if (!s->writer && s->n_files > 1) {
        const printer out = printer_for(s->dump_after ? stderr : stdout);
        print_table(&out, rows, s->n_files, s->telling.quiet);
    }
    free(rows);
    return s->baseline.written && !write_baseline(s, status) ? EXIT_MISUSED : status;
}

int main(int argc, char **argv) {
    stop_install();
    static char buffer[1 << 16];
    settings *s = calloc(1, sizeof *s);
    const char **files = calloc((size_t)argc + 1, sizeof *files);
    int status = EXIT_MISUSED;
    if (!s || !files) {
        complain(tool, NULL, "out of memory");
        goto end;
    }
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    s->files = files;
    s->format = OB_REPORT_FORMAT_COUNT;
    s->n_jobs = 1;
    ob_check_options_init(&s->check);
    status = take_options(s, argc, argv);
    if (status < 0)
        status = s->certificate ? (s->verify ? verify_certificate(s) : certify_models(s))
                 : s->compare   ? compare_models(s)
                                : run(s);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        complain(tool, NULL, "standard output cannot be written");
        status = EXIT_MISUSED;
    }
end:
    if (s) ob_cost_close(&s->cost_of_model);
    if (s) ob_report_writer_close(&s->writer);
    if (s) ob_operators_close(&s->operators);
    if (s) severities_release(&s->severities);
    if (s) targets_release(&s->targets);
    if (s) baseline_release(&s->baseline);
    if (s) fix_release(&s->fix);
    free(files);
    free(s);
    return status;
}
