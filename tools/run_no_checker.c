/* onnx-broadcast-run in a build without the checker (OB_WITH_CHECKER). */
#include "run_parts.h"

exit_code check_independent(const run_options *options, ob_model *model) {
    (void)model;
    complain(TOOL, options->model, "--check-independent: this build has no checker (OB_WITH_CHECKER is off)");
    return EXIT_UNSUPPORTED;
}
