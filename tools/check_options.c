#include "options.h"

#include "check_settings.h"

#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

static const char tool[] = "onnx-broadcast-check";

static int misused(void) {
    fprintf(stderr, "%s: --help shows the options\n", tool);
    return EXIT_MISUSED;
}

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

static int take_list(void *settings_given, const char *value) {
    settings *s = settings_given;
    s->telling.list = value ? LIST_ALL : LIST_GROUPS;
    if (!value || strcmp(value, "all") == 0) return GO_ON;
    complain(tool, NULL, "option --list: \"%s\" is not all", value);
    return misused();
}

/* ---- --explain ---- */

static void print_line_of(const ob_finding_doc *doc) {
    printf("%s  %-7s  %s\n", doc->id, ob_severity_name(doc->severity), doc->title);
}

static int print_explanation(const ob_finding_doc *doc) {
    printf("%s: %s (%s)\n\n%s\n", doc->id, doc->title, ob_severity_name(doc->severity), doc->text);
    return EXIT_CLEAN;
}

/* How often words of the text begin with `word`, which has n bytes; upper and lower case are equal. */
static unsigned count_word(const char *text, const char *word, size_t n) {
    unsigned count = 0;
    for (const char *at = text; *at; at++) {
        const bool begins = at == text || !isalnum((unsigned char)at[-1]);
        if (begins && strncasecmp(at, word, n) == 0) count++;
    }
    return count;
}

/* 0 unless each word occurs; words of the title count more. */
static unsigned score(const ob_finding_doc *doc, const char *words) {
    enum { OF_TITLE = 10 };
    unsigned sum = 0;
    for (const char *at = words; *at;) {
        const size_t n = strcspn(at, " ");
        const unsigned one = count_word(doc->id, at, n) + OF_TITLE * count_word(doc->title, at, n) + count_word(doc->text, at, n);
        if (n > 0 && one == 0) return 0;
        if (n > 0) sum += one;
        at += n + strspn(at + n, " ");
    }
    return sum;
}

/* Lists the findings with these words, the best first. */
static int explain_words(const char *words) {
    size_t n_found = 0, only = 0;
    unsigned best = 0;
    for (size_t i = 0; i < ob_finding_doc_count(); i++) {
        const ob_finding_doc doc = ob_finding_doc_at(i);
        const unsigned points = score(&doc, words);
        if (points == 0) continue;
        n_found++;
        only = i;
        if (points > best) best = points;
    }
    if (n_found == 0) {
        complain(tool, NULL, "no finding has the id or the words \"%s\"; --list-findings shows all", words);
        return EXIT_MISUSED;
    }
    if (n_found == 1) {
        const ob_finding_doc doc = ob_finding_doc_at(only);
        return print_explanation(&doc);
    }
    for (unsigned points = best; points > 0; points--)
        for (size_t i = 0; i < ob_finding_doc_count(); i++) {
            const ob_finding_doc doc = ob_finding_doc_at(i);
            if (score(&doc, words) == points) print_line_of(&doc);
        }
    printf("\n--explain ID explains one of them\n");
    return EXIT_CLEAN;
}

static int take_explain(void *settings_given, const char *text) {
    (void)settings_given;
    const ob_finding_doc doc = ob_finding_doc_find(text);
    return doc.id ? print_explanation(&doc) : explain_words(text);
}

static int take_list_findings(void *settings_given, const char *value) {
    (void)settings_given, (void)value;
    for (size_t i = 0; i < ob_finding_doc_count(); i++) {
        const ob_finding_doc doc = ob_finding_doc_at(i);
        print_line_of(&doc);
    }
    return EXIT_CLEAN;
}

static int take_list_passes(void *settings_given, const char *value) {
    (void)settings_given, (void)value;
    for (size_t i = 0; i < ob_pass_count(); i++) printf("%-18s %s\n", ob_pass_at(i).name, ob_pass_at(i).help);
    return EXIT_CLEAN;
}

static bool is_pass(const char *name) {
    for (size_t i = 0; i < ob_pass_count(); i++)
        if (strcmp(ob_pass_at(i).name, name) == 0) return true;
    complain(tool, NULL, "there is no pass \"%s\"; --list-passes shows them", name);
    return false;
}

/* ---- Options that only set something ---- */

#define SETS(name, statement)                                                                                                    \
    static int take_##name(void *settings_given, const char *value) {                                                            \
        settings *s = settings_given;                                                                                            \
        (void)value;                                                                                                             \
        statement;                                                                                                               \
        return GO_ON;                                                                                                            \
    }
SETS(certify, s->certificate = value)
SETS(verify_certificate, s->certificate = value; s->verify = true)
SETS(cost, s->cost = true)
SETS(compare, s->compare = true)
SETS(werror, s->telling.werror = true)
SETS(verbose, s->verbose = true)
SETS(force, s->force = true)
SETS(align_weights, s->align_weights = true)
SETS(quiet, s->telling.quiet = true)
SETS(diff, s->fix.wanted = s->fix.diff = true)
SETS(output, s->output = value)
SETS(baseline, s->baseline.read = value)
SETS(write_baseline, s->baseline.written = value)
SETS(guard, s->guard = value)
#undef SETS

/* ---- Options that read a value ---- */

/* The value is a part of the command line, which may be changed. */
#define READS(name, condition)                                                                                                   \
    static int take_##name(void *settings_given, const char *value) {                                                            \
        settings *s = settings_given;                                                                                            \
        char *text = (char *)(uintptr_t)value;                                                                                   \
        (void)text;                                                                                                              \
        return (condition) ? GO_ON : misused();                                                                                  \
    }
READS(fix, fix_take(tool, &s->fix, text))
READS(dim, add_dim(s, text))
READS(input_shape, add_input_shape(s, text))
READS(assume, add_assumption(s, value))
READS(assume_opset, assume_opset(tool, value, &s->assumed_opsets))
READS(independent, independence_ask(&s->independence, value))
READS(select, severities_select(tool, &s->severities, text))
READS(ignore, severities_ignore(tool, &s->severities, text))
READS(severity, severities_set(tool, &s->severities, text))
READS(target, targets_add(tool, &s->targets, text))
READS(max_nodes, parse_limit("--max-nodes", value, &s->check.max_nodes))
READS(max_finding_bytes, parse_limit("--max-finding-bytes", value, &s->check.max_finding_bytes))
READS(op_library, load_operators(tool, value, &s->operators))
READS(max_ram, parse_bytes(tool, "--max-ram", value, &s->max_ram))
READS(jobs, parse_int(tool, "--jobs", value, 1, MAX_JOBS, &s->n_jobs))
READS(dump_after, is_pass(s->dump_after = value))
#undef READS

static int take_rules(void *settings_given, const char *value) {
    settings *s = settings_given;
    s->check.rules = ob_rules_from_name(value);
    if (s->check.rules != OB_RULES_COUNT) return GO_ON;
    complain(tool, NULL, "option --rules: \"%s\" is not one of onnx, numpy, array-api, mlir, xla, sonnx", value);
    return misused();
}

static int take_emit(void *settings_given, const char *value) {
    static const char prefix[] = "target:";
    settings *s = settings_given;
    s->form = ob_form_from_name(value);
    s->form_given = true;
    s->emit_target = NULL;
    if (strncmp(value, prefix, sizeof prefix - 1) == 0) {
        s->emit_target = value + sizeof prefix - 1;
        return is_target(tool, "--emit", s->emit_target) ? GO_ON : misused();
    }
    if (s->form != OB_FORM_COUNT) return GO_ON;
    complain(tool, NULL, "option --emit: \"%s\" is not one of broadcast, function, expand, implicit, fused, target:NAME", value);
    return misused();
}

static int take_format(void *settings_given, const char *value) {
    settings *s = settings_given;
    s->format = ob_report_format_from_name(value);
    if (s->format != OB_REPORT_FORMAT_COUNT || strcmp(value, "text") == 0) return GO_ON;
    fprintf(stderr, "%s: option --format: \"", tool);
    print_escaped(stderr, value);
    fputs("\" is not one of text", stderr);
    for (int format = 0; format < OB_REPORT_FORMAT_COUNT; format++)
        fprintf(stderr, ", %s", ob_report_format_name((ob_report_format)format));
    fputc('\n', stderr);
    return misused();
}

static int take_graph(void *settings_given, const char *value) {
    (void)value;
    ((settings *)settings_given)->graph = true;
    return GO_ON;
}

static int take_color(void *settings_given, const char *value) {
    (void)settings_given;
    if (choose_colour(value)) return GO_ON;
    complain(tool, NULL, "option --color: \"%s\" is not one of auto, always, never", value);
    return misused();
}

/* ---- Options that answer at once ---- */

static int take_list_targets(void *settings_given, const char *value) {
    (void)settings_given, (void)value;
    return list_targets();
}

static int take_version(void *settings_given, const char *value) {
    (void)settings_given, (void)value;
    print_version(tool);
    return EXIT_CLEAN;
}

static int take_help(void *settings_given, const char *value);

static const option_row rows[] = {
    {"--rules", NULL, "BOOK", "onnx numpy array-api mlir xla sonnx", take_rules,
     "rule book: onnx (default), numpy, array-api, mlir, xla or sonnx"},
    {"--dim", NULL, "NAME=SIZE", NULL, take_dim,
     "check with SIZE for the symbol NAME (x[0]: axis 0 of input x, when it has no name)"},
    {"--input-shape", NULL, "X=2x3", NULL, take_input_shape,
     "check with this shape for input X (? leaves a size open; X= is a scalar)"},
    {"--assume", NULL, "CONDITION", NULL, take_assume,
     "assume a condition on input sizes: \"batch >= 1\", \"height % 32 = 0\" (repeatable)"},
    {"--assume-opset", NULL, "[D=]N", NULL, take_assume_opset,
     "read the model as opset N of domain D [ai.onnx] when its own opset is too new for this release"},
    {"--independent", NULL, "SYMBOL", NULL, take_independent,
     "say whether elements of a batch affect each other: whether a batch of 3 along this symbol gives what 3 batches of 1 give "
     "(-: the first axis of the inputs; repeatable)"},
    {"--format", NULL, "FORMAT", "text json sarif github html markdown", take_format,
     "format of the report: text (default), json (docs/report.schema.json), sarif (SARIF 2.1.0), github (annotations of GitHub "
     "Actions), html (one page with the graph, findings and contract), markdown"},
    {"--graph", NULL, NULL, NULL, take_graph, "for --format json: also the graph with its nodes, and the origins of axes"},
    {"--color", NULL, "WHEN", "auto always never", take_color,
     "colour in text: auto (default: on terminals, unless NO_COLOR is set), always or never"},
    {"--jobs", "-j", "N", NULL, take_jobs, "check N models at once (default: 1)"},
    {"--compare", NULL, NULL, NULL, take_compare,
     "compare two models, OLD NEW: signature, contract, broadcasts, findings, bytes; exit status 1 when a change is breaking"},
    {"--certify", NULL, "FILE", "FILE", take_certify,
     "say what is proved equal of two models, OLD NEW, run them at the edges of their contract, compare results as bits, and "
     "write the certificate FILE; exit status 1 when they differ"},
    {"--verify-certificate", NULL, "FILE", "FILE", take_verify_certificate,
     "make the certificate of OLD NEW again and compare it with FILE; --dim must be given as with --certify"},
    {"--output", "-o", "OUT", "FILE", take_output,
     "write the rewritten model (one MODEL without errors). The file name selects the format: .onnxtxt, .textproto, .json, else "
     "binary. -: standard output; findings go to standard error"},
    {"--emit", NULL, "FORM", "broadcast function expand implicit fused target:", take_emit,
     "form for -o: broadcast (default: operators of domain onnx_broadcast), function (the same, with their definitions), expand "
     "(only standard operators), implicit (no explicit broadcasts), fused (nodes that a session computes in one step as "
     "functions), target:NAME (the weakest form that the deployment target accepts)"},
    {"--max-ram", NULL, "BYTES", NULL, take_max_ram,
     "for --emit broadcast, function and expand: a broadcast stays implicit where explicit copies would need more memory (512K, "
     "64M), for the sizes of --dim; --cost shows the memory"},
    {"--emit-guard", NULL, "FILE.c", "FILE", take_guard,
     "write the contract as C functions: guard_FILE tests input sizes, guard_FILE_values tests input elements (one MODEL without "
     "errors)"},
    {"--fix", NULL, "=all|ID,...", "all", take_fix,
     "make the fixes of findings that are safe, check the model again, and write it with -o, in its own form unless --emit is "
     "given. all: also those that change results; ID: those of these findings only, for example --fix=OB0401"},
    {"--diff", NULL, NULL, NULL, take_diff,
     "print the difference that the fixes make to the model as text; findings go to standard error"},
    {"--force", NULL, NULL, NULL, take_force, "for -o: OUT may be the same file as MODEL"},
    {"--align-weights", NULL, NULL, NULL, take_align_weights,
     "for -o: align weights to 64 bytes, so that a session needs no copy of them; the file stays a normal ONNX file"},
    {"--op-library", NULL, "FILE", "FILE", take_op_library,
     "load custom operators from a shared library; runs its code (docs/operators-of-your-own.md)"},
    {"--max-nodes", NULL, "N", NULL, take_max_nodes,
     "infer at most N nodes; nodes of functions count once for each call (default: 2^20 plus 4 for each node of the model)"},
    {"--max-finding-bytes", NULL, "N", NULL, take_max_finding_bytes,
     "limit the memory of findings and their texts to N bytes; findings over the limit are counted but not listed (default: "
     "67108864)"},
    {"--list", NULL, "=all", "all", take_list,
     "list the broadcasts by pattern and do not shorten lists; all: list each broadcast and finding"},
    {"--select", NULL, "ID[,ID]", NULL, take_select,
     "report only these findings: OB0101, or OB02 for all ids that begin with OB02 (repeatable)"},
    {"--ignore", NULL, "ID[,ID][:PATTERN]", NULL, take_ignore,
     "do not report these findings; with PATTERN: only at nodes whose path and name match it (* and ?)"},
    {"--severity", NULL, "ID=LEVEL", NULL, take_severity,
     "set the severity to note, warning, error or none. If several of --select, --ignore and --severity match a finding, the "
     "last one applies"},
    {"--cost", NULL, NULL, NULL, take_cost,
     "print the peak of memory, and for each broadcast the bytes that explicit copies would write and by how much the peak "
     "would grow; for the sizes of --dim"},
    {"--write-baseline", NULL, "FILE", "FILE", take_write_baseline, "write the findings to FILE, as accepted"},
    {"--baseline", NULL, "FILE", "FILE", take_baseline, "do not report the findings in FILE"},
    {"--werror", NULL, NULL, NULL, take_werror, "treat warnings as errors"},
    {"--target", "--targets", "NAME[,NAME]", "all", take_target,
     "compare every broadcast with what these deployment targets accept; all: a line for each target"},
    {"--quiet", "-q", NULL, NULL, take_quiet, "print only findings and summary"},
    {"--verbose", NULL, NULL, NULL, take_verbose, "print progress and the time of each pass to standard error"},
    {"--explain", NULL, "ID", NULL, take_explain,
     "explain a finding, for example OB0101, or list the findings with these words: --explain prelu"},
    {"--list-findings", NULL, NULL, NULL, take_list_findings, "list all findings"},
    {"--list-targets", NULL, NULL, NULL, take_list_targets, "list the deployment targets of --target"},
    {"--list-passes", NULL, NULL, NULL, take_list_passes, "list the passes in their order"},
    {"--dump-after", NULL, "PASS", NULL, take_dump_after,
     "print the model as text after this pass; findings go to standard error"},
    {"--help", "-h", NULL, NULL, take_help, "print this text"},
    {"--version", NULL, NULL, NULL, take_version, "print version, commit, build options and instruction-set level"},
};
enum { N_ROWS = sizeof rows / sizeof *rows };

static int take_help(void *settings_given, const char *value) {
    (void)settings_given, (void)value;
    printf(
        "usage: %s [options] MODEL...\n\n"
        "Checks every broadcast of ONNX models and reports the result for each. A MODEL is a file in binary form, ONNX's text\n"
        "form, protobuf's text form or JSON; the content decides. - is standard input.\n\n",
        tool);
    options_print(rows, N_ROWS);
    printf("\nexit status: 0 no errors, 1 errors remain or elements of a batch affect each other, 2 unreadable file or wrong "
           "use\n");
    return EXIT_CLEAN;
}

/* ---- Options together ---- */

int take_options(settings *s, int argc, char **argv) {
    arguments o = arguments_begin(tool, argc, argv);
    while (arguments_next(&o)) {
        if (!option_is_any(&o)) {
            s->files[s->n_files++] = option_text(&o);
            continue;
        }
        int status = options_take(rows, N_ROWS, &o, s);
        if (status == OPTION_REFUSED) return misused();
        if (status >= 0) return status;
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
    if (s->certificate &&
        (s->n_files != 2 || s->compare || s->output || s->guard || s->fix.wanted || s->dump_after || is_file_format(s) ||
         s->baseline.read || s->baseline.written || s->check.n_shapes || s->check.n_assumptions)) {
        complain(tool, NULL, "--certify and --verify-certificate take two models, and no other options than --dim");
        return misused();
    }
    if (s->certificate && !s->verify &&
        (is_same_file(s->files[0], s->certificate) || is_same_file(s->files[1], s->certificate))) {
        complain(tool, s->certificate, "--certify would replace a model that is read");
        return misused();
    }
    if (s->compare && (s->n_files != 2 || s->output || s->guard || s->fix.wanted || s->dump_after || s->independence.n ||
                       s->baseline.written || (is_file_format(s) && s->format != OB_REPORT_JSON))) {
        complain(tool, NULL, "--compare takes two models and writes text or JSON; it does not go with options that write files");
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
    if (s->fix.diff && (is_file_format(s) || s->dump_after || to_stdout(s))) {
        complain(tool, NULL, "--diff writes to standard output, which has another use already");
        return misused();
    }
    if (to_stdout(s) && (is_file_format(s) || s->dump_after)) {
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
    if (s->max_ram && (!s->output || s->form > OB_FORM_EXPAND || s->emit_target || s->fix.wanted)) {
        complain(tool, NULL, "--max-ram needs -o OUT and --emit broadcast, function or expand");
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
