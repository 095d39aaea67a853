/* onnx-broadcast-run: runs a model. */
#include "run_parts.h"

#include <stdlib.h>
#include <string.h>

#include "stop.h"

static const char usage[] =
    "usage: onnx-broadcast-run MODEL [--input [NAME=]FILE]... [--output-dir DIR [--npy]] [options]\n"
    "       onnx-broadcast-run --list-ops MODEL... [options]\n"
    "\n"
    "Runs an ONNX model (.onnx, .onnxtxt, .textproto, .json, or - for standard input) and prints a preview of its outputs.\n"
    "\n"
    "  --input [NAME=]FILE   an input by name, or the next one in order: TensorProto (.pb), NumPy (.npy), JSON, or raw elements\n"
    "                        (.raw, .bin, little-endian) of the input's type and shape, which FILE:TYPE[SIZES] states "
    "otherwise;\n"
    "                        without NAME= all inputs that a .npz or JSON file names;\n"
    "                        SequenceProto, OptionalProto or MapProto (.pb) for a sequence, an optional or a map;\n"
    "                        an optional without a file is empty\n"
    "  --random              random elements for all tensors without --input; open sizes become 1\n"
    "  --seed S              seed of the random elements [1]\n"
    "  --dim NAME=SIZE       size of a symbolic dimension; x[0]=3: axis 0 of input x, when it has no name\n"
    "  --assume-opset [D=]N  read the model as opset N of domain D [ai.onnx] when its own opset is too new for this release\n"
    "  --output-dir DIR      write output_0.pb, output_1.pb ... to DIR\n"
    "  --npy                 with --output-dir: write output_0.npy ...\n"
    "  --expect DIR          compare with output_0.pb ... in DIR; exit status 1 when they differ\n"
    "  --rtol R, --atol A    tolerances of --expect [those of data.json in DIR or the folder above, else 1e-3, 1e-7]\n"
    "  --check-independent S compare a batch of 3 along symbol S (-: the first axis of the inputs) with 3 batches of 1, with\n"
    "                        random inputs; exit status 1 when outputs differ. --rtol and --atol [1e-4, 1e-5] decide\n"
    "  --op-library FILE     load custom operators from a shared library; runs its code\n"
    "  --threads T           use T threads, but at most one for each processor; the process may use %d [1]\n"
    "  --numerics KIND       exact: only the library's own kernels; relaxed: sums in any order (Winograd, OpenBLAS) [exact]\n"
    "  --strict              refuse a model whose results differ from the shapes and types that it declares\n"
    "  --max-memory SIZE     memory limit of a run, without the model's file [available memory]\n"
    "  --max-output-bytes SIZE  limit for all outputs together [none]\n"
    "  --max-nodes N         limit for nodes after functions are inlined [2^17 plus 16 for each node]\n"
    "  --max-seconds S       time limit for creating the session, and for each run [none]\n"
    "                        SIZE is a number of bytes, or 512K, 64M, 2G; over a limit the exit status is 1\n"
    "  --no-optimize         run every node unchanged: no folded constants, nothing in place\n"
    "  --bench N             run N times and print one JSON line with the times and whether inputs were random\n"
    "  --warmup W            number of runs before the measured ones [1]\n"
    "  --min-time S          continue until S seconds have passed [0]\n"
    "  --explain-plan        print the steps: nodes, kernel, bytes read and written, in place or not\n"
    "  --list-ops            print the operators that the models need, in all versions and types, for a build with no others\n"
    "                        (OB_OPS, docs/embedding.md)\n"
    "  --emit-c DIR          write the model as C to DIR: constant tables, weights, a CMakeLists.txt and an example\n"
    "  --name NAME           with --emit-c: the name of files and functions [model]\n"
    "  --plan NAME=SIZE,...  with --emit-c: one more set of sizes, those of --dim except for these\n"
    "  --weights FORM        with --emit-c: c: numbers in the source; binary: a file that it includes; auto [auto]\n"
    "  --level LEVEL         with --emit-c: the instruction-set level of the kernels: baseline (any processor), avx2,\n"
    "                        avx512 [baseline]\n"
    "  --profile[=FILE]      print the time by node, and write a trace for chrome://tracing to FILE\n"
    "  --verbose             print progress to standard error: files, plans, memory\n"
    "  --quiet               no preview, no notes\n"
    "  --help, --version     print this text; print version, commit, build options and instruction-set level\n"
    "\n"
    "exit status: 0 success, 1 failure, 2 unreadable file or wrong use, 3 a part of the model is not supported;\n"
    "after signal N: 128 + N\n";

exit_code exit_code_of(ob_status status) {
    switch (status) {
    case OB_OK: return EXIT_DONE;
    case OB_E_UNSUPPORTED: return EXIT_UNSUPPORTED;
    case OB_E_NOT_FOUND: /* a name that the model does not have */
    case OB_E_IO:
    case OB_E_FORMAT:
    case OB_E_MODEL: return EXIT_MISUSED;
    default: return EXIT_FAILED;
    }
}

/* ---- Options ---- */

static bool add_dim(run_options *r, const char *text) {
    if (r->n_dims == MAX_DIMS) {
        complain(TOOL, NULL, "more than %d --dim options", MAX_DIMS);
        return false;
    }
    char *name = r->dim_names[r->n_dims];
    if (!parse_dim(TOOL, text, name, sizeof r->dim_names[0], &r->dims[r->n_dims].size)) return false;
    r->dims[r->n_dims++].name = name;
    return true;
}

static bool add_file(run_options *r, const char *text) {
    if (r->n_files == MAX_FILES) {
        complain(TOOL, NULL, "more than %d --input options", MAX_FILES);
        return false;
    }
    r->files[r->n_files++] = text;
    return true;
}

static bool parse_numerics(const char *text, ob_numerics *out) {
    bool relaxed = strcmp(text, "relaxed") == 0;
    if (!relaxed && strcmp(text, "exact") != 0) {
        complain(TOOL, NULL, "option --numerics: \"%s\" is not one of exact, relaxed", text);
        return false;
    }
    *out = relaxed ? OB_NUMERICS_RELAXED : OB_NUMERICS_EXACT;
    return true;
}

static bool parse_option(run_options *r, arguments *o) {
    if (option_has_value(o, "--input")) return add_file(r, o->value);
    if (option_has_value(o, "--dim")) return add_dim(r, o->value);
    if (option_has_value(o, "--assume-opset")) return !o->failed && assume_opset(TOOL, o->value, &r->assumed_opsets);
    if (option_has_value(o, "--output-dir")) return r->output_folder = o->value, true;
    if (option_has_value(o, "--emit-c")) return r->emit_folder = o->value, true;
    if (option_has_value(o, "--name")) return r->emit_name = o->value, true;
    if (option_has_value(o, "--level")) return r->emit_level = o->value, true;
    if (option_has_value(o, "--plan")) return !o->failed && add_plan(r, o->value);
    if (option_has_value(o, "--weights")) return !o->failed && parse_weights(o->value, &r->emit_weights);
    if (option_has_value(o, "--expect")) return r->expect_folder = o->value, true;
    if (option_has_value(o, "--check-independent")) return r->independent = o->value, true;
    if (option_has_value(o, "--seed")) return parse_int(TOOL, "--seed", o->value, 0, INT64_MAX, &r->seed);
    if (option_has_value(o, "--rtol")) return parse_real(TOOL, "--rtol", o->value, 0, 1e30, &r->rtol);
    if (option_has_value(o, "--atol")) return parse_real(TOOL, "--atol", o->value, 0, 1e30, &r->atol);
    if (option_has_value(o, "--threads")) return parse_int(TOOL, "--threads", o->value, 1, 1024, &r->threads);
    if (option_has_value(o, "--numerics")) return !o->failed && parse_numerics(o->value, &r->numerics);
    if (option_has_value(o, "--max-memory")) return parse_bytes(TOOL, "--max-memory", o->value, &r->max_memory);
    if (option_has_value(o, "--max-output-bytes")) return parse_bytes(TOOL, "--max-output-bytes", o->value, &r->max_output_bytes);
    if (option_has_value(o, "--max-nodes")) return parse_int(TOOL, "--max-nodes", o->value, 1, INT64_C(1) << 40, &r->max_nodes);
    if (option_has_value(o, "--max-seconds")) return parse_real(TOOL, "--max-seconds", o->value, 1e-9, 1e9, &r->max_seconds);
    if (option_has_value(o, "--bench"))
        return r->bench = true, parse_int(TOOL, "--bench", o->value, 1, INT64_C(1) << 40, &r->runs);
    if (option_has_value(o, "--warmup")) return parse_int(TOOL, "--warmup", o->value, 0, INT64_C(1) << 40, &r->warmup);
    if (option_has_value(o, "--min-time")) return parse_real(TOOL, "--min-time", o->value, 0, 1e9, &r->min_seconds);
    if (option_has_value(o, "--op-library")) return !o->failed && load_operators(TOOL, o->value, &r->operators);
    if (option_may_have_value(o, "--profile")) return r->profile = true, r->profile_file = o->value, true;
    if (option_is(o, "--explain-plan")) return r->explain_plan = true;
    if (option_is(o, "--list-ops")) return r->lists_operators = true;
    if (option_is(o, "--npy")) return r->npy = true;
    if (option_is(o, "--no-optimize")) return r->optimize = false, true;
    if (option_is(o, "--random")) return r->random = true;
    if (option_is(o, "--strict")) return r->strict = true;
    if (option_is(o, "--quiet")) return r->quiet = true;
    if (option_is(o, "--verbose")) return r->verbose = true;
    complain(TOOL, NULL, "unknown option %s (--help lists them)", option_text(o));
    return false;
}

static bool parse(run_options *r, int argc, char **argv, bool *done) {
    arguments o = arguments_begin(TOOL, argc, argv);
    while (arguments_next(&o)) {
        if (option_is(&o, "--help")) return printf(usage, ob_machine_processors()), *done = true;
        if (option_is(&o, "--version")) return print_version(TOOL), *done = true;
        if (option_is_any(&o)) {
            if (!parse_option(r, &o) || o.failed) return false;
        } else if (!r->model)
            r->model = option_text(&o);
        else if (r->n_more < MAX_FILES)
            r->more[r->n_more++] = option_text(&o);
        else {
            complain(TOOL, NULL, "more than %d models", MAX_FILES);
            return false;
        }
    }
    if (r->n_more && !r->lists_operators) {
        complain(TOOL, NULL, "only one model can be run: %s is the second one", r->more[0]);
        return false;
    }
    if (!r->model) complain(TOOL, NULL, "no model is given (--help shows the options)");
    if (r->model && r->profile_file && is_same_file(r->model, r->profile_file)) {
        complain(TOOL, r->profile_file, "--profile would replace the model");
        return false;
    }
    return r->model != NULL && (!r->emit_folder || use_level(r->emit_level ? r->emit_level : "baseline"));
}

/* ---- Running ---- */

/* A session's one callback context: this program has one of each. */
typedef struct session_context {
    const run_options *options;
    profile *profile;
    size_t n_unsupported;
} session_context;

static void print_unsupported(void *context, const ob_unsupported *item) {
    session_context *c = context;
    c->n_unsupported++;
    if (item->n_nodes == 1)
        complain(TOOL, c->options->model, "not supported: %s: %s (node \"%s\")", item->op_type, item->reason, item->node);
    else
        complain(TOOL, c->options->model, "not supported: %s: %s (%zu nodes, the first is \"%s\")", item->op_type, item->reason,
                 item->n_nodes, item->node);
}

static void trace(void *context, const ob_trace_event *event) {
    profile_record(((session_context *)context)->profile, event);
}

static exit_code fail(const session_context *context, const ob_error *error) {
    bool said = error->code == OB_E_UNSUPPORTED && context->n_unsupported > 0; /* each item has had its line */
    if (!said) complain_error(TOOL, context->options->model, error);
    return exit_code_of(error->code);
}

static exit_code use_outputs(const run_options *r, const ob_session *session, const run_outputs *outputs) {
    exit_code code = EXIT_DONE;
    if (!r->quiet && !r->bench) outputs_print(session, outputs);
    if (r->output_folder) code = outputs_write(r, session, outputs);
    if (code == EXIT_DONE && r->expect_folder) code = outputs_compare(r, session, outputs);
    return code;
}

ob_status run_once(ob_session *session, const run_inputs *inputs, run_outputs *outputs, ob_error *error) {
    const run_outputs none = {NULL, NULL, 0};
    const run_outputs *to = outputs ? outputs : &none;
    return ob_session_run_cells(session, inputs->views, (const ob_cell *const *)inputs->cells, inputs->n, to->views, to->cells,
                                to->n, error);
}

static exit_code out_of_memory(const run_options *r) {
    complain(TOOL, r->model, "out of memory");
    return EXIT_FAILED;
}

/* The session may keep cells of inputs until it is closed: `inputs` outlives it. */
static exit_code run_session(const run_options *r, ob_session *session, session_context *context, run_inputs *inputs,
                             double load_ms, double start) {
    ob_error error;
    size_t n = ob_session_output_count(session);
    run_outputs outputs = {calloc(n + 1, sizeof *outputs.views), calloc(n + 1, sizeof *outputs.cells), n};
    double input_start = now_ms();
    exit_code code = inputs_prepare(r, session, inputs);
    double input_ms = now_ms() - input_start;
    if (code == EXIT_DONE && (!outputs.views || !outputs.cells)) code = out_of_memory(r);
    if (code == EXIT_DONE && ob_session_prepare(session, inputs->views, inputs->n, &error) != OB_OK) code = fail(context, &error);
    double create_ms = now_ms() - start - input_ms;
    if (code == EXIT_DONE && run_once(session, inputs, &outputs, &error) != OB_OK) code = fail(context, &error);
    if (code == EXIT_DONE) code = use_outputs(r, session, &outputs);
    if (code == EXIT_DONE && r->explain_plan && plan_print(session, &error) != OB_OK) code = fail(context, &error);
    if (code == EXIT_DONE && r->bench) {
        if (context->profile) profile_reset(context->profile);
        code = bench(r, session, inputs, load_ms, create_ms);
    }
    if (code == EXIT_DONE && r->profile) {
        profile_print(context->profile, r->bench ? stderr : stdout);
        if (r->profile_file && profile_write(context->profile, r->profile_file, &error) != OB_OK) code = fail(context, &error);
    }
    inputs_release(inputs);
    free(outputs.views);
    free(outputs.cells);
    return code;
}

static exit_code emit(const run_options *r, ob_session *session, const session_context *context) {
    ob_error error;
    bool failed;
    const exit_code code = emit_c(r, session, &error, &failed);
    return failed ? fail(context, &error) : code;
}

/* Sizes that are open are 1, and elements random: other inputs take the same loops. Loops that cannot be found out are not
 * listed.
 */
static exit_code list_session(run_options *r, ob_session *session, session_context *context, run_inputs *inputs) {
    ob_error error;
    if (operators_add(&r->list, session, &error) != OB_OK) return fail(context, &error);
    const bool quiet = r->quiet, random = r->random;
    r->quiet = r->random = true;
    const exit_code code = inputs_prepare(r, session, inputs);
    r->quiet = quiet;
    r->random = random;
    ob_status status = OB_OK;
    if (code != EXIT_DONE)
        loops_unknown(&r->list, r->model, "inputs are missing");
    else if ((status = loops_add(&r->list, inputs, session, &error)) != OB_OK && status != OB_E_UNSUPPORTED)
        loops_unknown(&r->list, r->model, error.message);
    inputs_release(inputs);
    return status == OB_E_UNSUPPORTED ? fail(context, &error) : EXIT_DONE;
}

static exit_code run(run_options *r) {
    run_inputs inputs = {0};
    ob_model *model = NULL;
    ob_session *session = NULL;
    ob_error error;
    double start = now_ms();
    ob_status status = load_model(TOOL, r->model, r->operators, &r->assumed_opsets, r->verbose, r->max_memory, &model, &error);
    if (status != OB_OK)
        return status == OB_E_MEMORY ? EXIT_FAILED : status == OB_E_UNSUPPORTED ? EXIT_UNSUPPORTED : EXIT_MISUSED;
    double load_ms = now_ms() - start;
    if (r->independent) {
        const exit_code independent = check_independent(r, model);
        ob_model_close(&model);
        return independent;
    }
    session_context context = {r, r->profile ? profile_begin() : NULL, 0};
    ob_session_config config;
    ob_session_config_init(&config);
    config.n_threads = (int)r->threads;
    config.optimize = r->optimize;
    config.strict_declarations = r->strict;
    config.numerics = r->numerics;
    const ob_logger warnings = logger_to_stderr(TOOL, OB_LOG_WARNING);
    if (!r->quiet && !r->verbose) config.logger = &warnings; /* with --verbose the model's tells all */
    config.dims = r->dims;
    config.n_dims = r->n_plans ? 0 : r->n_dims; /* plans have different sizes */
    config.ahead_of_time = r->emit_folder != NULL;
    config.max_plans = (uint32_t)r->n_plans + 8;
    config.unsupported = print_unsupported;
    config.trace = context.profile ? trace : NULL;
    config.context = &context;
    config.max_memory = r->max_memory;
    config.max_output_bytes = r->max_output_bytes;
    config.max_nodes = (uint64_t)r->max_nodes;
    config.max_run_ns = (uint64_t)(r->max_seconds * 1e9);
    config.note_loops = r->lists_operators;
    start = now_ms();
    exit_code code;
    if (r->profile && !context.profile)
        code = out_of_memory(r);
    else if (ob_session_create(model, &config, &session, &error) == OB_OK)
        code = r->emit_folder       ? emit(r, session, &context)
               : r->lists_operators ? list_session(r, session, &context, &inputs)
                                    : run_session(r, session, &context, &inputs, load_ms, start);
    else
        code = fail(&context, &error);
    ob_session_close(&session);
    ob_model_close(&model);
    profile_end(context.profile);
    return code;
}

/* All models, or no list. */
static exit_code list_operators(run_options *r) {
    exit_code code = run(r);
    for (size_t i = 0; code == EXIT_DONE && i < r->n_more; i++) {
        r->model = r->more[i];
        code = run(r);
    }
    if (code == EXIT_DONE) operators_print(&r->list);
    free(r->list.items);
    return code;
}

int main(int argc, char **argv) {
    static run_options r; /* large, and zero */
    r.optimize = true;
    r.threads = r.warmup = r.runs = r.seed = 1;
    r.rtol = r.atol = -1;
    r.emit_name = "model";
    bool done = false;
    stop_install();
    r.max_memory = ob_machine_memory();
    bool understood = parse(&r, argc, argv, &done);
    exit_code code = !understood ? EXIT_MISUSED : done ? EXIT_DONE : r.lists_operators ? list_operators(&r) : run(&r);
    ob_operators_close(&r.operators);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        complain(TOOL, NULL, "cannot write to standard output");
        return EXIT_FAILED;
    }
    return (int)code;
}
