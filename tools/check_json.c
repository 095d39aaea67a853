/* onnx-broadcast-check --format json. */
#include "check_parts.h"

static ob_status write_file(void *context, const void *bytes, size_t n_bytes) {
    return fwrite(bytes, 1, n_bytes, context) == n_bytes ? OB_OK : OB_E_IO;
}

ob_status print_report_json(FILE *out, const char *file, ob_report *report, const independence_asked *independence) {
    const ob_report_json_options options = {
        .file = file, .independence = (const ob_independence *const *)independence->answers, .n_independence = independence->n};
    return ob_report_to_json(report, &options, write_file, out, NULL);
}

void print_unread_json(FILE *out, const char *file, const ob_error *error) {
    fputs("{\"file\":", out);
    print_json_string(out, file);
    fputs(",\"error\":{\"status\":", out);
    print_json_string(out, ob_status_text(error->code));
    fputs(",\"message\":", out);
    print_json_string(out, error->message);
    fputs("}}", out);
}
