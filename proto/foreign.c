/* Files that are given in the place of a model and are none: told apart by how they begin, with what to do. */
#include <string.h>

#include "proto/proto.h"

typedef struct beginning {
    size_t at; /* byte where `bytes` stand */
    const char *bytes;
    size_t n;
    const char *what;
} beginning;

#define BYTES(text) text, sizeof text - 1

static const beginning beginnings[] = {
    {0, BYTES("\x1f\x8b\x08"), "it is compressed by gzip: gunzip it first"},
    {0, BYTES("PK\x03\x04"),
     "it is a zip archive: unpack it, or pass the .onnx file that is in it (of a PyTorch checkpoint, export one)"},
    {0, BYTES("BZh"), "it is compressed by bzip2: bunzip2 it first"},
    {0,
     BYTES("\xfd"
           "7zXZ\x00"),
     "it is compressed by xz: unxz it first"},
    {0, BYTES("\x28\xb5\x2f\xfd"), "it is compressed by zstd: unzstd it first"},
    {257, BYTES("ustar"), "it is a tar archive: unpack it and pass the .onnx file that is in it"},
    {0, BYTES("version https://git-lfs.github.com/spec/"),
     "it is a pointer of Git LFS, which stands for the model: fetch it with git lfs pull"},
    {4, BYTES("TFL3"), "it is a TensorFlow Lite model: convert it to ONNX first"},
    {0, BYTES("\x89HDF\r\n"), "it is an HDF5 file, as Keras writes: export the model as ONNX"},
    {0, BYTES("ORTM"), "it is in ONNX Runtime's own format: pass the .onnx file that it was made from"},
    {4, BYTES("ORTM"), "it is in ONNX Runtime's own format: pass the .onnx file that it was made from"},
    {0, BYTES("7z\xbc\xaf\x27\x1c"), "it is a 7-Zip archive: unpack it and pass the .onnx file that is in it"},
    {0, BYTES("<?xml"), "it is XML, as OpenVINO writes: pass the .onnx file that it was made from"},
    {0, BYTES("\x80\x02}"), "it is a Python pickle, as old PyTorch checkpoints are: export the model as ONNX"},
    {0, BYTES("\x80\x02\x8a"), "it is a Python pickle, as old PyTorch checkpoints are: export the model as ONNX"},
    {0, BYTES("\x80\x04\x95"), "it is a Python pickle: export the model as ONNX"},
    {0, BYTES("\x80\x05\x95"), "it is a Python pickle: export the model as ONNX"},
    {0, BYTES("ftrt"), "it is an engine of TensorRT: pass the .onnx file that it was built from"},
    {0, BYTES("GGUF"), "it is a GGUF file, which holds weights and no graph: export the model as ONNX"},
    {0, BYTES("\x93NUMPY"), "it is a NumPy array: a tensor, not a model"},
};

static bool begins_in_any_case(const uint8_t *bytes, size_t n, const char *text) {
    for (size_t i = 0; text[i]; i++)
        if (i >= n || (bytes[i] | 0x20) != (uint8_t)(text[i] | 0x20)) return false;
    return true;
}

static bool is_html(const uint8_t *bytes, size_t n) {
    size_t i = n >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (i < n && (bytes[i] == ' ' || (bytes[i] >= '\t' && bytes[i] <= '\r'))) i++;
    return begins_in_any_case(bytes + i, n - i, "<!doctype html") || begins_in_any_case(bytes + i, n - i, "<html");
}

/* Eight bytes with the length of a JSON header, then the header. */
static bool is_safetensors(const uint8_t *bytes, size_t n) {
    uint64_t length = 0;
    if (n < 10 || bytes[8] != '{') return false;
    for (size_t i = 8; i-- > 0;) length = length << 8 | bytes[i];
    return length >= 2 && length <= n - 8 && (bytes[9] == '"' || bytes[9] == '}' || bytes[9] == ' ');
}

const char *ob__foreign_file(const uint8_t *bytes, size_t n) {
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
        const beginning *b = &beginnings[i];
        if (n >= b->at + b->n && memcmp(bytes + b->at, b->bytes, b->n) == 0) return b->what;
    }
    if (is_html(bytes, n)) return "it is an HTML page, often what a server sends in place of a file: download the file itself";
    if (is_safetensors(bytes, n)) return "it is a safetensors file, which holds weights and no graph: export the model as ONNX";
    return NULL;
}
