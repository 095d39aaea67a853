/* Recognises files that are neither a model nor a tensor by their first bytes, and gives advice. One table, and one list of
 * functions for formats without fixed bytes. */
#include <string.h>

#include "proto/proto.h"

#define EXPORT      "export the model as ONNX"
#define NPY_OR_PB   "give a .npy file or a TensorProto"
#define BYTES(text) text, sizeof text - 1

/* A FlatBuffer begins with the place of its root, then has four letters: a tensor may have these there by chance. */
static bool is_flat_buffer(const uint8_t *bytes, size_t n) {
    uint32_t root = bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
    return root % 4 == 0 && root >= 8 && root < n;
}

/* A header of tar has the sum of its bytes in octal, taken with spaces in the sum's place. */
static bool is_tar(const uint8_t *bytes, size_t n) {
    enum { HEADER = 512, SUM = 148, SUM_END = 156 };
    uint32_t sum = 0, stated = 0;
    if (n < HEADER) return false;
    for (size_t i = 0; i < HEADER; i++) sum += i >= SUM && i < SUM_END ? ' ' : bytes[i];
    for (size_t i = SUM; i < SUM_END; i++)
        if (bytes[i] >= '0' && bytes[i] <= '7') stated = stated << 3 | (bytes[i] - (uint32_t)'0');
    return sum == stated;
}

static const struct beginning {
    size_t at; /* position of `bytes` */
    const char *bytes;
    size_t n;
    ob_foreign what;
    bool (*confirm)(const uint8_t *bytes, size_t n); /* a further test that the letters are not chance; NULL: not necessary */
} beginnings[] = {
    {0, BYTES("\x1f\x8b\x08"), {"it is compressed by gzip", "gunzip it first", NULL}, NULL},
    {0, BYTES("BZh"), {"it is compressed by bzip2", "bunzip2 it first", NULL}, NULL},
    {0,
     BYTES("\xfd"
           "7zXZ\x00"),
     {"it is compressed by xz", "unxz it first", NULL},
     NULL},
    {0, BYTES("\x28\xb5\x2f\xfd"), {"it is compressed by zstd", "unzstd it first", NULL}, NULL},
    {257,
     BYTES("ustar"),
     {"it is a tar archive", "unpack it and pass the .onnx file that is in it", "unpack it and give one of its files"},
     is_tar},
    {0,
     BYTES("version https://git-lfs.github.com/spec/"),
     {"it is a pointer of Git LFS, which stands for the file", "fetch it with git lfs pull", NULL},
     NULL},
    {4,
     BYTES("TFL3"),
     {"it is a TensorFlow Lite model", "convert it to ONNX first, by tf2onnx for instance", NPY_OR_PB},
     is_flat_buffer},
    {0, BYTES("\x89HDF\r\n"), {"it is an HDF5 file, as Keras writes", EXPORT, NPY_OR_PB}, NULL},
    {0, BYTES("ORTM"), {"it is in ONNX Runtime's own format", "pass the .onnx file that it was made from", NPY_OR_PB}, NULL},
    {4,
     BYTES("ORTM"),
     {"it is in ONNX Runtime's own format", "pass the .onnx file that it was made from", NPY_OR_PB},
     is_flat_buffer},
    {0,
     BYTES("7z\xbc\xaf\x27\x1c"),
     {"it is a 7-Zip archive", "unpack it and pass the .onnx file that is in it", "unpack it and give one of its files"},
     NULL},
    {0, BYTES("<?xml"), {"it is XML, as OpenVINO writes", "pass the .onnx file that it was made from", NPY_OR_PB}, NULL},
    {0, BYTES("\x80\x02}"), {"it is a Python pickle, as old PyTorch checkpoints are", EXPORT, NPY_OR_PB}, NULL},
    {0, BYTES("\x80\x02\x8a"), {"it is a Python pickle, as old PyTorch checkpoints are", EXPORT, NPY_OR_PB}, NULL},
    {0, BYTES("\x80\x04\x95"), {"it is a Python pickle", EXPORT, NPY_OR_PB}, NULL},
    {0, BYTES("\x80\x05\x95"), {"it is a Python pickle", EXPORT, NPY_OR_PB}, NULL},
    {0, BYTES("ftrt"), {"it is an engine of TensorRT", "pass the .onnx file that it was built from", NPY_OR_PB}, NULL},
    {0, BYTES("GGUF"), {"it is a GGUF file, which holds weights and no graph", EXPORT, NPY_OR_PB}, NULL},
    {0, BYTES("\x93NUMPY"), {"it is a NumPy array", "a tensor, not a model", "ob_npy_read reads it"}, NULL},
};

/* ---- By the first entry of a zip archive ---- */

static bool contains(const char *text, size_t n, const char *part) {
    size_t n_part = strlen(part);
    for (size_t i = 0; n_part <= n && i <= n - n_part; i++)
        if (memcmp(text + i, part, n_part) == 0) return true;
    return false;
}

static bool is_zip(const uint8_t *bytes, size_t n, ob_foreign *out) {
    static const struct {
        const char *part; /* of the entry's name */
        ob_foreign what;
    } entries[] = {
        {".npy", {"it is an .npz archive of NumPy arrays", "tensors, not a model", "unzip it and give one of its .npy files"}},
        {"data.pkl",
         {"it is a PyTorch file, of torch.save or TorchScript", "export the model with torch.onnx.export", NPY_OR_PB}},
        {".format_version",
         {"it is a PyTorch file, of torch.save or TorchScript", "export the model with torch.onnx.export", NPY_OR_PB}},
        {"byteorder",
         {"it is a PyTorch file, of torch.save or TorchScript", "export the model with torch.onnx.export", NPY_OR_PB}},
        {"archive_format", {"it is a PyTorch program, of torch.export", "export the model with torch.onnx.export", NPY_OR_PB}},
        {"metadata.json", {"it is a Keras model", EXPORT, NPY_OR_PB}},
        {"config.json", {"it is a Keras model", EXPORT, NPY_OR_PB}},
        {"",
         {"it is a zip archive", "unpack it, or pass the .onnx file that is in it (of a PyTorch checkpoint, export one)",
          "unpack it and give one of its files"}},
    };
    enum { NAME = 30 };
    if (n < 4 || memcmp(bytes, "PK\x03\x04", 4) != 0) return false;
    size_t n_name = n < NAME ? 0 : bytes[26] | (size_t)bytes[27] << 8;
    if (n_name > 0 && n_name > n - NAME) n_name = n - NAME;
    size_t i = 0;
    while (!contains((const char *)bytes + (n_name ? NAME : 0), n_name, entries[i].part)) i++; /* the last holds of all */
    *out = entries[i].what;
    return true;
}

/* ---- By the first fields of a protobuf message ---- */

typedef struct message {
    const uint8_t *next, *end;
} message;

/* False: none is there. */
static bool read_varint(message *m, uint64_t *out) {
    *out = 0;
    for (unsigned shift = 0; m->next < m->end && shift < 64; shift += 7) {
        uint8_t byte = *m->next++;
        *out |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) return true;
    }
    return false;
}

/* A field of bytes with this tag, of which as many as there are. */
static bool enter(message *m, uint8_t tag, message *out) {
    uint64_t length;
    if (m->next == m->end || *m->next != tag) return false;
    m->next++;
    if (!read_varint(m, &length)) return false;
    size_t left = (size_t)(m->end - m->next);
    *out = (message){m->next, m->next + (length < left ? (size_t)length : left)};
    m->next = out->end;
    return true;
}

static bool is_text(const message *m) {
    if (m->next == m->end) return false;
    for (const uint8_t *p = m->next; p < m->end; p++)
        if (*p < 0x20 || *p == 0x7f) return false;
    return true;
}

enum { NUMBER_1 = 0x08, BYTES_1 = 0x0a, NUMBER_2 = 0x10, BYTES_2 = 0x12, BYTES_4 = 0x22 };

/* A version, then a message where ModelProto has the text producer_name. SavedModel: MetaGraphDef, which begins with
 * MetaInfoDef: operators, tags. Core ML: ModelDescription, which begins with a FeatureDescription: its name. */
static bool is_versioned_message(const uint8_t *bytes, size_t n, ob_foreign *out) {
    static const ob_foreign saved_model = {"it is a TensorFlow SavedModel",
                                           "convert its folder to ONNX first, by tf2onnx for instance", NPY_OR_PB},
                            core_ml = {"it is a Core ML model", "pass the ONNX model that it was made from, or export one",
                                       NPY_OR_PB};
    message m = {bytes, bytes + n}, second, inner, name;
    uint64_t version;
    if (n == 0 || *m.next++ != NUMBER_1 || !read_varint(&m, &version) || !enter(&m, BYTES_2, &second)) return false;
    if (is_text(&second) || !enter(&second, BYTES_1, &inner) || inner.next == inner.end) return false;
    if (version == 1 && (*inner.next == BYTES_2 || *inner.next == BYTES_4)) return *out = saved_model, true;
    if (version > 64 || !enter(&inner, BYTES_1, &name) || !is_text(&name)) return false;
    *out = core_ml;
    return true;
}

/* Nodes with a name and an operator: of a GraphDef. */
static bool is_graph_def(const uint8_t *bytes, size_t n, ob_foreign *out) {
    static const char *const operators[] = {
        "Placeholder", "PlaceholderWithDefault", "Const", "NoOp", "Variable", "VariableV2", "VarHandleOp", "Identity",
        "HashTableV2", "ReadVariableOp"};
    message m = {bytes, bytes + n}, node, name, op;
    if (!enter(&m, BYTES_1, &node) || !enter(&node, BYTES_1, &name) || !is_text(&name) || !enter(&node, BYTES_2, &op))
        return false;
    for (size_t i = 0; i < sizeof operators / sizeof operators[0]; i++) {
        size_t n_op = (size_t)(op.end - op.next);
        if (strlen(operators[i]) != n_op || memcmp(operators[i], op.next, n_op) != 0) continue;
        *out =
            (ob_foreign){"it is a TensorFlow graph (GraphDef)", "convert it to ONNX first, by tf2onnx for instance", NPY_OR_PB};
        return true;
    }
    return false;
}

/* Sizes, one by one or together, then a number where ModelProto has the text producer_name: the element type. */
static bool is_tensor(const uint8_t *bytes, size_t n, ob_foreign *out) {
    enum { MOST_TYPES = 64 };
    message m = {bytes, bytes + n}, dims;
    uint64_t number;
    while (m.next < m.end && (*m.next == NUMBER_1 || *m.next == BYTES_1)) {
        if (*m.next == BYTES_1 ? !enter(&m, BYTES_1, &dims) : (m.next++, !read_varint(&m, &number))) return false;
    }
    if (m.next == m.end || *m.next++ != NUMBER_2 || !read_varint(&m, &number) || number == 0 || number > MOST_TYPES) return false;
    *out = (ob_foreign){"it is a TensorProto", "a tensor, not a model", "ob_tensor_file_read reads it"};
    return true;
}

/* A version, then texts: of a ModelProto. A tensor has numbers there. */
static bool is_model(const uint8_t *bytes, size_t n, ob_foreign *out) {
    message m = {bytes, bytes + n}, text;
    uint64_t version;
    if (n == 0 || *m.next++ != NUMBER_1 || !read_varint(&m, &version) || version > 64) return false;
    if (m.next == m.end || (*m.next & 7) != 2 || *m.next < BYTES_2 || *m.next > 0x42 || !enter(&m, *m.next, &text)) return false;
    *out = (ob_foreign){"it is an ONNX model", NULL, "a model, not a tensor"};
    return true;
}

/* ---- By their text ---- */

static bool begins_in_any_case(const uint8_t *bytes, size_t n, const char *text) {
    for (size_t i = 0; text[i]; i++)
        if (i >= n || (bytes[i] | 0x20) != (uint8_t)(text[i] | 0x20)) return false;
    return true;
}

static bool is_html(const uint8_t *bytes, size_t n, ob_foreign *out) {
    size_t i = n >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (i < n && (bytes[i] == ' ' || (bytes[i] >= '\t' && bytes[i] <= '\r'))) i++;
    if (!begins_in_any_case(bytes + i, n - i, "<!doctype html") && !begins_in_any_case(bytes + i, n - i, "<html")) return false;
    *out = (ob_foreign){"it is an HTML page, which servers often send instead of a file", "download the file itself", NULL};
    return true;
}

/* Eight bytes with the length of a JSON header, then the header. */
static bool is_safetensors(const uint8_t *bytes, size_t n, ob_foreign *out) {
    uint64_t length = 0;
    if (n < 10 || bytes[8] != '{') return false;
    for (size_t i = 8; i-- > 0;) length = length << 8 | bytes[i];
    if (length < 2 || length > n - 8 || (bytes[9] != '"' && bytes[9] != '}' && bytes[9] != ' ')) return false;
    *out = (ob_foreign){"it is a safetensors file, which holds weights and no graph", EXPORT, NPY_OR_PB};
    return true;
}

/* Fields of a line that `separator` parts; 0: not such a line. *n is the line's length, *digits how many of its characters are.
 */
static size_t fields(const uint8_t *line, size_t most, char separator, size_t *n, size_t *digits) {
    size_t count = 1;
    *digits = 0;
    for (*n = 0; *n < most && line[*n] != '\n'; ++*n) {
        uint8_t c = line[*n];
        count += c == (uint8_t)separator;
        *digits += c >= '0' && c <= '9';
        if ((c < 0x20 && c != '\t' && c != '\r') || strchr("<>{}()=[]:", c)) return 0;
    }
    return *n == 0 ? 0 : count;
}

/* Two lines with the same number of fields, at least two, and with digits in the second; or one line, the whole file, with a
 * digit for each field. Nothing that models as text have, or sentences. */
static bool is_csv(const uint8_t *bytes, size_t n, ob_foreign *out) {
    enum { MOST = 1 << 16 };
    static const char separators[] = ",;\t";
    size_t most = n < MOST ? n : MOST, n_line, n_next, digits;
    if (n > 0 && (bytes[0] == '#' || bytes[0] == '/')) return false; /* a comment of a model */
    for (const char *s = separators; *s; s++) {
        size_t count = fields(bytes, most, *s, &n_line, &digits);
        if (count < 2 || (n_line == most && most < n)) continue;
        size_t rest = n_line + 1 < most ? most - n_line - 1 : 0;
        if (rest == 0 ? digits < count : fields(bytes + n_line + 1, rest, *s, &n_next, &digits) != count || digits == 0) continue;
        *out = (ob_foreign){"it is a table as text (CSV)", "numbers, not a model",
                            "save it as .npy: numpy.save(file, numpy.loadtxt(...))"};
        return true;
    }
    return false;
}

/* ---- All ---- */

typedef bool recognise(const uint8_t *bytes, size_t n, ob_foreign *out);

static bool has_beginning(const uint8_t *bytes, size_t n, ob_foreign *out) {
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++) {
        const struct beginning *b = &beginnings[i];
        if (n < b->at + b->n || memcmp(bytes + b->at, b->bytes, b->n) != 0) continue;
        if (b->confirm && !b->confirm(bytes, n)) continue;
        *out = b->what;
        return true;
    }
    return false;
}

ob_status ob__refuse_foreign(const uint8_t *bytes, size_t n, ob_wanted wanted, const char *prefix, ob_error *error) {
    static recognise *const all[] = {has_beginning, is_zip,    is_html,  is_safetensors, is_versioned_message,
                                     is_graph_def,  is_tensor, is_model, is_csv};
    ob_foreign what;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        if ((wanted == OB_WANTED_MODEL && all[i] == is_model) || (wanted == OB_WANTED_MESSAGE && all[i] == is_tensor)) continue;
        if (!all[i](bytes, n, &what)) continue;
        const char *remedy = wanted == OB_WANTED_MODEL || !what.tensor ? what.model : what.tensor;
        return ob__fail(error, OB_E_FORMAT, "%s: %s: %s", prefix, what.name, remedy);
    }
    return OB_OK;
}
