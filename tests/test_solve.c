/* The solver: requirements in, the contract out, in words. */
#include "solve_case.h"

static void solves_to(const char *requirements, const char *expected) {
    ob_dims *dims;
    ob_arena arena;
    ob_clauses clauses;
    ob_solution solution;
    ob_text text;
    ob_dim inputs[16];
    uint32_t n_inputs;
    assert_int_equal(ob_dims_create(NULL, &dims), OB_OK);
    ob__arena_init(&arena, NULL);
    ob__text_init(&text, ob_allocator_default());
    ob__clauses_init(&clauses, &arena);
    add_requirements(&clauses, dims, requirements);
    collect_inputs(dims, &clauses, inputs, &n_inputs);
    assert_int_equal(ob__solve(dims, clauses.items, clauses.n, inputs, n_inputs, &arena, &solution), OB_OK);
    write_solution(&text, dims, &solution);
    if (strcmp(text.data, expected) != 0)
        print_message("%s\n    gives    %s\n    expected %s\n", requirements, text.data, expected);
    bool same = strcmp(text.data, expected) == 0;
    ob__text_release(&text);
    ob__arena_release(&arena);
    ob_dims_destroy(&dims);
    assert_true(same);
}

static void cases(void **state) {
    (void)state;
    static const char *const rows[][2] = {
        {"N -> 3; N -> 4; N -> 7", "N = 1"},
        {"N = 3; N = 5", "error A B"},
        {"N = M; M = K; N -> 5; K = 5", "N = 5; M = 5; K = 5"},
        {"N ~ min(N, 512)", "N <= 512"},
        {"H - 2 >= 1; floor((H - 3)/2) + 1 >= 3", "H >= 7"},
        {"H >= 2; H -> 2*floor(H/2)", "H >= 2; H % 2 = 0"},
        {"floor((h + 1)/8) = 4*floor((h + 1)/32)", "(h + 1) % 32 <= 7"},
        {"b ~ T; 8*b*bcast(b, T) = 8*b*T", "b = T or b = 1 or T = 1; b = T or b = 1 or b = 0"},
        {"15 % M; M >= 1", "M in {1, 3, 5, 15}"},
        {"N - 1 >= 9; 9 + N >= 0; N - 1 >= 0 - 3; N - 3 >= 0; 12 >= N", "10 <= N <= 12"},
        {"8*floor((m + 7)/8) >= m", "proved"},
        {"max(1, 32*ceil(s/64)) = 32*ceil(s/64)", "s >= 1"},
        {"min(7*ceil(H/7), H) = H", "proved"},
        {"[N = 3] N -> 3; [N != 3] N -> 4", "N in {1, 3, 4}"},
        {"[T >= 1] N -> 5", "if T >= 1: N = 5 or N = 1"},
        {"N % 4; N % 6; 3*N % 6", "N % 12 = 0"},
        {"N + 3 % 4; N + 4 % 6; N >= 1", "error A B"},
        {"N -> 0", "N = 0 or N = 1"},
        {"floor(x/10) >= 50", "x >= 500"},
        {"x - floor(9*x/10) >= 50", "x >= 491"},
        {"M = N - 5", "N = M + 5"},
        {"x >= 10*y; y >= 3; 29 >= x", "error A B C"},
        {"x >= 10*y; y >= 3", "x >= 10*y; y >= 3"},
        {"[N >= 8] N = 3", "N <= 7"},
        {"N*M = 16; N >= 1", "N*M = 16; N >= 1"},
        {"a*b % (a - 1); a >= 2", "a >= 2; b % (a - 1) = 0"},
        {"!b >= 1; b ~ T; 8*b*bcast(b, T) = 8*b*T", "b = T or b = 1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) solves_to(rows[i][0], rows[i][1]);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(cases)};
    if (argc > 1) cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
