# The lines depend on the build: each that has its form is replaced by the form, and any other stays and is a difference.
forms() {
    sed -E -e 's/^commit: ([0-9a-f]{40}(-dirty)?|unknown)$/commit: COMMIT/' \
        -e 's/^compiler: (GNU|Clang) [0-9]+(\.[0-9]+)+ for [A-Z][A-Za-z]+ [a-z0-9_]+$/compiler: COMPILER for TARGET/' \
        -e 's/^build type: [A-Za-z]+$/build type: TYPE/' -e 's/^flags:( -[^ /]+)+$/flags: FLAGS/' \
        -e 's/^options:( (none|protobuf|checker|text|gradient|bodies|terms|dynamic|groups|threads|operator-libraries|openblas|selected-operators=[0-9a-f]{12}|coverage|sanitize=[a-z]+))+$/options: OPTIONS/' \
        -e 's/^libraries:( [a-z0-9-]+)+$/libraries: LIBRARIES/' \
        -e 's/^(instruction-set level:) (baseline|avx2|avx512|neon|rvv)( with dot products of bytes)? \(of baseline( neon| rvv| avx2( avx512)?)?\)$/\1 LEVEL/'
}
"$check" --version | forms
"$run" --version | forms
# The same build, but for the name.
diff <("$check" --version | tail -n +2) <("$run" --version | tail -n +2)
# The level is that of this process.
OB_ISA=baseline "$check" --version | grep -E '^instruction-set level: baseline \(of baseline( avx2( avx512)?)?\)$' | cut -d '(' -f 1
