/* An allocator that fails on purpose, in one call or in every call from one on, and a loop that makes each allocation of an
 * operation fail in turn. The tested call either returns E_MEMORY or gives its normal result; afterwards the same objects are
 * usable. */
#ifndef OB_TESTS_FAILING_H
#define OB_TESTS_FAILING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "onnx_broadcast/onnx_broadcast.h"

typedef struct failing {
    size_t n_calls, fail_at; /* calls since it was armed; the call (0 is the first) that fails */
    bool armed, from_then_on, failed;
    size_t n_alive, n_bytes; /* allocated blocks; their bytes are 0 at the end only if every free gives the allocated size */
} failing;

static inline void arm(failing *f, size_t fail_at, bool from_then_on) {
    f->n_calls = 0;
    f->fail_at = fail_at;
    f->from_then_on = from_then_on;
    f->failed = false;
    f->armed = true;
}

static inline bool refuses(failing *f) {
    if (!f->armed) return false;
    size_t call = f->n_calls++;
    bool refused = call == f->fail_at || (f->from_then_on && call > f->fail_at);
    f->failed |= refused;
    return refused;
}

static inline void *failing_alloc(void *context, size_t n_bytes) {
    failing *f = context;
    void *block = refuses(f) ? NULL : malloc(n_bytes);
    if (!block) return NULL;
    memset(block, 0xA5, n_bytes); /* memory is filled, so that no code relies on zeroes */
    f->n_alive++;
    f->n_bytes += n_bytes;
    return block;
}

static inline void *failing_realloc(void *context, void *block, size_t old_bytes, size_t new_bytes) {
    failing *f = context;
    void *moved = refuses(f) ? NULL : realloc(block, new_bytes);
    if (!moved) return NULL;
    if (!block) f->n_alive++;
    f->n_bytes += new_bytes - old_bytes;
    return moved;
}

static inline void failing_free(void *context, void *block, size_t n_bytes) {
    failing *f = context;
    if (!block) return;
    f->n_alive--;
    f->n_bytes -= n_bytes;
    free(block);
}

static inline ob_allocator failing_allocator(failing *f) {
    return (ob_allocator){failing_alloc, failing_realloc, failing_free, f};
}

/* A digest of a result. Anonymous sizes ("?12") get new numbers each time, so their numbers are ignored. */
typedef struct digest {
    uint64_t hash;
    size_t n;
} digest;

static inline void digest_bytes(digest *d, const void *bytes, size_t n) {
    const uint8_t *at = bytes;
    for (size_t i = 0; i < n; i++) d->hash = (d->hash ^ at[i]) * UINT64_C(0x100000001B3);
    d->n += n;
}

static inline void digest_number(digest *d, int64_t number) {
    digest_bytes(d, &number, sizeof number);
}

static inline void digest_text(digest *d, const char *text) {
    for (; *text; text++) {
        digest_bytes(d, text, 1);
        if (*text != '?') continue;
        while (text[1] >= '0' && text[1] <= '9') text++;
    }
    digest_bytes(d, "", 1);
}

static inline ob_status digest_sink(void *context, const void *bytes, size_t n) {
    digest_bytes(context, bytes, n);
    return OB_OK;
}

static inline void digest_view(digest *d, const ob_view *view) {
    digest_number(d, view->dtype);
    digest_number(d, view->rank);
    digest_bytes(d, view->dims, (size_t)view->rank * sizeof *view->dims);
    int64_t n = ob_view_count(view);
    if (view->dtype != OB_STRING) {
        digest_bytes(d, view->data, (size_t)n * ob_dtype_size(view->dtype));
        return;
    }
    for (int64_t i = 0; i < n; i++) {
        const ob_string *string = (const ob_string *)view->data + i;
        digest_number(d, (int64_t)string->n);
        digest_bytes(d, string->data, string->n);
    }
}

/* An operation on a subject: returns a status, adds its result to the digest, and frees everything. */
typedef ob_status (*work)(void *subject, digest *made, ob_error *error);

typedef struct verdict {
    ob_status status;
    digest made;
} verdict;

static inline verdict do_work(work what, void *subject, const char *name) {
    ob_error error;
    ob_error_clear(&error);
    verdict v = {.made = {UINT64_C(0xCBF29CE484222325), 0}};
    v.status = what(subject, &v.made, &error);
    if (v.status != OB_OK && error.code != v.status)
        fail_msg("%s: returned %d (%s), error.code is %d (%s)", name, v.status, ob_status_text(v.status), error.code,
                 error.message);
    if (v.status != OB_OK) v.made = (digest){0, 0};
    return v;
}

static inline bool same_verdict(const verdict *a, const verdict *b) {
    return a->status == b->status && a->made.hash == b->made.hash && a->made.n == b->made.n;
}

/* Runs the operation with memory, then with its allocations failing in turn: each of the first `n_each`, then at growing
 * distances. After each failure the operation is repeated with memory on the same subject. Returns the number of failures. */
static inline size_t fail_each(failing *f, work what, void *subject, const char *name, size_t n_each) {
    size_t n_failures = 0;
    f->armed = false;
    const verdict right = do_work(what, subject, name);
    if (right.status == OB_E_MEMORY) fail_msg("%s: out of memory with memory", name);
    for (int mode = 0; mode < 2; mode++)
        for (size_t at = 0;; at += at < n_each ? 1 : 1 + (at - n_each) / 4) {
            arm(f, at, mode == 1);
            verdict v = do_work(what, subject, name);
            f->armed = false;
            if (!f->failed) break;
            n_failures++;
            if (v.status != OB_E_MEMORY && !same_verdict(&v, &right))
                fail_msg("%s: allocation %zu%s fails: status %d instead of %d, %zu bytes instead of %zu%s", name, at,
                         mode ? " and all after it" : "", v.status, right.status, v.made.n, right.made.n,
                         v.status == right.status && v.made.n == right.made.n ? ", other bytes" : "");
            v = do_work(what, subject, name);
            if (!same_verdict(&v, &right))
                fail_msg("%s: once more after allocation %zu%s failed: status %d instead of %d, %zu bytes instead of %zu%s", name,
                         at, mode ? " and all after it" : "", v.status, right.status, v.made.n, right.made.n,
                         v.status == right.status && v.made.n == right.made.n ? ", other bytes" : "");
        }
    return n_failures;
}

#endif
