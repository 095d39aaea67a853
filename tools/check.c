/* onnx-broadcast-check: checks every broadcast of a model, reports each, and writes the model in another form. */
#include "check_baseline.h"
#include "check_fix.h"
#include "check_independence.h"
#include "check_parts.h"
#include "check_severity.h"
#include "check_target.h"
#include "stop.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common.h"

static const char tool[] = "onnx-broadcast-check";

enum { EXIT_CLEAN = 0, EXIT_ERRORS = 1, EXIT_MISUSED = 2, MAX_GIVEN = 256 };

typedef struct settings {
    ob_check_options check;
    ob_named_size dims[MAX_GIVEN];
    ob_shape_given shapes[MAX_GIVEN];
    int64_t sizes[MAX_GIVEN][OB_MAX_RANK];
    const char *assumptions[MAX_GIVEN];
    const char *output, *dump_after, *guard, *emit_target;
    ob_form form;
    severities severities;
    targets targets;
    baseline baseline;
    telling telling;
    fix_settings fix;
    independence_asked independence;
    bool json, force, form_given, align_weights, verbose, files_seen;
    assumed_opsets assumed_opsets;
    ob_operators *operators; /* of --op-library; NULL: none */
    const char **files;
    size_t n_files;
} settings;

static bool to_stdout(const settings *s) {
    return s->output && strcmp(s->output, "-") == 0;
}

static void print_help(void) {
    printf(
        "usage: %s [options] MODEL...\n\n"
        "Checks every broadcast of ONNX models and reports the result for each. A MODEL is a file in binary form, ONNX's text\n"
        "form, protobuf's text form or JSON; the content decides. - is standard input.\n\n"
        "  --rules BOOK          rule book: onnx (default), numpy, array-api, mlir, xla or sonnx\n"
        "  --dim NAME=SIZE       check with SIZE for the symbol NAME (x[0]: axis 0 of input x, when it has no name)\n"
        "  --input-shape X=2x3   check with this shape for input X (? leaves a size open; X= is a scalar)\n"
        "  --assume CONDITION    assume a condition on input sizes: \"batch >= 1\", \"height %% 32 = 0\" (repeatable)\n"
        "  --assume-opset [D=]N  read the model as opset N of domain D [ai.onnx] when its own opset is too new for this release\n"
        "  --independent SYMBOL  say whether elements of a batch affect each other: whether a batch of 3 along this symbol "
        "gives\n"
        "                        what 3 batches of 1 give (-: the first axis of the inputs; repeatable)\n"
        "  --format text|json    format of the report; json: see docs/report.schema.json\n"
        "  -o OUT                write the rewritten model (one MODEL without errors). The file name selects the format:\n"
        "                        .onnxtxt, .textproto, .json, else binary. -: standard output; findings go to standard error\n"
        "  --emit FORM           form for -o: broadcast (default: operators of domain onnx_broadcast), function (the same, with\n"
        "                        their definitions), expand (only standard operators), implicit (no explicit broadcasts),\n"
        "                        target:NAME (the weakest form that the deployment target accepts)\n"
        "  --emit-guard FILE.c   write the contract as C functions: guard_FILE tests input sizes, guard_FILE_values tests\n"
        "                        input elements (one MODEL without errors)\n"
        "  --fix[=all|ID,...]    make the fixes of findings that are safe, check the model again, and write it with -o, in its\n"
        "                        own form unless --emit is given. all: also those that change results; ID: those of these\n"
        "                        findings only, for example --fix=OB0401\n"
        "  --diff                print the difference that the fixes make to the model as text; findings go to standard error\n"
        "  --force               for -o: OUT may be the same file as MODEL\n"
        "  --align-weights       for -o: align weights to 64 bytes, so that a session needs no copy of them; the file stays\n"
        "                        a normal ONNX file\n"
        "  --op-library FILE     load custom operators from a shared library; runs its code (docs/operators-of-your-own.md)\n"
        "  --max-nodes N         infer at most N nodes; nodes of functions count once for each call (default: 2^20 plus 4 for\n"
        "                        each node of the model)\n"
        "  --max-finding-bytes N limit the memory of findings and their texts to N bytes; findings over the limit are counted\n"
        "                        but not listed (default: 67108864)\n"
        "  --list[=all]          list the broadcasts by pattern and do not shorten lists; all: list each broadcast and finding\n"
        "  --select ID[,ID]      report only these findings: OB0101, or OB02 for all ids that begin with OB02 (repeatable)\n"
        "  --ignore ID[,ID][:PATTERN]\n"
        "                        do not report these findings; with PATTERN: only at nodes whose path and name match it (* and "
        "?)\n"
        "  --severity ID=LEVEL   set the severity to note, warning, error or none. If several of --select, --ignore and\n"
        "                        --severity match a finding, the last one applies\n"
        "  --write-baseline FILE write the findings to FILE, as accepted\n"
        "  --baseline FILE       do not report the findings in FILE\n"
        "  --werror              treat warnings as errors\n"
        "  --target NAME[,NAME]  compare every broadcast with what these deployment targets accept; all: a line for each target\n"
        "  --quiet               print only findings and summary\n"
        "  --verbose             print progress and the time of each pass to standard error\n"
        "  --explain ID          explain a finding, for example OB0101\n"
        "  --list-findings       list all findings\n"
        "  --list-targets        list the deployment targets of --target\n"
        "  --list-passes         list the passes in their order\n"
        "  --dump-after PASS     print the model as text after this pass; findings go to standard error\n"
        "  --help, --version\n\n"
        "exit status: 0 no errors, 1 errors remain or elements of a batch affect each other, 2 unreadable file or wrong use\n",
        tool);
}

static int misused(void) {
    fprintf(stderr, "%s: --help shows the options\n", tool);
    return EXIT_MISUSED;
}

/* ---- Options ---- */

/* "2x?x3"; text is changed. */
static bool parse_sizes(char *text, ob_shape_given *shape, int64_t *sizes) {
    shape->dims = sizes;
    for (char *at = text; *at;) {
        size_t n = strcspn(at, "x,");
        char end = at[n];
        if (n == 0 || shape->rank == OB_MAX_RANK || (end && !at[n + 1])) return false;
        at[n] = '\0';
        char *rest = NULL;
        if (strcmp(at, "?") == 0) {
            sizes[shape->rank++] = OB_DIM_UNKNOWN;
        } else {
            if (at[0] < '0' || at[0] > '9') return false;
            sizes[shape->rank++] = strtoll(at, &rest, 10);
            if (*rest) return false;
        }
        at += end ? n + 1 : n;
    }
    return true;
}

static bool add_input_shape(settings *s, char *text) {
    char *equals = strrchr(text, '=');
    if (s->check.n_shapes == MAX_GIVEN || !equals || equals == text) {
        complain(tool, NULL, "option --input-shape: \"%s\" is not of the form NAME=2x3", text);
        return false;
    }
    *equals = '\0';
    ob_shape_given *shape = &s->shapes[s->check.n_shapes];
    shape->name = text;
    if (!parse_sizes(equals + 1, shape, s->sizes[s->check.n_shapes])) {
        complain(tool, NULL, "option --input-shape: the sizes of \"%s\" are not of the form 2x3", text);
        return false;
    }
    s->check.n_shapes++;
    return true;
}

static bool add_dim(settings *s, char *text) {
    char *equals = strrchr(text, '=');
    if (s->check.n_dims == MAX_GIVEN || !equals || equals == text) {
        complain(tool, NULL, "option --dim: \"%s\" is not of the form NAME=SIZE", text);
        return false;
    }
    ob_named_size *given = &s->dims[s->check.n_dims];
    *equals = '\0';
    given->name = text;
    if (!parse_int(tool, "--dim", equals + 1, 0, OB_DIM_CONST_MAX, &given->size)) return false;
    s->check.n_dims++;
    return true;
}

/* Read by ob_check(), because the permitted symbols depend on the model. */
static bool add_assumption(settings *s, const char *text) {
    if (s->check.n_assumptions == MAX_GIVEN) {
        complain(tool, NULL, "more than %d --assume options", MAX_GIVEN);
        return false;
    }
    s->assumptions[s->check.n_assumptions++] = text;
    return true;
}

static bool parse_limit(const char *option, const char *text, uint64_t *out) {
    int64_t limit;
    if (!parse_int(tool, option, text, 1, INT64_MAX, &limit)) return false;
    *out = (uint64_t)limit;
    return true;
}

/* NULL: --list alone. */
static bool take_list(settings *s, const char *value) {
    s->telling.list = value ? LIST_ALL : LIST_GROUPS;
    if (!value || strcmp(value, "all") == 0) return true;
    complain(tool, NULL, "option --list: \"%s\" is not all", value);
    return false;
}

static int explain(const char *id) {
    ob_finding_doc doc = ob_finding_doc_find(id);
    if (!doc.id) {
        complain(tool, NULL, "there is no finding \"%s\"; --list-findings shows them", id);
        return EXIT_MISUSED;
    }
    printf("%s: %s (%s)\n\n%s\n", doc.id, doc.title, ob_severity_name(doc.severity), doc.text);
    return EXIT_CLEAN;
}

static int list_findings(void) {
    for (size_t i = 0; i < ob_finding_doc_count(); i++) {
        ob_finding_doc doc = ob_finding_doc_at(i);
        printf("%s  %-7s  %s\n", doc.id, ob_severity_name(doc.severity), doc.title);
    }
    return EXIT_CLEAN;
}

static int list_passes(void) {
    for (size_t i = 0; i < ob_pass_count(); i++) printf("%-18s %s\n", ob_pass_at(i).name, ob_pass_at(i).help);
    return EXIT_CLEAN;
}

static bool is_pass(const char *name) {
    for (size_t i = 0; i < ob_pass_count(); i++)
        if (strcmp(ob_pass_at(i).name, name) == 0) return true;
    complain(tool, NULL, "there is no pass \"%s\"; --list-passes shows them", name);
    return false;
}

/* One option. -1: go on; else the exit status. */
static int take_option(settings *s, arguments *o) {
    if (option_is(o, "--help") || option_is(o, "-h")) return print_help(), EXIT_CLEAN;
    if (option_is(o, "--version")) return printf("%s %s\n", tool, ob_version()), EXIT_CLEAN;
    if (option_is(o, "--list-passes")) return list_passes();
    if (option_is(o, "--list-findings")) return list_findings();
    if (option_is(o, "--list-targets")) return list_targets();
    if (option_is(o, "--werror")) return s->telling.werror = true, -1;
    if (option_is(o, "--verbose")) return s->verbose = true, -1;
    if (option_is(o, "--force")) return s->force = true, -1;
    if (option_is(o, "--diff")) return s->fix.wanted = s->fix.diff = true, -1;
    if (option_may_have_value(o, "--fix"))
        return o->failed || fix_take(tool, &s->fix, (char *)(uintptr_t)o->value) ? -1 : misused();
    if (option_is(o, "--align-weights")) return s->align_weights = true, -1;
    if (option_is(o, "--quiet") || option_is(o, "-q")) return s->telling.quiet = true, -1;
    if (option_has_value(o, "--explain")) return o->failed ? misused() : explain(o->value);
    if (option_has_value(o, "-o") || option_has_value(o, "--output")) return s->output = o->value, -1;
    if (option_has_value(o, "--dump-after")) return s->dump_after = o->value, o->failed || is_pass(o->value) ? -1 : misused();
    if (option_has_value(o, "--dim")) return o->failed || add_dim(s, (char *)(uintptr_t)o->value) ? -1 : misused();
    if (option_has_value(o, "--input-shape"))
        return o->failed || add_input_shape(s, (char *)(uintptr_t)o->value) ? -1 : misused();
    if (option_has_value(o, "--assume")) return o->failed || add_assumption(s, o->value) ? -1 : misused();
    if (option_has_value(o, "--assume-opset"))
        return o->failed || assume_opset(tool, o->value, &s->assumed_opsets) ? -1 : misused();
    if (option_has_value(o, "--independent")) return o->failed || independence_ask(&s->independence, o->value) ? -1 : misused();
    if (option_may_have_value(o, "--list")) return o->failed || take_list(s, o->value) ? -1 : misused();
    if (option_has_value(o, "--select"))
        return o->failed || severities_select(tool, &s->severities, (char *)(uintptr_t)o->value) ? -1 : misused();
    if (option_has_value(o, "--ignore"))
        return o->failed || severities_ignore(tool, &s->severities, (char *)(uintptr_t)o->value) ? -1 : misused();
    if (option_has_value(o, "--severity"))
        return o->failed || severities_set(tool, &s->severities, (char *)(uintptr_t)o->value) ? -1 : misused();
    if (option_has_value(o, "--baseline")) return s->baseline.read = o->value, -1;
    if (option_has_value(o, "--write-baseline")) return s->baseline.written = o->value, -1;
    if (option_has_value(o, "--target") || option_has_value(o, "--targets"))
        return o->failed || targets_add(tool, &s->targets, (char *)(uintptr_t)o->value) ? -1 : misused();
    if (option_has_value(o, "--max-nodes"))
        return o->failed || parse_limit("--max-nodes", o->value, &s->check.max_nodes) ? -1 : misused();
    if (option_has_value(o, "--max-finding-bytes"))
        return o->failed || parse_limit("--max-finding-bytes", o->value, &s->check.max_finding_bytes) ? -1 : misused();
    if (option_has_value(o, "--op-library")) return o->failed || load_operators(tool, o->value, &s->operators) ? -1 : misused();
    if (option_has_value(o, "--rules")) {
        s->check.rules = ob_rules_from_name(o->value);
        if (o->failed || s->check.rules != OB_RULES_COUNT) return -1;
        complain(tool, NULL, "option --rules: \"%s\" is not one of onnx, numpy, array-api, mlir, xla, sonnx", o->value);
        return misused();
    }
    if (option_has_value(o, "--emit-guard")) return s->guard = o->value, -1;
    if (option_has_value(o, "--emit")) {
        static const char prefix[] = "target:";
        s->form = ob_form_from_name(o->value);
        s->form_given = true;
        s->emit_target = NULL;
        if (!o->failed && strncmp(o->value, prefix, sizeof prefix - 1) == 0) {
            s->emit_target = o->value + sizeof prefix - 1;
            return is_target(tool, "--emit", s->emit_target) ? -1 : misused();
        }
        if (o->failed || s->form != OB_FORM_COUNT) return -1;
        complain(tool, NULL, "option --emit: \"%s\" is not one of broadcast, function, expand, implicit, target:NAME", o->value);
        return misused();
    }
    if (option_has_value(o, "--format")) {
        s->json = strcmp(o->value, "json") == 0;
        if (o->failed || s->json || strcmp(o->value, "text") == 0) return -1;
        complain(tool, NULL, "option --format: \"%s\" is neither text nor json", o->value);
        return misused();
    }
    complain(tool, NULL, "unknown option \"%s\"", option_text(o));
    return misused();
}

static int take_options(settings *s, int argc, char **argv) {
    arguments o = arguments_begin(tool, argc, argv);
    while (arguments_next(&o)) {
        if (!option_is_any(&o)) {
            s->files[s->n_files++] = option_text(&o);
            continue;
        }
        int status = take_option(s, &o);
        if (status >= 0) return status;
        if (o.failed) return misused();
    }
    if (s->n_files == 0) {
        complain(tool, NULL, "no model given");
        return misused();
    }
    if (s->output && s->n_files > 1) {
        complain(tool, NULL, "-o takes one model, %zu are given", s->n_files);
        return misused();
    }
    if (s->guard && s->n_files > 1) {
        complain(tool, NULL, "--emit-guard takes one model, %zu are given", s->n_files);
        return misused();
    }
    if (s->guard && is_same_file(s->files[0], s->guard)) {
        complain(tool, s->guard, "--emit-guard would replace the model that is read");
        return misused();
    }
    if (s->output && !s->force && is_same_file(s->files[0], s->output)) {
        complain(tool, s->output, "-o would replace the model that is read; --force allows it");
        return misused();
    }
    if (s->fix.wanted && !s->output && !s->fix.diff) {
        complain(tool, NULL, "--fix needs -o OUT or --diff");
        return misused();
    }
    if (s->fix.wanted && (s->check.n_dims || s->check.n_shapes || s->check.n_assumptions)) {
        complain(tool, NULL, "--fix is for all sizes: it does not go with --dim, --input-shape or --assume");
        return misused();
    }
    if (s->fix.diff && (s->json || s->dump_after || to_stdout(s))) {
        complain(tool, NULL, "--diff writes to standard output, which has another use already");
        return misused();
    }
    if (to_stdout(s) && (s->json || s->dump_after)) {
        complain(tool, NULL, "-o - writes the model to standard output, which has another use already");
        return misused();
    }
    if (s->align_weights && (!s->output || ob_model_format_of_path(s->output) != OB_FORMAT_PROTOBUF)) {
        complain(tool, NULL, "--align-weights needs -o OUT, not as text");
        return misused();
    }
    if (s->fix.wanted && s->n_files > 1) {
        complain(tool, NULL, "--fix takes one model, %zu are given", s->n_files);
        return misused();
    }
    if (s->form_given && !s->output && !s->dump_after) {
        complain(tool, NULL, "--emit needs -o OUT");
        return misused();
    }
    for (size_t i = 0; s->baseline.written && i < s->n_files; i++)
        if (is_same_file(s->files[i], s->baseline.written)) {
            complain(tool, s->baseline.written, "--write-baseline would replace a model that is read");
            return misused();
        }
    if (s->baseline.read && s->baseline.written) {
        complain(tool, NULL, "--baseline and --write-baseline exclude each other: a new baseline contains all findings");
        return misused();
    }
    if (!baseline_begin(tool, &s->baseline)) return EXIT_MISUSED;
    s->check.dims = s->dims;
    s->check.shapes = s->shapes;
    s->check.assumptions = s->assumptions;
    s->check.severities = s->severities.items;
    s->check.n_severities = s->severities.n;
    s->check.targets = s->targets.names;
    s->check.n_targets = s->targets.n;
    s->check.target_counts_only = s->targets.all;
    s->check.ignores = s->severities.ignores;
    s->check.n_ignores = s->severities.n_ignores;
    return -1;
}

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

static void hide_progress(watch *w) {
    if (w->shown) fputs("\r\033[K", stderr);
    w->shown = false;
}

static ob_status write_to_stdout(void *context, const void *bytes, size_t n_bytes) {
    (void)context;
    return fwrite(bytes, 1, n_bytes, stdout) == n_bytes ? OB_OK : OB_E_IO;
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

static int rewrite_model(watch *w, ob_model *model) {
    const settings *s = w->s;
    ob_rewrite_options how = {.after_pass = after_pass, .note = note_left, .context = w};
    ob_rewrite_stats stats = {0};
    ob_error error;
    ob_error_clear(&error);
    ob_status status = s->emit_target ? ob_rewrite_for_target(model, s->emit_target, &how, &stats, &error)
                                      : ob_rewrite(model, s->form, &how, &stats, &error);
    hide_progress(w);
    if (status == OB_OK) status = write_output(s, model, &error);
    if (status != OB_OK) {
        complain_error(tool, error.code == OB_E_IO ? NULL : w->file, &error);
        return status == OB_E_SHAPE || status == OB_E_TYPE || status == OB_E_MODEL ? EXIT_ERRORS : EXIT_MISUSED;
    }
    if (s->output && !s->json && !s->dump_after && !to_stdout(s)) {
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
    const printer out = printer_for(s->fix.diff || s->json || to_stdout(s) ? stderr : stdout);
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

static void begin_entry(settings *s) {
    if (s->files_seen) fputs(",\n", stdout);
    s->files_seen = true;
}

/* A file that could not be checked gets an entry too. The message was printed. */
static int not_examined(settings *s, const char *file, const ob_error *error) {
    if (s->json) {
        begin_entry(s);
        print_unread_json(stdout, file, error);
    }
    return EXIT_MISUSED;
}

static ob_status print_report(settings *s, const char *file, ob_model *model, ob_report *report) {
    if (s->json) {
        begin_entry(s);
        return print_report_json(stdout, file, report, &s->independence);
    }
    const bool aside = s->dump_after || to_stdout(s) || s->fix.diff; /* standard output has another use */
    printer out = printer_for(aside ? stderr : stdout);
    telling how = s->telling;
    how.quiet = how.quiet || aside;
    const ob_status status = print_report_text(&out, file, model, report, &how);
    if (status == OB_OK) independence_print(&out, file, &s->independence);
    return status;
}

static int check_model(settings *s, const char *path, const char *file, ob_model *model, watch *w) {
    ob_report *report = NULL;
    ob_error error;
    s->check.after_pass = after_pass;
    s->check.context = w;
    if (!baseline_use(tool, &s->baseline, path, &s->check)) return EXIT_MISUSED;
    ob_status status = ob_check(model, &s->check, &report, &error);
    hide_progress(w);
    if (status != OB_OK) {
        complain_error(tool, file, &error);
        if (error.code == OB_OK) error.code = status;
        return not_examined(s, file, &error);
    }
    s->independence.max_nodes = s->check.max_nodes;
    if (!independence_examine(&s->independence, file, model)) {
        independence_release(&s->independence);
        ob_report_close(&report);
        return EXIT_MISUSED;
    }
    status = print_report(s, file, model, report);
    bool collected = baseline_collect(tool, &s->baseline, file, report);
    const bool refuted = independence_is_refuted(&s->independence);
    independence_release(&s->independence);
    ob_report_summary summary = ob_report_get_summary(report);
    bool erroneous = summary.n_errors > 0 || (s->telling.werror && summary.n_warnings > 0);
    /* Then nothing is written. Errors of a target alone do not prevent it: another form can be the remedy. */
    bool unsound = summary.n_errors > summary.n_target_errors || (s->telling.werror && summary.n_warnings > 0);
    int guarded = status == OB_OK && s->guard && !unsound ? write_guard(s, file, report) : EXIT_CLEAN;
    ob_report_close(&report);
    if (status != OB_OK) {
        complain(tool, file, "%s", ob_status_text(status));
        return EXIT_MISUSED;
    }
    if (guarded != EXIT_CLEAN || !collected) return EXIT_MISUSED;
    if (s->fix.wanted) return fix_and_write(w, model);
    if (unsound) {
        if (s->guard) complain(tool, file, "has errors: %s is not written", s->guard);
        if (s->output) complain(tool, file, "has errors: %s is not written", s->output);
        return EXIT_ERRORS;
    }
    int rewritten = s->output || (s->dump_after && !w->dumped) ? rewrite_model(w, model) : EXIT_CLEAN;
    return rewritten == EXIT_CLEAN && (erroneous || refuted) ? EXIT_ERRORS : rewritten;
}

static int check_file(settings *s, const char *path) {
    const char *file = strcmp(path, "-") == 0 ? "<stdin>" : path;
    watch w = {.s = s, .file = file, .on_terminal = isatty(STDERR_FILENO)};
    clock_gettime(CLOCK_MONOTONIC, &w.start);
    ob_model *model = NULL;
    fflush(stdout);
    ob_error error;
    if (load_model(tool, path, s->operators, &s->assumed_opsets, s->verbose, 0, &model, &error) != OB_OK)
        return not_examined(s, file, &error);
    show_progress(&w, "read");
    int status = check_model(s, path, file, model, &w);
    ob_model_close(&model);
    return status;
}

/* Models that could not be read would lose their entries: there is no baseline then. */
static bool write_baseline(const settings *s, int status) {
    if (status == EXIT_MISUSED) {
        complain(tool, NULL, "not every model was checked: %s is not written", s->baseline.written);
        return false;
    }
    if (!baseline_save(tool, &s->baseline)) return false;
    if (s->json || s->dump_after || to_stdout(s)) return true;
    const size_t n = ob_baseline_count(s->baseline.accepted);
    print_escaped(stdout, s->baseline.written);
    printf(": written as baseline of %zu finding%s\n", n, n == 1 ? "" : "s");
    return true;
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
    ob_check_options_init(&s->check);
    status = take_options(s, argc, argv);
    if (status < 0) {
        status = EXIT_CLEAN;
        if (s->json) printf("{\"version\":2,\"tool\":{\"name\":\"%s\",\"version\":\"%s\"},\"models\":[\n", tool, ob_version());
        for (size_t i = 0; i < s->n_files; i++) {
            int one = check_file(s, s->files[i]);
            if (one > status) status = one;
        }
        if (s->json) fputs("\n]}\n", stdout);
        if (s->baseline.written && !write_baseline(s, status)) status = EXIT_MISUSED;
    }
    if (fflush(stdout) != 0 || ferror(stdout)) {
        complain(tool, NULL, "standard output cannot be written");
        status = EXIT_MISUSED;
    }
end:
    if (s) ob_operators_close(&s->operators);
    if (s) severities_release(&s->severities);
    if (s) targets_release(&s->targets);
    if (s) baseline_release(&s->baseline);
    if (s) fix_release(&s->fix);
    free(files);
    free(s);
    return status;
}
