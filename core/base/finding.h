/* The findings that a check may report, by id. One table, findings.def, has a row for each. Inside the library an id is an
 * enum, so that a wrong one does not compile; the build makes the enum from the table (finding_ids.cmake), so that a new
 * wording does not compile every user of ids again. The public API spells ids as text ("OB0101"). */
#ifndef OB_CORE_BASE_FINDING_H
#define OB_CORE_BASE_FINDING_H

#include <stdbool.h>

#include "generated/core/finding_ids.h" /* ob_finding_id */
#include "onnx_broadcast/broadcast.h"

/* The hundred that an id belongs to. */
typedef enum ob_finding_group {
    OB_FINDINGS_NONE,
    OB_FINDINGS_BROADCAST, /* OB01xx: impossible broadcasts */
    OB_FINDINGS_CONDITION, /* OB02xx: conditions on open sizes */
    OB_FINDINGS_RULES,     /* OB03xx: rule books */
    OB_FINDINGS_STYLE,     /* OB04xx: legal and doubtful */
    OB_FINDINGS_DECLARED,  /* OB05xx: declarations of the file */
    OB_FINDINGS_OPERATOR,  /* OB06xx: requirements of operators besides broadcasting */
    OB_FINDINGS_GRAPH,     /* OB07xx: structure of the graph */
    OB_FINDINGS_COVERAGE,  /* OB08xx: parts that are not checked */
    OB_FINDINGS_TARGET     /* OB09xx: deployment targets */
} ob_finding_group;

typedef struct ob_finding_row {
    const char *name; /* "OB0101" */
    ob_finding_group group;
    ob_severity severity; /* the default */
    ob_status status;     /* of a run that fails with it */
    const char *title, *text;
} ob_finding_row;

/* The row of an id. For a value that is not an id: the row of OB_FINDING_NONE, with name "". Never NULL. */
const ob_finding_row *ob__finding_row(ob_finding_id id);
/* The id with this name, in upper or lower case; OB_FINDING_NONE if there is none. */
ob_finding_id ob__finding_find(const char *name);
/* True if the id's name begins with `name`, in upper or lower case. */
bool ob__finding_begins(ob_finding_id id, const char *name);
/* True for findings about legal broadcasts that are probably accidental: the warnings of group STYLE. */
bool ob__finding_is_accident(ob_finding_id id);

#endif
