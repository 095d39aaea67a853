/* Declarations of a model about its results are claims. The operators decide the results; a wrong claim is logged, or refused
 * on request. */
#include <stdio.h>
#include <string.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "passes/check/names.h"
#include "passes/check/propagate.h"
#include "runtime/session.h"

/* Lines of a session about declarations: stale ones come in hundreds. */
enum { MOST_TOLD = 10 };

static bool is_declared(const ob_finding *finding) {
    return ob__finding_row(finding->id)->group == OB_FINDINGS_DECLARED;
}

static ob_status refuse(const ob_finding *finding, ob_error *error) {
    if (error) {
        error->axis = finding->axis;
        if (finding->value) ob__copy_text(error->value, sizeof error->value, finding->value->name);
    }
    ob__at_node(error, finding->node, OB_E_SHAPE);
    return ob__fail(error, finding->id == OB0502 ? OB_E_TYPE : OB_E_SHAPE, "%s", finding->message);
}

ob_status ob__judge_declared(ob_session *session, const ob_findings *findings, bool *wrong, ob_error *error) {
    const ob_logger *logger = &session->model->logger;
    uint32_t n = 0, n_false = 0;
    for (uint32_t i = 0; i < findings->n; i++) {
        const ob_finding *f = &findings->items[i];
        if (!is_declared(f)) continue;
        n_false += f->id != OB0505; /* a name requires nothing */
        if (session->strict && (f->severity == OB_SEVERITY_ERROR || f->id == OB0505)) return refuse(f, error);
        if (n++ < MOST_TOLD && !session->strict) OB_LOG(logger, OB_LOG_WARNING, "%s: %s", session->model->path, f->message);
    }
    if (n > MOST_TOLD && !session->strict)
        OB_LOG(logger, OB_LOG_WARNING, "%s: %u more declared shapes or types are wrong", session->model->path, n - MOST_TOLD);
    *wrong = n_false > 0;
    return OB_OK;
}

ob_status ob__check_declared(const ob_session *session, size_t i, const ob_view *result, ob_error *error) {
    const ob_value *value = session->model->graph->outputs[i];
    const ob_type *declared = &value->declared;
    if (!session->strict || declared->kind != OB_TYPE_TENSOR) return OB_OK;
    bool of_type = declared->dtype == OB_NONE || declared->dtype == result->dtype;
    bool fits = declared->shape.rank < 0 || declared->shape.rank == result->rank;
    for (int32_t axis = 0; fits && axis < declared->shape.rank; axis++) {
        ob_dim d = declared->shape.dims[axis];
        fits = !ob_dim_is_const(d) || d < 0 || d == result->dims[axis];
    }
    if (of_type && fits) return OB_OK;
    char claim[200], shape[200];
    const ob_shape is = {result->rank, result->dims};
    ob_shape_format(session->model->dims, &declared->shape, claim, sizeof claim);
    ob_shape_format(NULL, &is, shape, sizeof shape);
    if (error) ob__copy_text(error->value, sizeof error->value, value->name);
    return ob__fail(error, of_type ? OB_E_SHAPE : OB_E_TYPE, "output %s: the model declares %s %s, the result is %s %s",
                    value->name, ob_dtype_name(declared->dtype), claim, ob_dtype_name(result->dtype), shape);
}
