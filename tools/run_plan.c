/* The plan of a session as a table, for --explain-plan. */
#include "common.h"
#include "compare.h"
#include "run_parts.h"

static void print_bytes(uint64_t n_bytes) {
    char text[32];
    format_bytes((int64_t)n_bytes, text, sizeof text);
    printf(" %11s", text);
}

static void print_step(void *context, const ob_step_info *step) {
    size_t *number = context;
    char shape[64] = "?";
    if (step->output) format_type(step->output, shape, sizeof shape);
    printf("%5zu  %*s%-*s %-12s %-9s", ++*number, (int)(2 * step->depth), "", step->depth < 10 ? 24 - 2 * (int)step->depth : 4,
           step->op_type, step->kernel, step->level);
    print_bytes(step->read_bytes);
    print_bytes(step->written_bytes);
    printf("  %-8s %-26s %s\n", step->in_place ? "yes" : "", shape, step->nodes);
}

ob_status plan_print(const ob_session *session, ob_error *error) {
    size_t number = 0;
    ob_session_memory memory;
    ob_session_get_memory(session, &memory);
    printf("%5s  %-24s %-12s %-9s %11s %11s  %-8s %-26s %s\n", "step", "operator", "kernel", "level", "reads", "writes",
           "in place", "result", "nodes");
    const ob_status status = ob_session_each_step(session, print_step, &number, error);
    if (status != OB_OK) return status;
    printf("\n%zu step%s, %zu in place; %zu result%s computed in advance, %zu view%s of other values without a step\n", number,
           number == 1 ? "" : "s", memory.n_in_place, memory.n_folded, memory.n_folded == 1 ? "" : "s", memory.n_views,
           memory.n_views == 1 ? "" : "s");
    return OB_OK;
}
