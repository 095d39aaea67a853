/* What kernels keep in their states is described completely: plans are written as C by these descriptions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/base/members.h"
#include "ops/kernel/kernel.h"
#include "ops/table/op.h"

enum { MOST = 4096 };

typedef struct seen {
    const ob_struct *types[MOST];
    size_t n;
} seen;

static void check(seen *s, const ob_struct *type) {
    for (size_t i = 0; i < s->n; i++)
        if (s->types[i] == type) return;
    assert_true(s->n < MOST);
    s->types[s->n++] = type;
    const size_t at = ob__first_undescribed(type);
    if (at != type->n_bytes) fail_msg("%s: byte %zu of %u is not described", type->name, at, type->n_bytes);
    for (uint32_t i = 0; i < type->n_members; i++) {
        const ob_member *member = &type->members[i];
        if (member->type) check(s, member->type);
        if (member->type && member->kind == OB_MEMBER_STRUCT) assert_int_equal(member->type->n_bytes, member->size);
        if (member->kind == OB_MEMBER_PARAMS) assert_int_equal(member[1].kind, OB_MEMBER_TYPE);
        if (member->kind == OB_MEMBER_REST) assert_int_equal(i + 1, type->n_members);
    }
}

static void states_are_described(void **state) {
    static seen s;
    size_t n = 0;
    (void)state;
    for (size_t i = 0; i < ob__op_count(); i++) {
        const ob_kernel *kernel = ob__op_at(i)->kernel;
        if (!kernel || !kernel->run_name) continue;
        n++;
        assert_int_equal(kernel->state != NULL, kernel->state_bytes != 0);
        if (!kernel->state) continue;
        assert_int_equal(kernel->state->n_bytes, kernel->state_bytes);
        check(&s, kernel->state);
    }
    assert_true(n > 100);
    assert_true(s.n > 20);
}

typedef struct sample {
    int64_t first;
    bool flag;
    const double *reals;
    int32_t sizes[3];
} sample;

static void a_gap_is_found(void **state) {
    const ob_member whole[] = {OB_VALUE(sample, first), OB_VALUE(sample, flag), OB_NUMBERS(sample, reals, NULL),
                               OB_VALUES(sample, sizes)};
    const ob_struct all = OB_STRUCT(sample, whole);
    (void)state;
    assert_int_equal(ob__first_undescribed(&all), sizeof(sample));
    for (size_t left_out = 0; left_out < 4; left_out++) {
        ob_member some[3];
        for (size_t i = 0, n = 0; i < 4; i++)
            if (i != left_out) some[n++] = whole[i];
        const ob_struct part = OB_STRUCT(sample, some);
        /* a bool takes no more room than the padding before the next member */
        if (left_out == 1)
            assert_int_equal(whole[2].offset, offsetof(sample, reals));
        else
            assert_true(ob__first_undescribed(&part) < sizeof(sample));
    }
    assert_int_equal(whole[0].kind, OB_MEMBER_SIGNED);
    assert_int_equal(whole[1].kind, OB_MEMBER_UNSIGNED);
    assert_int_equal(whole[2].target, OB_MEMBER_REAL);
    assert_int_equal(whole[3].n, 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(states_are_described), cmocka_unit_test(a_gap_is_found)};
    return cmocka_run_group_tests_name("members", tests, NULL, NULL);
}
