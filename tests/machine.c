/* What tools/machine.c reads of a system, from files made here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "machine.h"

static char root[] = OB_BINARY_DIR "/machine_XXXXXX";

static void write_file(const char *path, const char *text) {
    char full[4096];
    snprintf(full, sizeof full, "%s%s", root, path);
    for (char *slash = full + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(full, 0777);
        *slash = '/';
    }
    FILE *file = fopen(full, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void test_machine(void **state) {
    (void)state;
    assert_non_null(mkdtemp(root));
    assert_true(machine_memory(root) == 0); /* nothing is known */
    write_file("/proc/meminfo", "MemTotal:       8000 kB\nMemFree:  100 kB\nMemAvailable:   4000 kB\nCached: 9 kB\n");
    assert_true(machine_memory(root) == 4000 * 1024);
    write_file("/proc/self/cgroup", "0::/a/b\n");
    write_file("/sys/fs/cgroup/a/b/memory.max", "max\n");
    assert_true(machine_memory(root) == 4000 * 1024);
    write_file("/sys/fs/cgroup/a/memory.max", "3000000\n"); /* the group around it decides */
    write_file("/sys/fs/cgroup/a/memory.current", "1000000\n");
    assert_true(machine_memory(root) == 2000000);
    write_file("/sys/fs/cgroup/a/b/memory.max", "500000\n");
    write_file("/sys/fs/cgroup/a/b/memory.current", "600000\n"); /* over it: next to nothing, but not "unknown" */
    assert_true(machine_memory(root) == 1);
    write_file("/proc/self/cgroup", "5:cpu:/\n3:memory:/c\n0::/\n");
    write_file("/sys/fs/cgroup/memory/c/memory.limit_in_bytes", "700000\n");
    write_file("/sys/fs/cgroup/memory/c/memory.usage_in_bytes", "100000\n");
    assert_true(machine_memory(root) == 600000);
    write_file("/sys/fs/cgroup/memory/c/memory.limit_in_bytes", "9223372036854771712\n");
    assert_true(machine_memory(root) == 4000 * 1024);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_machine)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command[4200];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    return system(command) != 0 || failed;
}
