/* One conversion. Parameters: FN, FROM, TO, EXPRESSION(x). */
void FN(void *target, const void *source, int64_t n) {
    const FROM *x = source;
    TO *z = target;
    OBK_INDEPENDENT
    for (int64_t i = 0; i < n; i++) z[i] = (TO)(EXPRESSION(x[i]));
}
#undef FN
#undef TO
#undef EXPRESSION
