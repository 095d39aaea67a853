/* SIGINT, SIGTERM and SIGHUP: they end the command as they would by default, at once, whatever it is at; of a file that it is
 * writing nothing is left. SIGXFSZ is ignored: a file that grows beyond the limit of the process (RLIMIT_FSIZE) is a write that
 * fails, as on a full disk. */
#ifndef OB_TOOLS_STOP_H
#define OB_TOOLS_STOP_H

/* First thing in main. A signal that is ignored already (nohup) stays ignored. */
void stop_install(void);
/* Around a call that writes `path` as ob_file_save does: a signal removes the temporary file that this call may have begun. */
void stop_begin_file(const char *path);
void stop_end_file(void);

#endif
