/* In a build without terms there is no solver, so no case is excluded (cases.c): a result that needs long terms is unknown. */
#include "core/base/error.h"
#include "passes/check/propagation.h"

ob_status ob__propagate(ob_model *model, const ob_propagate_options *options, ob_facts *facts, ob_findings *findings) {
    OB_TRY(ob__propagate_once(model, options, NULL, facts, findings));
    return facts->open_ranks ? ob__propagate_ranks(model, options, NULL, facts, findings) : OB_OK;
}
