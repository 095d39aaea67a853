/* The models on this machine: the shared ones (OB_SHARED), Debian's libonnx-testdata, the project's. Each may be absent. */
#ifndef OB_TESTS_CORPUS_H
#define OB_TESTS_CORPUS_H

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef void (*corpus_visit)(void *context, const char *path);

static inline void corpus_walk(const char *folder, int depth, corpus_visit visit, void *context) {
    DIR *directory = opendir(folder);
    if (!directory) return;
    for (struct dirent *entry; (entry = readdir(directory));) {
        if (entry->d_name[0] == '.') continue;
        char path[1024];
        struct stat info;
        int n = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (n < 0 || (size_t)n >= sizeof path || stat(path, &info) != 0) continue;
        if (S_ISDIR(info.st_mode)) {
            if (depth > 0) corpus_walk(path, depth - 1, visit, context);
            continue;
        }
        size_t n_name = strlen(entry->d_name);
        if (n_name > 5 && strcmp(entry->d_name + n_name - 5, ".onnx") == 0) visit(context, path);
    }
    closedir(directory);
}

/* Calls visit for each model (its context is a counter); prints the skipped ones. Returns the count. */
static inline size_t corpus_each_model(corpus_visit visit) {
    const char *shared = getenv("OB_SHARED");
    char folders[4][1024];
    int n_folders = 0;
    snprintf(folders[n_folders++], sizeof folders[0], "%s/models", shared ? shared : OB_SOURCE_DIR "/../shared");
    snprintf(folders[n_folders++], sizeof folders[0], "%s/onnx-tests", shared ? shared : OB_SOURCE_DIR "/../shared");
    snprintf(folders[n_folders++], sizeof folders[0], "/usr/share/libonnx-testdata");
    snprintf(folders[n_folders++], sizeof folders[0], OB_SOURCE_DIR "/models");
    size_t total = 0;
    for (int i = 0; i < n_folders; i++) {
        size_t before = total;
        corpus_walk(folders[i], 5, visit, &total);
        if (total == before) printf("skipped: no models in %s\n", folders[i]);
    }
    return total;
}

#endif
