/* For one element type: element i truncated to an integer. */
#if OB_TYPE_KIND == OB_KIND_REAL
case OB_TYPE_DTYPE: *out = ob__int64_from((double)((const OB_TYPE_C *)data)[i]); return OB_OK;
#elif OB_TYPE_KIND == OB_KIND_SIGNED && OB_TYPE_FILE_BITS >= 8
case OB_TYPE_DTYPE: *out = ((const OB_TYPE_C *)data)[i]; return OB_OK;
#elif OB_TYPE_KIND == OB_KIND_UNSIGNED && OB_TYPE_FILE_BITS >= 8
case OB_TYPE_DTYPE: {
    uint64_t value = ((const OB_TYPE_C *)data)[i];
    *out = value > INT64_MAX ? INT64_MAX : (int64_t)value;
    return OB_OK;
}
#endif
