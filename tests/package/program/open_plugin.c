/* usage: open_plugin LIBRARY: opens the operator library as ONNX Runtime does, and finds its entry. */
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv) {
    void *library = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (!library || !dlsym(library, "RegisterCustomOps")) {
        const char *text = dlerror();
        fprintf(stderr, "%s\n", text ? text : "usage: open_plugin LIBRARY");
        return 1;
    }
    return dlclose(library);
}
