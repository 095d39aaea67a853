/* A model that was written as C (CMakeLists.txt): no file is read, nothing is allocated, and the plan is in read-only memory. */
#include <math.h>
#include <stdio.h>

#include "gate.h"

static _Alignas(gate_ARENA_ALIGN) unsigned char arena[gate_ARENA_BYTES + 1];

/* Prints the weights of these frames; returns whether they are those that the formula gives. */
static int run(int64_t frames, const float *signal) {
    static const float kernel[4][2] = {{1, 0}, {0.5F, -1}, {-0.5F, 0.25F}, {0, 2}}, bias[2] = {0.25F, -0.5F};
    float weights[3 * 2];
    const int plan = gate_admits((const int64_t[gate_SIZES]){frames, 4});
    if (plan < 0) {
        printf("%lld frames: no plan\n", (long long)frames);
        return frames != 1 && frames != 3;
    }
    if (gate_run_plan(plan, &(gate_inputs){signal}, &(gate_outputs){weights}, arena) != 0) return 0;
    printf("%lld frames:", (long long)frames);
    int good = 1;
    for (int64_t i = 0; i < frames * 2; i++) {
        double sum = (double)bias[i % 2];
        for (int k = 0; k < 4; k++) sum += (double)signal[i / 2 * 4 + k] * (double)kernel[k][i % 2];
        good &= fabs((double)weights[i] - 1 / (1 + exp(-sum))) < 1e-6;
        printf(" %.4f", (double)weights[i]);
    }
    printf("\n");
    return good;
}

int main(void) {
    const float signal[3 * 4] = {0, 1, 2, 3, -1, 0.5F, 0, 1, 2, -2, 1, 0};
    const int good = run(1, signal) & run(3, signal) & run(2, signal);
    return good ? 0 : 1;
}
