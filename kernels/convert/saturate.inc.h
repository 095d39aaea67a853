/* Saturating conversions from one floating type. Parameters: T, S, RINT. */
__attribute__((unused)) static inline int8_t OBK_CAT3(saturate_, S, _i8)(T x) {
    T number = x != x || x < (T)-0x1p7 ? (T)(x < 0 ? -0x1p7 : 0) : x;
    return number >= (T)0x1p7 ? INT8_MAX : (int8_t)OBK_ALONE(number);
}
__attribute__((unused)) static inline int16_t OBK_CAT3(saturate_, S, _i16)(T x) {
    T number = x != x || x < (T)-0x1p15 ? (T)(x < 0 ? -0x1p15 : 0) : x;
    return number >= (T)0x1p15 ? INT16_MAX : (int16_t)OBK_ALONE(number);
}
__attribute__((unused)) static inline int32_t OBK_CAT3(saturate_, S, _i32)(T x) {
    T number = x != x || x < (T)-0x1p31 ? (T)(x < 0 ? -0x1p31 : 0) : x;
    return number >= (T)0x1p31 ? INT32_MAX : (int32_t)OBK_ALONE(number);
}
__attribute__((unused)) static inline int64_t OBK_CAT3(saturate_, S, _i64)(T x) {
    T number = x != x || x < (T)-0x1p63 ? (T)(x < 0 ? -0x1p63 : 0) : x;
    return number >= (T)0x1p63 ? INT64_MAX : (int64_t)OBK_ALONE(number);
}
__attribute__((unused)) static inline uint8_t OBK_CAT3(saturate_, S, _u8)(T x) {
    T number = x != x || x < (T)0 ? (T)(x < 0 ? 0 : 0) : x;
    return number >= (T)0x1p8 ? UINT8_MAX : (uint8_t)OBK_ALONE(number);
}
__attribute__((unused)) static inline uint16_t OBK_CAT3(saturate_, S, _u16)(T x) {
    T number = x != x || x < (T)0 ? (T)(x < 0 ? 0 : 0) : x;
    return number >= (T)0x1p16 ? UINT16_MAX : (uint16_t)OBK_ALONE(number);
}
__attribute__((unused)) static inline uint32_t OBK_CAT3(saturate_, S, _u32)(T x) {
    T number = x != x || x < (T)0 ? (T)(x < 0 ? 0 : 0) : x;
    return number >= (T)0x1p32 ? UINT32_MAX : (uint32_t)OBK_ALONE(number);
}
__attribute__((unused)) static inline uint64_t OBK_CAT3(saturate_, S, _u64)(T x) {
    T number = x != x || x < (T)0 ? (T)(x < 0 ? 0 : 0) : x;
    return number >= (T)0x1p64 ? UINT64_MAX : (uint64_t)OBK_ALONE(number);
}
/* 4-bit integers: rounded to the nearest even, saturated. */
__attribute__((unused)) static inline int8_t OBK_CAT(nibble_i_, S)(T x) {
    T number = x != x ? 0 : RINT(x);
    return (int8_t)OBK_ALONE(number > 7 ? 7 : number < -8 ? -8 : number);
}
__attribute__((unused)) static inline uint8_t OBK_CAT(nibble_u_, S)(T x) {
    T number = x != x ? 0 : RINT(x);
    return (uint8_t)OBK_ALONE(number > 15 ? 15 : number < 0 ? 0 : number);
}
/* 2-bit integers: rounded to the nearest even, saturated. */
__attribute__((unused)) static inline int8_t OBK_CAT(crumb_i_, S)(T x) {
    T number = x != x ? 0 : RINT(x);
    return (int8_t)OBK_ALONE(number > 1 ? 1 : number < -2 ? -2 : number);
}
__attribute__((unused)) static inline uint8_t OBK_CAT(crumb_u_, S)(T x) {
    T number = x != x ? 0 : RINT(x);
    return (uint8_t)OBK_ALONE(number > 3 ? 3 : number < 0 ? 0 : number);
}
/* The low bits of the nearest integer; 0 if it does not fit into 64 bits. */
static inline uint8_t OBK_CAT(low_bits_, S)(T x) {
    return x > (T)-0x1p63 && x < (T)0x1p63 ? (uint8_t)(uint64_t)(int64_t)OBK_ALONE(RINT(x)) : 0;
}
#undef T
#undef S
#undef RINT
