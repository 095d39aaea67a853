/* Certificates: see include/onnx_broadcast/certificate.h. */
#include "onnx_broadcast/certificate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"
#include "core/base/error.h"
#include "core/base/sha256.h"
#include "core/base/text.h"
#include "kernels/kernels.h"
#include "onnx_broadcast/model.h"
#include "onnx_broadcast/session.h"
#include "onnx_broadcast/version.h"
#include "passes/format/output.h"
#include "runtime/certify/elements.h"
#include "runtime/certify/proved.h"

enum {
    RUNS = 12,        /* sets of sizes by default */
    MOST_TRIED = 400, /* sets of sizes that are looked at */
    HEX = 2 * OB_SHA256_BYTES + 1
};
#define MEMORY (UINT64_C(1) << 30)
#define LEVEL  "\"level\":\""

/* A set of sizes, for the symbols of the old model's inputs. */
typedef struct run_sizes {
    ob_binding sizes[OB_CERTIFY_SYMBOLS];
} run_sizes;

typedef struct side {
    const char *path;
    ob_model *model;
    ob_report *report;
    ob_session *session;
} side;

typedef struct certifying {
    const ob_certify_options *options;
    side sides[2];
    ob_comparison *comparison;
    ob_arena arena;
    ob_output *out;
    const char *names[OB_CERTIFY_SYMBOLS]; /* open sizes, n_symbols */
    ob_dim symbols[OB_CERTIFY_SYMBOLS];    /* the same in the pool of the old session */
    size_t n_symbols;
    ob_certificate_info *info;
    ob_error *error;
    size_t n_rows;
} certifying;

/* ---- Digests ---- */

static ob_status digest_file(const char *path, char text[HEX], ob_error *error) {
    ob_text bytes;
    char piece[1024];
    FILE *file = fopen(path, "rb");
    OB_FAIL_IF(!file, error, OB_E_IO, "cannot open \"%s\"", path);
    ob__text_init(&bytes, ob_allocator_default());
    size_t n;
    while ((n = fread(piece, 1, sizeof piece, file)) > 0) ob__text_append(&bytes, piece, n);
    const bool unread = ferror(file) != 0;
    fclose(file);
    const bool failed = bytes.failed;
    if (!failed && !unread) ob__sha256_hex(bytes.data ? bytes.data : "", bytes.n, text, HEX - 1);
    ob__text_release(&bytes);
    OB_FAIL_IF(unread, error, OB_E_IO, "cannot read \"%s\"", path);
    return ob__described(error, failed ? OB_E_MEMORY : OB_OK, "");
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* ---- Models ---- */

static ob_status open_side(certifying *c, side *s) {
    ob_session_config config;
    OB_TRY(ob_model_load(s->path, NULL, &s->model, c->error));
    OB_TRY(ob_check(s->model, NULL, &s->report, c->error));
    ob_session_config_init(&config);
    config.max_memory = c->options->max_memory ? c->options->max_memory : MEMORY;
    return ob_session_create(s->model, &config, &s->session, c->error);
}

static void close_side(side *s) {
    ob_session_close(&s->session);
    ob_report_close(&s->report);
    ob_model_close(&s->model);
}

/* The open sizes of the old model's inputs, each once. */
static ob_status list_symbols(certifying *c) {
    const ob_session *session = c->sides[0].session;
    ob_session_value input;
    for (size_t i = 0; ob_session_input(session, i, &input); i++) {
        OB_FAIL_IF(input.shape.rank == OB_RANK_UNKNOWN || input.type->kind != OB_TYPE_TENSOR || !ob__certify_has(input.dtype),
                   c->error, OB_E_UNSUPPORTED, "input \"%s\" is not a tensor of floats, integers or bools with a known rank",
                   input.name);
        for (int32_t axis = 0; axis < input.shape.rank; axis++) {
            const ob_dim dim = input.shape.dims[axis];
            if (ob_dim_is_const(dim)) continue;
            size_t at = 0;
            while (at < c->n_symbols && c->symbols[at] != dim) at++;
            if (at < c->n_symbols) continue;
            OB_FAIL_IF(c->n_symbols == OB_CERTIFY_SYMBOLS, c->error, OB_E_LIMIT, "more than %d open sizes",
                       (int)OB_CERTIFY_SYMBOLS);
            const size_t n = ob_dim_format(ob_session_dims(session), dim, NULL, 0);
            char *name = ob__arena_alloc(&c->arena, n + 1);
            if (!name) return OB_E_MEMORY;
            ob_dim_format(ob_session_dims(session), dim, name, n + 1);
            c->names[c->n_symbols] = name;
            c->symbols[c->n_symbols++] = dim;
        }
    }
    for (size_t i = 0; i < c->options->n_sizes; i++) {
        const ob_dim symbol = ob_dim_find(ob_session_dims(session), c->options->sizes[i].name);
        size_t at = 0;
        while (at < c->n_symbols && c->symbols[at] != symbol) at++;
        OB_FAIL_IF(at == c->n_symbols, c->error, OB_E_NOT_FOUND, "no open input size has the name \"%s\"",
                   c->options->sizes[i].name ? c->options->sizes[i].name : "");
    }
    return OB_OK;
}

/* ---- Sizes ---- */

/* Sizes from a list of the report; others are `otherwise`. Fixed sizes stay. */
static void take_sizes(const certifying *c, const ob_named_size *given, size_t n, int64_t otherwise, run_sizes *out) {
    const ob_dims *dims = ob_session_dims(c->sides[0].session);
    for (size_t i = 0; i < c->n_symbols; i++) {
        int64_t size = -1;
        for (size_t k = 0; k < n && size < 0; k++)
            if (ob_dim_find(dims, given[k].name) == c->symbols[i]) size = given[k].size;
        if (size < 0) size = otherwise;
        for (size_t k = 0; k < c->options->n_sizes; k++)
            if (ob_dim_find(dims, c->options->sizes[k].name) == c->symbols[i]) size = c->options->sizes[k].size;
        out->sizes[i] = (ob_binding){c->symbols[i], size};
    }
}

typedef struct size_list {
    run_sizes *runs;
    size_t n, most;
} size_list;

/* Adds the sizes unless they are there, or too large for a run. */
static void add_sizes(const certifying *c, size_list *list, const run_sizes *sizes) {
    enum { LARGEST = 4096 };
    if (list->n == list->most) return;
    for (size_t i = 0; i < c->n_symbols; i++)
        if (sizes->sizes[i].size > LARGEST) return;
    for (size_t k = 0; k < list->n; k++) {
        size_t same = 0;
        while (same < c->n_symbols && list->runs[k].sizes[same].size == sizes->sizes[same].size) same++;
        if (same == c->n_symbols) return;
    }
    list->runs[list->n++] = *sizes;
}

static bool is_admitted(const certifying *c, const run_sizes *sizes) {
    ob_named_size named[OB_CERTIFY_SYMBOLS];
    ob_truth truth = OB_FALSE;
    for (size_t i = 0; i < c->n_symbols; i++) named[i] = (ob_named_size){c->names[i], sizes->sizes[i].size};
    const ob_status status = ob_report_contract_holds(c->sides[0].report, named, c->n_symbols, &truth, NULL);
    return status != OB_OK || truth != OB_FALSE; /* a run decides where the contract cannot be asked */
}

/* The edges: sizes at which each clause holds and fails, examples of the contract, 1, 0, 2, primes, and mixtures that the
 * contract admits. The order is fixed, and so are the numbers. */
static void choose_sizes(const certifying *c, size_list *list) {
    static const int64_t plain[] = {2, 1, 0, 3, 7};
    ob_report *report = c->sides[0].report;
    run_sizes sizes;
    ob_example_info example;
    ob_clause_info clause;
    uint64_t state = UINT64_C(0x9E3779B97F4A7C15);
    for (size_t i = 0; i < 2 && ob_report_example(report, i, &example) == OB_OK; i++) {
        take_sizes(c, example.sizes, example.n_sizes, 2, &sizes);
        add_sizes(c, list, &sizes);
    }
    const size_t n_clauses = ob_report_contract(report).n_clauses;
    for (size_t i = 0; i < n_clauses && i < MOST_TRIED && ob_report_clause(report, i, &clause) == OB_OK; i++) {
        if (clause.n_holds) take_sizes(c, clause.holds, clause.n_holds, 2, &sizes), add_sizes(c, list, &sizes);
        if (clause.n_fails && list->n + 4 < list->most)
            take_sizes(c, clause.fails, clause.n_fails, 2, &sizes), add_sizes(c, list, &sizes);
    }
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        take_sizes(c, NULL, 0, plain[i], &sizes);
        if (is_admitted(c, &sizes)) add_sizes(c, list, &sizes);
    }
    for (uint32_t try = 0; try < MOST_TRIED && list->n < list->most && c->n_symbols > 0; try++) {
        take_sizes(c, NULL, 0, 2, &sizes);
        for (size_t i = 0; i < c->n_symbols; i++) {
            static const int64_t drawn[] = {0, 1, 2, 3, 4, 5, 7, 8, 11, 16};
            state ^= state << 13, state ^= state >> 7, state ^= state << 17;
            bool fixed = false;
            for (size_t k = 0; k < c->options->n_sizes; k++)
                fixed |= ob_dim_find(ob_session_dims(c->sides[0].session), c->options->sizes[k].name) == c->symbols[i];
            if (!fixed) sizes.sizes[i].size = drawn[(state >> 33) % (sizeof drawn / sizeof *drawn)];
        }
        if (is_admitted(c, &sizes)) add_sizes(c, list, &sizes);
    }
}

/* ---- One run ---- */

typedef struct outcome {
    ob_status status;
    char digest[HEX]; /* of all results */
    ob_text shapes;   /* as JSON, of the old model */
} outcome;

static void write_shapes(ob_text *text, const ob_view *outputs, size_t n) {
    for (size_t i = 0; i < n; i++) {
        ob__text_puts(text, i ? ",[" : "[");
        for (int32_t axis = 0; axis < outputs[i].rank; axis++)
            ob__text_printf(text, "%s%lld", axis ? "," : "", (long long)outputs[i].dims[axis]);
        ob__text_puts(text, "]");
    }
}

/* Outputs that are no tensors are not compared: such models are refused before. */
static ob_status run_side(certifying *c, const side *s, const ob_view *inputs, size_t n_inputs, outcome *out) {
    const size_t n = ob_session_output_count(s->session);
    ob_view *outputs = ob__arena_calloc(&c->arena, n, sizeof *outputs);
    ob_error refused;
    ob_text bytes;
    if (n && !outputs) return OB_E_MEMORY;
    out->status = ob_session_run(s->session, inputs, n_inputs, outputs, n, &refused);
    if (out->status == OB_E_MEMORY) return OB_E_MEMORY;
    if (out->status != OB_OK) return OB_OK;
    ob__text_init(&bytes, &c->arena.allocator);
    for (size_t i = 0; i < n; i++) ob__certify_append(&bytes, &outputs[i]);
    const bool failed = bytes.failed;
    if (!failed) ob__sha256_hex(bytes.data ? bytes.data : "", bytes.n, out->digest, HEX - 1);
    ob__text_release(&bytes);
    write_shapes(&out->shapes, outputs, n);
    return failed || out->shapes.failed ? OB_E_MEMORY : OB_OK;
}

/* *fits false: the inputs are too large for the limit. */
static ob_status make_inputs(certifying *c, const run_sizes *sizes, bool special, ob_view *views, size_t n, bool *fits,
                             char digest[HEX]) {
    const ob_session *session = c->sides[0].session;
    const uint64_t most = c->options->max_memory ? c->options->max_memory : MEMORY;
    uint64_t total = 0, state = special ? UINT64_C(88172645463325252) : UINT64_C(88172645463325253);
    ob_text bytes;
    ob_status status = OB_OK;
    ob__text_init(&bytes, &c->arena.allocator);
    *fits = true;
    for (size_t i = 0; i < n && status == OB_OK && *fits; i++) {
        ob_session_value input;
        int64_t dims[OB_MAX_RANK], lowest, highest;
        (void)ob_session_input(session, i, &input);
        for (int32_t axis = 0; axis < input.shape.rank && status == OB_OK; axis++)
            status = ob_dim_eval(ob_session_dims(session), input.shape.dims[axis], sizes->sizes, c->n_symbols, &dims[axis]);
        if (status == OB_OK && ob_view_init(&views[i], &total, input.dtype, input.shape.rank, dims) != OB_OK) *fits = false;
        if (status != OB_OK || !*fits) break;
        const uint64_t n_bytes = (uint64_t)ob_view_count(&views[i]) * ob_dtype_size(input.dtype);
        *fits = n_bytes <= most - total;
        if (!*fits) break;
        total += n_bytes;
        void *data = ob__arena_alloc(&c->arena, (size_t)n_bytes + 8);
        if (!data) {
            status = OB_E_MEMORY;
            break;
        }
        views[i].data = data;
        ob__certify_range(c->sides[0].report, c->names, sizes->sizes, c->n_symbols, input.name, &lowest, &highest);
        ob__certify_fill(&views[i], special, &state, lowest, highest);
        ob__certify_append(&bytes, &views[i]);
    }
    if (bytes.failed) status = OB_E_MEMORY;
    if (status == OB_OK && *fits) ob__sha256_hex(bytes.data ? bytes.data : "", bytes.n, digest, HEX - 1);
    ob__text_release(&bytes);
    return status;
}

static void put_sizes(certifying *c, const run_sizes *sizes) {
    ob_output *out = c->out;
    ob__out(out, c->n_rows++ ? ",\n{\"sizes\":{" : "\n{\"sizes\":{");
    for (size_t i = 0; i < c->n_symbols; i++) {
        if (i) ob__out_char(out, ',');
        ob__out_string(out, c->names[i]);
        ob__outf(out, ":%lld", (long long)sizes->sizes[i].size);
    }
    ob__out_char(out, '}');
}

static void put_not_run(certifying *c, const run_sizes *sizes, const char *reason) {
    put_sizes(c, sizes);
    ob__out_field(c->out, "not_run", reason);
    ob__out_char(c->out, '}');
}

static void put_run(certifying *c, const run_sizes *sizes, bool special, const char *inputs, const outcome *results,
                    const char *verdict) {
    ob_output *out = c->out;
    put_sizes(c, sizes);
    ob__outf(out, ",\"inputs\":\"%s\"", special ? "special" : "plain");
    ob__out_field(out, "inputs_sha256", inputs);
    ob__out_field(out, "result", verdict);
    for (int which = 0; which < 2; which++) {
        ob__out_key(out, which ? "after" : "before");
        if (results[which].status != OB_OK) {
            ob__out(out, "{\"refused\":");
            ob__out_string(out, ob_status_text(results[which].status));
        } else {
            ob__out(out, "{\"sha256\":");
            ob__out_string(out, results[which].digest);
            ob__out(out, ",\"shapes\":[");
            ob__out_bytes(out, results[which].shapes.data ? results[which].shapes.data : "", results[which].shapes.n);
            ob__out_char(out, ']');
        }
        ob__out_char(out, '}');
    }
    ob__out_char(out, '}');
}

static ob_status run_once(certifying *c, const run_sizes *sizes, bool special) {
    const ob_session *before = c->sides[0].session, *after = c->sides[1].session;
    const size_t n = ob_session_input_count(before);
    ob_view *views = ob__arena_calloc(&c->arena, n, sizeof *views), *other = ob__arena_calloc(&c->arena, n, sizeof *other);
    outcome results[2];
    char digest[HEX];
    bool fits;
    if (n && (!views || !other)) return OB_E_MEMORY;
    OB_TRY(make_inputs(c, sizes, special, views, n, &fits, digest));
    if (!fits) {
        put_not_run(c, sizes, "the inputs are larger than max_memory");
        return OB_OK;
    }
    for (size_t i = 0; i < n; i++) {
        ob_session_value input;
        size_t at;
        (void)ob_session_input(before, i, &input);
        if (ob_session_input_index(after, input.name, &at) != OB_OK || at >= n) return OB_OK;
        other[at] = views[i];
    }
    for (int which = 0; which < 2; which++) ob__text_init(&results[which].shapes, &c->arena.allocator);
    ob_status status = run_side(c, &c->sides[0], views, n, &results[0]);
    if (status == OB_OK) status = run_side(c, &c->sides[1], other, n, &results[1]);
    if (status == OB_OK) {
        ob_certificate_info *info = c->info;
        const bool both = results[0].status == OB_OK && results[1].status == OB_OK;
        const bool equal = both && strcmp(results[0].digest, results[1].digest) == 0;
        info->n_runs += both;
        info->n_different += both && !equal;
        info->n_refused += !both && results[0].status == results[1].status;
        info->n_unlike += results[0].status != results[1].status;
        put_run(c, sizes, special, digest, results,
                equal                                    ? "equal"
                : both                                   ? "different"
                : results[0].status == results[1].status ? "both refuse"
                                                         : "one refuses");
    }
    for (int which = 0; which < 2; which++) ob__text_release(&results[which].shapes);
    return status;
}

/* ---- The certificate ---- */

static ob_status write_comparison(void *context, const void *bytes, size_t n) {
    ob__out_bytes(context, bytes, n);
    return ((ob_output *)context)->status;
}

/* ---- Broadcasts: the rule of each, with the shapes that it was applied to ---- */

static ob_status write_shape(certifying *c, ob_output *out, const ob_report *report, const ob_shape *shape) {
    char few[256], *text = few;
    const size_t n = ob_shape_format(ob_report_dims(report), shape, few, sizeof few);
    if (n >= sizeof few) {
        if (!(text = OB_ARENA_ARRAY(&c->arena, char, n + 1))) return OB_E_MEMORY;
        ob_shape_format(ob_report_dims(report), shape, text, n + 1);
    }
    ob__out_string(out, text);
    return OB_OK;
}

static ob_status write_broadcasts(certifying *c, ob_output *out, ob_report *report) {
    const size_t n = ob_report_broadcast_count(report);
    ob_broadcast_info info;
    ob__out_char(out, '[');
    for (size_t i = 0; i < n; i++) {
        OB_TRY(ob_report_broadcast(report, i, &info));
        ob__out(out, i ? ",\n{\"node\":" : "\n{\"node\":");
        ob__out_string(out, info.node);
        ob__out(out, ",\"path\":");
        ob__out_string(out, info.path);
        ob__out(out, ",\"op_type\":");
        ob__out_string(out, info.op_type);
        ob__out(out, ",\"rule\":");
        ob__out_string(out, info.rule);
        ob__out(out, ",\"operands\":[");
        for (size_t k = 0; k < info.n_operands; k++) {
            if (k) ob__out_char(out, ',');
            OB_TRY(write_shape(c, out, report, &info.operands[k]));
        }
        ob__out(out, "],\"result\":");
        OB_TRY(write_shape(c, out, report, &info.result));
        ob__out_char(out, '}');
    }
    ob__out_char(out, ']');
    return OB_OK;
}

static ob_status put_head(certifying *c) {
    ob_output *out = c->out;
    char digests[2][HEX];
    for (int which = 0; which < 2; which++) OB_TRY(digest_file(c->sides[which].path, digests[which], c->error));
    ob__out(out, "{\"_type\":\"https://in-toto.io/Statement/v1\",\n\"subject\":[");
    for (int which = 0; which < 2; which++) {
        ob__out(out, which ? ",\n{\"name\":" : "\n{\"name\":");
        ob__out_string(out, base_name(c->sides[which].path));
        ob__out(out, ",\"digest\":{\"sha256\":");
        ob__out_string(out, digests[which]);
        ob__out(out, "}}");
    }
    ob__out(out, "],\n\"predicateType\":\"" OB_CERTIFICATE_TYPE "\",\n\"predicate\":{\n\"tool\":{\"name\":\"onnx-broadcast\",");
    ob__outf(out, "\"version\":\"%s\"," LEVEL "%s\"},\n", ob_version(), ob__kernels_level_name());
    ob__outf(out, "\"parameters\":{\"max_runs\":%zu,\"max_memory\":%llu,\"sizes\":{",
             c->options->max_runs ? c->options->max_runs : (size_t)RUNS,
             (unsigned long long)(c->options->max_memory ? c->options->max_memory : MEMORY));
    for (size_t i = 0; i < c->options->n_sizes; i++) {
        if (i) ob__out_char(out, ',');
        ob__out_string(out, c->options->sizes[i].name);
        ob__outf(out, ":%lld", (long long)c->options->sizes[i].size);
    }
    ob__out(out,
            "}},\n\"claims\":[\"the relation of the contracts is proved where it is equal, wider or narrower\",\n"
            "\"at all sizes that both contracts admit, shapes are equal where they are proved by equal terms or equal values\",\n"
            "\"at all of these sizes, elements are equal where they are proved, by the lemmas of proofs/broadcast.mlw that are "
            "named, provided that an operator gives equal results for equal operands and attributes\",\n"
            "\"results are equal at the sizes and inputs of the runs, as bits, any NaN like any other; of elements that are not "
            "proved equal nothing else is known\",\n"
            "\"contents of external data files are not part of the digests\"],\n\"contract\":[");
    const ob_contract_info contract = ob_report_contract(c->sides[0].report);
    for (size_t i = 0; i < contract.n_clauses; i++) {
        ob_clause_info clause;
        OB_TRY(ob_report_clause(c->sides[0].report, i, &clause));
        if (i) ob__out_char(out, ',');
        ob__out_string(out, clause.text);
    }
    ob__out(out, "],\n\"contract_status\":");
    ob__out_string(out, ob_contract_status_name(contract.status));
    ob__out(out, ",\n\"comparison\":");
    OB_TRY(ob_comparison_to_json(c->comparison, write_comparison, out, c->error));
    ob__out(out, ",\n\"proved\":");
    OB_TRY(ob__certify_put_proved(out, c->sides[0].report, c->sides[1].report, c->info));
    ob__out(out, ",\n\"broadcasts\":{\"before\":");
    OB_TRY(write_broadcasts(c, out, c->sides[0].report));
    ob__out(out, ",\n\"after\":");
    OB_TRY(write_broadcasts(c, out, c->sides[1].report));
    ob__out(out, "},\n\"runs\":[");
    return out->status;
}

/* Without the same inputs and outputs nothing can be compared by running. */
static bool is_comparable(const certifying *c) {
    const size_t n = ob_comparison_change_count(c->comparison);
    for (size_t i = 0; i < n; i++) {
        const ob_change change = ob_comparison_change(c->comparison, i);
        const bool one_sided = change.breaking && (!change.before[0] || !change.after[0]);
        if ((change.kind == OB_CHANGE_INPUT || change.kind == OB_CHANGE_OUTPUT) && one_sided) return false;
    }
    return ob_session_input_count(c->sides[0].session) == ob_session_input_count(c->sides[1].session) &&
           ob_session_output_count(c->sides[0].session) == ob_session_output_count(c->sides[1].session);
}

static ob_status run_all(certifying *c) {
    size_list list = {.most = c->options->max_runs ? c->options->max_runs : RUNS};
    OB_FAIL_IF(list.most > 10000, c->error, OB_E_ARGUMENT, "at most 10000 sets of sizes");
    list.runs = ob__arena_calloc(&c->arena, list.most, sizeof *list.runs);
    if (!list.runs) return OB_E_MEMORY;
    choose_sizes(c, &list);
    for (size_t i = 0; i < list.n; i++) {
        OB_TRY(run_once(c, &list.runs[i], false));
        OB_TRY(run_once(c, &list.runs[i], true));
    }
    return OB_OK;
}

static ob_status certify(certifying *c) {
    ob_session_value output;
    for (int which = 0; which < 2; which++) OB_TRY(open_side(c, &c->sides[which]));
    OB_TRY(ob_compare(c->sides[0].report, c->sides[1].report, &c->comparison, c->error));
    OB_TRY(list_symbols(c));
    for (size_t i = 0; ob_session_output(c->sides[0].session, i, &output); i++)
        OB_FAIL_IF(output.type->kind != OB_TYPE_TENSOR, c->error, OB_E_UNSUPPORTED, "output \"%s\" is not a tensor", output.name);
    OB_TRY(put_head(c));
    const bool comparable = is_comparable(c);
    if (comparable) OB_TRY(run_all(c));
    ob_certificate_info *info = c->info;
    info->contract = ob_comparison_get_info(c->comparison).contract;
    info->equal = comparable && info->n_runs > 0 && info->n_different == 0 && info->n_unlike == 0;
    ob__outf(c->out, "],\n\"result\":{\"equal\":%s,\"runs\":%zu,\"different\":%zu,\"both_refuse\":%zu,\"one_refuses\":%zu}}}\n",
             info->equal ? "true" : "false", info->n_runs, info->n_different, info->n_refused, info->n_unlike);
    return ob__output_end(c->out);
}

ob_status ob_certify(const char *before, const char *after, const ob_certify_options *options, ob_write_sink sink, void *context,
                     ob_certificate_info *info, ob_error *error) {
    static const ob_certify_options plain = {0};
    ob_certificate_info unused;
    ob_error_clear(error);
    OB_FAIL_IF(!before || !after || !sink || (options && options->n_sizes && !options->sizes), error, OB_E_ARGUMENT,
               "ob_certify: paths, sink and sizes must not be NULL");
    ob_output *out = malloc(sizeof *out);
    certifying *c = calloc(1, sizeof *c);
    ob_status status = out && c ? OB_OK : OB_E_MEMORY;
    if (status == OB_OK) {
        *c = (certifying){.options = options ? options : &plain,
                          .sides = {{.path = before}, {.path = after}},
                          .out = out,
                          .info = info ? info : &unused,
                          .error = error};
        *c->info = (ob_certificate_info){.contract = OB_RELATION_UNKNOWN};
        ob__arena_init(&c->arena, ob_allocator_default());
        ob__output_init(out, ob_allocator_default(), sink, context);
        status = certify(c);
        ob_comparison_close(&c->comparison);
        for (int which = 0; which < 2; which++) close_side(&c->sides[which]);
        ob__arena_release(&c->arena);
    }
    free(c);
    free(out);
    return ob__described(error, status, "");
}

/* ---- Verification ---- */

typedef struct matching {
    const char *text; /* the rest of it */
    size_t n, line;
    const char *line_begin;
    bool differs;
} matching;

/* Stops at the first byte that differs. */
static ob_status match(void *context, const void *bytes, size_t n_bytes) {
    matching *m = context;
    const char *made = bytes;
    for (size_t i = 0; i < n_bytes; i++) {
        if (m->n == 0 || m->text[0] != made[i]) return m->differs = true, OB_E_MODEL;
        m->text++;
        m->n--;
        if (made[i] != '\n') continue;
        m->line++;
        m->line_begin = m->text;
    }
    return OB_OK;
}

/* The level that the certificate states, if it is not the one in use; otherwise NULL. */
static const char *other_level(const char *text, size_t n_bytes) {
    static const char *const levels[] = {"baseline", "avx2", "avx512", "neon", "rvv"};
    const size_t n = sizeof LEVEL - 1;
    size_t at = 0;
    while (at + n < n_bytes && memcmp(text + at, LEVEL, n) != 0) at++;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        const size_t n_name = strlen(levels[i]);
        if (at + n + n_name < n_bytes && memcmp(text + at + n, levels[i], n_name) == 0 && text[at + n + n_name] == '"')
            return strcmp(levels[i], ob__kernels_level_name()) == 0 ? NULL : levels[i];
    }
    return NULL;
}

ob_status ob_certificate_verify(const char *text, size_t n_bytes, const char *before, const char *after,
                                const ob_certify_options *options, ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!text, error, OB_E_ARGUMENT, "ob_certificate_verify: text must not be NULL");
    matching m = {.text = text, .n = n_bytes, .line = 1, .line_begin = text};
    const char *end = text + n_bytes;
    ob_status status = ob_certify(before, after, options, match, &m, NULL, error);
    if (status == OB_OK && m.n == 0) return OB_OK;
    if (status != OB_OK && !m.differs) return status;
    const size_t length = (size_t)(end - m.line_begin);
    const char *line_end = length ? memchr(m.line_begin, '\n', length) : NULL;
    const size_t shown = line_end ? (size_t)(line_end - m.line_begin) : length;
    const char *level = other_level(text, n_bytes);
    ob_error_clear(error);
    OB_FAIL_IF(level, error, OB_E_MODEL,
               "the certificate was made with loops for %s, and this process uses those for %s: the bits of results may differ "
               "(OB_ISA in the environment selects a level)",
               level, ob__kernels_level_name());
    return ob__fail(error, OB_E_MODEL, "the certificate differs in line %zu from the one that these files give: %.*s", m.line,
                    (int)(shown < 100 ? shown : 100), m.line_begin);
}
