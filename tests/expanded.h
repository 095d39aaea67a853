/* Models whose operators are replaced by their bodies. */
#ifndef OB_TESTS_EXPANDED_H
#define OB_TESTS_EXPANDED_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "ops/body/body.h"
#include "ops/library/resolve.h"
#include "passes/check/propagate.h"
#include "passes/expand/expand.h"
#include "runtime/session.h"

/* The model with every node replaced by its body if it has one; any: there was one. */
static inline ob_status expand(const ob_model *model, ob_model **out, bool *any, ob_error *error) {
    ob_facts facts;
    *any = false;
    ob__facts_init(&facts, NULL);
    ob_status status = ob_model_clone(model, out, error);
    if (status == OB_OK) status = ob__model_resolve_ops(*out);
    if (status == OB_OK) status = ob__propagate(*out, NULL, &facts, NULL);
    if (status == OB_OK)
        status = ob__expand_bodies(*out, &facts, &(ob_expand_options){.all = true, .max_nodes = 1000}, any, error);
    if (status == OB_OK && *any) assert_true(ob__model_set_opset(*out, "", OB_BODY_OPSET)); /* sessions look operators up again */
    ob__facts_release(&facts);
    return status;
}

static inline ob_model *expanded(const ob_model *model) {
    ob_model *copy = NULL;
    ob_error error;
    bool any;
    if (expand(model, &copy, &any, &error) != OB_OK) fail_msg("%s", error.message);
    assert_true(any);
    return copy;
}

#endif
