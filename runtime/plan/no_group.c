/* In a build without groups none is found (passes/optimize/no_groups.c). */
#include "runtime/plan/builder.h"

ob_status ob__plan_group(ob_builder *b, const ob_group *group) {
    (void)b, (void)group;
    return OB_E_INTERNAL;
}
