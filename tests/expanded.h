/* Models whose operators are their bodies. */
#ifndef OB_TESTS_EXPANDED_H
#define OB_TESTS_EXPANDED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/body/body.h"
#include "passes/propagate.h"
#include "runtime/session.h"

/* The model with every node that has a body written out. */
static inline ob_model *expanded(const ob_model *model) {
    ob_model *copy = NULL;
    ob_error error;
    ob_facts facts;
    bool any = false;
    assert_int_equal(ob_model_clone(model, &copy, &error), OB_OK);
    assert_int_equal(ob__model_resolve_ops(copy), OB_OK);
    ob__facts_init(&facts, NULL);
    assert_int_equal(ob__propagate(copy, NULL, &facts, NULL), OB_OK);
    if (ob__expand_bodies(copy, &facts, NULL, true, 1000, NULL, &any, &error) != OB_OK) fail_msg("%s", error.message);
    assert_true(any);
    assert_true(ob__model_set_opset(copy, "", OB_BODY_OPSET)); /* sessions look operators up again */
    ob__facts_release(&facts);
    return copy;
}

#endif
