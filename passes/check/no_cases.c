/* In a build without terms there is no solver, so no case is excluded (cases.c), and none is looked at alone (ranks.c): a result
 * that needs long terms is unknown, and so is a rank that sizes decide. */
#include "passes/check/propagation.h"

ob_status ob__propagate(ob_model *model, const ob_propagate_options *options, ob_facts *facts, ob_findings *findings) {
    return ob__propagate_once(model, options, NULL, facts, findings);
}
