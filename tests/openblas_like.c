/* A library that claims to be an OpenBLAS with threads, or with sizes of 64 bits. It is never called. */
#ifndef SIZES
#define SIZES ""
#endif

int openblas_get_parallel(void);
char *openblas_get_config(void);
char *openblas_get_corename(void);
void cblas_sgemm(void);
void cblas_dgemm(void);

int openblas_get_parallel(void) {
    return PARALLEL;
}

char *openblas_get_config(void) {
    static char config[] = "OpenBLAS 0.3.0 " SIZES;
    return config;
}

char *openblas_get_corename(void) {
    static char name[] = "None";
    return name;
}

void cblas_sgemm(void) {}

void cblas_dgemm(void) {}
