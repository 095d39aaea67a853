/* Weights in other files: mapped if they can be used in place, otherwise copied or read. */
#ifndef OB_RUNTIME_EXTERNAL_H
#define OB_RUNTIME_EXTERNAL_H

#include "runtime/session.h"

typedef struct ob_external_rules {
    bool allowed;
    const char *folder; /* NULL: of the model's file */
} ob_external_rules;

/* One walk over the initializers of a session. */
typedef struct ob_external {
    ob_session *session;
    const ob_external_rules *rules;
    int folder; /* descriptor of the folder that must contain external files; -1: not opened yet */
    uint64_t n_mapped, mapped_bytes, n_read, read_bytes;
    ob_error *error;
} ob_external;

void ob__external_begin(ob_external *external, ob_session *session, const ob_external_rules *rules, ob_error *error);
/* The elements of an initializer with external data: in the read-only mapping of their file, or in memory of the session.
 * E_UNSUPPORTED, E_IO, E_FORMAT, E_LIMIT, E_MEMORY as for ob_session_create. */
ob_status ob__external_data(ob_external *external, const ob_value *value, void **out);
/* Closes the files; mappings stay until ob__external_unmap. */
void ob__external_end(ob_external *external);
void ob__external_log(const ob_external *external);
/* The end of a session. */
void ob__external_unmap(ob_session *session);

/* Memory of the session for an initializer; NULL with a message. */
void *ob__weight_memory(ob_session *session, const ob_value *value, uint64_t n_bytes, ob_error *error);
bool ob__weight_is_aligned(const void *data, ob_dtype dtype);

#endif
