/* Products with 8-bit weights, for DynamicQuantizeLSTM. Floats are rounded to 8 bits with a scale of their own and multiplied as
 * integers; the sums are multiplied by both scales and added. */
#ifndef OB_OPS_RECURRENT_QUANTIZED_H
#define OB_OPS_RECURRENT_QUANTIZED_H

#include "kernels/gemm/integer.h"
#include "kernels/quantize/quantize.h"
#include "ops/kernel/kernel.h"

/* An operand [directions, k, n]. The zero point is the operand after `scale`; both have one element for each direction or for
 * each column. */
typedef struct ob_byte_weights {
    uint32_t input, scale;
    int64_t k, n;
    int prepared;   /* index in args->prepared; -1: packed in each run */
    int64_t matrix; /* pairs in the packed matrix of a direction */
} ob_byte_weights;

typedef struct ob_byte_products {
    int64_t nr; /* columns of a panel */
    void (*product)(const obk_integer_call *call);
    void (*pack_a)(obk_pair *to, const obk_bytes *a, int64_t m, int64_t k);
    void (*pack_b)(obk_pair *to, const obk_bytes *b, int64_t k, int64_t n); /* NULL: all weights are prepared */
    void (*range)(const float *x, int64_t n, float *low, float *high);
    void (*quantize)(void *y, const float *x, int64_t n, const obk_scales *scales);
    void (*accumulate)(float *y, const int32_t *sums, int64_t n, const obk_scales *scales);
    ob_byte_weights weights[2]; /* W and R, with the same n */
} ob_byte_products;
extern const struct ob_struct ob__byte_products_struct;

/* Before the call, operand, scale, k and n of each weights[i] must be set. */
ob_status ob__plan_byte_products(const ob_kernel_site *site, const ob_kernel_args *args, ob_byte_products *p,
                                 ob_kernel_needs *needs, ob_error *error);

/* The memory of a run: the scratch memory that planning requested, and the weights of a direction. */
typedef struct ob_byte_run {
    const ob_byte_products *p;
    obk_pair *packed[2]; /* for weights that are not prepared */
    int16_t *zeros;
    float *scales;
    uint8_t *bytes;
    obk_pair *a;
    int32_t *sums;
    struct ob_byte_factor {
        const obk_pair *packed;
        const float *scale;
        bool each;
    } factors[2];
} ob_byte_run;
void ob__take_byte_products(const ob_byte_products *p, char **scratch, ob_byte_run *run);
void ob__use_direction(const ob_kernel_args *args, ob_byte_run *run, int64_t direction);

/* y += x times the weights, for `rows` rows of k elements in x and n in y. All of x has one scale. */
void ob__add_byte_product(const ob_byte_run *run, int which, const float *x, int64_t rows, float *y, obk_pace *pace);

#endif
