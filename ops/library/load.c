/* Opens shared libraries of operators; no other file opens any. */
#include <stdio.h>
#include <string.h>

#include "core/base/error.h"
#include "ops/library/library.h"

#ifdef OB_HAVE_DLOPEN
#include <dlfcn.h>

/* A name without a folder is a file of the current folder. The system's search path must not be used for a name in user data. */
static void *open_file(const char *path, ob_error *error) {
    char local[2 + 256]; /* no file name is longer */
    bool has_folder = strchr(path, '/') != NULL;
    int n = has_folder ? 0 : snprintf(local, sizeof local, "./%s", path);
    if (n < 0 || (size_t)n >= sizeof local) {
        ob__fail(error, OB_E_IO, "the path is too long");
        return NULL;
    }
    void *handle = dlopen(has_folder ? path : local, RTLD_NOW | RTLD_LOCAL);
    if (handle) return handle;
    const char *why = dlerror();
    if (why && !has_folder && strncmp(why, "./", 2) == 0) why += 2;
    ob__fail(error, OB_E_IO, "%s", why ? why : "cannot be loaded");
    return NULL;
}

ob_status ob__library_load(const char *path, void **handle, ob_operator_entry *entry, ob_error *error) {
    void *opened = open_file(path, error);
    if (!opened) return OB_E_IO;
    void *symbol = dlsym(opened, OB_OPERATOR_ENTRY);
    if (!symbol) {
        dlclose(opened);
        return ob__fail(error, OB_E_NOT_FOUND, "is not an operator library: it does not export " OB_OPERATOR_ENTRY);
    }
    memcpy(entry, &symbol, sizeof *entry); /* POSIX: a function's address fits into an object pointer */
    *handle = opened;
    return OB_OK;
}

void ob__library_unload(void *handle) {
    if (handle) dlclose(handle);
}

#else

ob_status ob__library_load(const char *path, void **handle, ob_operator_entry *entry, ob_error *error) {
    (void)path, (void)handle, (void)entry;
    return ob__fail(error, OB_E_UNSUPPORTED, "this build cannot load operator libraries (OB_WITH_DLOPEN is off)");
}

void ob__library_unload(void *handle) {
    (void)handle;
}

#endif
