/* In a build without groups each node is a step of its own. */
#include "passes/optimize/groups.h"

ob_status ob__find_groups(ob_model *model, const ob_facts *facts, const uint32_t *uses, const bool *live, ob_arena *arena,
                          ob_group ***groups) {
    (void)model, (void)facts, (void)uses, (void)live, (void)arena;
    *groups = NULL;
    return OB_OK;
}
