/* Rows of a library, checked field by field before they are used. */
#include <string.h>

#include "core/base/error.h"
#include "ops/library/library.h"

enum { MAX_LETTERS = 64, FLAGS = 31 };

/* ---- Names ---- */

/* Whether text is 1 to OB_OPERATOR_MAX_NAME letters, digits, '_', '-' and '.'. Reads no further than necessary. */
static bool is_name(const char *text) {
    size_t n = 0;
    for (; text && text[n]; n++) {
        char c = text[n];
        bool plain =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
        if (!plain || n == OB_OPERATOR_MAX_NAME) return false;
    }
    return n > 0;
}

static bool is_standard(const char *domain) {
    return strcmp(domain, "ai.onnx") == 0 || strncmp(domain, "ai.onnx.", 8) == 0 || strcmp(domain, "onnx_broadcast") == 0;
}

ob_status ob__library_check(const ob_operator_library *library, ob_error *error) {
    OB_FAIL_IF(!library, error, OB_E_ARGUMENT, "the operator library is NULL");
    OB_FAIL_IF(library->abi != OB_OPERATOR_ABI, error, OB_E_UNSUPPORTED,
               "the operator library has ABI %u, this program needs %u: build it with the headers of this version", library->abi,
               OB_OPERATOR_ABI);
    OB_FAIL_IF(library->struct_bytes != sizeof *library, error, OB_E_UNSUPPORTED,
               "ob_operator_library has %u bytes in the operator library, %zu here", library->struct_bytes, sizeof *library);
    OB_FAIL_IF(!is_name(library->name), error, OB_E_ARGUMENT, "the operator library has no valid name");
    OB_FAIL_IF(!is_name(library->version), error, OB_E_ARGUMENT, "library %s has no valid version", library->name);
    OB_FAIL_IF(library->n_operators == 0 || library->n_operators > OB_OPERATOR_MAX_ROWS, error, OB_E_ARGUMENT,
               "library %s %s has %zu operators; 1 to %d are possible", library->name, library->version, library->n_operators,
               OB_OPERATOR_MAX_ROWS);
    OB_FAIL_IF(!library->operators, error, OB_E_ARGUMENT, "library %s %s: the table of operators is NULL", library->name,
               library->version);
    return OB_OK;
}

/* ---- Signatures ---- */

typedef struct side {
    int16_t least, most; /* operands; INT16_MAX: unbounded */
} side;

/* One side of a signature, up to '>' or the end; NULL if it is ill-formed. */
static const char *read_side(const char *at, const char *end, side *out) {
    *out = (side){0, 0};
    bool optional = false;
    for (; at < end && *at != '>'; at++) {
        if (!strchr("TUVWijfbshdu", *at) || out->most == INT16_MAX) return NULL;
        char suffix = at + 1 < end ? at[1] : '\0';
        if (optional && suffix != '?') return NULL;
        optional = suffix == '?';
        if (!optional) out->least++;
        out->most++;
        if (suffix == '*' || suffix == '~') out->most = INT16_MAX;
        if (suffix == '?' || suffix == '*' || suffix == '~') at++;
    }
    return at;
}

static bool read_signature(const char *signature, ob_op *op) {
    size_t n = 0;
    while (signature && signature[n] && n <= MAX_LETTERS) n++;
    if (n == 0 || n > MAX_LETTERS) return false;
    const char *end = signature + n;
    side in, out;
    const char *arrow = read_side(signature, end, &in);
    if (!arrow || arrow == end || read_side(arrow + 1, end, &out) != end || out.most == 0) return false;
    op->in_min = in.least;
    op->in_max = in.most;
    op->out_min = out.least;
    op->out_max = out.most;
    op->signature = signature;
    return true;
}

/* ---- Rows ---- */

/* The beginning of a message: "library edge 1.0, row 2 (example.edge.Frames)". */
#define AT           "library %s %s, row %zu (%s.%s): "
#define AT_ARGUMENTS library->name, library->version, index, row->domain, row->name

static ob_status check_attributes(const ob_operator_library *library, size_t index, const ob_operator *row, ob_error *error) {
    OB_FAIL_IF(row->n_attributes > OB_OPERATOR_MAX_ROWS || (row->n_attributes && !row->attributes), error, OB_E_ARGUMENT,
               AT "the table of %zu attributes is NULL or too long", AT_ARGUMENTS, row->n_attributes);
    for (size_t i = 0; i < row->n_attributes; i++) {
        const ob_operator_attribute *a = &row->attributes[i];
        OB_FAIL_IF(!is_name(a->name), error, OB_E_ARGUMENT, AT "attribute %zu has no valid name", AT_ARGUMENTS, i);
        OB_FAIL_IF((int)a->kind < OB_ATTRIBUTE_INT || a->kind > OB_ATTRIBUTE_TEXTS, error, OB_E_ARGUMENT,
                   AT "attribute %s has the kind %d, which does not exist", AT_ARGUMENTS, a->name, (int)a->kind);
        bool list = a->kind >= OB_ATTRIBUTE_INTS;
        OB_FAIL_IF((a->n > 0) != (a->list != NULL) || (a->n && !list), error, OB_E_ARGUMENT,
                   AT "the default of attribute %s is not of its kind", AT_ARGUMENTS, a->name);
        for (size_t k = 0; k < i; k++)
            OB_FAIL_IF(strcmp(row->attributes[k].name, a->name) == 0, error, OB_E_ARGUMENT, AT "attribute %s is there twice",
                       AT_ARGUMENTS, a->name);
    }
    return OB_OK;
}

static ob_status check_types(const ob_operator_library *library, size_t index, const ob_operator *row, ob_error *error) {
    for (int i = 0; i < 4; i++) {
        char letter = (char)('T' + i);
        OB_FAIL_IF(row->types[i] & ~(uint64_t)OB_OPERATOR_ANY, error, OB_E_ARGUMENT,
                   AT "types[%d] has bits that are not an element type", AT_ARGUMENTS, i);
        OB_FAIL_IF(!row->types[i] && strchr(row->signature, letter), error, OB_E_ARGUMENT, AT "types[%d] of letter %c is empty",
                   AT_ARGUMENTS, i, letter);
    }
    return OB_OK;
}

static ob_status check_functions(const ob_operator_library *library, size_t index, const ob_operator *row, ob_error *error) {
    OB_FAIL_IF(row->flags & ~(uint32_t)FLAGS, error, OB_E_ARGUMENT, AT "flags 0x%x do not exist", AT_ARGUMENTS,
               row->flags & ~(uint32_t)FLAGS);
    bool broadcasts = row->flags & OB_OPERATOR_BROADCASTS;
    OB_FAIL_IF(broadcasts && row->shape, error, OB_E_ARGUMENT, AT "it broadcasts, which is its shape rule: shape must be NULL",
               AT_ARGUMENTS);
    OB_FAIL_IF(!broadcasts && !row->shape, error, OB_E_ARGUMENT, AT "shape is NULL", AT_ARGUMENTS);
    OB_FAIL_IF(!row->run, error, OB_E_ARGUMENT, AT "run is NULL", AT_ARGUMENTS);
    OB_FAIL_IF(row->state_bytes > OB_OPERATOR_MAX_STATE, error, OB_E_ARGUMENT, AT "state of %zu bytes; at most %d are possible",
               AT_ARGUMENTS, row->state_bytes, OB_OPERATOR_MAX_STATE);
    return OB_OK;
}

static bool is_built_in(const ob_operator *row) {
    return is_standard(row->domain) || ob__op_find(row->domain, row->name, 0) != NULL;
}

ob_status ob__library_row(const ob_operator_library *library, size_t index, ob_library_op *out, ob_error *error) {
    const ob_operator *row = &library->operators[index];
    OB_FAIL_IF(row->struct_bytes != sizeof *row, error, OB_E_UNSUPPORTED,
               "library %s %s, row %zu: ob_operator has %u bytes there, %zu here", library->name, library->version, index,
               row->struct_bytes, sizeof *row);
    OB_FAIL_IF(!is_name(row->domain), error, OB_E_ARGUMENT, "library %s %s, row %zu has no valid domain", library->name,
               library->version, index);
    OB_FAIL_IF(!is_name(row->name), error, OB_E_ARGUMENT, "library %s %s, row %zu has no valid name", library->name,
               library->version, index);
    OB_FAIL_IF(is_built_in(row), error, OB_E_ARGUMENT, AT "built-in operators and their domains cannot be replaced",
               AT_ARGUMENTS);
    OB_FAIL_IF(row->since < 1 || row->since > INT16_MAX, error, OB_E_ARGUMENT, AT "version %d is not one of 1 to %d",
               AT_ARGUMENTS, (int)row->since, INT16_MAX);
    ob_op op = {.domain = row->domain, .name = row->name, .since = (int16_t)row->since, .infer = ob__library_infer};
    char signature[MAX_LETTERS + 1];
    bool well_formed = read_signature(row->signature, &op);
    if (!well_formed) ob__copy_text(signature, sizeof signature, row->signature);
    OB_FAIL_IF(!well_formed, error, OB_E_ARGUMENT, AT "the signature \"%s\" is ill-formed", AT_ARGUMENTS, signature);
    OB_TRY(check_types(library, index, row, error));
    OB_TRY(check_attributes(library, index, row, error));
    OB_TRY(check_functions(library, index, row, error));
    memcpy(op.types, row->types, sizeof op.types);
    op.broadcast = row->flags & OB_OPERATOR_BROADCASTS ? OB_BCAST_MULTI : OB_BCAST_NONE;
    op.varies = row->flags & OB_OPERATOR_VARIES;
    op.reads = OB_READS_REST;
    *out = (ob_library_op){.op = op, .kernel = ob__library_kernel(row), .row = row, .library = library};
    return OB_OK;
}
