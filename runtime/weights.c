/* Initializers as views: borrowed where they lie, copied where the file has them unaligned, read where they lie in another file.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/copy.h"
#include "core/error.h"
#include "core/log.h"
#include "runtime/session.h"

enum { PART_BYTES = 1 << 24 };

typedef struct loader {
    ob_session *session;
    const ob_external_rules *external;
    uint64_t n_copied, copied_bytes, n_read, read_bytes;
    int folder; /* descriptor of the folder that external files must be in, -1: not opened yet */
    ob_error *error;
} loader;

/* ---- External data
 * ------------------------------------------------------------------------------------------------------------------ */

static const char *external_key(const ob_tensor *tensor, const char *key) {
    for (uint32_t i = 0; i < tensor->n_external; i++)
        if (strcmp(tensor->external[i].key, key) == 0) return tensor->external[i].value;
    return NULL;
}

static bool parse_count(const char *text, uint64_t otherwise, uint64_t *out) {
    *out = otherwise;
    if (!text) return true;
    if (*text < '0' || *text > '9') return false;
    char *end;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    *out = n;
    return errno == 0 && *end == '\0' && n <= INT64_MAX;
}

static ob_status open_folder(loader *l) {
    if (l->folder >= 0) return OB_OK;
    const char *folder = l->external->folder, *path = ob_model_path(l->session->model);
    char *own = NULL;
    if (!folder) {
        const char *slash = strrchr(path, '/');
        size_t n = slash ? (size_t)(slash - path) : 0;
        own = slash && n == 0 ? ob__arena_strndup(&l->session->arena, "/", 1)
                              : ob__arena_strndup(&l->session->arena, n ? path : ".", n ? n : 1);
        if (!own) return OB_E_MEMORY;
        folder = own;
    }
    l->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    OB_FAIL_IF(l->folder < 0, l->error, OB_E_IO, "cannot open the folder of the external data, %s: %s", folder, strerror(errno));
    return OB_OK;
}

/* Opens a relative path below `folder`, step by step and through no symbolic link, so that nothing outside can be reached. */
static int open_below(int folder, const char *location) {
    int at = folder;
    for (;;) {
        const char *slash = strchr(location, '/');
        size_t n = slash ? (size_t)(slash - location) : strlen(location);
        char part[256];
        int next = -1;
        if (n == 0 || n >= sizeof part) {
            errno = n == 0 ? EINVAL : ENAMETOOLONG;
        } else {
            memcpy(part, location, n);
            part[n] = '\0';
            if (strcmp(part, "..") == 0)
                errno = EACCES;
            else
                next = openat(at, part, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | (slash ? O_DIRECTORY : 0));
        }
        int kept = errno;
        if (at != folder) close(at);
        errno = kept;
        if (next < 0 || !slash) return next;
        at = next;
        location = slash + 1;
    }
}

/* Memory of the session for a tensor; NULL with a message. */
static void *own_block(loader *l, const ob_value *value, uint64_t n_bytes) {
    void *data = ob__own_memory(l->session, &l->session->owned, n_bytes);
    if (data)
        l->session->constant_bytes += n_bytes;
    else
        ob__fail(l->error, OB_E_MEMORY, "no memory for the %llu bytes of initializer %s", (unsigned long long)n_bytes,
                 value->name);
    return data;
}

/* Part by part, so that reading can be stopped. */
static ob_status read_all(const loader *l, int file, void *bytes, uint64_t n, uint64_t offset) {
    char *to = bytes;
    while (n > 0) {
        OB_TRY(ob__stop_ask(l->session, &l->session->threads, l->error));
        ssize_t got = pread(file, to, n > PART_BYTES ? PART_BYTES : (size_t)n, (off_t)offset);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return OB_E_IO;
        to += got;
        offset += (uint64_t)got;
        n -= (uint64_t)got;
    }
    return OB_OK;
}

/* Spreads packed 4- and 2-bit elements to one byte each, in place from the end; the first element is in the lowest bits. */
static void unpack(ob_dtype dtype, uint8_t *bytes, int64_t n) {
    int bits = ob_dtype_file_bits(dtype), per_byte = 8 / bits;
    bool is_signed = dtype == OB_INT4 || dtype == OB_INT2;
    for (int64_t i = n; i-- > 0;) {
        unsigned element = (unsigned)(bytes[i / per_byte] >> (i % per_byte * bits)) & ((1u << bits) - 1);
        if (is_signed && element >> (bits - 1)) element |= 0xffu << bits;
        bytes[i] = (uint8_t)element;
    }
}

static ob_status read_tensor(loader *l, const ob_value *value, int file, void **out) {
    const ob_tensor *tensor = value->data;
    struct stat info;
    if (fstat(file, &info) != 0 || !S_ISREG(info.st_mode))
        return ob__fail(l->error, OB_E_IO, "initializer %s: its external data is not a regular file", value->name);
    /* A second name of a file somewhere else cannot be told from one of this folder. */
    if (info.st_nlink > 1)
        return ob__fail(
            l->error, OB_E_IO,
            "initializer %s: its external data has %llu names (hard links) and may belong to another folder, which is "
            "refused; a copy of the file is not",
            value->name, (unsigned long long)info.st_nlink);
    uint64_t file_bytes = ((uint64_t)tensor->n_elems * (uint64_t)ob_dtype_file_bits(tensor->dtype) + 7) / 8, offset, length,
             bytes;
    OB_FAIL_IF(!parse_count(external_key(tensor, "offset"), 0, &offset) ||
                   !parse_count(external_key(tensor, "length"), file_bytes, &length),
               l->error, OB_E_FORMAT, "initializer %s: offset or length of its external data is not a number", value->name);
    OB_FAIL_IF(length != file_bytes, l->error, OB_E_FORMAT,
               "initializer %s: its external data has %llu bytes, its shape and type need %llu", value->name,
               (unsigned long long)length, (unsigned long long)file_bytes);
    OB_FAIL_IF(offset > (uint64_t)info.st_size || length > (uint64_t)info.st_size - offset, l->error, OB_E_FORMAT,
               "initializer %s: its external data ends at byte %llu, the file has %llu", value->name,
               (unsigned long long)(offset + length), (unsigned long long)info.st_size);
    OB_FAIL_IF(!ob__tensor_bytes(tensor->dtype, tensor->rank, tensor->dims, &bytes), l->error, OB_E_LIMIT,
               "initializer %s has more bytes than can be addressed", value->name);
    void *data = own_block(l, value, bytes);
    if (!data) return OB_E_MEMORY;
    ob_status status = read_all(l, file, data, length, offset);
    if (status == OB_E_IO) ob__fail(l->error, status, "initializer %s: cannot read its external data", value->name);
    OB_TRY(status);
    if (ob_dtype_file_bits(tensor->dtype) < 8) unpack(tensor->dtype, data, tensor->n_elems);
    *out = data;
    return OB_OK;
}

static ob_status load_external(loader *l, const ob_value *value, void **out) {
    const char *location = external_key(value->data, "location");
    OB_FAIL_IF(!l->external->allowed, l->error, OB_E_UNSUPPORTED,
               "initializer %s lies in another file, and external data is not allowed here", value->name);
    OB_FAIL_IF(!location || !*location || value->data->dtype == OB_STRING, l->error, OB_E_FORMAT,
               "initializer %s: its external data has no usable location", value->name);
    OB_FAIL_IF(*location == '/', l->error, OB_E_IO, "initializer %s: external data at an absolute path is refused: %s",
               value->name, location);
    OB_TRY(open_folder(l));
    int file = open_below(l->folder, location);
    OB_FAIL_IF(file < 0, l->error, OB_E_IO, "initializer %s: cannot open external data %s: %s", value->name, location,
               errno == ELOOP    ? "symbolic links are refused"
               : errno == EACCES ? "it is outside the model's folder or not readable"
                                 : strerror(errno));
    ob_status status = read_tensor(l, value, file, out);
    close(file);
    if (status != OB_OK) return status;
    uint64_t bytes = (uint64_t)value->data->n_elems * ob_dtype_size(value->data->dtype);
    l->n_read++;
    l->read_bytes += bytes;
    OB_LOG(&l->session->model->logger, OB_LOG_DEBUG, "initializer %s: %llu bytes read from %s", value->name,
           (unsigned long long)bytes, location);
    return OB_OK;
}

/* ---- All initializers
 * --------------------------------------------------------------------------------------------------------------- */

static bool is_aligned(const void *data, ob_dtype dtype) {
    size_t n = ob_dtype_size(dtype);
    return ((uintptr_t)data & ((n > 8 ? 8 : n) - 1)) == 0;
}

static ob_status tensor_data(loader *l, const ob_value *value, void **out) {
    const ob_tensor *tensor = value->data;
    uint64_t bytes;
    if (tensor->is_external) return load_external(l, value, out);
    if (tensor->n_elems == 0) {
        *out = NULL;
        return OB_OK;
    }
    OB_FAIL_IF(!tensor->data, l->error, OB_E_UNSUPPORTED, "initializer %s has no dense data", value->name);
    if (is_aligned(tensor->data, tensor->dtype)) {
        *out = (void *)(uintptr_t)tensor->data; /* read only: constants are never computed into */
        return OB_OK;
    }
    if (!ob__tensor_bytes(tensor->dtype, tensor->rank, tensor->dims, &bytes)) return OB_E_LIMIT;
    *out = own_block(l, value, bytes);
    if (!*out) return OB_E_MEMORY;
    memcpy(*out, tensor->data, (size_t)tensor->n_elems * ob_dtype_size(tensor->dtype));
    l->n_copied++;
    l->copied_bytes += bytes;
    return OB_OK;
}

static ob_status load_graph(void *context, ob_graph *graph) {
    loader *l = context;
    for (uint32_t i = 0; i < graph->n_initializers; i++) {
        const ob_value *value = graph->initializers[i];
        const ob_tensor *tensor = value->data;
        void *data = NULL;
        if (l->session->uses[value->id] == 0) continue; /* not even looked at */
        OB_FAIL_IF(!tensor || tensor->rank > OB_MAX_RANK, l->error, OB_E_UNSUPPORTED,
                   "initializer %s: sparse, or of a rank over %d", value->name, OB_MAX_RANK);
        OB_TRY(tensor_data(l, value, &data));
        ob_view view;
        ob_status status = ob_view_init(&view, data, tensor->dtype, tensor->rank, tensor->dims);
        OB_FAIL_IF(status != OB_OK, l->error, status, "initializer %s: not a usable tensor", value->name);
        OB_TRY(ob__set_constant(l->session, value, &view));
    }
    return OB_OK;
}

ob_status ob__load_weights(ob_session *session, const ob_external_rules *external, ob_error *error) {
    loader l = {.session = session, .external = external, .folder = -1, .error = error};
    ob_status status = ob__model_each_graph(session->model, load_graph, &l);
    if (l.folder >= 0) close(l.folder);
    if (status != OB_OK) return status;
    const ob_logger *logger = &session->model->logger;
    if (l.n_copied)
        OB_LOG(logger, OB_LOG_WARNING, "%s: weights copied because they are not aligned in the file: %llu (%llu bytes)",
               session->model->path, (unsigned long long)l.n_copied, (unsigned long long)l.copied_bytes);
    if (l.n_read)
        OB_LOG(logger, OB_LOG_INFO, "%s: weights read from other files: %llu (%llu bytes)", session->model->path,
               (unsigned long long)l.n_read, (unsigned long long)l.read_bytes);
    return OB_OK;
}
