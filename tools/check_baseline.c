/* Baselines in files. Models are named by their path from the folder of the baseline, so that the name depends neither on the
 * machine nor on the folder in which the command runs. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "check_baseline.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common.h"
#include "stop.h"

enum { MOST_BYTES = 256 << 20 };

/* ---- Names of models ---- */

static char *copy_of(const char *text, size_t n) {
    char *copy = malloc(n + 1);
    if (copy && n) memcpy(copy, text, n);
    if (copy) copy[n] = '\0';
    return copy;
}

/* The folder of the file without symbolic links; as it is written if it cannot be resolved. NULL: out of memory. */
static char *folder_of(const char *path) {
    const char *slash = strrchr(path, '/');
    char *folder = slash ? copy_of(path, slash == path ? 1 : (size_t)(slash - path)) : copy_of(".", 1);
    char *resolved = folder ? realpath(folder, NULL) : NULL;
    if (!resolved) return folder;
    free(folder);
    return resolved;
}

/* The number of bytes at the beginning that name the same folders. */
static size_t common_folders(const char *a, const char *b) {
    size_t n = 0;
    for (size_t i = 0;; i++) {
        bool a_ends = !a[i] || a[i] == '/', b_ends = !b[i] || b[i] == '/';
        if (a_ends && b_ends) n = i;
        if (!a[i] || a[i] != b[i]) return n;
    }
}

/* The path of a file from a folder. NULL: out of memory. */
static char *path_from(const char *folder, const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    char *own = folder_of(path);
    if (!own) return NULL;
    const size_t n = common_folders(folder, own);
    size_t n_up = 0;
    for (const char *at = folder + n; *at; at++) n_up += *at == '/' && at[1];
    const char *down = own[n] == '/' ? own + n + 1 : own + n;
    const size_t room = 3 * n_up + strlen(down) + strlen(name) + 2;
    char *text = malloc(room);
    if (text) {
        char *at = text;
        for (size_t i = 0; i < n_up; i++, at += 3) memcpy(at, "../", 3);
        snprintf(at, room - 3 * n_up, "%s%s%s", down, *down ? "/" : "", name);
    }
    free(own);
    return text;
}

/* ---- The file ---- */

/* False with errno; EFBIG: too large. */
static bool read_bytes(const char *path, char **bytes, size_t *n) {
    FILE *file = fopen(path, "rb");
    size_t capacity = 0, got = 1;
    bool good = file != NULL;
    *bytes = NULL;
    *n = 0;
    while (good && got > 0) {
        char *room = with_room(*bytes, &capacity, *n + (1 << 16), 1);
        good = room != NULL;
        if (!good) errno = ENOMEM;
        if (!good) break;
        *bytes = room;
        got = fread(room + *n, 1, capacity - *n, file);
        *n += got;
        good = !ferror(file) && *n <= MOST_BYTES;
        if (*n > MOST_BYTES) errno = EFBIG;
    }
    if (file) fclose(file);
    return good;
}

static bool read_baseline(const char *tool, baseline *b) {
    char *bytes;
    size_t n;
    ob_error error;
    if (!read_bytes(b->read, &bytes, &n)) {
        complain(tool, b->read, "%s", strerror(errno));
        free(bytes);
        return false;
    }
    ob_status status = ob_baseline_read(bytes, n, NULL, &b->accepted, &error);
    free(bytes);
    if (status != OB_OK) complain_error(tool, b->read, &error);
    return status == OB_OK;
}

bool baseline_begin(const char *tool, baseline *b) {
    const char *path = b->read ? b->read : b->written;
    if (!path) return true;
    b->folder = folder_of(path);
    if (b->folder && b->read) return read_baseline(tool, b);
    if (b->folder && ob_baseline_create(NULL, &b->accepted) == OB_OK) return true;
    complain(tool, NULL, "out of memory");
    return false;
}

char *baseline_name(const baseline *b, const char *path) {
    return strcmp(path, "-") == 0 ? copy_of("-", 1) : path_from(b->folder, path);
}

bool baseline_collect(const char *tool, const baseline *b, const char *name, const char *file, ob_report *report) {
    if (!b->written) return true;
    ob_status status = ob_baseline_add(b->accepted, name, report);
    if (status != OB_OK) complain(tool, file, "not in the baseline: %s", ob_status_text(status));
    return status == OB_OK;
}

static ob_status produce(void *context, ob_write_sink sink, void *sink_context, ob_error *error) {
    return ob_baseline_write(context, sink, sink_context, error);
}

bool baseline_save(const char *tool, const baseline *b) {
    ob_error error;
    ob_error_clear(&error);
    stop_begin_file(b->written);
    ob_status status = ob_file_save(b->written, produce, b->accepted, &error);
    stop_end_file();
    if (status != OB_OK) complain_error(tool, error.code == OB_E_IO ? NULL : b->written, &error);
    return status == OB_OK;
}

void baseline_release(baseline *b) {
    ob_baseline_close(&b->accepted);
    free(b->folder);
    *b = (baseline){0};
}
