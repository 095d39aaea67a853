#!/usr/bin/env bash
# usage: commit.sh CMAKE SOURCE_DIR. The commit of a build (cmake/commit.cmake) is that of the checkout or of the archive that it
# is built from, says when files were changed, and is written again only when it changes. Exit status 77: git is missing.
set -euo pipefail
cmake=$1 source=$2
command -v git >/dev/null || { echo "skipped: git is missing" && exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work GIT_CONFIG_NOSYSTEM=1
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
git_in() { git -C "$1" -c user.name=Test -c user.email=test@localhost -c init.defaultBranch=main "${@:2}"; }
complain() {
    echo "commit.sh: $*"
    exit 1
}
n=0

# commit_is WANTED FOLDER [OPTION...]: the header that a build of FOLDER gets.
commit_is() {
    local wanted=$1 folder=$2 got
    shift 2
    "$cmake" -DSOURCE="$folder" -DHEADER="$work/commit.h" "$@" -P "$source/cmake/commit.cmake"
    got=$(<"$work/commit.h")
    [ "$got" = "#define OB_COMMIT \"$wanted\"" ] || complain "line ${BASH_LINENO[0]}: $got, expected $wanted"
    n=$((n + 1))
}

project=$work/outer/project
mkdir -p "$project/cmake"
cp "$source/cmake/archive_commit.txt" "$project/cmake/"
cp "$source/.gitattributes" "$project/"
echo 'build/' >"$project/.gitignore"
commit_is unknown "$project"
commit_is given "$project" -DCOMMIT=given

git_in "$project" init -q
commit_is unknown "$project" # no commit yet
git_in "$project" add .
git_in "$project" commit -q -m one
one=$(git_in "$project" rev-parse HEAD)
commit_is "$one" "$project"
commit_is given "$project" -DCOMMIT=given
commit_is "$one" "$project"

# Written again only when it changes.
touch -d '2001-01-01' "$work/commit.h"
commit_is "$one" "$project"
[ "$(stat -c %Y "$work/commit.h")" = "$(date -d 2001-01-01 +%s)" ] || complain "the header was written again"

# Files that differ from the commit: changed, staged, removed, new. Ignored ones do not count.
mkdir "$project/build"
touch "$project/build/file"
commit_is "$one" "$project"
echo '# changed' >>"$project/.gitignore"
commit_is "$one-dirty" "$project"
git_in "$project" add .gitignore
commit_is "$one-dirty" "$project"
git_in "$project" commit -q -m two
two=$(git_in "$project" rev-parse HEAD)
commit_is "$two" "$project"
rm "$project/.gitignore"
commit_is "$two-dirty" "$project"
git_in "$project" checkout -q .gitignore
touch "$project/new.c"
commit_is "$two-dirty" "$project"
rm "$project/new.c"

# A worktree has a commit of its own, and a hook's variables do not lead elsewhere.
git_in "$project" worktree add -q "$work/worktree" "$one"
commit_is "$one" "$work/worktree"
GIT_DIR=$project/.git GIT_WORK_TREE=$project commit_is "$one" "$work/worktree"

# An archive has the commit in a file, also inside a checkout of another project, whose commit it must not take.
mkdir "$work/archive"
git_in "$project" archive "$one" | tar -x -C "$work/archive"
commit_is "$one" "$work/archive"
rm -rf "$project/.git"
git_in "$work/outer" init -q
git_in "$work/outer" add .
git_in "$work/outer" commit -q -m outer
commit_is unknown "$project"
cp "$work/archive/cmake/archive_commit.txt" "$project/cmake/"
commit_is "$one" "$project"
echo "$one-dirty" >"$project/cmake/archive_commit.txt" # as setup.py writes it
commit_is "$one-dirty" "$project"
PATH=$work/none commit_is "$one" "$work/archive" # without git
echo "commit.sh: $n commits are right"
