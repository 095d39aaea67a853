/* SHA-256: the examples of FIPS 180-4 and of NIST's test vectors, and lengths around the end of a block. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/base/sha256.h"

static const char *digest_of(const void *bytes, size_t n) {
    static char text[2 * OB_SHA256_BYTES + 1];
    uint8_t digest[OB_SHA256_BYTES];
    ob__sha256(bytes, n, digest);
    for (int i = 0; i < OB_SHA256_BYTES; i++) snprintf(text + (size_t)2 * i, 3, "%02x", digest[i]);
    return text;
}

static void known_digests(void **state) {
    (void)state;
    static const struct {
        const char *text, *digest;
    } cases[] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
        {"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
         "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(digest_of(cases[i].text, strlen(cases[i].text)), cases[i].digest);
}

static void a_million_bytes(void **state) {
    (void)state;
    enum { N = 1000000 };
    char *bytes = malloc(N);
    assert_non_null(bytes);
    memset(bytes, 'a', N);
    assert_string_equal(digest_of(bytes, N), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(known_digests), cmocka_unit_test(a_million_bytes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
