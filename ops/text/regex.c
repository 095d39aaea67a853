/* RegexFullMatch 20: whether the pattern matches the whole of each element. Patterns are in RE2's language; PCRE2 reads them, and
 * its automaton (pcre2_dfa_match) follows all alternatives at once without backtracking, so time grows with the bytes of the
 * element times the states of the pattern. Syntax that RE2 lacks is refused (re2.c), because the automaton would start again
 * inside the element for it. The number of active states, and thus the scratch memory, is bounded; a pattern that needs more is
 * an error. A long element is matched in segments, each continuing where the one before ended, with a check for cancellation in
 * between.
 *
 * A difference from RE2: \s also matches the vertical tab. */
#include "ops/kernel/common.h"
#include "ops/text/ascii.h"
#include "ops/text/params.h"

#ifdef OB_WITH_PCRE2
#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

/* The clock is read after this many bytes; each element counts as some additional bytes. */
enum { BYTES_BETWEEN = 1 << 12, BYTES_OF_ELEMENT = 16 };

/* Entries of the automaton's memory, three for each state in each of two lists, and bytes that it allocates in addition. */
enum {
    WORKSPACE = 16384,
    SEGMENT_WORK = 1 << 20,
    LEAST_SEGMENT = 16,
    HEAP_BYTES = 1 << 17,
    MOST_CALLS = 1000000,
    MOST_DEPTH = 500
};

typedef struct state {
    pcre2_code *code;
    size_t segment; /* bytes of an element that are matched at once */
    pcre2_general_context *context;
} state;

/* ---- Memory: while planning of the session; while running a piece of scratch, which nothing is given back to ---- */

typedef struct block {
    _Alignas(16) size_t n_bytes; /* size of the bytes that follow */
} block;

static void *plan_alloc(size_t n, void *context) {
    const ob_allocator *allocator = context;
    size_t n_bytes;
    if (__builtin_add_overflow(n, sizeof(block), &n_bytes)) return NULL;
    block *b = allocator->alloc(allocator->context, n_bytes);
    if (!b) return NULL;
    b->n_bytes = n_bytes;
    return b + 1;
}

static void plan_free(void *bytes, void *context) {
    const ob_allocator *allocator = context;
    block *b = bytes ? (block *)bytes - 1 : NULL;
    if (b) allocator->free(allocator->context, b, b->n_bytes);
}

typedef struct heap {
    char *next, *end;
} heap;

static void *run_alloc(size_t n, void *context) {
    heap *h = context;
    if (n > (size_t)(h->end - h->next) - 15) return NULL;
    void *bytes = h->next;
    h->next += (n + 15) & ~(size_t)15;
    return bytes;
}

static void run_free(void *bytes, void *context) {
    (void)bytes;
    (void)context;
}

/* ---- The pattern ---- */

static ob_status compile(state *s, const ob_string *pattern, ob_allocator *allocator, ob_error *error) {
    int code = 0;
    PCRE2_SIZE at = 0;
    uint32_t references = 0;
    size_t code_bytes = 0;
    const char *wrong = ob__not_re2(pattern, &at);
    OB_FAIL_IF(wrong, error, OB_E_ARGUMENT, "pattern, at byte %zu: %s, which RE2's language does not have", (size_t)at, wrong);
    s->context = pcre2_general_context_create(plan_alloc, plan_free, allocator);
    pcre2_compile_context *rules = s->context ? pcre2_compile_context_create(s->context) : NULL;
    if (!rules) return OB_E_MEMORY;
    pcre2_set_newline(rules, PCRE2_NEWLINE_LF);
    s->code = pcre2_compile((PCRE2_SPTR)(pattern->n ? pattern->data : ""), pattern->n,
                            PCRE2_UTF | PCRE2_ANCHORED | PCRE2_DOLLAR_ENDONLY | PCRE2_NEVER_BACKSLASH_C, &code, &at, rules);
    pcre2_compile_context_free(rules);
    if (!s->code) {
        PCRE2_UCHAR text[160] = "";
        pcre2_get_error_message(code, text, sizeof text);
        if (code == PCRE2_ERROR_NOMEMORY || code == 121) return OB_E_MEMORY; /* 121: out of memory while compiling */
        return ob__fail(error, OB_E_ARGUMENT, "pattern, at byte %zu: %s", (size_t)at, (const char *)text);
    }
    pcre2_pattern_info(s->code, PCRE2_INFO_BACKREFMAX, &references);
    OB_FAIL_IF(references > 0, error, OB_E_ARGUMENT, "the pattern refers to a group, which RE2 does not support");
    pcre2_pattern_info(s->code, PCRE2_INFO_SIZE, &code_bytes); /* a state takes at least a byte */
    s->segment = code_bytes < SEGMENT_WORK / LEAST_SEGMENT ? SEGMENT_WORK / (code_bytes + 1) : LEAST_SEGMENT;
    return OB_OK;
}

static void release(void *memory, const ob_allocator *allocator) {
    state *s = memory;
    (void)allocator;
    pcre2_code_free(s->code);
    pcre2_general_context_free(s->context);
    s->code = NULL;
    s->context = NULL;
}

static ob_status plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    state *s = args->state;
    ob_string pattern;
    OB_FAIL_IF(!ob__regex_pattern(site->node, &pattern), error, OB_E_ARGUMENT, "attribute pattern is missing");
    ob_allocator *allocator = ob__tail(site, 1, sizeof *allocator);
    if (!allocator) return OB_E_MEMORY;
    *allocator = *site->allocator;
    ob_status status = compile(s, &pattern, allocator, error);
    if (status == OB_OK) status = ob__need_scratch(needs, WORKSPACE, sizeof(int), error);
    if (status == OB_OK) status = ob__need_scratch(needs, HEAP_BYTES, 1, error);
    if (status != OB_OK) release(s, NULL);
    return status;
}

/* ---- Elements ---- */

typedef struct matcher {
    const state *s;
    pcre2_match_context *limits;
    pcre2_match_data *found;
    int *workspace;
    heap heap;
} matcher;

static ob_status open_matcher(matcher *m, const ob_kernel_args *args, ob_error *error) {
    char *next = args->scratch;
    m->s = args->state;
    m->workspace = ob__take(&next, WORKSPACE, sizeof(int));
    m->heap = (heap){next, next + HEAP_BYTES};
    pcre2_general_context *context = pcre2_general_context_create(run_alloc, run_free, &m->heap);
    m->limits = context ? pcre2_match_context_create(context) : NULL;
    m->found = context ? pcre2_match_data_create(1, context) : NULL;
    OB_FAIL_IF(!m->limits || !m->found, error, OB_E_INTERNAL, "no room for PCRE2");
    pcre2_set_match_limit(m->limits, MOST_CALLS);
    pcre2_set_depth_limit(m->limits, MOST_DEPTH);
    return OB_OK;
}

/* The end of the segment that begins at `begin`; characters are not divided. */
static size_t segment_end(const state *s, const ob_string *text, size_t begin) {
    size_t end = begin + s->segment;
    if (end >= text->n) return text->n;
    while (end < text->n && (text->data[end] & 0xC0) == 0x80) end++;
    return end;
}

/* PCRE2's result for the element; PCRE2_ERROR_NOMATCH if the run is cancelled. The state of the automaton at the end of a segment
 * is in the workspace; the text before a segment remains readable, for \b. */
static int match_segments(matcher *m, const ob_string *text, const ob_threads *threads) {
    const char *data = text->n ? text->data : "";
    uint32_t options = ob__is_ascii(text->data, text->n) ? PCRE2_NO_UTF_CHECK : 0;
    for (size_t begin = 0;;) {
        char *mark = m->heap.next;
        const size_t end = segment_end(m->s, text, begin);
        const uint32_t partial = end < text->n ? PCRE2_PARTIAL_HARD : 0;
        const int found = pcre2_dfa_match(m->s->code, (PCRE2_SPTR)data, end, begin, options | partial, m->found, m->limits,
                                          m->workspace, WORKSPACE);
        m->heap.next = mark;
        if (end == text->n) /* the longest match comes first */
            return found < 0 || pcre2_get_ovector_pointer(m->found)[1] == end ? found : PCRE2_ERROR_NOMATCH;
        if (found >= 0) return PCRE2_ERROR_NOMATCH; /* the element continues after the match */
        if (found != PCRE2_ERROR_PARTIAL) return found;
        if (ob__stopped(threads)) return PCRE2_ERROR_NOMATCH;
        options |= PCRE2_DFA_RESTART;
        begin = end;
    }
}

static ob_status match(matcher *m, int64_t i, const ob_string *text, uint8_t *out, const ob_threads *threads, ob_error *error) {
    const int found = match_segments(m, text, threads);
    *out = found >= 0;
    if (found >= 0 || found == PCRE2_ERROR_NOMATCH) return OB_OK;
    OB_FAIL_IF(found <= PCRE2_ERROR_UTF8_ERR1 && found >= PCRE2_ERROR_UTF8_ERR21, error, OB_E_ARGUMENT,
               "element %lld is not UTF-8", (long long)i);
    PCRE2_UCHAR why[160] = "";
    pcre2_get_error_message(found, why, sizeof why);
    return ob__fail(error, found == PCRE2_ERROR_DFA_UITEM ? OB_E_UNSUPPORTED : OB_E_LIMIT,
                    "element %lld cannot be matched within the limits: %s", (long long)i, (const char *)why);
}

static ob_status run(const ob_kernel_args *args, ob_error *error) {
    matcher m = {0};
    const ob_string *in = args->in[0].data;
    uint8_t *out = args->out[0].data;
    OB_TRY(open_matcher(&m, args, error));
    const int64_t n = ob__count(&args->in[0]);
    size_t looked_at = 0;
    for (int64_t i = 0; i < n; i++) {
        OB_TRY(match(&m, i, &in[i], &out[i], args->threads, error));
        looked_at += in[i].n + BYTES_OF_ELEMENT;
        if (looked_at < BYTES_BETWEEN) continue;
        if (ob__stopped(args->threads)) break;
        looked_at = 0;
    }
    return OB_OK;
}

const ob_kernel ob__kernel_regex_full_match = {
    .name = "regex_full_match", .state_bytes = sizeof(state), .plan = plan, .run = run, .release = release, .libraries = "PCRE2"};

#else

static ob_status refuse(const ob_kernel_site *site, const ob_kernel_args *args, ob_error *error) {
    (void)site, (void)args;
    return ob__fail(error, OB_E_UNSUPPORTED, "built without PCRE2");
}

static ob_status plan(const ob_kernel_site *site, ob_kernel_args *args, ob_kernel_needs *needs, ob_error *error) {
    (void)needs;
    return refuse(site, args, error);
}

static ob_status run(const ob_kernel_args *args, ob_error *error) {
    (void)args;
    return ob__fail(error, OB_E_UNSUPPORTED, "built without PCRE2");
}

const ob_kernel ob__kernel_regex_full_match = {
    .name = "regex_full_match", .plan = plan, .run = run, .libraries = "PCRE2", .refuse = refuse};
#endif
