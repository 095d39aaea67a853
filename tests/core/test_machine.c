/* Memory and processors that core/base/machine.c finds in the files of a system; these are made here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "core/base/machine.h"
#include "onnx_broadcast/onnx_broadcast.h"

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

/* Each test has a separate system. */
static void make_root(void) {
    memcpy(root + sizeof root - 7, "XXXXXX", 6);
    assert_non_null(mkdtemp(root));
}

static void remove_root(void) {
    char command[4200];
    snprintf(command, sizeof command, "rm -rf '%s'", root);
    assert_int_equal(system(command), 0);
}

static void test_memory(void **state) {
    (void)state;
    make_root();
    assert_true(ob__memory_at(root) == 0); /* nothing is known */
    write_file("/proc/meminfo", "MemTotal:       8000 kB\nMemFree:  100 kB\nMemAvailable:   4000 kB\nCached: 9 kB\n");
    assert_true(ob__memory_at(root) == 4000 * 1024);
    write_file("/proc/self/cgroup", "0::/a/b\n");
    write_file("/sys/fs/cgroup/a/b/memory.max", "max\n");
    assert_true(ob__memory_at(root) == 4000 * 1024);
    write_file("/sys/fs/cgroup/a/memory.max", "3000000\n"); /* the parent group determines it */
    write_file("/sys/fs/cgroup/a/memory.current", "1000000\n");
    assert_true(ob__memory_at(root) == 2000000);
    write_file("/sys/fs/cgroup/a/b/memory.max", "500000\n");
    write_file("/sys/fs/cgroup/a/b/memory.current", "600000\n"); /* above the limit: almost nothing, but not "unknown" */
    assert_true(ob__memory_at(root) == 1);
    write_file("/proc/self/cgroup", "5:cpu:/\n3:memory:/c\n0::/\n");
    write_file("/sys/fs/cgroup/memory/c/memory.limit_in_bytes", "700000\n");
    write_file("/sys/fs/cgroup/memory/c/memory.usage_in_bytes", "100000\n");
    assert_true(ob__memory_at(root) == 600000);
    write_file("/sys/fs/cgroup/memory/c/memory.limit_in_bytes", "9223372036854771712\n");
    assert_true(ob__memory_at(root) == 4000 * 1024);
    remove_root();
}

static void test_quota(void **state) {
    (void)state;
    make_root();
    assert_int_equal(ob__quota_at(root), 0); /* no files at all */
    write_file("/proc/self/cgroup", "0::/a/b/c\n");
    assert_int_equal(ob__quota_at(root), 0);
    write_file("/sys/fs/cgroup/a/b/c/cpu.max", "max 100000\n");
    assert_int_equal(ob__quota_at(root), 0);
    write_file("/sys/fs/cgroup/a/cpu.max", "350000 100000\n"); /* an ancestor */
    assert_int_equal(ob__quota_at(root), 4);
    write_file("/sys/fs/cgroup/cpu.max", "200000 100000\n"); /* the mount: in a container, its own group */
    assert_int_equal(ob__quota_at(root), 2);
    write_file("/sys/fs/cgroup/a/b/c/cpu.max", "5000 100000\n"); /* less than one */
    assert_int_equal(ob__quota_at(root), 1);
    write_file("/sys/fs/cgroup/a/b/c/cpu.max", "0 100000\n");
    assert_int_equal(ob__quota_at(root), 1);
    static const char *const wrong[] = {"", "150000\n", "1 0\n", "-1 100000\n", "x y\n", "150000 max\n"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        write_file("/sys/fs/cgroup/a/b/c/cpu.max", wrong[i]);
        assert_int_equal(ob__quota_at(root), 2);
    }
    /* Version 1: a controller among others, and one whose name only contains it. */
    write_file("/proc/self/cgroup", "5:cpuset:/\n4:cpu,cpuacct:/d/e\n2:xcpu:/f\n1:name=systemd:/\n");
    write_file("/sys/fs/cgroup/cpu/d/e/cpu.cfs_quota_us", "-1\n");
    write_file("/sys/fs/cgroup/cpu/d/e/cpu.cfs_period_us", "100000\n");
    write_file("/sys/fs/cgroup/cpu/f/cpu.cfs_quota_us", "100000\n");
    write_file("/sys/fs/cgroup/cpu/f/cpu.cfs_period_us", "100000\n");
    assert_int_equal(ob__quota_at(root), 0);
    write_file("/sys/fs/cgroup/cpu/d/cpu.cfs_quota_us", "50001\n");
    write_file("/sys/fs/cgroup/cpu/d/cpu.cfs_period_us", "10000\n");
    assert_int_equal(ob__quota_at(root), 6);
    write_file("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "20000\n"); /* without a period */
    assert_int_equal(ob__quota_at(root), 6);
    write_file("/proc/self/cgroup", "3:cpuacct,cpu:/not/there\n0::/\n"); /* a mount in a container, the group outside */
    write_file("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "10000\n");
    write_file("/sys/fs/cgroup/cpu.max", "max 100000\n");
    assert_int_equal(ob__quota_at(root), 2);
    remove_root();
}

/* Lines and groups longer than any buffer: the part that fits is used, and no buffer overflows. */
static void test_long_groups(void **state) {
    (void)state;
    enum { LINE = 5000 };
    make_root();
    write_file("/sys/fs/cgroup/a/cpu.max", "300000 100000\n");
    for (size_t length = 900; length < LINE; length += length < 1200 ? 1 : 997) {
        char line[LINE + 20] = "0::/a/";
        memset(line + 6, 'b', length);
        strcpy(line + 6 + length, "\n");
        write_file("/proc/self/cgroup", line);
        assert_int_equal(ob__quota_at(root), 3);
    }
    static const char *const odd[] = {"", "\n", ":", "::", "0::", "0::\n", "0::x\n", "a:cpu", "a:cpu:", "1:,:/\n", "1:cpu,:/\n"};
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        write_file("/proc/self/cgroup", odd[i]);
        assert_int_equal(ob__quota_at(root), 0);
    }
    remove_root();
}

static void test_this_machine(void **state) {
    (void)state;
    assert_in_range(ob_machine_processors(), 1, 100000);
    if (access("/proc/meminfo", R_OK) == 0) assert_true(ob_machine_memory() > 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_memory), cmocka_unit_test(test_quota),
                                       cmocka_unit_test(test_long_groups), cmocka_unit_test(test_this_machine)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
