/* Arena, text, map, element types, status and error records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/arena.h"
#include "core/base/error.h"
#include "core/base/finding.h"
#include "core/base/hash.h"
#include "core/base/list.h"
#include "core/base/map.h"
#include "core/base/number_map.h"
#include "core/base/text.h"
#include "core/dims/shape.h"
#include "onnx_broadcast/dtype.h"

static void arena_blocks_are_aligned_and_limited(void **state) {
    (void)state;
    ob_arena arena;
    ob__arena_init(&arena, NULL);
    for (size_t n = 0; n < 3000; n += 7) {
        char *p = ob__arena_alloc(&arena, n);
        assert_non_null(p);
        assert_int_equal((uintptr_t)p % 16, 0);
        memset(p, 0xAB, n);
    }
    assert_null(ob__arena_alloc(&arena, SIZE_MAX));
    assert_null(ob__arena_calloc(&arena, SIZE_MAX / 2, 3));
    arena.n_bytes_limit = arena.n_bytes + 100;
    assert_null(ob__arena_alloc(&arena, 1 << 20));
    ob__arena_restart(&arena);
    assert_int_equal(arena.n_bytes, 0);
    assert_false(arena.failed || arena.hit_limit);
    assert_non_null(ob__arena_alloc(&arena, 1 << 20));
    ob__arena_release(&arena);
    assert_int_equal(arena.n_bytes, 0);
}

static void *no_memory(void *context, size_t n_bytes) {
    ++*(int *)context;
    (void)n_bytes;
    return NULL;
}

/* Borrowed memory is used first, to its last byte; then the allocator is called. */
static void arena_takes_what_it_is_lent(void **state) {
    (void)state;
    _Alignas(16) char memory[96];
    int n_asked = 0;
    const ob_allocator allocator = {.alloc = no_memory, .context = &n_asked};
    ob_arena arena;
    ob__arena_init(&arena, &allocator);
    ob__arena_lend(&arena, memory, sizeof memory);
    assert_ptr_equal(ob__arena_alloc(&arena, 50), memory);
    assert_ptr_equal(ob__arena_alloc(&arena, 32), memory + 64);
    assert_int_equal(n_asked, 0);
    assert_null(ob__arena_alloc(&arena, 1));
    assert_int_equal(n_asked, 1);
    assert_int_equal(arena.n_bytes, 0);
    ob__arena_release(&arena);
}

/* A request that needs a block of its own leaves the rest of the block before it for those that follow. */
static void a_large_request_does_not_waste_a_block(void **state) {
    (void)state;
    ob_arena arena;
    ob__arena_init(&arena, NULL);
    assert_non_null(ob__arena_alloc(&arena, 16));
    const size_t room = (size_t)(arena.end - arena.next);
    assert_true(room > 64);
    assert_non_null(ob__arena_alloc(&arena, 1 << 20));
    assert_int_equal(arena.end - arena.next, room);
    const size_t taken = arena.n_bytes;
    assert_non_null(ob__arena_alloc(&arena, 16));
    assert_int_equal(arena.n_bytes, taken);
    while (arena.n_bytes == taken) assert_non_null(ob__arena_alloc(&arena, 16)); /* then there is a new block, with more room */
    assert_true(arena.end - arena.next > 64);
    ob__arena_release(&arena);
}

static void lists_grow_and_keep_what_is_in_them(void **state) {
    (void)state;
    ob_arena arena;
    ob__arena_init(&arena, NULL);
    uint64_t *in_arena = NULL, *at_powers = NULL, *on_heap = NULL;
    uint32_t room_in_arena = 0, room_on_heap = 0;
    for (uint32_t n = 0; n < 5000; n++) {
        in_arena = ob__list_in_arena(&arena, in_arena, &room_in_arena, n + 1, sizeof *in_arena);
        at_powers = ob__list_for_entry(&arena, at_powers, n, sizeof *at_powers);
        if (n == room_on_heap) on_heap = ob__list_grown(&arena.allocator, on_heap, &room_on_heap, sizeof *on_heap);
        assert_true(in_arena && at_powers && on_heap && room_in_arena > n && room_on_heap > n);
        assert_true(in_arena[n] == 0 && at_powers[n] == 0 && on_heap[n] == 0);
        in_arena[n] = at_powers[n] = on_heap[n] = n + 1u;
    }
    for (uint32_t n = 0; n < 5000; n++) assert_true(in_arena[n] == n + 1u && at_powers[n] == n + 1u && on_heap[n] == n + 1u);
    assert_true(room_in_arena < 10000);   /* at most twice as much, and the same for the old copies */
    assert_true(arena.n_bytes < 1 << 20); /* with all blocks; 100 MB if each entry left an old copy */

    uint32_t before = room_in_arena;
    in_arena = ob__list_in_arena(&arena, in_arena, &room_in_arena, 100000, sizeof *in_arena);
    assert_true(room_in_arena >= 100000 && in_arena[before] == 0 && in_arena[4999] == 5000);
    before = room_in_arena;
    assert_null(ob__list_in_arena(&arena, in_arena, &room_in_arena, UINT32_MAX, SIZE_MAX / 2)); /* not enough memory */
    assert_int_equal(room_in_arena, before);
    assert_null(ob__list_for_entry(&arena, at_powers, SIZE_MAX / 2 + 1, 1));
    ob__list_free(&arena.allocator, on_heap, room_on_heap, sizeof *on_heap);
    ob__arena_release(&arena);
}

static void shapes_are_the_same_only_where_they_are_known(void **state) {
    (void)state;
    const ob_dim numbers[] = {2, 3}, others[] = {2, 4}, open[] = {2, OB_DIM_UNKNOWN}, terms[] = {2, OB_DIM_CONST_MAX + 1};
    const ob_shape known = {2, numbers}, other = {2, others}, shorter = {1, numbers}, scalar = {0, NULL};
    const ob_shape unknown = {OB_RANK_UNKNOWN, NULL}, partly = {2, open}, symbolic = {2, terms};
    assert_true(ob__same_shape(&known, &known) && ob__same_shape(&scalar, &scalar) && ob__same_shape(&symbolic, &symbolic));
    assert_false(ob__same_shape(&known, &other) || ob__same_shape(&known, &shorter) || ob__same_shape(&shorter, &known));
    assert_false(ob__same_shape(&unknown, &unknown) || ob__same_shape(&partly, &partly) || ob__same_shape(&known, &symbolic));
    assert_true(ob__is_static(&known) && ob__is_static(&scalar));
    assert_false(ob__is_static(&unknown) || ob__is_static(&partly) || ob__is_static(&symbolic));
}

static void map_keeps_every_key(void **state) {
    (void)state;
    ob_arena arena;
    ob__arena_init(&arena, NULL);
    ob_map map;
    ob__map_init(&map, &arena);
    assert_null(ob__map_find(&map, "x", 1));
    char key[32];
    for (uintptr_t i = 0; i < 5000; i++) {
        int n = snprintf(key, sizeof key, "value_%u", (unsigned)i);
        ob_map_entry *entry = ob__map_insert(&map, key, (size_t)n);
        assert_non_null(entry);
        assert_null(entry->value);
        entry->value = (void *)(i + 1);
    }
    for (uintptr_t i = 0; i < 5000; i++) {
        int n = snprintf(key, sizeof key, "value_%u", (unsigned)i);
        assert_ptr_equal(ob__map_find(&map, key, (size_t)n)->value, (void *)(i + 1));
    }
    assert_int_equal(map.n_entries, 5000);
    assert_null(ob__map_find(&map, "value_", 6));
    ob__arena_release(&arena);
}

/* Keys of every length that differ in one bit of one byte are different keys, regardless of adjacent bytes. */
static void map_compares_every_byte(void **state) {
    (void)state;
    enum { LONGEST = 40 };
    ob_arena arena;
    ob__arena_init(&arena, NULL);
    ob_map map;
    ob__map_init(&map, &arena);
    char key[LONGEST + 1], around[LONGEST + 3];
    memset(key, 'k', sizeof key);
    for (size_t n = 0; n <= LONGEST; n++) ob__map_insert(&map, key, n)->value = (void *)(n + 1);
    for (size_t n = 0; n <= LONGEST; n++) {
        memset(around, 'x', sizeof around);
        memcpy(around + 1, key, n);
        assert_ptr_equal(ob__map_find(&map, around + 1, n)->value, (void *)(n + 1));
        assert_int_equal(map.n_entries, LONGEST + 1);
        for (size_t i = 0; i < n; i++) {
            around[1 + i] ^= 1; /* would be found at the other key's place if both had the same hash */
            ob_map_entry *entry = ob__map_find(&map, key, n);
            const ob_map_entry kept = *entry;
            ob_map one = {.entries = &(ob_map_entry[2]){kept, kept}[0], .capacity = 2, .n_entries = 1};
            const uint32_t hash = (uint32_t)ob__hash_bytes(around + 1, n);
            one.entries[hash & 1].hash = hash;
            one.entries[!(hash & 1)].key = NULL;
            assert_null(ob__map_find(&one, around + 1, n));
            assert_null(ob__map_find(&map, around + 1, n));
            around[1 + i] ^= 1;
        }
    }
    ob__arena_release(&arena);
}

static void number_map_keeps_every_number(void **state) {
    (void)state;
    enum { MOST = 3000 };
    for (size_t n = 0; n <= MOST; n = n * 3 / 2 + 1) {
        ob_arena arena;
        ob__arena_init(&arena, NULL);
        ob_number_map map;
        assert_true(ob__number_map_init(&map, &arena, n));
        for (size_t twice = 0; twice < 2; twice++)
            for (size_t i = 0; i < n; i++) {
                const uint64_t key = i == 1 ? UINT64_MAX : (uint64_t)i << (i % 3 ? 32 : 0);
                uint32_t *place = ob__number_place(&map, key);
                if (!twice) assert_int_equal(*place, 0);
                if (!twice) *place = (uint32_t)i + 1;
                assert_int_equal(*place, i + 1);
                assert_int_equal(ob__number_find(&map, key), i + 1);
                assert_int_equal(ob__number_find(&map, key + 5), 0);
            }
        assert_int_equal(ob__number_find(&map, 12345678901234567u), 0);
        ob__arena_release(&arena);
    }
}

/* Sixteen bytes with the same ob__hash_bytes as for `index` 0; its steps can be inverted. The first half is the index. */
static void colliding_key(unsigned index, unsigned char key[16]) {
    char text[9];
    snprintf(text, sizeof text, "%08x", index);
    uint64_t word, h = UINT64_C(0x9E3779B97F4A7C15) ^ 16;
    memcpy(&word, text, 8);
    h = (h ^ word) * UINT64_C(0xD6E8FEB86659FD93);
    h ^= h >> 32;
    word = h ^ UINT64_C(0x123456789ABCDEF0);
    memcpy(key, text, 8);
    memcpy(key + 8, &word, 8);
}

static size_t longest_run(const ob_map *map) {
    size_t longest = 0, run = 0;
    for (size_t i = 0; i < 2 * map->capacity; i++) { /* twice around: a sequence may wrap past the end */
        run = map->entries[i & (map->capacity - 1)].key ? run + 1 : 0;
        if (run > longest) longest = run;
    }
    return longest;
}

static void names_that_were_made_to_collide_are_spread(void **state) {
    (void)state;
    enum { N = 50000 };
    unsigned char key[16], other[16];
    ob_arena arena;
    ob_map map;
    ob__arena_init(&arena, NULL);
    ob__map_init(&map, &arena);
    colliding_key(0, key);
    colliding_key(N, other);
    assert_true(ob__hash_bytes(key, 16) == ob__hash_bytes(other, 16));
    for (uintptr_t i = 0; i < N; i++) {
        colliding_key((unsigned)i, key);
        ob_map_entry *entry = ob__map_insert(&map, (const char *)key, 16);
        assert_non_null(entry);
        assert_null(entry->value);
        assert_memory_equal(entry->key, key, 16);
        entry->value = (void *)(i + 1);
        if ((i & (i + 1)) == 0) assert_true(longest_run(&map) < OB_HASH_RUN);
    }
    assert_non_null(map.hash_key); /* otherwise they do not collide, and the test shows nothing */
    assert_true(longest_run(&map) < OB_HASH_RUN);
    assert_int_equal(map.n_entries, N);
    for (uintptr_t i = 0; i < N; i++) {
        colliding_key((unsigned)i, key);
        assert_ptr_equal(ob__map_find(&map, (const char *)key, 16)->value, (void *)(i + 1));
    }
    colliding_key(N, key);
    assert_null(ob__map_find(&map, (const char *)key, 16));
    ob__arena_release(&arena);
}

static void a_keyed_hash_depends_on_key_and_bytes(void **state) {
    (void)state;
    const ob_hash_key keys[2] = {{{0, 0}}, {{1, 0}}};
    unsigned char bytes[40] = {0};
    for (size_t n = 0; n <= sizeof bytes; n++) {
        uint64_t hash = ob__hash_keyed(&keys[0], bytes, n);
        assert_true(hash == ob__hash_keyed(&keys[0], bytes, n));
        assert_true(hash != ob__hash_keyed(&keys[1], bytes, n));
        assert_true(n == 0 || hash != ob__hash_keyed(&keys[0], bytes, n - 1));
        for (size_t i = 0; i < n; i++) {
            bytes[i] = 0x80;
            assert_true(hash != ob__hash_keyed(&keys[0], bytes, n));
            bytes[i] = 0;
        }
    }
    ob_hash_key one = ob__hash_key_new(&one), two = ob__hash_key_new(keys);
    assert_true(one.words[0] != two.words[0] || one.words[1] != two.words[1]);
}

static void text_grows(void **state) {
    (void)state;
    ob_text text;
    ob__text_init(&text, NULL);
    for (int i = 0; i < 1000; i++) ob__text_printf(&text, "%d,", i);
    assert_false(text.failed);
    assert_int_equal(text.n, strlen(text.data));
    assert_memory_equal(text.data, "0,1,2,", 6);
    ob__text_release(&text);
}

static void errors_are_cut_at_a_character(void **state) {
    (void)state;
    char field[6];
    ob__copy_text(field, sizeof field, "abcd\xC3\xA9"); /* no half of a character at either end */
    assert_string_equal(field, "a...");
    ob__copy_text(field, sizeof field, "abc\xC3\xA9");
    assert_string_equal(field, "abc\xC3\xA9");
    ob__copy_text(field, sizeof field, "a\nb\x7f");
    assert_string_equal(field, "a?b?");
    ob__copy_text(field, sizeof field, NULL);
    assert_string_equal(field, "");
    ob_error error;
    ob_error_clear(&error);
    char longest[600];
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    longest[253] = '\xC3'; /* 254 bytes come before the dots */
    longest[254] = '\xA9';
    assert_int_equal(ob__fail(&error, OB_E_IO, "%s", longest), OB_E_IO);
    assert_int_equal(strlen(error.message), 510);
    assert_int_equal(error.code, OB_E_IO);
    assert_int_equal(error.axis, -1);
    assert_string_equal(ob_status_text(OB_OK), "success");
    assert_string_equal(ob_status_text((ob_status)999), "unknown status");
}

static void dtype_names_round_trip(void **state) {
    (void)state;
    for (int i = 1; i < OB_DTYPE_COUNT; i++) {
        assert_int_equal(ob_dtype_from_name(ob_dtype_name((ob_dtype)i)), i);
        assert_true(ob_dtype_size((ob_dtype)i) > 0);
    }
    assert_int_equal(ob_dtype_from_name("nonsense"), OB_NONE);
    assert_int_equal(ob_dtype_from_name(NULL), OB_NONE);
    assert_int_equal(ob_dtype_size(OB_NONE), 0);
    assert_int_equal(ob_dtype_file_bits(OB_INT4), 4);
    assert_int_equal(ob_dtype_file_bits(OB_STRING), 0);
    assert_int_equal(ob_dtype_file_bits(OB_DOUBLE), 64);
}

/* ---- Ids of findings ---- */

static void finding_ids_are_in_their_hundred(void **state) {
    (void)state;
    for (int i = OB_FINDING_NONE + 1; i < OB_FINDING_COUNT; i++) {
        const ob_finding_row *row = ob__finding_row((ob_finding_id)i);
        assert_int_equal(strlen(row->name), 6);
        assert_int_equal(row->name[3] - '0', row->group);
        assert_int_equal(ob__finding_find(row->name), i);
        assert_true(row->severity > OB_SEVERITY_NONE);
        assert_int_not_equal(row->status, OB_OK);
    }
    assert_string_equal(ob__finding_row(OB_FINDING_NONE)->name, "");
    assert_string_equal(ob__finding_row(OB_FINDING_COUNT)->name, "");
    assert_int_equal(ob__finding_find("ob0101"), OB0101);
    assert_int_equal(ob__finding_find("OB01"), OB_FINDING_NONE);
    assert_int_equal(ob__finding_find(NULL), OB_FINDING_NONE);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arena_blocks_are_aligned_and_limited),
        cmocka_unit_test(arena_takes_what_it_is_lent),
        cmocka_unit_test(a_large_request_does_not_waste_a_block),
        cmocka_unit_test(lists_grow_and_keep_what_is_in_them),
        cmocka_unit_test(shapes_are_the_same_only_where_they_are_known),
        cmocka_unit_test(map_keeps_every_key),
        cmocka_unit_test(map_compares_every_byte),
        cmocka_unit_test(number_map_keeps_every_number),
        cmocka_unit_test(names_that_were_made_to_collide_are_spread),
        cmocka_unit_test(a_keyed_hash_depends_on_key_and_bytes),
        cmocka_unit_test(text_grows),
        cmocka_unit_test(errors_are_cut_at_a_character),
        cmocka_unit_test(dtype_names_round_trip),
        cmocka_unit_test(finding_ids_are_in_their_hundred),
    };
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
