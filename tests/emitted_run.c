/* Runs an emitted model named `m` on elements of files, for cmake/cross.sh: emitted_run INPUT:WIDTH... OUTPUT... Those of inputs
 * have WIDTH bytes and are little-endian, as a session reads them; those of outputs are as a session saves them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "m.h"

enum { MOST = 8, MOST_BYTES = 1 << 20 };

static _Alignas(m_ARENA_ALIGN) unsigned char arena[m_ARENA_BYTES + 1];
static _Alignas(64) unsigned char memory[MOST][MOST_BYTES];

/* Byte i of elements in memory is this byte of the file. */
static size_t place(size_t i, size_t width) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    (void)width;
    return i;
#else
    return i / width * width + (width - 1 - i % width);
#endif
}

static FILE *open_input(char *operand, size_t *width) {
    char *colon = strrchr(operand, ':');
    if (!colon) return NULL;
    *colon = 0;
    *width = (size_t)atoi(colon + 1);
    return *width > 0 ? fopen(operand, "rb") : NULL;
}

int main(int argc, char **argv) {
    enum { N_IN = sizeof(m_inputs) / sizeof(void *), N_OUT = sizeof(m_outputs) / sizeof(void *) };
    const size_t n_bytes[] = {m_OUTPUT_0_BYTES,
#ifdef m_OUTPUT_1_BYTES
                              m_OUTPUT_1_BYTES
#endif
    };
    const void *in[N_IN];
    void *out[N_OUT];
    m_inputs inputs;
    m_outputs outputs;
    if (argc != 1 + N_IN + N_OUT || N_IN + N_OUT > MOST || N_OUT != sizeof n_bytes / sizeof *n_bytes) return 2;
    for (int i = 0; i < N_IN; i++) {
        size_t width, n = 0;
        FILE *file = open_input(argv[1 + i], &width);
        if (!file) return 2;
        for (int byte; n < MOST_BYTES && (byte = fgetc(file)) != EOF; n++) memory[i][place(n, width)] = (unsigned char)byte;
        fclose(file);
        in[i] = memory[i];
    }
    for (int i = 0; i < N_OUT; i++) out[i] = memory[N_IN + i];
    memcpy(&inputs, in, sizeof inputs);
    memcpy(&outputs, out, sizeof outputs);
    const int status = m_run(&inputs, &outputs, arena);
    if (status != 0) return 10 + status;
    for (int i = 0; i < N_OUT; i++) {
        FILE *file = fopen(argv[1 + N_IN + i], "wb");
        if (!file || n_bytes[i] > MOST_BYTES) return 2;
        if (fwrite(memory[N_IN + i], 1, n_bytes[i], file) != n_bytes[i] || fclose(file) != 0) return 2;
    }
    return 0;
}
