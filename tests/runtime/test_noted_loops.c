/* ob_session_each_loop: the loops that planning takes are those that plans hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "corpus.h"
#include "kernels/kernels.h"
#include "kernels/names.h"
#include "model_text.h"
#include "onnx_broadcast/session.h"
#include "runtime/plan/plan.h"
#include "runtime/session.h"

typedef struct seen {
    const char *names[OB_NOTED_LOOPS];
    size_t n;
} seen;

static void note(void *context, const char *name) {
    seen *s = context;
    assert_true(s->n < OB_NOTED_LOOPS);
    s->names[s->n++] = name;
}

static bool has(const seen *s, const char *name) {
    for (size_t i = 0; i < s->n; i++)
        if (strcmp(s->names[i], name) == 0) return true;
    return false;
}

/* Zeroed memory: addresses of earlier plans are not found in it. */
static void *zeroed(void *context, size_t n_bytes) {
    (void)context;
    return calloc(1, n_bytes);
}

static void *resized(void *context, void *block, size_t old_bytes, size_t new_bytes) {
    char *other = zeroed(context, new_bytes);
    if (!other) return NULL;
    memcpy(other, block, old_bytes < new_bytes ? old_bytes : new_bytes);
    free(block);
    return other;
}

static void freed(void *context, void *block, size_t n_bytes) {
    (void)context;
    (void)n_bytes;
    free(block);
}

static const ob_allocator zeroes = {zeroed, resized, freed, NULL};

static ob_session *open_session(const ob_model *model, bool notes) {
    ob_session *session = NULL;
    ob_session_config config;
    ob_session_config_init(&config);
    assert_false(config.note_loops);
    config.note_loops = notes;
    config.allocator = &zeroes;
    return ob_session_create(model, &config, &session, NULL) == OB_OK ? session : NULL;
}

/* Sizes that are open are 1. False: it cannot be planned. */
static bool prepare(ob_session *session) {
    static _Alignas(16) char somewhere[16 * OB_CONTENT_MAX]; /* planning reads no more, and none of large inputs */
    ob_view views[64] = {{0}};
    const size_t n = ob_session_input_count(session);
    if (n > sizeof views / sizeof *views) return false;
    for (size_t i = 0; i < n; i++) {
        ob_session_value info;
        int64_t dims[OB_MAX_RANK];
        ob_session_input(session, i, &info);
        if (info.dtype == OB_NONE || info.shape.rank == OB_RANK_UNKNOWN) return false;
        for (int32_t k = 0; k < info.shape.rank; k++) dims[k] = ob_dim_is_const(info.shape.dims[k]) ? info.shape.dims[k] : 1;
        if (ob_view_init(&views[i], somewhere, info.dtype, info.shape.rank, dims) != OB_OK) return false;
    }
    return ob_session_prepare(session, views, n, NULL) == OB_OK;
}

static void expect(const char *text, const char *const *names) {
    ob_model *model = read_text(text);
    ob_session *session = open_session(model, true);
    ob_error error;
    seen s = {.n = 0};
    assert_non_null(session);
    assert_true(prepare(session));
    assert_int_equal(ob_session_each_loop(session, note, &s, &error), OB_OK);
    size_t n = 0;
    for (; names[n]; n++)
        if (!has(&s, names[n])) fail_msg("%s is not noted", names[n]);
    for (size_t i = 0; i < s.n && s.n > n; i++) print_message("noted: %s\n", s.names[i]);
    assert_int_equal(s.n, n);
    ob_session_close(&session);
    ob_model_close(&model);
}

static void loops_are_noted(void **state) {
    (void)state;
    expect("<ir_version: 8, opset_import: [\"\" : 13]> g (float[2,N] x, int64[3] i) => (float[2,N] y, int64[3] j)"
           "{ a = Add (x, x) j = Add (i, i) y = Relu (a) }",
           (const char *[]){"add_f32", "add_u64", "u_relu_f32", NULL});
    /* a type that is computed in another one, also at levels that have its own loop */
    expect("<ir_version: 8, opset_import: [\"\" : 13]> g (float16[2] x) => (float16[2] y) { y = Add (x, x) }",
           strcmp(ob__kernels_level_name(), "baseline") == 0
               ? (const char *[]){"add_f32", "f32_from_f16", "f16_from_f32", NULL}
               : (const char *[]){"add_f16", "add_f32", "f32_from_f16", "f16_from_f32", NULL});
    expect("<ir_version: 8, opset_import: [\"\" : 13]> g (float[2,3] x) => (float[2,3] y) { y = Identity (x) }",
           (const char *[]){NULL});
    /* all that other sizes would take */
    expect("<ir_version: 8, opset_import: [\"\" : 13]> g (float[0,3] x, float[3,4] w) => (float[0,4] y) { y = MatMul (x, w) }",
           (const char *[]){"gemm_float", NULL});
}

static void sessions_that_note_nothing(void **state) {
    (void)state;
    ob_model *model = read_text("<ir_version: 8, opset_import: [\"\" : 13]> g (float[2] x) => (float[2] y) { y = Neg (x) }");
    ob_session *session = open_session(model, false), *other = open_session(model, true);
    ob_error error;
    seen s = {.n = 0};
    assert_int_equal(ob_session_each_loop(session, note, &s, &error), OB_E_ARGUMENT);
    assert_non_null(strstr(error.message, "note_loops"));
    assert_int_equal(ob_session_each_loop(NULL, note, &s, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_session_each_loop(other, NULL, &s, NULL), OB_E_ARGUMENT);
    assert_int_equal(s.n, 0);
    ob_session_close(&session);
    ob_session_close(&other);
    ob_model_close(&model);
}

/* ---- Plans hold no loop that is not noted ---- */

typedef struct known {
    uintptr_t loop;
    const char *name;
} known;

static known loops[2000];
static size_t n_known, n_found, n_planned;

static int compare(const void *a, const void *b) {
    const uintptr_t x = ((const known *)a)->loop, y = ((const known *)b)->loop;
    return (x > y) - (x < y);
}

static void scan_word(const ob_session *session, const char *path, uintptr_t word) {
    const known key = {word, NULL}, *found = bsearch(&key, loops, n_known, sizeof *loops, compare);
    if (!found) return;
    n_found++;
    for (uint32_t i = 0; i < session->noted->n; i++) {
        uintptr_t noted;
        memcpy(&noted, session->noted->slots[i], sizeof noted);
        if (noted == word) return;
        /* those that are taken together */
        const char *line = obk_line_of(session->noted->slots[i]), *own = NULL;
        void (*loop)(void);
        const char *name, *level;
        for (unsigned k = 0; !own && obk_loop_at(k, &loop, &name, &level); k++)
            if ((uintptr_t)loop == word) own = obk_loop_line(k);
        if (own && (own[0] == 0 || strcmp(own, line) == 0)) return;
    }
    fail_msg("%s: the plan holds %s, which is not noted", path, found->name);
}

/* Words between allocations, which AddressSanitizer guards, are read, too. */
__attribute__((no_sanitize("address"))) static void scan(const ob_session *session, const char *path, const ob_arena *arena) {
    for (const ob_arena_block *block = arena->head; block; block = block->older) {
        const char *begin = (const char *)(block + 1), *end = (const char *)block + block->n_bytes;
        if (block == arena->head && arena->next < end) end = arena->next;
        for (const char *at = begin; at + sizeof(uintptr_t) <= end; at += sizeof(uintptr_t)) {
            uintptr_t word = 0;
            for (size_t i = 0; i < sizeof word; i++) ((unsigned char *)&word)[i] = (unsigned char)at[i]; /* not memcpy: checked */
            scan_word(session, path, word);
        }
    }
}

static void check_plans(void *context, const char *path) {
    ob_model *model = NULL;
    ++*(size_t *)context;
    if (ob_model_load(path, NULL, &model, NULL) != OB_OK) return;
    ob_session *session = open_session(model, true);
    if (session && prepare(session)) {
        n_planned++;
        for (const ob_plan *plan = session->plans; plan; plan = plan->next) scan(session, path, &plan->arena);
    }
    ob_session_close(&session);
    ob_model_close(&model);
}

static void plans_hold_noted_loops(void **state) {
    (void)state;
    void (*loop)(void);
    const char *name, *level;
    for (unsigned i = 0; obk_loop_at(i, &loop, &name, &level); i++)
        if (loop) loops[n_known++] = (known){(uintptr_t)loop, name};
    qsort(loops, n_known, sizeof *loops, compare);
    corpus_each_model(check_plans);
    print_message("%zu models, %zu loops in their plans\n", n_planned, n_found);
    assert_true(n_planned >= 3);
    assert_true(n_found >= 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loops_are_noted),
        cmocka_unit_test(sessions_that_note_nothing),
        cmocka_unit_test(plans_hold_noted_loops),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
