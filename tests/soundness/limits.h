/* The cost of checking a model: processor time, and the maximum of bytes in use. */
#ifndef OB_TESTS_SOUNDNESS_LIMITS_H
#define OB_TESTS_SOUNDNESS_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct usage {
    double seconds;
    uint64_t n_bytes;
    bool is_partial, is_given_up; /* unverified requirements; those that are too complex */
} usage;

/* Loads and checks the text, and writes the contract. False: that fails or exceeds `most`; message is the reason. */
bool usage_of(const char *text, const usage *most, usage *out, char message[400]);

#endif
