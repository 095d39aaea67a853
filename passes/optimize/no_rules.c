/* A build without bodies (OB_WITH_BODIES) applies no rule, which changes no result that is exact. */
#include "passes/optimize/rules.h"

ob_status ob__apply_rules(ob_model *model, const ob_facts *facts, bool relaxed, const ob_rule_listener *listener, bool *any,
                          ob_error *error) {
    (void)model, (void)facts, (void)relaxed, (void)listener, (void)error;
    *any = false;
    return OB_OK;
}
