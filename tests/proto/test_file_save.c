/* ob_file_save: a file is complete or unchanged, for any failure while it is written. */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "onnx_broadcast/onnx_broadcast.h"
#include "tests/api.h"

#define OK(call) assert_int_equal((call), OB_OK)

typedef struct content {
    const char *text;
    size_t n_pieces;
    ob_status status; /* the producer's status after the pieces */
} content;

static ob_status produce(void *context, ob_write_sink sink, void *sink_context, ob_error *error) {
    const content *c = context;
    (void)error;
    for (size_t i = 0; i < c->n_pieces; i++)
        if (sink(sink_context, c->text, strlen(c->text)) != OB_OK) return OB_E_IO;
    return c->status;
}

static void expect_content(const char *path, const char *text, size_t n_pieces) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t n = strlen(text);
    for (size_t i = 0; i < n * n_pieces; i++) assert_int_equal(fgetc(file), text[i % n]);
    assert_int_equal(fgetc(file), EOF);
    fclose(file);
}

static size_t count_files(const char *folder) {
    DIR *at = opendir(folder);
    assert_non_null(at);
    size_t n = 0;
    for (const struct dirent *entry; (entry = readdir(at));) n += entry->d_name[0] != '.';
    closedir(at);
    return n;
}

typedef struct place {
    char folder[40], file[60], link[60];
} place;

static int set_up(void **state) {
    place *p = calloc(1, sizeof *p);
    assert_non_null(p);
    strcpy(p->folder, "/tmp/ob_file_save_XXXXXX");
    assert_non_null(mkdtemp(p->folder));
    snprintf(p->file, sizeof p->file, "%s/file", p->folder);
    snprintf(p->link, sizeof p->link, "%s/link", p->folder);
    *state = p;
    return 0;
}

static int tear_down(void **state) {
    place *p = *state;
    unlink(p->file);
    unlink(p->link);
    assert_int_equal(rmdir(p->folder), 0);
    free(p);
    return 0;
}

static void test_new_and_replaced(void **state) {
    const place *p = *state;
    ob_error error;
    static const size_t pieces[] = {0, 1, 2, 100000}; /* the last one is larger than any buffer */
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        content c = {"some text ", pieces[i], OB_OK};
        OK(ob_file_save(p->file, produce, &c, &error));
        expect_content(p->file, c.text, c.n_pieces);
        assert_int_equal(count_files(p->folder), 1);
    }
}

static void test_failures_leave_the_old_file(void **state) {
    const place *p = *state;
    ob_error error;
    content old = {"old", 1, OB_OK}, bad = {"new", 100000, OB_E_MODEL};
    OK(ob_file_save(p->file, produce, &old, &error));
    assert_int_equal(ob_file_save(p->file, produce, &bad, &error), OB_E_MODEL);
    expect_content(p->file, "old", 1);
    assert_int_equal(count_files(p->folder), 1);
    assert_int_equal(ob_file_save(p->link, produce, &bad, NULL), OB_E_MODEL);
    assert_int_equal(count_files(p->folder), 1);
    assert_int_equal(ob_file_save("/tmp/no/such/folder/file", produce, &old, &error), OB_E_IO);
    assert_non_null(strstr(error.message, "/tmp/no/such/folder/file"));
    assert_int_equal(ob_file_save(NULL, produce, &old, &error), OB_E_ARGUMENT);
    assert_int_equal(ob_file_save(p->link, NULL, &old, &error), OB_E_ARGUMENT);
    assert_int_equal(count_files(p->folder), 1);
}

static void test_links_and_modes(void **state) {
    const place *p = *state;
    ob_error error;
    struct stat info;
    content old = {"old", 1, OB_OK}, new = {"new", 1, OB_OK};
    OK(ob_file_save(p->file, produce, &old, &error));
    assert_int_equal(chmod(p->file, 0640), 0);
    OK(ob_file_save(p->file, produce, &old, &error));
    assert_int_equal(stat(p->file, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
    assert_int_equal(symlink("file", p->link), 0);
    OK(ob_file_save(p->link, produce, &new, &error));
    expect_content(p->file, "old", 1);
    expect_content(p->link, "new", 1);
    assert_int_equal(lstat(p->link, &info), 0);
    assert_true(S_ISREG(info.st_mode));
}

static void test_devices(void **state) {
    (void)state;
    ob_error error;
    content c = {"some text", 100000, OB_OK};
    OK(ob_file_save("/dev/null", produce, &c, &error));
    struct stat info;
    assert_int_equal(stat("/dev/null", &info), 0);
    assert_true(S_ISCHR(info.st_mode));
    if (access("/dev/full", W_OK) == 0) assert_int_equal(ob_file_save("/dev/full", produce, &c, &error), OB_E_IO);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_new_and_replaced, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_failures_leave_the_old_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_links_and_modes, set_up, tear_down),
        cmocka_unit_test(test_devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
