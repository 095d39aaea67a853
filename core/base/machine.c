#include "core/base/machine.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "onnx_broadcast/machine.h"

/* One buffer holds a line of /proc/self/cgroup and the paths made from it: BEFORE bytes before the line for the root and the
 * mount, BEHIND bytes after it for the name of a file. */
enum { BEFORE = 480, BEHIND = 64, PATH_BYTES = 1600 };

/* ---- Control groups ---- */

/* A kind of limit. */
typedef struct limit {
    const char *controller; /* of version 1, and its mount */
    /* The limit of one group; UINT64_MAX: none. */
    uint64_t (*of_group)(char *folder, bool v2);
} limit;

/* A number after white space; *text is set behind it. */
static bool read_number(const char **text, unsigned long long *number) {
    const char *at = *text + strspn(*text, " \t");
    if (*at < '0' || *at > '9') return false;
    char *end;
    *number = strtoull(at, &end, 10);
    *text = end;
    return true;
}

/* Reads up to two numbers from the start of the file folder/name and returns their count. BEHIND bytes after the end of
 * `folder` are writable. */
static int read_numbers(char *folder, const char *name, unsigned long long *first, unsigned long long *second) {
    char *end = folder + strlen(folder);
    snprintf(end, BEHIND, "/%s", name);
    FILE *file = fopen(folder, "r");
    *end = '\0';
    if (!file) return 0;
    char line[64]; /* two numbers of 20 digits */
    const char *at = fgets(line, sizeof line, file);
    fclose(file);
    if (!at || !read_number(&at, first)) return 0; /* none in "max" */
    return read_number(&at, second) ? 2 : 1;
}

/* The lowest limit of the group in `folder` and of its parents, up to the mount, which is the first n_mount bytes. */
static uint64_t least_of_groups(const limit *l, char *folder, size_t n_mount, bool v2) {
    uint64_t least = UINT64_MAX;
    for (;;) {
        uint64_t here = l->of_group(folder, v2);
        least = here < least ? here : least;
        char *slash = strrchr(folder, '/');
        if (!slash || strlen(folder) <= n_mount) return least;
        *slash = '\0';
    }
}

/* The group of a line: "0::/group" of version 2, "3:cpu,cpuacct:/group" of version 1. NULL: another controller's. */
static char *group_of(char *line, const char *controller, bool *v2) {
    char *names = strchr(line, ':'), *end = names ? strchr(names + 1, ':') : NULL;
    if (!end || end[1] != '/') return NULL;
    *v2 = end == names + 1;
    if (*v2) return end + 1;
    for (char *at = names + 1; at < end; at += strcspn(at, ",:") + 1)
        if (strcspn(at, ",:") == strlen(controller) && strncmp(at, controller, strlen(controller)) == 0) return end + 1;
    return NULL;
}

__attribute__((noinline)) /* keeps its path out of the caller's frame */
static uint64_t
least_of_line(const limit *l, const char *root, char *line) {
    static const char mount[] = "/sys/fs/cgroup";
    bool v2 = false;
    char *group = group_of(line, l->controller, &v2);
    if (!group) return UINT64_MAX;
    if (strcmp(group, "/") == 0) *group = '\0';
    char path[BEFORE];
    int n = snprintf(path, sizeof path, "%s%s%s%s", root, mount, v2 ? "" : "/", v2 ? "" : l->controller);
    if (n <= 0 || n >= (int)sizeof path) return UINT64_MAX;
    memcpy(group - n, path, (size_t)n);
    return least_of_groups(l, group - n, (size_t)n, v2);
}

/* Of all groups that the process is in. Of a path longer than 1 KiB only the first groups are seen. */
static uint64_t least_limit(const limit *l, const char *root) {
    char buffer[PATH_BYTES], *line = buffer + BEFORE;
    uint64_t least = UINT64_MAX;
    int n = snprintf(buffer, sizeof buffer, "%s/proc/self/cgroup", root);
    FILE *file = n > 0 && n < (int)sizeof buffer ? fopen(buffer, "r") : NULL;
    while (file && fgets(line, PATH_BYTES - BEFORE - BEHIND, file)) {
        line[strcspn(line, "\n")] = '\0';
        uint64_t here = least_of_line(l, root, line);
        least = here < least ? here : least;
    }
    if (file) fclose(file);
    return least;
}

/* ---- Memory ---- */

static uint64_t memory_left(char *folder, bool v2) {
    unsigned long long most, used, next;
    if (read_numbers(folder, v2 ? "memory.max" : "memory.limit_in_bytes", &most, &next) < 1) return UINT64_MAX;
    if (read_numbers(folder, v2 ? "memory.current" : "memory.usage_in_bytes", &used, &next) < 1) used = 0;
    return most > used ? most - used : 1;
}

static uint64_t available(const char *root) {
    char path[BEFORE], line[256];
    unsigned long long kib = 0;
    int n = snprintf(path, sizeof path, "%s/proc/meminfo", root);
    FILE *file = n > 0 && n < (int)sizeof path ? fopen(path, "r") : NULL;
    while (file && kib == 0 && fgets(line, sizeof line, file)) {
        static const char name[] = "MemAvailable:";
        const char *at = line + strlen(name);
        if (strncmp(line, name, strlen(name)) != 0 || !read_number(&at, &kib)) kib = 0;
    }
    if (file) fclose(file);
    return (uint64_t)kib * 1024;
}

uint64_t ob__memory_at(const char *root) {
    static const limit memory = {"memory", memory_left};
    uint64_t system = available(root), group = least_limit(&memory, root);
    if (system == 0) return group == UINT64_MAX ? 0 : group;
    return group < system ? group : system;
}

uint64_t ob_machine_memory(void) {
    return ob__memory_at("");
}

/* ---- Processors ---- */

static uint64_t processors_of_quota(char *folder, bool v2) {
    unsigned long long quota, period, next;
    if (v2) { /* "150000 100000", "max 100000" */
        if (read_numbers(folder, "cpu.max", &quota, &period) < 2) return UINT64_MAX;
    } else if (read_numbers(folder, "cpu.cfs_quota_us", &quota, &next) < 1 ||
               read_numbers(folder, "cpu.cfs_period_us", &period, &next) < 1)
        return UINT64_MAX;
    if (period == 0 || quota > INT64_MAX) return UINT64_MAX; /* version 1 writes -1 for none */
    return quota / period + (quota % period != 0);
}

uint64_t ob__quota_at(const char *root) {
    static const limit processors = {"cpu", processors_of_quota};
    uint64_t group = least_limit(&processors, root);
    return group == UINT64_MAX ? 0 : group > 0 ? group : 1;
}
