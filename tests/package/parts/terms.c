/* A program of a build without terms: conditions on sizes and numbers are read, and terms are refused by name. */
#include <onnx_broadcast/onnx_broadcast.h>

#include <stdio.h>
#include <string.h>

static const char refusal[] = "this build has no terms of sizes (OB_WITH_TERMS is off)";

/* False: not as expected, which is printed. */
static bool reads(ob_dims *dims, const char *text, ob_status status) {
    ob_condition found[8];
    size_t n = sizeof found / sizeof *found;
    ob_error error = {.message = ""};
    if (ob_condition_parse(dims, text, false, found, &n, &error) == status && (status == OB_OK || strstr(error.message, refusal)))
        return true;
    fprintf(stderr, "terms: %s: %s\n", text, error.message);
    return false;
}

int main(void) {
    ob_dims *dims = NULL;
    if (ob_dims_create(NULL, &dims) != OB_OK) return 1;
    const bool same = reads(dims, "N <= 8", OB_OK) && reads(dims, "N = M", OB_OK) &&
                      reads(dims, "1 <= N <= 512, K == N", OB_OK) && reads(dims, "2*N <= 8", OB_E_UNSUPPORTED) &&
                      reads(dims, "N + M = 4", OB_E_UNSUPPORTED) && reads(dims, "N in {3, 4}", OB_E_UNSUPPORTED);
    ob_dims_destroy(&dims);
    return same ? 0 : 1;
}
