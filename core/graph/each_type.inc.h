/* One row of types.def. */
#include OB_TYPE_TEMPLATE
#undef OB_TYPE_NAME
#undef OB_TYPE_C
#undef OB_TYPE_COMPUTE
#undef OB_TYPE_KIND
#undef OB_TYPE_FILE_BITS
