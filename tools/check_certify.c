/* onnx-broadcast-check --certify CERT OLD NEW: runs both models and writes down how they compare. */
#include "check_certify.h"

#include <stdlib.h>

#include "stop.h"

static const char tool[] = "onnx-broadcast-check";

typedef struct production {
    const settings *s;
    const ob_certify_options *options;
    ob_certificate_info *info;
} production;

static ob_status produce(void *context, ob_write_sink sink, void *sink_context, ob_error *error) {
    const production *p = context;
    return ob_certify(p->s->files[0], p->s->files[1], p->options, sink, sink_context, p->info, error);
}

static void print_result(const settings *s, const ob_certificate_info *info) {
    print_escaped(stdout, s->files[0]);
    fputs(" -> ", stdout);
    print_escaped(stdout, s->files[1]);
    const bool differs = info->n_different + info->n_unlike > 0;
    printf(": %s; contract %s; %zu run%s, %zu different",
           info->equal ? "equal"
           : differs   ? "not equal"
                       : "not compared",
           ob_relation_name(info->contract), info->n_runs, plural(info->n_runs), info->n_different);
    if (info->n_refused) printf(", %zu refused by both", info->n_refused);
    if (info->n_unlike) printf(", %zu refused by one", info->n_unlike);
    printf("; proved for all admitted sizes: %zu of %zu shapes, %zu of %zu values", info->n_output_shapes, info->n_outputs,
           info->n_output_elements, info->n_outputs);
    fputs("; certificate ", stdout);
    print_escaped(stdout, s->certificate);
    putchar('\n');
}

int certify_models(const settings *s) {
    ob_certificate_info info;
    ob_error error;
    const ob_certify_options options = {.sizes = s->dims, .n_sizes = s->check.n_dims};
    production p = {s, &options, &info};
    ob_error_clear(&error);
    stop_begin_file(s->certificate);
    const ob_status status = ob_file_save(s->certificate, produce, &p, &error);
    stop_end_file();
    if (status != OB_OK) {
        complain_error(tool, NULL, &error);
        return EXIT_MISUSED;
    }
    print_result(s, &info);
    return info.equal ? EXIT_CLEAN : EXIT_ERRORS;
}

static char *read_file(const char *path, size_t *n) {
    enum { MOST = 1 << 26 };
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    size_t capacity = 0;
    *n = 0;
    if (!file) return NULL;
    for (size_t got = 1; got > 0 && *n < MOST;) {
        char *grown = with_room(bytes, &capacity, *n + 65536, 1);
        if (!grown) break;
        bytes = grown;
        got = fread(bytes + *n, 1, 65536, file);
        *n += got;
    }
    fclose(file);
    return bytes;
}

int verify_certificate(const settings *s) {
    const ob_certify_options options = {.sizes = s->dims, .n_sizes = s->check.n_dims};
    ob_error error;
    size_t n;
    char *text = read_file(s->certificate, &n);
    if (!text) {
        complain(tool, s->certificate, "cannot be read");
        return EXIT_MISUSED;
    }
    const ob_status status = ob_certificate_verify(text, n, s->files[0], s->files[1], &options, &error);
    free(text);
    if (status == OB_OK) {
        print_escaped(stdout, s->certificate);
        puts(": is the certificate of these models");
        return EXIT_CLEAN;
    }
    complain_error(tool, s->certificate, &error);
    return status == OB_E_MODEL ? EXIT_ERRORS : EXIT_MISUSED;
}
