#include "runtime/external.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/graph/copy.h"
#include "core/graph/tensor_data.h"
#include "runtime/memory.h"
#include "runtime/stop.h"
#include "runtime/weights.h"

void *ob__weight_memory(ob_session *session, const ob_value *value, uint64_t n_bytes, ob_error *error) {
    void *data = ob__own_memory(&session->allocator, &session->owned, n_bytes, NULL);
    if (data)
        session->constant_bytes += n_bytes;
    else
        ob__fail(error, OB_E_MEMORY, "no memory for the %llu bytes of initializer %s", (unsigned long long)n_bytes, value->name);
    return data;
}

bool ob__weight_is_aligned(const void *data, ob_dtype dtype) {
    size_t n = ob_dtype_size(dtype);
    return ((uintptr_t)data & ((n > 8 ? 8 : n) - 1)) == 0;
}

enum { PART_BYTES = 1 << 24 };

/* A file that passed the tests; in the session's arena. */
struct ob_external_file {
    ob_external_file *next;
    const char *location; /* as initializers name it */
    const char *bytes;    /* NULL: it cannot be mapped, or is empty */
    uint64_t n_bytes;
    int descriptor; /* -1: closed */
};

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

static ob_status open_folder(ob_external *l) {
    if (l->folder >= 0) return OB_OK;
    const char *folder = l->rules->folder, *path = ob_model_path(l->session->model);
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

/* Tests a file before a byte of it is used. */
static ob_status check_file(const ob_external *l, const ob_value *value, const struct stat *info) {
    OB_FAIL_IF(!S_ISREG(info->st_mode), l->error, OB_E_IO, "initializer %s: its external data is not a regular file",
               value->name);
    /* A second name elsewhere cannot be distinguished from a file of this folder. */
    OB_FAIL_IF(info->st_nlink > 1, l->error, OB_E_IO,
               "initializer %s: its external data has %llu names (hard links) and may belong to another folder; "
               "a copy of the file is accepted",
               value->name, (unsigned long long)info->st_nlink);
    return OB_OK;
}

static void map_file(ob_external_file *file) {
    if (file->n_bytes == 0 || file->n_bytes > SIZE_MAX) return;
    void *bytes = mmap(NULL, (size_t)file->n_bytes, PROT_READ, MAP_PRIVATE, file->descriptor, 0);
    if (bytes != MAP_FAILED) file->bytes = bytes;
}

/* Opened once for all of its initializers, so that all come from the same file even if the name is reused. */
static ob_status open_file(ob_external *l, const ob_value *value, const char *location, ob_external_file **out) {
    ob_session *session = l->session;
    for (*out = session->external_files; *out; *out = (*out)->next)
        if (strcmp((*out)->location, location) == 0) return OB_OK;
    OB_TRY(open_folder(l));
    ob_external_file *file = OB_ARENA_NEW(&session->arena, ob_external_file);
    if (!file) return OB_E_MEMORY;
    *file = (ob_external_file){.next = session->external_files, .location = location};
    file->descriptor = open_below(l->folder, location);
    OB_FAIL_IF(file->descriptor < 0, l->error, OB_E_IO, "initializer %s: cannot open external data %s: %s", value->name, location,
               errno == ELOOP    ? "symbolic links are refused"
               : errno == EACCES ? "it is outside the model's folder or not readable"
                                 : strerror(errno));
    session->external_files = *out = file;
    struct stat info;
    OB_FAIL_IF(fstat(file->descriptor, &info) != 0, l->error, OB_E_IO, "initializer %s: cannot read its external data",
               value->name);
    OB_TRY(check_file(l, value, &info));
    file->n_bytes = (uint64_t)info.st_size;
    map_file(file);
    return OB_OK;
}

static ob_status find_place(const ob_external *l, const ob_value *value, const ob_external_file *file, uint64_t *offset,
                            uint64_t *n_bytes) {
    const ob_tensor *tensor = value->data;
    uint64_t needed, length;
    OB_FAIL_IF(!ob__file_bytes(tensor->dtype, tensor->n_elems, &needed), l->error, OB_E_LIMIT,
               "initializer %s has more bytes than can be addressed", value->name);
    OB_FAIL_IF(!parse_count(external_key(tensor, "offset"), 0, offset) ||
                   !parse_count(external_key(tensor, "length"), needed, &length),
               l->error, OB_E_FORMAT, "initializer %s: offset or length of its external data is not a number", value->name);
    OB_FAIL_IF(length != needed, l->error, OB_E_FORMAT,
               "initializer %s: its external data has %llu bytes, its shape and type need %llu", value->name,
               (unsigned long long)length, (unsigned long long)needed);
    OB_FAIL_IF(*offset > file->n_bytes || length > file->n_bytes - *offset, l->error, OB_E_FORMAT,
               "initializer %s: its external data ends at byte %llu, the file has %llu", value->name,
               (unsigned long long)(*offset + length), (unsigned long long)file->n_bytes);
    *n_bytes = length;
    return OB_OK;
}

/* Part by part, so that reading can be stopped. */
static ob_status read_all(const ob_external *l, int file, void *bytes, uint64_t n, uint64_t offset) {
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

/* A copy of the session's own: elements that are packed, not aligned, of the other byte order, or in a file that cannot be
 * mapped. */
static ob_status copy_elements(ob_external *l, const ob_value *value, const ob_external_file *file, uint64_t offset,
                               uint64_t n_bytes, void **out) {
    const ob_tensor *tensor = value->data;
    uint64_t memory_bytes;
    OB_FAIL_IF(!ob__tensor_bytes(tensor->dtype, tensor->rank, tensor->dims, &memory_bytes), l->error, OB_E_LIMIT,
               "initializer %s has more bytes than can be addressed", value->name);
    char *data = ob__weight_memory(l->session, value, memory_bytes, l->error);
    if (!data) return OB_E_MEMORY;
    const char *from = file->bytes ? file->bytes + offset : data + (memory_bytes - n_bytes);
    if (!file->bytes) {
        ob_status status = read_all(l, file->descriptor, data + (memory_bytes - n_bytes), n_bytes, offset);
        if (status == OB_E_IO) ob__fail(l->error, status, "initializer %s: cannot read its external data", value->name);
        OB_TRY(status);
    }
    ob__decode_raw(tensor->dtype, from, tensor->n_elems, data);
    *out = data;
    l->n_read++;
    l->read_bytes += memory_bytes;
    return OB_OK;
}

ob_status ob__external_data(ob_external *l, const ob_value *value, void **out) {
    const ob_tensor *tensor = value->data;
    const char *location = external_key(tensor, "location");
    OB_FAIL_IF(!l->rules->allowed, l->error, OB_E_UNSUPPORTED,
               "initializer %s is in another file, and external data is not allowed here", value->name);
    OB_FAIL_IF(!location || !*location || tensor->dtype == OB_STRING, l->error, OB_E_FORMAT,
               "initializer %s: its external data has no usable location", value->name);
    OB_FAIL_IF(*location == '/', l->error, OB_E_IO, "initializer %s: external data at an absolute path is refused: %s",
               value->name, location);
    ob_external_file *file;
    uint64_t offset, n_bytes;
    OB_TRY(open_file(l, value, location, &file));
    OB_TRY(find_place(l, value, file, &offset, &n_bytes));
    *out = NULL;
    if (n_bytes == 0) return OB_OK;
    const char *at = file->bytes ? file->bytes + offset : NULL;
    bool mapped = at && ob__raw_is_memory_form(tensor->dtype) && ob__weight_is_aligned(at, tensor->dtype);
    if (mapped) {
        *out = (void *)(uintptr_t)at; /* read only: constants are never computed into */
        l->n_mapped++;
        l->mapped_bytes += n_bytes;
    } else {
        OB_TRY(copy_elements(l, value, file, offset, n_bytes, out));
    }
    OB_LOG(&l->session->model->logger, OB_LOG_DEBUG, "initializer %s: %llu bytes %s %s", value->name, (unsigned long long)n_bytes,
           mapped ? "mapped in" : "read from", location);
    return OB_OK;
}

void ob__external_begin(ob_external *l, ob_session *session, const ob_external_rules *rules, ob_error *error) {
    *l = (ob_external){.session = session, .rules = rules, .folder = -1, .error = error};
}

void ob__external_end(ob_external *l) {
    if (l->folder >= 0) close(l->folder);
    for (ob_external_file *file = l->session->external_files; file; file = file->next) {
        if (file->descriptor >= 0) close(file->descriptor);
        file->descriptor = -1;
    }
}

void ob__external_log(const ob_external *l) {
    const ob_logger *logger = &l->session->model->logger;
    const char *path = l->session->model->path;
    if (l->n_mapped)
        OB_LOG(logger, OB_LOG_INFO, "%s: weights mapped in other files: %llu (%llu bytes)", path, (unsigned long long)l->n_mapped,
               (unsigned long long)l->mapped_bytes);
    if (l->n_read)
        OB_LOG(logger, OB_LOG_INFO, "%s: weights read from other files: %llu (%llu bytes)", path, (unsigned long long)l->n_read,
               (unsigned long long)l->read_bytes);
}

void ob__external_unmap(ob_session *session) {
    for (ob_external_file *file = session->external_files; file; file = file->next)
        if (file->bytes) munmap((void *)(uintptr_t)file->bytes, (size_t)file->n_bytes);
    session->external_files = NULL;
}
