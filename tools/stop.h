/* SIGINT, SIGTERM and SIGHUP: they end the command as they would by default, but never in the middle of a file. SIGXFSZ is ignored: a
 * file that grows beyond the limit of the process (RLIMIT_FSIZE) is a write that fails, as on a full disk. */
#ifndef OB_TOOLS_STOP_H
#define OB_TOOLS_STOP_H

#include <stdbool.h>

/* First thing in main. A signal that is ignored already (nohup) stays ignored. */
void stop_install(void);
/* Between these two a signal waits: it ends the program at stop_release, by itself, so that the shell sees 128 + its number. They
 * nest. What lies between asks stop_asked, or ends soon. */
void stop_hold(void);
void stop_release(void);
/* Holds while `path` is written, when that makes a temporary file: not for devices and pipes, which may wait for ever. Returns
 * whether stop_release must follow. */
bool stop_hold_for(const char *path);
/* A signal waits. For ob_session_config.cancelled. */
bool stop_asked(void *context);

#endif
