/* Copies between layouts, whole and in parts, compared with a loop over indices. */
#include "core/graph/copy.h"
#include "shapes.h"

static uint32_t draw(uint32_t *state, uint32_t n) {
    *state = *state * 1664525u + 1013904223u;
    return (*state >> 8) % n;
}

/* A source of random strides (stretched, reversed, transposed, with gaps) for the given result; its memory is to be freed. */
static char *make_source(uint32_t *random, ob_dtype dtype, int32_t rank, const int64_t *dims, ob_view *a) {
    int64_t width = (int64_t)ob_dtype_size(dtype), n = 1, start = 0;
    int32_t order[OB_MAX_RANK];
    *a = (ob_view){.dtype = dtype, .rank = rank};
    for (int32_t i = 0; i < rank; i++) order[i] = i;
    if (draw(random, 3) == 0)
        for (int32_t i = rank - 1; i > 0; i--) {
            int32_t k = (int32_t)draw(random, (uint32_t)i + 1), other = order[i];
            order[i] = order[k];
            order[k] = other;
        }
    bool gaps = draw(random, 4) == 0, reversed = draw(random, 4) == 0;
    for (int32_t i = rank; i-- > 0;) {
        int32_t axis = order[i];
        a->dims[axis] = draw(random, 3) == 0 ? 1 : dims[axis];
        a->strides[axis] = n * width;
        n *= a->dims[axis] + (gaps ? 1 : 0);
        if (reversed && a->dims[axis] > 1 && draw(random, 2)) {
            start += a->strides[axis] * (a->dims[axis] - 1);
            a->strides[axis] = -a->strides[axis];
        }
    }
    char *memory = malloc((size_t)(n * width) + 1);
    assert_non_null(memory);
    for (int64_t i = 0; i < n * width; i++) memory[i] = (char)draw(random, 256);
    a->data = memory + start;
    return memory;
}

static void assert_assigned(const ob_view *x, const ob_view *a) {
    ob_view source;
    assert_int_equal(ob_view_broadcast(a, x->rank, x->dims, &source, NULL), OB_OK);
    size_t width = ob_dtype_size(x->dtype);
    int64_t n = ob_view_count(x);
    for (int64_t i = 0; i < n; i++) {
        const char *from = source.data, *to = x->data;
        int64_t rest = i;
        for (int32_t axis = x->rank - 1; axis >= 0; axis--) {
            from += rest % x->dims[axis] * source.strides[axis];
            to += rest % x->dims[axis] * x->strides[axis];
            rest /= x->dims[axis];
        }
        if (memcmp(to, from, width) != 0) fail_msg("element %lld of %s differs", (long long)i, ob_dtype_name(x->dtype));
    }
}

enum { GUARD = 32, MARK = 0x5a };

static void assert_marked(const char *bytes) {
    for (size_t i = 0; i < GUARD; i++) assert_int_equal(bytes[i], MARK);
}

static void check_copy(uint32_t *random, ob_dtype dtype, int32_t rank, const int64_t *dims) {
    ob_view x, a;
    char nothing = 0;
    assert_int_equal(ob_view_init(&x, &nothing, dtype, rank, dims), OB_OK);
    size_t width = ob_dtype_size(dtype), n_bytes = (size_t)ob_view_count(&x) * width;
    size_t before = GUARD + draw(random, 4) * width, all = before + n_bytes + GUARD;
    char *source = make_source(random, dtype, rank, dims, &a), *memory = malloc(all);
    assert_non_null(memory);
    memset(memory, MARK, all);
    x.data = memory + before;
    assert_int_equal(ob_view_assign(&x, &a, NULL), OB_OK);
    assert_assigned(&x, &a);
    assert_marked(memory + before - GUARD);
    assert_marked(memory + before + n_bytes);
    /* the same in parts; bytes after a part do not change */
    memset(memory, MARK, all);
    int64_t n_elems = ob_view_count(&x), part = 1 + n_elems / (1 + (int64_t)draw(random, 20));
    for (int64_t first = 0; first < n_elems; first += part) {
        int64_t n = n_elems - first < part ? n_elems - first : part;
        assert_int_equal(ob_view_assign_part(&x, &a, first, n, NULL), OB_OK);
        size_t left = n_bytes - (size_t)(first + n) * width;
        for (size_t i = 0; i < (left < GUARD ? left : GUARD); i++)
            assert_int_equal(((char *)x.data)[(size_t)(first + n) * width + i], MARK);
    }
    assert_assigned(&x, &a);
    assert_marked(memory + before + n_bytes);
    free(memory);
    free(source);
}

static const ob_dtype types[] = {OB_UINT8, OB_FLOAT16, OB_FLOAT, OB_DOUBLE, OB_COMPLEX128};

static void small_copies(void **state) {
    (void)state;
    uint32_t random = 5;
    for (int i = 0; i < 1500; i++) {
        int32_t rank = (int32_t)draw(&random, 7);
        int64_t dims[7];
        for (int32_t axis = 0; axis < rank; axis++) {
            int64_t size = (int64_t[]){1, 2, 3, 5, 8, 17, 0}[draw(&random, i % 10 ? 6 : 7)];
            dims[axis] = rank > 4 && size > 5 ? 2 : size;
        }
        check_copy(&random, types[draw(&random, 5)], rank, dims);
    }
}

/* Larger than a block, so cut into pieces. */
static void copies_in_pieces(void **state) {
    (void)state;
    static const int64_t dims[][4] = {{3, 70, 1001, 2}, {40, 1, 9000, 1}, {2, 3, 5, 7000}, {60, 9, 60, 9},
                                      {5, 4100, 3, 3},  {1, 1, 90000, 3}, {7, 2, 3, 20000}};
    uint32_t random = 6;
    for (size_t i = 0; i < sizeof dims / sizeof dims[0]; i++)
        for (size_t k = 0; k < 5; k++) check_copy(&random, types[k % 5], 4, dims[i]);
}

/* So large that the result is written past the caches. */
static void copies_past_the_caches(void **state) {
    (void)state;
    static const int64_t from[][3] = {{1, 150000, 1}, {15, 1, 3}, {15, 150000, 3}, {15, 150000, 1}};
    static const int64_t to[3] = {15, 150000, 3};
    for (size_t i = 0; i < sizeof from / sizeof from[0]; i++) {
        ob_view x, a;
        int64_t n = from[i][0] * from[i][1] * from[i][2];
        uint32_t *source = malloc((size_t)n * 4 + 1), *result = malloc((6750000 + 3) * sizeof *result);
        assert_non_null(source);
        assert_non_null(result);
        for (int64_t k = 0; k < n; k++) source[k] = (uint32_t)k * 2654435761u;
        assert_int_equal(ob_view_init(&a, source, OB_UINT32, 3, from[i]), OB_OK);
        assert_int_equal(ob_view_init(&x, result + i % 3, OB_UINT32, 3, to), OB_OK);
        assert_int_equal(ob_view_assign(&x, &a, NULL), OB_OK);
        assert_assigned(&x, &a);
        memset(result, 0, 6750000 * sizeof *result);
        for (int64_t first = 0; first < 6750000; first += 2000001)
            assert_int_equal(ob_view_assign_part(&x, &a, first, first + 2000001 < 6750000 ? 2000001 : 6750000 - first, NULL),
                             OB_OK);
        assert_assigned(&x, &a);
        free(result);
        free(source);
    }
}

static void parts_must_lie_in_the_view(void **state) {
    (void)state;
    float data[6] = {0}, one = 1;
    ob_view x, a;
    ob_error error;
    assert_int_equal(ob_view_init(&x, data, OB_FLOAT, 2, (int64_t[]){2, 3}), OB_OK);
    assert_int_equal(ob_view_init(&a, &one, OB_FLOAT, 0, NULL), OB_OK);
    assert_int_equal(ob_view_assign_part(&x, &a, 4, 3, &error), OB_E_ARGUMENT);
    assert_string_equal(error.message, "elements from 4 on, 3 of them, are out of range: the view has 6");
    assert_int_equal(ob_view_assign_part(&x, &a, -1, 2, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_view_assign_part(&x, &a, 2, -1, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_view_assign_part(&x, &a, INT64_MAX, INT64_MAX, NULL), OB_E_ARGUMENT);
    assert_int_equal(ob_view_assign_part(&x, &a, 6, 0, NULL), OB_OK);
    assert_int_equal(ob_view_assign_part(&x, &a, 2, 3, NULL), OB_OK);
    assert_memory_equal(data, ((float[]){0, 0, 1, 1, 1, 0}), sizeof data);
    x.dims[1] = 2;
    assert_int_equal(ob_view_assign_part(&x, &a, 0, 1, &error), OB_E_ARGUMENT);
    assert_string_equal(error.message, "a view that is assigned to in parts must be contiguous");
    x.dims[1] = 0;
    assert_int_equal(ob_view_assign_part(&x, &a, 0, 0, NULL), OB_OK);
}

/* ---- Copies that ask ---- */

typedef struct large {
    int32_t rank;
    int64_t dims[3], from[3]; /* strides in elements */
} large;

static bool says_stop(const void *context) {
    int *n_asked = (int *)(uintptr_t)context;
    ++*n_asked;
    return true;
}

/* If the hook answers no, the result is the same; after a yes the rest is not copied. */
static void copies_that_ask(void **state) {
    (void)state;
    enum { MOST = 4 << 20 };
    static const large layouts[] = {
        {1, {MOST}, {1}},                         /* dense */
        {1, {MOST}, {0}},                         /* one element */
        {1, {MOST / 4}, {4}},                     /* far apart */
        {2, {1900, 2000}, {1, 1900}},             /* transposed */
        {3, {3, 900, 1100}, {990000, 1, 900}},    /* and repeated */
        {2, {2500, 1500}, {0, 1}},                /* one row repeated */
        {2, {6, 600000}, {0, 1}},                 /* a long one */
        {3, {1000, 1000, 3}, {1, 1000, 1000000}}, /* with the roles exchanged */
    };
    static uint32_t from[MOST], plain[MOST], asking[MOST];
    for (uint32_t i = 0; i < MOST; i++) from[i] = i + 1;
    for (size_t k = 0; k < sizeof layouts / sizeof layouts[0]; k++) {
        const large *l = &layouts[k];
        int64_t to[3], strides[3], n = 1;
        for (int32_t a = l->rank - 1; a >= 0; a--) {
            to[a] = 4 * n;
            strides[a] = 4 * l->from[a];
            n *= l->dims[a];
        }
        memset(plain, 0, sizeof plain);
        ob__copy(l->rank, l->dims, 4, plain, to, from, strides, NULL);
        memset(asking, 0, sizeof asking);
        obk_pace pace = {0};
        ob__copy(l->rank, l->dims, 4, asking, to, from, strides, &pace);
        assert_memory_equal(plain, asking, sizeof plain);
        int n_asked = 0;
        memset(asking, 0, sizeof asking);
        pace = (obk_pace){.stopped = says_stop, .context = &n_asked};
        ob__copy(l->rank, l->dims, 4, asking, to, from, strides, &pace);
        if (4 * n < 5 << 20) continue; /* too little to check */
        assert_int_equal(n_asked, 1);
        int64_t n_left = 0;
        for (int64_t i = 0; i < n; i++) n_left += asking[i] == 0;
        assert_true(n_left > n / 8);
    }
}

static void fills_that_ask(void **state) {
    (void)state;
    enum { MOST = 4 << 20 };
    static uint32_t plain[MOST], asking[MOST];
    const uint32_t value = 7;
    int n_asked = 0;
    obk_pace pace = {0};
    ob__fill(plain, MOST, 4, &value, NULL);
    ob__fill(asking, MOST, 4, &value, &pace);
    assert_memory_equal(plain, asking, sizeof plain);
    pace = (obk_pace){.stopped = says_stop, .context = &n_asked};
    ob__fill(asking, MOST, 4, NULL, &pace);
    assert_int_equal(n_asked, 1);
    assert_int_equal(asking[0], 0);
    assert_int_equal(asking[MOST - 1], value);
    n_asked = 0;
    pace = (obk_pace){.stopped = says_stop, .context = &n_asked};
    ob__copy_bytes(plain, asking, sizeof plain, &pace);
    assert_int_equal(n_asked, 1);
    assert_int_equal(plain[0], 0);
    assert_int_equal(plain[MOST / 2], value);
    ob__copy_bytes(plain, asking, sizeof plain, NULL);
    assert_memory_equal(plain, asking, sizeof plain);
}

int main(int argc, char **argv) {
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_copies),           cmocka_unit_test(copies_in_pieces),
        cmocka_unit_test(copies_past_the_caches), cmocka_unit_test(parts_must_lie_in_the_view),
        cmocka_unit_test(copies_that_ask),        cmocka_unit_test(fills_that_ask),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
