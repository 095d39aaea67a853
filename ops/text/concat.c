/* StringConcat 20: the bytes of two elements, one after the other. Operands broadcast by their strides. If one element is empty,
 * the result uses the bytes of the other. */
#include "core/base/arena.h"
#include "ops/kernel/common.h"

typedef struct concat {
    ob_arena *strings;
    obk_pace pace;
    bool failed;
} concat;

static ob_string join(concat *c, const ob_string *a, const ob_string *b) {
    if (a->n == 0 || b->n == 0) return a->n ? *a : *b;
    size_t n;
    bool fits = !__builtin_add_overflow(a->n, b->n, &n);
    char *bytes = fits && !c->failed ? ob__arena_alloc(c->strings, n) : NULL;
    c->failed |= !bytes;
    if (!bytes) return (ob_string){NULL, 0};
    memcpy(bytes, a->data, a->n);
    memcpy(bytes + a->n, b->data, b->n);
    return (ob_string){bytes, n};
}

static void concat_loop(char *const *pointers, const int64_t *strides, int64_t n, const void *parameters) {
    concat *c = *(concat *const *)parameters;
    for (int64_t i = 0; i < n && !obk_stops(&c->pace, 16); i++) {
        ob_string a, b;
        memcpy(&a, pointers[0] + i * strides[0], sizeof a);
        memcpy(&b, pointers[1] + i * strides[1], sizeof b);
        a = join(c, &a, &b);
        memcpy(pointers[2] + i * strides[2], &a, sizeof a);
    }
}

static ob_status run(const ob_kernel_args *args, ob_error *error) {
    concat c = {.strings = args->strings, .pace = ob__pace(args->threads)}, *context = &c;
    OB_FAIL_IF(!c.strings, error, OB_E_UNSUPPORTED, "strings cannot be stored here");
    OB_TRY(ob_for_each(args->in, 2, &args->out[0], 1, concat_loop, &context, NULL, error));
    OB_FAIL_IF(c.failed, error, OB_E_MEMORY, "no memory for strings");
    return OB_OK;
}

const ob_kernel ob__kernel_string_concat = {.name = "string_concat", .flags = OB_KERNEL_STRIDED, .run = run};
