#include "core/base/finding.h"

/* Only the checker shows titles and explanations. */
#ifdef OB_LEAVES_OUT_EXPLANATIONS
#define TITLE(title) ""
#define TEXT(text)   ""
#else
#define TITLE(title) title
#define TEXT(text)   text
#endif

static const ob_finding_row rows[OB_FINDING_COUNT] = {
    [OB_FINDING_NONE] = {.name = "", .status = OB_E_MODEL, .title = "", .text = ""},
#define OB_FINDING(id_, group_, severity_, status_, title_, text_)                                                               \
    [id_] = {.name = #id_,                                                                                                       \
             .group = OB_FINDINGS_##group_,                                                                                      \
             .severity = OB_SEVERITY_##severity_,                                                                                \
             .status = OB_E_##status_,                                                                                           \
             .title = TITLE(title_),                                                                                             \
             .text = TEXT(text_)},
#include "core/base/findings.def"
#undef OB_FINDING
};

const ob_finding_row *ob__finding_row(ob_finding_id id) {
    return &rows[(unsigned)id < OB_FINDING_COUNT ? id : OB_FINDING_NONE];
}

static char upper(char c) {
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

/* Where `name` ends to be the id's, in any case. */
static size_t common(ob_finding_id id, const char *name) {
    const char *own = ob__finding_row(id)->name;
    size_t i = 0;
    while (name[i] && upper(name[i]) == own[i]) i++;
    return i;
}

bool ob__finding_begins(ob_finding_id id, const char *name) {
    return !name[common(id, name)];
}

bool ob__finding_is_accident(ob_finding_id id) {
    const ob_finding_row *row = ob__finding_row(id);
    return row->group == OB_FINDINGS_STYLE && row->severity == OB_SEVERITY_WARNING;
}

ob_finding_id ob__finding_find(const char *name) {
    for (int id = OB_FINDING_NONE + 1; name && id < OB_FINDING_COUNT; id++) {
        size_t n = common((ob_finding_id)id, name);
        if (!name[n] && !rows[id].name[n]) return (ob_finding_id)id;
    }
    return OB_FINDING_NONE;
}
