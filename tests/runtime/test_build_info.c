/* The build of the library as it tells it itself. */
#include <ctype.h>
#include <stdlib.h>

#include "api.h"
#include "kernels/kernels.h"

/* One of the words of a text that spaces separate. */
static bool has_word(const char *text, const char *word) {
    const size_t n = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at += n)
        if ((at == text || at[-1] == ' ') && (at[n] == 0 || at[n] == ' ')) return true;
    return false;
}

static void the_commit_is_hexadecimal_or_unknown(void **state) {
    (void)state;
    const char *commit = ob_build_info().commit;
    const size_t digits = strspn(commit, "0123456789abcdef");
    assert_true(strcmp(commit, "unknown") == 0 ||
                (digits >= 40 && (commit[digits] == 0 || strcmp(commit + digits, "-dirty") == 0)));
}

static void texts_are_one_line_and_name_no_folder(void **state) {
    (void)state;
    const ob_build build = ob_build_info();
    const char *const texts[] = {build.commit,  build.compiler,  build.target, build.type, build.flags,
                                 build.options, build.libraries, build.levels, build.level};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_non_null(texts[i]);
        for (const char *at = texts[i]; *at; at++) assert_true(isprint((unsigned char)*at) && *at != '/' && *at != '\\');
    }
    assert_true(*build.compiler && *build.target && *build.flags && *build.libraries);
    assert_true(has_word(build.libraries, "protobuf-c"));
    assert_true(has_word(build.flags, "-ffp-contract=off"));
}

static void sanitizers_are_named(void **state) {
    (void)state;
    const char *options = ob_build_info().options;
#ifdef __SANITIZE_ADDRESS__
    assert_true(has_word(options, "sanitize=address") && has_word(options, "sanitize=undefined"));
#elif defined(__SANITIZE_THREAD__)
    assert_true(has_word(options, "sanitize=thread"));
#else
    assert_null(strstr(options, "sanitize"));
#endif
}

static void the_level_is_the_one_in_use(void **state) {
    (void)state;
    const unsigned levels[] = {0, OBK_ISA_AVX2, OBK_ISA_AVX2 | OBK_ISA_AVX512};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) {
        ob__kernels_limit(levels[i]);
        const ob_build build = ob_build_info();
        assert_string_equal(build.level, i ? ob__kernels_level_name() : "baseline");
        assert_true(has_word(build.levels, build.level));
        assert_false(build.dot_products);
    }
    ob__kernels_limit(~0u);
    assert_true(has_word(ob_build_info().levels, "baseline"));
    assert_int_equal(ob_build_info().dot_products, ob__kernels_dot8());
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_commit_is_hexadecimal_or_unknown),
        cmocka_unit_test(texts_are_one_line_and_name_no_folder),
        cmocka_unit_test(sanitizers_are_named),
        cmocka_unit_test(the_level_is_the_one_in_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
