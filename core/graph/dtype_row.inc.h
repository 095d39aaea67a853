/* A row of the table in dtype.c. */
[OB_TYPE_DTYPE] = {OB_TYPE_KIND, OB_TYPE_FILE_BITS},
