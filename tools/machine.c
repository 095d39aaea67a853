#include "machine.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { PATH_BYTES = 4096 };

static bool read_number(const char *root, const char *folder, const char *name, uint64_t *out) {
    char path[PATH_BYTES];
    unsigned long long number;
    int n = snprintf(path, sizeof path, "%s%s/%s", root, folder, name);
    FILE *file = n > 0 && n < (int)sizeof path ? fopen(path, "r") : NULL;
    if (!file) return false;
    bool found = fscanf(file, "%llu", &number) == 1; /* "max": no limit */
    fclose(file);
    if (found) *out = number;
    return found;
}

static uint64_t available(const char *root) {
    char path[PATH_BYTES], line[256];
    unsigned long long kib = 0;
    int n = snprintf(path, sizeof path, "%s/proc/meminfo", root);
    FILE *file = n > 0 && n < (int)sizeof path ? fopen(path, "r") : NULL;
    while (file && kib == 0 && fgets(line, sizeof line, file)) {
        if (sscanf(line, "MemAvailable: %llu kB", &kib) != 1) kib = 0;
    }
    if (file) fclose(file);
    return (uint64_t)kib * 1024;
}

/* What `folder`, and the groups around it up to the mount at its first n_mount bytes, leave. */
static uint64_t left_in_groups(const char *root, char *folder, size_t n_mount, const char *limit_name, const char *used_name) {
    uint64_t least = UINT64_MAX, limit, used;
    for (;;) {
        if (read_number(root, folder, limit_name, &limit)) {
            if (!read_number(root, folder, used_name, &used)) used = 0;
            uint64_t left = limit > used ? limit - used : 1;
            least = left < least ? left : least;
        }
        char *slash = strrchr(folder, '/');
        if (!slash || strlen(folder) <= n_mount) return least;
        *slash = '\0';
    }
}

static uint64_t left_for_group(const char *root) {
    static const char v2[] = "/sys/fs/cgroup", v1[] = "/sys/fs/cgroup/memory";
    char path[PATH_BYTES], line[PATH_BYTES / 2];
    uint64_t least = UINT64_MAX;
    int n = snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *file = n > 0 && n < (int)sizeof path ? fopen(path, "r") : NULL;
    while (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        bool is_v2 = strncmp(line, "0::/", 4) == 0;
        const char *v1_group = strstr(line, ":memory:/"), *group = is_v2 ? line + 3 : v1_group ? v1_group + 8 : NULL;
        if (!group) continue;
        snprintf(path, sizeof path, "%s%s", is_v2 ? v2 : v1, strcmp(group, "/") == 0 ? "" : group);
        uint64_t left = is_v2 ? left_in_groups(root, path, sizeof v2 - 1, "memory.max", "memory.current")
                              : left_in_groups(root, path, sizeof v1 - 1, "memory.limit_in_bytes", "memory.usage_in_bytes");
        least = left < least ? left : least;
    }
    if (file) fclose(file);
    return least;
}

uint64_t machine_memory(const char *root) {
    uint64_t system = available(root), group = left_for_group(root);
    if (system == 0) return group == UINT64_MAX ? 0 : group;
    return group < system ? group : system;
}
