# Files that are taken for a model: each is named, with what to do.
show() { printf "$1" >given.onnx; "$check" given.onnx; echo "exit $?" >&2; }
show '\x1f\x8b\x08\x00\x00'
show 'PK\x03\x04\x14\x00'
show 'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n'
show '\n <!DOCTYPE html>\n<html lang="en">'
show '<HTML><head>'
show '\x1c\x00\x00\x00TFL3\x14\x00'
show '\x10\x00\x00\x00\x00\x00\x00\x00{"a":{"dtype":1}'
show '\x00\x10\x00\x00\x00\x00\x00\x00{"a":{"dtype":1}' # the header is longer than the file
show '\x08\x00\x00\x00ORTM'
show '\x89HDF\r\n\x1a\n'
show 'GGUF\x03\x00\x00\x00'
show '7z\xbc\xaf\x27\x1c\x00\x04'
show '<?xml version="1.0"?>\n<net name="m" version="11">'
show '\x80\x02}q\x00'
show '\x80\x02\x8a\nl\xfc\x9cF'
show '\x80\x04\x95\x00'
show 'ftrt\x00\x00'
