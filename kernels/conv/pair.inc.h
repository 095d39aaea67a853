/* Template of conv.c. Parameters: BYTE, NAME(n). */

void OBK_FN(NAME(conv_pair))(obk_pair *to, const void *first, const void *second, int16_t zero, int64_t n) {
    const BYTE *restrict x = first, *restrict y = second;
    obk_any_pair *restrict pairs = (obk_any_pair *)(void *)to;
    if (y)
        for (int64_t i = 0; i < n; i++) pairs[i] = (uint16_t)(x[i] - zero) | (uint32_t)(uint16_t)(y[i] - zero) << 16;
    else
        for (int64_t i = 0; i < n; i++) pairs[i] = (uint16_t)(x[i] - zero);
}

#undef BYTE
#undef NAME
