/* A shared library, but not of operators. */
int something_else(void);

__attribute__((visibility("default"))) int something_else(void) {
    return 1;
}
