/* SIGINT, SIGTERM and SIGHUP: they end the command at once, as by default, and remove an unfinished output file. SIGXFSZ is
 * ignored: a write beyond the file-size limit of the process (RLIMIT_FSIZE) fails like a write to a full disk. */
#ifndef OB_TOOLS_STOP_H
#define OB_TOOLS_STOP_H

/* Call it first in main. A signal that is already ignored (nohup) stays ignored. */
void stop_install(void);
/* Call these around a call that writes `path` like ob_file_save: a signal then removes its temporary file. */
void stop_begin_file(const char *path);
void stop_end_file(void);

#endif
