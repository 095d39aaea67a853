/* Options of a call, out of texts. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "module.h"

typedef struct reader {
    const char *at, *end;
    web_options *options;
    size_t n_sizes, n_room;
} reader;

/* The next text; NULL at the end. */
static const char *next(reader *r) {
    if (r->at == r->end) return NULL;
    const char *text = r->at;
    r->at += strlen(text) + 1;
    return text;
}

/* A number of at least `least`. */
static bool number(reader *r, int64_t least, int64_t *out) {
    const char *text = next(r);
    char *rest;
    if (!text) return false;
    errno = 0;
    *out = strtoll(text, &rest, 10);
    return rest != text && *rest == '\0' && errno == 0 && *out >= least;
}

static bool named_size(reader *r, int64_t least, ob_named_size *out) {
    out->name = next(r);
    return out->name && number(r, least, &out->size);
}

static bool read_shape(reader *r) {
    ob_shape_given *shape = &r->options->shapes[r->options->check.n_shapes];
    int64_t rank;
    shape->name = next(r);
    if (!shape->name || !number(r, 0, &rank) || rank > OB_MAX_RANK || (size_t)rank > r->n_room - r->n_sizes) return false;
    shape->rank = (int32_t)rank;
    int64_t *sizes = r->options->sizes + r->n_sizes;
    shape->dims = sizes;
    for (int64_t i = 0; i < rank; i++) {
        if (!number(r, -1, &sizes[i])) return false;
        if (sizes[i] < 0) sizes[i] = OB_DIM_UNKNOWN;
    }
    r->n_sizes += (size_t)rank;
    r->options->check.n_shapes++;
    return true;
}

static bool read_severity(reader *r) {
    ob_severity_given *given = &r->options->severities[r->options->check.n_severities++];
    const char *level;
    given->id = next(r);
    if (!(level = next(r))) return false;
    for (int i = OB_SEVERITY_NONE; i <= OB_SEVERITY_ERROR; i++)
        if (strcmp(level, i == OB_SEVERITY_NONE ? "none" : ob_severity_name((ob_severity)i)) == 0) {
            given->severity = (ob_severity)i;
            return true;
        }
    return false;
}

static bool read_ignore(reader *r) {
    ob_ignore_given *given = &r->options->ignores[r->options->check.n_ignores++];
    given->id = next(r);
    given->pattern = next(r);
    return given->pattern != NULL;
}

static bool read_text(reader *r, const char **list, size_t *n) {
    const char *text = next(r);
    if (text) list[(*n)++] = text;
    return text != NULL;
}

static bool read_limit(reader *r, uint64_t *out) {
    int64_t limit;
    if (!number(r, 1, &limit)) return false;
    *out = (uint64_t)limit;
    return true;
}

static bool read_rules(reader *r) {
    const char *name = next(r);
    if (!name) return false;
    r->options->check.rules = ob_rules_from_name(name);
    return r->options->check.rules != OB_RULES_COUNT;
}

static bool read_run_time(reader *r) {
    uint64_t ms;
    if (!read_limit(r, &ms) || ms > UINT64_MAX / 1000000) return false;
    r->options->session.max_run_ns = ms * 1000000;
    return true;
}

static bool read_option(reader *r, const char *key) {
    web_options *o = r->options;
    if (strcmp(key, "rules") == 0) return read_rules(r);
    if (strcmp(key, "dim") == 0) return named_size(r, 0, &o->dims[o->check.n_dims++]);
    if (strcmp(key, "shape") == 0) return read_shape(r);
    if (strcmp(key, "assume") == 0) return read_text(r, o->assumptions, &o->check.n_assumptions);
    if (strcmp(key, "target") == 0) return read_text(r, o->targets, &o->check.n_targets);
    if (strcmp(key, "severity") == 0) return read_severity(r);
    if (strcmp(key, "ignore") == 0) return read_ignore(r);
    if (strcmp(key, "max-nodes") == 0) return read_limit(r, &o->check.max_nodes);
    if (strcmp(key, "max-finding-bytes") == 0) return read_limit(r, &o->check.max_finding_bytes);
    if (strcmp(key, "opset") == 0) return named_size(r, 1, &o->opsets[o->n_opsets++]);
    if (strcmp(key, "fix") == 0) return read_text(r, o->ids, &o->fix.n_ids);
    if (strcmp(key, "fix-all") == 0) return o->fix.all = true;
    if (strcmp(key, "graph") == 0) return o->graph = true;
    if (strcmp(key, "cost") == 0) return o->cost = true;
    if (strcmp(key, "max-memory") == 0) return read_limit(r, &o->session.max_memory);
    if (strcmp(key, "no-optimize") == 0) return !(o->session.optimize = false);
    if (strcmp(key, "max-run-ms") == 0) return read_run_time(r);
    return false;
}

static ob_status progress(void *context, const char *pass, const ob_model *model) {
    (void)context;
    (void)model;
    return web_progress(pass) ? OB_E_CANCELLED : OB_OK;
}

/* Every array has room for all texts: no list is longer. */
static bool allocate(web_options *o, size_t n_texts) {
    const size_t each = sizeof *o->dims + sizeof *o->shapes + sizeof *o->sizes + 3 * sizeof(char *) + sizeof *o->severities +
                        sizeof *o->ignores + sizeof *o->opsets;
    if (n_texts > SIZE_MAX / 2 / each) return false;
    char *block = o->block = calloc(n_texts + 1, each);
    if (!block) return false;
    o->sizes = (void *)block; /* what has 64-bit members first */
    o->dims = (void *)(o->sizes + n_texts);
    o->opsets = o->dims + n_texts;
    o->shapes = (void *)(o->opsets + n_texts);
    o->severities = (void *)(o->shapes + n_texts);
    o->ignores = (void *)(o->severities + n_texts);
    o->assumptions = (void *)(o->ignores + n_texts);
    o->targets = o->assumptions + n_texts;
    o->ids = o->targets + n_texts;
    return true;
}

ob_status web_options_read(web_options *options, const char *texts, size_t n_bytes) {
    *options = (web_options){0};
    if (n_bytes > 0 && texts[n_bytes - 1] != '\0') return web_fail(OB_E_ARGUMENT, "the options do not end");
    size_t n_texts = 0;
    for (size_t i = 0; i < n_bytes; i++) n_texts += texts[i] == '\0';
    if (!allocate(options, n_texts)) return web_fail(OB_E_MEMORY, "there is no memory for the options");
    ob_check_options_init(&options->check);
    ob_session_config_init(&options->session);
    reader r = {texts, texts + n_bytes, options, 0, n_texts};
    for (const char *key; (key = next(&r));)
        if (!read_option(&r, key)) {
            web_fail(OB_E_ARGUMENT, "an option has a value that it cannot have: ");
            strncat(web_last_error.message, key, 64);
            return OB_E_ARGUMENT;
        }
    options->check.dims = options->session.dims = options->dims;
    options->session.n_dims = options->check.n_dims;
    options->check.shapes = options->shapes;
    options->check.assumptions = options->assumptions;
    options->check.targets = options->targets;
    options->check.severities = options->severities;
    options->check.ignores = options->ignores;
    options->check.after_pass = progress;
    options->fix.ids = options->ids;
    options->fix.check = &options->check;
    return OB_OK;
}

void web_options_free(web_options *options) {
    free(options->block);
    *options = (web_options){0};
}

ob_status web_options_assume(const web_options *options, ob_model *model) {
    for (size_t i = 0; i < options->n_opsets; i++) {
        ob_status status = ob_model_assume_opset(model, options->opsets[i].name, options->opsets[i].size, &web_last_error);
        if (status != OB_OK) return status;
    }
    return OB_OK;
}
