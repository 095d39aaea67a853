/* A sum of doubles over n dense elements. Parameters: FN, T, PARAMETERS, TERM(x). */
double FN PARAMETERS {
    const T *x = from;
    double lanes[16] = {0};
    int64_t i = 0;
    for (; i + 16 <= n; i += 16)
        for (int l = 0; l < 16; l++) lanes[l] += TERM((double)x[i + l]);
    for (int l = 0; i + l < n; l++) lanes[l] += TERM((double)x[i + l]);
    for (int half = 8; half > 0; half /= 2)
        for (int l = 0; l < half; l++) lanes[l] += lanes[l + half];
    return lanes[0];
}
#undef FN
#undef PARAMETERS
#undef TERM
