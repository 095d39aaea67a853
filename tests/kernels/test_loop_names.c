/* The names of loops are those of their symbols, as nm reads them from this program. */
#include <inttypes.h>
#include <stdio.h>

#include "kernel_levels.h"
#include "kernels/elementwise/chain.h"
#include "kernels/names.h"

enum { MOST_SYMBOLS = 40000, NAME_BYTES = 112 };

typedef struct symbol {
    uintptr_t at;
    size_t n_bytes;
    char kind, name[NAME_BYTES];
} symbol;

static const char *program;
static symbol *symbols;
static size_t n_symbols;

static const symbol *find_symbol(const char *name) {
    for (size_t i = 0; i < n_symbols; i++)
        if (strcmp(symbols[i].name, name) == 0) return &symbols[i];
    return NULL;
}

static uintptr_t code_of(void (*loop)(void)) {
#ifdef __arm__
    return (uintptr_t)loop & ~(uintptr_t)1; /* the instruction set; nm does not show it */
#else
    return (uintptr_t)loop;
#endif
}

static int read_symbols(void **state) {
    (void)state;
    char command[4096];
    assert_in_range(snprintf(command, sizeof command, "%s -S '%s'", OB_NM, program), 1, (int)sizeof command - 1);
    FILE *nm = popen(command, "r");
    assert_non_null(nm);
    symbols = calloc(MOST_SYMBOLS, sizeof *symbols);
    assert_non_null(symbols);
    char line[4096];
    while (fgets(line, sizeof line, nm)) {
        uint64_t at, n_bytes;
        symbol s = {0};
        if (strlen(line) > NAME_BYTES) continue;
        if (sscanf(line, "%" SCNx64 " %" SCNx64 " %c %111s", &at, &n_bytes, &s.kind, s.name) != 4) continue;
        assert_true(n_symbols < MOST_SYMBOLS);
        s.at = (uintptr_t)at;
        s.n_bytes = (size_t)n_bytes;
        symbols[n_symbols++] = s;
    }
    assert_int_equal(pclose(nm), 0);
    /* where the program was loaded */
    const symbol *known = find_symbol("obk_loop_name");
    assert_non_null(known);
    const uintptr_t moved = code_of((void (*)(void))obk_loop_name) - known->at;
    for (size_t i = 0; i < n_symbols; i++) symbols[i].at += moved;
    return 0;
}

static int free_symbols(void **state) {
    (void)state;
    free(symbols);
    return 0;
}

/* The address of obk_NAME or, unless level is NULL, obk_NAME__LEVEL with a prefix; 0: there is none. */
static uintptr_t address_of(const char *prefix, const char *name, const char *level) {
    char full[2 * NAME_BYTES];
    snprintf(full, sizeof full, "%s%s%s%s", prefix, name, level ? "__" : "", level ? level : "");
    const symbol *s = find_symbol(full);
    return s ? s->at : 0;
}

static bool is_code(uintptr_t at) {
    for (size_t i = 0; i < n_symbols; i++)
        if (symbols[i].at == at && (symbols[i].kind == 't' || symbols[i].kind == 'T')) return true;
    return false;
}

static void each_loop_has_the_address_of_its_symbol(void **state) {
    (void)state;
    const obk_table *tables[KL_LEVELS];
    static const unsigned masks[KL_LEVELS] = {0, OBK_ISA_AVX2, OBK_ISA_AVX2 | OBK_ISA_AVX512};
    kl_levels(tables);
    for (size_t l = 0; l < KL_LEVELS; l++) {
        ob__kernels_limit(masks[l]);
        unsigned n_loops = 0, n_forms = 0;
        void (*loop)(void);
        const char *name, *at, *found_at, *of_forms;
        assert_non_null(obk_loop_name((void (*)(void))OBK_LOOPS(form)->find, &of_forms));
        for (unsigned i = 0; obk_loop_at(i, &loop, &name, &at); i++) {
            if (!loop) continue;
            n_loops++;
            if (address_of("obk_", name, at) != code_of(loop))
                fail_msg("%s at level %s is another function", name, ob__kernels_level_name());
            assert_string_equal(obk_loop_name(loop, &found_at), name);
            assert_ptr_equal(found_at, at);
            const obk_link_form *form = OBK_LOOPS(form)->find((obk_loop)loop);
            n_forms += form != NULL;
            if (form) assert_true(address_of("obk_form_", name, of_forms) == (uintptr_t)form);
        }
        assert_true(n_loops > 600);
#if defined(__x86_64__) || defined(__aarch64__)
        assert_true(n_forms >= 38);
#else
        assert_int_equal(n_forms, 0); /* no chains there */
#endif
    }
    ob__kernels_limit(~0u);
}

/* The codes with which chains begin and end have no names. */
static bool is_link_code(const symbol *table, size_t at) {
    const size_t first = offsetof(obk_chains, load), end = offsetof(obk_chains, store) + sizeof(((obk_chains *)NULL)->store);
    return strncmp(table->name, "obk_table_chain__", 17) == 0 && at >= first && at < end;
}

static void each_function_of_a_table_has_a_name(void **state) {
    (void)state;
    static const unsigned masks[KL_LEVELS] = {0, OBK_ISA_AVX2, OBK_ISA_AVX2 | OBK_ISA_AVX512};
    for (size_t l = 0; l < KL_LEVELS; l++) {
        ob__kernels_limit(masks[l]);
        char end[32];
        snprintf(end, sizeof end, "__%s", ob__kernels_level_name());
        unsigned n_tables = 0, n_functions = 0;
        for (size_t i = 0; i < n_symbols; i++) {
            const symbol *table = &symbols[i];
            const size_t length = strlen(table->name), n_end = strlen(end);
            if (strncmp(table->name, "obk_table_", 10) != 0 || length < n_end || strcmp(table->name + length - n_end, end) != 0)
                continue;
            n_tables++;
            for (size_t at = 0; at + sizeof(uintptr_t) <= table->n_bytes; at += sizeof(uintptr_t)) {
                void (*loop)(void);
                memcpy(&loop, (const char *)table->at + at, sizeof loop);
                const char *at_level;
                if (!loop || !is_code(code_of(loop)) || is_link_code(table, at)) continue;
                n_functions++;
                if (!obk_loop_name(loop, &at_level)) fail_msg("byte %zu of %s is a loop without a name", at, table->name);
            }
        }
        const bool is_part = strcmp(end, "__neon") == 0 || strcmp(end, "__rvv") == 0; /* the baseline has the rest of it */
        assert_true(n_tables >= (is_part ? 3 : 16));                                  /* AVX-512 has tables of AVX2, too */
        if (n_functions <= (is_part ? 20 : 600)) fail_msg("%u functions at level %s", n_functions, end);
    }
    ob__kernels_limit(~0u);
}

static void names_are_unique(void **state) {
    (void)state;
    unsigned n = 0;
    void (*loop)(void), (*other)(void);
    const char *name, *other_name, *level, *other_level;
    for (unsigned i = 0; obk_loop_at(i, &loop, &name, &level); i++, n++)
        for (unsigned j = 0; j < i && obk_loop_at(j, &other, &other_name, &other_level); j++)
            if (loop && other && strcmp(name, other_name) == 0 && (loop != other || level != other_level))
                fail_msg("%s are two loops", name);
    assert_true(n > 600);
}

static void others_have_no_name(void **state) {
    (void)state;
    const char *level;
    assert_null(obk_loop_name(NULL, &level));
    assert_null(obk_loop_name((void (*)(void))names_are_unique, &level));
}

int main(int argc, char **argv) {
    (void)argc;
    program = argv[0];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_loop_has_the_address_of_its_symbol),
        cmocka_unit_test(each_function_of_a_table_has_a_name),
        cmocka_unit_test(names_are_unique),
        cmocka_unit_test(others_have_no_name),
    };
    return cmocka_run_group_tests(tests, read_symbols, free_symbols);
}
