/* Places of findings: the model file, and the line of the exporter's program. */
#include <stdlib.h>
#include <string.h>

#include "passes/format/writer.h"

/* Decimal digits up to 10^9; 0: none. */
static uint32_t read_line_number(const char *text) {
    uint32_t line = 0;
    while (*text >= '0' && *text <= '9' && line < 100000000) line = line * 10 + (uint32_t)(*text++ - '0');
    return line;
}

static bool goes_up(const char *path) {
    for (const char *at = path; *at; at += strcspn(at, "/")) {
        while (*at == '/') at++;
        if (strncmp(at, "..", 2) == 0 && (at[2] == '/' || at[2] == '\0')) return true;
    }
    return false;
}

static bool keep_path(const char *path, size_t n, const char *root, ob_source_line *out) {
    const size_t n_root = root ? strlen(root) : 0;
    while (n > 2 && path[0] == '.' && path[1] == '/') path += 2, n -= 2;
    if (n > 0 && path[0] == '/') {
        if (n_root == 0 || n <= n_root + 1 || strncmp(path, root, n_root) != 0) return false;
        if (root[n_root - 1] != '/' && path[n_root] != '/') return false;
        path += n_root, n -= n_root;
        while (n > 0 && *path == '/') path++, n--;
    }
    if (n == 0 || n >= sizeof out->path || path[0] == '<') return false; /* "<stdin>" */
    memcpy(out->path, path, n);
    out->path[n] = '\0';
    return !goes_up(out->path) && !strchr(out->path, '\\') && !strchr(out->path, ':');
}

static bool read_place(const char *source, const char *root, ob_source_line *out) {
    static const char file[] = "File \"", line[] = "\", line ";
    if (strncmp(source, file, sizeof file - 1) == 0) { /* a frame of a Python traceback */
        const char *path = source + sizeof file - 1, *end = strstr(path, line);
        if (!end) return false;
        out->line = read_line_number(end + sizeof line - 1);
        return out->line > 0 && keep_path(path, (size_t)(end - path), root, out);
    }
    const char *py = strstr(source, ".py"); /* "model.py(12): forward" or "model.py:12:0" */
    if (!py || (py[3] != '(' && py[3] != ':')) return false;
    out->line = read_line_number(py + 4);
    return out->line > 0 && keep_path(source, (size_t)(py + 3 - source), root, out);
}

bool ob__source_line(ob_report_writer *writer, const char *source) {
    return read_place(source, writer->source_root, &writer->source) &&
           (!writer->is_source || writer->is_source(writer->is_source_context, writer->source.path));
}

void ob__out_uri(ob_text *text, const char *path) {
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
    while (path[0] == '.' && path[1] == '/') path += 2;
    if (path[0] == '/') ob__text_puts(text, "file://");
    for (; *path; path++) {
        if (strchr(plain, *path))
            ob__text_append(text, path, 1);
        else
            ob__text_printf(text, "%%%02X", (unsigned)(unsigned char)*path);
    }
}
