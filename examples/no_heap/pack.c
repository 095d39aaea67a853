/* A build step: writes a model as a C array. In this form of the file weights are at multiples of 64 bytes, so that they can be
 * used in place, wherever the linker puts the array, for instance in flash memory.
 *
 *     pack MODEL HEADER */
#include <onnx_broadcast/onnx_broadcast.h>

#include <stdio.h>

typedef struct header {
    FILE *file;
    size_t n;
} header;

static ob_status write_bytes(void *context, const void *bytes, size_t n_bytes) {
    header *h = context;
    for (size_t i = 0; i < n_bytes; i++)
        fprintf(h->file, "%s%u,", h->n++ % 24 ? "" : "\n    ", (unsigned)((const unsigned char *)bytes)[i]);
    return ferror(h->file) ? OB_E_IO : OB_OK;
}

int main(int argc, char **argv) {
    ob_model *model = NULL;
    ob_error error;
    if (argc != 3) return fprintf(stderr, "usage: pack MODEL HEADER\n"), 2;
    ob_status status = ob_model_load(argv[1], NULL, &model, &error);
    header h = {status == OB_OK ? fopen(argv[2], "w") : NULL, 0};
    if (status == OB_OK && !h.file) {
        perror(argv[2]);
        ob_model_close(&model);
        return 1;
    }
    if (status == OB_OK) {
        fputs("static _Alignas(64) const unsigned char model_bytes[] = {", h.file);
        status = ob_model_write(model, OB_FORMAT_PROTOBUF_ALIGNED, write_bytes, &h, &error);
        fputs("\n};\n", h.file);
    }
    if (status != OB_OK) fprintf(stderr, "pack: %s\n", error.message);
    if (h.file && fclose(h.file) != 0) status = OB_E_IO;
    ob_model_close(&model);
    return status != OB_OK;
}
