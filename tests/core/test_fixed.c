/* The allocator over a fixed buffer, compared with a naive model: a list of the blocks in use. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "onnx_broadcast/allocator.h"

enum { UNIT = 16, MANY = 64 };

typedef struct piece {
    unsigned char *bytes; /* NULL: none */
    size_t n;
    unsigned char fill;
} piece;

/* The least size of a block, including its header. */
static size_t extent(size_t n) {
    return UNIT + (n + UNIT - 1) / UNIT * UNIT;
}

static void expect_content(const piece *p, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (p->bytes[i] != p->fill) fail_msg("byte %zu of a block of %zu has changed", i, p->n);
}

static void expect_place(const ob_fixed_memory *memory, const piece *pieces, const piece *p) {
    const unsigned char *begin = memory->buffer;
    assert_int_equal((uintptr_t)p->bytes % UNIT, 0);
    assert_true(p->bytes >= begin && p->bytes + p->n <= begin + memory->n_bytes);
    for (int i = 0; i < MANY; i++) {
        const piece *other = &pieces[i];
        if (other == p || !other->bytes) continue;
        assert_true(p->bytes + p->n <= other->bytes || other->bytes + other->n <= p->bytes);
    }
}

/* The largest gap between the blocks in use, found by comparing all pairs. */
static size_t largest_gap(const ob_fixed_memory *memory, const piece *pieces) {
    const unsigned char *begin = memory->buffer, *end = begin + memory->n_bytes;
    begin += (UNIT - (uintptr_t)begin % UNIT) % UNIT;
    end -= (uintptr_t)end % UNIT;
    size_t largest = 0;
    for (int i = -1; i < MANY; i++) {
        if (i >= 0 && !pieces[i].bytes) continue;
        const unsigned char *from = i < 0 ? begin : pieces[i].bytes - UNIT + extent(pieces[i].n), *to = end;
        for (int k = 0; k < MANY; k++)
            if (pieces[k].bytes && pieces[k].bytes - UNIT >= from && pieces[k].bytes - UNIT < to) to = pieces[k].bytes - UNIT;
        bool inside = false;
        for (int k = 0; k < MANY; k++)
            inside |=
                k != i && pieces[k].bytes && pieces[k].bytes - UNIT < from && pieces[k].bytes - UNIT + extent(pieces[k].n) > from;
        if (!inside && to > from && (size_t)(to - from) > largest) largest = (size_t)(to - from);
    }
    return largest;
}

static uint32_t next_seed(uint32_t *seed) {
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

static size_t random_size(uint32_t *seed) {
    static const size_t most[] = {1, 40, 300, 3000};
    return 1 + next_seed(seed) % most[next_seed(seed) % 4];
}

static void fill_piece(piece *p, unsigned char *bytes, size_t n, uint32_t *seed) {
    *p = (piece){bytes, n, (unsigned char)next_seed(seed)};
    memset(bytes, p->fill, n);
}

static void step(ob_allocator *a, ob_fixed_memory *memory, piece *pieces, uint32_t *seed) {
    piece *p = &pieces[next_seed(seed) % MANY];
    size_t n = random_size(seed), gap = largest_gap(memory, pieces);
    if (p->bytes) expect_content(p, p->n);
    if (!p->bytes) {
        unsigned char *bytes = a->alloc(a->context, n);
        /* a remainder of one unit may belong to the block before a gap */
        if (!bytes) assert_true(gap < extent(n) + UNIT);
        if (bytes) fill_piece(p, bytes, n, seed);
    } else if (next_seed(seed) % 2) {
        a->free(a->context, p->bytes, p->n);
        p->bytes = NULL;
    } else {
        unsigned char *bytes = a->realloc(a->context, p->bytes, p->n, n);
        if (!bytes) {
            assert_true(gap < extent(n) + UNIT && n > p->n);
            expect_content(p, p->n);
            return;
        }
        piece moved = {bytes, n, p->fill};
        expect_content(&moved, n < p->n ? n : p->n);
        fill_piece(p, bytes, n, seed);
    }
    if (p->bytes) expect_place(memory, pieces, p);
}

/* Random calls: blocks never overlap, keep their contents, and at the end the buffer is one free block again. */
static void test_random_calls(void **state) {
    (void)state;
    static unsigned char buffer[20000];
    uint32_t seed = 3;
    for (int round = 0; round < 40; round++) {
        piece pieces[MANY] = {{0}};
        ob_fixed_memory memory;
        size_t skip = (size_t)round % 17, n = (size_t)round * 500 + 48, whole;
        if (n > sizeof buffer - skip) n = sizeof buffer - skip;
        ob_allocator a = ob_fixed_allocator(&memory, buffer + skip, n);
        for (whole = n; whole > 0; whole--) { /* the largest possible block */
            void *all = a.alloc(a.context, whole);
            a.free(a.context, all, whole);
            if (all) break;
        }
        assert_true(whole + 2 * UNIT + 15 > n);
        memory.peak = 0;
        size_t peak = 0;
        for (int i = 0; i < 3000; i++) {
            size_t used = 0;
            step(&a, &memory, pieces, &seed);
            for (int k = 0; k < MANY; k++)
                if (pieces[k].bytes) used += extent(pieces[k].n);
            assert_true(memory.used >= used && memory.used <= memory.n_bytes);
            if (memory.used > peak) peak = memory.used;
        }
        assert_true(memory.peak >= peak && memory.peak <= memory.n_bytes);
        for (int k = 0; k < MANY; k++) {
            if (!pieces[k].bytes) continue;
            expect_content(&pieces[k], pieces[k].n);
            a.free(a.context, pieces[k].bytes, pieces[k].n);
        }
        assert_int_equal(memory.used, 0);
        void *all = a.alloc(a.context, whole);
        assert_non_null(all);
        assert_null(a.alloc(a.context, 1));
        assert_int_equal(memory.used, memory.peak);
        a.free(a.context, all, whole);
        assert_int_equal(memory.used, 0);
    }
}

static void test_the_first_gap_is_taken(void **state) {
    (void)state;
    static _Alignas(16) unsigned char buffer[1024];
    ob_fixed_memory memory;
    ob_allocator a = ob_fixed_allocator(&memory, buffer, sizeof buffer);
    char *one = a.alloc(a.context, 100), *two = a.alloc(a.context, 100), *three = a.alloc(a.context, 100);
    a.free(a.context, one, 100);
    a.free(a.context, NULL, 100);
    assert_ptr_equal(a.alloc(a.context, 90), one);
    assert_true((char *)a.alloc(a.context, 200) > three);
    strcpy(two, "kept");
    assert_ptr_equal(a.realloc(a.context, two, 100, 20), two); /* shrinks in place, */
    assert_true((char *)a.alloc(a.context, 40) < three);       /* and the remainder is usable */
    assert_string_equal(two, "kept");
    assert_ptr_not_equal(a.realloc(a.context, two, 20, 300), two);
}

static void test_no_room(void **state) {
    (void)state;
    static _Alignas(16) unsigned char buffer[64];
    for (size_t n = 0; n < 32; n++) {
        ob_fixed_memory memory;
        ob_allocator a = ob_fixed_allocator(&memory, n ? buffer : NULL, n);
        assert_null(a.alloc(a.context, 1));
        assert_int_equal(memory.peak, 0);
    }
    ob_fixed_memory memory;
    ob_allocator a = ob_fixed_allocator(&memory, buffer, sizeof buffer);
    assert_null(a.alloc(a.context, SIZE_MAX));
    assert_null(a.alloc(a.context, 49));
    void *block = a.alloc(a.context, 48);
    assert_non_null(block);
    assert_null(a.realloc(a.context, block, 48, 49));
    assert_null(a.realloc(a.context, block, 48, SIZE_MAX));
    assert_int_equal(memory.used, 64);
}

int main(int argc, char **argv) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_calls),
        cmocka_unit_test(test_the_first_gap_is_taken),
        cmocka_unit_test(test_no_room),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
