#include "runtime/takes.h"

#include "core/base/error.h"
#include "ops/kernel/conversion.h"

/* Sessions note few of them, and few sessions do. */
static void record(void *context, const void *slot) {
    ob_noted_loops *noted = context;
    while (atomic_flag_test_and_set_explicit(&noted->busy, memory_order_acquire)) /* workers plan, too */
        ;
    uint32_t i = 0;
    while (i < noted->n && noted->slots[i] != slot) i++;
    if (i == noted->n && i < OB_NOTED_LOOPS) noted->slots[noted->n++] = slot;
    atomic_flag_clear_explicit(&noted->busy, memory_order_release);
}

obk_takes ob__takes(ob_session *session) {
    return (obk_takes){.record = session->noted ? record : NULL, .context = session->noted};
}

ob_status ob__plan_kernel(ob_session *session, const ob_kernel *kernel, const ob_kernel_site *site, ob_kernel_args *args,
                          ob_kernel_needs *needs, ob_error *error) {
    obk_takes takes = ob__takes(session), *before = obk_begin_takes(&takes);
    args->conversions = &ob__all_conversions;
    const ob_status status = kernel->plan ? kernel->plan(site, args, needs, error) : OB_OK;
    obk_end_takes(before);
    const char *missing = takes.missing ? takes.missing : before ? before->missing : NULL;
    if (before) before->missing = NULL;
    if (!missing) return status;
    ob_error_clear(error);
    return ob__fail(error, OB_E_UNSUPPORTED, "this build has only the loops that OB_OPS names; a line \"loop %s\" there adds it",
                    missing);
}
