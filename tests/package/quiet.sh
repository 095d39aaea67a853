#!/usr/bin/env bash
# usage: quiet.sh NM LIBRARY. The static library calls no function that prints, ends the process, starts a program or opens a
# connection. Sanitizers and counters of coverage bring such calls of their own: not for these builds.
set -euo pipefail
nm=$1 library=$2
print='(__)?v?[fd]?printf(_chk)?|f?puts|f?putc|putchar|perror|p?error|syslog|vsyslog|std(out|err)'
end='abort|_?exit|_Exit|quick_exit|atexit|__assert_fail|raise|kill|pthread_exit|pthread_kill'
start='system|popen|fork|vfork|clone|posix_spawnp?|exec(v|l|ve|vp|vpe|lp|le|veat)|fexecve'
connect='socket|socketpair|connect|bind|listen|accept|getaddrinfo|gethostbyname'
needs=$("$nm" -u "$library" | awk '$1 == "U" { print $2 }' | sort -u)
count=$(wc -l <<<"$needs")
[ "$count" -ge 50 ] || { echo "quiet: only $count names seen" && exit 1; }
if found=$(grep -xE "$print|$end|$start|$connect" <<<"$needs"); then
    echo "quiet: the library calls:" $found
    exit 1
fi
# The pattern finds them: those of a program that does.
for name in printf __printf_chk vfprintf puts stderr abort exit __assert_fail execve socket; do
    grep -qxE "$print|$end|$start|$connect" <<<"$name" || { echo "quiet: $name is not looked for" && exit 1; }
done
echo "quiet: $count names, none of them prints, ends the process, starts a program or opens a connection"
