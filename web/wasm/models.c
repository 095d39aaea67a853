/* Models: reading, checking, rewriting, fixing. */
#include <stdlib.h>
#include <string.h>

#include "module.h"

/* ---- Models ---- */

void WEB_EXPORT(web_model_close)(web_model *model) {
    if (!model) return;
    ob_model_close(&model->model);
    free(model->bytes);
    free(model);
}

/* Takes the n bytes at `bytes`, which web_alloc() made, also when it fails. */
web_model *WEB_EXPORT(web_model_open)(void *bytes, size_t n, const char *name) {
    web_model *model = calloc(1, sizeof *model);
    if (!model) {
        web_fail(OB_E_MEMORY, "there is no memory for the model");
        free(bytes);
        return NULL;
    }
    model->bytes = bytes;
    web_progress("read");
    if (ob_model_load_memory(bytes, n, name, NULL, &model->model, &web_last_error) == OB_OK) return model;
    web_model_close(model);
    return NULL;
}

/* ---- Checking ---- */

static ob_status write_report(ob_report *report, const ob_report_options *options, ob_report_format format) {
    ob_report_writer *writer = NULL;
    if (format == OB_REPORT_JSON) return ob_report_to_json(report, options, web_text_sink, &web_output, &web_last_error);
    ob_status status = ob_report_writer_create(format, NULL, web_text_sink, &web_output, &writer, &web_last_error);
    if (status == OB_OK) status = ob_report_writer_add(writer, report, options, &web_last_error);
    if (status == OB_OK) status = ob_report_writer_finish(writer, &web_last_error);
    ob_report_writer_close(&writer);
    return status;
}

static ob_status check(ob_model *model, const web_options *options, const char *format) {
    ob_report *report = NULL;
    ob_cost *cost = NULL;
    const ob_report_format number = ob_report_format_from_name(format);
    if (number == OB_REPORT_FORMAT_COUNT) return web_fail(OB_E_ARGUMENT, "there is no such format of reports");
    ob_status status = ob_check(model, &options->check, &report, &web_last_error);
    if (status == OB_OK && options->cost) status = ob_cost_create(report, &cost, &web_last_error);
    web_progress("report");
    const ob_report_options given = {.file = ob_model_path(model), .cost = cost, .graph = options->graph};
    if (status == OB_OK) status = write_report(report, &given, number);
    ob_cost_close(&cost);
    ob_report_close(&report);
    return status;
}

/* ---- Rewriting and fixing ---- */

static void note(void *context, const char *node, const char *op_type, const char *reason) {
    web_text_string(context, node);
    web_text_string(context, op_type);
    web_text_string(context, reason);
}

static ob_status write_model(const ob_model *model, const char *ending) {
    web_progress("write");
    return ob_model_write(model, ob_model_format_of_path(ending), web_text_sink, &web_output, &web_last_error);
}

/* Notes: seven counts, then node, operator and reason of each node that stays. */
static ob_status rewrite(ob_model *model, const char *form, const char *ending) {
    static const char target[] = "target:";
    web_text stays = {0};
    const ob_rewrite_options options = {.note = note, .context = &stays};
    ob_rewrite_stats s = {0};
    ob_status status = strncmp(form, target, sizeof target - 1) == 0
                           ? ob_rewrite_for_target(model, form + sizeof target - 1, &options, &s, &web_last_error)
                           : ob_rewrite(model, ob_form_from_name(form), &options, &s, &web_last_error);
    if (status == OB_OK) status = write_model(model, ending);
    const size_t counts[] = {s.n_inserted, s.n_removed, s.n_lowered, s.n_left, s.n_functions, s.n_weights, s.n_exchanged};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) web_text_number(&web_notes, counts[i]);
    web_text_add(&web_notes, stays.bytes, stays.n);
    web_notes.failed |= stays.failed;
    web_text_begin(&stays);
    return status;
}

/* Notes: of each fix its members, in the order of ob_fix_info. */
static ob_status fix(ob_model *model, const web_options *options, const char *ending) {
    static const char *const outcomes[] = {
        [OB_FIX_APPLIED] = "applied", [OB_FIX_REFUSED] = "refused", [OB_FIX_UNSAFE] = "unsafe"};
    ob_fixes *fixes = NULL;
    ob_status status = ob_fix_model(model, &options->fix, &fixes, &web_last_error);
    if (status != OB_OK) return status;
    for (size_t i = 0; i < ob_fixes_count(fixes); i++) {
        const ob_fix_info info = ob_fixes_at(fixes, i);
        const char *texts[] = {info.id,     info.node,   info.op_type, info.path, info.kind, info.text, outcomes[info.outcome],
                               info.reason, info.before, info.after};
        for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) web_text_string(&web_notes, texts[k]);
    }
    ob_fixes_close(&fixes);
    return write_model(model, ending);
}

enum { CHECK, REWRITE, FIX };

/* Reads the options and does `what`. `form`: of CHECK the format of the report, of REWRITE the form, or "target:NAME".
 * `ending`: of a changed model's file. */
ob_status WEB_EXPORT(web_model_do)(const web_model *model, int what, const char *texts, size_t n_bytes, const char *form,
                                   const char *ending) {
    web_options options;
    ob_model *copy = NULL;
    web_text_begin(&web_output);
    web_text_begin(&web_notes);
    ob_status status = web_options_read(&options, texts, n_bytes);
    /* A copy, so that no call changes the answers of the next: a check adds to the sizes that a model knows. */
    if (status == OB_OK) status = ob_model_clone(model->model, &copy, &web_last_error);
    if (status == OB_OK) status = web_options_assume(&options, copy);
    if (status == OB_OK)
        status = what == CHECK     ? check(copy, &options, form)
                 : what == REWRITE ? rewrite(copy, form, ending)
                                   : fix(copy, &options, ending);
    ob_model_close(&copy);
    web_options_free(&options);
    if (status == OB_OK) status = web_text_end(&web_output);
    if (status == OB_OK) status = web_text_end(&web_notes);
    return status;
}
