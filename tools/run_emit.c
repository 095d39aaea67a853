/* --emit-c: the model as C, for one or several sets of sizes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "run_parts.h"

static bool write_file(void *context, const char *name, const void *bytes, size_t n_bytes) {
    const run_options *r = context;
    char path[4096];
    if (snprintf(path, sizeof path, "%s/%s", r->emit_folder, name) >= (int)sizeof path) return false;
    FILE *file = fopen(path, "wb");
    bool done = file && fwrite(bytes, 1, n_bytes, file) == n_bytes;
    if (file && fclose(file) != 0) done = false;
    if (!done) complain(TOOL, path, "cannot be written: %s", strerror(errno));
    if (done && !r->quiet) printf("%s: %zu bytes\n", path, n_bytes);
    return done;
}

/* The size of a dimension: those of --plan first, then those of --dim. */
static bool find_size(const run_options *r, const ob_session *session, const emit_plan *plan, const char *input, ob_dim dim,
                      int64_t *out) {
    ob_binding bindings[2 * MAX_DIMS];
    const ob_dims *pool = ob_session_dims(session);
    size_t n = 0;
    char text[200];
    for (size_t i = 0; i < plan->n; i++)
        bindings[n++] = (ob_binding){ob_dim_find(pool, plan->sizes[i].name), plan->sizes[i].size};
    for (size_t i = 0; i < r->n_dims; i++) {
        bool again = false;
        for (size_t k = 0; k < plan->n; k++) again |= strcmp(plan->sizes[k].name, r->dims[i].name) == 0;
        if (!again) bindings[n++] = (ob_binding){ob_dim_find(pool, r->dims[i].name), r->dims[i].size};
    }
    if (ob_dim_eval(pool, dim, bindings, n, out) == OB_OK) return true;
    ob_dim_format(pool, dim, text, sizeof text);
    complain(TOOL, r->model, "input %s: the size %s is open, and written plans have sizes: --dim %s=SIZE gives it", input, text,
             text);
    return false;
}

static bool make_views(const run_options *r, const ob_session *session, const emit_plan *plan, ob_view *views) {
    const size_t n = ob_session_input_count(session);
    ob_session_value info = {0};
    for (size_t i = 0; i < n; i++) {
        int64_t dims[OB_MAX_RANK];
        ob_session_input(session, i, &info);
        if (is_cell_type(info.type) || info.dtype == OB_NONE || info.shape.rank < 0) {
            complain(TOOL, r->model, "input %s: its type and rank must be known to write plans", info.name);
            return false;
        }
        for (int32_t a = 0; a < info.shape.rank; a++)
            if (!find_size(r, session, plan, info.name, info.shape.dims[a], &dims[a])) return false;
        ob_view view;
        static char somewhere[16];
        if (ob_view_init(&view, somewhere, info.dtype, info.shape.rank, dims) != OB_OK) {
            complain(TOOL, r->model, "input %s: its sizes are too large", info.name);
            return false;
        }
        view.data = NULL;
        views[i] = view;
    }
    return true;
}

/* A session with several sets of sizes was created without any, so it has not looked at the names. */
static bool knows_symbols(const run_options *r, const ob_session *session) {
    const ob_dims *pool = ob_session_dims(session);
    const char *unknown = NULL;
    for (size_t p = 0; p < r->n_plans; p++)
        for (size_t i = 0; i < r->plans[p].n; i++)
            if (ob_dim_find(pool, r->plans[p].sizes[i].name) == OB_DIM_UNKNOWN) unknown = r->plans[p].sizes[i].name;
    for (size_t i = 0; i < r->n_dims && r->n_plans; i++)
        if (ob_dim_find(pool, r->dims[i].name) == OB_DIM_UNKNOWN) unknown = r->dims[i].name;
    if (unknown) complain(TOOL, r->model, "the model has no symbol '%.200s'", unknown);
    return !unknown;
}

/* The sizes of files, or of random inputs. Elements are not used: a written plan is for all of them. */
static exit_code take_views(const run_options *r, const ob_session *session, ob_view *views) {
    run_inputs inputs = {0};
    const exit_code code = inputs_prepare(r, session, &inputs);
    for (size_t i = 0; code == EXIT_DONE && i < inputs.n; i++) {
        views[i] = inputs.views[i];
        views[i].data = NULL;
    }
    inputs_release(&inputs);
    return code;
}

exit_code emit_c(const run_options *r, ob_session *session, ob_error *error, bool *failed) {
    const size_t n = ob_session_input_count(session), n_plans = r->n_plans + 1;
    const emit_plan none = {.n = 0};
    const ob_emit_options options = {.name = r->emit_name, .weights = r->emit_weights};
    ob_view *views = calloc(n * n_plans + 1, sizeof *views);
    exit_code code = EXIT_DONE;
    *failed = false;
    if (!views) {
        complain(TOOL, r->model, "out of memory");
        return EXIT_FAILED;
    }
    if (!knows_symbols(r, session)) code = EXIT_MISUSED;
    for (size_t p = 0; p < n_plans && code == EXIT_DONE; p++)
        if (p == 0 && (r->n_files || r->random))
            code = take_views(r, session, views);
        else if (!make_views(r, session, p == 0 ? &none : &r->plans[p - 1], views + p * n))
            code = EXIT_MISUSED;
    if (code == EXIT_DONE && mkdir(r->emit_folder, 0777) != 0 && errno != EEXIST) {
        complain(TOOL, r->emit_folder, "the folder cannot be made: %s", strerror(errno));
        code = EXIT_MISUSED;
    }
    if (code == EXIT_DONE &&
        ob_session_emit(session, views, n, n_plans, &options, write_file, (void *)(uintptr_t)r, error) != OB_OK)
        *failed = true;
    free(views);
    return code;
}

bool add_plan(run_options *r, const char *text) {
    if (r->n_plans == MAX_PLANS) {
        complain(TOOL, NULL, "more than %d --plan options", MAX_PLANS);
        return false;
    }
    emit_plan *plan = &r->plans[r->n_plans++];
    do {
        char one[200];
        const size_t n = strcspn(text, ",");
        if (n >= sizeof one || plan->n == MAX_DIMS) {
            complain(TOOL, NULL, "option --plan: too long: \"%.60s\"", text);
            return false;
        }
        memcpy(one, text, n);
        one[n] = 0;
        char *name = plan->names[plan->n];
        if (!parse_dim(TOOL, one, name, sizeof plan->names[0], &plan->sizes[plan->n].size)) return false;
        plan->sizes[plan->n++].name = name;
        text += n + (text[n] == ',');
    } while (*text);
    return true;
}

bool parse_weights(const char *text, ob_emit_weights *out) {
    static const char *const names[] = {"auto", "c", "binary"};
    for (int i = 0; i < 3; i++)
        if (strcmp(text, names[i]) == 0) return *out = (ob_emit_weights)i, true;
    complain(TOOL, NULL, "option --weights: \"%s\" is not one of auto, c, binary", text);
    return false;
}

/* The kernels that are linked later are those of this level, so the plans must be, too. */
bool use_level(const char *level) {
    setenv("OB_ISA", level, 1);
    if (strcmp(ob_build_info().level, level) == 0) return true;
    complain(TOOL, NULL, "option --level: this build or processor has no level \"%s\"", level);
    return false;
}
