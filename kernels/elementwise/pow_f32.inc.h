/* Pow in float for positive normal bases and results: exp2(y * log2(x)) in double, vectorised by the compiler, with an error
 * below 0.51 ulp. Other elements use the general function, whatever their neighbours are. */
enum { POW_ELEMS = 128 };

static inline double f64_of(uint64_t bits) {
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static inline uint64_t f64_bits(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* x > 0 and normal as a double. */
static inline double log2_positive(double x) {
    uint64_t bits = f64_bits(x);
    /* an integer below 2^52 becomes a double by the bits of 2^52 */
    double exponent = f64_of(bits >> 52 | UINT64_C(0x4330000000000000)) - (0x1p52 + 1023);
    double m = f64_of((bits & UINT64_C(0x000fffffffffffff)) | UINT64_C(0x3ff0000000000000));
    bool upper = m > 1.41421356237309504880;
    m = upper ? m * 0.5 : m;
    exponent = upper ? exponent + 1 : exponent;
    /* log2(m) = 2 / ln 2 * atanh(s) */
    double s = (m - 1) / (m + 1), q = s * s;
    double series = 0.22195308321368606;
    series = OBK_FMA(series, q, 0.26230818925253807);
    series = OBK_FMA(series, q, 0.32059889797532431);
    series = OBK_FMA(series, q, 0.41219858311113125);
    series = OBK_FMA(series, q, 0.57707801635558531);
    series = OBK_FMA(series, q, 0.96179669392597553);
    series = OBK_FMA(series, q, 2.8853900817779268);
    return OBK_FMA(s, series, exponent);
}

/* |t| < 1000. */
static inline double exp2_small(double t) {
    double shifted = t + 0x1.8p52, r = t - (shifted - 0x1.8p52);
    double series = 1.3215486790144305e-06;
    series = OBK_FMA(series, r, 1.5252733804059841e-05);
    series = OBK_FMA(series, r, 1.5403530393381608e-04);
    series = OBK_FMA(series, r, 1.3333558146428443e-03);
    series = OBK_FMA(series, r, 9.6181291076284769e-03);
    series = OBK_FMA(series, r, 5.5504108664821580e-02);
    series = OBK_FMA(series, r, 2.4022650695910072e-01);
    series = OBK_FMA(series, r, 6.9314718055994531e-01);
    series = OBK_FMA(series, r, 1.0);
    return f64_of(f64_bits(series) + (f64_bits(shifted) << 52));
}

static inline bool pow_is_general(float x, double t) {
    return !(x >= 0x1p-126f && x < INFINITY) || !(fabs(t) < 125);
}

static void pow_f32_block(float *z, const float *x, bool x_vector, const float *y, bool y_vector, int64_t n) {
    double t[POW_ELEMS];
    int general = 0;
    if (x_vector) {
        for (int64_t i = 0; i < n; i++) t[i] = log2_positive((double)x[i]);
    } else {
        const double one = log2_positive((double)x[0]);
        for (int64_t i = 0; i < n; i++) t[i] = one;
    }
    for (int64_t i = 0; i < n; i++) {
        t[i] *= (double)y[y_vector ? i : 0];
        general |= pow_is_general(x[x_vector ? i : 0], t[i]);
    }
    if (!general) {
        for (int64_t i = 0; i < n; i++) z[i] = (float)exp2_small(t[i]);
        return;
    }
    float others[POW_ELEMS]; /* z may be x or y */
    vpow_f32(others, x, x_vector, y, y_vector, n);
    for (int64_t i = 0; i < n; i++) z[i] = pow_is_general(x[x_vector ? i : 0], t[i]) ? others[i] : (float)exp2_small(t[i]);
}

static void pow_any_f32(float *z, const float *x, bool x_vector, const float *y, bool y_vector, int64_t n) {
    for (int64_t i = 0; i < n; i += POW_ELEMS) {
        int64_t some = n - i < POW_ELEMS ? n - i : POW_ELEMS;
        const float *left = x_vector ? x + i : x, *right = y_vector ? y + i : y;
        pow_f32_block(z + i, left, x_vector, right, y_vector, some);
    }
}
