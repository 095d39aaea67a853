# usage: cmake -DTABLE=findings.def -DHEADER=finding_ids.h -P finding_ids.cmake. Writes the enum of the ids in the table. The
# header keeps its time when the ids stay the same, so a new wording in the table compiles the table again and nothing else.
file(STRINGS ${TABLE} ids REGEX "^OB_FINDING\\(")
list(TRANSFORM ids REPLACE "^OB_FINDING\\(([A-Za-z0-9_]+),.*" "    \\1,")
list(JOIN ids "\n" ids)
file(CONFIGURE OUTPUT ${HEADER} @ONLY CONTENT [[/* Made from core/base/findings.def; include core/base/finding.h. */
typedef enum ob_finding_id {
    OB_FINDING_NONE,
@ids@
    OB_FINDING_COUNT
} ob_finding_id;
]])
