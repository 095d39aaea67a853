/* onnx-broadcast-check --certify and --verify-certificate. */
#ifndef OB_TOOLS_CHECK_CERTIFY_H
#define OB_TOOLS_CHECK_CERTIFY_H

#include "check_settings.h"

/* Writes the certificate of the two files of the settings. EXIT_ERRORS: results differ, or nothing could be compared. */
int certify_models(const settings *s);
/* EXIT_ERRORS: the certificate is not that of these files. */
int verify_certificate(const settings *s);

#endif
