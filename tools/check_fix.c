#include "check_fix.h"

#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "line_diff.h"

/* ---- The option ---- */

bool fix_take(const char *tool, fix_settings *how, char *value) {
    how->wanted = true;
    while (value) {
        char *next = strchr(value, ',');
        if (next) *next++ = '\0';
        if (!value[0]) {
            complain(tool, NULL, "option --fix: an id is empty");
            return false;
        }
        if (strcmp(value, "all") == 0) {
            how->all = true;
        } else {
            const char **grown = with_room(how->ids, &how->capacity, how->n_ids + 1, sizeof *grown);
            if (!grown) {
                complain(tool, NULL, "out of memory");
                return false;
            }
            how->ids = grown;
            how->ids[how->n_ids++] = value;
        }
        value = next;
    }
    return true;
}

void fix_release(fix_settings *how) {
    free(how->ids);
    *how = (fix_settings){0};
}

/* ---- The list ---- */

static void print_shapes_line(FILE *file, const char *lead, const char *shapes) {
    if (!shapes[0]) return;
    fputs(lead, file);
    print_escaped(file, shapes);
    putc('\n', file);
}

static void print_fix(const printer *out, const char *file, const ob_fix_info *fix) {
    const bool made = fix->outcome == OB_FIX_APPLIED;
    set_colour(out, COLOUR_BOLD);
    print_escaped(out->file, file);
    fputs(": ", out->file);
    set_colour(out, made ? COLOUR_GREEN : COLOUR_YELLOW);
    fprintf(out->file, "%s[%s]: ", made ? "fixed" : fix->outcome == OB_FIX_REFUSED ? "refused" : "not fixed", fix->id);
    set_colour(out, COLOUR_NONE);
    if (fix->node[0]) {
        print_node(out, fix->path, fix->node, fix->op_type);
        fputs(": ", out->file);
    }
    print_escaped(out->file, fix->text);
    putc('\n', out->file);
    print_shapes_line(out->file, "    before: ", fix->before);
    print_shapes_line(out->file, "    after:  ", fix->after);
    if (made) return;
    fputs("    reason: ", out->file);
    print_escaped(out->file, fix->reason);
    if (fix->outcome == OB_FIX_UNSAFE) fprintf(out->file, "; --fix=%s makes the change", fix->id);
    putc('\n', out->file);
}

static void print_fixes(const printer *out, const char *file, const ob_fixes *fixes, size_t n_errors, size_t n_warnings) {
    const size_t n_applied = ob_fixes_count_of(fixes, OB_FIX_APPLIED), n_refused = ob_fixes_count_of(fixes, OB_FIX_REFUSED);
    const size_t n_unsafe = ob_fixes_count_of(fixes, OB_FIX_UNSAFE);
    for (size_t i = 0; i < ob_fixes_count(fixes); i++) {
        const ob_fix_info fix = ob_fixes_at(fixes, i);
        print_fix(out, file, &fix);
    }
    print_escaped(out->file, file);
    fprintf(out->file, ": %zu fix%s made, %zu refused, %zu not safe; %zu error%s and %zu warning%s remain\n", n_applied,
            n_applied == 1 ? "" : "es", n_refused, n_unsafe, n_errors, plural(n_errors), n_warnings, plural(n_warnings));
}

/* ---- The difference ---- */

typedef struct buffer {
    char *bytes;
    size_t n, capacity;
} buffer;

static ob_status append(void *context, const void *bytes, size_t n_bytes) {
    buffer *b = context;
    char *grown = n_bytes <= SIZE_MAX - b->n ? with_room(b->bytes, &b->capacity, b->n + n_bytes, 1) : NULL;
    if (!grown) return OB_E_MEMORY;
    b->bytes = grown;
    memcpy(b->bytes + b->n, bytes, n_bytes);
    b->n += n_bytes;
    return OB_OK;
}

static ob_status text_of(const ob_model *model, buffer *b, ob_error *error) {
    enum { WHOLE_TENSORS = 8 }; /* elements; of larger ones the beginning: a difference is for reading */
    return ob_model_write_text(model, WHOLE_TENSORS, append, b, error);
}

/* A line before the header, which patch(1) skips. Newlines in names are escaped. */
static void print_comment(const char *lead, const char *text) {
    if (!text[0]) return;
    fputs(lead, stdout);
    print_escaped(stdout, text);
    putchar('\n');
}

static ob_status print_diff(const char *file, const buffer *before, const ob_model *model, const ob_fixes *fixes,
                            ob_error *error) {
    buffer after = {0};
    char *name = malloc(strlen(file) + 16);
    ob_status status = name ? text_of(model, &after, error) : OB_E_MEMORY;
    for (size_t i = 0; i < ob_fixes_count(fixes) && status == OB_OK; i++) {
        const ob_fix_info fix = ob_fixes_at(fixes, i);
        if (fix.outcome != OB_FIX_APPLIED) continue;
        printf("# %s ", fix.id);
        if (fix.node[0]) print_node(&(printer){.file = stdout}, fix.path, fix.node, fix.op_type);
        print_comment(fix.node[0] ? ": " : "", fix.text);
        print_comment("#   before: ", fix.before);
        print_comment("#   after:  ", fix.after);
    }
    if (status == OB_OK) {
        sprintf(name, "%s (fixed)", file);
        const diff_text from = {file, before->bytes ? before->bytes : "", before->n};
        const diff_text to = {name, after.bytes ? after.bytes : "", after.n};
        if (!line_diff(stdout, &from, &to, NULL)) status = OB_E_MEMORY;
    }
    free(name);
    free(after.bytes);
    return status;
}

/* ---- The whole ---- */

static ob_status count_findings(ob_model *model, const ob_check_options *options, size_t *n_errors, size_t *n_warnings,
                                ob_error *error) {
    ob_report *report = NULL;
    ob_status status = ob_check(model, options, &report, error);
    if (status != OB_OK) return status;
    const ob_report_summary summary = ob_report_get_summary(report);
    *n_errors = summary.n_errors;
    *n_warnings = summary.n_warnings;
    ob_report_close(&report);
    return OB_OK;
}

ob_status fix_model(const printer *out, const char *file, ob_model *model, const fix_settings *how,
                    const ob_check_options *options, size_t *n_errors, size_t *n_warnings, ob_error *error) {
    const ob_fix_options wanted = {.all = how->all, .ids = how->ids, .n_ids = how->n_ids, .check = options};
    buffer before = {0};
    ob_fixes *fixes = NULL;
    ob_status status = how->diff ? text_of(model, &before, error) : OB_OK;
    if (status == OB_OK) status = ob_fix_model(model, &wanted, &fixes, error);
    if (status == OB_OK) status = count_findings(model, options, n_errors, n_warnings, error);
    if (status == OB_OK) print_fixes(out, file, fixes, *n_errors, *n_warnings);
    if (status == OB_OK && how->diff) status = print_diff(file, &before, model, fixes, error);
    ob_fixes_close(&fixes);
    free(before.bytes);
    return status;
}
