#include "proto/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/error.h"

static ob_status io_error(ob_error *error, const char *what, const char *name, int code) {
    return ob__fail(error, OB_E_IO, "cannot %s \"%s\": %s", what, name, strerror(code));
}

/* ---- Reading ---- */

void ob__source_release(ob_source *source) {
    if (source->kind == OB_SOURCE_MAPPED) munmap(source->bytes, source->capacity);
    if (source->kind == OB_SOURCE_OWNED && source->bytes)
        source->allocator.free(source->allocator.context, source->bytes, source->capacity);
    source->bytes = NULL;
    source->kind = OB_SOURCE_CALLER;
}

static ob_status make_room(ob_source *source, const char *name, uint64_t max_bytes, ob_error *error) {
    OB_FAIL_IF(source->n_bytes > max_bytes, error, OB_E_LIMIT, "\"%s\" holds more bytes than the limit of %llu", name,
               (unsigned long long)max_bytes);
    size_t capacity = source->capacity ? source->capacity * 2 : 64 * 1024;
    void *context = source->allocator.context, *bytes = NULL;
    if (capacity > source->capacity && source->bytes)
        bytes = source->allocator.realloc(context, source->bytes, source->capacity, capacity);
    else if (capacity > source->capacity)
        bytes = source->allocator.alloc(context, capacity);
    OB_FAIL_IF(!bytes, error, OB_E_MEMORY, "out of memory after %zu bytes of \"%s\"", source->n_bytes, name);
    source->bytes = bytes;
    source->capacity = capacity;
    return OB_OK;
}

static ob_status read_all(int descriptor, const char *name, uint64_t max_bytes, ob_source *source, ob_error *error) {
    for (;;) {
        if (source->n_bytes == source->capacity) OB_TRY(make_room(source, name, max_bytes, error));
        ssize_t n = read(descriptor, (char *)source->bytes + source->n_bytes, source->capacity - source->n_bytes);
        if (n == 0) return OB_OK;
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return io_error(error, "read", name, errno);
        source->n_bytes += (size_t)n;
    }
}

/* Maps a whole regular file; false if it is not a regular file, is empty or is not at its start. */
static bool map_file(int descriptor, const struct stat *info, ob_source *source) {
    if (!S_ISREG(info->st_mode) || info->st_size <= 0 || (uintmax_t)info->st_size > SIZE_MAX) return false;
    if (lseek(descriptor, 0, SEEK_CUR) != 0) return false;
    void *bytes = mmap(NULL, (size_t)info->st_size, PROT_READ, MAP_PRIVATE, descriptor, 0);
    if (bytes == MAP_FAILED) return false;
    source->bytes = bytes;
    source->n_bytes = source->capacity = (size_t)info->st_size;
    source->kind = OB_SOURCE_MAPPED;
    return true;
}

/* Formats that are folders. */
static ob_status is_folder(const char *path, ob_error *error) {
    static const struct {
        const char *file, *what;
    } formats[] = {
        {"saved_model.pb", "it is a TensorFlow SavedModel: convert it to ONNX first, by tf2onnx for instance"},
        {"Manifest.json", "it is a package of Core ML: pass the ONNX model that it was made from, or export one"},
    };
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        char file[1024];
        int n = snprintf(file, sizeof file, "%s/%s", path, formats[i].file);
        if (n > 0 && (size_t)n < sizeof file && access(file, F_OK) == 0)
            return ob__fail(error, OB_E_FORMAT, "\"%s\" is a folder: %s", path, formats[i].what);
    }
    return io_error(error, "read", path, EISDIR);
}

ob_status ob__source_read(int descriptor, const char *name, const ob_allocator *allocator, uint64_t max_bytes, ob_source *out,
                          ob_error *error) {
    struct stat info;
    if (fstat(descriptor, &info) != 0) return io_error(error, "read", name, errno);
    if (S_ISDIR(info.st_mode)) return is_folder(name, error);
    ob_source source = {.allocator = allocator ? *allocator : *ob_allocator_default(), .kind = OB_SOURCE_OWNED};
    ob_status status = OB_OK;
    if (!map_file(descriptor, &info, &source)) status = read_all(descriptor, name, max_bytes, &source, error);
    if (status == OB_OK && source.n_bytes > max_bytes)
        status = ob__fail(error, OB_E_LIMIT, "\"%s\" holds %zu bytes, the limit is %llu", name, source.n_bytes,
                          (unsigned long long)max_bytes);
    if (status == OB_OK)
        *out = source;
    else
        ob__source_release(&source);
    return status;
}

ob_status ob__source_open(const char *path, const ob_allocator *allocator, uint64_t max_bytes, ob_source *out, ob_error *error) {
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return io_error(error, "open", path, errno);
    ob_status status = ob__source_read(descriptor, path, allocator, max_bytes, out, error);
    close(descriptor);
    return status;
}

/* ---- Writing ---- */

enum { BUFFER_BYTES = 64 * 1024 };

typedef struct file_sink {
    int descriptor;
    int code; /* errno of the first failure */
    size_t n;
    char buffer[BUFFER_BYTES];
} file_sink;

static ob_status put_through(file_sink *sink, const char *bytes, size_t n) {
    while (n > 0) {
        ssize_t written = write(sink->descriptor, bytes, n);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) {
            sink->code = errno;
            return OB_E_IO;
        }
        bytes += written;
        n -= (size_t)written;
    }
    return OB_OK;
}

static ob_status flush(file_sink *sink) {
    size_t n = sink->n;
    sink->n = 0;
    return put_through(sink, sink->buffer, n);
}

static ob_status put(void *context, const void *bytes, size_t n) {
    file_sink *sink = context;
    if (n > BUFFER_BYTES - sink->n) OB_TRY(flush(sink));
    if (n >= BUFFER_BYTES) return put_through(sink, bytes, n);
    if (n) memcpy(sink->buffer + sink->n, bytes, n);
    sink->n += n;
    return OB_OK;
}

static ob_status produce_file(int descriptor, const char *path, ob_file_producer produce, void *context, ob_error *error) {
    file_sink *sink = malloc(sizeof *sink);
    OB_FAIL_IF(!sink, error, OB_E_MEMORY, "out of memory for writing \"%s\"", path);
    sink->descriptor = descriptor;
    sink->code = 0;
    sink->n = 0;
    ob_status status = produce(context, put, sink, error);
    if (status == OB_OK) status = flush(sink);
    if (sink->code) status = io_error(error, "write", path, sink->code);
    free(sink);
    return status;
}

/* A device or a pipe (/dev/stdout) cannot be renamed over: written in place. */
static bool is_special(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode);
}

static ob_status save_in_place(const char *path, ob_file_producer produce, void *context, ob_error *error) {
    int descriptor = open(path, O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) return io_error(error, "write", path, errno);
    ob_status status = produce_file(descriptor, path, produce, context, error);
    if (close(descriptor) != 0 && status == OB_OK) status = io_error(error, "write", path, errno);
    return status;
}

/* A new file beside `path`, with the permissions that a new file gets here. -1 with errno. */
static int create_beside(const char *path, char *name, size_t n_bytes) {
    for (unsigned attempt = 0; attempt < 1000; attempt++) {
        snprintf(name, n_bytes, "%s.%ld-%u.tmp", path, (long)getpid(), attempt);
        int descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0 || errno != EEXIST) return descriptor;
    }
    return -1;
}

/* The file that is replaced hands its permissions on. */
static void keep_mode(int descriptor, const char *path) {
    struct stat info;
    if (stat(path, &info) == 0 && fchmod(descriptor, info.st_mode & 0777) != 0) return; /* not worth failing for */
}

/* A rename is on the disk when its folder is. Not every file system can sync a folder; the file is whole either way. */
static void sync_folder(const char *path, char *scratch) {
    const char *slash = strrchr(path, '/');
    size_t n = slash ? (size_t)(slash - path) + 1 : 0;
    memcpy(scratch, n ? path : ".", n ? n : 1);
    scratch[n ? n : 1] = '\0';
    int folder = open(scratch, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0) return;
    (void)!fsync(folder);
    close(folder);
}

/* The bytes are on the disk before the name is: a power cut leaves the old file or the new one. EINVAL: nothing to sync here.
 * */
static ob_status finish(int descriptor, const char *path, ob_error *error) {
    if (fsync(descriptor) == 0 || errno == EINVAL || errno == ENOTSUP) return OB_OK;
    return io_error(error, "write", path, errno);
}

ob_status ob_file_save(const char *path, ob_file_producer produce, void *context, ob_error *error) {
    ob_error_clear(error);
    OB_FAIL_IF(!path || !produce, error, OB_E_ARGUMENT, "path and producer must not be NULL");
    if (is_special(path)) return save_in_place(path, produce, context, error);
    size_t n = strlen(path) + 48;
    char *temporary = malloc(n);
    OB_FAIL_IF(!temporary, error, OB_E_MEMORY, "out of memory for writing \"%s\"", path);
    int descriptor = create_beside(path, temporary, n);
    if (descriptor < 0) {
        free(temporary);
        return io_error(error, "write", path, errno);
    }
    ob_status status = produce_file(descriptor, path, produce, context, error);
    keep_mode(descriptor, path);
    if (status == OB_OK) status = finish(descriptor, path, error);
    if (close(descriptor) != 0 && status == OB_OK) status = io_error(error, "write", path, errno);
    if (status == OB_OK && rename(temporary, path) != 0) status = io_error(error, "write", path, errno);
    if (status != OB_OK)
        unlink(temporary);
    else
        sync_folder(path, temporary);
    free(temporary);
    return status;
}
