/* kernels/recurrent at every level: the bits of the definitions, step by step. */
#include "kernel_levels.h"
#include "kernels/kernels.h"
#include "kernels/recurrent/recurrent.h"

typedef struct operands {
    double x[4][64];
    void *in[4];
} operands;

static void draw(operands *o, kl_edges *edges, int64_t n, bool is_double, uint64_t *seed) {
    for (int k = 0; k < 4; k++) {
        o->in[k] = kl_in(edges, (size_t)n * (is_double ? sizeof(double) : sizeof(float)));
        for (int64_t i = 0; i < n; i++) {
            const float value = (float)kl_uniform(seed, -2, 2);
            o->x[k][i] = (double)value;
            if (is_double)
                ((double *)o->in[k])[i] = o->x[k][i];
            else
                ((float *)o->in[k])[i] = value;
        }
    }
}

enum { ADD_PRODUCT, COMPLEMENT, CARRY, BLEND, ADD_RESET, ADD_RESET_ALONE, N_FUNCTIONS };

/* z is the initial value; a, b and c are the operands. */
static float in_float(int function, float z, float a, float b, float c) {
    switch (function) {
    case ADD_PRODUCT: return z + a * b;
    case COMPLEMENT: return 1 - a;
    case CARRY: return a * z + b * c;
    case BLEND: return (1 - a) * b + a * z;
    case ADD_RESET: return z + a * (b + c);
    default: return z + a * b;
    }
}
static double in_double(int function, double z, double a, double b, double c) {
    switch (function) {
    case ADD_PRODUCT: return z + a * b;
    case COMPLEMENT: return 1 - a;
    case CARRY: return a * z + b * c;
    case BLEND: return (1 - a) * b + a * z;
    case ADD_RESET: return z + a * (b + c);
    default: return z + a * b;
    }
}

static void call(const obk_recurrent *f, int function, bool d, void *z, void *const *in, int64_t n) {
    switch (function) {
    case ADD_PRODUCT: f->add_product[d](z, in[0], in[1], n); break;
    case COMPLEMENT: f->complement[d](z, in[0], n); break;
    case CARRY: f->carry[d](z, in[0], in[1], in[2], n); break;
    case BLEND: f->blend[d](z, in[0], in[1], n); break;
    case ADD_RESET: f->add_reset[d](z, in[0], in[1], in[2], n); break;
    default: f->add_reset[d](z, in[0], in[1], NULL, n); break;
    }
}

static void cells_are_computed(void **state) {
    (void)state;
    const obk_table *tables[KL_LEVELS];
    size_t n_levels = kl_levels(tables);
    kl_edges edges = kl_open(1 << 12);
    uint64_t seed = 1;
    operands o;
    for (size_t l = 0; l < n_levels; l++)
        for (int function = 0; function < N_FUNCTIONS; function++)
            for (int d = 0; d < 2; d++)
                for (int64_t n = 0; n <= KL_LONGEST(sizeof(float)); n++) {
                    const size_t width = d ? sizeof(double) : sizeof(float);
                    draw(&o, &edges, n, d, &seed);
                    kl_out z = kl_out_open((size_t)n * width, (size_t)(n % 3) * width);
                    memcpy(z.data, o.in[3], z.n_bytes);
                    call(tables[l]->recurrent, function, d, z.data, o.in, n);
                    for (int64_t i = 0; i < n; i++) {
                        const double *const x[4] = {o.x[0], o.x[1], o.x[2], o.x[3]};
                        if (d)
                            assert_true(((double *)z.data)[i] == in_double(function, x[3][i], x[0][i], x[1][i], x[2][i]));
                        else
                            assert_true(((float *)z.data)[i] ==
                                        in_float(function, (float)x[3][i], (float)x[0][i], (float)x[1][i], (float)x[2][i]));
                    }
                    kl_out_close(&z);
                }
    kl_close(&edges);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(cells_are_computed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
