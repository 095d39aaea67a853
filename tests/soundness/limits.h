/* What checking a model takes: processor time, and bytes that are in use at once. */
#ifndef OB_TESTS_SOUNDNESS_LIMITS_H
#define OB_TESTS_SOUNDNESS_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct usage {
    double seconds;
    uint64_t n_bytes;
    bool is_partial, is_given_up; /* unverified; because it is too complex */
} usage;

/* Loads and checks the text, and writes the contract. False: that fails, or goes beyond `most`; message says how. */
bool usage_of(const char *text, const usage *most, usage *out, char message[400]);

#endif
