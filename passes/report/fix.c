/* The advice of a finding. */
#include "passes/check/fix.h"
#include "passes/report/report.h"

const char *ob__suggest_fix(const ob_report *report, const ob_finding *finding, ob_arena *arena) {
    const ob_fix *fixes;
    uint32_t n;
    if (ob__fixes_of(finding, arena, &fixes, &n) != OB_OK) return NULL;
    if (n > 0) return ob__fix_text(report->model->dims, fixes, n, finding->node, arena);
    if (finding->fix) return finding->fix;
    ob_finding_id id = finding->id;
    if (id == OB0201 || id == OB0203) return "change the operand so that it fits for every size";
    if (id == OB0311) return "make the mapping explicit: -o OUT --emit broadcast";
    return "";
}
